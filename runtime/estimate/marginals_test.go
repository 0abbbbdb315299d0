package estimate_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	_ "github.com/sngdgen/sngdgen/internal/testseed"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// TestQuantilesOfNormal: quantiles, intervals and correlations of a normal posterior are the exact ones, since the random numbers of
// the draws are matched and their linear function is a control.
func TestQuantilesOfNormal(t *testing.T) {
	m := fitfixture.NewRegression(regressionData())
	mean, covariance := exact(t, m)
	a, err := estimate.Approximate(t.Context(), m, &estimate.Settings{Level: 0.8})
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want, scale float64) {
		if !(math.Abs(got-want) < 1e-4*scale) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	p := a.Posterior
	probabilities := []float64{0.05, 0.5, 0.95}
	if len(p.Quantiles) != len(probabilities) || p.Level != 0.8 {
		t.Fatalf("%+v", p)
	}
	for j := range mean {
		sd := math.Sqrt(covariance.At(j, j))
		at := func(q float64) float64 { return mean[j] + sd*distuv.UnitNormal.Quantile(q) }
		for i, q := range probabilities {
			near("quantile", p.Quantiles[i].Values[0].Entries[j], at(q), sd)
		}
		near("low end", p.Interval[0].Lows[j], at(0.1), sd)
		near("high end", p.Interval[0].Highs[j], at(0.9), sd)
		for k := range mean {
			near("correlation", float64(p.Correlation[j][k]), covariance.At(j, k)/(sd*math.Sqrt(covariance.At(k, k))), 1)
		}
	}
}

// TestControlledQuantiles: of numbers that are functions of normal ones, increasing or not, the error of the quantiles is no larger
// than that of the sample quantiles, and for all but the least like their linear part much smaller.
func TestControlledQuantiles(t *testing.T) {
	const n, samples = 2000, 60
	for _, c := range []struct {
		name     string
		f        func(e, other float64) float64
		quantile func(p float64) float64
		gain     float64 // of the root mean square of the errors, at least
	}{
		{"normal", func(e, _ float64) float64 { return 3 - 2*e }, distuv.Normal{Mu: 3, Sigma: 2}.Quantile, 1e6},
		{"log-normal", func(e, _ float64) float64 { return math.Exp(0.5 * e) }, distuv.LogNormal{Sigma: 0.5}.Quantile, 10},
		{"with noise that is no control", func(e, o float64) float64 { return e + 0.3*o }, distuv.Normal{Sigma: math.Hypot(1, 0.3)}.Quantile, 1.2},
		{"square", func(e, _ float64) float64 { return e * e }, distuv.ChiSquared{K: 1}.Quantile, 0.9},
	} {
		for _, p := range []float64{0.05, 0.5, 0.95} {
			var plain, controlled float64
			for s := range samples {
				rng := runtime.Stream(uint64(s), c.name)
				e, x := make([]float64, n), make([]float64, n)
				for i := range e {
					e[i] = rng.NormFloat64()
					x[i] = c.f(e[i], rng.NormFloat64())
				}
				want := c.quantile(p)
				plain += square(estimate.QuantilesOf(x, 1, nil, nil, []float64{p})[0][0] - want)
				noise := []runtime.Noise{{Values: e, Length: 1, Spherical: true}}
				controlled += square(estimate.QuantilesOf(x, 1, nil, noise, []float64{p})[0][0] - want)
			}
			if !(math.Sqrt(plain) > c.gain*math.Sqrt(controlled)) {
				t.Errorf("%s, quantile of %v: error %v, with the control %v", c.name, p, math.Sqrt(plain/samples), math.Sqrt(controlled/samples))
			}
		}
	}
}

func square(x float64) float64 { return x * x }

// TestWeightedQuantiles: rows that count k times are k rows; equal weights are none; and quantiles rise with the probability.
func TestWeightedQuantiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-5, 5), 2, 40).Draw(t, "x")
		p := rapid.SliceOfN(rapid.Float64Range(0.001, 0.999), 2, 6).Draw(t, "p")
		slices.Sort(p)
		equal := make([]float64, len(x))
		for i := range equal {
			equal[i] = 1 / float64(len(x))
		}
		plain, weighted := estimate.QuantilesOf(x, 1, nil, nil, p), estimate.QuantilesOf(x, 1, equal, nil, p)
		for i := range p {
			if !(math.Abs(plain[i][0]-weighted[i][0]) < 1e-9) {
				t.Fatalf("quantile of %v is %v, with equal weights %v", p[i], plain[i], weighted[i])
			}
			if i > 0 && plain[i][0] < plain[i-1][0] {
				t.Fatalf("quantiles %v of %v", plain, p)
			}
			if low, high := slices.Min(x), slices.Max(x); plain[i][0] < low || plain[i][0] > high {
				t.Fatalf("quantile %v is outside of [%v, %v]", plain[i], low, high)
			}
		}
	})
}
