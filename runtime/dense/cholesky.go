package dense

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"github.com/sngdgen/sngdgen/runtime/special"
	"github.com/sngdgen/sngdgen/runtime/vector"
)

// Cholesky writes the lower triangular factor L of A = L L', of d x d, to dst, which may be a, with zeros above the
// diagonal. It reads the lower triangle of A only. It returns false, and leaves dst unspecified, when A is not positive
// definite in floating point or holds a number that is not finite.
func Cholesky(dst, a []float64, d int) bool {
	if d >= wide && vector.On() {
		return factorAbove(dst, a, d)
	}
	if d <= tile {
		return factorTile(dst, a, d)
	}
	for i := range d {
		row := dst[i*d : (i+1)*d]
		copy(row[:i+1], a[i*d:i*d+i+1])
		clear(row[i+1:])
	}
	l := rowMajor(dst, d)
	for i := 0; i < d; i += blockRows {
		rows, n := l.from(i, 0), min(blockRows, d-i)
		solveLower(rows, l, n, i)
		if !rows.from(0, i).factor(rows, n, i) {
			return false
		}
	}
	return true
}

// wide is the size from which on the kernels in assembly are ahead.
const wide = 20

// factorAbove is Cholesky with the kernels in assembly. They find the transpose of the factor, above the diagonal of dst, where
// nothing is kept: there all that is done is done with whole rows.
func factorAbove(dst, a []float64, d int) bool {
	if d > 0 && &dst[0] != &a[0] {
		for i := range d {
			copy(dst[i*d:i*d+i+1], a[i*d:])
		}
	}
	vector.TurnLower(dst, d, d)
	if !vector.Cholesky(dst, d, d) {
		return false
	}
	vector.TurnUpper(dst, d, d)
	return true
}

// factor replaces the square A of n x n by the factor of A - R R', for R of n x k. It goes column by column, each the
// product of a matrix and a vector (Golub and Van Loan 2013, algorithm 4.2.1).
func (a matrix) factor(r matrix, n, k int) bool {
	addLower(a, -1, r, r.t(), n, k)
	for j := range n {
		row, _ := a.row(j)
		column := row[j:]
		if j > 0 {
			kernel.Dgemv(blas.NoTrans, n-j, j, -1, row, a.stride, row, 1, 1, column, a.stride)
		}
		if !usable(column[0]) {
			return false
		}
		root := math.Sqrt(column[0])
		kernel.Dscal(n-j, 1/root, column, a.stride)
		column[0] = root
	}
	return true
}

// usable reports whether the square of an element of the diagonal is positive and finite.
func usable(pivot float64) bool { return pivot > 0 && pivot <= math.MaxFloat64 }

// factorTile is Cholesky for the smallest matrices, of which a call for each row would take longer than its entries.
func factorTile(dst, a []float64, d int) bool {
	var reciprocals [tile]float64 // of the diagonal
	for i := range d {
		row, from := dst[i*d:(i+1)*d], a[i*d:][:i+1]
		squares := 0.0
		for j, v := range from[:i] {
			known := dst[j*d:][:j]
			for k, x := range known {
				v -= x * row[k]
			}
			v *= reciprocals[j]
			row[j] = v
			squares += v * v
		}
		pivot := from[i] - squares
		if !usable(pivot) {
			return false
		}
		row[i] = math.Sqrt(pivot)
		reciprocals[i] = 1 / row[i]
		for j := i + 1; j < len(row); j++ {
			row[j] = 0
		}
	}
	return true
}

// LogDet returns log det(A), for the Cholesky factor L of A, of d x d.
func LogDet(l []float64, d int) float64 {
	sum := 0.0
	for i := range d {
		sum += special.Log(l[i*d+i])
	}
	return 2 * sum
}

// InverseFromCholesky writes A^-1 to dst, exactly symmetric, for the Cholesky factor L of A, of d x d.
func InverseFromCholesky(dst, l []float64, d int) []float64 {
	lowerOfInverse(dst, l, d)
	Mirror(dst, d)
	return dst
}

// lowerOfInverse writes the lower triangle of A^-1 to dst. What is above it is of no use.
func lowerOfInverse(dst, l []float64, d int) {
	invertFactor(dst, l, d)
	switch {
	case d <= tile:
		squareTile(dst, d)
	case vector.On():
		vector.SquareLower(dst, d)
	default:
		rowMajor(dst, d).square(d)
	}
}

