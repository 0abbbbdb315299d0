package vector

// Lower triangles of sums of symmetric matrices, of d x d: each entry is s a + t (p x + q y), rounded as it stands, or (s a + w b) + t (p x + q y). dst may be A.

// ones and halves are what rows are multiplied by that have no factor of their own.
var ones, halves [stretch]float64

func init() {
	for i := range ones {
		ones[i], halves[i] = 1, 0.5
	}
}

// LowerSum writes the lower triangle of s A + t B, or all of it, mirrored.
func LowerSum(dst []float64, s float64, a []float64, t float64, b []float64, d int, mirrored bool) {
	_, _, _ = dst[:d*d], a[:d*d], b[:d*d]
	for i := 0; i < d; i += stretch {
		at, rows := i*d, min(stretch, d-i) // half and half, as the kernel has two
		scaledSums(&dst[at], &a[at], d, &b[at], d, &b[at], d, &halves[0], &halves[0], s, t, rows, i+1, 1)
		if mirrored {
			mirrorRows(dst, d, i, rows)
		}
	}
}

// ScaledSum writes a x + b y to dst, entry by entry, in the same way. All are as long as dst, which may be x or y.
func ScaledSum(dst []float64, a float64, x []float64, b float64, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for len(dst) > 0 {
		n := min(block, len(dst))
		scaledSums(&dst[0], &x[0], 0, &y[0], 0, &y[0], 0, &halves[0], &halves[0], a, b, 1, n, 0)
		dst, x, y = dst[n:], x[n:], y[n:]
	}
}

// LowerRankTwo writes the lower triangle of s A + t (u v' + v u'), or all of it.
func LowerRankTwo(dst []float64, s float64, a []float64, t float64, u, v []float64, d int, mirrored bool) {
	_, _, _, _ = dst[:d*d], a[:d*d], u[:d], v[:d]
	for i := 0; i < d; i += stretch {
		rows := min(stretch, d-i)
		scaledSums(&dst[i*d], &a[i*d], d, &v[0], 0, &u[0], 0, &u[i], &v[i], s, t, rows, i+1, 1)
		if mirrored {
			mirrorRows(dst, d, i, rows)
		}
	}
}

// LowerSymmetric writes the lower triangle of s A + t (B + B'), or all of it.
func LowerSymmetric(dst []float64, s float64, a []float64, t float64, b []float64, d int, mirrored bool) {
	_, _, _ = dst[:d*d], a[:d*d], b[:d*d]
	for i := 0; i < d; i += stretch {
		end := min(i+stretch, d)
		for k := i; k < end; k += Together {
			symmetricRows(dst, s, a, t, b, d, k, min(Together, d-k))
		}
		if mirrored {
			mirrorRows(dst, d, i, end-i)
		}
	}
}

// symmetricRows does a few rows from row i on, with columns of B beside its rows.
func symmetricRows(dst []float64, s float64, a []float64, t float64, b []float64, d, i, rows int) {
	var flipped [Together * stretch]float64
	for j := 0; j < i+rows; j += stretch {
		columns, c, more := min(stretch, i+rows-j), stretch, 0
		if j+columns > i {
			c, more = i+1-j, 1
		}
		Transpose(flipped[:], stretch, b[j*d+i:], d, columns, rows)
		at := i*d + j
		scaledSums(&dst[at], &a[at], d, &b[at], d, &flipped[0], stretch, &ones[0], &ones[0], s, t, rows, c, more)
	}
}

// LowerSumRankTwo writes the lower triangle of s A + w B + t (u v' + v u'), or all of it, as LowerRankTwo does to what LowerSum leaves.
func LowerSumRankTwo(dst []float64, s float64, a []float64, w float64, b []float64, t float64, u, v []float64, d int, mirrored bool) {
	_, _, _, _, _ = dst[:d*d], a[:d*d], b[:d*d], u[:d], v[:d]
	for i := 0; i < d; i += stretch {
		at, rows := i*d, min(stretch, d-i)
		sumsOfThree(&dst[at], &a[at], &b[at], d, &v[0], 0, &u[0], 0, &u[i], &v[i], s, w, t, rows, i+1, 1)
		if mirrored {
			mirrorRows(dst, d, i, rows)
		}
	}
}
