package estimate

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/sngdgen/sngdgen/runtime"
)

// Starts that are formulas of the data may be too even: equal columns of a matrix of loadings stay equal, step after step, to
// a saddle point or to an end of the domain. A spec without random starts then has scattered ones: those of the formulas, with
// noise on the auxiliary parameters. The coordinates of the surrogate keep their values, which are the scale of the data.

// halvings is how often noise is halved that leads to where no run can begin, before it is left out.
const halvings = 20

// scatterable reports whether a model without random starts has parameters for noise. Symmetric and triangular matrices get none.
func scatterable(m runtime.Model) bool {
	info := m.Info()
	_, bound := m.(runtime.Variational)
	return !info.RandomStart && info.Starts > 0 && !bound && componentsOf(m) == 0 && slices.ContainsFunc(m.Blocks(), noisy)
}

func noisy(b runtime.Block) bool { return b.Auxiliary && b.Len > 0 && !b.Symmetric && !b.Lower }

// scatter writes a start with noise of the size of what a formula gives, or of 1 where that is 0.
func scatter(m runtime.Model, z []float64, i int, rng *rand.Rand) error {
	if err := m.Start(z, i%m.Info().Starts, rng); err != nil {
		return err
	}
	noise := make([]float64, len(z))
	for _, b := range m.Blocks() {
		if !noisy(b) {
			continue
		}
		size := floats.Norm(z[b.Offset:b.Offset+b.Len], 2) / math.Sqrt(float64(b.Len))
		if size == 0 {
			size = 1
		}
		for k := b.Offset; k < b.Offset+b.Len; k++ {
			noise[k] = size * rng.NormFloat64()
		}
	}
	at := make([]float64, len(z))
	for range halvings {
		if floats.AddTo(at, z, noise); differentiable(m, at) {
			copy(z, at)
			break
		}
		floats.Scale(0.5, noise)
	}
	return nil
}

// differentiable reports whether a run can begin at a point: out of the domain there is no likelihood, and in it may lie a predictor of which a mean is beyond floating point.
func differentiable(m runtime.Model, z []float64) bool {
	if math.IsNaN(m.Loss(z)) {
		return false
	}
	v, c := make([]float64, len(z)), make([]float64, len(z))
	loss := m.Gradients(v, c, z)
	return !slices.ContainsFunc(slices.Concat(v, c, []float64{loss}), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// alone reports whether the only run of a model that has random starts was on its way to infinity, where no limit says how high others come: one way says little.
func alone(m runtime.Model, runs []attempt, best *attempt) bool {
	info := m.Info()
	return len(runs) == 1 && info.RandomStart && len(info.Limits) == 0 && best.status == runtime.AtInfinity && strings.HasPrefix(best.message, noMaximum)
}

// misled reports whether the formulas of a spec led to no maximum, or to one only over a saddle point.
func misled(best *attempt) bool { return !best.timed && (best.left || !best.ended()) }
