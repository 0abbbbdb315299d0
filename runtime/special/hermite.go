package special

import "math"

// HermiteNodes fills t and weights, of the same length n, with the points and the weights of Gauss-Hermite quadrature for the
// standard normal distribution: sum_i weights[i]*f(t[i]) is E[f(T)] for polynomials f of degree below 2n. Points come in pairs
// t, -t, the largest first, and 0 last where n is odd, so that what is odd cancels to the last digit. For n up to 500.
//
// The points are the eigenvalues of the symmetric tridiagonal matrix with 0 on the diagonal and sqrt(1), ..., sqrt(n-1) beside it
// (Golub and Welsch, Calculation of Gauss quadrature rules, Mathematics of Computation 23, 1969), found by bisection with Sturm
// sequences; the weights are 1/sum_k h_k(t)^2, of the orthonormal Hermite polynomials h_0, ..., h_{n-1}.
func HermiteNodes(t, weights []float64) {
	n := len(t)
	for i := range n / 2 {
		x := hermiteRoot(n, i)
		t[2*i], t[2*i+1] = x, -x
		weights[2*i] = hermiteWeight(n, x)
		weights[2*i+1] = weights[2*i]
	}
	if n%2 == 1 {
		t[n-1], weights[n-1] = 0, hermiteWeight(n, 0)
	}
}

// hermiteRoot is the largest root of the Hermite polynomial of degree n but i.
func hermiteRoot(n, i int) float64 {
	lo, hi := 0.0, 2*math.Sqrt(float64(n))
	for {
		x := lo + (hi-lo)/2
		if x <= lo || x >= hi {
			return x
		}
		if above(n, x) > i {
			lo = x
		} else {
			hi = x
		}
	}
}

// above is how many eigenvalues are larger than x: the positive pivots of the matrix less x.
func above(n int, x float64) int {
	count, pivot := 0, -x
	for k := 1; k < n; k++ {
		if pivot > 0 {
			count++
		}
		if pivot == 0 {
			pivot = -math.SmallestNonzeroFloat64
		}
		pivot = -x - float64(k)/pivot
	}
	if pivot > 0 {
		count++
	}
	return count
}

func hermiteWeight(n int, x float64) float64 {
	before, h, sum := 0.0, 1.0, 1.0
	for k := 1; k < n; k++ {
		before, h = h, (x*h-math.Sqrt(float64(k-1))*before)/math.Sqrt(float64(k))
		sum += h * h
	}
	return 1 / sum
}
