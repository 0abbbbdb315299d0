package modeltest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// checkTheta checks the gradient with respect to the target's parameters against differences of the loss, and against
// the ordinary gradient through Theta.
func checkTheta(t *testing.T, p point) {
	o, ok := p.Model.(runtime.Objective)
	if !ok {
		if p.Unconstrained() == nil {
			t.Error("the model is no Objective, and has no unconstrained coordinates either")
		}
		return
	}
	n := thetaLen(p)
	theta, g, other := make([]float64, n), make([]float64, n), make([]float64, n)
	v, c := newVector(p), newVector(p)
	p.Theta(theta, p.z)
	f := p.Gradients(v, c, p.z)
	a, b := p.Loss(p.z), o.ThetaGradient(g, theta)
	if math.IsNaN(b) && !math.IsNaN(a) {
		t.Errorf("the loss is %v at %v, but not a number at the parameters there, %v: the map gives what is none of the declared types",
			a, p.z, theta)
		return
	}
	// Along the path what is known in closed form at theta is estimated at z.
	if !p.Info().Path && !close(a, b, 1, 1e-10) {
		t.Errorf("loss %v at z, %v at theta", a, b)
	}
	if alone, ok := o.(runtime.LossOfTheta); ok {
		if got := alone.ThetaLoss(theta); !close(got, b, 1, 1e-12) {
			t.Errorf("loss %v, %v with its derivatives", got, b)
		}
	}
	checkSymmetricTheta(t, p, g)
	for range 4 {
		d, err := p.direction()
		if err != nil {
			t.Error(err)
			return
		}
		change := derivatives(n, func(dst []float64, h float64) { p.Theta(dst, along(p.z, d, h)) }, 1e-2)
		scale := floor(f) + 1e-3*math.Sqrt(dot(g, g)*dot(change, change))
		if a, b := dot(c, d), dot(g, change); !close(a, b, scale, 1e-5) && !p.Info().Path {
			moved := func(h float64) float64 { p.Theta(other, along(p.z, d, h)); return dot(g, other) }
			if b, ok := derives(a, moved, 1e-2, scale, 1e-5); !ok {
				t.Errorf("at %v: c.dz = %v, but g.dtheta = %v", p.z, a, b)
			}
		}
		loss := func(h float64, e []float64) float64 { return o.ThetaGradient(other, along(theta, e, h)) }
		e, err := p.thetaDirection(theta, loss)
		if err != nil {
			t.Error(err)
			return
		}
		scale = floor(f) + 1e-3*math.Sqrt(dot(g, g)*dot(e, e))
		got := dot(g, e)
		if want, ok := derives(got, func(h float64) float64 { return loss(h, e) }, 1e-2, scale, 1e-5); !ok {
			t.Errorf("at theta = %v: g.dtheta = %v, by differences %v", theta, got, want)
		}
	}
}

// thetaDirection is a random direction that keeps theta of its type and inside the domain for steps up to its length. Where
// there is none the error says at which theta.
func (p point) thetaDirection(theta []float64, loss func(float64, []float64) float64) ([]float64, error) {
	d := make([]float64, len(theta))
	eachParameter(p, func(q *runtime.Parameter, at, n int) {
		if q.Known {
			return
		}
		x := d[at : at+n]
		for i := range x {
			size := 1e-3 + 1e-2*math.Abs(theta[at+i])
			if q.Type.Entry == types.Unit { // may be as near to 0 or to 1 as numbers can be
				size = 1e-2 * math.Min(theta[at+i], 1-theta[at+i])
			}
			x[i] = p.rng.NormFloat64() * size
		}
		one := q.Component()
		for n := one.Len(p); len(x) > 0; x = x[n:] {
			one.Type.Form.Tangent(x[:n], one.Side(p))
		}
	})
	for range mostShrinks {
		if !math.IsNaN(loss(1, d)) && !math.IsNaN(loss(-1, d)) {
			return d, nil
		}
		for i := range d {
			d[i] /= 4
		}
	}
	return nil, fmt.Errorf("theta = %v is on the edge of where the loss is defined: next to it, it is not a number", theta)
}

// checkSymmetricTheta checks that the gradient of symmetric parameters is symmetric.
func checkSymmetricTheta(t *testing.T, m runtime.Model, g []float64) {
	eachParameter(m, func(p *runtime.Parameter, at, n int) {
		if !p.Type.Form.Has(types.Symmetric) {
			return
		}
		x := g[at : at+n]
		y := slices.Clone(x)
		one := p.Component()
		for i, n := 0, one.Len(m); i < len(y); i += n {
			symmetriseMatrix(y[i : i+n])
		}
		for i := range x {
			if !close(x[i], y[i], 1e-3*math.Sqrt(dot(x, x)), 1e-12) {
				t.Errorf("the gradient of %s is not symmetric: entry %d is %v, its mirror image %v", p.Name, i, x[i], y[i])
				return
			}
		}
	})
}
