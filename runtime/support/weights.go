package support

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime"
)

// RaiseMeanWeights does Mixture.RaiseWeights for a mixture in mean coordinates: the k-1 first weights, then the blocks
// with a copy for each component, weight times mean parameter, of which those that are not auxiliary are scaled with
// the weights. The slice w is for k weights; what was in it is lost.
func RaiseMeanWeights(z []float64, blocks []runtime.Block, w []float64, floor float64) bool {
	meanWeights(w, z)
	a, below := runtime.Level(w, floor)
	if !below {
		return false
	}
	for _, b := range blocks {
		if b.Copies == 0 || b.Auxiliary {
			continue
		}
		n := b.Len / b.Copies
		for c, x := range w {
			scale := math.Max(floor, a*x) / x
			copied := z[b.Offset+c*n : b.Offset+(c+1)*n]
			for i := range copied {
				copied[i] *= scale
			}
		}
	}
	for c := range len(w) - 1 {
		z[c] = math.Max(floor, a*w[c])
	}
	return true
}

// RaisedWeights writes to w the weights that RaiseMeanWeights makes of those at z, and reports whether these are others.
func RaisedWeights(z, w []float64, floor float64) bool {
	meanWeights(w, z)
	a, below := runtime.Level(w, floor)
	for c, x := range w {
		w[c] = math.Max(floor, a*x)
	}
	return below
}

// meanWeights writes all weights to w, given the first ones.
func meanWeights(w, z []float64) {
	last := len(w) - 1
	w[last] = 1
	for c, x := range z[:last] {
		w[c] = x
		w[last] -= x
	}
}

// RaiseNaturalWeights does Mixture.RaiseWeights for a mixture in natural coordinates, whose first k-1 are the
// logarithms of w_c/w_k plus what depends on the parameters of the components only; w are the k weights at z.
func RaiseNaturalWeights(z, w []float64, floor float64) bool {
	a, below := runtime.Level(w, floor)
	if !below {
		return false
	}
	last := len(w) - 1
	ratio := math.Log(math.Max(floor, a*w[last]) / w[last])
	for c, x := range w[:last] {
		z[c] += math.Log(math.Max(floor, a*x)/x) - ratio
	}
	return true
}

// Stratify gives draws labels in proportion to weights that sum to 1, by systematic sampling: every label as often as its
// share of the draws, rounded down or up.
func Stratify(labels, weights []float64) {
	c, above := 0, 0.0
	for i := range labels {
		for at := (float64(i) + 0.5) / float64(len(labels)); c < len(weights)-1 && at > above+weights[c]; c++ {
			above += weights[c]
		}
		labels[i] = float64(c)
	}
}
