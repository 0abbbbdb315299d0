package optima_test

import (
	"math"
	"slices"
)

// sample is a weighted data set of numbers.
type sample struct{ x, w []float64 }

func (s sample) mean(f func(float64) float64) float64 {
	sum, n := 0.0, 0.0
	for i, x := range s.x {
		sum += s.w[i] * f(x)
		n += s.w[i]
	}
	return sum / n
}

func identity(x float64) float64 { return x }

func normal(s sample) []float64 {
	mu := s.mean(identity)
	return []float64{mu, s.mean(func(x float64) float64 { return (x - mu) * (x - mu) })}
}

// gamma: digamma(alpha) - log(alpha) = mean(log x) - log(mean x).
func gamma(s sample) []float64 {
	mean := s.mean(identity)
	want := s.mean(math.Log) - math.Log(mean)
	alpha := root(1e-3, 1e5, func(a float64) float64 { return psi(a) - math.Log(a) - want })
	return []float64{alpha, alpha / mean}
}

// inverseGamma: 1/x is gamma distributed.
func inverseGamma(s sample) []float64 {
	inverse := slices.Clone(s.x)
	for i, x := range inverse {
		inverse[i] = 1 / x
	}
	return gamma(sample{inverse, s.w})
}

// beta: psi(a) - psi(a + b) = mean(log x), psi(b) - psi(a + b) = mean(log(1 - x)), the second solved for b inside.
func beta(s sample) []float64 {
	m1, m2 := s.mean(math.Log), s.mean(func(x float64) float64 { return math.Log1p(-x) })
	second := func(a float64) float64 {
		return root(1e-3, 1e4, func(b float64) float64 { return psi(b) - psi(a+b) - m2 })
	}
	a := root(1e-2, 1e3, func(a float64) float64 { return psi(a) - psi(a+second(a)) - m1 })
	return []float64{a, second(a)}
}

// negbin: s = r/(r + mean), and the profile score in r.
func negbin(s sample) []float64 {
	mean := s.mean(identity)
	r := root(1e-3, 1e4, func(r float64) float64 {
		return s.mean(func(x float64) float64 {
			sum := 0.0
			for k := range int(x) {
				sum += 1 / (r + float64(k))
			}
			return sum
		}) + math.Log(r/(r+mean))
	})
	return []float64{r, r / (r + mean)}
}

// locationScale is the EM algorithm for Student's t with known nu, to its fixed point.
func locationScale(s sample, nu float64) (mu, sigma float64) {
	mu, sigma2 := s.mean(identity), 1.0
	for range 10000 {
		weight := func(x float64) float64 { return (nu + 1) / (nu + (x-mu)*(x-mu)/sigma2) }
		next := s.mean(func(x float64) float64 { return weight(x) * x }) / s.mean(weight)
		next2 := s.mean(func(x float64) float64 { return weight(x) * (x - next) * (x - next) })
		done := math.Abs(next-mu) <= 1e-15*math.Sqrt(sigma2) && math.Abs(next2/sigma2-1) <= 1e-15
		if mu, sigma2 = next, next2; done {
			break
		}
	}
	return mu, math.Sqrt(sigma2)
}

// studentT: the profile score in nu.
func studentT(s sample) []float64 {
	var mu, sigma float64
	nu := root(2.01, 1e3, func(nu float64) float64 {
		mu, sigma = locationScale(s, nu)
		return psi((nu+1)/2) - psi(nu/2) - 1/nu + s.mean(func(x float64) float64 {
			q := (x - mu) * (x - mu) / (sigma * sigma)
			return (nu+1)*q/(nu*(nu+q)) - math.Log1p(q/nu)
		})
	})
	mu, sigma = locationScale(s, nu)
	return []float64{mu, sigma, nu}
}

// root bisects between positive numbers, on the logarithmic scale.
func root(low, high float64, f func(float64) float64) float64 {
	a, b := math.Log(low), math.Log(high)
	rising := f(high) > 0
	if f(low) > 0 == rising {
		return math.NaN()
	}
	for range 60 {
		if m := (a + b) / 2; f(math.Exp(m)) > 0 == rising {
			b = m
		} else {
			a = m
		}
	}
	return math.Exp((a + b) / 2)
}

// psi is the digamma function, by its recurrence and its asymptotic series (DLMF 5.5.2 and 5.11.2).
func psi(x float64) float64 {
	sum := 0.0
	for ; x < 30; x++ {
		sum -= 1 / x
	}
	y := 1 / (x * x)
	return sum + math.Log(x) - 1/(2*x) - y*(1./12-y*(1./120-y*(1./252-y*(1./240-y/132))))
}
