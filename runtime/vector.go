package runtime

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

// dot is the inner product; four sums do not wait for each other.
func dot(a, b []float64) float64 {
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
	for i := range dst {
		dst[i] += t * x[i]
	}
}

// addScaled2 adds t x to a and t y to b.
func addScaled2(a, b []float64, t float64, x, y []float64) {
	b, x, y = b[:len(a)], x[:len(a)], y[:len(a)]
	for i := range a {
		a[i] += t * x[i]
		b[i] += t * y[i]
	}
}

// step writes z + t d to dst.
func step(dst, z []float64, t float64, d []float64) {
	z, d = z[:len(dst)], d[:len(dst)]
	for i := range dst {
		dst[i] = z[i] + t*d[i]
	}
}
