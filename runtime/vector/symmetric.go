package vector

// SymmetricMulVec writes A x to dst, for a symmetric A of d x d, with Together rows or more. Above the diagonal it reads the squares next to it
// alone: half of the memory that MulVec reads.
func SymmetricMulVec(dst, a, x []float64, d int) {
	_, _, _ = dst[:d], a[:d*d], x[:d]
	whole := d / Together * Together
	for i := 0; i < whole; i += Together {
		dots(&dst[i], &a[i*d+i], d, &x[i], 1, Together)
		if i > 0 {
			leftOfDiagonal(&dst[0], &a[i*d], d, &x[0], i)
		}
	}
	if whole == d {
		return
	}
	var last [Together]float64 // rows, with some that were done before
	dots(&last[0], &a[(d-Together)*d], d, &x[0], 1, d)
	for i := whole; i < d; i++ {
		dst[i] = last[Together-d+i]
	}
	combineRows(&dst[0], &a[whole*d], d, &x[whole], d-whole, whole)
}
