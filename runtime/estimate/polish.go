package estimate

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/sngdgen/sngdgen/runtime"
)

// An approximation that contains another one has more to fit to the draws, and may end below it, by what its draws leave open. So what
// its auxiliary parameters leave to it at their start, which is mostly the one it contains, is found more exactly than by the draws of a
// run, and so is its own end; of both the better is kept.

const (
	// One step along the mean of the natural gradients of so many fresh sets of draws at most, or of as many as it takes until they leave
	// polished open.
	polishSets = 32
	polished   = 5e-4
)

// polish is a point beside the end of a run that is nearer to the maximum of the bound, with the same auxiliary parameters.
func (f *fixedNoise) polish(ctx context.Context, z []float64) []float64 {
	sets := math.Min(polishSets, math.Ceil(float64(f.err.Shortfall)/polished))
	sets = math.Min(sets, math.Floor(f.latents/float64(f.m.Draws())))
	if !(sets > 1) {
		return z
	}
	p := auxiliariesFrozen{f.m}
	step := make([]float64, len(z))
	for i := range int(sets) {
		f.fill("polish", uint64(i))
		f.evaluations++
		if ctx.Err() != nil || math.IsNaN(p.Gradients(f.v, f.c, z)) {
			return z
		}
		floats.AddScaled(step, -1/sets, f.v)
	}
	floats.Add(step, z)
	if f.m.Violation(step) >= 0 || f.surely(step, z) {
		return z
	}
	return step
}

// surely reports whether the bound is higher at to than at from, by the same draws and by more than their standard error.
func (f *fixedNoise) surely(from, to []float64) bool {
	rise, err := runtime.Rise(f.m, from, to, new(Variational).evalDraws(f.m), f.r.Seed)
	return err == nil && rise.Mean > rise.StandardError
}

// keepBetter takes the end where auxiliary parameters are at their start, inner, unless the other is surely better.
func (f *fixedNoise) keepBetter(ctx context.Context) {
	if f.inner == nil {
		return
	}
	if f.res.Z = f.polish(ctx, f.res.Z); !f.surely(f.inner, f.res.Z) {
		copy(f.res.Z, f.inner)
	}
}
