package dense

import (
	"gonum.org/v1/gonum/blas"

	"github.com/sngdgen/sngdgen/runtime/vector"
)

// SolveLower writes L^-1 x to x, for a lower triangular L of d x d. Nothing above the diagonal of L is read.
func SolveLower(x, l []float64, d int) []float64 {
	for p := 0; p < d; p += tile {
		n := min(tile, d-p)
		if p > 0 {
			kernel.Dgemv(blas.NoTrans, n, p, -1, l[p*d:], d, x, 1, 1, x[p:], 1)
		}
		solveTile(x[p:p+n], l[p*d+p:], d)
	}
	return x
}

// SolveLowerT writes L^-T x to x, for a lower triangular L of d x d. Nothing above the diagonal of L is read.
func SolveLowerT(x, l []float64, d int) []float64 {
	for p := lastTile(d); p >= 0; p -= tile {
		n := min(tile, d-p)
		solveTileT(x[p:p+n], l[p*d+p:], d)
		if p > 0 {
			kernel.Dgemv(blas.Trans, n, p, -1, l[p*d:], d, x[p:], 1, 1, x, 1)
		}
	}
	return x
}

// Solve writes A^-1 x to x, for the Cholesky factor L of A, of d x d.
func Solve(x, l []float64, d int) []float64 {
	SolveLower(x, l, d)
	SolveLowerT(x, l, d)
	return x
}

// tile is the size of the triangles on the diagonal that are solved by loops.
const tile = 8

func lastTile(d int) int { return (d - 1) / tile * tile }

// solveTile writes L^-1 x to x. That the reciprocal does not wait for v makes it faster than a division.
func solveTile(x, l []float64, stride int) {
	for i, v := range x {
		row := l[i*stride : i*stride+i+1]
		for j, known := range x[:i] {
			v -= row[j] * known
		}
		x[i] = v * (1 / row[i])
	}
}

// solveTileT writes L^-T x to x.
func solveTileT(x, l []float64, stride int) {
	for i := len(x) - 1; i >= 0; i-- {
		row := l[i*stride : i*stride+i+1]
		v := x[i] * (1 / row[i])
		x[i] = v
		for j := range x[:i] {
			x[j] -= row[j] * v
		}
	}
}

// SolveLowerRows writes L^-1 x_i to each row x_i of a block, for a lower triangular L of d x d.
func SolveLowerRows(x, l []float64, b, d int) []float64 {
	if b < few {
		for i := range b {
			SolveLower(x[i*d:(i+1)*d], l, d)
		}
		return x
	}
	if vector.On() {
		vector.SolveLowerRows(x, d, l, d, b, d)
		return x
	}
	solveLower(rowMajor(x, d), rowMajor(l, d), b, d)
	return x
}

// SolveLowerTRows writes L^-T x_i to each row x_i of a block, for a lower triangular L of d x d.
func SolveLowerTRows(x, l []float64, b, d int) []float64 {
	if b < few {
		for i := range b {
			SolveLowerT(x[i*d:(i+1)*d], l, d)
		}
		return x
	}
	if vector.On() {
		vector.SolveLowerTRows(x, d, l, d, b, d)
		return x
	}
	solveLowerT(rowMajor(x, d), rowMajor(l, d), b, d)
	return x
}

// SolveLowerHalf writes the lower triangle of X inv(L'), with half of its diagonal, to dst, which may be X, for X and a lower triangular L of d x d.
// Nothing above the diagonals is read.
func SolveLowerHalf(dst, x, l []float64, d int) []float64 {
	copy(dst, x[:d*d])
	if d >= few && vector.On() {
		vector.SolveLowerTriangle(dst, d, l, d, d)
		return LowerHalf(dst, d)
	}
	for i := range d {
		clear(dst[i*d+i+1 : (i+1)*d])
	}
	return LowerHalf(SolveLowerRows(dst, l, d, d), d)
}

// SolveLowerBoth replaces a symmetric X by L^-1 X L^-T, for a lower triangular L of d x d, in two thirds of the time of two solves. Scratch holds d * d numbers.
func SolveLowerBoth(x, scratch, l []float64, d int) []float64 {
	SolveLowerRows(x, l, d, d)
	Transpose(scratch, x, d, d)
	if d >= few && vector.On() {
		vector.SolveLowerTriangle(scratch, d, l, d, d)
	} else {
		SolveLowerRows(scratch, l, d, d)
	}
	return Mirrored(x, scratch, d)
}

