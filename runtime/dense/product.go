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

// MulToLower writes the lower triangle of A B to that of dst, of d x d, for A of d x k and B of k x d.
func MulToLower(dst, a, b []float64, d, k int) []float64 {
	if vector.On() && k > 0 {
		p := inMemory(rowMajor(dst, d), 1, rowMajor(a, k), rowMajor(b, d))
		p.Overwrite, p.Lower = true, true
		p.Run(d, k, d)
		return dst
	}
	for i := range d {
		clear(dst[i*d : i*d+i+1])
	}
	addLower(rowMajor(dst, d), 1, rowMajor(a, k), rowMajor(b, d), d, k)
	return dst
}

// MulLower writes L B to dst, of d x n, for a lower triangular L, which has zeros above its diagonal, and B of d x n.
func MulLower(dst, l, b []float64, d, n int) []float64 {
	if !vector.On() {
		return Mul(dst, l, b, d, d, n)
	}
	p := inMemory(rowMajor(dst, n), 1, rowMajor(l, d), rowMajor(b, n))
	p.Overwrite, p.LowerA = true, true
	p.Run(d, d, n)
	return dst
}

// MulNTLower writes A L' to dst, of m x d, for A of m x d and a lower triangular L, which has zeros above its diagonal.
func MulNTLower(dst, a, l []float64, m, d int) []float64 {
	if !vector.On() || d <= tile {
		return MulNT(dst, a, l, m, d, d)
	}
	p := inMemory(rowMajor(dst, d), 1, rowMajor(a, d), rowMajor(l, d).t())
	p.Overwrite, p.UpperB = true, true
	p.Run(m, d, d)
	return dst
}

// MulLowers writes A L' to dst, of d x d, for lower triangular A and L, which have zeros above their diagonals.
func MulLowers(dst, a, l []float64, d int) []float64 {
	if d <= tile { // a loop takes less time than a call
		for i := range d {
			for j := range d {
				sum := 0.0
				for k := range min(i, j) + 1 {
					sum += a[i*d+k] * l[j*d+k]
				}
				dst[i*d+j] = sum
			}
		}
		return dst
	}
	if !vector.On() {
		return MulNT(dst, a, l, d, d, d)
	}
	p := inMemory(rowMajor(dst, d), 1, rowMajor(a, d), rowMajor(l, d).t())
	p.Overwrite, p.LowerA, p.UpperB = true, true, true
	p.Run(d, d, d)
	return dst
}
