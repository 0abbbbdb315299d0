package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/internal/build/worker"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/internal/record"
	"github.com/sngdgen/sngdgen/internal/regression"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

// regress fits a distribution with linear predictors, which a formula says, in the place of parameters.
func (c *fitCmd) regress(s *session, request *estimate.Settings) error {
	switch {
	case c.Formula == "":
		return usageError{errors.New("--spec-to writes the spec of a formula: it has no meaning without --formula")}
	case c.SpecTo != "" && filepath.Clean(c.SpecTo) == filepath.Clean(c.Spec):
		return usageError{fmt.Errorf("--spec-to %s would replace the file that the distribution is in", c.SpecTo)}
	case c.Data == "":
		return usageError{errors.New("which data? --formula says which columns of a file are what")}
	case len(c.Column) > 0:
		return usageError{errors.New("--formula says of which columns the data are made: --column has no meaning beside it")}
	}
	equations, err := regression.Parse(c.Formula)
	if err != nil {
		return usageError{fmt.Errorf("--formula: %w", err)}
	}
	m, base, err := distributionOf(s, c.Spec, c.Problem)
	if err != nil {
		return err
	}
	if x := regression.Covariates(base); x != "" && m.Check() != nil {
		return c.regressedByItself(s, base, x, equations, request)
	}
	return c.regressed(s, &predicted{c.Spec, m, base, equations}, request)
}

// regressedByItself fits a problem that is a regression already, as that of categories is, to the columns of a formula: the right is of what its
// covariates x are made.
func (c *fitCmd) regressedByItself(s *session, p *spec.Problem, x string, equations []regression.Equation, request *estimate.Settings) error {
	e := equations[0]
	switch {
	case c.SpecTo != "":
		return usageError{fmt.Errorf("--spec-to: %s has covariates, %s, and needs no other spec: see sngdgen spec %s", p.Package, x, p.Package)}
	case len(equations) > 1:
		return usageError{fmt.Errorf("--formula: %s has one predictor, that of its covariates %s: leave %s ~ out", p.Package, x, equations[1].Left)}
	case len(e.Offsets) > 0:
		return usageError{fmt.Errorf("--formula: %s has no offset", p.Package)}
	}
	if !isSpecFile(c.Spec) {
		c.Spec = p.Package
	}
	if cut := regression.CutPoints(p); cut != "" {
		e.Terms = slices.DeleteFunc(slices.Clone(e.Terms), func(t string) bool { return t == "1" })
		fmt.Fprintf(s.err, "note: the predictor has no intercept, which would move all entries of %s\n", cut)
		if !strings.Contains(e.Left, "<") {
			fmt.Fprintf(s.err, "note: levels of %s count in the order in which they are listed: %s(low<high) gives another\n", e.Left, e.Left)
		}
	}
	c.Formula, c.Files = "", append([]string{p.TargetDist.Variable.Name + "=" + e.Left, x + "=" + strings.Join(e.Terms, "+")}, c.Files...)
	return c.fitProblem(s, request)
}

// predicted is a distribution of a file or the library with the predictors of equations; base is the problem of the distribution by itself, if
// one is known.
type predicted struct {
	file      string
	m         *regression.Model
	base      *spec.Problem
	equations []regression.Equation
}

// read reads the columns that the equations are about, and tells the model how many there are and where its parameters begin. The mapping says of
// which columns the rest of a row is made.
func (q *predicted) read(s *session, d *dataFlags, path string, mapping []string, rows string) (*table.Table, error) {
	parts, own, err := record.OfRegression(q.m, q.equations)
	if err != nil {
		return nil, asked(err)
	}
	data, widths, err := d.readMapped(s, parts, path, append(own, mapping...), rows)
	if err != nil {
		return nil, err
	}
	if q.base == nil {
		if q.base, err = specOf(s, q.m, besides(q.file)); err != nil {
			return nil, err
		}
	}
	s.startFrom(q.m, q.base, data, widths)
	record.SetColumns(q.m, parts, widths)
	return data, nil
}

