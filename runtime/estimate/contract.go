package estimate

import (
	"math"
	"strings"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Densities of which positive parameters are concentrations, such as shapes, contract on rows that are all equal as these grow
// together: the likelihood then rises by the same amount each time that they are multiplied by e, without end. A run follows
// until no digits are left, and ends there in whatever way: in a metric that is no longer positive definite, in steps too short
// to change a coordinate, or where rounding happens to make the gradient 0.

const (
	// So many factors of e in a row, with rises that differ by no more than the factor evenly, show that the likelihood grows evenly.
	evenFolds = 8
	evenly    = 1.25
	// The rises are looked at from so many factors of e beyond the end of a run, where they are rounding, down to where the largest
	// parameter is 1.
	foldsBeyond = 40
	// A rise is clear if it is so many times its rounding.
	clearRise = 10
)

// contracts says in words which positive parameters grow together without bound where a run has ended on rows that are all equal, or which go to 0 on some
// that are; "" where the likelihood falls beyond it, or has not grown evenly on the way there.
func contracts(m runtime.Model, end *endPoint, theta []float64, n float64) string {
	if componentsOf(m) > 0 {
		return ""
	}
	if end == nil {
		return ""
	}
	if equalRows(looked(m, 1)) == "" {
		c := contractionOf(m, theta)
		c.end = end
		return c.shrinks()
	}
	d := make([]float64, end.Dim())
	names := concentrations(m, end, d)
	if len(names) == 0 || !growsEvenly(end, end.x, d, n) {
		return ""
	}
	if len(names) > 1 {
		return strings.Join(names, " and ") + " go to infinity together"
	}
	if strings.HasPrefix(names[0], "all ") {
		return names[0] + " go to infinity together"
	}
	return names[0] + " goes to infinity"
}

// concentrations names the parameters with positive entries, and writes the direction in which all of them grow by the same factor.
func concentrations(m runtime.Model, u runtime.Unconstrained, d []float64) (names []string) {
	add := func(name string, from, length int) {
		names = append(names, name)
		for i := range length {
			d[from+i] = 1
		}
	}
	if m.Unconstrained() != nil {
		for k, c := range coordinates(m.Info()) {
			if c.entry == types.Positive {
				add(c.name, k, 1)
			}
		}
		return names
	}
	for _, b := range baseline.Euclidean(u).Blocks() {
		switch p := parameter(m.Info(), b.Name); {
		case p == nil || p.Known || p.Type.Entry != types.Positive:
		case p.Shape == nil:
			add(b.Name, b.Offset, b.Len)
		case p.Type.Form == types.Vector:
			add("all entries of "+b.Name, b.Offset, b.Len)
		}
	}
	return names
}

// growsEvenly reports whether the likelihood rises by the same amount for every step along a direction, up to where rounding
// decides about it.
func growsEvenly(u runtime.Unconstrained, x, d []float64, n float64) bool {
	at := make([]float64, len(x))
	move := func(t float64) []float64 {
		for i := range at {
			at[i] = x[i] + t*d[i]
		}
		return at
	}
	lowest := 0.0
	for i := range x {
		lowest = math.Min(lowest, -d[i]*x[i])
	}
	even, least, most := 0, math.Inf(1), 0.0
	for t := float64(foldsBeyond); t >= lowest && even < evenFolds; t-- {
		rise := n * (u.Loss(move(t-1)) - u.Loss(move(t)))
		noise := n * math.Max(jitter(u, move, t-1), jitter(u, move, t))
		switch clear := math.Abs(rise) > clearRise*noise; {
		case !clear && even == 0: // beyond the digits
			continue
		case !clear || !(rise > nothing):
			return false
		}
		even++
		least, most = math.Min(least, rise), math.Max(most, rise)
	}
	return even == evenFolds && most <= evenly*least
}
