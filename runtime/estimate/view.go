package estimate

import (
	"context"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Coordinates returns the objective of a model in unconstrained coordinates of its parameters: its own where these are
// numbers, otherwise those of baseline.Charts with the given roots of matrices. The error says why there are none.
func Coordinates(m runtime.Model, root baseline.Root) (runtime.Unconstrained, error) {
	if u := m.Unconstrained(); u != nil {
		return u, nil
	}
	return baseline.Charts(m, root)
}

// view is the problem that a method sees, with a start.
type view struct {
	runtime.Problem
	u       runtime.Unconstrained // where coordinates are unconstrained, otherwise nil
	z       []float64
	watched runtime.Problem     // the same, with those blocks auxiliary that may go to infinity
	known   runtime.Evaluations // nil without a checkpoint
}

// newView returns the view of a method. Z are coordinates of the surrogate, theta the target's parameters there: all
// methods start from the same target.
func newView(m runtime.Model, r *Settings, z, theta []float64) (*view, error) {
	v, err := viewOf(m, r, z, theta)
	if err == nil && r.journal != nil {
		v.known = r.journal.of(m, r)
	}
	return v, err
}

func viewOf(m runtime.Model, r *Settings, z, theta []float64) (*view, error) {
	if !r.unconstrained() {
		v := &view{Problem: m, z: z, watched: m}
		if r.Method != "ngd-g" {
			return v, nil
		}
		var err error
		v.Problem, err = baseline.NaturalSurrogate(m.(baseline.InformedModel))
		v.watched = v.Problem
		return v, err
	}
	u, err := Coordinates(m, r.root())
	if err != nil {
		return nil, err
	}
	v := &view{u: u, z: make([]float64, u.Dim())}
	u.FromTheta(v.z, theta)
	if r.Method == "ngd" {
		v.Problem, err = baseline.Natural(m.(baseline.InformedModel))
		v.watched = v.Problem
		return v, err
	}
	v.Problem = inBatches(baseline.Euclidean(u), m)
	v.watched = watch{v.Problem, elongable(m.Info(), v.Blocks())}
	return v, nil
}

// watch is a problem with other blocks.
type watch struct {
	runtime.Problem
	blocks []runtime.Block
}

func (w watch) Blocks() []runtime.Block { return w.blocks }

// elongable makes blocks auxiliary whose length means something: not the coordinates of a correlation matrix, of which
// every multiple gives the same one. Those of other positive definite matrices do not go to infinity either: what such a
// matrix may do is to become singular, see there.
func elongable(info *runtime.Info, blocks []runtime.Block) []runtime.Block {
	out := slices.Clone(blocks)
	for i := range out {
		p := parameter(info, out[i].Name)
		out[i].Auxiliary = p != nil && !p.Type.Form.Has(types.PositiveDefinite) && !p.Type.Form.Has(types.SumsToOne)
	}
	return out
}

// theta writes the target's parameters at z.
func (v *view) theta(dst []float64, m runtime.Model, z []float64) {
	if v.u != nil {
		v.u.Theta(dst, z)
		return
	}
	m.Theta(dst, z)
}

// batched is a view of a model that takes its batches.
type batched struct {
	runtime.Problem
	runtime.Batcher
	counter
}

type counter interface {
	Counts() (rows, distinct int, weight float64)
}

// inBatches gives the batches of a model to a view of it that has none.
func inBatches(p runtime.Problem, m runtime.Model) runtime.Problem {
	b, ok := m.(runtime.Batcher)
	if _, has := p.(runtime.Batcher); has || !ok {
		return p
	}
	return batched{p, b, m}
}

// GeneralMethod runs a general-purpose optimiser by its name from a point in unconstrained coordinates.
type GeneralMethod func(ctx context.Context, u runtime.Unconstrained, from []float64, method string, s *runtime.Settings) (*runtime.Result, error)

var general GeneralMethod

// RegisterGeneral provides the methods bfgs, lbfgs, cg and newton. Package runtime/baseline/general calls it when it is linked,
// as the command does; who only fits by surrogates does without gonum's optimisers.
func RegisterGeneral(f GeneralMethod) { general = f }

// run runs the method from where the view starts, for an attempt, and looks for infinity if negligible is above 0. The recorder may
// be nil.
func (v *view) run(ctx context.Context, r *Settings, a *attempt, rows int, negligible float64, recorder runtime.Recorder) (*runtime.Result, error) {
	if r.stochastic() {
		steps := r.settings(rows)
		last := a.recordSteps(steps, r, v.Problem, recorder)
		defer last()
		return runtime.Descend(ctx, v.Problem, v.z, steps)
	}
	s := &runtime.Settings{
		Step:              stepRule(r.LineSearch),
		GradientTolerance: r.GradientTolerance,
		LossTolerance:     r.lossTolerance,
		MaxIterations:     r.MaxIterations,
		MaxEvaluations:    r.maxEvaluations,
		Negligible:        negligible,
		WeightFloor:       r.WeightFloor,
		Recorder:          a.record(r, a.start, recorder),
		Evaluations:       v.known,
	}
	switch r.Method {
	case "bfgs", "lbfgs", "cg", "newton":
		return general(ctx, v.u, v.z, r.Method, s)
	case "nlbfgs":
		s.Method = runtime.NaturalLBFGS{}
	}
	return runtime.Minimize(ctx, v.watched, v.z, s)
}
