package estimate

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
)

// A posterior may be improper along an axis that no run goes along, as its density there is far lower than at the mode: such are looked at
// first (flatAxis). It may be improper along a curve that no straight line follows, as that of the standard deviation of two groups is: the larger it
// is, the narrower the effects. Approximations have an optimum all the same. So of every latent variable that is a positive number, or
// has another range with an end, the marginal density is followed to that end, in the coordinate that is unconstrained: Laplace's
// approximation integrates over the others, at their mode for each of some values. With u the distance in that coordinate the mass is
// finite where the density falls like exp(-c u), or like a power below -1 of u, and infinite where it does not fall.
//
// The approximation need not be exact: that the conditional distributions of the others keep their form far out, as they do where a scale
// is all that is left to change, makes its error the same at all points. Where there is no mode, or the Hessian is not definite there, nothing is said.

const (
	// The density is compared at 1/2, 3/4 and all of so far, in units of the coordinate, of which most are logarithms, or of so many standard
	// deviations where these are more. Far more than this factor of 2e5 the digits of what becomes narrow as fast do not allow.
	tailReach      = 12
	tailDeviations = 8
	tailMoves      = 12 // on the way, which are halved so often where a mode is lost
	tailHalvings   = 3
	// What vanishes may leave a tail behind that is far lower than the mode, as where effects are many times their errors and a prior leaves
	// no effects at all possible. So the way goes on while the fall vanishes, to twice the distance at most.
	tailLonger = 2
	// A rate c below this is none. A gamma distribution whose shape is 0.001 has 0.001.
	leastRate = 3e-4
	// Of a power the rate in the last quarter is less than this part of that in the one before, and more than this. Of an exponential it is the
	// same, and what vanishes faster is no part of a tail.
	tailSlowing, tailVanishing = 0.85, 0.6
	// An end is one of the declared range if values change by this factor more on the whole way than on half of it, as exponentials do, or by the
	// inverse of another factor only in the last quarter. Numbers without a range are their own coordinates, and change twice as much.
	tailGrowth  = 30
	tailNearing = 1e3
	// Differences are so far apart, in conditional standard deviations; at first, where directions are those of another point, as along some
	// the density may be far narrower now.
	tailDifference  = 0.05
	firstDifference = 1e-4
	// Newton's steps to a mode, whose decrement says how much is left to gain.
	tailSteps     = 30
	tailDecrement = 1e-7
	// Operations, about, for all variables of an approximation.
	tailWork = 2e8
	// The end of axes, in conditional standard deviations. They are not bent as lines are, so that digits allow more, and a prior of ten million
	// of these standard deviations is not taken for none.
	axisFar = 1e12
)

// improperTail looks for a latent variable of whose marginal density the mass at an end of its range is infinite, and says which.
func improperTail(m runtime.Variational, z []float64, seed uint64) (message string, found bool) {
	d := m.Info().Variable.Len(m)
	if d > mostAxes {
		return "", false
	}
	f := newFar(m, z, seed, tailWork/drawWork(m))
	if f == nil || f.width != f.d {
		return "", false
	}
	t := newTails(f)
	if t == nil {
		return "", false
	}
	_, declares := reporter(m)
	if k, side, line := t.flatAxis(); line != nil {
		where := "where " + f.describe(line, axisFar)
		if at, ends := t.end(k, side); declares && ends {
			where = "near " + at
		}
		return fmt.Sprintf("the posterior is improper, as far as one can see: its density does not fall %s, with the other latent variables "+
			"where the approximation has them; a prior is missing, or too weak for what the data leave open", where), true
	}
	if !declares || d > mostTailed {
		return "", false
	}
	for k := range d {
		for _, side := range []float64{-1, 1} {
			where, ends := t.end(k, side)
			if ends && f.evaluations > 0 && t.infinite(k, side) {
				return fmt.Sprintf("the posterior is improper, as far as one can see: near %s its density falls too slowly for a finite mass, with "+
					"the other latent variables integrated out; a prior is missing, or too weak for what the data leave open", where), true
			}
		}
	}
	return "", false
}

// checkTails names a posterior improper whose approximation may have an optimum all the same.
func (a *attempt) checkTails(m runtime.Variational, r *Settings) {
	if !a.res.Status.Converged() { // the start is a better place to look from than such an end
		if begun := improperStart(m, r); begun != nil {
			a.res.Status, a.res.Message, a.err = runtime.AtInfinity, begun.res.Message, nil
		}
		return
	}
	if message, found := improperTail(m, a.res.Z, r.Seed); found {
		a.res.Status, a.res.Message, a.err = runtime.AtInfinity, message, nil
	}
}

