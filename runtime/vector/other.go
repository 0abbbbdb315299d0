//go:build !amd64

package vector

// detect says that there are no kernels for this processor.
func detect() Level { return Go }

const missing = "vector: there are no kernels for this processor"

func mulPanel(c *float64, ldc int, a *float64, aRow, aColumn int, b *float64, ldb int, w *float64, m, k, n int,
	alpha float64, lower, overwrite int) {
	panic(missing)
}

func transposeBlock(dst *float64, ldd int, src *float64, lds, r, c, side int) { panic(missing) }

func solveColumns(x *float64, ldx int, l *float64, lRow, lColumn int, r *float64, n, columns int) {
	panic(missing)
}

func combineRows(dst *float64, a *float64, lda int, w *float64, r, c int) { panic(missing) }

func addScaledRows(dst, a *float64, lda int, s *float64, r, c int) { panic(missing) }

func dots(dst *float64, a *float64, lda int, x *float64, groups, c int) { panic(missing) }

func leftOfDiagonal(y, a *float64, lda int, x *float64, c int) { panic(missing) }

func rowDots(dst *float64, a *float64, lda int, x *float64, ldx, groups, c int) { panic(missing) }

func squaresOf(dst, x *float64, n int) { panic(missing) }

func solvedSquares(dst, x, l *float64, r, d int) { panic(missing) }

func gatherRows(dst, a *float64, rows *int, r, c int) { panic(missing) }

func expOf(dst, x *float64, n int) { panic(missing) }

func logOf(dst, x *float64, n int) { panic(missing) }

func expShares(dst, x, top, sums *float64, n int) { panic(missing) }

func larger(dst, x *float64, n int) { panic(missing) }

func add(dst, a, b *float64, n int) { panic(missing) }

func subtract(dst, a, b *float64, n int) { panic(missing) }

func multiply(dst, a, b *float64, n int) { panic(missing) }

func divide(dst, a, b *float64, n int) { panic(missing) }

func addNumber(dst, a *float64, b float64, n int) { panic(missing) }

func subtractNumber(dst, a *float64, b float64, n int) { panic(missing) }

func multiplyNumber(dst, a *float64, b float64, n int) { panic(missing) }

func divideNumber(dst, a *float64, b float64, n int) { panic(missing) }

func subtractFrom(dst, a *float64, b float64, n int) { panic(missing) }

func divideFrom(dst, a *float64, b float64, n int) { panic(missing) }

func scaledSums(dst, a *float64, ld int, x *float64, ldx int, y *float64, ldy int, p, q *float64, s, u float64, r, c, more int) {
	panic(missing)
}

func sumsOfThree(dst, a, b *float64, ld int, x *float64, ldx int, y *float64, ldy int, p, q *float64, s, w, u float64, r, c, more int) {
	panic(missing)
}

func affineTimes(dst, x, y *float64, c, a, b float64, n int) { panic(missing) }

func inverseRoot(dst, x *float64, n int) { panic(missing) }

func expm1Of(dst, x *float64, n int) { panic(missing) }

func log1pOf(dst, x *float64, n int) { panic(missing) }

func sigmoidOf(dst, x *float64, n int) { panic(missing) }

func softplusOf(dst, x *float64, n int) { panic(missing) }

func softplusSigmoidOf(softplus, sigmoid, x *float64, n int) { panic(missing) }

func logNdtrRatioOf(log, ratio, x *float64, n int) { panic(missing) }

func lgammaDiffOf(dst, x, table *float64, seen *uint64, n int) { panic(missing) }

func digammaDiffOf(dst, x, table *float64, seen *uint64, n int) { panic(missing) }

func lgammaDigammaDiffOf(lgamma, digamma, x, table *float64, seen *uint64, n int) { panic(missing) }

func series(first, second, third, x *float64, cells *int32, table *float64, size, n int) {
	panic(missing)
}

func logNdtrOf(dst, x *float64, n int) { panic(missing) }

func ndtrRatioOf(dst, x *float64, n int) { panic(missing) }

func sparseRows(columns int, dst, x *float64, column, starts *int, b *float64, r int, more bool) {
	panic(missing)
}

func timesZero(dst, x *float64, n int) { panic(missing) }
