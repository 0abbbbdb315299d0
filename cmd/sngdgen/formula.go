package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/internal/build/worker"
	"github.com/sngdgen/sngdgen/internal/diag"
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
	case c.Components != "":
		return usageError{errors.New("--formula is of one distribution, not of mixtures; --spec-to writes a spec, which can be made that of one")}
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
	parts, mapping, err := partsOf(m, equations)
	if err != nil {
		return err
	}
	data, widths, err := c.readMapped(s, parts, c.Data, append(mapping, c.Files...), c.Rows)
	if err != nil {
		return err
	}
	for i := range m.Parameters {
		m.Parameters[i].Columns = 0
		if k := slices.IndexFunc(parts, func(q part) bool { return q.name == m.Parameters[i].Covariates() }); k >= 0 {
			m.Parameters[i].Columns = widths[k]
		}
	}
	s.startFrom(m, base, data, widths)
	p, err := c.specOf(s, m)
	if err != nil {
		return err
	}
	if err := c.refuse(p); err != nil {
		return usageError{err}
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
		m = modelOf(lib.Distribution(arg), lib.Family(arg))
	default:
		if base, err = oneProblem(s, arg, problem); err == nil {
			m = modelOf(base.TargetDist, base.TargetFamily)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if isSpecFile(arg) {
		m.Import = filepath.Base(arg)
	}
	for _, name := range lib.Problems() {
		if p := lib.Problem(name); base == nil && m.Import == "" && p.VI == nil && p.Components == nil && targetName(p) == m.Base {
			base = p
		}
	}
	if base != nil && (base.VI != nil || base.Components != nil) {
		base = nil
	}
	return m, base, nil
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
		return modelOf(p.TargetDist, p.TargetFamily), p, nil
	case len(f.Problems) == 0 && len(f.Distributions) == 1:
		return modelOf(f.Distributions[0], nil), nil, nil
	case len(f.Problems) == 0 && len(f.Distributions) == 0 && len(f.Families) == 1:
		return modelOf(nil, f.Families[0]), nil, nil
	}
	return nil, nil, fmt.Errorf("%s: --formula wants a file with one distribution, or one problem\nhint: --problem chooses one of several problems", file)
}

// modelOf takes of a distribution, or of a family, what a regression needs.
func modelOf(d *spec.Distribution, f *spec.Family) *regression.Model {
	m := &regression.Model{}
	var params []spec.Param
	if d != nil {
		m.Base, m.Variable, m.Given, params = d.Name, d.Variable, d.Given, d.Parameters
	} else {
		m.Base, m.Variable, params = f.Name, f.Variable, f.Parameters
	}
	m.Name = m.Base + "_regression"
	for _, q := range params {
		m.Parameters = append(m.Parameters, regression.Parameter{Name: q.Name, Type: q.Type})
	}
	return m
}

// partsOf says which parameters have predictors, and of what the parts of a row are made, as --data says it.
func partsOf(m *regression.Model, equations []regression.Equation) (parts []part, mapping []string, err error) {
	if len(m.Variable.Type.Dims) > 0 {
		return nil, nil, fmt.Errorf("%s is a distribution of vectors: --formula is for those of numbers", m.Base)
	}
	var names []string
	for _, p := range m.Parameters {
		if !p.Type.IsScalar() || p.Link() == nil {
			return nil, nil, fmt.Errorf("%s has a parameter %s of type %s: --formula is for parameters that are numbers with unconstrained coordinates", m.Base,
				p.Name, p.Type)
		}
		names = append(names, p.Name)
	}
	parts = []part{{name: m.Variable.Name, byRow: true}}
	mapping = []string{m.Variable.Name + "=" + equations[0].Left}
	for _, g := range m.Given {
		parts = append(parts, part{name: g.Name, byRow: true, vector: len(g.Type.Dims) > 0})
	}
	of := map[string]regression.Equation{}
	for i, e := range equations {
		name := e.Left
		if i == 0 {
			name = names[0]
		}
		if k := slices.Index(names, name); k < 0 {
			hint := "it has " + strings.Join(names, ", ")
			if meant := diag.Suggest(name, names); meant != "" {
				hint = fmt.Sprintf("did you mean %q? %s", meant, hint)
			}
			return nil, nil, usageError{fmt.Errorf("--formula: %s has no parameter %q: %s", m.Base, name, hint)}
		}
		if _, twice := of[name]; twice {
			return nil, nil, usageError{fmt.Errorf("--formula: the first equation is that of %s already", name)}
		}
		of[name] = e
	}
	for _, p := range m.Parameters {
		if e, ok := of[p.Name]; ok {
			parts = append(parts, part{name: p.Covariates(), words: "the predictor of " + p.Name, byRow: true, vector: true})
			mapping = append(mapping, p.Covariates()+"="+strings.Join(e.Terms, "+"))
		}
	}
	return parts, mapping, nil
}

// startFrom sets where parameters begin, and their information, by a fit of the distribution by itself where that is known. The widths are
// the numbers of columns of the parts of a row.
func (s *session) startFrom(m *regression.Model, base *spec.Problem, data *table.Table, widths []int) {
	fit := &estimate.Report{}
	if base != nil {
		own := 0
		for _, w := range widths[:1+len(m.Given)] {
			own += w
		}
		var columns []table.Column
		for k := range own {
			columns = append(columns, table.Column{Name: data.Columns[k], Of: []int{k}, Level: []int{-1}})
		}
		// Where this fails the regression may do better, or say what is wrong.
		if answer, err := s.do(base.Package, base, worker.Job{Fit: &estimate.Settings{}}, data.Arrange(columns)); err == nil {
			fit = answer.Fit
		}
	}
	for i := range m.Parameters {
		q := &m.Parameters[i]
		value, stdErr := math.NaN(), math.NaN()
		for k, v := range fit.Estimate {
			if v.Name == q.Name && k < len(fit.StdErr) {
				value, stdErr = v.Value, fit.StdErr[k].Value
			}
		}
		q.StartAt(value, stdErr, fit.N)
	}
}

// specOf writes the spec of a regression, to a file if asked, and reads it.
func (c *fitCmd) specOf(s *session, m *regression.Model) (*spec.Problem, error) {
	text := []byte(m.Spec())
	file := filepath.Join(filepath.Dir(c.Spec), formulaFile)
	if c.SpecTo != "" {
		file = c.SpecTo
		if err := os.WriteFile(file, text, 0o666); err != nil {
			return nil, err
		}
	}
	f, diags := spec.ParseOnDisk(file, text)
	if err := s.diagnose(diags); err != nil {
		return nil, err
	}
	return f.Problems[0], nil
}
