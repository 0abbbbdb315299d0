package dense

// Range makes dst 1, 2, ..., len(dst).
func Range(dst []float64) {
	for i := range dst {
		dst[i] = float64(i + 1)
	}
}

// Dot returns x . y; y is as long as x.
func Dot(x, y []float64) float64 {
	if len(x) > short {
		return kernel.Ddot(len(x), x, 1, y, 1)
	}
	return shortDot(x, y)
}

// short is the length up to which a loop beats a call of an assembly kernel.
const short = 8

func shortDot(x, y []float64) float64 {
	y = y[:len(x)]
	sum := 0.0
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

// Axpy adds a x to dst; x is as long as dst.
func Axpy(dst []float64, a float64, x []float64) {
	if len(dst) > short {
		kernel.Daxpy(len(dst), a, x, 1, dst, 1)
		return
	}
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] += a * v
	}
}

// Scale writes a x to dst, which may be x; x is as long as dst.
func Scale(dst []float64, a float64, x []float64) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = a * v
	}
}

// Larger returns the larger of two numbers with its index: largest at at, or x at i. The first of equal ones stays, and NaN
// stays whatever follows.
func Larger(largest float64, at int, x float64, i int) (float64, int) {
	if x > largest || x != x {
		return x, i
	}
	return largest, at
}
