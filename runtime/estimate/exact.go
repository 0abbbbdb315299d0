package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/runtime"
)

// Without draws: where all expectations of the bound are known, in closed form or by quadrature (runtime.Exact), nothing is left to
// chance, and the loop for likelihoods maximises it. Quadrature takes twice as many nodes until that changes nothing of consequence
// at the end of the run.

const (
	// A run ends where the natural norm of the gradient is below this: the bound is then lower than at its maximum by about half the
	// square.
	exactNorm = 1e-5
	// Iterations of a run on one number of nodes; those that converge take 5 to 50.
	exactIterations = 1000
	// Of the bound and of its shortfall, what the nodes may leave open, relative to 1 + |bound|: far less than draws could tell.
	quadratureTolerance = 1e-8
)

// Quadrature says what the nodes leave open where the bound is known without draws.
type Quadrature struct {
	Nodes int `json:"nodes"` // 0 where all expectations are known in closed form
	// Error is by how much the bound differs from that by twice as many nodes, or half as many where there are no more.
	Error Number `json:"error"`
	bound float64
}

// withoutDraws fits from z.
func (a *attempt) withoutDraws(ctx context.Context, m runtime.Exact, r *Settings, z []float64, points *checkpoints) {
	f := newFixedNoise(m, r)
	defer func() { points.z = f.points.z }()
	f.settings = runtime.Settings{GradientTolerance: exactNorm, LossTolerance: 0, MaxIterations: exactIterations}
	m.SetNodes(runtime.LeastNodes)
	for {
		res, err := f.minimise(ctx, runtime.WithoutDraws(m), z)
		if a.res, a.err = res, err; res == nil {
			return
		}
		z = res.Z
		q := quadratureAt(m, z, f.v, f.c)
		a.quadrature = q
		if settled := float64(q.Error) <= quadratureTolerance*(1+math.Abs(res.Loss)); settled || err != nil || ctx.Err() != nil {
			break
		}
		if m.Nodes() >= runtime.MostNodes {
			if res.Status.Converged() && !(float64(q.Error) <= negligibleRise) {
				res.Status = runtime.EvaluationLimit
				res.Message = fmt.Sprintf("quadrature with %d nodes leaves the bound uncertain by %.2g", m.Nodes(), float64(q.Error))
			}
			break
		}
		m.SetNodes(2 * m.Nodes())
	}
	if errors.Is(a.err, errImproper) {
		a.err = nil
	}
	a.res.Iterations, a.res.GradientEvaluations, a.res.LossEvaluations = f.iterations, f.evaluations, 0
	if a.res.Status.Converged() {
		a.res.Status, a.res.Message = runtime.BoundConverged, runtime.BoundConverged.String()
	}
	m.Theta(a.theta, a.res.Z)
}

// quadratureAt compares the bound, and how far z is from its maximum, with what another number of nodes says of both. It leaves the
// number as it is.
func quadratureAt(m runtime.Exact, z, v, c []float64) *Quadrature {
	nodes, loss := m.Nodes(), m.ExactLoss(z)
	q := &Quadrature{Nodes: nodes, bound: -loss}
	if nodes == 0 {
		return q
	}
	other := 2 * nodes
	if nodes >= runtime.MostNodes {
		other = nodes / 2
	}
	m.SetNodes(other)
	change := math.Abs(m.ExactGradients(v, c, z) - loss)
	square := 0.0
	for i := range v {
		square += v[i] * c[i]
	}
	m.SetNodes(nodes)
	q.Error = Number(math.Max(change, square/2))
	return q
}
