package estimate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/sngdgen/sngdgen/runtime"
)

const (
	// Sets of draws by whose gradients an end of stochastic steps is judged, and draws of each.
	shortfallSets  = 8
	shortfallDraws = 1000
	// A shortfall that speaks against an end, beside twice its standard error.
	mostShortfall = 0.1
)

// doubt takes back that the bound has converged, or says more of why it has not: steps that have become short gain little in any window,
// also where much is left to gain.
func (a *attempt) doubt(m runtime.Variational, r *Settings) {
	switch a.res.Status {
	case runtime.BoundConverged:
		work := math.Min(shortfallWork, r.lookWork(m, a.res.Iterations))
		left, err := expectedRise(m, a.res.Z, r.Seed, work)
		if left-sureErrors*err > mostShortfall {
			a.res.Status = runtime.EvaluationLimit
			a.res.Message = fmt.Sprintf("stochastic steps gain nothing any more, but by its gradient the bound would rise by about %.2g", left)
		}
	case runtime.IterationLimit:
		a.res.Message = fmt.Sprintf("the bound has not converged in %d steps, the most that are taken where no number is given", a.res.Iterations)
	}
}

const sureErrors = 2

// expectedRise is by how much the bound would rise to its maximum, with its standard error: half the square of the natural norm of its
// gradient, which is the mean of products of the gradients of different sets of draws. (That of one with itself is that of the noise, too.)
func expectedRise(m runtime.Variational, z []float64, seed uint64, work float64) (rise, standardError float64) {
	clone, ok := m.Clone().(runtime.Variational)
	if !ok {
		return 0, math.Inf(1)
	}
	if b, ok := clone.(runtime.Batcher); ok {
		b.Batch(nil)
	}
	sets := int(max(2, min(shortfallSets, work/(shortfallDraws*drawWork(m)))))
	draws := int(max(float64(2*max(componentsOf(m), 1)), min(shortfallDraws, work/(float64(sets)*drawWork(m)))))
	if clone.SetDraws(draws+draws%2) != nil {
		return 0, math.Inf(1)
	}
	vs, cs := make([][]float64, sets), make([][]float64, sets)
	for i := range sets {
		vs[i], cs[i] = make([]float64, len(z)), make([]float64, len(z))
		clone.Draw(runtime.Stream(seed, "shortfall", uint64(i)))
		if math.IsNaN(clone.Gradients(vs[i], cs[i], z)) {
			return 0, math.Inf(1)
		}
	}
	// The mean over pairs, and over those without one set each, whose spread is the error (the jackknife).
	total, each := 0.0, make([]float64, sets)
	for i := range sets {
		for j := range i {
			product := (floats.Dot(cs[i], vs[j]) + floats.Dot(cs[j], vs[i])) / 4
			total += product
			each[i] += product
			each[j] += product
		}
	}
	n := float64(sets)
	rise = total / (n * (n - 1) / 2)
	if sets < 3 {
		return rise, math.Abs(rise)
	}
	squares := 0.0
	for _, of := range each {
		without := (total-of)/((n-1)*(n-2)/2) - rise
		squares += without * without
	}
	return rise, math.Sqrt(squares * (n - 1) / n)
}

// shortfallWork is the number of operations that all sets may take, about.
const shortfallWork = 4e9
