// Package random draws from common distributions, for starting points and for samples of a model. Every function takes
// its generator first, so that the numbers depend on nothing else; runtime.Stream makes generators from a seed.
package random

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Fill fills dst with draws from a distribution with two parameters, and returns it.
func Fill(dst []float64, rng *rand.Rand, draw func(rng *rand.Rand, a, b float64) float64, a, b float64) []float64 {
	for i := range dst {
		dst[i] = draw(rng, a, b)
	}
	return dst
}

// Uniform draws from the interval [low, high).
func Uniform(rng *rand.Rand, low, high float64) float64 { return low + (high-low)*rng.Float64() }

// Normal draws from the normal distribution with the given mean and standard deviation.
func Normal(rng *rand.Rand, mean, deviation float64) float64 {
	return mean + deviation*rng.NormFloat64()
}

// Exponential draws from the exponential distribution with the given rate.
func Exponential(rng *rand.Rand, rate float64) float64 { return rng.ExpFloat64() / rate }

// Gamma draws from the gamma distribution with the given shape and rate, both positive and finite; else it is NaN.
func Gamma(rng *rand.Rand, shape, rate float64) float64 {
	if !(shape > 0 && shape <= math.MaxFloat64 && rate > 0 && rate <= math.MaxFloat64) {
		return math.NaN()
	}
	return distuv.Gamma{Alpha: shape, Beta: rate, Src: rng}.Rand()
}

// Beta draws from the beta distribution with the given positive shapes.
func Beta(rng *rand.Rand, a, b float64) float64 {
	x, y := Gamma(rng, a, 1), Gamma(rng, b, 1)
	if x+y == 0 { // tiny shapes: all mass is at the ends
		return Bernoulli(rng, a/(a+b))
	}
	return x / (x + y)
}

// Bernoulli draws 1 with the given probability, else 0.
func Bernoulli(rng *rand.Rand, p float64) float64 {
	if rng.Float64() < p {
		return 1
	}
	return 0
}

// Poisson draws from the Poisson distribution with the given mean, which may be 0; where that is negative or not
// finite it is NaN. Small means: count exponential gaps. Others: transformed rejection (Hörmann, Insurance: Mathematics and Economics 12, 1993, algorithm PTRS). gonum's
// version of the latter, as of v0.17, never lets a 0 pass its second stage, so it is not used here.
func Poisson(rng *rand.Rand, mean float64) float64 {
	if !(mean >= 0 && mean <= math.MaxFloat64) {
		return math.NaN()
	}
	if mean < 10 {
		n := 0.0
		for t := rng.ExpFloat64(); t < mean; t += rng.ExpFloat64() {
			n++
		}
		return n
	}
	b := 0.931 + 2.53*math.Sqrt(mean)
	a := -0.059 + 0.02483*b
	scale := 1.1239 + 1.1328/(b-3.4)
	squeeze := 0.9277 - 3.6224/(b-2)
	for {
		u, v := rng.Float64()-0.5, rng.Float64()
		us := 0.5 - math.Abs(u)
		k := math.Floor((2*a/us+b)*u + mean + 0.43)
		if us >= 0.07 && v <= squeeze {
			return k
		}
		if k < 0 || us < 0.013 && v > us {
			continue
		}
		lg, _ := math.Lgamma(k + 1)
		if math.Log(v*scale/(a/(us*us)+b)) <= k*math.Log(mean)-mean-lg {
			return k
		}
	}
}

// Binomial draws the number of successes in so many trials with the given probability; it is NaN where the trials are no whole number from 0
// to 2^53, or the probability is not between 0 and 1. Many trials are halved: the middle one of as many uniform numbers has a beta
// distribution, and the others are on both sides of it (Ahrens and Dieter, Computing 12, 1974).
func Binomial(rng *rand.Rand, trials, p float64) float64 {
	if !(trials >= 0 && trials <= 1<<53 && trials == math.Trunc(trials) && p >= 0 && p <= 1) {
		return math.NaN()
	}
	sum := 0.0
	for trials > 16 {
		lower := math.Floor(trials/2) + 1 // which of the uniform numbers in order
		upper := trials + 1 - lower
		if x := Beta(rng, lower, upper); x >= p {
			trials, p = lower-1, math.Min(p/x, 1)
		} else {
			sum += lower
			trials, p = upper-1, math.Min((p-x)/(1-x), 1)
		}
	}
	for range int(trials) {
		sum += Bernoulli(rng, p)
	}
	return sum
}

// Share draws what an entry takes of what the entries before it have left of so many trials: each of those with the given probability. So
// counts in several categories are drawn, by the probability of each among those that are left.
func Share(rng *rand.Rand, trials, p float64, before ...float64) float64 {
	for _, x := range before {
		trials -= x
	}
	return Binomial(rng, trials, p)
}

// Angle draws from -pi to pi with a density proportional to exp(concentration*cos(x)): that of a direction in two dimensions, on either side of
// the mean. It is NaN where the concentration is not positive and finite.
func Angle(rng *rand.Rand, concentration float64) float64 {
	if !(concentration > 0) {
		return math.NaN()
	}
	x := 2 * math.Asin(math.Sqrt(Versine(rng, concentration, 2)/2))
	if rng.Uint64()&1 == 0 {
		return -x
	}
	return x
}

// mostDimensions is how many dimensions there may be: of more, rounding decides whether Versine accepts, and it need not end.
const mostDimensions = 1e15

// Versine draws 1 - cos of the angle to the mean direction, of a direction in so many dimensions, 2 or more, whose density is proportional to
// exp(concentration*cos): a number v from 0 to 2, with a density proportional to exp(-concentration*v) (v (2 - v))^((dimensions - 3)/2). It is NaN
// where the concentration is negative or not finite, or where there are fewer dimensions, or more than 1e15. The method is rejection from the envelope of Ulrich
// (Applied Statistics 33, 1984) as Wood has mended it (Communications in Statistics - Simulation and Computation 23, 1994, algorithm VM*), in terms of
// 1 - cos, so that nothing cancels where the concentration is large.
func Versine(rng *rand.Rand, concentration, dimensions float64) float64 {
	m := dimensions - 1
	if !(concentration >= 0 && concentration <= math.MaxFloat64 && m >= 1 && dimensions <= mostDimensions) {
		return math.NaN()
	}
	kappa := math.Min(concentration, 1e300) // where the angle is 0 but for rounding
	b := m / (2*kappa + math.Hypot(2*kappa, m))
	middle := 2 * b / (1 + b) // 1 - x0 of Wood
	for {
		x, y := Gamma(rng, m/2, 1), Gamma(rng, m/2, 1)
		v := 2 * b * (x / (y + b*x))
		ratio := (middle + v - middle*v) / (middle * (2 - middle))
		if kappa*(middle-v)+m*math.Log(ratio) >= -rng.ExpFloat64() {
			return math.Min(v, 2)
		}
	}
}

// Index draws an index with the given probabilities, which sum to 1: one of a component of a mixture.
func Index(rng *rand.Rand, probabilities []float64) int {
	u := rng.Float64()
	for i, p := range probabilities {
		if u -= p; u < 0 {
			return i
		}
	}
	return len(probabilities) - 1 // rounding
}
