package dense

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime/special"
)

// Last returns 1 where i is the last of k numbers, i = k-1, and 0 elsewhere.
func Last(i, k int) float64 {
	if i == k-1 {
		return 1
	}
	return 0
}

// Padded returns x_i, and 0 for the index one past the last: k-1 free numbers as k of which the last is 0.
func Padded(x []float64, i int) float64 {
	if i == len(x) {
		return 0
	}
	return x[i]
}

// Part returns part i of those of one size that x consists of.
func Part(x []float64, i, size int) []float64 { return x[i*size : (i+1)*size] }

// LogSumExpOf returns log(sum(exp(terms))) for a few terms; see LogSumExp.
func LogSumExpOf(terms []float64) float64 {
	top := topOf(terms)
	if math.IsInf(top, 0) || math.IsNaN(top) {
		return top
	}
	sum := 0.0
	for _, t := range terms {
		sum += expNonpositive(t - top)
	}
	return top + special.Log(sum)
}

// SoftmaxOf writes exp(terms)/sum(exp(terms)) for a few terms to dst, which may be the same memory; see Softmax.
func SoftmaxOf(dst, terms []float64) []float64 {
	top, sum := topOf(terms), 0.0
	for i, t := range terms {
		dst[i] = expNonpositive(t - top)
		sum += dst[i]
	}
	for i := range terms {
		dst[i] /= sum
	}
	return dst
}

// topOf returns the largest of some numbers, -Inf of none, and NaN where one of them is.
func topOf(terms []float64) float64 {
	top := math.Inf(-1)
	for _, t := range terms {
		top = math.Max(top, t)
	}
	return top
}

// Run returns how many entries at the start of x are equal to the first, 0 of none.
func Run(x []float64) int {
	for i := range x {
		if x[i] != x[0] {
			return max(i, 1) // of NaN, which is not equal to itself, one
		}
	}
	return len(x)
}
