package vector

// InvertLower writes inv(L) to W, of d x d, with zeros above the diagonal, for a lower triangular L. Rows are d numbers apart. Nothing
// above the diagonal of L is read.
func InvertLower(w, l []float64, d int) {
	clear(w[:d*d])
	for j := 0; j < d; j += solved {
		n := min(solved, d-j)
		for c := 0; c < j; c += solved { // a column of blocks of the inverse begins at its diagonal
			p := Mul{C: Matrix{w[j*d+c:], d, 1}, A: Matrix{l[j*d+c:], d, 1}, B: Matrix{w[c*d+c:], d, 1}, Alpha: -1}
			p.Run(n, j-c, min(solved, j-c))
		}
		invertBlock(w, l, d, j, n)
	}
}

// invertBlock does rows j to j+n-1, from which what is known has been taken off.
func invertBlock(w, l []float64, d, j, n int) {
	var r [solved]float64
	invertDiagonal(r[:], l[j*d+j:], d, n)
	for i := range n {
		w[(j+i)*d+j+i] = 1
	}
	group := 2 * lanes()
	for c := 0; c < j; c += group {
		solveColumns(&w[j*d+c], d, &l[j*d+j], d, 1, &r[0], n, min(group, j-c))
	}
	for c := 0; c < n; c += group { // above there are zeros
		solveColumns(&w[(j+c)*d+j+c], d, &l[(j+c)*d+j+c], d, 1, &r[c], n-c, min(group, n-c))
	}
}

// SquareLower replaces the lower triangular W, of d x d with zeros above the diagonal, by W' W. What is above the diagonal is
// unspecified then. A row of the result needs no row of W before it, so the rows are replaced in order.
func SquareLower(w []float64, d int) {
	for i := 0; i < d; i += solved {
		end := min(i+solved, d)
		for k := i; k < end; k += side {
			squareRows(w, d, k, min(side, end-k), end)
		}
		p := Mul{C: Matrix{w[i*d:], d, 1}, A: Matrix{w[min(end*d+i, d*d):], 1, d}, B: Matrix{w[min(end*d, d*d):], d, 1}, Alpha: 1}
		p.Run(end-i, d-end, end)
	}
}

// squareRows does rows i to i+n-1, as far as rows before the end contribute. The kernel of products stores a row only when those
// that it takes from there are loaded, and multiplies by the zeros above the diagonal what it has stored before.
func squareRows(w []float64, d, i, n, end int) {
	var triangle [side * side]float64
	for k := range n {
		for c := range k + 1 {
			triangle[k*side+c] = w[(i+k)*d+i+c]
		}
	}
	over, below := w[i*d:], w[min((i+n)*d, d*d):]
	for c := 0; c < i+n; {
		columns := panelColumns(i+n-c, false)
		mulPanel(&over[c], d, &triangle[0], 1, side, &over[c], d, nil, n, n, columns, 1, full, 1)
		c += columns
	}
	if i+n < end {
		p := Mul{C: Matrix{over, d, 1}, A: Matrix{below[i:], 1, d}, B: Matrix{below, d, 1}, Alpha: 1}
		p.Run(n, end-i-n, i+n)
	}
}
