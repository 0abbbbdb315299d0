package runtime

// finite reports whether x is neither NaN nor infinite.
func finite(x float64) bool { return x-x == 0 }

func dot(a, b []float64) float64 {
	var sum float64
	b = b[:len(a)]
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
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
