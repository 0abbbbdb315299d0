package dense

import (
	"gonum.org/v1/gonum/blas"

	"github.com/sngdgen/sngdgen/runtime/vector"
)

// matrix is a part of a matrix in row-major storage, or the transpose of one; its lengths go with each operation.
type matrix struct {
	data   []float64
	stride int
	flip   bool // the transpose of what is stored
}

func rowMajor(data []float64, columns int) matrix { return matrix{data: data, stride: columns} }

// t is the transpose.
func (a matrix) t() matrix { return matrix{a.data, a.stride, !a.flip} }

// from is the part that begins at row i and column j.
func (a matrix) from(i, j int) matrix {
	if a.flip {
		i, j = j, i
	}
	return matrix{a.data[i*a.stride+j:], a.stride, a.flip}
}

// row returns what is stored from the beginning of row i on, and the distance of its elements.
func (a matrix) row(i int) ([]float64, int) {
	if a.flip {
		return a.data[i:], a.stride
	}
	return a.data[i*a.stride:], 1
}

// addRow adds alpha x B to row i of dst, for the row x of A with the same number and B of k x n.
func addRow(dst matrix, alpha float64, a, b matrix, i, k, n int) {
	y, incY := dst.row(i)
	x, incX := a.row(i)
	if b.flip {
		kernel.Dgemv(blas.NoTrans, n, k, alpha, b.data, b.stride, x, incX, 1, y, incY)
	} else {
		kernel.Dgemv(blas.Trans, k, n, alpha, b.data, b.stride, x, incX, 1, y, incY)
	}
}

const (
	// Blocks of blockRows x blockColumns of the right factor stay in the first-level cache; those of less columns have
	// more rows.
	blockRows    = 64
	blockColumns = 64
	blockSize    = blockRows * blockColumns
	// group is how many rows of the result pass a block before the next one: few enough that they stay in the cache until
	// they are complete, many enough to pay for fetching the block.
	group = 32
	// tall is the ratio of rows to columns from which on a product is taken column by column: there are fewer.
	tall = 2
	// tiny is the number of multiplications up to which loops beat calls.
	tiny = 64
)

// addProduct adds alpha A B to dst, of m x n, for A of m x k and B of k x n.
func addProduct(dst matrix, alpha float64, a, b matrix, m, k, n int) {
	if k == 0 {
		return
	}
	if m*k*n <= tiny {
		addTiny(dst, alpha, a, b, m, k, n)
		return
	}
	if vector.On() {
		p := inMemory(dst, alpha, a, b)
		p.Run(m, k, n)
		return
	}
	if m > tall*n && n < blockColumns {
		dst, a, b, m, n = dst.t(), b.t(), a.t(), n, m
	}
	for i := 0; i < m; i += group {
		addRows(dst, alpha, a, b, i, min(i+group, m), k, n, false)
	}
}

// inMemory is a product for the kernels in assembly.
func inMemory(dst matrix, alpha float64, a, b matrix) vector.Mul {
	return vector.Mul{C: dst.inMemory(), A: a.inMemory(), B: b.inMemory(), Alpha: alpha}
}

func (a matrix) inMemory() vector.Matrix {
	row, column := a.steps()
	return vector.Matrix{Data: a.data, Row: row, Column: column}
}

// steps returns the distances of the rows and of the columns.
func (a matrix) steps() (row, column int) {
	if a.flip {
		return 1, a.stride
	}
	return a.stride, 1
}

func addTiny(dst matrix, alpha float64, a, b matrix, m, k, n int) {
	dstRow, dstColumn := dst.steps()
	aRow, aColumn := a.steps()
	bRow, bColumn := b.steps()
	for i := range m {
		for j := range n {
			sum := 0.0
			for l := range k {
				sum += a.data[i*aRow+l*aColumn] * b.data[l*bRow+j*bColumn]
			}
			dst.data[i*dstRow+j*dstColumn] += alpha * sum
		}
	}
}

// addLower adds the lower triangle of alpha A B to that of dst, of d x d, for A of d x k and B of k x d.
func addLower(dst matrix, alpha float64, a, b matrix, d, k int) {
	if vector.On() {
		p := inMemory(dst, alpha, a, b)
		p.Lower = true
		p.Run(d, k, d)
		return
	}
	for i := 0; i < d; i += group {
		addRows(dst, alpha, a, b, i, min(i+group, d), k, d, true)
	}
}

// addRows does rows first to last-1 of a product with n columns, or of its lower triangle.
func addRows(dst matrix, alpha float64, a, b matrix, first, last, k, n int, lower bool) {
	columns := min(blockColumns, n)
	rows := blockSize / max(columns, 1)
	for l := 0; l < k; l += rows {
		for j := 0; j < n && !(lower && j >= last); j += columns {
			to, from, block := dst.from(0, j), a.from(0, l), b.from(l, j)
			for i := first; i < last; i++ {
				end := n
				if lower {
					end = i + 1
				}
				if end > j {
					addRow(to, alpha, from, block, i, min(rows, k-l), min(columns, end-j))
				}
			}
		}
	}
}
