package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

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
	// What the nodes may leave open of the bound: far less than matters, and than draws could tell; and what rounding does.
	quadratureTolerance = 1e-3 * negligibleRise
	quadratureRounding  = 1e-12
)

// Quadrature says what the nodes leave open where the bound is known without draws.
type Quadrature struct {
	Nodes int `json:"nodes"` // 0 where all expectations are known in closed form
	// Error is by how much the bound differs from that by twice as many nodes, or half as many where there are no more.
	Error Number `json:"error"`
	bound float64
}

// withoutDraws fits from z: with few nodes, and then, from where that ends, with as many as are needed there. It reports whether the
// bound is known so: not where the largest number of nodes leaves open what draws would tell.
func (a *attempt) withoutDraws(ctx context.Context, m runtime.Exact, r *Settings, z []float64, points *checkpoints) (known bool) {
	f := newFixedNoise(m, r, a)
	defer func() { points.z = f.points.z }()
	f.settings = runtime.Settings{GradientTolerance: exactNorm, MaxIterations: exactIterations}
	m.SetNodes(runtime.LeastNodes)
	for finished := false; !finished; {
		a.res, a.err = f.minimise(ctx, runtime.WithoutDraws(m), z)
		if a.res == nil {
			return true
		}
		z = a.res.Z
		finished = a.err != nil || ctx.Err() != nil || m.Nodes() == 0 || m.Nodes() >= runtime.MostNodes
		for first := true; ; first = false {
			if a.quadrature = quadratureAt(m, z, f.v, f.c); a.quadrature.negligible() || finished || m.Nodes() >= runtime.MostNodes {
				finished = finished || first
				break
			}
			m.SetNodes(2 * m.Nodes())
		}
	}
	a.res.Iterations, a.res.GradientEvaluations, a.res.LossEvaluations = f.iterations, f.evaluations, 0
	m.Theta(a.theta, a.res.Z)
	if errors.Is(a.err, errImproper) { // whatever quadrature says of a bound that has no maximum
		a.err = nil
		return true
	}
	known = float64(a.quadrature.Error) <= negligibleRise
	if !known && ctx.Err() == nil { // what few nodes see of a bound without a maximum may have one
		if message, found := improper(m, append(slices.Clone(f.points.z), z), r.Seed, farWork); found {
			a.res.Status, a.res.Message = runtime.AtInfinity, message
			return true
		}
	}
	switch {
	case !known:
		a.res.Status = runtime.EvaluationLimit
		a.res.Message = fmt.Sprintf("quadrature with %d nodes leaves the bound uncertain by %.2g: the method saa takes draws",
			a.quadrature.Nodes, float64(a.quadrature.Error))
	case a.res.Status.Converged():
		a.res.Status, a.res.Message = runtime.BoundConverged, runtime.BoundConverged.String()
	}
	return known || ctx.Err() != nil
}

// negligible reports whether more nodes would change nothing of consequence.
func (q *Quadrature) negligible() bool {
	return float64(q.Error) <= quadratureTolerance+quadratureRounding*math.Abs(q.bound)
}

// quadratureAt says what the nodes at hand leave open at z: by how much another number of them changes the bound, and what that has
// to gain. It leaves the number as it is.
func quadratureAt(m runtime.Exact, z, v, c []float64) *Quadrature {
	nodes, loss := m.Nodes(), m.ExactLoss(z)
	q := &Quadrature{Nodes: nodes, bound: -loss}
	if nodes == 0 {
		return q
	}
	before := shortfall(m, z, v, c)
	if m.SetNodes(2 * nodes); nodes >= runtime.MostNodes {
		m.SetNodes(nodes / 2)
	}
	change := math.Abs(m.ExactLoss(z) - loss)
	q.Error = Number(math.Max(change, shortfall(m, z, v, c)-before))
	m.SetNodes(nodes)
	return q
}

// shortfall is about how far the bound at z is below its maximum: half the square of the natural norm of the gradient.
func shortfall(m runtime.Exact, z, v, c []float64) float64 {
	m.ExactGradients(v, c, z)
	square := 0.0
	for i := range v {
		square += v[i] * c[i]
	}
	return square / 2
}
