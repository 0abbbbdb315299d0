package dense

import "github.com/sngdgen/sngdgen/runtime/vector"

// Kernels in place of loops over the entries of arrays. Each entry is rounded as in such a loop, so that bits do not depend on the level of
// the processor.

// worthCall is the length from which on a call of a vector kernel beats a loop.
const worthCall = 12

// Plus writes x + y to dst, which may be x or y; all are as long.
func Plus(dst, x, y []float64) []float64 {
	if len(dst) >= worthCall {
		return combine(vector.Plus, dst, x, y)
	}
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
	return dst
}

// Minus writes x - y to dst, which may be x or y; all are as long.
func Minus(dst, x, y []float64) []float64 {
	if len(dst) >= worthCall {
		return combine(vector.Minus, dst, x, y)
	}
	for i := range dst {
		dst[i] = x[i] - y[i]
	}
	return dst
}

// combine writes the results of an operation, which is Plus or Minus, for two long arrays.
func combine(o vector.Operation, dst, x, y []float64) []float64 {
	if vector.On() {
		vector.Combine(o, dst, x, y)
		return dst
	}
	x, y = x[:len(dst)], y[:len(dst)]
	if o == vector.Plus {
		for i, v := range x {
			dst[i] = v + y[i]
		}
		return dst
	}
	for i, v := range x {
		dst[i] = v - y[i]
	}
	return dst
}

// Scale writes a x to dst, which may be x; x is as long as dst.
func Scale(dst []float64, a float64, x []float64) []float64 {
	if len(dst) >= worthCall {
		return scale(dst, a, x)
	}
	for i := range dst {
		dst[i] = a * x[i]
	}
	return dst
}

// scale is Scale of a long array.
func scale(dst []float64, a float64, x []float64) []float64 {
	x = x[:len(dst)]
	if vector.On() {
		vector.CombineNumber(vector.Times, dst, x, a)
		return dst
	}
	for i, v := range x {
		dst[i] = a * v
	}
	return dst
}

// Divide writes x / a to dst, which may be x; x is as long as dst. It is not Scale by 1/a, which may be infinite.
func Divide(dst, x []float64, a float64) []float64 {
	x = x[:len(dst)]
	if len(dst) >= worthCall && vector.On() {
		vector.CombineNumber(vector.Over, dst, x, a)
		return dst
	}
	for i, v := range x {
		dst[i] = v / a
	}
	return dst
}

// AffineTimes writes c (a x + b) y to dst, entry by entry; dst may be x or y, which are as long.
func AffineTimes(dst []float64, c, a float64, x []float64, b float64, y []float64) []float64 {
	x, y = x[:len(dst)], y[:len(dst)]
	if len(dst) >= worthCall && vector.On() {
		vector.AffineTimes(dst, c, a, x, b, y)
		return dst
	}
	for i, v := range x {
		dst[i] = c * (a*v + b) * y[i]
	}
	return dst
}

// ScaledSum writes a x + b y to dst, which may be x or y; all are as long.
func ScaledSum(dst []float64, a float64, x []float64, b float64, y []float64) []float64 {
	x, y = x[:len(dst)], y[:len(dst)]
	if len(dst) >= worthCall && vector.On() {
		vector.ScaledSum(dst, a, x, b, y)
		return dst
	}
	for i, v := range x {
		dst[i] = a*v + b*(0.5*y[i]+0.5*y[i]) // as the kernel has it
	}
	return dst
}

// Sum returns the sum of the entries, in their order.
func Sum(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

// Trace returns the sum of the diagonal of A, of d x d, in its order.
func Trace(a []float64, d int) float64 {
	sum := 0.0
	for i := range d {
		sum += a[i*d+i]
	}
	return sum
}

// AddToDiagonal adds a to the diagonal of dst, of d x d.
func AddToDiagonal(dst []float64, a float64, d int) []float64 {
	for i := range d {
		dst[i*d+i] += a
	}
	return dst
}

// RowsPlus makes the b rows of dst, d numbers each, those of x plus the vector v.
func RowsPlus(dst, x, v []float64, b, d int) []float64 {
	rowsWith(vector.Plus, dst[:b*d], x[:b*d], v[:d])
	return dst
}

// RowsLess makes the b rows of dst, d numbers each, those of x less the vector v.
func RowsLess(dst, x, v []float64, b, d int) []float64 {
	rowsWith(vector.Minus, dst[:b*d], x[:b*d], v[:d])
	return dst
}

// LessRows makes the b rows of dst, d numbers each, the vector v less those of x.
func LessRows(dst, v, x []float64, b, d int) []float64 {
	rowsWith(minusFrom, dst[:b*d], x[:b*d], v[:d])
	return dst
}

// minusFrom is the difference of a vector and a row.
const minusFrom = vector.Over + 1

// rowsWith writes the results of an operation, which is Plus, Minus or minusFrom, for rows and a vector. Of a short vector it takes several copies, one after the
// other, so that they are worth a call.
func rowsWith(o vector.Operation, dst, x, v []float64) {
	var copies [128]float64
	if n := min(len(copies)/max(len(v), 1)*len(v), len(dst)); n > len(v) {
		repeat(copies[:n], v)
		partsWith(o, dst, x, copies[:n])
		return
	}
	partsWith(o, dst, x, v)
}

// repeat fills dst with copies of v, one after the other. It is a multiple as long.
func repeat(dst, v []float64) {
	for n := copy(dst, v); n < len(dst); { // of what is there already
		n += copy(dst[n:], dst[:n])
	}
}

// partsWith writes the results of an operation for parts of x that are as long as v, one after the other, the last of which may be shorter.
func partsWith(o vector.Operation, dst, x, v []float64) {
	for len(dst) > 0 {
		n := min(len(v), len(dst))
		if o == minusFrom {
			combine(vector.Minus, dst[:n], v[:n], x[:n])
		} else {
			combine(o, dst[:n], x[:n], v[:n])
		}
		dst, x = dst[n:], x[n:]
	}
}

// PlusOuter writes A + alpha u v' to dst, for matrices of r x c; dst may be A. It is symmetric to the last digit where A is and u is v.
func PlusOuter(dst, a []float64, alpha float64, u, v []float64, r, c int) []float64 {
	v = v[:c]
	for i, ui := range u[:r] {
		from, to := a[i*c:][:len(v)], dst[i*c:][:len(v)]
		for j, vj := range v {
			to[j] = from[j] + alpha*(ui*vj)
		}
	}
	return dst
}

// Mirrored writes the symmetric matrix, of d x d, that has the lower triangle of A to dst, which may be A.
func Mirrored(dst, a []float64, d int) []float64 {
	copy(dst, a[:d*d])
	return Mirror(dst, d)
}

// MirroredScale writes s times the symmetric matrix, of d x d, that has the lower triangle of A to dst, which may be A.
func MirroredScale(dst []float64, s float64, a []float64, d int) []float64 {
	for i := range d {
		Scale(dst[i*d:i*d+i+1], s, a[i*d:i*d+i+1])
	}
	return Mirror(dst, d)
}

// MirroredPlusOuter writes the symmetric matrix, of d x d, that has the lower triangle of A + alpha u v' to dst, which may be A.
func MirroredPlusOuter(dst, a []float64, alpha float64, u, v []float64, d int) []float64 {
	for i, ui := range u[:d] {
		from, to := a[i*d:i*d+i+1], dst[i*d:i*d+i+1]
		for j, vj := range v[:i+1] {
			to[j] = from[j] + alpha*(ui*vj)
		}
	}
	return Mirror(dst, d)
}
