package runtime

import (
	"errors"
	"fmt"
	"math"
)

// floor keeps the weights of a mixture from falling below a bound. The zero value keeps nothing.
//
// In mean coordinates the points whose weights are not below the bound are a convex set, and raising weights is the
// projection that suits natural gradients: of a natural step that pushes weights below the bound it leaves the step in
// the face where these weights are at the bound that is nearest in the metric of the surrogate. So near the bound a
// step of length one is projected, and its change takes the place of the direction: a straight line inside (see project).
type floor struct {
	mixture Mixture // nil without a bound
	bound   float64
	near    float64 // weights up to here are near the bound
	y       []float64
}

const (
	// Weights above the bound by this fraction of it are near it.
	nearFloor = 0.01
	// Weights above the bound by less than this fraction of it are at it.
	atFloor = 1e-6
)

// reset makes the bound that of a problem with n coordinates.
func (f *floor) reset(p Problem, bound float64, n int) error {
	y := f.y
	*f = floor{y: y}
	if bound == 0 {
		return nil
	}
	m, ok := p.(Mixture)
	switch {
	case !(bound > 0):
		return fmt.Errorf("runtime: WeightFloor is %v: it must not be negative", bound)
	case !ok:
		return errors.New("runtime: WeightFloor is set, but the problem is no mixture")
	case m.Components() == 0:
		return errors.New("runtime: WeightFloor is set, but the number of components is not")
	case !(bound*float64(m.Components()) < 1):
		return fmt.Errorf("runtime: WeightFloor is %v: that of %d weights must be less than 1/%[2]d", bound, m.Components())
	}
	highest := 0.5 * (bound + 1/float64(m.Components()))
	*f = floor{mixture: m, bound: bound, near: math.Min((1+nearFloor)*bound, highest), y: resized(y, n)}
	return nil
}

// raise raises the weights at z and reports whether any was below the bound.
func (f *floor) raise(z []float64) bool {
	return f.mixture != nil && f.mixture.RaiseWeights(z, f.bound)
}

// below reports whether weights at z are below another bound.
func (f *floor) below(z []float64, bound float64) bool {
	if f.mixture == nil {
		return false
	}
	copy(f.y, z)
	return f.mixture.RaiseWeights(f.y, bound)
}

// at reports whether weights at z are at the bound.
func (f *floor) at(z []float64) bool {
	return f.below(z, f.bound+atFloor*(f.near-f.bound)/nearFloor)
}

// project replaces a direction d at z, of which it takes the multiple by sign, by one that stays inside: (R(z + h d) -
// z)/h, R raising weights, with h = 1, or half of that and so on where z + h d has weights that are not positive. It
// changes d only when weights at z are near the bound and are pushed below it, and reports whether it did.
func (f *floor) project(p Problem, z []float64, sign float64, d []float64) bool {
	if !f.below(z, f.near) {
		return false
	}
	for h := sign; math.Abs(h) >= 0x1p-10; h /= 2 {
		step(f.y, z, h, d)
		if f.mixture.RaiseWeights(f.y, f.bound) {
			for i, y := range f.y {
				if y != z[i]+h*d[i] { // what is as it was keeps its digits
					d[i] = (y - z[i]) / h
				}
			}
			return true
		}
		if p.Violation(f.y) < 0 {
			break
		}
	}
	return false
}

// enough reports whether the trial, whose weights were raised, lowers the loss by a fraction of what its displacement
// predicts, or is too close to call.
func (m *Minimizer) enough(decrease float64) bool {
	predicted := 0.0
	for i, c := range m.at.c {
		predicted += c * (m.trial.z[i] - m.at.z[i])
	}
	change := m.trial.f - m.at.f
	return predicted < 0 && (change <= decrease*predicted || math.Abs(change) <= rounding(m.at.f))
}