// improperStart is the start of a fit as its end, if from there the posterior is seen to be improper; nil otherwise.
func improperStart(m runtime.Variational, r *Settings) *attempt {
	z := make([]float64, dimension(m))
	if m.Clone().Start(z, 0, runtime.Stream(r.Seed, "start")) != nil {
		return nil
	}
	message, found := improperTail(m, z, r.Seed)
	if !found {
		return nil
	}
	a := &attempt{theta: make([]float64, thetaLen(m)), res: &runtime.Result{Z: z, Status: runtime.AtInfinity, Message: message}}
	m.Theta(a.theta, z)
	return a
}

// mostTailed is the number of latent variables up to which tails are looked at: Hessians take its square of evaluations. Axes are looked at up
// to mostAxes, whose factorisations take its cube of operations.
const mostTailed, mostAxes = 100, 300

// tails follows marginal densities of the latent variables of a far.
type tails struct {
	*far
	centre []float64
	sd     []float64
	lu     mat.LU // of the factor by which latent variables depend on the random numbers
	points [][]float64
	logs   []float64
}

// newTails returns nil where the latent variables are no function of the random numbers that has an inverse.
func newTails(f *far) *tails {
	t := &tails{far: f, centre: f.place(make([]float64, f.width)), sd: make([]float64, f.d)}
	factor := f.factor()
	for i := range f.d {
		t.sd[i] = mat.Norm(factor.RowView(i), 2)
		if !(t.sd[i] > 0) || math.IsInf(t.sd[i], 0) {
			return nil
		}
	}
	t.lu.Factorize(factor)
	if math.IsInf(t.lu.Cond(), 0) || math.IsNaN(t.lu.Cond()) {
		return nil
	}
	return t
}

// flatAxis is a line along which one latent variable goes alone to one side, if the density does not fall along it from draws of the approximation:
// however far below the mode it is there, as where the scale of all effects vanishes that others make up for near the mode, its mass is infinite.
func (t *tails) flatAxis() (k int, side float64, line []float64) {
	type axis struct {
		k    int
		side float64
		line []float64
	}
	var axes []axis
	var points [][]float64
	for k := range t.d {
		for _, side := range []float64{-1, 1} {
			unit := make([]float64, t.d)
			unit[k] = side
			line := t.numbers(unit)
			norm := floats.Norm(line, 2)
			if !(norm > 0) || math.IsInf(norm, 0) {
				continue
			}
			floats.Scale(1/norm, line)
			axes = append(axes, axis{k, side, line})
			points = append(points, onLine(nil, line, axisFar*flatPart), onLine(nil, line, axisFar))
		}
	}
	logs := make([]float64, len(points))
	t.at(logs, points)
	for i, a := range axes { // from the centre alone first: from there few do not fall
		if level(logs[2*i], logs[2*i+1]) && t.flat(a.line, axisFar) {
			return a.k, a.side, a.line
		}
	}
	return 0, 0, nil
}

// logJoint writes the log joint density at points of the latent variables to dst.
func (t *tails) logJoint(dst []float64, points [][]float64) {
	numbers := make([][]float64, len(points))
	for i, x := range points {
		numbers[i] = t.numbers(floats.SubTo(make([]float64, t.d), x, t.centre))
	}
	t.at(dst, numbers)
}

// numbers are by how much the random numbers differ, in place, where the latent variables differ by x.
func (t *tails) numbers(x []float64) []float64 {
	e := mat.NewVecDense(t.d, x)
	if t.lu.SolveVecTo(e, false, e) != nil {
		x[0] = math.NaN()
	}
	return x
}

// end says to which end of its declared range a latent variable goes with its coordinate k, if there is one.
func (t *tails) end(k int, side float64) (where string, ends bool) {
	at := func(distance float64) Values {
		x := append([]float64(nil), t.centre...)
		x[k] += side * distance
		return parted(shownParts(t.m), shown(t.m, x))
	}
	parts := latentParts(t.m)
	i, before := 0, 0
	for k-before >= parts[i].len() {
		before += parts[i].len()
		i++
	}
	find := func(vs Values) []float64 {
		for _, v := range vs {
			if v.Name == parts[i].Name {
				return v.numbers()
			}
		}
		return nil
	}
	centre, half, near, far := find(at(0)), find(at(tailReach/2)), find(at(tailReach*3/4)), find(at(tailReach))
	if len(far) == 0 {
		return "", false
	}
	name, value := parts[i].Name, ""
	switch way, left, gone := farthest(far, centre), farthest(far, near), farthest(half, centre); {
	case way > tailGrowth*gone:
		value = "infinity"
	case left < gone/tailNearing:
		value = "the end of its range"
		if len(far) == parts[i].len() {
			value = strconv.FormatFloat(round(far[k-before], near[k-before]), 'g', 4, 64)
		}
	default:
		return "", false
	}
	if len(parts[i].Shape) > 0 && len(far) == parts[i].len() {
		name = parted(parts, t.centre).EntryNames()[k]
	}
	return name + " = " + value, true
}