// SolveLowerTBoth writes L^-T X L^-1 to dst, for a symmetric X and a lower triangular L of d x d, in two thirds of the time of two solves. It replaces X by
// X L^-1.
func SolveLowerTBoth(dst, x, l []float64, d int) []float64 {
	SolveLowerTRows(x, l, d, d)
	Transpose(dst, x, d, d)
	if d >= few && vector.On() {
		vector.SolveLowerTTriangle(dst, d, l, d, d)
		vector.TurnUpper(dst, d, d)
		return Mirror(dst, d)
	}
	SolveLowerTRows(dst, l, d, d)
	for i := range d {
		for j := range i {
			dst[i*d+j] = dst[j*d+i]
		}
	}
	return dst
}

// SolveRows writes A^-1 x_i to each row x_i of a block, for the Cholesky factor L of A, of d x d.
func SolveRows(x, l []float64, b, d int) []float64 {
	SolveLowerRows(x, l, b, d)
	SolveLowerTRows(x, l, b, d)
	return x
}

// RowsSquareOfSolve writes |L^-1 x_i|^2 for the rows x_i of a block to dst, for a lower triangular L of d x d: squared Mahalanobis
// distances, where L is the Cholesky factor of a covariance matrix; to the bit what SolveLowerRows and RowsSquare give. Scratch holds
// b * d numbers.
func RowsSquareOfSolve(dst, x, scratch, l []float64, b, d int) []float64 {
	if b >= max(few, vector.Together) && d <= vector.MostSquared && vector.On() {
		vector.SquaresOfSolve(dst, x, l, b, d)
		return dst
	}
	return RowsSquare(dst, SolveLowerRows(Copied(scratch[:b*d], x[:b*d]), l, b, d), b, d)
}

// few is the number of rows from which on they are solved together, a column at a time.
const few = 4

// solveLower solves X L' = B for the rows X in place of B. Blocks of columns that are known are taken off by a product;
// inside a block a column is one product of a matrix and a vector, for many rows at once.
func solveLower(x, l matrix, b, d int) {
	for j := 0; j < d; j += blockColumns {
		n := min(blockColumns, d-j)
		addProduct(x.from(0, j), -1, x, l.from(j, 0).t(), b, j, n)
		for i := 0; i < b; i += blockRows {
			solveColumns(x.from(i, j), l.from(j, j), min(blockRows, b-i), n)
		}
	}
}

// solveColumns takes x_j = (x_j - sum_(k<j) l_jk x_k) / l_jj for columns x_j.
func solveColumns(x, l matrix, b, d int) {
	for j := range d {
		row, _ := l.row(j)
		reciprocal := 1 / row[j]
		if j == 0 {
			kernel.Dscal(b, reciprocal, x.data, x.stride)
			continue
		}
		kernel.Dgemv(blas.NoTrans, b, j, -reciprocal, x.data, x.stride, row, 1, reciprocal, x.data[j:], x.stride)
	}
}

// solveLowerT solves X L = B in the same way, from the last block to the first.
func solveLowerT(x, l matrix, b, d int) {
	for j := (d - 1) / blockColumns * blockColumns; j >= 0; j -= blockColumns {
		end := min(j+blockColumns, d)
		if end < d {
			addProduct(x.from(0, j), -1, x.from(0, end), l.from(end, j), b, d-end, end-j)
		}
		for i := 0; i < b; i += blockRows {
			solveColumnsT(x.from(i, j), l.from(j, j), min(blockRows, b-i), end-j)
		}
	}
}

// solveColumnsT takes x_j = (x_j - sum_(k>j) l_kj x_k) / l_jj for columns x_j.
func solveColumnsT(x, l matrix, b, d int) {
	for j := d - 1; j >= 0; j-- {
		row, _ := l.row(j)
		reciprocal := 1 / row[j]
		if j == d-1 {
			kernel.Dscal(b, reciprocal, x.data[j:], x.stride)
			continue
		}
		known, below := x.from(0, j+1), l.from(j+1, j)
		kernel.Dgemv(blas.NoTrans, b, d-1-j, -reciprocal, known.data, known.stride, below.data, below.stride,
			reciprocal, x.data[j:], x.stride)
	}
}
