package dense

import "github.com/sngdgen/sngdgen/runtime/vector"

// AddWeightedGram adds the lower triangle of sum_i w_i x_i x_i' to that of dst, of d x d, and leaves the rest of dst as
// it is: Mirror fills it in after the last block. The weights, of any sign, are all 1 when w is nil. Scratch holds
// b * d numbers, none when w is nil.
func AddWeightedGram(dst, w, x, scratch []float64, b, d int) []float64 {
	return AddLowerCross(dst, w, x, x, scratch, b, d)
}

// AddWeightedCross adds sum_i w_i x_i y_i' to dst, of r x c, for blocks of b rows of length r and c. The weights, of
// any sign, are all 1 when w is nil. Scratch holds b * r numbers, none when w is nil.
func AddWeightedCross(dst, w, x, y, scratch []float64, b, r, c int) []float64 {
	if vector.On() {
		p := inMemory(rowMajor(dst, c), 1, rowMajor(x, r).t(), rowMajor(y, c))
		p.W = unlessOnes(w, b, r)
		p.Run(r, b, c)
		return dst
	}
	addProduct(rowMajor(dst, c), 1, weighted(scratch, w, x, b, r), rowMajor(y, c), r, b, c)
	return dst
}

// AddLowerCross is AddWeightedCross for rows of length d, for the lower triangle of dst, of d x d, alone.
func AddLowerCross(dst, w, x, y, scratch []float64, b, d int) []float64 {
	if vector.On() {
		p := inMemory(rowMajor(dst, d), 1, rowMajor(x, d).t(), rowMajor(y, d))
		p.W, p.Lower = unlessOnes(w, b, d), true
		p.Run(d, b, d)
		return dst
	}
	addLower(rowMajor(dst, d), 1, weighted(scratch, w, x, b, d), rowMajor(y, d), d, b)
	return dst
}

// unlessOnes is nil for weights that are all 1, as rows that count once each have them: a product takes an eighth less time without weights, and has the
// same bits. Of short rows it takes no longer than to look.
func unlessOnes(w []float64, b, d int) []float64 {
	if w == nil || d < wide {
		return w
	}
	for _, v := range w[:b] {
		if v != 1 {
			return w
		}
	}
	return nil
}

// weighted returns the transpose of the rows of x times their weights, in scratch unless there are no weights.
func weighted(scratch, w, x []float64, b, d int) matrix {
	if w == nil {
		return rowMajor(x, d).t()
	}
	ScaleRows(scratch, w, x, b, d)
	return rowMajor(scratch, d).t()
}

// ScaleRows writes w_i x_i to the rows of dst, which may be x.
func ScaleRows(dst, w, x []float64, b, d int) {
	for i, wi := range w[:b] {
		row := x[i*d : (i+1)*d]
		to := dst[i*d:][:len(row)]
		for j, v := range row {
			to[j] = wi * v
		}
	}
}

// AddScaledRows adds w_i x_i, for the b rows x_i of length d, to the rows of dst.
func AddScaledRows(dst, w, x []float64, b, d int) []float64 {
	if d >= tile && inRange(d) {
		vector.AddScaledRows(dst, w, x, d, b, d)
		return dst
	}
	for i, wi := range w[:b] {
		row := x[i*d : (i+1)*d]
		to := dst[i*d:][:len(row)]
		for j, v := range row {
			to[j] += wi * v
		}
	}
	return dst
}

// AddRowsOuter adds w_i v, for a vector v of length d, to each of the b rows of dst.
func AddRowsOuter(dst, w, v []float64, b, d int) []float64 {
	if d >= tile && inRange(d) {
		vector.AddScaledRows(dst, w, v, 0, b, d)
		return dst
	}
	v = v[:d]
	for i, wi := range w[:b] {
		to := dst[i*d:][:len(v)]
		for j, vj := range v {
			to[j] += wi * vj
		}
	}
	return dst
}

// Mirror copies the lower triangle of dst, of d x d, to its upper one.
func Mirror(dst []float64, d int) []float64 {
	if d > tile && vector.On() {
		vector.MirrorLower(dst, d, d)
		return dst
	}
	for i := range d {
		for j := range i {
			dst[j*d+i] = dst[i*d+j]
		}
	}
	return dst
}

// ClearLower writes zeros to the lower triangle of dst, of d x d.
func ClearLower(dst []float64, d int) []float64 {
	for i := range d {
		clear(dst[i*d : i*d+i+1])
	}
	return dst
}

// Symmetrize writes (dst + dst') / 2 to dst, of d x d.
func Symmetrize(dst []float64, d int) {
	for i := range d {
		for j := range i {
			v := (dst[i*d+j] + dst[j*d+i]) / 2
			dst[i*d+j], dst[j*d+i] = v, v
		}
	}
}

// LowerHalf replaces dst, of d x d, by its lower triangle with half of its diagonal.
func LowerHalf(dst []float64, d int) []float64 {
	for i := range d {
		dst[i*d+i] /= 2
		clear(dst[i*d+i+1 : (i+1)*d])
	}
	return dst
}

// lines is how many rows are written at a time by a transposition: the cache holds that many lines even where they
// compete for one place, their distance being a power of two.
const lines = 8

// Transpose writes A' to dst, for A of r x c.
func Transpose(dst, a []float64, r, c int) []float64 {
	if vector.On() {
		vector.Transpose(dst, r, a, c, r, c)
		return dst
	}
	for first := 0; first < c; first += lines {
		last := min(first+lines, c)
		for i := range r {
			for j, v := range a[i*c+first : i*c+last] {
				dst[(first+j)*r+i] = v
			}
		}
	}
	return dst
}

// DiagOf writes the diagonal of A, of d x d, to dst.
func DiagOf(dst, a []float64, d int) []float64 {
	for i := range d {
		dst[i] = a[i*d+i]
	}
	return dst
}
