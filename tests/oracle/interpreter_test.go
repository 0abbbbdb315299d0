package oracle_test

import (
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/runtime"
)

// TestGeneratedSurrogate compares the generated package with what was derived, and with the loss as the spec has it.
func TestGeneratedSurrogate(t *testing.T) {
	eachPoint(t, every, func(p trial) {
		s := &p.d.Surrogate
		got := answersAt(p.m, p.z)
		p.equal("loss by Gradients", got.gradients, s.Loss)
		p.equal("loss", got.loss, s.Loss)
		p.equal("literal loss", got.loss, s.Literal)
		p.equalCoords("v", got.v, s.Natural...)
		p.equalCoords("c", got.c, s.Covector...)
		p.equalCoords("v by NaturalGradient", got.only, ordinary(s)...)
		p.equalTheta("theta", p.theta(), nodes(s.Theta)...)
		p.equalCoords("dual", got.dual, duals(s)...)
		if again := answersAt(p.m, p.z); !again.equal(got) {
			p.Errorf("the second call gives %v, the first %v", again, got)
		}
	})
}

func (p trial) theta() []float64 { return thetaAt(p.m, p.z) }

// ordinary are the nodes of the natural gradient as NaturalGradient writes them: with the ordinary gradient of
// auxiliary parameters, which have optimisers of their own.
func ordinary(s *derive.Surrogate) []*expr.Node {
	own := len(s.Dual)
	return append(s.Natural[:own:own], s.Covector[own:]...)
}

// duals are the dual coordinates; auxiliary parameters are their own.
func duals(s *derive.Surrogate) []*expr.Node {
	own := len(s.DualOf)
	out := s.DualOf[:own:own]
	for _, c := range s.Coords[own:] {
		out = append(out, c.Sym)
	}
	return out
}

// TestGeneratedObjective does the same in the parameters of the target, where they are vectors or matrices.
func TestGeneratedObjective(t *testing.T) {
	eachPoint(t, shaped, func(p trial) {
		theta := p.theta()
		g := make([]float64, len(theta))
		f := p.m.(runtime.Objective).ThetaGradient(g, theta)
		define(p.T, p.env, p.d.Surrogate.Theta)
		p.equal("loss of theta", []float64{f}, p.d.Objective.Loss)
		p.equal("literal loss at theta", []float64{f}, p.d.Surrogate.Literal)
		p.equalTheta("gradient of theta", g, p.d.Objective.Gradient...)
	})
}

// TestGeneratedUnconstrained does the same in unconstrained coordinates, where they are numbers.
func TestGeneratedUnconstrained(t *testing.T) {
	eachPoint(t, scalar, func(p trial) {
		u := &p.d.Unconstrained
		m := p.m.Unconstrained()
		k := m.Dim()
		x, g, h, theta := make([]float64, k), make([]float64, k), make([]float64, k*k), p.theta()
		m.FromTheta(x, theta)
		for i, def := range u.Theta {
			p.env.Set(def.Sym.Name, theta[i])
		}
		p.equal("u", x, u.Inverse...)

		for i, c := range u.Coords {
			p.env.Set(c.Name, x[i])
		}
		m.Theta(theta, x)
		p.equal("theta of u", theta, nodes(u.Theta)...)
		define(p.T, p.env, u.Theta)
		p.equal("loss of u by Gradient", []float64{m.Gradient(g, x)}, u.Loss)
		p.equal("loss of u", []float64{m.Loss(x)}, u.Loss)
		p.equal("literal loss at u", []float64{m.Loss(x)}, p.d.Surrogate.Literal)
		p.equal("gradient", g, u.Gradient...)
		m.Hessian(h, x)
		var want []*expr.Node
		for _, row := range u.Hessian {
			want = append(want, row...)
		}
		p.equal("Hessian", h, want...)
	})
}