// TraceOfInverse returns the trace of A^-1, for the Cholesky factor L of A, of d x d: the sum of the squares of the entries
// of L^-1, half the work of the inverse. Scratch holds d * d numbers.
func TraceOfInverse(l, scratch []float64, d int) float64 {
	invertFactor(scratch, l, d)
	sum := 0.0
	for i := range d {
		row := scratch[i*d : i*d+i+1]
		sum += Dot(row, row)
	}
	return sum
}

// invertFactor writes L^-1 to the lower triangle of dst, for a lower triangular L.
func invertFactor(dst, l []float64, d int) {
	if d <= tile {
		invertTile(dst, l, d)
		return
	}
	if vector.On() {
		vector.InvertLower(dst, l, d)
		return
	}
	rowMajor(dst, d).invert(rowMajor(l, d), d)
}

// invert writes L^-1 to w.
func (w matrix) invert(l matrix, d int) {
	clear(w.data[:d*d])
	for i := 0; i < d; i += blockRows {
		end := min(i+blockRows, d)
		for j := 0; j < i; j += blockColumns { // a column of blocks of L^-1 begins at its diagonal
			addProduct(w.from(i, j), -1, l.from(i, j), w.from(j, j), end-i, i-j, min(blockColumns, i-j))
		}
		for k := i; k < end; k++ {
			row, _ := w.row(k)
			if k > i {
				addRow(w, -1, l.from(0, i), w.from(i, 0), k, k-i, k)
			}
			row[k] = 1
			Scale(row[:k+1], 1/l.data[k*l.stride+k], row)
		}
	}
}

// square writes the lower triangle of W' W to the lower triangular w. A row of the result needs no row of W before it,
// so the rows are replaced in order.
func (w matrix) square(d int) {
	for i := 0; i < d; i += blockRows {
		end := min(i+blockRows, d)
		for k := i; k < end; k++ {
			row, _ := w.row(k)
			Scale(row[:k+1], row[k], row)
			if k+1 < end {
				addRow(w, 1, w.from(k+1, 0).t(), w.from(k+1, 0), k, end-k-1, k+1)
			}
		}
		if end < d {
			below := w.from(end, i).t()
			addProduct(w.from(i, 0), 1, below, w.from(end, 0), end-i, d-end, i)
			addLower(w.from(i, i), 1, below, w.from(end, i), end-i, d-end)
		}
	}
}

// invertTile is invert for the smallest matrices: row i of L^-1 is (e_i - sum_(k<i) l_ik w_k) / l_ii.
func invertTile(w, l []float64, d int) {
	for i := range d {
		row, li := w[i*d:i*d+i+1], l[i*d:i*d+i+1]
		reciprocal := 1 / li[i]
		row[i] = reciprocal
		for j := range i {
			sum := 0.0
			for k := j; k < i; k++ {
				sum += li[k] * w[k*d+j]
			}
			row[j] = -sum * reciprocal
		}
	}
}

// squareTile is square for the smallest matrices.
func squareTile(w []float64, d int) {
	w = w[:d*d]
	for i := range d {
		for j := range i + 1 {
			sum := 0.0
			for k := i * d; k < len(w); k += d {
				sum += w[k+i] * w[k+j]
			}
			w[i*d+j] = sum
		}
	}
}

// DiagOfSolve writes the diagonal of A^-1 S to dst, for a symmetric S and the Cholesky factor L of A, of d x d. Scratch
// holds d * d numbers. The inverse takes 2/3 d^3 operations, a third of what solving for all of A^-1 S would take; the
// diagonal is then made of the inner products of its rows with those of S.
func DiagOfSolve(dst, l, s, scratch []float64, d int) []float64 {
	InverseFromCholesky(scratch, l, d)
	RowsDot(dst, scratch, s, d, d)
	return dst
}

// TraceOfSolve returns the trace of A^-1 S, for a symmetric S and the Cholesky factor L of A, of d x d: the sum of the products of
// the entries of A^-1 and S, of which those below the diagonal count twice. Nothing above it is read. Scratch holds d * d numbers.
func TraceOfSolve(l, s, scratch []float64, d int) float64 {
	lowerOfInverse(scratch, l, d)
	return SymmetricDot(scratch, s, d)
}

// SymmetricDot returns the trace of A B, for symmetric A and B of d x d: the sum of the products of their entries, of which those below the diagonal count
// twice. Nothing above it is read.
func SymmetricDot(a, b []float64, d int) float64 {
	sum := 0.0
	for i := range d {
		x, y := a[i*d:i*d+i+1], b[i*d:i*d+i+1]
		sum += 2*Dot(x[:i], y[:i]) + x[i]*y[i]
	}
	return sum
}