// round is the number that values which change by so little go to.
func round(x, before float64) float64 {
	unit := math.Pow10(int(math.Ceil(math.Log10(math.Abs(x-before)))) + 1)
	if x == before || unit == 0 {
		return x
	}
	return math.Round(x/unit) * unit
}

// farthest is the largest entry of x less y.
func farthest(x, y []float64) float64 {
	most := 0.0
	for i, v := range x {
		most = math.Max(most, math.Abs(v-y[i]))
	}
	return most
}

// infinite reports whether the marginal density of latent variable k does not fall fast enough on one side.
func (t *tails) infinite(k int, side float64) bool {
	l, move := newLaplace(t, k), math.Max(tailReach, tailDeviations*t.sd[k])/tailMoves
	const quarter = tailMoves / 4
	var logs []float64
	for i := range tailLonger*tailMoves + 1 {
		log, ok := l.next(t.centre[k] + side*move*float64(i))
		if !ok {
			return false
		}
		logs = append(logs, log)
		if i < tailMoves || i%quarter > 0 {
			continue
		}
		reach := move * float64(i)
		before, last := (logs[i-2*quarter]-logs[i-quarter])/(quarter*move), (logs[i-quarter]-logs[i])/(quarter*move)
		switch {
		case last < -leastRate:
			return last < before*(2-tailSlowing) // it rises, and ever faster
		case last < leastRate:
			return true
		case last > tailVanishing*before:
			return last*reach < leastFall && last < tailSlowing*before
		}
	}
	return false
}

// laplace integrates over all latent variables but one.
type laplace struct {
	*tails
	k      int         // that one
	x      []float64   // the last mode
	before [][]float64 // at equal moves
	// basis has directions of the other variables in its columns, along which the last negative Hessian was the identity: a scale far out
	// leaves some combinations of the others narrow, and others as wide as it is.
	basis  *mat.Dense
	volume float64 // the logarithm of its determinant
}

func newLaplace(t *tails, k int) *laplace {
	l := &laplace{tails: t, k: k, x: append([]float64(nil), t.centre...), basis: mat.NewDense(t.d, max(t.d-1, 1), nil)}
	for i, sd := range t.sd {
		switch {
		case i == k:
			continue
		case i > k:
			l.basis.Set(i, i-1, sd)
		default:
			l.basis.Set(i, i, sd)
		}
		l.volume += math.Log(sd)
	}
	return l
}

// next follows the mode to where the variable has the next of values at equal distances.
func (l *laplace) next(to float64) (log float64, ok bool) {
	last := l.x
	if log, ok = l.follow(l.predicted(), to, tailHalvings); ok && to != last[l.k] {
		l.before = append(l.before, last)
	}
	return log, ok
}

// follow goes to another value of the variable, in shorter moves where one is too far to find the mode from, and returns the mass there.
func (l *laplace) follow(from []float64, to float64, halvings int) (log float64, ok bool) {
	before := *l
	l.x = append([]float64(nil), from...)
	l.x[l.k] = to
	if log, ok = l.mass(); ok || halvings == 0 {
		return log, ok
	}
	*l = before
	if _, ok = l.follow(l.x, (l.x[l.k]+to)/2, halvings-1); !ok {
		return 0, false
	}
	return l.follow(l.x, to, halvings-1)
}

// predicted is about where the next mode is after equal moves, if each variable comes nearer to a limit by the same factor every time.
func (l *laplace) predicted() []float64 {
	n := len(l.before)
	if n < 2 {
		return l.x
	}
	next := append([]float64(nil), l.x...)
	for i, x := range l.x {
		first, last := l.before[n-1][i]-l.before[n-2][i], x-l.before[n-1][i]
		if first != 0 {
			next[i] += last * math.Min(math.Max(last/first, -1), 1)
		}
	}
	return next
}

