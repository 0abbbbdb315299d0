package estimate

import (
	"errors"
	"math"

	"github.com/sngdgen/sngdgen/runtime"
)

// errUnresolved ends a run whose coordinates have no digits left.
var errUnresolved = errors.New("the coordinates have no digits left here: a change in the last one changes the likelihood more than it " +
	"could still rise; the data differ too much in size, as with values of 1e12 among others of 1, or the scale goes to 0, on equal values or as predictors fit all rows exactly")

const (
	// resolvedEvery is the number of steps between two looks at the digits that are left, and resolvedFrom the first of them: most
	// runs have ended by then.
	resolvedEvery, resolvedFrom = 16, 48
	// unresolved is the change of the total log-likelihood by the last digits at which nothing can be found any more.
	unresolved = 1.0
)

// newResolutionGuard ends a run once the last digits of the coordinates decide about the loss: where a variance is the
// difference of moments that are alike to all their digits, say. From there on it goes nowhere, in many short steps. Nil for
// mixtures, of which collapses are seen first.
func newResolutionGuard(m runtime.Model, v *view, n float64) runtime.Recorder {
	if componentsOf(m) > 0 {
		return nil
	}
	var at []float64
	return runtime.RecorderFunc(func(it *runtime.Iteration) error {
		if it.Index%resolvedEvery != 0 || it.Index < resolvedFrom {
			return nil
		}
		if at == nil {
			at = make([]float64, len(it.Z))
		}
		noise := digitNoise(v, at, it, nil)
		if math.IsNaN(noise) {
			noise = digitNoise(v, at, it, stepped)
		}
		if !(n*noise < unresolved) {
			return errUnresolved
		}
		return nil
	})
}

// stepped reports whether a block has coordinates of the surrogate. Auxiliary ones have no end of the domain but infinity, where a parameter
// is at the end of its range but for rounding, as a probability of 1 is: that is found out when the run has ended.
func stepped(b *runtime.Block) bool { return !b.Auxiliary }

// digitNoise is how much the last digits of the coordinates of some blocks, nil for all, change the loss; NaN where the domain ends within them.
func digitNoise(v *view, at []float64, it *runtime.Iteration, some func(*runtime.Block) bool) (noise float64) {
	for _, flip := range []uint64{0, 1} {
		copy(at, it.Z)
		for _, b := range v.Blocks() {
			if some != nil && !some(&b) {
				continue
			}
			for i := b.Offset; i < b.Offset+b.Len; i++ {
				at[i] = lastDigit(it.Z[i], flip)
			}
		}
		noise = math.Max(noise, math.Abs(v.Loss(at)-it.Loss))
	}
	return noise
}

// lastDigit is the next number up or down, by the digits of x: equal numbers, as in a symmetric matrix, stay equal.
func lastDigit(x float64, flip uint64) float64 {
	bits := math.Float64bits(x)
	odd := bits
	for shift := 32; shift > 0; shift /= 2 {
		odd ^= odd >> shift
	}
	if odd&1 == flip&1 {
		return math.Nextafter(x, math.Inf(1))
	}
	return math.Nextafter(x, math.Inf(-1))
}
