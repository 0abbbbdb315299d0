package runtime

import "github.com/sngdgen/sngdgen/runtime/vector"

// finite reports whether x is neither NaN nor infinite.
func finite(x float64) bool { return x-x == 0 }

// allFinite reports whether all of x is finite. 0 x is NaN where x is not, and four sums do not wait for each other.
func allFinite(x []float64) bool {
	var a, b, c, d float64
	for ; len(x) >= 4; x = x[4:] {
		a += 0 * x[0]
		b += 0 * x[1]
		c += 0 * x[2]
		d += 0 * x[3]
	}
	for _, v := range x {
		a += 0 * v
	}
	return a+b+c+d == 0
}

// long is from which length on kernels take less time than loops.
const long = 64

// dot is the inner product. That of a long vector is the sum of those of eight parts of it.
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	if len(a) < long || !vector.On() {
		return shortDot(a, b)
	}
	var s [vector.Together]float64
	part := len(a) / len(s)
	whole := part * len(s)
	vector.RowsDot(s[:], a[:whole], b[:whole], len(s), part)
	return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7])) + shortDot(a[whole:], b[whole:])
}

// shortDot is dot as a loop; four sums do not wait for each other.
func shortDot(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	for ; len(a) >= 4; a, b = a[4:], b[4:] {
		b := b[:4]
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
	}
	for i, x := range a {
		s0 += x * b[i]
	}
	return s0 + s1 + s2 + s3
}

// addScaled adds t x to dst.
func addScaled(dst []float64, t float64, x []float64) {
	x = x[:len(dst)]
	if len(dst) >= long && vector.On() {
		vector.AddMulTVec(dst, t, x, one[:], 1, len(dst))
		return
	}
	for i := range dst {
		dst[i] += t * x[i]
	}
}

// one is the weight of a single row.
var one = [1]float64{1}

// step writes z + t d to dst.
func step(dst, z []float64, t float64, d []float64) {
	z, d = z[:len(dst)], d[:len(dst)]
	for i := range dst {
		dst[i] = z[i] + t*d[i]
	}
}