// mass is the logarithm of the integral over the others, with their mode in x; not ok where there is none.
func (l *laplace) mass() (log float64, ok bool) {
	if l.d == 1 {
		height := []float64{0}
		l.logJoint(height, [][]float64{l.x})
		return height[0], !math.IsNaN(height[0]) && !math.IsInf(height[0], 0)
	}
	apart := firstDifference
	for range tailSteps {
		g, h, height := l.derivatives(apart)
		if math.IsNaN(height) || math.IsInf(height, 0) || l.evaluations <= 0 {
			return 0, false
		}
		c, definite := definiteFactor(h)
		if c == nil {
			return 0, false
		}
		along, step := mat.NewVecDense(len(g), nil), mat.NewVecDense(l.d, nil)
		_ = c.SolveVecTo(along, mat.NewVecDense(len(g), g)) // a poor condition is mostly one of scales, and the next basis has none
		step.MulVec(l.basis, along)
		decrement := floats.Dot(along.RawVector().Data, g) / 2
		if log = height + decrement + l.volume - c.LogDet()/2; definite && apart == tailDifference && nearIdentity(h) && decrement < tailDecrement {
			return log, true
		}
		if apart = firstDifference; nearIdentity(h) {
			apart = tailDifference
		}
		if next, _ := ascend(l.logJoint, l.x, step.RawVector().Data, height, 2*decrement); next != nil {
			l.x = next
		} else if decrement > tailDecrement {
			return 0, false
		}
		if definite {
			l.whiten(c)
		}
	}
	return 0, false
}

// whiten makes directions those along which a negative Hessian in the former ones is the identity.
func (l *laplace) whiten(c *mat.Cholesky) {
	var upper mat.TriDense
	c.UTo(&upper)
	var inverse mat.TriDense
	_ = inverse.InverseTri(&upper)
	var basis mat.Dense
	basis.Mul(l.basis, &inverse)
	l.basis = &basis
	l.volume -= c.LogDet() / 2
}

// nearIdentity reports whether differences were as far apart as they should be.
func nearIdentity(h *mat.SymDense) bool {
	n := h.SymmetricDim()
	for i := range n {
		for j := range i + 1 {
			if x := h.At(i, j); i == j && !(math.Abs(x-1) < 0.5) || i != j && !(math.Abs(x) < 0.5) {
				return false
			}
		}
	}
	return true
}

// definiteFactor is that of a matrix, or if it is not definite of the sum with a multiple of the identity; nil where there is none.
func definiteFactor(h *mat.SymDense) (c *mat.Cholesky, definite bool) {
	c = new(mat.Cholesky)
	if c.Factorize(h) {
		return c, true
	}
	n := h.SymmetricDim()
	most := mat.Norm(h, math.Inf(1))
	for ridge := 1e-3 * most; ridge < 1e3*most; ridge *= 4 {
		damped := mat.NewSymDense(n, nil)
		damped.CopySym(h)
		for i := range n {
			damped.SetSym(i, i, h.At(i, i)+ridge)
		}
		if c.Factorize(damped) {
			return c, false
		}
	}
	return nil, false
}

// derivatives are the gradient and the negative Hessian of the log joint density along the directions, by differences, and its value.
func (l *laplace) derivatives(apart float64) (g []float64, h *mat.SymDense, height float64) {
	n := l.d - 1
	centre := l.numbers(floats.SubTo(make([]float64, l.d), l.x, l.centre))
	moves := make([][]float64, n)
	for i := range moves {
		moves[i] = l.numbers(mat.Col(nil, i, l.basis))
	}
	logs := l.around(centre, moves, apart)
	g, h, height = make([]float64, n), mat.NewSymDense(n, nil), logs[0]
	at := 1
	for i := range n {
		for j := range i + 1 {
			h.SetSym(i, j, (2*height-logs[at]-logs[at+1])/(apart*apart)) // of both together
			if i == j {
				g[i] = (logs[at] - logs[at+1]) / (2 * apart)
			}
			at += 2
		}
	}
	for i := range n {
		for j := range i {
			h.SetSym(i, j, (h.At(i, j)-h.At(i, i)-h.At(j, j))/2)
		}
	}
	return g, h, height
}

// around are the log joint densities at a centre, and on both sides of it along each move and each sum of two, in memory that the next
// call writes to.
func (t *tails) around(centre []float64, moves [][]float64, apart float64) []float64 {
	used := 0
	add := func(side float64, some ...[]float64) {
		if used == len(t.points) {
			t.points = append(t.points, make([]float64, t.d))
		}
		point := t.points[used]
		copy(point, centre)
		for _, move := range some {
			floats.AddScaled(point, side, move)
		}
		used++
	}
	add(0)
	for i, move := range moves {
		for _, other := range moves[:i] {
			add(apart, move, other)
			add(-apart, move, other)
		}
		add(apart, move)
		add(-apart, move)
	}
	if len(t.logs) < used {
		t.logs = make([]float64, used)
	}
	t.at(t.logs[:used], t.points[:used])
	return t.logs
}
