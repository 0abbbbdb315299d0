package dense

import "github.com/sngdgen/sngdgen/runtime/vector"

// Sparse is a matrix X, of n x d, that is mostly zeros, as columns of indicators are: products with vectors go over what is not 0 alone. They are those of
// MulVectors and AddMulVectors.
type Sparse struct {
	n, d          int
	rows, columns vector.Sparse // X and its transpose
}

// worth says when zeros are left out: an entry takes as long as so many of a product that has all of them, and a row as long as so many entries. Measured with 4 to
// 24 vectors, 100 to 100,000 rows and 8 to 500 columns.
const worth = 3

// SparseEntries is how many entries of X, of n x d, are not 0, or -1 where there are so many that products are as fast that have all of them.
func SparseEntries(x []float64, n, d int) int {
	if !vector.On() || n*d <= tiny { // which sums up in another way
		return -1
	}
	most, count := n*d/worth-worth*n, 0
	for i := 0; i < n && count <= most; i++ {
		for _, v := range x[i*d : (i+1)*d] {
			if v != 0 {
				count++
			}
		}
	}
	if count > most {
		return -1
	}
	return count
}

// SparseMemory is how many numbers, and how many whole numbers, SparseIn takes for so many entries.
func SparseMemory(n, d, entries int) (numbers, whole int) {
	return 2 * entries, 2*entries + vector.SparseStarts(n, d) + vector.SparseStarts(d, n)
}

// SparseIn is X, of n x d, in SparseMemory, which it keeps.
func SparseIn(numbers []float64, whole []int, x []float64, n, d int) Sparse {
	entries, matrix := len(numbers)/2, rowMajor(x, d)
	columns, starts := whole[:2*entries], whole[2*entries:]
	ofRows := vector.SparseStarts(n, d)
	return Sparse{n, d,
		vector.SparseIn(numbers[:entries], columns[:entries], starts[:ofRows], matrix.inMemory(), n, d),
		vector.SparseIn(numbers[entries:], columns[entries:], starts[ofRows:], matrix.t().inMemory(), d, n)}
}

// SparseRoom is how much memory products with a sparse matrix of d columns take besides.
func SparseRoom(d int) int { return 2 * (d + vector.SparseDepth) * vector.MostSparse }

// MulVectors is MulVectors(dst, v, x, m, n, d, stride), in memory of SparseRoom. It does nothing, and reports that, where an entry of a vector is not
// finite, as 0 times it would not be 0.
func (s *Sparse) MulVectors(dst, v []float64, m, stride int, memory []float64) bool {
	for i := range m {
		if !Finite(v[i*stride:][:s.d]) {
			return false
		}
	}
	for i := 0; i < m; i += vector.MostSparse {
		s.mulSome(dst[i*s.n:], v[i*stride:], min(m-i, vector.MostSparse), stride, memory)
	}
	return true
}

// mulSome is MulVectors for as many vectors as a product has columns.
func (s *Sparse) mulSome(dst, v []float64, m, stride int, memory []float64) {
	const rows = vector.SparseDepth
	width := vector.SparseWidth(m)
	transposed, memory := memory[:s.d*width], memory[s.d*width:]
	products, memory := memory[:rows*width], memory[rows*width:]
	vector.Transpose(transposed, width, v, stride, m, s.d)
	for i := 0; i < s.n; i += rows {
		some := min(rows, s.n-i)
		for j := 0; j < s.d; j += vector.SparseDepth {
			s.rows.Mul(products, memory, transposed[j*width:], m, i, some, j/vector.SparseDepth, false)
		}
		vector.Transpose(dst[i:], s.n, products, width, some, m)
	}
}

// AddMulVectors is AddMulVectors(v, slopes, x, m, n, d, stride) in the same way.
func (s *Sparse) AddMulVectors(v, slopes []float64, m, stride int, memory []float64) bool {
	if !Finite(slopes[:m*s.n]) {
		return false
	}
	for i := 0; i < m; i += vector.MostSparse {
		s.addSome(v[i*stride:], slopes[i*s.n:], min(m-i, vector.MostSparse), stride, memory)
	}
	return true
}

// addSome is AddMulVectors for as many vectors as a product has columns.
func (s *Sparse) addSome(v, slopes []float64, m, stride int, memory []float64) {
	width := vector.SparseWidth(m)
	totals, memory := memory[:s.d*width], memory[s.d*width:]
	transposed, memory := memory[:vector.SparseDepth*width], memory[vector.SparseDepth*width:]
	vector.Transpose(totals, width, v, stride, m, s.d)
	for i := 0; i < s.n; i += vector.SparseDepth {
		vector.Transpose(transposed, width, slopes[i:], s.n, m, min(vector.SparseDepth, s.n-i))
		s.columns.Mul(totals, memory, transposed, m, 0, s.d, i/vector.SparseDepth, true)
	}
	vector.Transpose(v, stride, totals, width, s.d, m)
}
