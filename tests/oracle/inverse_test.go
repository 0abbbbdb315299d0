package oracle_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/special"
)

// ofMeans is the model of the Dirichlet distribution by itself, for vectors of a length.
func ofMeans(t *testing.T, k int) runtime.Model {
	t.Helper()
	newModel, ok := generated.Lookup("dirichlet")
	if !ok {
		t.Fatal("not generated")
	}
	m := newModel()
	if err := m.Resize([]int{k}); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestInverseOfMeanMapOfVectors: Newton's method finds the concentrations from their mean parameters, over many orders of
// magnitude, also where they are far apart, and at lengths past any table. What is compared is what the mean parameters
// determine: the proportions where the total is large, of which they know the reciprocal, and numbers as accurate as those
// of natural parameters alpha - 1 where it is small.
func TestInverseOfMeanMapOfVectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	for _, k := range []int{2, 3, 10, 300} {
		m := ofMeans(t, k)
		for _, scale := range []float64{1e-5, 1e-3, 0.1, 1, 10, 1e3, 1e6, 1e9} {
			for _, spread := range []float64{0, 1, 3} { // of logarithms
				want, z, got := make([]float64, k), make([]float64, k), make([]float64, k)
				total, smallest := 0.0, math.Inf(1)
				for i := range want {
					want[i] = scale * math.Exp(spread*math.Tanh(rng.NormFloat64()))
					total, smallest = total+want[i], math.Min(smallest, want[i])
				}
				for i, a := range want {
					z[i] = special.Digamma(a) - special.Digamma(total)
				}
				m.Theta(got, z)
				tolerance := 1e-12*total + 1e-14/smallest + 1e-10
				for i := range want {
					if !(math.Abs(got[i]/want[i]-1) <= tolerance) {
						t.Errorf("k = %d, scale %g, spread %g: alpha[%d] = %v, want %v", k, scale, spread, i, got[i], want[i])
						break
					}
				}
			}
		}
	}
}

// TestMeansOfNoDistribution: exp(E[log x_i]) sum to less than 1; elsewhere there is no solution, and the point is outside.
func TestMeansOfNoDistribution(t *testing.T) {
	m := ofMeans(t, 3)
	for _, z := range [][]float64{
		{math.Log(0.5), math.Log(0.3), math.Log(0.2001)}, {-0.1, -0.1, -0.1}, {0, -1, -1}, {1, -3, -3}, {-1e-300, -1e3, -1},
		{math.Inf(-1), -1, -1}, {math.NaN(), -1, -1},
	} {
		if i := m.Violation(z); i < 0 {
			t.Errorf("%v is taken for a point of the domain", z)
		}
		if v := m.Loss(z); !math.IsNaN(v) {
			t.Errorf("the loss at %v is %v", z, v)
		}
	}
}
