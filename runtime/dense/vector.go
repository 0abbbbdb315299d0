package dense

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime/vector"
)

// Kernels that write to memory return it, so that who takes memory can give it a name when it is filled.

// Zeroed makes the entries of dst 0.
func Zeroed(dst []float64) []float64 {
	clear(dst)
	return dst
}

// Copied writes x to dst.
func Copied(dst, x []float64) []float64 {
	copy(dst, x)
	return dst
}

// leastFinite is the length from which on a call of the kernel in assembly takes less time than a loop.
const leastFinite = 16

// Finite reports whether all entries are finite numbers.
func Finite(x []float64) bool {
	if len(x) >= leastFinite && vector.On() {
		return vector.Finite(x)
	}
	for _, v := range x {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return false
		}
	}
	return true
}

// Range makes dst 1, 2, ..., len(dst).
func Range(dst []float64) []float64 {
	for i := range dst {
		dst[i] = float64(i + 1)
	}
	return dst
}

// Dot returns x . y; y is as long as x.
func Dot(x, y []float64) float64 {
	if len(x) > short {
		return kernel.Ddot(len(x), x, 1, y, 1)
	}
	y = y[:len(x)]
	sum := 0.0
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
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

// Larger returns the larger of two numbers with its index: largest at at, or x at i. The first of equal ones stays, and NaN
// stays whatever follows.
func Larger(largest float64, at int, x float64, i int) (float64, int) {
	if x > largest || x != x {
		return x, i
	}
	return largest, at
}

// Gather writes the rows of A that are listed, each of c numbers, to dst, one behind the other. It panics where A has no such row.
func Gather(dst, a []float64, rows []int, c int) {
	switch {
	case c == 1:
		dst = dst[:len(rows)]
		for k, i := range rows {
			dst[k] = a[i]
		}
	case vector.On():
		vector.Gather(dst, a, rows, c)
	default:
		for k, i := range rows {
			copy(dst[k*c:(k+1)*c], a[i*c:(i+1)*c])
		}
	}
}
