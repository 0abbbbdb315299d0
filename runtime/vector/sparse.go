package vector

const (
	// MostSparse is how many columns a product with a sparse matrix has at most.
	MostSparse = 24
	// SparseDepth is how many columns of a sparse matrix are multiplied at a time: so many rows of B stay in the nearest cache.
	SparseDepth = shallower
)

// Sparse is a matrix of which only the entries that are not 0 are kept, row by row, in stretches of SparseDepth columns.
type Sparse struct {
	r, c    int
	values  []float64
	columns []int // from the first of the stretch on
	starts  []int // of the r rows of a stretch, stretch by stretch, and the end
}

// SparseStarts is how many starts of rows a matrix of r x c has.
func SparseStarts(r, c int) int { return (c+SparseDepth-1)/SparseDepth*r + 1 }

// SparseIn takes the entries of A, of r x c, that are not 0: as many as values and columns have room for. There are SparseStarts.
func SparseIn(values []float64, columns, starts []int, a Matrix, r, c int) Sparse {
	_ = a.Data[:a.extent(r, c)]
	s := Sparse{r, c, values, columns, starts}
	next, entries := 0, 0
	for first := 0; first < c; first += SparseDepth {
		for i := range r {
			starts[next] = entries
			entries = s.take(entries, a.Data[i*a.Row+first*a.Column:], a.Column, min(SparseDepth, c-first))
			next++
		}
	}
	starts[next] = entries
	return s
}

// take takes what is not 0 of a row of a stretch, and returns how many entries there are then.
func (s *Sparse) take(entries int, row []float64, step, columns int) int {
	for j := range columns {
		if v := row[j*step]; v != 0 {
			s.values[entries], s.columns[entries] = v, j
			entries++
		}
	}
	return entries
}

// SparseWidth is how far rows of n columns, at most MostSparse, lie apart in B and in products: whole lines of memory.
func SparseWidth(n int) int { return (n + 7) / 8 * 8 }

// summed is how many stretches have as many terms as products sum up in registers.
func (s *Sparse) summed() int { return depthOf(s.c) / SparseDepth }

// Mul multiplies r rows of A, from the first one on, and the columns of a stretch with n columns of B. What comes of all stretches, one after the other, is in dst
// at the end: the product, or with add what was there plus the product. Meanwhile sums are kept from call to call. Where all of B is finite, what comes out is
// that of Mul.Run with an Alpha of 1.
func (s *Sparse) Mul(dst, sums, b []float64, n, first, r, stretch int, add bool) {
	summed := s.summed()
	if stretch < summed && !add { // the first sum is all there is so far
		s.sum(dst, b, n, first, r, stretch)
		return
	}
	s.sum(sums, b, n, first, r, stretch)
	if stretch%summed == summed-1 || (stretch+1)*SparseDepth >= s.c {
		numbers := r * SparseWidth(n)
		Combine(Plus, dst[:numbers], dst[:numbers], sums[:numbers])
	}
}

// sum writes the sums to dst, or goes on with those that are there.
func (s *Sparse) sum(dst, b []float64, n, first, r, stretch int) {
	if r == 0 {
		return
	}
	width, more := SparseWidth(n), stretch%s.summed() > 0
	_, _ = dst[:r*width], b[:min(SparseDepth, s.c-stretch*SparseDepth)*width]
	starts := s.starts[stretch*s.r+first:][:r+1]
	if starts[0] == starts[r] { // there may be no entry at all
		if !more {
			clear(dst[:r*width])
		}
		return
	}
	most := work / (SparseDepth * width)
	for i := 0; i < r; i += most {
		sparseRows((n+3)/4*4, &dst[i*width], &s.values[0], &s.columns[0], &starts[i], &b[0], min(most, r-i), more)
	}
}
