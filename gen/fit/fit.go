// Package fit fits a problem whose spec is a text to data in memory: in the same process, without the Go toolchain, files or other
// programs. A page in a browser, a notebook or a server calls it. It builds for GOOS=js GOARCH=wasm too.
//
//	problem, _, err := fit.Open(ctx, fit.Source{Name: "my.yaml", Text: text})
//	data, err := fit.Columns(nil, heights, weights)
//	answer, err := problem.Fit(ctx, data, &estimate.Settings{Progress: show})
package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/engine"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

// Source is the text of a spec.
type Source struct {
	Name string // of the file, for messages; spec.yaml where it is empty
	Text string
	// Problem is the package name of the problem, for a text with several.
	Problem string
	// Import returns the text of a file that the spec imports; without it there is nothing to import but the library.
	Import func(path string) ([]byte, error)
	// Budget bounds the work on formulas: see gen.Options. 0 is the default.
	Budget int
}

// Problem is what has been derived from a spec. It may be used by several goroutines.
type Problem struct {
	Spec *spec.Problem
	make func() runtime.Model
}

// Answer is what came of a fit: one of its fields is set.
type Answer struct {
	Likelihood *estimate.Report        `json:"likelihood,omitempty"`
	Posterior  *estimate.Approximation `json:"posterior,omitempty"`
}

// Open reads a spec and derives what a fit needs, in some tens of milliseconds. The list holds what there is to say of the spec. The
// error is a *diag.ListError with the same where it has errors, and an engine.Unsupported where the problem can only be compiled: where
// it has a log-density that is a function in Go. It ends early when the context does.
func Open(ctx context.Context, s Source) (*Problem, diag.List, error) {
	name := cmp.Or(s.Name, "spec.yaml")
	file, found := spec.Parse(name, []byte(s.Text), s.Import)
	if err := found.Err(); err != nil {
		return nil, found, err
	}
	if r := file.Regressions; len(r) > 0 && len(file.Problems) == 0 {
		return nil, found, fmt.Errorf("%s is a formula, of which data say how many columns it has\nhint: sngdgen fit SPEC DATA --spec-to FILE writes "+
			"the spec that it stands for", r[0].Package)
	}
	p, err := s.choose(file.Problems)
	if err != nil {
		return nil, found, err
	}
	build, more, unsupported := engine.Interpreted(ctx, p, gen.Options{Source: path.Base(name), Budget: s.Budget})
	found.Append(more)
	switch err := found.Err(); {
	case err != nil:
		return nil, found, err
	case unsupported != nil:
		return nil, found, unsupported
	}
	return &Problem{Spec: p, make: build}, found, nil
}

// choose returns the problem that is meant.
func (s *Source) choose(all []*spec.Problem) (*spec.Problem, error) {
	if len(all) == 1 && s.Problem == "" {
		return all[0], nil
	}
	var names []string
	for _, p := range all {
		if names = append(names, p.Package); p.Package == s.Problem {
			return p, nil
		}
	}
	switch {
	case len(all) == 0:
		return nil, errors.New("there is no problem in the spec: a document with package, target and surrogate")
	case s.Problem == "":
		return nil, fmt.Errorf("the spec has several problems: say which of %q", names)
	}
	return nil, fmt.Errorf("the spec has no problem %q, but %q", s.Problem, names)
}

// Model returns a model without data. Its Info says of which parts a row of the data consists: of a likelihood Record, of a posterior
// Data.
func (p *Problem) Model() runtime.Model { return p.make() }

// Fit fits the problem to data: the parts of a row one after the other, as Model().Info() has them, row by row. The settings may be
// nil; Progress is called while the fit is under way, and Components has to be set for a mixture whose spec does not say how many it
// has. What a fit that has not converged has come to is in the answer too: see Complete of the reports. When the context ends, so does
// the fit, with a report of what there is, or with an error.
func (p *Problem) Fit(ctx context.Context, data runtime.Data, s *estimate.Settings) (*Answer, error) {
	if s == nil {
		s = new(estimate.Settings)
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	m := p.make()
	if err := estimate.Load(m, data, cmp.Or(s.Components, s.Init.Components(m))); err != nil {
		return nil, err
	}
	var a Answer
	var err error
	if bound, ok := m.(runtime.Variational); ok {
		a.Posterior, err = estimate.Approximate(ctx, bound, s)
	} else {
		a.Likelihood, err = estimate.Fit(ctx, m, s)
	}
	if a == (Answer{}) {
		return nil, err
	}
	unfinished, unreliable := (*estimate.Unfinished)(nil), (*estimate.Unreliable)(nil)
	if errors.As(err, &unfinished) || errors.As(err, &unreliable) {
		err = nil // the report says it
	}
	return &a, err
}

// Compare fits a mixture with each of several numbers of components: see estimate.Compare. The settings may be nil.
func (p *Problem) Compare(ctx context.Context, data runtime.Data, counts []int, s *estimate.Settings) (*estimate.Comparison, error) {
	if s == nil {
		s = new(estimate.Settings)
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	m := p.make()
	if _, ok := m.(runtime.Variational); ok || len(counts) == 0 {
		return nil, errors.New("numbers of components are compared of likelihoods, and there has to be one")
	}
	if err := estimate.Load(m, data, counts[0]); err != nil {
		return nil, err
	}
	return estimate.Compare(ctx, m, counts, s)
}

// Columns makes data of columns of the same length; nil weights are all one.
func Columns(weights []float64, columns ...[]float64) (runtime.Data, error) {
	if len(columns) == 0 {
		return runtime.Data{}, errors.New("there are no columns")
	}
	rows := len(columns[0])
	for i, c := range columns {
		if len(c) != rows {
			return runtime.Data{}, fmt.Errorf("column %d has %d rows, the first one %d", i+1, len(c), rows)
		}
	}
	if weights != nil && len(weights) != rows {
		return runtime.Data{}, fmt.Errorf("there are %d weights of %d rows", len(weights), rows)
	}
	values := make([]float64, 0, rows*len(columns))
	for i := range rows {
		for _, c := range columns {
			values = append(values, c[i])
		}
	}
	return runtime.Data{Values: values, Columns: len(columns), Weights: slices.Clone(weights)}, nil
}
