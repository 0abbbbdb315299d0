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
