package estimate

import (
	"context"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Second derivatives where parameters are vectors or matrices: by central differences of the gradient in the coordinates
// of package baseline, two gradients for each coordinate. The step along a coordinate is told by the curvature that it
// finds, in units of 1/sqrt(curvature), the standard deviation that one observation would leave: then the result does not
// depend on the units of the data. Steps of typicalStep balance what is cut off, about their square, and rounding, about
// 1e-15 divided by them; those between leastStep and mostStep are good enough not to be taken again.
const (
	typicalStep = 3e-5
	leastStep   = typicalStep / 10
	mostStep    = typicalStep * 10
	mostTrials  = 12
	ulps        = 1e-15 // some units in the last place of a coordinate: shorter steps are none
	roundingOf  = 1e-13 // of a loss, relative to 1+|loss|
)

// axis is an unconstrained coordinate that the likelihood depends on, or a direction among them.
type axis struct {
	index int
	unit  float64   // a guess of its scale; 0 where that of the axis before it, which has been found then, is the best
	names []string  // of the parameters it belongs to
	way   []float64 // the direction, nil for a coordinate
	real  bool      // of real parameters
}

// axes lists the coordinates x of a model that the likelihood depends on, as many as it has free parameters.
func axes(m runtime.Model, u runtime.Unconstrained, x []float64) []axis {
	var out []axis
	for _, b := range baseline.Euclidean(u).Blocks() {
		p := parameter(m.Info(), b.Name)
		single, count, _ := parts(m, p)
		for c := range count {
			one := b
			one.Name, one.Len = nameOf(p, c), b.Len/count
			one.Offset += c * one.Len
			out = appendAxes(out, m, &single, one, x[one.Offset:one.Offset+one.Len])
		}
	}
	return out
}

// appendAxes appends the coordinates of a parameter, or of that of one component of a mixture.
func appendAxes(out []axis, m runtime.Model, p *runtime.Parameter, b runtime.Block, own []float64) []axis {
	switch form := p.Type.Form; {
	case form.Has(types.PositiveDefinite):
		return appendRoot(out, b, own, p.Side(m), form.Has(types.UnitDiagonal))
	case p.Type.Entry != types.Real:
		for i := range own {
			out = append(out, axis{index: b.Offset + i, unit: 1, names: []string{b.Name}})
		}
		return out
	}
	return appendReal(out, b, own)
}

// appendRoot appends the coordinates of a d x d matrix, a triangular root W packed row by row (see baseline.Root). The
// scale of a column is its entry on the diagonal, that of a variable given those before it. A correlation matrix determines
// the columns of W but for their lengths, so that the diagonal can be held.
func appendRoot(out []axis, b runtime.Block, packed []float64, d int, corr bool) []axis {
	scales := diagonal(packed, d)
	k := b.Offset
	for i := range d {
		for j := i; j < d; j++ {
			if i < j || !corr {
				out = append(out, axis{index: k, unit: scales[j], names: []string{b.Name}})
			}
			k++
		}
	}
	return out
}

// appendReal appends coordinates that say nothing about their scale but by their size, and that of their neighbours.
func appendReal(out []axis, b runtime.Block, x []float64) []axis {
	unit := math.Abs(x[0])
	if unit == 0 {
		unit = 1
	}
	for i := range x {
		out = append(out, axis{index: b.Offset + i, unit: unit, names: []string{b.Name}, real: true})
		unit = 0
	}
	return out
}

// diagonal returns the sizes of the diagonal of a packed triangular matrix.
func diagonal(packed []float64, d int) []float64 {
	out := make([]float64, d)
	for i, k := 0, 0; i < d; i++ {
		out[i] = math.Abs(packed[k])
		k += d - i
	}
	return out
}

// neighbourhood is the mean negative log-likelihood about an estimate.
type neighbourhood struct {
	u    runtime.Unconstrained
	x    []float64
	axes []axis
	loss float64

	coordinates []axis // the axes before they were rotated

	second []float64   // derivatives along axes, of the gradient along axes: a row for each
	slopes []float64   // derivatives along axes, of all parameters: a row for each
	before []quadratic // what was found along axes that have been rotated since
	probed bool        // downhill has evaluated the loss along all directions that are not clearly curved
	why    string      // there are no derivatives

	at, up, down       []float64 // a point, and gradients
	thetaUp, thetaDown []float64
}

func newNeighbourhood(m runtime.Model, u runtime.Unconstrained, theta []float64) *neighbourhood {
	h := &neighbourhood{u: u, x: make([]float64, u.Dim()), up: make([]float64, u.Dim()), down: make([]float64, u.Dim()),
		thetaUp: make([]float64, len(theta)), thetaDown: make([]float64, len(theta))}
	u.FromTheta(h.x, theta)
	h.at = slices.Clone(h.x)
	h.loss = u.Loss(h.x)
	h.axes = axes(m, u, h.x)
	h.coordinates = h.axes
	h.second = make([]float64, len(h.axes)*len(h.axes))
	h.slopes = make([]float64, len(h.axes)*len(theta))
	return h
}

// differentiate fills in the derivatives, or says why there are none. Where the axes are far from those of the likelihood it rotates
// them, since a curvature that is small against that of the axes is lost among the errors of differences: as of a polynomial in the
// year, whose columns are nearly the same.
func (h *neighbourhood) differentiate(ctx context.Context) (why string) {
	for rotations := 0; ; rotations++ {
		if why = h.once(ctx); why != "" || rotations == mostRotations || !h.rotate() {
			return why
		}
	}
}

// once fills in the derivatives along the axes that there are.
func (h *neighbourhood) once(ctx context.Context) (why string) {
	for k := range h.axes {
		if ctx.Err() != nil {
			return "stopped before they were found"
		}
		if flat := h.along(k); flat {
			return singularIn(h.axes[k].names)
		}
	}
	for _, x := range slices.Concat(h.second, h.slopes) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return noSecondDerivatives
		}
	}
	return ""
}

