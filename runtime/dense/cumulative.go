package dense

// Cumulative replaces the entries of a vector by their sums up to each.
func Cumulative(dst []float64) []float64 {
	sum := 0.0
	for i, v := range dst {
		sum += v
		dst[i] = sum
	}
	return dst
}

// Remaining replaces the entries of a vector by their sums from each on.
func Remaining(dst []float64) []float64 {
	sum := 0.0
	for i := len(dst) - 1; i >= 0; i-- {
		sum += dst[i]
		dst[i] = sum
	}
	return dst
}

// CumulativeRows is Cumulative for every row of a matrix of r x d.
func CumulativeRows(dst []float64, r, d int) []float64 {
	for i := range r {
		Cumulative(dst[i*d : (i+1)*d])
	}
	return dst
}

// RemainingRows is Remaining for every row of a matrix of r x d.
func RemainingRows(dst []float64, r, d int) []float64 {
	for i := range r {
		Remaining(dst[i*d : (i+1)*d])
	}
	return dst
}
