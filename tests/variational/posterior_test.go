package variational_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/tests/sampler"
)

// clusters are 30 rows of two normal clusters, as in section 8.4 of Murphy (2012), Machine learning: a probabilistic
// perspective, with the centres given.
func clusters(zero, one []float64) [][]float64 {
	rng := runtime.Stream(2, "clusters")
	var rows [][]float64
	for i := range 30 {
		y, centre := 0.0, zero
		if i%2 == 0 {
			y, centre = 1, one
		}
		rows = append(rows, []float64{centre[0] + rng.NormFloat64(), centre[1] + rng.NormFloat64(), y})
	}
	return rows
}

// free is a distribution in unconstrained coordinates: the location, the entries of the root of the scale matrix, those on
// the diagonal as logarithms, and the slant.
func free(d int, u []float64) distribution {
	l := mat.NewDense(d, d, nil)
	k := d
	for i := range d {
		for j := range i + 1 {
			if l.Set(i, j, u[k]); i == j {
				l.Set(i, j, math.Exp(u[k]))
			}
			k++
		}
	}
	scale := mat.NewSymDense(d, nil)
	scale.SymOuterK(1, l)
	return distribution{append([]float64(nil), u[:d]...), scale, slantOf(u[k:])}
}

// highest is the largest bound of the family, by quasi-Newton steps on the quadrature.
func highest(t *testing.T, p density, d int, skew bool) (distribution, float64) {
	t.Helper()
	u := make([]float64, d+d*(d+1)/2)
	if skew {
		for range d {
			u = append(u, 0.2)
		}
	}
	f := func(u []float64) float64 { return -free(d, u).bound(p, 0.5) }
	r, err := optimize.Minimize(optimize.Problem{
		Func: f, Grad: func(g, u []float64) { fd.Gradient(g, f, u, &fd.Settings{Formula: fd.Central}) },
	}, u, &optimize.Settings{GradientThreshold: 1e-5}, &optimize.BFGS{})
	if err != nil {
		t.Fatal(err)
	}
	return free(d, r.X), free(d, r.X).bound(p, 0.25)
}

// moments are the mean and the covariance of q (Azzalini and Capitanio 2014, equations 5.31 and 5.32).
func (q distribution) moments() ([]float64, *mat.SymDense) {
	d := len(q.location)
	mean, covariance := append([]float64(nil), q.location...), mat.NewSymDense(d, nil)
	covariance.CopySym(q.scale)
	if q.slant == nil {
		return mean, covariance
	}
	shift, square := times(q.scale, q.slant), 1.0
	for i, x := range shift {
		square += x * q.slant[i]
	}
	for i, x := range shift {
		mean[i] += x / math.Sqrt(square) * math.Sqrt(2/math.Pi)
	}
	covariance.SymRankOne(covariance, -2/(math.Pi*square), mat.NewVecDense(d, shift))
	return mean, covariance
}

// fitted is a family on the data of a case: how far the bound of the fit may be below the highest, where the run ends by
// itself and where it is long; how far the moments may be from those of the posterior, in standard deviations.
type fitted struct {
	problem          string
	short, long      float64
	mean, covariance float64
}

