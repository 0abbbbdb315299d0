// Package psis smooths the ratios of importance sampling (Pareto-smoothed importance sampling), and says whether to trust them.
package psis

import (
	"cmp"
	"math"
	"slices"
)

// Smooth smooths ratios for importance sampling, whose logarithms it changes in place, and returns the shape k of
// their tail: Vehtari, Simpson, Gelman, Yao and Gabry, Pareto smoothed importance sampling, JMLR 25(72), 2024, algorithm
// 1. A generalised Pareto distribution is fitted to the M = min(S/5, 3 sqrt(S)) largest of S ratios, which then become
// its quantiles at (i - 1/2)/M, i = 1 ... M, but none above the largest. The logarithms may have any constant added.
//
// A k below 1/2 means that the ratios have a variance, below 0.7 that estimates with them converge at practical rates;
// above 1 they have no mean. Where ratios are bounded k is negative; where all are equal, up to rounding, it is 0. It
// is infinite when ratios in the tail are too far apart, or too many of them equal, for a fit, and when a logarithm is
// +Inf; NaN when there are fewer than 25 ratios, when a logarithm is NaN, and when all are -Inf. Then nothing is
// changed.
func Smooth(logs []float64) (k float64) {
	order := make([]int, len(logs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(logs[a], logs[b]) })
	m := tailLength(len(logs))
	if m < minTail {
		return math.NaN()
	}
	lowest, cutoff, highest := logs[order[0]], logs[order[len(order)-m-1]], logs[order[len(order)-1]]
	switch {
	case math.IsNaN(lowest) || math.IsInf(highest, -1): // NaN is sorted first
		return math.NaN()
	case math.IsInf(highest, 1):
		return highest
	case highest-lowest <= equalLogs*(1+math.Abs(highest)):
		return 0
	}
	order = order[len(order)-m:]
	x := make([]float64, m)
	for i, at := range order {
		x[i] = excess(logs[at], cutoff, highest)
	}
	tail := fitPareto(x)
	if notFinite(tail.shape) || notFinite(tail.scale) {
		return math.Inf(1)
	}
	base := math.Exp(cutoff - highest)
	for i, at := range order {
		y := base + tail.quantile((float64(i)+0.5)/float64(m))
		logs[at] = highest + math.Min(0, math.Log(y))
	}
	return tail.shape
}

const (
	// Ratios in a tail that is fitted, at least.
	minTail = 5
	// Ratios whose logarithms differ relatively by no more than this are equal: what remains is rounding.
	equalLogs = 1e-12
)

// ShapeError is about the standard error of a shape k that Smooth has found from s ratios: that of the maximum likelihood estimate
// from a tail of M ratios, (1 + k)/sqrt(M) (Smith, Estimating tails of probability distributions, Annals of Statistics 15, 1987,
// theorem 3.2).
func ShapeError(k float64, s int) float64 {
	return math.Max(1+k, 0.5) / math.Sqrt(float64(tailLength(s)))
}

// tailLength is the number of ratios of the tail.
func tailLength(s int) int {
	n := float64(s)
	return int(math.Ceil(math.Min(n/5, 3*math.Sqrt(n))))
}

// excess is (e^log - e^cutoff)/e^highest.
func excess(log, cutoff, highest float64) float64 {
	if math.IsInf(cutoff, -1) {
		return math.Exp(log - highest)
	}
	return math.Exp(cutoff-highest) * math.Expm1(log-cutoff)
}

// pareto is the generalised Pareto distribution with the density (1 + shape x/scale)^(-1/shape - 1)/scale.
type pareto struct{ shape, scale float64 }

// quantile is the inverse of the distribution function.
func (p pareto) quantile(u float64) float64 {
	t := -math.Log1p(-u)
	if p.shape == 0 {
		return p.scale * t
	}
	return p.scale * math.Expm1(p.shape*t) / p.shape
}

// fitPareto fits to numbers in ascending order, which are positive: Zhang and Stephens, A new and efficient estimation
// method for the generalized Pareto distribution, Technometrics 51, 2009, with the prior of Vehtari et al. (2024,
// appendix G), which shrinks the shape as 10 numbers would that give 1/2. Of the parameter theta = -shape/scale, which
// Zhang and Stephens call b with the other sign, it takes the posterior mean over a grid. Shape and scale are not finite
// where the first quartile is 0.
func fitPareto(x []float64) pareto {
	n := len(x)
	grid := 30 + int(math.Sqrt(float64(n)))
	quartile, largest := x[int(float64(n)/4+0.5)-1], x[n-1]
	theta, logs := make([]float64, grid), make([]float64, grid)
	for j := range theta {
		theta[j] = 1/largest + (1-math.Sqrt(float64(grid)/(float64(j)+0.5)))/(3*quartile)
		logs[j] = float64(n) * profile(theta[j], x)
	}
	best := slices.Max(logs)
	var sum, at float64
	for j, l := range logs {
		w := math.Exp(l - best)
		sum += w
		at += w * theta[j]
	}
	at /= sum
	shape := shapeAt(at, x)
	scale := -shape / at
	if at == 0 {
		scale = Mean(x)
	}
	const prior = 10
	return pareto{(float64(n)*shape + prior*0.5) / float64(n+prior), scale}
}

// shapeAt is the likeliest shape for a given theta = -shape/scale: the mean of log(1 - theta x).
func shapeAt(theta float64, x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Log1p(-theta * v)
	}
	return sum / float64(len(x))
}

// profile is the logarithm of the likelihood of theta at that shape, for each number: log(-theta/shape) - shape - 1.
func profile(theta float64, x []float64) float64 {
	if theta == 0 {
		return -math.Log(Mean(x)) - 1
	}
	k := shapeAt(theta, x)
	return math.Log(-theta/k) - k - 1
}

// LogMeanExp is the logarithm of the mean of exponentials.
func LogMeanExp(logs []float64) float64 {
	highest := slices.Max(logs)
	if math.IsInf(highest, 0) {
		return highest
	}
	sum := 0.0
	for _, l := range logs {
		sum += math.Exp(l - highest)
	}
	return highest + math.Log(sum/float64(len(logs)))
}

func notFinite(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// Mean is the mean of x, which is not empty, taken about the first number, so that no digits are lost where all are large and alike.
func Mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v - x[0]
	}
	return x[0] + sum/float64(len(x))
}
