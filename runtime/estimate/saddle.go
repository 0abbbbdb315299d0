package estimate

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
)

const (
	// mostEscapes bounds how many saddle points one fit leaves.
	mostEscapes = 5
	// curved is the curvature, with those along the coordinates scaled to 1, from which on a direction is one of a minimum of
	// the loss: differences of gradients are good to about 8 digits. Along those of less, or of the other sign, it is
	// evaluated.
	curved = 1e-4
	// shortestProbe is the shortest distance at which it is, in standard deviations of one observation.
	shortestProbe = 0x1p-12
	// lowerBy is by how much a loss must be lower to be so beyond rounding, relative to 1+|loss|.
	lowerBy = 1e-11
	// stationary is the gain in total log-likelihood that the gradient promises, above which a point is not stationary.
	stationary = 1e-4
)

// mostJacobian is the number of derivatives of parameters along coordinates up to which a direction of the one is found in the
// other.
const mostJacobian = 1 << 20

const saddle = "the gradient is 0, but the likelihood is higher next to it: that is no maximum"

// curve looks at the second derivatives where a run has converged, and notes them. Where they leave open whether the point is
// a maximum, it evaluates the likelihood on both sides; if that is higher somewhere, it is none.
func (a *attempt) curve(ctx context.Context, m runtime.Model, r *Settings) {
	_, _, n := m.Counts()
	if !(n*a.res.NaturalNorm*a.res.NaturalNorm < stationary) {
		return
	}
	switch {
	case a.near != nil && ctx.Err() == nil: // also where derivatives have an end: at an inflection they vanish along the direction in which it is higher
		a.downhill = a.near.downhill()
	case a.near == nil && freeParameters(m) > mostFree:
		if a.here != nil {
			a.downhill = downhillOfMany(ctx, m, a.here, permuted(m, a.theta, a.order), r.Seed)
		}
	}
	if a.downhill != nil {
		a.reject(runtime.SaddlePoint, saddle)
	}
}

// differentiate finds the second derivatives at the end of a run whose parameters are vectors or matrices.
func (a *attempt) differentiate(ctx context.Context, m runtime.Model) {
	if freeParameters(m) > mostFree || a.here == nil {
		return
	}
	a.near = newNeighbourhood(m, a.here, permuted(m, a.theta, a.order))
	a.near.why = a.near.differentiate(ctx)
}

// downhill returns the way, of the parameters, to a point of a lower loss, along a direction in which that has no minimum at
// x; nil if there is none. The axes from before they were rotated count too: what they leave open is evaluated, whatever curvature
// was found then.
func (h *neighbourhood) downhill() []float64 {
	h.probed = true
	for _, q := range append(slices.Clone(h.before), h.quadratic()) {
		if q.hessian == nil {
			continue
		}
		if way := downhill(h.u, h.x, len(h.thetaUp), q.hessian, q.directions); way != nil {
			return way
		}
	}
	return nil
}

// quadratic is what second derivatives are: a Hessian of 1 on the diagonal but for the sign, and the directions it is about, a
// column for each, in coordinates.
type quadratic struct {
	hessian    *mat.SymDense
	directions *mat.Dense
}

// quadratic returns the second derivatives along the axes; none where there are no axes.
func (h *neighbourhood) quadratic() (q quadratic) {
	p := len(h.axes)
	if p == 0 {
		return q
	}
	q.hessian, _ = h.scaled()
	q.directions = mat.NewDense(len(h.x), p, nil)
	for k, a := range h.axes {
		unit := 1 / math.Sqrt(math.Abs(h.second[k*p+k]))
		if a.way == nil {
			q.directions.Set(a.index, k, unit)
			continue
		}
		for i, x := range a.way {
			q.directions.Set(i, k, x*unit)
		}
	}
	return q
}

// numbersDownhill is downhill where parameters are numbers.
func numbersDownhill(u runtime.Unconstrained, theta []float64, n float64) []float64 {
	x := make([]float64, u.Dim())
	u.FromTheta(x, theta)
	h := information(u, x, n)
	directions := mat.NewDense(len(x), len(x), nil)
	for i := range x {
		directions.Set(i, i, 1/math.Sqrt(math.Abs(h.At(i, i))))
	}
	for i := range x {
		for j := range i + 1 {
			h.SetSym(i, j, directions.At(i, i)*h.At(i, j)*directions.At(j, j))
		}
	}
	return downhill(u, x, len(theta), h, directions)
}

// downhill evaluates the loss along the directions in which the Hessian, scaled to 1 on the diagonal, is not clearly positive.
// The columns of directions are the unconstrained coordinates along which it is.
func downhill(u runtime.Unconstrained, x []float64, parameters int, hessian *mat.SymDense, directions *mat.Dense) []float64 {
	var eigen mat.EigenSym
	if sum := mat.Sum(hessian); math.IsNaN(sum) || math.IsInf(sum, 0) || !eigen.Factorize(hessian, true) {
		return nil
	}
	var vectors, ways mat.Dense
	eigen.VectorsTo(&vectors)
	ways.Mul(directions, &vectors)
	here, there := make([]float64, parameters), make([]float64, parameters)
	loss := u.Loss(x)
	for k, curvature := range eigen.Values(nil) { // ascending
		if curvature >= curved {
			break
		}
		if at := lower(u, x, mat.Col(nil, k, &ways), loss); at != nil {
			u.Theta(here, x)
			u.Theta(there, at)
			floats.Sub(there, here)
			return there
		}
	}
	return nil
}

