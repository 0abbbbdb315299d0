package dense

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime/special"
	"github.com/sngdgen/sngdgen/runtime/vector"
)

// The functions below take a block of b observations of k components, component after component: terms[c*b+i] is the
// logarithm of what component c adds to the sum of observation i. So every loop is over contiguous numbers.

// LogSumExp writes log sum_c exp(terms[c*b+i]) to dst_i, for b rows and k components. The largest term is taken out
// first, so that nothing overflows, and terms of any size may stand side by side; the error is a few ulp of 1 or of
// the result, whichever is larger. It is -Inf where all terms are, or where there are none, +Inf where the largest is,
// and NaN where one is. With one component it is the term itself.
func LogSumExp(dst, terms []float64, b, k int) []float64 {
	switch {
	case k == 0:
		fill(dst[:b], math.Inf(-1))
		return dst
	case k == 1:
		copy(dst[:b], terms[:b])
		return dst
	case vector.On():
		vector.LogSumExp(dst, terms, b, k)
		return dst
	case b == 1:
		dst[0] = logSumExp(terms[:k])
		return dst
	}
	for first := 0; first < b; first += strip {
		logSumExpStrip(dst[first:min(first+strip, b)], terms[first:], b, k)
	}
	return dst
}

// Softmax writes what LogSumExp does to dst, and exp(terms[c*b+i] - dst_i) to resp[c*b+i], each row of which sums to 1:
// the posterior probabilities of the components. It takes one exponential a term. Where the terms of a row are all
// -Inf, or one is +Inf or NaN, there are no probabilities, and resp is NaN; but that of a single component is exactly
// 1, whatever its term. A term that is more than 708 and a half below the largest has probability 0. Resp may be terms.
func Softmax(resp, dst, terms []float64, b, k int) []float64 {
	switch {
	case k == 0:
		fill(dst[:b], math.Inf(-1))
		return resp
	case k == 1:
		copy(dst[:b], terms[:b])
		fill(resp[:b], 1)
		return resp
	case vector.On():
		vector.Softmax(resp, dst, terms, b, k)
		return resp
	case b == 1:
		dst[0] = softmax(resp[:k], terms)
		return resp
	}
	for first := 0; first < b; first += strip {
		softmaxStrip(resp[first:], dst[first:min(first+strip, b)], terms[first:], b, k)
	}
	return resp
}

// strip is how many rows are done at a time: few enough that a call for a handful does not clear much memory.
const strip = 64

// logSumExpStrip does the rows of dst, of a block of b, which come first in terms.
func logSumExpStrip(dst, terms []float64, b, k int) {
	var sums [strip]float64
	largest(dst, terms, b, k)
	for c := range k {
		column := terms[c*b:][:len(dst)]
		for i, m := range dst {
			sums[i%strip] += expNonpositive(column[i] - m)
		}
	}
	for i, m := range dst {
		dst[i] = logarithm(m, sums[i%strip])
	}
}

// softmaxStrip does the rows of dst, of a block of b, which come first in resp and terms.
func softmaxStrip(resp, dst, terms []float64, b, k int) {
	var sums [strip]float64
	largest(dst, terms, b, k)
	for c := range k {
		column, shares := terms[c*b:][:len(dst)], resp[c*b:][:len(dst)]
		for i, m := range dst {
			e := expNonpositive(column[i] - m)
			shares[i] = e
			sums[i%strip] += e
		}
	}
	for i, m := range dst {
		sum := sums[i%strip]
		dst[i], sums[i%strip] = logarithm(m, sum), reciprocal(m, sum)
	}
	for c := range k {
		shares := resp[c*b:][:len(dst)]
		for i := range shares {
			shares[i] *= sums[i%strip]
		}
	}
}

// largest writes the maxima of the terms to dst, NaN where one is. The predeclared max takes no branches, which nobody
// could predict here.
func largest(dst, terms []float64, b, k int) {
	copy(dst, terms[:len(dst)])
	for c := 1; c < k; c++ {
		column := terms[c*b:][:len(dst)]
		for i, t := range column {
			dst[i] = max(dst[i], t)
		}
	}
}

func fill(x []float64, v float64) {
	for i := range x {
		x[i] = v
	}
}

// logarithm returns m + log(sum), and m where that is no finite number: the sum then holds nothing of use.
func logarithm(m, sum float64) float64 {
	if m-m != 0 {
		return m
	}
	return m + special.Log(sum)
}

// reciprocal returns 1/sum, and NaN where m is no finite number.
func reciprocal(m, sum float64) float64 { return 1/sum + (m - m) }

// logSumExp is LogSumExp of a single row, whose terms are contiguous.
func logSumExp(terms []float64) float64 {
	m, sum := math.Inf(-1), 0.0
	for _, t := range terms {
		m = max(m, t)
	}
	for _, t := range terms {
		sum += expNonpositive(t - m)
	}
	return logarithm(m, sum)
}

// softmax is Softmax of a single row.
func softmax(resp, terms []float64) float64 {
	m, sum := math.Inf(-1), 0.0
	terms = terms[:len(resp)]
	for _, t := range terms {
		m = max(m, t)
	}
	for c, t := range terms {
		e := expNonpositive(t - m)
		resp[c] = e
		sum += e
	}
	Scale(resp, reciprocal(m, sum), resp)
	return logarithm(m, sum)
}
