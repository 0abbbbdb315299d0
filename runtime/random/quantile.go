package random

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime/special"
)

// UniformQuantile is the quantile function of Uniform, for u between 0 and 1, as in all of these.
func UniformQuantile(u, low, high float64) float64 { return low + (high-low)*u }

// NormalQuantile is the quantile function of Normal.
func NormalQuantile(u, mean, deviation float64) float64 {
	return mean + deviation*special.NormalQuantile(u)
}

// ExponentialQuantile is the quantile function of Exponential.
func ExponentialQuantile(u, rate float64) float64 { return -math.Log1p(-u) / rate }

// GammaQuantile is the quantile function of Gamma.
func GammaQuantile(u, shape, rate float64) float64 { return special.GammaQuantile(u, shape) / rate }
