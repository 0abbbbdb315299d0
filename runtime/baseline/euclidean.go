// Package baseline has the methods that surrogate natural gradient descent is compared with, as views of the same
// generated objective: gradient descent, L-BFGS and Adam in unconstrained coordinates ([Euclidean]), natural gradient
// descent under the target itself ([Natural] and [NaturalSurrogate]), and, below it, the optimisers of gonum (package general). Where
// parameters are vectors and matrices, [Charts] has the unconstrained coordinates.
package baseline

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime"
)

// Euclidean returns the objective in unconstrained coordinates with v = c, both the ordinary gradient: SNGD on it is
// gradient descent, NaturalLBFGS on it is L-BFGS, and a stochastic method that steps all coordinates as auxiliary ones,
// such as Adam, is that method. The view is a runtime.Batcher if u is one; then it also tells the number of rows, by the
// method Counts of a runtime.Model, if u does. It is runtime.Noisy if u is.
func Euclidean(u runtime.Unconstrained) runtime.Problem {
	p := &euclidean{u: u, blocks: []runtime.Block{{Name: "u", Len: u.Dim(), Auxiliary: true}}}
	if named, ok := u.(interface{ Blocks() []runtime.Block }); ok {
		p.blocks = named.Blocks()
	}
	n, noisy := u.(runtime.Noisy)
	b, ok := u.(runtime.Batcher)
	if !ok {
		if noisy {
			return &struct {
				*euclidean
				runtime.Noisy
			}{p, n}
		}
		return p
	}
	c, counts := u.(counter)
	switch {
	case counts && noisy:
		return &struct {
			countedEuclidean
			runtime.Noisy
		}{countedEuclidean{batchEuclidean{p, b}, c}, n}
	case counts:
		return &countedEuclidean{batchEuclidean{p, b}, c}
	}
	return &batchEuclidean{p, b}
}

// batchEuclidean is the view of an objective that is a mean over rows.
type batchEuclidean struct {
	*euclidean
	runtime.Batcher
}

// countedEuclidean is the view of one that also tells how many rows there are.
type countedEuclidean struct {
	batchEuclidean
	counter
}

// counter is the method of runtime.Model that tells the number of rows.
type counter interface {
	Counts() (rows, distinct int, weight float64)
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
