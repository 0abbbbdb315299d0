package vector

// mulPanel adds alpha A diag(w) B to C, or writes A diag(w) B over it, for a panel of at most three vectors of columns.
func mulPanel(c *float64, ldc int, a *float64, aRow, aColumn int, b *float64, ldb int, w *float64, m, k, n int,
	alpha float64, lower, overwrite int) {
	if active == AVX512 {
		switch {
		case w == nil && n <= 8:
			mul1AVX512(c, ldc, a, aRow, aColumn, b, ldb, m, k, n, alpha, lower, overwrite)
		case w == nil && n <= 16:
			mul2AVX512(c, ldc, a, aRow, aColumn, b, ldb, m, k, n, alpha, lower, overwrite)
		case w == nil:
			mul3AVX512(c, ldc, a, aRow, aColumn, b, ldb, m, k, n, alpha, lower, overwrite)
		case n <= 8:
			mul1WAVX512(c, ldc, a, aRow, aColumn, b, ldb, w, m, k, n, alpha, lower, overwrite)
		case n <= 16:
			mul2WAVX512(c, ldc, a, aRow, aColumn, b, ldb, w, m, k, n, alpha, lower, overwrite)
		default:
			mul3WAVX512(c, ldc, a, aRow, aColumn, b, ldb, w, m, k, n, alpha, lower, overwrite)
		}
		return
	}
	switch {
	case w == nil && n <= 4:
		mul1AVX2(c, ldc, a, aRow, aColumn, b, ldb, m, k, n, alpha, lower, overwrite)
	case w == nil && n <= 8:
		mul2AVX2(c, ldc, a, aRow, aColumn, b, ldb, m, k, n, alpha, lower, overwrite)
	case w == nil:
		mul3AVX2(c, ldc, a, aRow, aColumn, b, ldb, m, k, n, alpha, lower, overwrite)
	case n <= 4:
		mul1WAVX2(c, ldc, a, aRow, aColumn, b, ldb, w, m, k, n, alpha, lower, overwrite)
	case n <= 8:
		mul2WAVX2(c, ldc, a, aRow, aColumn, b, ldb, w, m, k, n, alpha, lower, overwrite)
	default:
		mul3WAVX2(c, ldc, a, aRow, aColumn, b, ldb, w, m, k, n, alpha, lower, overwrite)
	}
}

// transposeBlock writes the transpose of r x c numbers, both multiples of the side of the squares, which is 4 or that of vectors, and not 0.
func transposeBlock(dst *float64, ldd int, src *float64, lds, r, c, side int) {
	if side == 8 {
		transposeAVX512(dst, ldd, src, lds, r, c)
	} else {
		transposeAVX2(dst, ldd, src, lds, r, c)
	}
}

// solveColumns writes inv(L) X to X, of n x columns, for the reciprocals r of the diagonal of L. There are at most two vectors of
// columns.
func solveColumns(x *float64, ldx int, l *float64, lRow, lColumn int, r *float64, n, columns int) {
	if active == AVX512 {
		solveAVX512(x, ldx, l, lRow, lColumn, r, n, columns)
	} else {
		solveAVX2(x, ldx, l, lRow, lColumn, r, n, columns)
	}
}

// squaresOf writes the squared norms of the columns of n x 16 numbers to dst. n is not 0.
func squaresOf(dst, x *float64, n int) {
	if active == AVX512 {
		squaresAVX512(dst, x, n)
	} else {
		squaresAVX2(dst, x, n)
	}
}

// solvedSquares writes the squared norms of inv(L) x to dst, for the r rows x of X, whole vectors of them and not 0, of d numbers, at most as many as two
// vectors have. Rows of L are 16 numbers apart, with reciprocals on the diagonal.
func solvedSquares(dst, x, l *float64, r, d int) {
	if active == AVX512 {
		solvedSquaresAVX512(dst, x, l, r, d)
	} else {
		solvedSquaresAVX2(dst, x, l, r, d)
	}
}

// combineRows adds the sum of w_i times row i of A, of r x c, to dst.
func combineRows(dst *float64, a *float64, lda int, w *float64, r, c int) {
	if active == AVX512 {
		combineAVX512(dst, a, lda, w, r, c)
	} else {
		combineAVX2(dst, a, lda, w, r, c)
	}
}

// dots writes the inner products of eight rows of A, each of c numbers, with x to dst, and goes on with the next eight rows.
func dots(dst *float64, a *float64, lda int, x *float64, groups, c int) {
	if active == AVX512 {
		dotsAVX512(dst, a, lda, x, groups, c)
	} else {
		dotsAVX2(dst, a, lda, x, groups, c)
	}
}

// leftOfDiagonal adds what eight rows of a symmetric A have left of the diagonal, c numbers each, to the product y of A and x. c is a multiple of eight, and not 0.
func leftOfDiagonal(y, a *float64, lda int, x *float64, c int) {
	if active == AVX512 {
		leftOfDiagonalAVX512(y, a, lda, x, c)
	} else {
		leftOfDiagonalAVX2(y, a, lda, x, c)
	}
}