const (
	// mostRotations is how often the axes are rotated: each time some digits of the least curvature are found.
	mostRotations = 3
	// rotatedFrom is the ratio of the least to the largest curvature, of axes that are scaled, below which they are rotated. That of
	// what may be nothing but errors is taken to be leastRatio.
	rotatedFrom, leastRatio = 1e-4, 1e-10
)

// rotate takes the directions in which the second derivatives are the identity, as far as they are known, for the axes; it reports
// whether there was any need.
func (h *neighbourhood) rotate() bool {
	p := len(h.axes)
	if p < 2 {
		return false
	}
	q := h.quadratic()
	var eigen mat.EigenSym
	if !eigen.Factorize(q.hessian, true) {
		return false
	}
	values := eigen.Values(nil) // ascending
	if !(values[0] < rotatedFrom*values[p-1]) {
		return false
	}
	var vectors, ways mat.Dense
	eigen.VectorsTo(&vectors)
	ways.Mul(q.directions, &vectors)
	axes := make([]axis, p)
	for k := range axes {
		axes[k] = axis{unit: 1, way: mat.Col(nil, k, &ways), real: true}
		floats.Scale(1/math.Sqrt(max(math.Abs(values[k]), leastRatio*values[p-1])), axes[k].way)
		for i, old := range h.axes {
			if math.Abs(vectors.At(i, k)) > named {
				axes[k].names, axes[k].real = union(axes[k].names, old.names), axes[k].real && old.real
			}
		}
	}
	h.axes, h.before = axes, append(h.before, q)
	return true
}

// named is the share of an axis in a direction from which on its parameters are mentioned.
const named = 0.1

