package runtime

// Exact is implemented by variational models of which the bound is known without draws: all of its expectations are known in closed
// form, or as integrals over one normal number, as those of likelihoods are whose rows see the latent variables through one linear
// predictor. These are computed by Gauss-Hermite quadrature, whose error more nodes reduce; the gradients are those of what it
// computes.
type Exact interface {
	Variational
	// ExactGradients and ExactLoss are Gradients and Loss without draws. Over a batch they are estimates of those of all rows.
	ExactGradients(v, c, z []float64) float64
	ExactLoss(z []float64) float64
	// Nodes returns the number of nodes of quadrature, LeastNodes at first; 0 where all expectations are known in closed form.
	Nodes() int
	// SetNodes sets it, unless it is 0, to n, or to the nearest number from 1 to MostNodes.
	SetNodes(n int)
}

const (
	// LeastNodes and MostNodes are bounds of the number of nodes that quadrature takes.
	LeastNodes = 16
	MostNodes  = 256
)

// WithoutDraws is the problem of the bound without draws.
func WithoutDraws(m Exact) Problem { return withoutDraws{m, make([]float64, dimension(m))} }

type withoutDraws struct {
	Exact
	covector []float64
}

// Loss is that without draws.
func (p withoutDraws) Loss(z []float64) float64 { return p.ExactLoss(z) }

// Gradients are those without draws.
func (p withoutDraws) Gradients(v, c, z []float64) float64 { return p.ExactGradients(v, c, z) }

// NaturalGradient is that without draws.
func (p withoutDraws) NaturalGradient(v, z []float64) { p.ExactGradients(v, p.covector, z) }