// regressed fits a distribution with predictors.
func (c *fitCmd) regressed(s *session, q *predicted, request *estimate.Settings) error {
	data, err := q.read(s, &c.dataFlags, c.Data, c.Files, c.Rows)
	if err != nil {
		return err
	}
	q.m.Mixture = c.Components != ""
	p, err := c.written(s, q.m)
	if err != nil {
		return err
	}
	if err := c.refuse(p); err != nil {
		return usageError{err}
	}
	counts, err := c.counts(p)
	switch {
	case err != nil:
		return err
	case len(counts) > 1:
		return c.compare(s, formulaFile, p, counts, data)
	case len(counts) == 1:
		request.Components = counts[0]
	}
	if err := s.checkDistinct(data, request.Components); err != nil {
		return err
	}
	return c.fitted(s, formulaFile, p, request, data)
}

// formulaFile is the name of the spec of a formula in messages, where it is not written to a file.
const formulaFile = "formula.yaml"

// distributionOf finds a distribution: of the library by its name, the target of a problem, or the only one of a file. The problem is
// one of maximum likelihood for the distribution by itself, nil if none is known.
func distributionOf(s *session, arg, problem string) (m *regression.Model, base *spec.Problem, err error) {
	lib := spec.Library()
	switch {
	case isSpecFile(arg) && problem == "":
		m, base, err = distributionIn(s, arg)
	case !isSpecFile(arg) && (lib.Distribution(arg) != nil || lib.Family(arg) != nil):
		m = regression.Of(lib.Distribution(arg), lib.Family(arg))
		s.tellMeaning(arg)
	case !isSpecFile(arg) && lib.Problem(arg) == nil:
		return nil, nil, unknownDistribution(arg)
	default:
		if base, err = oneProblem(s, arg, problem); err == nil {
			m = regression.Of(base.TargetDist, base.TargetFamily)
		}
	}
	if err == nil && base != nil && base.VI != nil {
		err = noFormula(arg, base)
	}
	if err != nil {
		return nil, nil, err
	}
	if isSpecFile(arg) {
		m.Import = filepath.Base(arg)
	}
	if m.Import == "" {
		s.tellMean(m.Base)
	}
	if base == nil && m.Import == "" {
		base = aloneInLibrary(m.Base)
	}
	if base != nil && (base.VI != nil || base.Components != nil) {
		base = nil
	}
	return m, base, nil
}

// aloneInLibrary is a problem of the library for a distribution by itself, nil where there is none.
func aloneInLibrary(distribution string) *spec.Problem {
	lib := spec.Library()
	for _, name := range lib.Problems() {
		if p := lib.Problem(name); p.VI == nil && p.Components == nil && targetName(p) == distribution {
			return p
		}
	}
	return nil
}

// tellMeaning says which of two things of one name is meant, where that is a distribution and also a problem about another one.
func (s *session) tellMeaning(name string) {
	lib := spec.Library()
	p := lib.Problem(name)
	if p == nil || targetName(p) == name {
		return
	}
	doc := ""
	if d := lib.Distribution(name); d != nil {
		doc = d.Doc
	} else {
		doc = lib.Family(name).Doc
	}
	fmt.Fprintf(s.err, "note: with --formula %s is a distribution (%s), not the problem (%s)\n", name, doc, p.Doc)
}

// tellMean says that the first parameter of a distribution is not its mean, which regressions mostly are about, where another distribution has one
// that is.
func (s *session) tellMean(name string) {
	d := spec.Library().Distribution(name)
	if d == nil {
		return
	}
	var others []string
	for _, other := range regression.ByMean(d, spec.Library()) {
		others = append(others, fmt.Sprintf("%s of %s", regression.Mean(other), other.Name))
	}
	if len(others) > 0 {
		fmt.Fprintf(s.err, "note: %s of %s is not the mean; the mean is %s\n", d.Parameters[0].Name, name, strings.Join(others, ", or "))
	}
}

