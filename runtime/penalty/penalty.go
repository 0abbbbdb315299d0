// Package penalty adds the penalty of a spec to the objective of a model: to the loss, to both gradients and to the objective in
// other coordinates, all of which are sums. The model without it stays as it is, and as fast.
package penalty

import (
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
)

// Of returns a model with the objective of m plus its penalty, both divided by the sum of the weights. Of what m may be besides
// it is a runtime.Objective, where parameters are vectors or matrices; no runtime.Batcher, as the penalty is that of all rows.
// Both share one workspace. The error says that m has no penalty.
func Of(m runtime.Model) (runtime.Model, error) {
	q, ok := m.(runtime.Penalised)
	if !ok {
		return nil, fmt.Errorf("%s has no penalty: a penalty stands in the spec of a target, and is for no mixture and no posterior of it",
			m.Info().Name)
	}
	p := &model{Model: m, penalty: q}
	if o, shaped := m.(runtime.Objective); shaped {
		return &objective{model: p, own: o}, nil
	}
	return p, nil
}

// Value returns the penalty of a model with data at parameters of its target, in the order and layout of Theta: what is
// subtracted from the log-likelihood of all rows, if m comes from Of, else 0.
func Value(m runtime.Model, theta []float64) float64 {
	p, ok := m.(interface{ value(theta []float64) float64 })
	if !ok {
		return 0
	}
	return p.value(theta)
}

// model is a model with its penalty.
type model struct {
	runtime.Model
	penalty   runtime.Penalised
	v, c      []float64 // gradients of the penalty
	auxiliary []bool    // of the coordinates
}

// gradients evaluates the gradients of the penalty, in memory that is allocated when the length of z is new.
func (p *model) gradients(z []float64) float64 {
	if len(p.v) != len(z) {
		p.v, p.c, p.auxiliary = make([]float64, len(z)), make([]float64, len(z)), make([]bool, len(z))
		for _, b := range p.Blocks() {
			for i := b.Offset; i < b.Offset+b.Len; i++ {
				p.auxiliary[i] = b.Auxiliary
			}
		}
	}
	return p.penalty.PenaltyGradients(p.v, p.c, z)
}

func (p *model) value(theta []float64) float64 {
	_, _, n := p.Counts()
	return n * p.penalty.PenaltyThetaGradient(make([]float64, len(theta)), theta)
}

// FinerLoss has the penalty of the loss; NaN where the model is no runtime.Refined.
func (p *model) FinerLoss(theta []float64) float64 {
	m, ok := p.Model.(runtime.Refined)
	if !ok {
		return math.NaN()
	}
	return m.FinerLoss(theta) + p.penalty.PenaltyThetaGradient(make([]float64, len(theta)), theta)
}

func (p *model) Loss(z []float64) float64 {
	f := p.Model.Loss(z)
	if math.IsNaN(f) { // outside the domain
		return f
	}
	return f + p.gradients(z)
}

func (p *model) Gradients(v, c, z []float64) float64 {
	f := p.Model.Gradients(v, c, z)
	if math.IsNaN(f) {
		return f
	}
	f += p.gradients(z)
	add(v, p.v)
	add(c, p.c)
	return f
}

// NaturalGradient has the ordinary gradient of auxiliary parameters, as that of the model has.
func (p *model) NaturalGradient(v, z []float64) {
	p.Model.NaturalGradient(v, z)
	p.gradients(z)
	for i := range v {
		if p.auxiliary[i] {
			v[i] += p.c[i]
		} else {
			v[i] += p.v[i]
		}
	}
}

func (p *model) Clone() runtime.Model {
	c, err := Of(p.Model.Clone())
	if err != nil {
		panic(err) // a clone is what the model is
	}
	return c
}

// Unconstrained is the sum of the objectives where parameters are numbers.
func (p *model) Unconstrained() runtime.Unconstrained {
	u := p.Model.Unconstrained()
	if u == nil {
		return nil
	}
	chart, err := baseline.PenaltyChart(p.Model, baseline.CovarianceCholesky)
	if err != nil {
		return nil // a number has unconstrained coordinates
	}
	return &sum{Unconstrained: u, penalty: chart, g: make([]float64, u.Dim())}
}

// objective is a penalised model whose parameters are vectors or matrices.
type objective struct {
	*model
	own runtime.Objective
	g   []float64
}

func (o *objective) ThetaGradient(g, theta []float64) float64 {
	if len(o.g) != len(theta) {
		o.g = make([]float64, len(theta))
	}
	f := o.own.ThetaGradient(g, theta) + o.penalty.PenaltyThetaGradient(o.g, theta)
	add(g, o.g)
	return f
}

// sum is an objective in unconstrained coordinates with its penalty.
type sum struct {
	runtime.Unconstrained
	penalty runtime.Unconstrained
	g       []float64
}

func (s *sum) Loss(u []float64) float64 { return s.Unconstrained.Loss(u) + s.penalty.Loss(u) }

func (s *sum) Gradient(g, u []float64) float64 {
	f := s.Unconstrained.Gradient(g, u) + s.penalty.Gradient(s.g, u)
	add(g, s.g)
	return f
}

// Hessian is not available: the penalty has first derivatives only.
func (s *sum) Hessian(h, _ []float64) {
	for i := range h {
		h[i] = math.NaN()
	}
}

func add(dst, src []float64) {
	for i, x := range src {
		dst[i] += x
	}
}
