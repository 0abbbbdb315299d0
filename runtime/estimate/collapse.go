package estimate

import (
	"errors"

	"github.com/sngdgen/sngdgen/runtime"
)

// errCollapsed ends a run in which a component collapses.
var errCollapsed = errors.New("a component has collapsed")

// collapseGuard ends a run once a component explains nothing but rows on which its density can grow without bound: from
// there on the run goes nowhere, in many short steps.
type collapseGuard struct {
	mixture   runtime.Mixture
	posterior posterior
}

// guardEvery is the number of steps between two looks, each of which costs about as much as the loss.
const guardEvery = 8

// newCollapseGuard returns nil where there is nothing to watch: what is no mixture, discrete rows, and methods that do not
// step the coordinates of the surrogate.
func newCollapseGuard(m runtime.Model, r *Settings) runtime.Recorder {
	m = looked(m, r.Seed)
	mix, ok := m.(runtime.Mixture)
	if !ok || r.unguarded || r.unconstrained() || bounded(m) {
		return nil
	}
	g := &collapseGuard{mixture: mix, posterior: posterior{k: mix.Components(), facts: r.facts, memory: r.perRow}}
	if !g.posterior.take(m) {
		return nil
	}
	return runtime.RecorderFunc(func(it *runtime.Iteration) error {
		if it.Index%guardEvery != 0 || it.Index == 0 {
			return nil
		}
		return g.look(it.Z)
	})
}

func (g *collapseGuard) look(z []float64) error {
	p := &g.posterior
	p.r = p.memory.take(len(p.weights) * p.k)
	defer func() { p.memory.give(p.r) }()
	g.mixture.Responsibilities(p.r, z)
	if c, _ := p.degenerate(false); c >= 0 {
		return errCollapsed
	}
	return nil
}
