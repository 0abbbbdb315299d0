package vector

// solved is how many columns of a triangular matrix are solved for together; what is known of the others is taken off by
// products.
const solved = 64

// abreast is how many rows stand side by side in vectors where they are solved for.
const abreast = 16

// little is how many columns have memory of their own, as clearing that of all would take longer than solving for them.
const little = 8

// invertDiagonal writes the reciprocals of the diagonal of n x n numbers to r.
func invertDiagonal(r, l []float64, ldl, n int) {
	for i := range r[:n] {
		r[i] = 1 / l[i*ldl+i]
	}
}

// SolveLowerRows writes inv(L) x to every row x of X, of b x d, for a lower triangular L of d x d. Rows are ldx and ldl numbers
// apart; nothing above the diagonal of L is read.
func SolveLowerRows(x []float64, ldx int, l []float64, ldl, b, d int) {
	for j := 0; j < d; j += solved {
		n := min(solved, d-j)
		if j > 0 {
			p := Mul{C: Matrix{x[j:], ldx, 1}, A: Matrix{x, ldx, 1}, B: Matrix{l[j*ldl:], 1, ldl}, Alpha: -1}
			p.Run(b, j, n)
		}
		solveRows(x[j:], ldx, l[j*ldl+j:], ldl, b, n, false, false)
	}
}

// SolveLowerTriangle is SolveLowerRows for d rows, of which the entries up to the diagonal are wanted: there they have the same bits. Beyond, entries
// are unspecified.
func SolveLowerTriangle(x []float64, ldx int, l []float64, ldl, d int) {
	for j := 0; j < d; j += solved {
		n := min(solved, d-j)
		if j > 0 {
			p := Mul{C: Matrix{x[j*ldx+j:], ldx, 1}, A: Matrix{x[j*ldx:], ldx, 1}, B: Matrix{l[j*ldl:], 1, ldl}, Alpha: -1}
			p.Run(d-j, j, n)
		}
		solveRows(x[j*ldx+j:], ldx, l[j*ldl+j:], ldl, d-j, n, false, true)
	}
}

// SolveLowerTRows writes inv(L') x to every row x of X in the same way.
func SolveLowerTRows(x []float64, ldx int, l []float64, ldl, b, d int) {
	for j := (d - 1) / solved * solved; j >= 0; j -= solved {
		end := min(j+solved, d)
		if end < d {
			p := Mul{C: Matrix{x[j:], ldx, 1}, A: Matrix{x[end:], ldx, 1}, B: Matrix{l[end*ldl+j:], ldl, 1}, Alpha: -1}
			p.Run(b, d-end, end-j)
		}
		solveRows(x[j:], ldx, l[j*ldl+j:], ldl, b, end-j, true, false)
	}
}

// SolveLowerTTriangle is SolveLowerTRows for d rows, of which the entries from the diagonal on are wanted: there they have the same bits. Before it,
// entries are unspecified.
func SolveLowerTTriangle(x []float64, ldx int, l []float64, ldl, d int) {
	for j := (d - 1) / solved * solved; j >= 0; j -= solved {
		end := min(j+solved, d)
		if end < d {
			p := Mul{C: Matrix{x[j:], ldx, 1}, A: Matrix{x[end:], ldx, 1}, B: Matrix{l[end*ldl+j:], ldl, 1}, Alpha: -1}
			p.Run(end, d-end, end-j)
		}
		solveRows(x[j:], ldx, l[j*ldl+j:], ldl, end, end-j, true, false)
	}
}

// solveRows solves for n columns, at most as many as are solved for together; of a triangle for those up to the diagonal. Rows stand side by side in
// vectors for that.
func solveRows(x []float64, ldx int, l []float64, ldl, b, n int, transposed, triangle bool) {
	if n <= little {
		var memory [little * (abreast + 1)]float64
		solveRowsIn(memory[:], x, ldx, l, ldl, b, n, transposed, triangle)
		return
	}
	var memory [solved * (abreast + 1)]float64
	solveRowsIn(memory[:], x, ldx, l, ldl, b, n, transposed, triangle)
}

