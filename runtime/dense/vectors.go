package dense

import "github.com/sngdgen/sngdgen/runtime/vector"

// MulVectors writes the inner products of m vectors with the n rows of X, of n x d, to dst, of m x n. The vectors have d entries, and begin in v
// so many numbers after each other as stride says.
func MulVectors(dst, v, x []float64, m, n, d, stride int) {
	if m == 0 || n == 0 {
		return
	}
	vectors := rowMajor(v, stride)
	if vector.On() && d > 0 {
		p := inMemory(rowMajor(dst, n), 1, vectors, rowMajor(x, d).t())
		p.Overwrite = true
		p.Run(m, d, n)
		return
	}
	clear(dst[:m*n])
	addProduct(rowMajor(dst, n), 1, vectors, rowMajor(x, d).t(), m, d, n)
}

// AddMulVectors adds S X to m vectors, for S of m x n and X of n x d. The vectors have d entries, and begin in v so many numbers after each other
// as stride says.
func AddMulVectors(v, s, x []float64, m, n, d, stride int) {
	if m == 0 || d == 0 {
		return
	}
	addProduct(rowMajor(v, stride), 1, rowMajor(s, n), rowMajor(x, d), m, n, d)
}

// mostTransposed is how many numbers are transposed at most: so many stay in a cache.
const mostTransposed = 1 << 18

// transposedStride is how far the columns of n rows lie apart: whole lines of memory, and not by a power of two, for which they would compete for
// places in the cache.
func transposedStride(n int) int { return (n+7)/8*8 | 8 }

// TransposedRoom is how many numbers TransposeApart writes for n rows of d numbers, 0 where products are no faster with them.
func TransposedRoom(n, d int) int {
	if room := transposedStride(n) * d; vector.On() && n >= narrow && room <= mostTransposed {
		return room
	}
	return 0
}

// TransposeApart writes the columns of X, of n x d, to dst, of TransposedRoom numbers.
func TransposeApart(dst, x []float64, n, d int) {
	vector.Transpose(dst, transposedStride(n), x, d, n, d)
}

// MulTransposed is MulVectors with what TransposeApart has made of X. It has the same bits.
func MulTransposed(dst, v, columns []float64, m, n, d, stride int) {
	if m == 0 || n == 0 {
		return
	}
	p := inMemory(rowMajor(dst, n), 1, rowMajor(v, stride), rowMajor(columns, transposedStride(n)))
	p.Overwrite = true
	p.Run(m, d, n)
}
