package estimate

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
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
	if names == nil && h.why != "" {
		names = h.growing(n)
	}
	if names == nil {
		return ""
	}
	return "the length of " + strings.Join(names, " and ") + " goes to infinity"
}

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

// growing names the real parameters of which a part that the likelihood does not determine here has come from somewhere: as it grows
// further the likelihood never falls, and as it shrinks it does. Where several coefficients are not determined, as those of a category that a plane
// separates from the others, axes among them lead away from what separates it on either side; their own direction does not.
func (h *neighbourhood) growing(n float64) []string {
	var real []int
	for k, a := range h.coordinates {
		if a.real && h.x[a.index] != 0 {
			real = append(real, k)
		}
	}
	way := h.flatPart(real, n)
	if way == nil {
		return nil
	}
	var names []string
	for _, k := range real {
		if i := h.coordinates[k].index; math.Abs(way[i]) > named*math.Abs(h.x[i]) {
			names = union(names, h.coordinates[k].names)
		}
	}
	h.axes = append(h.axes, axis{unit: 1, way: way, names: names, real: true})
	defer func() { h.axes = h.axes[:len(h.axes)-1] }()
	if names == nil || !h.oneSided(len(h.axes)-1, n) {
		return nil
	}
	return names
}

// flatPart is the part of some coordinates that could be twice as large, or 0, as far as second derivatives tell; nil where these are not known.
func (h *neighbourhood) flatPart(axes []int, n float64) []float64 {
	if len(axes) == 0 {
		return nil
	}
	all := information(h.u, h.x, n)
	relative := mat.NewSymDense(len(axes), nil)
	for i, k := range axes {
		for j, l := range axes[:i+1] {
			k, l := h.coordinates[k].index, h.coordinates[l].index
			relative.SetSym(i, j, h.x[k]*all.At(k, l)*h.x[l])
		}
	}
	var eigen mat.EigenSym
	if math.IsNaN(mat.Sum(relative)) || math.IsInf(mat.Sum(relative), 0) || !eigen.Factorize(relative, true) {
		return nil
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	way := make([]float64, len(h.x))
	for e, value := range eigen.Values(nil) {
		share := mat.Sum(vectors.ColView(e)) // of what the coordinates are, which is 1 for each in these units
		for i, k := range axes {
			if at := h.coordinates[k].index; math.Abs(value) < nothing {
				way[at] += share * vectors.At(i, e) * h.x[at]
			}
		}
	}
	return way
}

// oneSided reports whether the likelihood falls on one side of an axis only. At a maximum it falls on both where its second derivative says.
func (h *neighbourhood) oneSided(k int, n float64) bool {
	step := typicalStep * h.axes[k].unit
	move := func(t float64) []float64 {
		h.moveTo(k, t*step)
		return h.at
	}
	rise := func(t float64) float64 { return n * (h.u.Loss(move(t)) - h.loss) }
	if t := h.noticed(k, n) / step; t > 0 && rise(t) >= nothing && rise(-t) >= nothing {
		return false
	}
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
			if other := math.Abs(h.u.Loss(move(-t))); other < math.Inf(1) { // what is left here of terms as large as there has been rounded
				noise = math.Max(noise, roundingOf*other)
			}
		}
		return most <= n*noise
	}
	return false
}

// noticed is the step along an axis at which the likelihood falls by somewhat more than nothing, by its second derivative; 0 where that is not above 0, or
// not known.
func (h *neighbourhood) noticed(k int, n float64) float64 {
	p := len(h.axes)
	if p*p > len(h.second) { // one that was added
		return 0
	}
	second := h.second[k*p+k]
	if step := math.Sqrt(3 * nothing / (n * second)); second > 0 && !math.IsInf(step, 0) {
		return step
	}
	return 0
}
