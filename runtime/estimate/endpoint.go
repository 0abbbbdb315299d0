package estimate

import (
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
)

// endPoint is where a run has ended, in unconstrained coordinates: whoever looks whether that is a maximum compares the likelihood elsewhere with that there, which
// is evaluated once, and so are its derivatives.
type endPoint struct {
	runtime.Unconstrained
	x        []float64 // for others, who may move about and come back
	together bool      // loss and gradient take one evaluation, and the loss no less: they do in charts

	at                      []float64 // x
	loss, gradient, hessian []float64 // nil where they are not known yet
	value                   float64   // the loss that came with the gradient
	beside                  map[sideways]float64
}

// sideways is a step of 1 along a coordinate, either way.
type sideways struct {
	coordinate int
	way        float64
}

// newEndPoint returns the end of a run at parameters theta, in the order of the report; nil where the model has no unconstrained coordinates.
func newEndPoint(m runtime.Model, theta []float64) *endPoint {
	u, err := Coordinates(m, baseline.CovarianceCholesky)
	if err != nil {
		return nil
	}
	return endPointOf(u, theta, m.Unconstrained() == nil)
}

// endPointOf is newEndPoint in coordinates that there are already.
func endPointOf(u runtime.Unconstrained, theta []float64, together bool) *endPoint {
	e := &endPoint{Unconstrained: u, x: make([]float64, u.Dim()), together: together}
	u.FromTheta(e.x, theta)
	e.at = slices.Clone(e.x)
	return e
}

// Loss implements runtime.Unconstrained.
func (e *endPoint) Loss(x []float64) float64 {
	switch {
	case !slices.Equal(x, e.at):
		return e.Unconstrained.Loss(x)
	case e.together:
		e.differentiate()
		return e.value
	case e.loss == nil:
		e.loss = []float64{e.Unconstrained.Loss(x)}
	}
	return e.loss[0]
}

// Gradient implements runtime.Unconstrained.
func (e *endPoint) Gradient(g, x []float64) float64 {
	if !slices.Equal(x, e.at) {
		return e.Unconstrained.Gradient(g, x)
	}
	e.differentiate()
	copy(g, e.gradient)
	return e.value
}

// aside is the loss a step of 1 along a coordinate from the end, which several ask for: nearly always it says that nothing goes to infinity there.
func (e *endPoint) aside(coordinate int, way float64) float64 {
	step := sideways{coordinate, way}
	loss, known := e.beside[step]
	if !known {
		x := slices.Clone(e.at)
		x[coordinate] += way
		loss = e.Unconstrained.Loss(x)
		if e.beside == nil {
			e.beside = map[sideways]float64{}
		}
		e.beside[step] = loss
	}
	return loss
}

// differentiate finds the gradient at the end.
func (e *endPoint) differentiate() {
	if e.gradient == nil {
		e.gradient = make([]float64, len(e.at))
		e.value = e.Unconstrained.Gradient(e.gradient, e.at)
	}
}

// Hessian implements runtime.Unconstrained, at the end also by differences, in charts where somebody has asked for all of them: who wants a few takes fewer.
func (e *endPoint) Hessian(h, x []float64) {
	if !slices.Equal(x, e.at) || e.together && e.hessian == nil {
		e.Unconstrained.Hessian(h, x)
		return
	}
	if e.hessian == nil {
		e.hessian = make([]float64, len(h))
		hessian(e.hessian, e.Unconstrained, e.at)
	}
	copy(h, e.hessian)
}

// hessian writes second derivatives, by differences where they are not available.
func hessian(h []float64, u runtime.Unconstrained, x []float64) {
	if u.Hessian(h, x); math.IsNaN(h[0]) {
		differences(h, u, x)
		if e, ok := u.(*endPoint); ok && slices.Equal(x, e.at) {
			e.hessian = slices.Clone(h)
		}
	}
}

// Blocks has a block for each parameter that is estimated, as charts have.
func (e *endPoint) Blocks() []runtime.Block { return baseline.Euclidean(e.Unconstrained).Blocks() }

// such are the blocks of parameters that are estimated and such; none where there are no coordinates.
func (e *endPoint) such(m runtime.Model, such func(p *runtime.Parameter) bool) (blocks []runtime.Block) {
	if e == nil {
		return nil
	}
	for _, b := range e.Blocks() {
		if p := parameter(m.Info(), b.Name); p != nil && !p.Known && such(p) {
			blocks = append(blocks, b)
		}
	}
	return blocks
}
