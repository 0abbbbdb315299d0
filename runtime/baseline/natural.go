package baseline

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
)

// InformedModel is a model whose target has a Fisher matrix that can be integrated.
type InformedModel interface {
	runtime.Model
	runtime.Informed
}

// Natural returns the objective in unconstrained coordinates of the target with v = F^-1 c, F the Fisher matrix of the
// target: SNGD on it is natural gradient descent under the target (the baseline "NGD" of So and Turner, AISTATS 2024,
// section 4.1). It shares the workspace of the model. The error is not nil if the observation has a type without an
// integration rule.
func Natural(m InformedModel) (runtime.Problem, error) {
	u := m.Unconstrained()
	blocks := []runtime.Block{{Name: "u", Len: u.Dim(), Auxiliary: true}}
	return newNatural(m, &euclidean{u: u, blocks: blocks}, m.FisherUnconstrained)
}

// NaturalSurrogate is Natural in the coordinates of the surrogate ("NGD-g" in appendix C.3 of the same paper).
func NaturalSurrogate(m InformedModel) (runtime.Problem, error) {
	return newNatural(m, m, m.FisherSurrogate)
}

// natural replaces the v of a problem.
type natural struct {
	runtime.Problem
	fisher     fisher
	conditions []runtime.Condition
	f          *mat.SymDense
	chol       mat.Cholesky
	c          []float64
}

func newNatural(m InformedModel, p runtime.Problem, integrand integrand) (runtime.Problem, error) {
	dim := 0
	for _, b := range p.Blocks() {
		dim = max(dim, b.Offset+b.Len)
	}
	rule, err := ruleFor(m.Info().Variable.Type)
	if err != nil {
		return nil, err
	}
	own := runtime.Condition{Text: "a positive definite Fisher matrix of the target, integrated to mass one"}
	return &natural{
		Problem:    p,
		fisher:     newFisher(rule, integrand, dim),
		conditions: append(append([]runtime.Condition(nil), p.Conditions()...), own),
		f:          mat.NewSymDense(dim, nil),
		c:          make([]float64, dim),
	}, nil
}

func (p *natural) Conditions() []runtime.Condition { return p.conditions }

func (p *natural) Violation(z []float64) int {
	if i := p.Problem.Violation(z); i >= 0 {
		return i
	}
	if !p.metric(z) {
		return len(p.conditions) - 1
	}
	return -1
}

func (p *natural) NaturalGradient(v, z []float64) { p.Gradients(v, p.c, z) }

func (p *natural) Gradients(v, c, z []float64) float64 {
	f := p.Problem.Gradients(v, c, z)
	if math.IsNaN(f) || !p.metric(z) {
		return math.NaN()
	}
	if err := p.chol.SolveVecTo(mat.NewVecDense(len(v), v), mat.NewVecDense(len(c), c)); err != nil {
		return math.NaN() // singular to working precision
	}
	return f
}

// metric integrates and factorises the Fisher matrix at z.
func (p *natural) metric(z []float64) bool {
	raw := p.f.RawSymmetric()
	return p.fisher.at(raw.Data, z) == nil && p.chol.Factorize(p.f)
}
