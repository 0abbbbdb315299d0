package vector

import "math"

// side is the size of the triangles that are factored by loops in Go.
const side = 8

// Cholesky replaces the upper triangle of A, of d x d with rows lda numbers apart, by the factor U of A = U' U, and reports whether A
// is positive definite in floating point. Nothing below the diagonal is read or written but in the squares of 8 numbers
// on it.
func Cholesky(a []float64, lda, d int) bool {
	for j := 0; j < d; j += solved {
		n := min(solved, d-j)
		if j > 0 {
			lessKnown(a, lda, j, 0, n, d-j)
		}
		if !factorUpper(a[j*lda+j:], lda, n) {
			return false
		}
		if j+n < d {
			solveUpper(a[j*lda+j:], a[j*lda+j+n:], lda, n, d-j-n)
		}
	}
	return true
}

// lessKnown takes what the rows above, from row first on, contribute off rows and columns j of A on.
func lessKnown(a []float64, lda, j, first, rows, columns int) {
	above := a[first*lda+j:]
	p := Mul{C: Matrix{a[j*lda+j:], lda, 1}, A: Matrix{above, 1, lda}, B: Matrix{above, lda, 1}, Alpha: -1}
	p.Run(rows, j-first, columns)
}

// factorUpper is Cholesky for one block.
func factorUpper(a []float64, lda, d int) bool {
	for j := 0; j < d; j += side {
		n := min(side, d-j)
		if j > 0 {
			lessKnown(a, lda, j, 0, n, d-j)
		}
		if !factorSide(a[j*lda+j:], lda, n) {
			return false
		}
		if j+n < d {
			solveUpper(a[j*lda+j:], a[j*lda+j+n:], lda, n, d-j-n)
		}
	}
	return true
}

// factorSide is Cholesky for the smallest triangle.
func factorSide(a []float64, lda, n int) bool {
	for i := range n {
		row := a[i*lda : i*lda+n]
		for k := range i {
			above := a[k*lda : k*lda+n][:len(row)]
			u := above[i]
			for j := i; j < len(row); j++ {
				row[j] -= u * above[j]
			}
		}
		pivot := row[i]
		if !(pivot > 0 && pivot <= math.MaxFloat64) {
			return false
		}
		root := math.Sqrt(pivot)
		row[i] = root
		reciprocal := 1 / root
		for j := i + 1; j < len(row); j++ {
			row[j] *= reciprocal
		}
	}
	return true
}

// solveUpper writes inv(U') X to X, of n x columns, for an upper triangular U of n x n.
func solveUpper(u, x []float64, lda, n, columns int) {
	var r [solved]float64
	_, _ = u[:(n-1)*lda+n], x[:(n-1)*lda+columns]
	invertDiagonal(r[:], u, lda, n)
	group := 2 * lanes()
	for j := 0; j < columns; j += group {
		solveColumns(&x[j], lda, &u[0], 1, lda, &r[0], n, min(group, columns-j))
	}
}