// unknownDistribution says which distributions there are, of those that may have predictors.
func unknownDistribution(name string) error {
	lib := spec.Library()
	var known []string
	for _, n := range slices.Sorted(slices.Values(slices.Concat(lib.Distributions(), lib.Families()))) {
		if regression.Of(lib.Distribution(n), lib.Family(n)).Check() == nil {
			known = append(known, n)
		}
	}
	hint := "those of numbers are " + strings.Join(known, ", ") + "; a file is given as a path ending in .yaml"
	if meant := diag.Suggest(name, known); meant != "" {
		hint = fmt.Sprintf("did you mean %q? %s", meant, hint)
	}
	return fmt.Errorf("no distribution %q in the library\nhint: %s", name, hint)
}

// noFormula says how the data of a posterior are named, in the place of a formula.
func noFormula(arg string, p *spec.Problem) error {
	var parts []string
	for _, q := range p.VI.Data {
		made := "COLUMN"
		if len(q.Type.Dims) > 1 {
			made = "1+COLUMN+COLUMN"
		}
		parts = append(parts, q.Name+"="+made)
	}
	return fmt.Errorf("%s is a model of a posterior, whose data are named one by one, and not by --formula\nhint: sngdgen fit %s FILE --data %s", p.Package, arg,
		strings.Join(parts, ","))
}

// distributionIn finds the distribution of a file: the target of its only problem, or the only definition.
func distributionIn(s *session, file string) (*regression.Model, *spec.Problem, error) {
	f, diags := spec.LoadFile(file)
	if err := s.diagnose(diags); err != nil {
		return nil, nil, err
	}
	switch {
	case len(f.Problems) == 1:
		p := f.Problems[0]
		return regression.Of(p.TargetDist, p.TargetFamily), p, nil
	case len(f.Problems) == 0 && len(f.Distributions) == 1:
		return regression.Of(f.Distributions[0], nil), nil, nil
	case len(f.Problems) == 0 && len(f.Distributions) == 0 && len(f.Families) == 1:
		return regression.Of(nil, f.Families[0]), nil, nil
	}
	return nil, nil, fmt.Errorf("%s: --formula wants a file with one distribution, or one problem\nhint: --problem chooses one of several problems", file)
}

// startFrom sets where parameters begin, and their information, by a fit of the distribution by itself. The widths
// are the numbers of columns of the parts of a row.
func (s *session) startFrom(m *regression.Model, base *spec.Problem, data *table.Table, widths []int) {
	arg := formulaFile
	if base == spec.Library().Problem(base.Package) {
		arg = base.Package
	}
	fit := &estimate.Report{}
	if own, err := record.WithoutPredictors(m, data, widths); err == nil {
		if answer, err := s.do(arg, base, worker.Job{Fit: &estimate.Settings{}}, own); err == nil {
			fit = answer.Fit // where there is none the regression may do better, or say what is wrong
		}
	}
	m.StartFrom(fit)
}

// written is the problem of a regression, whose spec is written to a file if asked.
func (c *fitCmd) written(s *session, m *regression.Model) (*spec.Problem, error) {
	if c.SpecTo == "" {
		return specOf(s, m, besides(c.Spec))
	}
	if dir := filepath.Dir(c.SpecTo); m.Import != "" { // which lies elsewhere, seen from there
		from, err := filepath.Rel(dir, c.Spec)
		if err != nil {
			return nil, err
		}
		m.Import = filepath.ToSlash(from)
	}
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, m.Spec())
		return err
	}
	if err := s.writeWhole(c.SpecTo, write); err != nil {
		return nil, err
	}
	return specOf(s, m, c.SpecTo)
}

// besides is where the spec of a formula would lie, which is not written.
func besides(file string) string { return filepath.Join(filepath.Dir(file), formulaFile) }

// specOf reads the spec of a model as if it were a file.
func specOf(s *session, m *regression.Model, file string) (*spec.Problem, error) {
	return parseText(s, file, m.Spec())
}

// parseText reads the spec of one problem as if it were a file.
func parseText(s *session, file, text string) (*spec.Problem, error) {
	f, diags := spec.ParseOnDisk(file, []byte(text))
	if err := s.diagnose(diags); err != nil {
		return nil, err
	}
	if len(f.Problems) != 1 {
		return nil, fmt.Errorf("%s: %s where there should be one", file, plural(len(f.Problems), "problem"))
	}
	return f.Problems[0], nil
}
