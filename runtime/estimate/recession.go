package estimate

import (
	"math"
	"strings"
)

const (
	// mostDoublings is how often a step along a direction is doubled until the likelihood falls there on one side.
	mostDoublings = 80
	// fartherBy are the multiples of that step at which it must not have fallen on the other side.
	fartherBy = 1 << 10
)

// recedes names the real parameters that go to infinity: there is an axis along which the likelihood falls on one side, and on
// the other never does, however far. So it is where an event occurs in all rows of a category: its coefficient has no finite
// estimate, while the gradient is 0 to all digits wherever a run has gone far enough. At a maximum the likelihood falls on
// both sides; where the data say nothing about a direction, on neither.
func (h *neighbourhood) recedes(n float64) string {
	var names []string
	for k, a := range h.axes {
		if a.real && h.oneSided(k, n) {
			names = union(names, a.names)
		}
	}
	if names == nil {
		return ""
	}
	return "the length of " + strings.Join(names, " and ") + " goes to infinity"
}

// oneSided reports whether the likelihood falls on one side of an axis only.
func (h *neighbourhood) oneSided(k int, n float64) bool {
	step := typicalStep * h.axes[k].unit
	move := func(t float64) []float64 {
		h.moveTo(k, t*step)
		return h.at
	}
	rise := func(t float64) float64 { return n * (h.u.Loss(move(t)) - h.loss) }
	for range mostDoublings {
		up, down := rise(1), rise(-1)
		if math.Abs(up) < nothing && math.Abs(down) < nothing {
			step *= 2
			continue
		}
		if down > up {
			step = -step
		}
		if !(math.Max(up, down) >= nothing) {
			return false
		}
		most, noise := math.Inf(-1), roundingOf*(1+math.Abs(h.loss))
		for t := -1.0; t >= -fartherBy; t *= 2 { // away from where it falls
			fall := rise(t)
			if !(math.Abs(fall) < nothing) { // NaN: the domain ends
				return false
			}
			most, noise = math.Max(most, fall), math.Max(noise, jitter(h.u, move, t))
		}
		return most <= n*noise
	}
	return false
}
