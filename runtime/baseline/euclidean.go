// Package baseline has the methods that surrogate natural gradient descent is compared with, as views of the same
// generated objective: gradient descent and L-BFGS in unconstrained coordinates ([Euclidean]), natural gradient descent
// under the target itself ([Natural] and [NaturalSurrogate]), and the optimisers of gonum ([Run]).
package baseline

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime"
)

// Euclidean returns the objective in unconstrained coordinates with v = c, both the ordinary gradient: SNGD on it is
// gradient descent, NaturalLBFGS on it is L-BFGS.
func Euclidean(u runtime.Unconstrained) runtime.Problem {
	return &euclidean{u: u, blocks: []runtime.Block{{Name: "u", Len: u.Dim(), Auxiliary: true}}}
}

type euclidean struct {
	u      runtime.Unconstrained
	blocks []runtime.Block
}

func (p *euclidean) Blocks() []runtime.Block         { return p.blocks }
func (p *euclidean) Conditions() []runtime.Condition { return definedOnly }
func (p *euclidean) NaturalGradient(v, z []float64)  { p.u.Gradient(v, z) }

func (p *euclidean) Loss(z []float64) float64 { return finiteOrNaN(p.u.Loss(z)) }

func (p *euclidean) Gradients(v, c, z []float64) float64 {
	f := p.u.Gradient(c, z)
	copy(v, c)
	return finiteOrNaN(f)
}

// Violation never names a condition beyond the loss being defined.
func (p *euclidean) Violation(z []float64) int {
	if math.IsNaN(p.Loss(z)) {
		return 0
	}
	return -1
}

// definedOnly is the domain in unconstrained coordinates: in principle everything, in floating point not quite.
var definedOnly = []runtime.Condition{{Text: "a finite loss"}}

func finiteOrNaN(f float64) float64 {
	if math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}
