package dense

import "github.com/sngdgen/sngdgen/runtime/vector"

// Sums of symmetric matrices, of d x d, in their lower triangles: nothing above the diagonal is written, or read where nothing else is said. Each entry is
// s a + t (p x + q y), rounded as it stands.

// LowerSum writes the lower triangle of s A + t B to that of dst, which may be A.
func LowerSum(dst []float64, s float64, a []float64, t float64, b []float64, d int) []float64 {
	if d > tile && vector.On() {
		vector.LowerSum(dst, s, a, t, b, d)
		return dst
	}
	for i := range d { // of few rows a slice of each takes longer than its entries
		for k := i * d; k <= i*d+i; k++ {
			dst[k] = s*a[k] + t*(0.5*b[k]+0.5*b[k]) // the kernel has two terms
		}
	}
	return dst
}

// LowerSymmetric writes the lower triangle of s A + t (B + B') to that of dst, which may be A. It reads all of B.
func LowerSymmetric(dst []float64, s float64, a []float64, t float64, b []float64, d int) []float64 {
	if d > 2*tile && vector.On() {
		vector.LowerSymmetric(dst, s, a, t, b, d)
		return dst
	}
	for i := range d {
		for j := range i + 1 {
			dst[i*d+j] = s*a[i*d+j] + t*(b[i*d+j]+b[j*d+i])
		}
	}
	return dst
}

// LowerRankTwo writes the lower triangle of s A + t (u v' + v u') to that of dst, which may be A.
func LowerRankTwo(dst []float64, s float64, a []float64, t float64, u, v []float64, d int) []float64 {
	if d > tile && vector.On() {
		vector.LowerRankTwo(dst, s, a, t, u, v, d)
		return dst
	}
	for i, ui := range u[:d] {
		vi := v[i]
		for j := range i + 1 {
			dst[i*d+j] = s*a[i*d+j] + t*(ui*v[j]+vi*u[j])
		}
	}
	return dst
}
