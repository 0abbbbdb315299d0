package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/special"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
	"github.com/sngdgen/sngdgen/tests/variational/datasets"
)

// posterior is a problem of the library with data.
type posterior struct {
	name, problem string
	data          runtime.Data
	components    int
}

// posteriors are those that are measured: of the library, on data of the rivals, on the paper's stand-in and on the forest cover types.
func (e *experiment) posteriors() ([]posterior, error) {
	var out []posterior
	add := func(name, problem string, data runtime.Data, components int) {
		if e.only == "" || names(e.only, name) {
			out = append(out, posterior{name, problem, data, components})
		}
	}
	for _, p := range []struct{ name, problem, file string }{
		{"linear", "linearregression", "linearknown"}, {"poisson", "poissonregression", "poisson"}, {"robust", "robustregression", "robust"},
		{"logistic", "logistic", "logistic"}, {"logistic skew-normal", "logisticskew", "logistic"},
	} {
		data, err := datasets.Read(filepath.Join(e.rivals, p.file+".csv"))
		if err != nil {
			return nil, err
		}
		add(p.name, p.problem, data, 0)
	}
	add("eight schools", "eightschools", datasets.EightSchools(), 0)
	add("stand-in", "logistic", standIn(100, 100), 0)
	add("stand-in skew-normal", "logisticskew", standIn(100, 100), 0)
	add("stand-in of 300", "logistic", standIn(400, 300), 0)
	if e.covertype == "" {
		return out, nil
	}
	data, err := datasets.Covertypes(e.covertype, 500)
	if err != nil {
		return nil, err
	}
	add("cover types", "logistic", data, 0)
	add("cover types skew-normal", "logisticskew", data, 0)
	add("cover types skew-t", "logisticskewt", data, 0)
	add("cover types Student's t", "logistict", data, 0)
	add("cover types 3 normals", "logisticmix", data, 3)
	add("cover types 3 skew-normals", "logisticskewmix", data, 3)
	return out, nil
}

// load returns the problem with its data.
func (p *posterior) load() (runtime.Variational, error) {
	lookup, ok := generated.Lookup(p.problem)
	if !ok {
		return nil, fmt.Errorf("the library has no %s", p.problem)
	}
	m := lookup().(runtime.Variational)
	return m, estimate.Load(m, p.data, p.components)
}

// start is a start, at random where the problem has such.
func start(m runtime.Variational, seed uint64) ([]float64, error) {
	z, which := make([]float64, grid.Dimension(m)), 0
	if m.Info().RandomStart {
		which = m.Info().Starts
	}
	return z, m.Start(z, which, runtime.Stream(seed, "start"))
}

// end is where a long run ends, near the optimum.
func end(ctx context.Context, m runtime.Variational, z []float64, steps int) ([]float64, error) {
	res, err := runtime.Descend(ctx, m, z, &runtime.Stochastic{
		MaxSteps: steps, Average: 0.5, SkipLoss: true, Seed: 7, Auxiliary: runtime.Adam{Rate: 0.01},
	})
	if err != nil {
		return nil, err
	}
	return res.Z, nil
}

// parts is the number of components of a mixture, which have draws of their own, and 1 otherwise.
func parts(m runtime.Variational) int {
	if mix, ok := m.(runtime.Mixture); ok {
		return mix.Components()
	}
	return 1
}

// normals is how many normal numbers a draw takes.
func normals(m runtime.Variational) int {
	n := 0
	for _, a := range m.Noise() {
		if a.Spherical {
			n += a.Length
		}
	}
	return n
}

// standIn is the paper's stand-in for large data: y = 1 with probability sigmoid((2x - 1)'z) for uniform x and normal z.
func standIn(n, d int) runtime.Data {
	rng := runtime.Stream(1, "stand-in")
	z := make([]float64, d)
	for j := range z {
		z[j] = rng.NormFloat64()
	}
	data := runtime.Data{Columns: d + 1}
	for range n {
		t, y := 0.0, 0.0
		for j := range d {
			x := 2*rng.Float64() - 1
			data.Values = append(data.Values, x)
			t += x * z[j]
		}
		if rng.Float64() < special.Sigmoid(t) {
			y = 1
		}
		data.Values = append(data.Values, y)
	}
	return data
}
