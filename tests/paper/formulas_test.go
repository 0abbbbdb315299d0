package main

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/tests/sheep"
)

// TestDensities: the densities that are drawn integrate to 1, the copula along each line.
func TestDensities(t *testing.T) {
	gammas := []float64{0.3, 0.7, 4, 9, 0.2, 0.5} // weights, r, s
	if mass := quad.Fixed(func(x float64) float64 { return gammaMixture(x, gammas) }, 0, 200, 2000, nil, 0); !(math.Abs(mass-1) < 1e-4) {
		t.Errorf("the mixture of gammas has the mass %v", mass)
	}
	for _, u := range []float64{0.1, 0.5, 0.97} {
		line := quad.Fixed(func(v float64) float64 { return copulaDensity(u, v, -0.6, 4) }, 0, 1, 400, nil, 0)
		if !(math.Abs(line-1) < 1e-3) {
			t.Errorf("the copula has the mass %v at %v", line, u)
		}
	}
	theta := []float64{0.4, 0.6, 0, 1, -1, 0.5, 1, 0.3, 0.3, 2, 0.5, -0.1, -0.1, 0.7, 3, -1, 0.5, 2}
	for _, skew := range []bool{false, true} {
		mass := 0.0
		const h = 0.05
		for x := -8.0; x < 8; x += h {
			for y := -9.0; y < 9; y += h {
				mass += mixtureDensity(theta, 2, skew, x, y) * h * h
			}
		}
		if !(math.Abs(mass-1) < 1e-6) {
			t.Errorf("the mixture in the plane has the mass %v", mass)
		}
	}
}

// TestKendall by hand.
func TestKendall(t *testing.T) {
	if tau := kendall([]float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}); math.Abs(tau-4./6) > 1e-15 {
		t.Error(tau)
	}
	if i, j := strongest([]float64{1, 0.1, -0.8, 0.1, 1, 0.3, -0.8, 0.3, 1}, 3); i != 0 || j != 2 {
		t.Error(i, j)
	}
}

// TestLandscape: the optimum is that of the tables, the divergence is an integral, and both Fisher matrices are second derivatives of
// divergences.
func TestLandscape(t *testing.T) {
	g, err := newLandscape()
	if err != nil {
		t.Fatal(err)
	}
	if loss := g.loss(g.optimum[0], g.optimum[1]); math.Abs(loss-sheepOptimum) > 1e-12 {
		t.Errorf("the loss at the optimum is %v, not %v", loss, sheepOptimum)
	}
	at := [2]float64{1.2, 7.5}
	alpha, beta := gammaOf(g.m, at[:])
	want := quad.Fixed(func(x float64) float64 {
		p := gammaDensity(x, g.alpha, g.beta)
		return p * math.Log(p/gammaDensity(x, alpha, beta))
	}, 0, 150, 4000, nil, 0)
	if got := g.divergence(at[0], at[1]); math.Abs(got-want) > 1e-5 {
		t.Errorf("the divergence is %v, by quadrature %v", got, want)
	}
	// The divergence from its own optimum has the Fisher matrix there as second derivative.
	const h = 1e-3
	f := g.surrogateFisher(g.optimum[0], g.optimum[1])
	second := (g.divergence(g.optimum[0]+h, g.optimum[1]) + g.divergence(g.optimum[0]-h, g.optimum[1])) / (h * h)
	if math.Abs(second/f.At(0, 0)-1) > 1e-3 {
		t.Errorf("the second derivative of the divergence is %v, the Fisher information %v", second, f.At(0, 0))
	}
	// In r and s the Fisher information of s is r/(s^2 (1 - s)): along the curve in m1, m2 on which r does not change.
	s := g.beta
	move := func(s float64) [2]float64 { return gammaMeans(sheep.R*(1-s), s) }
	up, down := move(s+1e-6), move(s-1e-6)
	d := []float64{(up[0] - down[0]) / 2e-6, (up[1] - down[1]) / 2e-6}
	v := mat.NewVecDense(2, d)
	if got, want := mat.Inner(v, g.targetFisher(g.optimum[0], g.optimum[1]), v), sheep.R/(s*s*(1-s)); math.Abs(got/want-1) > 1e-6 {
		t.Errorf("the Fisher information of s is %v, not %v", got, want)
	}
}

// TestEllipse: the edge of a ball is where the metric says, and the area between its curves has the same ends.
func TestEllipse(t *testing.T) {
	f := mat.NewSymDense(2, []float64{2, 0.7, 0.7, 1})
	for _, d := range edge(f, 0.3, 40) {
		if math.Abs(norm(f, d)-0.3) > 1e-12 {
			t.Errorf("%v is at a distance of %v", d, norm(f, d))
		}
	}
	x, low, high := ellipseBand([2]float64{1, 2}, f, 0.3)
	for i := range x {
		for _, y := range []float64{low[i], high[i]} {
			if d := norm(f, [2]float64{x[i] - 1, y - 2}); math.Abs(d-0.3) > 1e-9 {
				t.Errorf("%v, %v is at a distance of %v", x[i], y, d)
			}
		}
	}
	if got := relative(f, mat.NewSymDense(2, []float64{4, 1.4, 1.4, 2})); math.Abs(got[0]-2) > 1e-12 || math.Abs(got[1]-2) > 1e-12 {
		t.Errorf("the eigenvalues are %v", got)
	}
}

// TestHistogram: bars have the area 1, and the area in common is that of the data under their own histogram.
func TestHistogram(t *testing.T) {
	p, inside := histogram("a", "a", "x", []float64{0, 0, 1, 3}, 1, func(x float64) float64 { return 0.25 })
	area := 0.0
	for i, h := range p.Layers[0].High {
		area += h * (p.Layers[0].To[i] - p.Layers[0].From[i])
	}
	// Half of the first bar is below 0, where nothing is drawn.
	if math.Abs(area-1) > 1e-15 || math.Abs(inside-(0.125+0.25+0.25)) > 1e-12 {
		t.Errorf("areas of %v and %v", area, inside)
	}
}
