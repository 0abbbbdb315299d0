// Package librarytest gives tests models of every problem of the library, compiled in or not, and data for each of them.
package librarytest

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/engine"
	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/modeltest"
	"github.com/sngdgen/sngdgen/spec"
)

// Names are the problems of the library.
func Names() []string { return spec.Library().Problems() }

// Model returns what makes models of a problem: its package, or the engine where it has none, as the command runs it.
func Model(t testing.TB, name string) func() runtime.Model {
	t.Helper()
	if compiled, ok := generated.Lookup(name); ok {
		return compiled
	}
	return Interpreted(t, name)
}

// derived is what the engine has made of problems, since derivation takes longer than most tests of a model.
var derived sync.Map

// Interpreted returns what makes interpreted models of a problem.
func Interpreted(t testing.TB, name string) func() runtime.Model {
	t.Helper()
	if m, ok := derived.Load(name); ok {
		return m.(func() runtime.Model)
	}
	p := spec.Library().Problem(name)
	if p == nil {
		t.Fatalf("no problem %s in the library", name)
	}
	m, diags, unsupported := engine.Interpreted(context.Background(), p, gen.Options{Source: p.Source.Name})
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	if unsupported != nil {
		t.Fatalf("%s: %v", name, unsupported)
	}
	derived.Store(name, m)
	return m
}

// Data are rows for a model: of a likelihood drawn from its target, with what is given drawn too, of a posterior of the types of its data, such
// that every level of an index occurs; dimensions that nothing else says are of a length.
func Data(t testing.TB, m runtime.Model, rows, length int) runtime.Data {
	t.Helper()
	if m.Info().Data != nil {
		return modeltest.DataOf(m, length, rows, rand.New(rand.NewPCG(5, 6)))
	}
	var set []estimate.Value
	if m.Unconstrained() == nil {
		for i := range m.Info().Parameters {
			if p := &m.Info().Parameters[i]; p.Shape == nil && p.Type.Entry.Contains(5) {
				set = append(set, estimate.Value{Name: p.Name, Value: 5})
			}
		}
	} else {
		u := m.Unconstrained()
		theta, x := make([]float64, len(m.Info().Parameters)), make([]float64, u.Dim())
		for i := range x {
			x[i] = 0.5
		}
		u.Theta(theta, x)
		for i, p := range m.Info().Parameters {
			set = append(set, estimate.Value{Name: p.Name, Value: theta[i]})
		}
	}
	request := estimate.SampleRequest{Rows: rows, Seed: 1, Set: set, Fallback: length, Spread: true}
	if m.Info().Components != "" {
		request.Components = 2
	}
	if _, ok := m.(runtime.Sampler); ok {
		draws, err := estimate.Sample(m, request)
		if err != nil {
			t.Fatal(err)
		}
		d := runtime.Data{Values: draws.Values, Columns: len(draws.Columns)}
		if one := m.Clone(); estimate.Load(one, d, request.Components) == nil { // these parameters may be outside the domain
			return d
		}
	}
	return modeltest.Rows(sized(t, m, length), rows, rand.New(rand.NewPCG(5, 6)))
}

// sized is a model whose dimensions have a length, of a mixture of two components.
func sized(t testing.TB, m runtime.Model, length int) runtime.Model {
	t.Helper()
	out := m.Clone()
	if mix, ok := out.(runtime.Mixture); ok && out.Info().Components != "" {
		if err := mix.SetComponents(2); err != nil {
			t.Fatal(err)
		}
	}
	sizes := slices.Repeat([]int{length}, len(out.Info().Dims))
	if out.Info().Components != "" {
		sizes[len(sizes)-1] = 2
	}
	if len(sizes) > 0 {
		if err := out.Resize(sizes); err != nil {
			t.Fatal(err)
		}
	}
	return out
}