// union appends what is not there already.
func union(names, more []string) []string {
	for _, name := range more {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// along fills in the derivatives along an axis. It reports whether the loss is flat there: then differences of gradients
// are 0, or nothing but rounding, for which a step can be found too.
func (h *neighbourhood) along(k int) (flat bool) {
	if h.axes[k].unit == 0 {
		h.axes[k].unit = h.axes[k-1].unit
	}
	step := typicalStep * h.axes[k].unit
	short, long, c := 0.0, math.Inf(1), math.NaN() // steps that are too short, and too long
	for range mostTrials {
		rise := h.difference(k, step)
		c = h.second[k*len(h.axes)+k]
		if math.IsNaN(c) || math.IsInf(c, 0) { // outside the domain
			step /= 10
			continue
		}
		size := step * math.Sqrt(math.Abs(c))
		if size >= leastStep && size <= mostStep {
			h.axes[k].unit = step / size
			return c > 0 && rise < size*size/2-roundingOf*(1+math.Abs(h.loss))
		}
		if size < leastStep {
			short = step
		} else {
			long = step
		}
		if step *= min(max(typicalStep/size, 1e-12), 1e3); !(step > short && step < long) {
			step = math.Sqrt(short) * math.Sqrt(long)
		}
	}
	return c == 0
}

// difference fills in the derivatives along an axis by a step, and returns the second difference of the loss.
func (h *neighbourhood) difference(k int, step float64) (rise float64) {
	up := h.moveTo(k, step)
	rise = h.u.Gradient(h.up, h.at) - h.loss
	h.u.Theta(h.thetaUp, h.at)
	down := h.moveTo(k, -step)
	rise += h.u.Gradient(h.down, h.at) - h.loss
	h.u.Theta(h.thetaDown, h.at)

	width := up - down
	floats.Sub(h.up, h.down)
	row := h.second[k*len(h.axes) : (k+1)*len(h.axes)]
	for j, a := range h.axes {
		if a.way == nil {
			row[j] = h.up[a.index] / width
		} else {
			row[j] = floats.Dot(h.up, a.way) / width
		}
	}
	slope := h.slopes[k*len(h.thetaUp) : (k+1)*len(h.thetaUp)]
	for j := range slope {
		slope[j] = (h.thetaUp[j] - h.thetaDown[j]) / width
	}
	return rise
}

// moveTo sets the point a step along an axis, and returns where it is along it: of a coordinate rounded as that is.
func (h *neighbourhood) moveTo(k int, step float64) float64 {
	a := h.axes[k]
	copy(h.at, h.x)
	if a.way != nil {
		floats.AddScaled(h.at, step, a.way)
		return step
	}
	here := h.x[a.index]
	h.at[a.index] = here + math.Copysign(max(math.Abs(step), ulps*math.Abs(here)), step)
	return h.at[a.index]
}

// mostCondition is that of the matrix of second derivatives, scaled to be 1 on the diagonal, above which nothing is left of
// an inverse: differences are good to about 8 digits.
const mostCondition = 1e7

// covariance returns the covariance matrix that one observation would leave in the parameters: J' H^-1 J, H the second
// derivatives and J those of the parameters, a row for each axis. Both are scaled by the curvatures along the axes, since the
// units of these differ.
func (h *neighbourhood) covariance() (cov *mat.SymDense, why string) {
	entries := len(h.thetaUp)
	cov = mat.NewSymDense(entries, nil)
	if len(h.axes) == 0 {
		return cov, ""
	}
	hessian, jacobian := h.scaled()
	var chol mat.Cholesky
	var solved, product mat.Dense
	if !chol.Factorize(hessian) || chol.Cond() > mostCondition || chol.SolveTo(&solved, jacobian) != nil {
		return nil, h.undetermined(hessian)
	}
	if names := h.inflated(&chol); len(names) > 0 {
		return nil, singularIn(names)
	}
	product.Mul(jacobian.T(), &solved)
	for i := range entries {
		for j := i; j < entries; j++ {
			cov.SetSym(i, j, (product.At(i, j)+product.At(j, i))/2)
		}
	}
	return cov, ""
}

// scaled returns the second derivatives, symmetric and, but for the sign, 1 on the diagonal, and those of the parameters.
func (h *neighbourhood) scaled() (hessian *mat.SymDense, jacobian *mat.Dense) {
	p, entries := len(h.axes), len(h.thetaUp)
	hessian, jacobian = mat.NewSymDense(p, nil), mat.NewDense(p, entries, slices.Clone(h.slopes))
	unit := func(i int) float64 { return 1 / math.Sqrt(math.Abs(h.second[i*p+i])) }
	for i := range p {
		for j := i; j < p; j++ {
			hessian.SetSym(i, j, (h.second[i*p+j]+h.second[j*p+i])/2*unit(i)*unit(j))
		}
		row := jacobian.RawRowView(i)
		floats.Scale(unit(i), row)
	}
	return hessian, jacobian
}

// mostInflated is by how much the variance along a coordinate may be larger than if all others were known. Rotated axes find directions of
// ever less curvature, at last one that rounding alone leaves: the axis along it is so long that nothing seems wrong with the matrix of
// second derivatives along the axes. Beyond 2^53 the information, scaled to be 1 on the diagonal, is singular to the digits that
// a number has.
const mostInflated = 0x1p53

// inflated names the parameters of the coordinates whose variances others inflate beyond all digits, given second derivatives along
// axes that were rotated; a condition is enough to judge others by. Units of coordinates do not matter.
func (h *neighbourhood) inflated(second *mat.Cholesky) (names []string) {
	if len(h.before) == 0 {
		return nil
	}
	var solved mat.Dense
	directions := h.quadratic().directions
	if second.SolveTo(&solved, directions.T()) != nil {
		return nil
	}
	variances, most := make([]float64, len(h.coordinates)), 0.0
	for k, a := range h.coordinates {
		unit := h.before[0].directions.At(a.index, k)
		variances[k] = mat.Dot(directions.RowView(a.index), solved.ColView(a.index)) / (unit * unit)
		most = math.Max(most, variances[k])
	}
	if !(most > mostInflated) {
		return nil
	}
	for k, a := range h.coordinates {
		if variances[k] > named*named*most {
			names = union(names, a.names)
		}
	}
	return names
}

const (
	noSecondDerivatives = "the likelihood has no second derivatives at the estimate"
	notPositive         = "the observed information is not positive definite"
)

func singularIn(names []string) string {
	return "the observed information is singular, or nearly so: the data do not determine " + strings.Join(names, " and ")
}

// undetermined says which parameters are not determined by the data: those that change in the direction of the least
// curvature. Where that is below 0 but downhill has found the likelihood higher nowhere along it, it is what differences leave of nothing.
func (h *neighbourhood) undetermined(scaled mat.Symmetric) string {
	var eigen mat.EigenSym
	if !eigen.Factorize(scaled, true) || !h.probed && eigen.Values(nil)[0] < -1/mostCondition {
		return notPositive
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	var names []string
	for i, x := range mat.Col(nil, 0, &vectors) { // eigenvalues ascend
		if math.Abs(x) > named {
			names = union(names, h.axes[i].names)
		}
	}
	return singularIn(names)
}