// gatherRows writes the r rows of A that are listed, each of c numbers, to dst, one behind the other. r is not 0.
func gatherRows(dst, a *float64, rows *int, r, c int) {
	if active == AVX512 {
		gatherAVX512(dst, a, rows, r, c)
	} else {
		gatherAVX2(dst, a, rows, r, c)
	}
}

// rowDots writes the inner products of eight rows of A with eight of X to dst, and goes on with the next eight rows.
func rowDots(dst *float64, a *float64, lda int, x *float64, ldx, groups, c int) {
	if active == AVX512 {
		rowDotsAVX512(dst, a, lda, x, ldx, groups, c)
	} else {
		rowDotsAVX2(dst, a, lda, x, ldx, groups, c)
	}
}

func expOf(dst, x *float64, n int) {
	if active == AVX512 {
		expAVX512(dst, x, n)
	} else {
		expAVX2(dst, x, n)
	}
}

func logOf(dst, x *float64, n int) {
	if active == AVX512 {
		logAVX512(dst, x, n)
	} else {
		logAVX2(dst, x, n)
	}
}

func expShares(dst, x, top, sums *float64, n int) {
	if active == AVX512 {
		expSharesAVX512(dst, x, top, sums, n)
	} else {
		expSharesAVX2(dst, x, top, sums, n)
	}
}

func larger(dst, x *float64, n int) {
	if active == AVX512 {
		largerAVX512(dst, x, n)
	} else {
		largerAVX2(dst, x, n)
	}
}

func add(dst, a, b *float64, n int) {
	if active == AVX512 {
		addAVX512(dst, a, b, n)
	} else {
		addAVX2(dst, a, b, n)
	}
}

func subtract(dst, a, b *float64, n int) {
	if active == AVX512 {
		subtractAVX512(dst, a, b, n)
	} else {
		subtractAVX2(dst, a, b, n)
	}
}

func multiply(dst, a, b *float64, n int) {
	if active == AVX512 {
		multiplyAVX512(dst, a, b, n)
	} else {
		multiplyAVX2(dst, a, b, n)
	}
}

func divide(dst, a, b *float64, n int) {
	if active == AVX512 {
		divideAVX512(dst, a, b, n)
	} else {
		divideAVX2(dst, a, b, n)
	}
}

func addNumber(dst, a *float64, b float64, n int) {
	if active == AVX512 {
		addNumberAVX512(dst, a, b, n)
	} else {
		addNumberAVX2(dst, a, b, n)
	}
}

func subtractNumber(dst, a *float64, b float64, n int) {
	if active == AVX512 {
		subtractNumberAVX512(dst, a, b, n)
	} else {
		subtractNumberAVX2(dst, a, b, n)
	}
}

func multiplyNumber(dst, a *float64, b float64, n int) {
	if active == AVX512 {
		multiplyNumberAVX512(dst, a, b, n)
	} else {
		multiplyNumberAVX2(dst, a, b, n)
	}
}

func divideNumber(dst, a *float64, b float64, n int) {
	if active == AVX512 {
		divideNumberAVX512(dst, a, b, n)
	} else {
		divideNumberAVX2(dst, a, b, n)
	}
}

func subtractFrom(dst, a *float64, b float64, n int) {
	if active == AVX512 {
		subtractFromAVX512(dst, a, b, n)
	} else {
		subtractFromAVX2(dst, a, b, n)
	}
}

func divideFrom(dst, a *float64, b float64, n int) {
	if active == AVX512 {
		divideFromAVX512(dst, a, b, n)
	} else {
		divideFromAVX2(dst, a, b, n)
	}
}

func inverseRoot(dst, x *float64, n int) {
	if active == AVX512 {
		inverseRootAVX512(dst, x, n)
	} else {
		inverseRootAVX2(dst, x, n)
	}
}

func expm1Of(dst, x *float64, n int) {
	if active == AVX512 {
		expm1AVX512(dst, x, n)
	} else {
		expm1AVX2(dst, x, n)
	}
}

func log1pOf(dst, x *float64, n int) {
	if active == AVX512 {
		log1pAVX512(dst, x, n)
	} else {
		log1pAVX2(dst, x, n)
	}
}

func sigmoidOf(dst, x *float64, n int) {
	if active == AVX512 {
		sigmoidAVX512(dst, x, n)
	} else {
		sigmoidAVX2(dst, x, n)
	}
}

func softplusOf(dst, x *float64, n int) {
	if active == AVX512 {
		softplusAVX512(dst, x, n)
	} else {
		softplusAVX2(dst, x, n)
	}
}

func softplusSigmoidOf(softplus, sigmoid, x *float64, n int) {
	if active == AVX512 {
		softplusSigmoidAVX512(softplus, sigmoid, x, n)
	} else {
		softplusSigmoidAVX2(softplus, sigmoid, x, n)
	}
}

func logNdtrRatioOf(log, ratio, x *float64, n int) {
	if active == AVX512 {
		logNdtrRatioAVX512(log, ratio, x, n)
	} else {
		logNdtrRatioAVX2(log, ratio, x, n)
	}
}