// solveRowsIn is solveRows in memory for the columns and the reciprocals of the diagonal.
func solveRowsIn(memory, x []float64, ldx int, l []float64, ldl, b, n int, transposed, triangle bool) {
	if b <= 0 || n <= 0 {
		return
	}
	_, _ = x[:(b-1)*ldx+n], l[:(n-1)*ldl+n]
	r, columns := memory[:n], memory[n:][:n*abreast]
	invertDiagonal(r, l, ldl, n)
	from, lRow, lColumn, first, ldt := &l[0], ldl, 1, 0, abreast
	if transposed { // the last equation first
		from, lRow, lColumn, first, ldt = &l[(n-1)*ldl+n-1], -1, -ldl, (n-1)*abreast, -abreast
		for i, j := 0, n-1; i < j; i, j = i+1, j-1 {
			r[i], r[j] = r[j], r[i]
		}
	}
	group := 2 * lanes()
	for i := 0; i < b; {
		rows, wanted := min(group, b-i), n
		if left := b - i; left > group && left < group+lanes() { // few rows have no squares to be transposed
			rows = left - lanes()
		}
		if triangle {
			wanted = min(n, i+rows)
		}
		Transpose(columns, abreast, x[i*ldx:], ldx, rows, wanted)
		solveColumns(&columns[first], ldt, from, lRow, lColumn, &r[0], wanted, rows)
		Transpose(x[i*ldx:], ldx, columns, abreast, wanted, rows)
		i += rows
	}
}

// MostSquared is how many columns there may be of SquaresOfSolve.
const MostSquared = solved

// SquaresOfSolve writes the squared norms of inv(L) x, for the rows x of X of b x d, to dst, for a lower triangular L of d x d: to the bit
// what SolveLowerRows and RowsDot give. Nothing above the diagonal of L is read.
func SquaresOfSolve(dst, x, l []float64, b, d int) {
	if b <= 0 {
		return
	}
	if dst = dst[:b]; d <= 0 {
		clear(dst)
		return
	}
	if d <= 2*lanes() && b >= lanes() {
		var packed [abreast * abreast]float64
		squaresOfFew(packed[:], dst, x, l, b, d)
		return
	}
	var memory [solved * (abreast + 1)]float64
	squaresOfSolveIn(memory[:], dst, x, l, b, d)
}

// squaresOfSolveIn is SquaresOfSolve in memory for the columns and the reciprocals of the diagonal.
func squaresOfSolveIn(memory, dst, x, l []float64, b, d int) {
	_, _ = x[:b*d], l[:d*d]
	r, columns := memory[:d], memory[d:][:d*abreast]
	invertDiagonal(r, l, d, d)
	group := 2 * lanes()
	var squares [abreast]float64
	for i := 0; i < b; i += group {
		rows := min(group, b-i)
		Transpose(columns, abreast, x[i*d:], d, rows, d)
		solveColumns(&columns[0], abreast, &l[0], d, 1, &r[0], d, rows)
		squaresOf(&squares[0], &columns[0], d)
		for j := range rows {
			dst[i+j] = squares[j]
		}
	}
}

// squaresOfFew is SquaresOfSolve for rows that vectors hold from the beginning to the end, with memory for the triangle. Rows that are left are done with
// some before them, once more.
func squaresOfFew(packed, dst, x, l []float64, b, d int) {
	_, _ = x[:b*d], l[:d*d]
	for i := range d {
		row := packed[i*abreast:][:i+1]
		copy(row, l[i*d:])
		row[i] = 1 / row[i]
	}
	side := lanes()
	most := max(1, work/(side*d*d)) * side
	for i := 0; i+side <= b; i += most {
		solvedSquares(&dst[i], &x[i*d], &packed[0], min(most, (b-i)/side*side), d)
	}
	if b%side > 0 {
		solvedSquares(&dst[b-side], &x[(b-side)*d], &packed[0], side, d)
	}
}
