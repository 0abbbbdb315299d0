package estimate_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// rotated is a quadratic form of 301 parameters in units from 0.01 to 100, with curvatures from 1 to 100 along axes that are those
// of no coordinate, and one that is given. It counts its gradients.
func rotated(least float64, calls *atomic.Int64) func(g, x []float64) float64 {
	const n = 301
	rng := rand.New(rand.NewPCG(7, 7))
	mirror, unit, curvature := make([]float64, n), make([]float64, n), make([]float64, n)
	length := 0.0
	for i := range mirror {
		mirror[i] = rng.NormFloat64()
		length += mirror[i] * mirror[i]
		unit[i] = math.Pow(10, 4*rng.Float64()-2)
		curvature[i] = math.Pow(10, 2*rng.Float64())
	}
	curvature[n/2] = least
	reflected := func(x []float64) []float64 {
		dot := 0.0
		for i := range x {
			dot += mirror[i] * x[i]
		}
		out := make([]float64, n)
		for i := range x {
			out[i] = x[i] - 2*dot*mirror[i]/length
		}
		return out
	}
	return func(g, x []float64) float64 {
		calls.Add(1)
		y := make([]float64, n)
		for i := range y {
			y[i] = x[i] / unit[i]
		}
		y = reflected(y)
		f := 0.0
		for i := range y {
			f += curvature[i] * y[i] * y[i] / 2
			y[i] *= curvature[i]
		}
		for i, v := range reflected(y) {
			g[i] = v / unit[i]
		}
		return f
	}
}

// A saddle point is seen where there are too many parameters for all second derivatives, and no maximum is taken for one.
func TestSaddleOfMany(t *testing.T) {
	for _, c := range []struct {
		least float64
		want  runtime.Status
	}{{-1, runtime.SaddlePoint}, {-0.03, runtime.SaddlePoint}, {0.03, runtime.GradientConverged}, {1, runtime.GradientConverged}} {
		var calls atomic.Int64
		rep, err := estimate.Find(t.Context(), &sheet{301, rotated(c.least, &calls)}, estimate.Settings{Method: "sngd"})
		if err != nil || rep.Status != c.want {
			t.Errorf("curvature %v: %v, %v", c.least, rep.Status, err)
		}
		calls.Store(0)
		way, err := estimate.DownhillOfMany(t.Context(), &sheet{301, rotated(c.least, &calls)}, make([]float64, 301), 1)
		if n := calls.Load(); err != nil || (way != nil) != (c.least < 0) || n > 300 {
			t.Errorf("curvature %v: %d gradients, %v", c.least, n, err)
		}
	}
}

// Components that are all alike are a saddle point of 461 parameters of data with two groups, from which the way leads down; the
// maximum, where the components are the groups, is none.
func TestSaddleOfMixture(t *testing.T) {
	const n, d = 2000, 20
	rng := rand.New(rand.NewPCG(3, 4))
	x := make([]float64, n*d)
	for i := range x {
		if x[i] = rng.NormFloat64(); i/d%2 == 0 {
			x[i] = 4 + 3*x[i]
		}
	}
	newModel, _ := generated.Lookup("mvnormalmix")
	m := newModel()
	if err := m.(runtime.Mixture).SetComponents(2); err != nil {
		t.Fatal(err)
	}
	if err := m.SetData(runtime.Data{Values: x, Columns: d}); err != nil {
		t.Fatal(err)
	}
	// moments are those of every step-th row.
	moments := func(from, step int) (mean, cov []float64) {
		mean, cov = make([]float64, d), make([]float64, d*d)
		share := float64(step) / n
		for i := from; i < n; i += step {
			for j := range d {
				mean[j] += x[i*d+j] * share
			}
		}
		for i := from; i < n; i += step {
			for j := range d {
				for k := range d {
					cov[j*d+k] += (x[i*d+j] - mean[j]) * (x[i*d+k] - mean[k]) * share
				}
			}
		}
		return mean, cov
	}
	mean, cov := moments(0, 1)
	alike := slices.Concat([]float64{0.5, 0.5}, mean, mean, cov, cov)
	mean0, cov0 := moments(0, 2)
	mean1, cov1 := moments(1, 2)
	apart := slices.Concat([]float64{0.5, 0.5}, mean0, mean1, cov0, cov1) // the maximum, as no row is in doubt
	for _, theta := range [][]float64{alike, apart} {
		way, err := estimate.DownhillOfMany(t.Context(), m, theta, 0)
		if err != nil {
			t.Fatal(err)
		}
		if saddle := &theta[0] == &alike[0]; saddle != (way != nil) {
			t.Fatalf("a saddle point: %v, a way down: %v", saddle, way != nil)
		}
		if way == nil {
			continue
		}
		there, g := make([]float64, len(theta)), make([]float64, len(theta))
		for i := range there {
			there[i] = theta[i] + way[i]
		}
		f := m.(runtime.Objective)
		if fall := f.ThetaGradient(g, theta) - f.ThetaGradient(g, there); !(fall > 1e-3) {
			t.Errorf("the way leads down by %v", fall)
		}
	}
}
