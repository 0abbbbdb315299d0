package check

import "math"

// maxLattice bounds how many vectors of whole numbers are summed over.
const maxLattice = 60000

// shells sums over all vectors of n counts, in the order of their totals.
func shells(f logFunc, n int) (float64, bool) {
	sum, count := 0.0, 0
	var bands [2]float64 // of the last two bands of totals
	for from, width := 0, 8; ; from, width = from+width, width*3/2 {
		var xs []float64
		for s := from; s < from+width; s++ {
			xs = append(xs, composed(s, n)...)
		}
		if count += len(xs) / n; count > maxLattice {
			return sum, false
		}
		logs, ok := f(xs)
		if !ok {
			return 0, false
		}
		bands[0], bands[1] = bands[1], 0
		for _, l := range logs {
			bands[1] += math.Exp(l)
		}
		if sum += bands[1]; math.IsNaN(sum) {
			return 0, false
		}
		if sum > 0 && bands[0] > 0 && falls(bands[0], bands[1], sum) || sum > 0 && bands == [2]float64{} {
			return sum, true
		}
	}
}

// composed lists the vectors of n counts of a total, one after the other.
func composed(total, n int) []float64 {
	if n == 1 {
		return []float64{float64(total)}
	}
	var out []float64
	for first := range total + 1 {
		rest := composed(total-first, n-1)
		for i := 0; i < len(rest); i += n - 1 {
			out = append(append(out, float64(first)), rest[i:i+n-1]...)
		}
	}
	return out
}

// ofBinary is the mass of a density of vectors of zeros and ones: over all of them, or over those with a single 1, with
// the zero vector or without, where that is 1: vectors may be categories.
func ofBinary(f logFunc, n int) mass {
	sumOver := func(keep func(ones int) bool) mass {
		var xs []float64
		for code := range 1 << n {
			x, ones := make([]float64, n), 0
			for i := range x {
				if code>>i&1 == 1 {
					x[i], ones = 1, ones+1
				}
			}
			if keep(ones) {
				xs = append(xs, x...)
			}
		}
		sum, ok := sumExp(f, xs)
		return mass{value: sum, ok: ok}
	}
	all := sumOver(func(int) bool { return true })
	for _, keep := range []func(int) bool{func(ones int) bool { return ones <= 1 }, func(ones int) bool { return ones == 1 }} {
		if m := sumOver(keep); m.ok && !m.wrong() {
			return m
		}
	}
	return all
}
