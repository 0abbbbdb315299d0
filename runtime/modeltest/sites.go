package modeltest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/dense"
	"github.com/sngdgen/sngdgen/runtime/ep"
	"github.com/sngdgen/sngdgen/runtime/matched"
)

// checkSites checks what a model gives expectation propagation: its factors and its quadratic part add up to the log joint density,
// and there is an approximation with given moments.
func checkSites(t *testing.T, p point) {
	m, ok := p.Model.(ep.Model)
	if !ok {
		return
	}
	d, n, rows := m.FactorSizes()
	if whole := m.Info().Variable.Len(m); d != whole || !(m.Power() >= 0 && m.Power() <= 1) {
		t.Fatalf("the factors are those of %d variables, not of %d; the power is %v", d, whole, m.Power())
	}
	a, w := make([]float64, rows*d), make([]float64, n)
	m.Coefficients(a, w)
	draws := m.Draws()
	weights, logQ, latents := make([]float64, draws), make([]float64, draws), make([]float64, draws*d)
	m.Weights(weights, p.z)
	m.LogDensities(logQ, p.z)
	m.Latents(latents, p.z)
	g, s, h := make([]float64, d), make([]float64, rows+1), []float64{0}
	for k := range draws {
		z := latents[k*d : (k+1)*d]
		joint := m.Quadratic(g, z)
		size := math.Abs(joint)
		first := 0
		for i := range n {
			seen := m.Predictors(i)
			dense.MulVec(s, a[first*d:(first+seen)*d], z, seen, d)
			first += seen
			m.FactorLogs(h, s[:seen], i)
			joint += w[i] * h[0]
			size += math.Abs(w[i] * h[0])
		}
		if want := weights[k] + logQ[k]; !(math.Abs(joint-want) <= 1e-9*(1+size+math.Abs(logQ[k]))) {
			t.Errorf("at %v the factors add up to %v, the log joint density is %v", z, joint, want)
		}
	}
	checkMoments(t, p, m, d)
	if n > 0 {
		to, at := make([]float64, ep.Portion), make([]float64, ep.Portion*m.Predictors(n-1))
		if calls := testing.AllocsPerRun(3, func() { m.FactorLogs(to, at, n-1); m.Quadratic(g, g); m.Coefficients(a, w) }); calls != 0 {
			t.Errorf("factors allocate %v times", calls)
		}
	}
}

// matchedMoments is how closely the sample moments of matched draws are those of their distribution: the second moment of a number by
// itself is that of strata, which are integrals by quadrature.
const matchedMoments = 1e-8

// checkMoments checks that draws of the approximation have the moments that it was given.
func checkMoments(t *testing.T, p point, m ep.Model, d int) {
	t.Helper()
	mean, root := make([]float64, d), make([]float64, d*d)
	for i := range d {
		mean[i] = p.rng.NormFloat64()
		for j := range i {
			root[i*d+j] = p.rng.NormFloat64() / float64(d)
		}
		root[i*d+i] = 0.5 + p.rng.Float64()
	}
	covariance := make([]float64, d*d)
	dense.MulNT(covariance, root, root, d, d, d)
	dense.Symmetrize(covariance, d)
	z := newVector(m)
	if err := m.FromMoments(z, slices.Concat(mean, covariance)); err != nil {
		t.Error(err)
		return
	}
	draws := m.Draws()
	if err := m.SetDraws(matched.Draws(m.Noise(), 4*d+4)); err != nil {
		t.Fatal(err)
	}
	matched.Fill(m.Noise(), 1, rand.New(rand.NewPCG(1, 2)))
	latents := make([]float64, m.Draws()*d)
	m.Latents(latents, z)
	found := runtime.MomentsOf(latents, d)
	for i, want := range slices.Concat(mean, covariance) {
		if got := append(slices.Clone(found.Mean), found.Covariance...)[i]; !(math.Abs(got-want) <= matchedMoments*(1+math.Abs(want))) {
			t.Errorf("moment %d of the approximation is %v, want %v", i, got, want)
		}
	}
	if err := m.FromMoments(z, make([]float64, d+d*d)); err == nil {
		t.Error("a covariance of 0 is accepted")
	}
	if err := m.SetDraws(draws); err != nil {
		t.Fatal(err)
	}
}
