package dense

import "github.com/sngdgen/sngdgen/runtime/vector"

// Sums of symmetric matrices, of d x d. Those that begin with Lower write the lower triangle and nothing above the diagonal, those with Mirrored both; nothing
// above it is read where nothing else is said. Each entry is s a + t (p x + q y), rounded as it stands; with two matrices (s a + t b) + r (p x + q y).

// LowerSum writes the lower triangle of s A + t B to that of dst, which may be A.
func LowerSum(dst []float64, s float64, a []float64, t float64, b []float64, d int) []float64 {
	if d > tile && vector.On() {
		vector.LowerSum(dst, s, a, t, b, d, false)
		return dst
	}
	for i := range d { // of few rows a slice of each takes longer than its entries
		for k := i * d; k <= i*d+i; k++ {
			dst[k] = sumEntry(s, a[k], t, b[k])
		}
	}
	return dst
}

// sumEntry is s a + t b as the vector kernel has it, which has two terms.
func sumEntry(s, a, t, b float64) float64 { return s*a + t*(0.5*b+0.5*b) }

// MirroredSum writes s A + t B to dst, which may be A.
func MirroredSum(dst []float64, s float64, a []float64, t float64, b []float64, d int) []float64 {
	if d > tile {
		if vector.On() {
			vector.LowerSum(dst, s, a, t, b, d, true)
			return dst
		}
		return Mirror(LowerSum(dst, s, a, t, b, d), d)
	}
	for i := range d { // by no kernel anywhere
		for j := range i + 1 {
			v := s*a[i*d+j] + t*b[i*d+j]
			dst[i*d+j], dst[j*d+i] = v, v
		}
	}
	return dst
}

// LowerSymmetric writes the lower triangle of s A + t (B + B') to that of dst, which may be A. It reads all of B.
func LowerSymmetric(dst []float64, s float64, a []float64, t float64, b []float64, d int) []float64 {
	if d > 2*tile && vector.On() {
		vector.LowerSymmetric(dst, s, a, t, b, d, false)
		return dst
	}
	for i := range d {
		for j := range i + 1 {
			dst[i*d+j] = s*a[i*d+j] + t*(b[i*d+j]+b[j*d+i])
		}
	}
	return dst
}

// MirroredSymmetric writes s A + t (B + B') to dst, which may be A. It reads all of B.
func MirroredSymmetric(dst []float64, s float64, a []float64, t float64, b []float64, d int) []float64 {
	if d > tile {
		if d > 2*tile && vector.On() {
			vector.LowerSymmetric(dst, s, a, t, b, d, true)
			return dst
		}
		return Mirror(LowerSymmetric(dst, s, a, t, b, d), d)
	}
	for i := range d {
		for j := range i + 1 {
			v := s*a[i*d+j] + t*(b[i*d+j]+b[j*d+i])
			dst[i*d+j], dst[j*d+i] = v, v
		}
	}
	return dst
}

// LowerRankTwo writes the lower triangle of s A + t (u v' + v u') to that of dst, which may be A.
func LowerRankTwo(dst []float64, s float64, a []float64, t float64, u, v []float64, d int) []float64 {
	if d > tile && vector.On() {
		vector.LowerRankTwo(dst, s, a, t, u, v, d, false)
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

// MirroredRankTwo writes s A + t (u v' + v u') to dst, which may be A.
func MirroredRankTwo(dst []float64, s float64, a []float64, t float64, u, v []float64, d int) []float64 {
	if d > tile {
		if vector.On() {
			vector.LowerRankTwo(dst, s, a, t, u, v, d, true)
			return dst
		}
		return Mirror(LowerRankTwo(dst, s, a, t, u, v, d), d)
	}
	for i, ui := range u[:d] {
		vi := v[i]
		for j := range i + 1 {
			x := s*a[i*d+j] + t*(ui*v[j]+vi*u[j])
			dst[i*d+j], dst[j*d+i] = x, x
		}
	}
	return dst
}

// LowerSumRankTwo writes the lower triangle of s A + t B + r (u v' + v u') to that of dst, which may be A: what LowerRankTwo makes of what LowerSum leaves,
// with the same bits.
func LowerSumRankTwo(dst []float64, s float64, a []float64, t float64, b []float64, r float64, u, v []float64, d int) []float64 {
	if d > tile && vector.On() {
		vector.LowerSumRankTwo(dst, s, a, t, b, r, u, v, d, false)
		return dst
	}
	return LowerRankTwo(LowerSum(dst, s, a, t, b, d), 1, dst, r, u, v, d)
}

// MirroredSumRankTwo writes s A + t B + r (u v' + v u') to dst, which may be A.
func MirroredSumRankTwo(dst []float64, s float64, a []float64, t float64, b []float64, r float64, u, v []float64, d int) []float64 {
	if d > tile && vector.On() {
		vector.LowerSumRankTwo(dst, s, a, t, b, r, u, v, d, true)
		return dst
	}
	return MirroredRankTwo(LowerSum(dst, s, a, t, b, d), 1, dst, r, u, v, d)
}
