package vector

// Finite reports whether no number of x is infinite or NaN.
func Finite(x []float64) bool {
	for len(x) > 0 {
		some := x[:min(work, len(x))]
		var sums [8]float64
		timesZero(&sums[0], &some[0], len(some))
		for _, s := range sums {
			if s != 0 {
				return false
			}
		}
		x = x[len(some):]
	}
	return true
}
