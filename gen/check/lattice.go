package check

import "math"

// maxLattice bounds how many vectors of whole numbers are summed over, maxIntegrals over how many an integral is taken for each.
const (
	maxLattice   = 60000
	maxIntegrals = 400
)

// shells sums over all vectors of counts up to some caps, in the order of their totals, and over so many at most. The function is the
// sum over some of them, one after the other.
func shells(f func(cells []float64) (sum float64, ok bool), caps []float64, most int) (float64, bool) {
	n := len(caps)
	sum, count := 0.0, 0
	var bands [2]float64 // of the last two bands of totals
	for from, width := 0, 8; ; from, width = from+width, width*3/2 {
		var xs []float64
		for s := from; s < from+width; s++ {
			xs = append(xs, composed(s, caps)...)
		}
		if count += len(xs) / n; count > most {
			return sum, false
		}
		band, ok := 0.0, true
		if len(xs) > 0 {
			band, ok = f(xs)
		}
		if !ok {
			return 0, false
		}
		bands[0], bands[1] = bands[1], band
		if sum += band; math.IsNaN(sum) {
			return 0, false
		}
		if sum > 0 && bands[0] > 0 && falls(bands[0], bands[1], sum) || sum > 0 && bands == [2]float64{} {
			return sum, true
		}
	}
}

// composed lists the vectors of whole numbers of a total up to those of the caps, one after the other.
func composed(total int, caps []float64) []float64 {
	if len(caps) == 1 {
		if float64(total) > caps[0] {
			return nil
		}
		return []float64{float64(total)}
	}
	rest := 0.0
	for _, most := range caps[1:] {
		rest += most
	}
	var out []float64
	for first := int(math.Max(0, float64(total)-rest)); first <= total && float64(first) <= caps[0]; first++ {
		behind := composed(total-first, caps[1:])
		for i := 0; i < len(behind); i += len(caps) - 1 {
			out = append(append(out, float64(first)), behind[i:i+len(caps)-1]...)
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
