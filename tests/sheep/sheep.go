// Package sheep holds the ticks on 82 sheep of Fisher (1941), the data of the paper's first experiment, and their
// maximum likelihood estimates by other programs.
package sheep

import (
	"math/rand/v2"

	"github.com/sngdgen/sngdgen/runtime"
)

// counts[k] sheep had k ticks.
var counts = []int{4, 5, 11, 10, 9, 11, 3, 5, 3, 2, 2, 5, 0, 2, 2, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 2}

// The maximum likelihood estimates of the negative binomial: the root of the profile score at 40 digits, on which
// scipy, statsmodels and R's glm.nb agree to 12 digits.
const (
	R             = 1.7774761608462538
	S             = 0.213166209956725916
	LogLikelihood = -237.961846839069226
)

// Ticks returns the number of ticks on each sheep.
func Ticks() []float64 {
	var x []float64
	for k, n := range counts {
		for range n {
			x = append(x, float64(k))
		}
	}
	return x
}

// Repeated returns n rows with the distribution of the ticks, in random order.
func Repeated(n int) []float64 {
	ticks, rng := Ticks(), rand.New(rand.NewPCG(1, uint64(n)))
	x := make([]float64, n)
	for i := range x {
		x[i] = ticks[rng.IntN(len(ticks))]
	}
	return x
}

// Starts is the number of random starts that the paper averages over.
const Starts = 10

// Start returns random start i, below Starts, of a model with the paper's distribution of starts: s from U(0.05, 0.95)
// and r from Gamma(6.25, rate 1.25). They are those of "sngdgen fit negbin --seed 1 --starts 11" after the first.
func Start(m runtime.Model, i int) ([]float64, error) {
	z := make([]float64, 2)
	k := m.Info().Starts + i
	return z, m.Start(z, k, runtime.Stream(1, "start", uint64(k)))
}
