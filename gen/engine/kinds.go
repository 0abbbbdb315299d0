package engine

import (
	"fmt"

	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
)

// scalar is a model of numbers: it has unconstrained coordinates, and Fisher information.
type scalar struct{ *model }

func (m *scalar) Unconstrained() runtime.Unconstrained { return unconstrained{m.model} }

// unconstrained is a model in unconstrained coordinates.
type unconstrained struct{ of *model }

func (p unconstrained) Dim() int { return len(p.of.d.Unconstrained.Coords) }

func (p unconstrained) Loss(u []float64) float64 {
	e := p.of.entry(freeLoss)
	*e.args[0] = u
	return e.value()
}

func (p unconstrained) Gradient(g, u []float64) float64 {
	e := p.of.entry(freeGradient)
	*e.args[0], *e.args[1] = g, u
	return e.value()
}

func (p unconstrained) Hessian(h, u []float64) {
	if p.of.d.Unconstrained.Hessian == nil {
		for i := range h {
			h[i] = nan
		}
		return
	}
	e := p.of.entry(freeHessian)
	*e.args[0], *e.args[1] = h, u
	e.u.run()
}

func (p unconstrained) Theta(dst, u []float64) {
	e := p.of.entry(freeTheta)
	*e.args[0], *e.args[1] = dst, u
	e.u.run()
}

func (p unconstrained) FromTheta(u, theta []float64) {
	e := p.of.entry(fromTheta)
	*e.args[0], *e.args[1] = u, theta
	e.u.run()
}

func (m *scalar) FisherUnconstrained(dst, u, x, w []float64) (mass, mean, square float64) {
	return m.fisher(fisherFree, dst, u, x, w)
}

func (m *scalar) FisherSurrogate(dst, z, x, w []float64) (mass, mean, square float64) {
	return m.fisher(fisherSurrogate, dst, z, x, w)
}

func (m *model) fisher(k int, dst, at, x, w []float64) (mass, mean, square float64) {
	e := m.entry(k)
	*e.args[0], *e.args[1], *e.args[2], *e.args[3] = dst, at, x, w
	for i, name := range []string{"mass", "mean", "square"} {
		e.u.set(name, m.mass[i])
	}
	e.u.run()
	return m.mass[0][0], m.mass[1][0], m.mass[2][0]
}

// shaped is a model with vectors or matrices, or of several columns.
type shaped struct{ *model }

func (m *shaped) ThetaGradient(g, theta []float64) float64 { return m.gradientOfTheta(g, theta) }

func (m *shaped) ThetaLoss(theta []float64) float64 {
	e := m.entry(thetaLoss)
	*e.args[0] = theta
	return e.value()
}

// penalised is what a model with a penalty has besides.
type penalised struct{ of *model }

type penalisedScalar struct {
	scalar
	penalised
}

type penalisedShaped struct {
	shaped
	penalised
}

func (p penalised) PenaltyGradients(v, c, z []float64) float64 {
	e := p.of.entry(penaltyGradients)
	*e.args[0], *e.args[1], *e.args[2] = v, c, z
	return e.value()
}

func (p penalised) PenaltyThetaGradient(g, theta []float64) float64 {
	e := p.of.entry(penaltyThetaGradient)
	*e.args[0], *e.args[1] = g, theta
	return e.value()
}

// mixture is a mixture.
type mixture struct{ shaped }

func (m *mixture) Components() int { return m.components() }

func (m *mixture) SetComponents(k int) error {
	changed, err := m.setComponents(k)
	if err != nil || m.rows.Given() == 0 {
		return err
	}
	if changed && len(m.pkg.Constants) > 0 {
		m.view(nil)
		m.model.run("constants")
	}
	if !changed {
		return nil
	}
	return m.Batch(nil)
}

// setComponents sets the number of components, unless the spec says it.
func (m *core) setComponents(k int) (changed bool, err error) {
	switch of := m.pkg.Components; {
	case of.Name == "" && k != of.Size:
		return false, fmt.Errorf("%s has %d components, not %d: its spec says so", m.pkg.Info.Name, of.Size, k)
	case of.Name == "":
		return false, nil
	case k < 1:
		return false, fmt.Errorf("%s cannot have %d components", m.pkg.Info.Name, k)
	}
	m.dims[m.pkg.Components.Name] = k
	m.fresh()
	return true, nil
}

func (m *mixture) Responsibilities(dst, z []float64) { m.responsibilities(dst, z) }

func (m *core) responsibilities(dst, z []float64) {
	e := m.entry(responsibilities)
	*e.args[0], *e.args[1] = dst, z
	e.spoiled(dst)
	if m.d.Responsibilities.Type.Axes.Has(rowsAxis) {
		return
	}
	k := m.components()
	for i := k; i < len(dst); i++ { // those of components that are all alike are the weights, for every row
		dst[i] = dst[i-k]
	}
}

func (m *mixture) RaiseWeights(z []float64, floor float64) bool { return m.raiseWeights(z, floor) }

func (m *core) raiseWeights(z []float64, floor float64) bool {
	weights := (*m.grown("weights", m.components()))[:m.components()]
	var units []*unit
	if m.pkg.Functions["RaiseWeights"] != nil {
		units = m.function("RaiseWeights")
	}
	natural, shared := m.pkg.Info.Coordinates == bind.Natural, m.d.Surrogate.Raised != nil
	if shared {
		if !support.RaisedWeights(z, weights, floor) || units[len(units)-1].set("z", z).run() == indefinite {
			return false
		}
	}
	if !natural {
		return support.RaiseMeanWeights(z, m.blocks, weights, floor)
	}
	units[0].set("z", z).run()
	return support.RaiseNaturalWeights(z, weights, floor)
}
