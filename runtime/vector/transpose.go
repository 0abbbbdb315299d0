package vector

// transposed is how many numbers a call transposes.
const transposed = 1 << 16

// Transpose writes the transpose of A to dst, for A of r x c. The rows of both are contiguous, ldd and lda numbers apart.
// They may be parts of the same matrix that do not overlap.
func Transpose(dst []float64, ldd int, a []float64, lda, r, c int) {
	if r <= 0 || c <= 0 {
		return
	}
	_, _ = dst[:(c-1)*ldd+r], a[:(r-1)*lda+c]
	side := squares(min(r, c))
	if most := max(side, transposed/c/side*side); r > most && c >= side {
		for i := 0; i < r; i += most {
			n := min(most, r-i)
			if n < side { // with some of the rows before it
				i, n = r-side, side
			}
			Transpose(dst[i:], ldd, a[i*lda:], lda, n, c)
		}
		return
	}
	if r < side || c < side {
		transposeFew(dst, ldd, a, lda, r, c)
		return
	}
	// What is left at the ends is done together with what is before it, once more.
	rows, columns := r/side*side, c/side*side
	transposeBlock(&dst[0], ldd, &a[0], lda, rows, columns, side)
	if columns < c {
		transposeBlock(&dst[(c-side)*ldd], ldd, &a[c-side], lda, rows, side, side)
	}
	if rows == r {
		return
	}
	transposeBlock(&dst[r-side], ldd, &a[(r-side)*lda], lda, side, columns, side)
	if columns < c {
		transposeBlock(&dst[(c-side)*ldd+r-side], ldd, &a[(r-side)*lda+c-side], lda, side, side, side)
	}
}

// squares is the side of the squares of numbers by which matrices are transposed that have at least so many rows and columns: that of the vectors of AVX2
// where there are too few for wider ones.
func squares(least int) int {
	if least < lanes() {
		return 4
	}
	return lanes()
}

// transposeFew is Transpose where there is no whole square.
func transposeFew(dst []float64, ldd int, a []float64, lda, r, c int) {
	for i := range r {
		row := a[i*lda:][:c]
		for j, v := range row {
			dst[j*ldd+i] = v
		}
	}
}

// TurnLower moves the lower triangle of A, of d x d, to the upper one, and leaves the lower one unspecified.
func TurnLower(a []float64, lda, d int) {
	side := lanes()
	for i := 0; i < d; i += side {
		n := min(side, d-i)
		turnSquare(a[i*lda+i:], lda, n, side)
		Transpose(a[i:], lda, a[i*lda:], lda, n, i)
	}
}

// TurnUpper moves the upper triangle of A, of d x d, to the lower one, with zeros in its place.
func TurnUpper(a []float64, lda, d int) {
	side := lanes()
	for i := 0; i < d; i += side {
		n := min(side, d-i)
		turnSquare(a[i*lda+i:], lda, n, side)
		Transpose(a[i*lda:], lda, a[i:], lda, i, n)
	}
	for i := range d {
		clear(a[i*lda+i+1 : i*lda+d])
	}
}

// turnSquare transposes a square in place.
func turnSquare(a []float64, lda, n, side int) {
	if n == side {
		_ = a[:(n-1)*lda+n]
		transposeBlock(&a[0], lda, &a[0], lda, n, n, side)
		return
	}
	for i := range n {
		for j := range i {
			a[i*lda+j], a[j*lda+i] = a[j*lda+i], a[i*lda+j]
		}
	}
}

// square is how many rows of a large matrix are mirrored at a time: so many numbers one behind the other are written to every row above.
const square = 32

// MirrorLower copies the lower triangle of A, of d x d, to its upper one.
func MirrorLower(a []float64, lda, d int) {
	if d < 2*lanes() {
		mirrorSquare(a, lda, d)
		return
	}
	mirrorRows(a, lda, 0, d)
}

// mirrorRows is MirrorLower for some rows, the next ones. Where few are left at the end they are done together with some before them, once more, as few
// rows have no squares to be transposed.
func mirrorRows(a []float64, lda, first, rows int) {
	end, side := first+rows, lanes()
	if end >= 4*square {
		side = square
	}
	for i := first; i < end; i += side {
		i = min(i, max(end-side, 0))
		n := min(side, end-i)
		if n == square {
			MirrorLower(a[i*lda+i:], lda, n)
		} else {
			mirrorSquare(a[i*lda+i:], lda, n)
		}
		if i > 0 {
			Transpose(a[i:], lda, a[i*lda:], lda, n, i)
		}
	}
}

// mirrorSquare mirrors a small square by a loop.
func mirrorSquare(a []float64, lda, d int) {
	for r := 1; r < d; r++ {
		for c, v := range a[r*lda : r*lda+r] {
			a[c*lda+r] = v
		}
	}
}
