package vector

// Together is how many rows products with vectors take together. Of less rows than that MulVec and RowsDot do not
// know anything.
const Together = 8

// stretch is how many rows are done in a call.
const stretch = 64

// MulVec writes A x to dst, for A of r x c with contiguous rows, of which there are Together or more.
func MulVec(dst, a, x []float64, r, c int) {
	if c <= 0 {
		clear(dst[:r])
		return
	}
	_, _, _ = dst[:r], a[:r*c], x[:c]
	groups := max(1, work/(Together*c))
	for i := 0; i+Together <= r; i += Together * groups {
		dots(&dst[i], &a[i*c], c, &x[0], min(groups, (r-i)/Together), c)
	}
	if r%Together > 0 { // the last rows, with some that were done before
		dots(&dst[r-Together], &a[(r-Together)*c], c, &x[0], 1, c)
	}
}

// AddMulVec adds alpha A x to dst in the same way.
func AddMulVec(dst []float64, alpha float64, a, x []float64, r, c int) {
	var products [stretch]float64
	for i := 0; i < r; i += stretch {
		n := min(stretch, r-i)
		first := i
		if n < Together {
			first = r - Together
		}
		MulVec(products[:], a[first*c:], x, i+n-first, c)
		to := dst[i:][:n]
		for j := range to {
			to[j] += alpha * products[i-first+j]
		}
	}
}

// RowsDot writes the inner products of the rows of two blocks, of r x c, to dst. There are Together rows or more.
func RowsDot(dst, a, x []float64, r, c int) {
	if c <= 0 {
		clear(dst[:r])
		return
	}
	_, _, _ = dst[:r], a[:r*c], x[:r*c]
	groups := max(1, work/(Together*c))
	for i := 0; i+Together <= r; i += Together * groups {
		rowDots(&dst[i], &a[i*c], c, &x[i*c], c, min(groups, (r-i)/Together), c)
	}
	if r%Together > 0 {
		rowDots(&dst[r-Together], &a[(r-Together)*c], c, &x[(r-Together)*c], c, 1, c)
	}
}

// AddMulTVec adds alpha A' w to dst, for A of r x c with contiguous rows.
func AddMulTVec(dst []float64, alpha float64, a, w []float64, r, c int) {
	if r <= 0 || c <= 0 {
		return
	}
	_, _, _ = dst[:c], a[:r*c], w[:r]
	var scaled [stretch]float64
	n := max(Together, min(stretch, work/c/Together*Together))
	for i := 0; i < r; i += n {
		rows := min(n, r-i)
		for j, v := range w[i : i+rows] {
			scaled[j] = alpha * v
		}
		combineRows(&dst[0], &a[i*c], c, &scaled[0], rows, c)
	}
}

// AddScaledRows adds s_i times row i of A, of r x c, to row i of dst: of one row a again and again where lda is 0. Each product is rounded.
func AddScaledRows(dst, s, a []float64, lda, r, c int) {
	if r <= 0 || c <= 0 {
		return
	}
	_, _, _ = dst[:r*c], s[:r], a[:(r-1)*lda+c]
	n := max(1, work/c)
	for i := 0; i < r; i += n {
		addScaledRows(&dst[i*c], &a[i*lda], lda, &s[i], min(n, r-i), c)
	}
}

// Gather writes the rows of A that are listed, each of c numbers, to dst, one behind the other. It panics where A has no such row.
func Gather(dst, a []float64, rows []int, c int) {
	if c <= 0 || len(rows) == 0 {
		return
	}
	dst = dst[:len(rows)*c]
	known := uint(len(a) / c)
	for _, i := range rows {
		if uint(i) >= known {
			panic("vector: no such row")
		}
	}
	n := max(1, work/c)
	for len(rows) > 0 {
		r := min(n, len(rows))
		gatherRows(&dst[0], &a[0], &rows[0], r, c)
		dst, rows = dst[r*c:], rows[r:]
	}
}