func lgammaDiffOf(dst, x, table *float64, seen *uint64, n int) {
	if active == AVX512 {
		lgammaDiffAVX512(dst, x, table, seen, n)
	} else {
		lgammaDiffAVX2(dst, x, table, seen, n)
	}
}

func digammaDiffOf(dst, x, table *float64, seen *uint64, n int) {
	if active == AVX512 {
		digammaDiffAVX512(dst, x, table, seen, n)
	} else {
		digammaDiffAVX2(dst, x, table, seen, n)
	}
}

func lgammaDigammaDiffOf(lgamma, digamma, x, table *float64, seen *uint64, n int) {
	if active == AVX512 {
		lgammaDigammaDiffAVX512(lgamma, digamma, x, table, seen, n)
	} else {
		lgammaDigammaDiffAVX2(lgamma, digamma, x, table, seen, n)
	}
}

// series is the same on both levels: three series fill a vector of AVX2.
func series(first, second, third, x *float64, cells *int32, table *float64, size, n int) {
	seriesAVX2(first, second, third, x, cells, table, size, n)
}

func logNdtrOf(dst, x *float64, n int) {
	if active == AVX512 {
		logNdtrAVX512(dst, x, n)
	} else {
		logNdtrAVX2(dst, x, n)
	}
}

func ndtrRatioOf(dst, x *float64, n int) {
	if active == AVX512 {
		ndtrRatioAVX512(dst, x, n)
	} else {
		ndtrRatioAVX2(dst, x, n)
	}
}

// scaledSums writes s a + u (p_i x + q_i y) to r rows of dst, of c numbers at first, and of so many more in each further one.
func scaledSums(dst, a *float64, ld int, x *float64, ldx int, y *float64, ldy int, p, q *float64, s, u float64, r, c, more int) {
	if active == AVX512 {
		scaledSumsAVX512(dst, a, ld, x, ldx, y, ldy, p, q, s, u, r, c, more)
	} else {
		scaledSumsAVX2(dst, a, ld, x, ldx, y, ldy, p, q, s, u, r, c, more)
	}
}

// sumsOfThree is scaledSums with w B in it, which has rows as A has.
func sumsOfThree(dst, a, b *float64, ld int, x *float64, ldx int, y *float64, ldy int, p, q *float64, s, w, u float64, r, c, more int) {
	if active == AVX512 {
		sumsOfThreeAVX512(dst, a, b, ld, x, ldx, y, ldy, p, q, s, w, u, r, c, more)
	} else {
		sumsOfThreeAVX2(dst, a, b, ld, x, ldx, y, ldy, p, q, s, w, u, r, c, more)
	}
}

func affineTimes(dst, x, y *float64, c, a, b float64, n int) {
	if active == AVX512 {
		affineTimesAVX512(dst, x, y, c, a, b, n)
	} else {
		affineTimesAVX2(dst, x, y, c, a, b, n)
	}
}

// addScaledRows adds s_i times row i of A, of r x c, to row i of dst. r and c are not 0.
func addScaledRows(dst, a *float64, lda int, s *float64, r, c int) {
	if active == AVX512 {
		scaledRowsAVX512(dst, a, lda, s, r, c)
	} else {
		scaledRowsAVX2(dst, a, lda, s, r, c)
	}
}

// sparseRows writes the sums of A B, for A of r rows and B of a multiple of 4 columns, up to 24, to dst; or goes on with those that are there. Entries x of row i
// of A are those from starts[i] to starts[i+1]. r is not 0.
func sparseRows(columns int, dst, x *float64, column, starts *int, b *float64, r int, more bool) {
	old := 0
	if more {
		old = 1
	}
	if active == AVX512 {
		switch columns {
		case 4:
			sparse4AVX512(dst, x, column, starts, b, r, old)
		case 8:
			sparse8AVX512(dst, x, column, starts, b, r, old)
		case 12:
			sparse12AVX512(dst, x, column, starts, b, r, old)
		case 16:
			sparse16AVX512(dst, x, column, starts, b, r, old)
		case 20:
			sparse20AVX512(dst, x, column, starts, b, r, old)
		default:
			sparse24AVX512(dst, x, column, starts, b, r, old)
		}
		return
	}
	switch columns {
	case 4:
		sparse4AVX2(dst, x, column, starts, b, r, old)
	case 8:
		sparse8AVX2(dst, x, column, starts, b, r, old)
	case 12:
		sparse12AVX2(dst, x, column, starts, b, r, old)
	case 16:
		sparse16AVX2(dst, x, column, starts, b, r, old)
	case 20:
		sparse20AVX2(dst, x, column, starts, b, r, old)
	default:
		sparse24AVX2(dst, x, column, starts, b, r, old)
	}
}

// timesZero writes sums of 0 times the n numbers of x to 8 numbers: NaN where some are not finite.
func timesZero(dst, x *float64, n int) {
	if active == AVX512 {
		timesZeroAVX512(dst, x, n)
	} else {
		timesZeroAVX2(dst, x, n)
	}
}