// lower returns the lowest point along a direction, on both sides, nil where none is clearly lower: by more than rounding, which is measured
// there, since the direction may be long where the data determine nothing, and by more than what is left of the gradient explains, which
// leads downhill next to a maximum too. Gradients on the way have to agree, as they round otherwise than the loss does.
func lower(u runtime.Unconstrained, x, direction []float64, loss float64) []float64 {
	var best []float64
	low, at, g := loss, make([]float64, len(x)), make([]float64, len(x))
	move := func(t float64) []float64 {
		floats.AddScaledTo(at, x, t, direction)
		return at
	}
	slope := func(t float64) float64 {
		u.Gradient(g, move(t))
		return floats.Dot(g, direction)
	}
	left := math.Abs(slope(0))
	for t := 1.0; t >= shortestProbe; t /= 2 {
		explained := lowerBy*(1+math.Abs(loss)) + 2*left*t
		for _, signed := range []float64{t, -t} {
			f := u.Loss(move(signed))
			if f < low && f < loss-explained && f < loss-math.Max(jitter(u, move, 0), jitter(u, move, signed)) &&
				descends(slope, signed, loss-f) {
				low, best = f, slices.Clone(move(signed))
			}
		}
	}
	return best
}

// descends reports whether gradients on the way to a point say, as the loss does, that it falls by so much: somewhere the slope has to be the
// mean one or steeper. Where large terms of the loss cancel, what is left may be steps of one size, and next to each other no step at all,
// which measures as no rounding.
func descends(slope func(t float64) float64, to, by float64) bool {
	const points = 4
	steepest := 0.0
	for i := range points {
		t := to * float64(i+1) / points
		steepest = math.Min(steepest, slope(t)*math.Copysign(1, to))
	}
	return steepest <= -by/(2*math.Abs(to))
}

// leave runs again from a point beside a saddle point, on the side where the loss falls more, and returns the run if it ends
// lower.
func (a *attempt) leave(ctx context.Context, m runtime.Model, r *Settings) *attempt {
	if a.downhill == nil || a.own(r).unconstrained() {
		return nil
	}
	clone := m.Clone()
	d := along(clone, a.res.Z, permuted(m, a.downhill, inverse(a.order)))
	if d == nil {
		return nil
	}
	at, best, low := make([]float64, len(d)), make([]float64, len(d)), a.res.Loss
	for t := 1.0; t >= shortestProbe; t /= 2 {
		for _, signed := range []float64{t, -t} {
			floats.AddScaledTo(at, a.res.Z, signed, d)
			if f := clone.Loss(at); f < low {
				low = f
				copy(best, at)
			}
		}
	}
	if !(low < a.res.Loss) {
		return nil
	}
	r.tracer.begin()
	next := runOne(ctx, clone, r, a.start, func(_ runtime.Model, z []float64) error {
		copy(z, best)
		return nil
	})
	if next.look(m, r); !next.ended() || !(next.res.Loss < a.res.Loss) {
		return nil
	}
	return &next
}

// inverse returns the inverse of a permutation.
func inverse(order []int) []int {
	if order == nil {
		return nil
	}
	out := make([]int, len(order))
	for to, from := range order {
		out[from] = to
	}
	return out
}

// along returns the direction of the coordinates at z that moves the parameters along a direction, or as nearly as the map
// can, by least squares; nil where there is none.
func along(m runtime.Model, z, theta []float64) []float64 {
	moves := independent(m.Blocks())
	if len(moves)*len(theta) > mostJacobian {
		return nil
	}
	jacobian := mat.NewDense(len(theta), len(moves), nil)
	steps := make([]float64, len(moves))
	for k, move := range moves {
		steps[k] = differentiateTheta(m, z, move, jacobian, k)
	}
	var svd mat.SVD
	if slices.ContainsFunc(jacobian.RawMatrix().Data, func(x float64) bool { return math.IsNaN(x) }) || !svd.Factorize(jacobian, mat.SVDThin) {
		return nil
	}
	var weights mat.VecDense
	svd.SolveVecTo(&weights, mat.NewVecDense(len(theta), theta), max(1, svd.Rank(1e-10)))
	out := make([]float64, len(z))
	for k, move := range moves {
		for _, i := range move {
			out[i] += weights.AtVec(k) * steps[k]
		}
	}
	return out
}

// independent lists sets of coordinates that move together: symmetric entries of a matrix do.
func independent(blocks []runtime.Block) (moves [][]int) {
	for _, b := range blocks {
		copies, each := b.Parts()
		for c := range copies {
			at := b.Offset + c*each
			if !b.Symmetric && !b.Lower {
				for i := range each {
					moves = append(moves, []int{at + i})
				}
				continue
			}
			d := int(math.Round(math.Sqrt(float64(each))))
			for i := range d {
				for j := range i + 1 {
					move := []int{at + i*d + j}
					if b.Symmetric && i != j {
						move = append(move, at+j*d+i)
					}
					moves = append(moves, move)
				}
			}
		}
	}
	return moves
}

// differentiateTheta fills in column k with the derivative of the parameters along a move, times a step of which the
// parameters are defined on both sides, or on one where the other is outside the domain; that is returned.
func differentiateTheta(m runtime.Model, z []float64, move []int, jacobian *mat.Dense, k int) float64 {
	rows, _ := jacobian.Dims()
	up, down, at := make([]float64, rows), make([]float64, rows), slices.Clone(z)
	shifted := func(dst []float64, step float64) float64 {
		for _, i := range move {
			at[i] = z[i] + step
		}
		if m.Violation(at) >= 0 {
			copy(at, z)
			step = 0
		}
		m.Theta(dst, at)
		return step
	}
	const small = 1e-6
	for step := small * (1 + math.Abs(z[move[0]])); step > 1e-14; step /= 10 {
		if width := shifted(up, step) - shifted(down, -step); width > 0 {
			for i := range up {
				jacobian.Set(i, k, (up[i]-down[i])/width*step/small)
			}
			return step / small
		}
	}
	return 0 // it cannot move
}
