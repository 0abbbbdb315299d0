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
	for i := range d {
		to := dst[i*d : i*d+i+1]
		from, x := a[i*d:][:len(to)], b[i*d:][:len(to)]
		for j, v := range from {
			to[j] = s*v + t*(0.5*x[j]+0.5*x[j]) // the kernel has two terms
		}
	}
	return dst
}

// LowerSymmetric writes the lower triangle of s A + t (B + B') to that of dst, which may be A. It reads all of B.
func LowerSymmetric(dst []float64, s float64, a []float64, t float64, b []float64, d int) []float64 {
	if d > tile && vector.On() {
		vector.LowerSymmetric(dst, s, a, t, b, d)
		return dst
	}
	for i := range d {
		to := dst[i*d : i*d+i+1]
		from, x := a[i*d:][:len(to)], b[i*d:][:len(to)]
		for j, v := range from {
			to[j] = s*v + t*(x[j]+b[j*d+i])
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
		vi, to := v[i], dst[i*d:i*d+i+1]
		from, us, vs := a[i*d:][:len(to)], u[:len(to)], v[:len(to)]
		for j, x := range from {
			to[j] = s*x + t*(ui*vs[j]+vi*us[j])
		}
	}
	return dst
}
