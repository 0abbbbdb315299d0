package estimate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// risesOut names the real vectors at all of whose multiples, up to fartherBy, the likelihood is higher the larger they are, by less each time that they are doubled: a run
// that has ended there has come to no maximum, however small its steps were, but to where its digits end. One that is stuck near 0 gains more each time.
func risesOut(m runtime.Model, u *endPoint, n float64) string {
	for _, b := range u.such(m, isVectorOf(types.Real)) {
		move := func(t float64) []float64 {
			at := slices.Clone(u.x)
			floats.Scale(t, at[b.Offset:b.Offset+b.Len])
			return at
		}
		first := u.Loss(u.x)
		if !(n*(first-u.Loss(move(fartherBy))) > nothing) { // whatever there is on the way, and most vectors end here
			continue
		}
		last, noise, gain, slower := first, jitter(u, move, 1), math.Inf(1), true
		for t := 2.0; t <= fartherBy && slower; t *= 2 {
			next := u.Loss(move(t))
			slower = last-next >= -noise && last-next <= gain+noise // not where it is NaN: the domain ends
			gain, last = last-next, next
		}
		if slower {
			return "the length of " + b.Name + " goes to infinity"
		}
	}
	return ""
}