// TestLogisticPosterior: the fit is the best of its family, below the evidence, and its moments are near those of the
// posterior, the skew-normal ones nearer where the posterior is skewed.
func TestLogisticPosterior(t *testing.T) {
	for _, c := range []struct {
		name      string
		zero, one []float64
		families  []fitted
		gain      float64 // of the bound by the slant
	}{
		{"nearly normal", []float64{1, 1}, []float64{1, 5}, []fitted{
			{"logistic", 0.001, 0.0005, 0.07, 0.11}, {"logisticskew", 0.02, 0.01, 0.07, 0.11}}, -0.001},
		// a plane between the clusters: how steep the probability is depends on the prior
		{"skewed", []float64{-2, 1}, []float64{2, 2}, []fitted{
			{"logistic", 0.001, 0.0005, 0.05, 0.2}, {"logisticskew", 0.006, 0.001, 0.05, 0.11}}, 0.015},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rows := clusters(c.zero, c.one)
			p := logisticDensity(rows, nil)
			start, _ := highest(t, p, 2, false)
			mean, covariance, err := sampler.Metropolis(p, start.location, start.scale, 200_000, runtime.Stream(3, "posterior"))
			if err != nil {
				t.Fatal(err)
			}
			total := evidence(p, distribution{start.location, symmetric(2, []float64{1, 0, 0, 1}), nil}, 0.1)
			var bounds []float64
			for _, f := range c.families {
				bounds = append(bounds, f.compare(t, rows, total, mean, covariance))
			}
			if gain := bounds[1] - bounds[0]; !(gain > c.gain) {
				t.Errorf("the bound rises by %v with a slant", gain)
			}
		})
	}
}

// ofMoments is the skew-normal distribution with a mean, a covariance matrix and a slant of the library's approximation.
func ofMoments(mean []float64, covariance *mat.SymDense, eta []float64) distribution {
	along := times(covariance, eta)
	t := floats.Dot(eta, along)
	root := math.Sqrt(1 + (1-2/math.Pi)*t)
	q := distribution{slices.Clone(mean), mat.NewSymDense(len(eta), nil), slices.Clone(eta)}
	floats.AddScaled(q.location, -math.Sqrt(2/math.Pi)/root, along)
	q.scale.SymRankOne(covariance, 2/math.Pi/(root*root), mat.NewVecDense(len(eta), along))
	floats.Scale(root/math.Sqrt(1+t), q.slant)
	return q
}

// compare fits the family, and returns the bound where the run ended by itself, by quadrature.
func (f fitted) compare(
	t *testing.T, rows [][]float64, total float64, mean []float64, covariance *mat.SymDense,
) (short float64) {
	t.Helper()
	p := logisticDensity(rows, nil)
	_, best := highest(t, p, 2, f.problem == "logisticskew")
	if !(best < total) {
		t.Errorf("%s: bound %v, evidence %v", f.problem, best, total)
	}
	newModel, _ := generated.Lookup(f.problem)
	for seed, steps := range []int{0, 0, 0, 16_000} {
		r := estimate.Settings{Seed: uint64(seed), Stochastic: estimate.Stochastic{Steps: steps}}
		m := newModel().(runtime.Variational)
		if err := estimate.Load(m, dataOf(rows, nil), 0); err != nil {
			t.Fatal(err)
		}
		a, err := estimate.Approximate(t.Context(), m, &r)
		if err != nil || !a.Complete() || len(a.Warnings) > 0 {
			t.Fatal(err, a)
		}
		q := distribution{a.Parameters[0].Entries, symmetric(2, a.Parameters[1].Entries), nil}
		if len(a.Parameters) > 2 {
			q = ofMoments(q.location, q.scale, a.Parameters[2].Entries)
		}
		bound, below := q.bound(p, 0.25), f.short
		if short == 0 {
			short = bound
		}
		if steps > 0 {
			below = f.long
		}
		if !(bound > best-below && bound < best+1e-4) {
			t.Errorf("%s: bound %v, the highest is %v", f.problem, bound, best)
		}
		e, margin := a.ELBO, 5*float64(a.ELBO.StandardError)
		if !(math.Abs(float64(e.Mean)-bound) < margin) || !(margin < 0.1) {
			t.Errorf("%s: bound %+v, exactly %v", f.problem, e, bound)
		}
		if e.Ratios == estimate.RatiosReliable && !(math.Abs(float64(e.LogEvidence)-total) < 0.05) {
			t.Errorf("%s: %+v, evidence %v", f.problem, e, total)
		}
		own, ownCovariance := q.moments()
		compareMoments(t, f.problem+", draws", a, own, ownCovariance, 0.02, 0.03)
		compareMoments(t, f.problem, a, mean, covariance, f.mean, f.covariance)
	}
	return short
}
