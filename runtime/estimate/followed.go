package estimate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// followed looks where single parameters go that the data leave free together with others, as the deviation of an inefficiency and the
// intercept of a stochastic frontier: a straight line leaves the valley in which the likelihood is flat, so that the others are fitted again
// on the way. Along a parameter whose profile is not curved the estimate is at infinity if its profile does not fall there.
func followed(cs []coordinate, u runtime.Unconstrained, x []float64, n float64) string {
	return levelAlong(cs, u, x, n, func(p *profileAxis, sign float64) bool { return p.level(sign) })
}

// followedFromNearer is followed for what is so far out that it has to be looked at from nearer.
func followedFromNearer(cs []coordinate, u runtime.Unconstrained, x []float64, n float64) string {
	if !slices.ContainsFunc(x, func(x float64) bool { return math.Abs(x) > drawnFrom }) {
		return ""
	}
	return levelAlong(cs, u, x, n, func(p *profileAxis, sign float64) bool {
		nearer := p.drawnBack()
		return nearer != nil && sign == math.Copysign(1, x[p.k]) && nearer.level(sign)
	})
}

// levelAlong says where the first coordinate goes whose profile is not curved but level in a direction.
func levelAlong(cs []coordinate, u runtime.Unconstrained, x []float64, n float64, level func(p *profileAxis, sign float64) bool) string {
	var h *mat.SymDense
	for k, c := range cs {
		if c.entry == types.Real {
			continue // has no scale
		}
		if h == nil {
			h = information(u, x, n)
		}
		p, curvature := newProfileAxis(cs, u, x, n, h, k)
		if p == nil || curvature > nothing {
			continue
		}
		for _, sign := range []float64{math.Copysign(1, x[k]), -math.Copysign(1, x[k])} {
			if level(p, sign) {
				d := make([]float64, len(x))
				d[k] = sign
				return describe(cs, d)
			}
		}
	}
	return ""
}

// profileAxis follows the profile likelihood of one coordinate.
type profileAxis struct {
	cs   []coordinate
	u    runtime.Unconstrained
	x    []float64
	n    float64
	k    int
	rest mat.Cholesky // of the information about the others
	with mat.VecDense // by how much these fall, to first order, where the coordinate rises
}

// newProfileAxis also returns how much the profile is curved: the information about a coordinate that is left when the others are fitted. It
// returns nil where the information about the others is not positive definite.
func newProfileAxis(cs []coordinate, u runtime.Unconstrained, x []float64, n float64, h *mat.SymDense, k int) (*profileAxis, float64) {
	d := len(x)
	if d < 2 || math.IsNaN(mat.Sum(h)) || math.IsInf(mat.Sum(h), 0) {
		return nil, 0
	}
	rest, with := mat.NewSymDense(d-1, nil), mat.NewVecDense(d-1, nil)
	for i := range d - 1 {
		with.SetVec(i, h.At(another(k, i), k))
		for j := range i + 1 {
			rest.SetSym(i, j, h.At(another(k, i), another(k, j)))
		}
	}
	p := &profileAxis{cs: cs, u: u, x: x, n: n, k: k}
	if !p.rest.Factorize(rest) || p.rest.SolveVecTo(&p.with, with) != nil {
		return nil, 0
	}
	return p, h.At(k, k) - mat.Dot(with, &p.with)
}

// drawnBack is the profile seen from drawnTo, where a coordinate is beyond drawnFrom: as far out as that the others have lost digits, so that a step aside
// costs more than there is to gain on the way. Nil where the coordinate is not so far out, the likelihood is lower there, or its profile is curved.
func (p *profileAxis) drawnBack() *profileAxis {
	if !(math.Abs(p.x[p.k]) > drawnFrom) {
		return nil
	}
	at, by := slices.Clone(p.x), math.Copysign(drawnTo, p.x[p.k])-p.x[p.k]
	at[p.k] += by
	for i := range p.with.Len() {
		at[another(p.k, i)] -= by * p.with.AtVec(i)
	}
	if !(p.n*(p.fit(at)-p.u.Loss(p.x)) < nothing) {
		return nil
	}
	nearer, curvature := newProfileAxis(p.cs, p.u, at, p.n, information(p.u, at, p.n), p.k)
	if nearer == nil || curvature > nothing {
		return nil
	}
	return nearer
}

// another is the index of the i-th of the coordinates other than k.
func another(k, i int) int {
	if i < k {
		return i
	}
	return i + 1
}

// level reports whether the profile does not fall by more than its rounding up to farther in a direction, and rises ever more slowly there, if
// at all: one that rises faster and faster is on the way to a maximum.
func (p *profileAxis) level(sign float64) bool {
	at, straight, inProportion := slices.Clone(p.x), slices.Clone(p.x), slices.Clone(p.x)
	move := func(t float64) []float64 {
		at[p.k] = p.x[p.k] + sign*t
		straight[p.k], inProportion[p.k] = at[p.k], at[p.k]
		for i := range p.with.Len() {
			k := another(p.k, i)
			by := -sign * t * p.with.AtVec(i)
			straight[k], inProportion[k] = p.x[k]+by, p.x[k]+by
			if p.cs[k].entry == types.Real && p.x[k] != 0 {
				inProportion[k] = p.x[k] * math.Exp(by/p.x[k])
			}
		}
		for _, other := range [][]float64{straight, inProportion} {
			if p.u.Loss(other) < p.u.Loss(at) {
				copy(at, other)
			}
		}
		return at
	}
	loss, noise := p.u.Loss(p.x), p.n*jitter(p.u, move, 0)
	var falls [len(ways)]float64
	for i, t := range ways {
		falls[i] = p.n * (p.fit(move(t)) - loss)
		if !(falls[i] < nothing) { // NaN: the domain ends
			return false
		}
	}
	noise = math.Max(noise, p.n*jitter(p.u, move, farther))
	last := len(falls) - 1
	return slices.Max(falls[:]) <= noise && falls[last-1]-falls[last] <= math.Max(0, -falls[last-1])+noise
}

// fit fits the other coordinates by steps with the information about them where the axis begins, as long as these gain something, and
// returns the loss.
func (p *profileAxis) fit(at []float64) float64 {
	const steps = 20
	g, before := make([]float64, len(at)), slices.Clone(at)
	others, step := mat.NewVecDense(len(at)-1, nil), new(mat.VecDense)
	loss := p.u.Gradient(g, at)
	for range steps {
		for i := range others.Len() {
			others.SetVec(i, p.n*g[another(p.k, i)])
		}
		if p.rest.SolveVecTo(step, others) != nil {
			break
		}
		copy(before, at)
		for i := range others.Len() {
			at[another(p.k, i)] -= step.AtVec(i)
		}
		next := p.u.Gradient(g, at)
		if !(next < loss) {
			copy(at, before)
			break
		}
		loss = next
	}
	return loss
}
