package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/internal/record"
	"github.com/sngdgen/sngdgen/internal/regression"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

// A problem of a spec may be a formula, short for one whose parameters have linear predictors. Which columns there are, and how many a
// category makes, only a file of data says: a fit has it. Other commands take each term for one column.

// shortForm is the document with a formula that a file has under a name, or the only problem of a file; nil where there is none, or where the
// file has faults, which are reported when its problems are read.
func shortForm(arg, name string) *spec.Regression {
	if !isSpecFile(arg) {
		return nil
	}
	f, diags := spec.LoadFile(arg)
	if diags.HasErrors() {
		return nil
	}
	for _, p := range f.Regressions {
		if p.Package == name || name == "" && len(f.Regressions)+len(f.Problems) == 1 {
			return p
		}
	}
	return nil
}

// fitShort fits a problem that a formula of a spec stands for.
func (c *fitCmd) fitShort(s *session, p *spec.Regression, request *estimate.Settings) error {
	if c.SpecTo != "" && filepath.Clean(c.SpecTo) == filepath.Clean(c.Spec) {
		return usageError{fmt.Errorf("--spec-to %s would replace the file that the formula is in", c.SpecTo)}
	}
	q, err := c.short(s, c.Spec, p, c.Data)
	if err != nil {
		return err
	}
	c.Formula = p.Formula // for whoever uses the fit
	return c.regressed(s, q, request)
}

// short is what a formula of a spec stands for, of which the data are to be read.
func (d *dataFlags) short(s *session, file string, p *spec.Regression, data string) (*predicted, error) {
	switch {
	case data == "":
		return nil, usageError{errors.New("which data? the formula of " + p.Package + " says which columns of a file are what")}
	case len(d.Column) > 0:
		return nil, usageError{errors.New("the formula of " + p.Package + " says of which columns the data are made: --column has no meaning beside it")}
	}
	var diags diag.List
	m, equations := meant(file, p, &diags)
	if err := s.diagnose(diags); err != nil {
		return nil, err
	}
	q := &predicted{file: file, m: m, equations: equations}
	if m.Import == "" {
		q.base = aloneInLibrary(m.Base)
	}
	return q, nil
}

// readShort is the problem that a formula of a spec stands for on the data of a file, and these data.
func (d *dataFlags) readShort(s *session, file string, p *spec.Regression, data string, mapping []string, rows string, mixture bool) (*spec.Problem, *table.Table, error) {
	q, err := d.short(s, file, p, data)
	if err != nil {
		return nil, nil, err
	}
	t, err := q.read(s, d, data, mapping, rows)
	if err != nil {
		return nil, nil, err
	}
	q.m.Mixture = mixture
	own, err := specOf(s, q.m, besides(file))
	return own, t, err
}

// meant is the distribution of a formula in a file, with its equations, which are right where nothing is reported.
func meant(file string, p *spec.Regression, diags *diag.List) (*regression.Model, []regression.Equation) {
	m := regression.Of(p.Distribution, p.Family)
	m.Package = p.Package
	lib := spec.Library()
	if p.Distribution != lib.Distribution(p.Target) || p.Family != lib.Family(p.Target) {
		m.Import = filepath.Base(file)
	}
	equations, err := regression.Parse(p.Formula)
	if err == nil {
		err = m.Check()
	}
	if err == nil {
		_, err = m.Predictors(equations)
	}
	if err != nil {
		diags.Errorf(p.FormulaSpan, "%s", err)
	}
	return m, equations
}

// noteTerms says of the formulas of a file that terms are taken for one column each, where that is known to be wrong.
func noteTerms(arg string, diags *diag.List) {
	if !isSpecFile(arg) {
		return
	}
	f, found := spec.LoadFile(arg)
	if found.HasErrors() {
		return
	}
	for _, r := range f.Regressions {
		equations, err := regression.Parse(r.Formula)
		if err != nil {
			continue
		}
		for _, e := range equations {
			if k := slices.IndexFunc(e.Terms, record.Several); k >= 0 {
				diags.Notef(r.FormulaSpan, "%s is taken for one column here: how many it makes, only data say", e.Terms[k]).
					WithHint("sngdgen fit %s DATA --spec-to FILE writes the spec with those of a file", arg)
				break
			}
		}
	}
}

// writtenOut is the problem that a formula stands for, were each term one column; nil after a fault.
func writtenOut(file string, p *spec.Regression, diags *diag.List) *spec.Problem {
	var faults diag.List
	m, equations := meant(file, p, &faults)
	diags.Append(faults)
	if faults.HasErrors() {
		return nil
	}
	of, _ := m.Predictors(equations)
	for i := range m.Parameters {
		q := &m.Parameters[i]
		q.Start = q.Default()
		e := of[q.Name]
		q.Columns, q.Offset = len(e.Terms), len(e.Offsets) > 0
	}
	f, found := spec.ParseOnDisk(besides(file), []byte(m.Spec()))
	diags.Append(found)
	if found.HasErrors() || len(f.Problems) != 1 {
		return nil
	}
	return f.Problems[0]
}
