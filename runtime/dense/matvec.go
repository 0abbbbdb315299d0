package dense

import (
	"gonum.org/v1/gonum/blas"

	"github.com/sngdgen/sngdgen/runtime/vector"
)

const (
	// narrow is the number of columns from which on the kernels in assembly are ahead of gonum's.
	narrow = 4
	// broad is the number up to which a call of them does not take long.
	broad = 1 << 16
)

// inRange reports whether the kernels in assembly do products with vectors for so many columns.
func inRange(columns int) bool { return columns >= narrow && columns <= broad && vector.On() }

// MulVec writes A x to dst, for A of r x c.
func MulVec(dst, a, x []float64, r, c int) []float64 {
	if r >= vector.Together && inRange(c) {
		vector.MulVec(dst, a, x, r, c)
		return dst
	}
	clear(dst[:r])
	AddMulVec(dst, 1, a, x, r, c)
	return dst
}

// halved is the side of symmetric matrices from which on it pays to read one triangle of them.
const halved = 72

// SymmetricMulVec writes A x to dst, for a symmetric A of d x d. Of a large one the upper triangle is not read, but for what is next to the diagonal.
func SymmetricMulVec(dst, a, x []float64, d int) []float64 {
	if d >= halved && inRange(d) {
		vector.SymmetricMulVec(dst, a, x, d)
		return dst
	}
	return MulVec(dst, a, x, d, d)
}

// AddMulVec adds alpha A x to dst, for A of r x c.
func AddMulVec(dst []float64, alpha float64, a, x []float64, r, c int) {
	if r >= vector.Together && inRange(c) {
		vector.AddMulVec(dst, alpha, a, x, r, c)
		return
	}
	if r > 0 && c > 0 {
		kernel.Dgemv(blas.NoTrans, r, c, alpha, a, c, x, 1, 1, dst, 1)
	}
}

// MulTVec writes A' x to dst, for A of r x c.
func MulTVec(dst, a, x []float64, r, c int) []float64 {
	clear(dst[:c])
	AddMulTVec(dst, 1, a, x, r, c)
	return dst
}

// AddMulTVec adds alpha A' x to dst, for A of r x c: a sum of the rows of a block, weighted by x.
func AddMulTVec(dst []float64, alpha float64, a, x []float64, r, c int) []float64 {
	if inRange(c) {
		vector.AddMulTVec(dst, alpha, a, x, r, c)
		return dst
	}
	if r > 0 && c > 0 {
		kernel.Dgemv(blas.Trans, r, c, alpha, a, c, x, 1, 1, dst, 1)
	}
	return dst
}

// AddOuter adds alpha x y' to dst, of r x c.
func AddOuter(dst []float64, alpha float64, x, y []float64, r, c int) {
	if r > 0 && c > 0 {
		kernel.Dger(r, c, alpha, x, 1, y, 1, dst, c)
	}
}

// AddSymmetricOuter adds alpha x x' to dst, of d x d, and leaves a symmetric dst exactly symmetric, which AddOuter
// would not: (alpha x_i) x_j and (alpha x_j) x_i round differently unless alpha is 1 or -1.
func AddSymmetricOuter(dst []float64, alpha float64, x []float64, d int) {
	if alpha == 1 || alpha == -1 {
		AddOuter(dst, alpha, x, x, d, d)
		return
	}
	x = x[:d]
	for i, u := range x {
		row := dst[i*d:][:len(x)]
		for j, v := range x {
			row[j] += alpha * (u * v)
		}
	}
}

// RowsDot writes the inner products of the rows of two blocks to dst: dst_i = x_i . y_i.
func RowsDot(dst, x, y []float64, b, d int) []float64 {
	if b >= vector.Together && inRange(d) {
		vector.RowsDot(dst, x, y, b, d)
		return dst
	}
	if d > short {
		for i := range b {
			dst[i] = kernel.Ddot(d, x[i*d:], 1, y[i*d:], 1)
		}
		return dst
	}
	for i := range dst[:b] {
		dst[i] = shortDot(x[i*d:(i+1)*d], y[i*d:(i+1)*d])
	}
	return dst
}

// RowsSquare writes the squared norms of the rows of a block to dst.
func RowsSquare(dst, x []float64, b, d int) []float64 { return RowsDot(dst, x, x, b, d) }
