package baseline

import (
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Charts returns the objective of a model whose parameters may be vectors and matrices as a function of unconstrained
// coordinates of them, one after the other, in the order of Info().Parameters:
//
//	real, vectors of real, matrix   the entries themselves
//	positive, and vectors of it     logarithms
//	unit, and vectors of it         logits
//	ordered(k)                      the first entry, and logarithms of the differences of neighbours
//	direction(d)                    d-1 numbers: the stereographic projection from the point -1, 0, 0, ...
//	simplex(k)                      k-1 logarithms of ratios to the last entry (softmax with the last argument 0)
//	stochastic(k)                   the same of every row
//	spd(d)                          a square root of the matrix or of its inverse: see Root
//	lower(d)                        the entries of the lower triangle row by row, logarithms of those on the diagonal
//	corr(d)                         the same of a covariance matrix that has these correlations
//
// Of a mixture, each component has coordinates of its own for what Parameter.Components says each has.
//
// Parameters that the map sets to a number have no coordinates. The declared type alone decides: where the map keeps a
// positive number above another one, as a number of degrees of freedom above 2, its logarithm can leave the target's
// part of the model; above says which parameters are to have the coordinate log(x - bound) instead.
//
// The model must be a runtime.Objective and know its sizes; the view shares its workspace, and stays valid for other
// data as long as the sizes stay. If the model is a runtime.Batcher the view is one too, and has the Counts of the model; if
// it is runtime.Noisy, so is the view. Its second derivatives are NaN. Its Loss costs a gradient of the model: an Objective has no cheaper one. Nothing allocates after this call.
//
// The error is not nil if the model is no Objective, has unknown sizes or a parameter of another type, or if a bound
// names no positive parameter.
func Charts(m runtime.Model, root Root, above ...Above) (runtime.Unconstrained, error) {
	f, ok := m.(runtime.Objective)
	if !ok {
		return nil, fmt.Errorf("baseline: the model %s does not give its loss as a function of its parameters", m.Info().Name)
	}
	if err := checkBounds(m.Info(), above); err != nil {
		return nil, err
	}
	c, err := newChart(m, f, m.Info().Parameters, root, above)
	if err != nil {
		return nil, err
	}
	c.fix(m)
	b, batches := m.(runtime.Batcher)
	n, noisy := m.(runtime.Noisy)
	switch {
	case batches && noisy:
		return &noisyBatchChart{batchChart{c, b, m}, n}, nil
	case batches:
		return &batchChart{c, b, m}, nil
	case noisy:
		return &noisyChart{c, n}, nil
	}
	return c, nil
}

// LimitChart returns the objective of a limit, an index into Info().Limits, as a function of unconstrained coordinates of its
// parameters, as Charts does for those of the target. The model must be runtime.Limiting and know its sizes.
func LimitChart(m runtime.Model, limit int, root Root) (runtime.Unconstrained, error) {
	l, ok := m.(runtime.Limiting)
	if !ok || limit < 0 || limit >= len(m.Info().Limits) {
		return nil, fmt.Errorf("baseline: the model %s has no limit %d", m.Info().Name, limit)
	}
	return newChart(m, limitObjective{l, limit}, m.Info().Limits[limit].Parameters, root, nil)
}

// limitObjective is one limit of a model.
type limitObjective struct {
	m     runtime.Limiting
	limit int
}

func (o limitObjective) ThetaGradient(g, theta []float64) float64 {
	return o.m.LimitGradient(g, theta, o.limit)
}

// PenaltyChart returns the penalty of a model as a function of the same unconstrained coordinates as those of Charts. The
// parameters may be numbers too. The model must be runtime.Penalised and know its sizes.
func PenaltyChart(m runtime.Model, root Root) (runtime.Unconstrained, error) {
	p, ok := m.(runtime.Penalised)
	if !ok {
		return nil, fmt.Errorf("baseline: the model %s has no penalty", m.Info().Name)
	}
	c, err := newChart(m, penaltyObjective{p}, m.Info().Parameters, root, nil)
	if err != nil {
		return nil, err
	}
	c.fix(m)
	return c, nil
}

// penaltyObjective is the penalty of a model.
type penaltyObjective struct{ m runtime.Penalised }

func (o penaltyObjective) ThetaGradient(g, theta []float64) float64 {
	return o.m.PenaltyThetaGradient(g, theta)
}

// newChart is the chart of an objective in parameters of a model that knows its sizes.
func newChart(m runtime.Model, f runtime.Objective, params []runtime.Parameter, root Root, above []Above) (*chart, error) {
	c := &chart{f: f}
	for i := range params {
		if err := c.add(m, &params[i], root, boundOf(&params[i], above)); err != nil {
			return nil, err
		}
	}
	c.theta, c.g = make([]float64, c.n), make([]float64, c.n)
	return c, nil
}

// Above is a bound of a parameter that is declared positive: greater than Bound.
type Above struct {
	Parameter string
	Bound     float64
}

func checkBounds(info *runtime.Info, above []Above) error {
	for _, a := range above {
		known := false
		for _, p := range info.Parameters {
			known = known || p.Name == a.Parameter && p.Type.Entry == types.Positive
		}
		if !known {
			return fmt.Errorf("baseline: %s is above %g, but no positive parameter has this name", a.Parameter, a.Bound)
		}
	}
	return nil
}

func boundOf(p *runtime.Parameter, above []Above) float64 {
	for _, a := range above {
		if a.Parameter == p.Name {
			return a.Bound
		}
	}
	return 0
}

// chart is the objective in unconstrained coordinates.
type chart struct {
	f      runtime.Objective
	pieces []placed
	blocks []runtime.Block
	dim, n int // numbers of coordinates and of entries of theta

	theta, g []float64
}

// piece is a chart of one parameter.
type piece interface {
	// dim is the number of coordinates.
	dim() int
	// theta writes the parameter at u to dst.
	theta(dst, u []float64)
	// from writes coordinates of the parameter to u, NaN where it has none.
	from(u, theta []float64)
	// pull writes the derivative with respect to u to du, given g, that with respect to the parameter, which it may
	// overwrite. The last call before it was that of theta at the same u, with the result theta.
	pull(du, g, u, theta []float64)
}

// placed is a piece with its places in u and in theta.
type placed struct {
	piece
	fromU, fromTheta, n int
}

func (p *placed) of(u, theta []float64) (pu, pt []float64) {
	if u != nil {
		u = u[p.fromU : p.fromU+p.dim()]
	}
	return u, theta[p.fromTheta : p.fromTheta+p.n]
}

// add appends the chart of a parameter, that of each component after that of the one before.
func (c *chart) add(m runtime.Model, p *runtime.Parameter, root Root, bound float64) error {
	one := p.Component()
	n := one.Len(m)
	if p.Len(m) == 0 {
		return fmt.Errorf("baseline: the length of the parameter %s is not known yet", p.Name)
	}
	block := runtime.Block{Name: p.Name, Offset: c.dim, Auxiliary: true}
	if p.Components {
		block.Copies = p.Copies(m)
	}
	for range p.Copies(m) {
		q, err := newPiece(m, &one, root, bound)
		if err != nil {
			return err
		}
		c.pieces = append(c.pieces, placed{q, c.dim, c.n, n})
		c.dim, c.n = c.dim+q.dim(), c.n+n
	}
	if block.Len = c.dim - block.Offset; block.Len > 0 {
		c.blocks = append(c.blocks, block)
	}
	return nil
}

// newPiece returns the chart of a parameter of one component.
func newPiece(m runtime.Model, p *runtime.Parameter, root Root, bound float64) (piece, error) {
	n := p.Len(m)
	switch form, link := p.Type.Form, p.Type.Entry.Link; {
	case p.Known:
		return fixed{}, nil
	case form.Has(types.SumsToOne):
		return softmax(n), nil
	case form.Has(types.RowsSumToOne):
		return rowwise{softmax(p.Side(m)), p.Side(m)}, nil
	case form.Has(types.Increasing):
		return increasing(n), nil
	case form.Has(types.UnitLength):
		return stereographic(n), nil
	case form.Has(types.UnitDiagonal):
		return newCorrelation(p.Side(m), root), nil
	case form.Has(types.PositiveDefinite):
		return newRoot(p.Side(m), root), nil
	case form.Has(types.LowerTriangular):
		return triangular(p.Side(m)), nil
	case form.Structure == 0 && link != nil:
		return linked{n, bound, link}, nil
	}
	return nil, fmt.Errorf("baseline: no unconstrained coordinates for the parameter %s of type %s", p.Name, p.Written())
}

// fix takes the parameters that are set to numbers from the model: they are the same everywhere, also at a point
// outside the domain.
func (c *chart) fix(m runtime.Model) {
	for i := range c.pieces {
		p := &c.pieces[i]
		if _, known := p.piece.(fixed); known {
			z := make([]float64, dimension(m))
			m.Theta(c.g, z)
			_, value := p.of(nil, c.g)
			p.piece = fixed{value: append([]float64(nil), value...)}
		}
	}
}

func dimension(p runtime.Problem) int {
	n := 0
	for _, b := range p.Blocks() {
		n = max(n, b.Offset+b.Len)
	}
	return n
}

// Dim returns the number of coordinates.
func (c *chart) Dim() int { return c.dim }

// Blocks has a block for each parameter that is estimated.
func (c *chart) Blocks() []runtime.Block { return c.blocks }

// Loss returns the objective.
func (c *chart) Loss(u []float64) float64 {
	c.Theta(c.theta, u)
	return runtime.LossAt(c.f, c.g, c.theta)
}

// Gradient pulls the gradient back piece by piece.
func (c *chart) Gradient(g, u []float64) float64 {
	c.Theta(c.theta, u)
	f := c.f.ThetaGradient(c.g, c.theta)
	if math.IsNaN(f) {
		fill(g, math.NaN())
		return f
	}
	for i := range c.pieces {
		p := &c.pieces[i]
		pu, theta := p.of(u, c.theta)
		du, dtheta := p.of(g, c.g)
		p.pull(du, dtheta, pu, theta)
	}
	return f
}

// Hessian is not available.
func (c *chart) Hessian(h, _ []float64) { fill(h, math.NaN()) }

// Theta writes the parameters at u.
func (c *chart) Theta(dst, u []float64) {
	for i := range c.pieces {
		p := &c.pieces[i]
		pu, theta := p.of(u, dst)
		p.theta(theta, pu)
	}
}

// FromTheta writes coordinates of the parameters; where a parameter is outside its domain, NaN.
func (c *chart) FromTheta(u, theta []float64) {
	for i := range c.pieces {
		p := &c.pieces[i]
		pu, pt := p.of(u, theta)
		p.from(pu, pt)
	}
}

func fill(x []float64, value float64) {
	for i := range x {
		x[i] = value
	}
}

// noisyChart is a chart of an objective with random numbers.
type noisyChart struct {
	*chart
	runtime.Noisy
}

type noisyBatchChart struct {
	batchChart
	runtime.Noisy
}

// batchChart is a chart of an objective that is a mean over rows.
type batchChart struct {
	*chart
	runtime.Batcher
	m runtime.Model
}

// Counts are those of the model.
func (c *batchChart) Counts() (rows, distinct int, weight float64) { return c.m.Counts() }
