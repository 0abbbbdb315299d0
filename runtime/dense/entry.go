package dense

// Entries that numbers in memory name, as those of a column of groups do: what lies beyond the ends of an array is 0, and nothing is
// added there.

// Entry returns x[i], 0 where there is no such entry.
func Entry(x []float64, i int) float64 {
	if uint(i) < uint(len(x)) {
		return x[i]
	}
	return 0
}

// Entry2 returns the entry j of row i of a matrix with rows of length d, 0 where there is no such entry.
func Entry2(x []float64, d, i, j int) float64 {
	if uint(j) >= uint(d) || uint(i) >= uint(len(x)) {
		return 0
	}
	return Entry(x, i*d+j)
}

// AddEntry adds v to x[i], if there is such an entry.
func AddEntry(x []float64, i int, v float64) {
	if uint(i) < uint(len(x)) {
		x[i] += v
	}
}

// AddEntry2 adds v to the entry j of row i of a matrix with rows of length d, if there is such an entry.
func AddEntry2(x []float64, d, i, j int, v float64) {
	if uint(j) < uint(d) && uint(i) < uint(len(x)) {
		AddEntry(x, i*d+j, v)
	}
}
