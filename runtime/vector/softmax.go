package vector

import "math"

// strip is how many rows are done at a time.
const strip = 128

// stripOf is a number for each of them.
type stripOf [strip]float64

// few is how many terms of a single row are done at a time.
const few = 16

// softmaxOfOne is Softmax of one row, or LogSumExp where resp is nil. It adds up in the same order.
func softmaxOfOne(resp, terms []float64) float64 {
	m, sum := math.Inf(-1), 0.0
	for _, t := range terms {
		m = max(m, t)
	}
	var shares, tops, sums [few]float64
	for first := 0; first < len(terms); first += few {
		n := min(few, len(terms)-first)
		for i, t := range terms[first : first+n] {
			shares[i] = t - m
		}
		// Whole vectors: what a mask has stored is not to be had at once.
		expShares(&shares[0], &shares[0], &tops[0], &sums[0], (n+7)&^7)
		for i := range n {
			sum += shares[i]
			if resp != nil {
				resp[first+i] = shares[i]
			}
		}
	}
	sums[0] = sum
	logOf(&sums[0], &sums[0], 8)
	reciprocal := 1 / sum
	if m-m != 0 {
		sums[0], reciprocal = 0, math.NaN()
	}
	for i := range resp {
		resp[i] *= reciprocal
	}
	return m + sums[0]
}

// LogSumExp writes log sum_c exp(terms[c*b+i]) to dst_i, for b rows and k components, both at least 1. It is -Inf or +Inf where the
// largest term is, and NaN where one is.
func LogSumExp(dst, terms []float64, b, k int) {
	_, _ = dst[:b], terms[:k*b]
	if b == 1 {
		dst[0] = softmaxOfOne(nil, terms[:k])
		return
	}
	for first := 0; first < b; first += strip {
		n := min(strip, b-first)
		var sums, shares stripOf
		largest(dst[first:first+n], terms[first:], b, k)
		for c := range k {
			expShares(&shares[0], &terms[c*b+first], &dst[first], &sums[0], n)
		}
		logOf(&shares[0], &sums[0], n)
		for i, m := range dst[first : first+n] {
			if m-m == 0 {
				dst[first+i] = m + shares[i]
			}
		}
	}
}

// Softmax writes the same to dst, and exp(terms[c*b+i] - dst_i) to resp[c*b+i], which may be terms: NaN where the largest term is not
// finite.
func Softmax(resp, dst, terms []float64, b, k int) {
	_, _, _ = resp[:k*b], dst[:b], terms[:k*b]
	if b == 1 {
		dst[0] = softmaxOfOne(resp[:k], terms[:k])
		return
	}
	for first := 0; first < b; first += strip {
		n := min(strip, b-first)
		var sums, logs stripOf
		largest(dst[first:first+n], terms[first:], b, k)
		for c := range k {
			expShares(&resp[c*b+first], &terms[c*b+first], &dst[first], &sums[0], n)
		}
		logOf(&logs[0], &sums[0], n)
		for i, m := range dst[first : first+n] {
			sums[i] = 1 / sums[i]
			if m-m == 0 {
				dst[first+i] = m + logs[i]
			} else {
				sums[i] = math.NaN()
			}
		}
		for c := range k {
			multiply(&resp[c*b+first], &resp[c*b+first], &sums[0], n)
		}
	}
}

// largest writes the maxima of the terms to dst, NaN where one is.
func largest(dst, terms []float64, b, k int) {
	copy(dst, terms)
	for c := 1; c < k; c++ {
		larger(&dst[0], &terms[c*b], len(dst))
	}
}
