package dense

import "github.com/sngdgen/sngdgen/runtime/vector"

// Mul writes A B to dst, of m x n, for A of m x k and B of k x n.
func Mul(dst, a, b []float64, m, k, n int) []float64 {
	if vector.On() && k > 0 {
		p := inMemory(rowMajor(dst, n), 1, rowMajor(a, k), rowMajor(b, n))
		p.Overwrite = true
		p.Run(m, k, n)
		return dst
	}
	clear(dst[:m*n])
	AddMul(dst, 1, a, b, m, k, n)
	return dst
}

// AddMul adds alpha A B to dst, of m x n, for A of m x k and B of k x n.
func AddMul(dst []float64, alpha float64, a, b []float64, m, k, n int) {
	addProduct(rowMajor(dst, n), alpha, rowMajor(a, k), rowMajor(b, n), m, k, n)
}

// MulNT writes A B' to dst, of m x n, for A of m x k and B of n x k.
func MulNT(dst, a, b []float64, m, k, n int) []float64 {
	if vector.On() && k > 0 {
		p := inMemory(rowMajor(dst, n), 1, rowMajor(a, k), rowMajor(b, k).t())
		p.Overwrite = true
		p.Run(m, k, n)
		return dst
	}
	clear(dst[:m*n])
	AddMulNT(dst, 1, a, b, m, k, n)
	return dst
}

// AddMulNT adds alpha A B' to dst, of m x n, for A of m x k and B of n x k.
func AddMulNT(dst []float64, alpha float64, a, b []float64, m, k, n int) {
	addProduct(rowMajor(dst, n), alpha, rowMajor(a, k), rowMajor(b, k).t(), m, k, n)
}
