package estimate

import (
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// A natural gradient vanishes at the ends of the domain of the surrogate, whatever the likelihood does: the derivative by a
// variance is multiplied by the square of the variance. So where a run has converged with a variance next to 0, as in Heywood
// cases of factor analysis, that says nothing yet.

const (
	// deepest is how far from an end of the domain the likelihood is compared, in logarithms or log odds: the longest way that
	// there is from the smallest number to 1 is some 700, from rounding of 1 some 36.
	deepest = 1000.0
	// inwards is the factor between the distances at which it is.
	inwards = 1.25
)

const stuckAtEdge = "the steps became short at the end of the domain, but the likelihood is higher away from it: no maximum where "

// edge is an entry of a parameter that has come to an end of its domain.
type edge struct {
	where string    // in words: where it goes
	inner []float64 // parameters away from the end where the likelihood is higher; nil if there are none
}

// edgeOf looks for an entry of a bounded parameter at an end of its domain, first of all for one where the likelihood is higher
// away from the end; nil if there is none.
func edgeOf(m runtime.Model, u *endPoint, parameters int, n float64) (found *edge) {
	if u == nil || u.Dim() > mostFree {
		return nil
	}
	ray := axisRay{u: u, x: u.x, at: make([]float64, len(u.x)), loss: u.Loss(u.x), n: n}
	for _, b := range u.Blocks() {
		p := parameter(m.Info(), b.Name)
		if p.Type.Entry.Link == types.Identity {
			continue
		}
		for i := range b.Len {
			for _, ray.outwards = range []float64{-1, 1} {
				ray.k = b.Offset + i
				e := ray.edge(parameters)
				if e == nil {
					continue
				}
				e.where = describe([]coordinate{{entryName(m, p, entryOf(m, p, i)), p.Type.Entry}}, []float64{ray.outwards})
				if found == nil || e.inner != nil {
					found = e
				}
				if e.inner != nil {
					return e
				}
			}
		}
	}
	return found
}

// entryOf is the entry that a coordinate of a parameter is the logarithm of, or the log odds: of rows that sum to 1, the last have none.
func entryOf(m runtime.Model, p *runtime.Parameter, coordinate int) int {
	if !p.Type.Form.Has(types.RowsSumToOne) {
		return coordinate
	}
	d := p.Side(m)
	return coordinate/(d-1)*d + coordinate%(d-1)
}

// entryName names entry i of a parameter, of all of its components one after the other, as formulas do: v[2], A[1, 2].
func entryName(m runtime.Model, p *runtime.Parameter, i int) string {
	one, _, each := parts(m, p)
	place, at := "", i%each
	switch len(one.Shape) {
	case 0:
		return nameOf(p, i)
	case 1:
		place = fmt.Sprintf("[%d]", at+1)
	default:
		columns := one.Shape[1].Len(m)
		place = fmt.Sprintf("[%d, %d]", at/columns+1, at%columns+1)
	}
	entry := *p
	entry.Name += place
	return nameOf(&entry, i/each)
}

// axisRay is one coordinate, in the direction of an end of its domain.
type axisRay struct {
	u        *endPoint
	x, at    []float64
	k        int
	outwards float64
	loss, n  float64
}

// move is the point at a distance towards the end.
func (r *axisRay) move(t float64) []float64 {
	copy(r.at, r.x)
	r.at[r.k] += r.outwards * t
	return r.at
}

// rise is by how much the total log-likelihood is lower there.
func (r *axisRay) rise(t float64) float64 { return r.n * (r.u.Loss(r.move(t)) - r.loss) }

// edge compares the likelihood on both sides: at an end of the domain it stays about the same towards the end, and changes far
// away from it. What changes nowhere is not determined by the data.
func (r *axisRay) edge(parameters int) *edge {
	if !(math.Abs(r.n*(r.u.aside(r.k, r.outwards)-r.loss)) < nothing) { // as nearly everywhere
		return nil
	}
	most := math.Inf(-1)
	for _, t := range ways {
		rise := r.rise(t)
		if !(math.Abs(rise) < nothing) {
			return nil
		}
		most = math.Max(most, rise)
	}
	best, changes := r.inner()
	switch {
	case best > 0:
		e := &edge{inner: make([]float64, parameters)}
		r.u.Theta(e.inner, r.move(-best))
		return e
	case changes && most <= r.n*math.Max(jitter(r.u, r.move, 0), jitter(r.u, r.move, farther)):
		return new(edge)
	}
	return nil
}

// inner looks away from the end: how far it is to where the likelihood is highest, 0 if it is nowhere clearly higher than here,
// and whether it changes at all.
func (r *axisRay) inner() (best float64, changes bool) {
	lowest := -nothing
	for t := 1.0; t < deepest; t *= inwards {
		rise := r.rise(-t)
		switch {
		case rise < lowest:
			best, lowest, changes = t, rise, true
		case !(rise < lowest+2*nothing): // NaN: the domain ends
			return best, changes || rise > nothing
		}
	}
	return best, changes
}
