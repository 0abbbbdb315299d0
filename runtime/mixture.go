package runtime

// Level returns the number a for which the weights max(floor, a w) of a mixture sum to 1, and whether some of the given
// weights w, which do, are below the floor. Where none are, up to rounding, or where one is not positive, it is 1,
// false. The floor must be less than 1/len(w).
func Level(w []float64, floor float64) (a float64, below bool) {
	limit := floor - 1e-12*floor - float64(len(w))*0x1p-52
	for _, x := range w {
		if !(x > 0) {
			return 1, false
		}
		below = below || x < limit
	}
	if !below {
		return 1, false
	}
	// Each round lowers the level, and so finds all that were found before.
	for a, clipped := 1.0, 0; ; {
		n, rest := 0, 0.0
		for _, x := range w {
			if a*x < floor {
				n++
			} else {
				rest += x
			}
		}
		if n == clipped || n == len(w) {
			return a, true
		}
		a, clipped = (1-float64(n)*floor)/rest, n
	}
}
