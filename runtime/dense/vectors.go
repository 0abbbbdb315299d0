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

// mostTurned is how many numbers are turned at most: so many stay in a cache.
const mostTurned = 1 << 18

// turnedStride is how far the columns of n rows lie apart: whole lines of memory, and not by a power of two, for which they would compete for
// places in the cache.
func turnedStride(n int) int { return (n+7)/8*8 | 8 }

// TurnedRoom is how many numbers Turn writes for n rows of d numbers, 0 where products are no faster with them.
func TurnedRoom(n, d int) int {
	if room := turnedStride(n) * d; vector.On() && n >= narrow && room <= mostTurned {
		return room
	}
	return 0
}

// Turn writes the columns of X, of n x d, to dst, of TurnedRoom numbers.
func Turn(dst, x []float64, n, d int) { vector.Transpose(dst, turnedStride(n), x, d, n, d) }

// MulTurned is MulVectors with what Turn has made of X. It has the same bits.
func MulTurned(dst, v, turned []float64, m, n, d, stride int) {
	if m == 0 || n == 0 {
		return
	}
	p := inMemory(rowMajor(dst, n), 1, rowMajor(v, stride), rowMajor(turned, turnedStride(n)))
	p.Overwrite = true
	p.Run(m, d, n)
}
