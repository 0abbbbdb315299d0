package estimate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sngdgen/sngdgen/runtime"
)

// A posterior that is improper has no evidence lower bound with a maximum: where the log joint density does not fall in some
// direction, the bound rises by the logarithm of the width of the approximation there, for ever. A run shows that as a straight
// line: its bound against the logarithm of the volume of the approximation.
//
// checkpoints are points of a run, each after half as many steps again as the one before.
type checkpoints struct {
	z           [][]float64
	first, next int // steps of the first one and of the next one
}

// Steps of the first checkpoint, of stochastic steps and of those with a line search.
const (
	checkpointEvery = 100
	firstCheckpoint = 4
)

// Record implements runtime.Recorder.
func (c *checkpoints) Record(it *runtime.Iteration) error {
	if it.Index >= max(c.next, c.first) {
		c.next = it.Index + it.Index/2
		c.z = append(c.z, slices.Clone(it.Z))
	}
	return nil
}

const (
	// Points of a run whose volumes differ by less than sameVolume, as logarithms, count as one.
	sameVolume = 0.25
	// The points with the largest volumes, linePoints or more, are on a rising straight line if the standard deviation of some
	// variable grows by the factor leastWider along them, the line of least squares rises by at least leastSlope of the difference
	// of volumes and explains all but mostUnexplained of the variance of the bounds, and along the last factor of e in the volume, or
	// more, the bound still rises by leastEnd of that. (Below a normal posterior of one number it rises by 0.57.)
	linePoints      = 4
	leastSlope      = 0.1
	mostUnexplained = 0.02
	leastEnd        = 0.8
	leastWider      = 3
	lineDraws       = 4000 // or fewer, where a draw takes long
)

// level is a point of a run: the logarithm of the volume of the approximation, the bound, and the standard deviations.
type level struct {
	volume, bound float64
	sds           []float64
}

// improper reports whether the points of a run with the largest volumes are on a rising straight line, and which latent variables
// become wider along it. Around a maximum points have about the same volume, and the bound hardly rises to where they are.
func (c *checkpoints) improper(m runtime.Variational, end []float64, seed uint64) (message string, found bool) {
	if m.Info().Variable.Len(m) > mostCovariance {
		return "", false
	}
	levels := levelsOf(m, append(slices.Clone(c.z), end), seed)
	for n := linePoints; n <= len(levels); n++ {
		line := levels[len(levels)-n:]
		slope, rising := risingLine(line)
		if !rising {
			continue
		}
		return fmt.Sprintf("the posterior is improper, as far as the run went: the bound rises by %.2g with each factor of e in the "+
			"volume of the approximation, while %s; a prior is missing, or too weak for what the data leave open", slope,
			widest(m, line[0].sds, line[n-1].sds)), true
	}
	return "", false
}

// risingLine reports whether points are on a straight line that rises to its end, and its slope.
func risingLine(levels []level) (slope float64, rising bool) {
	n := len(levels)
	volumes, bounds := make([]float64, n), make([]float64, n)
	for i, l := range levels {
		volumes[i], bounds[i] = l.volume, l.bound
	}
	slope = stat.Covariance(volumes, bounds, nil) / stat.Variance(volumes, nil)
	correlation := stat.Correlation(volumes, bounds, nil)
	last, before := &levels[n-1], n-1
	for before >= 0 && levels[before].volume > last.volume-1 {
		before--
	}
	return slope, before >= 0 && wider(levels[0].sds, last.sds) > leastWider && slope > leastSlope &&
		correlation*correlation > 1-mostUnexplained &&
		last.bound-levels[before].bound > leastEnd*slope*(last.volume-levels[before].volume)
}

// levelsOf are the points of a run in the order of their volumes, as far as the bound is higher than at all before: others are on
// the way, or astray. Of those of nearly the same volume there is one. There are none where no standard deviation grows enough:
// bounds, which take all rows, are evaluated only where it does.
func levelsOf(m runtime.Variational, points [][]float64, seed uint64) []level {
	draws := min(lineDraws, new(Variational).evalDraws(m))
	all, at := measured(m, points, draws, seed)
	if !widens(all) {
		return nil
	}
	var rising []level
	for i, l := range all {
		bound, err := runtime.ELBO(m, at[i], draws, seed)
		if err != nil || math.IsNaN(bound.Mean) {
			continue
		}
		l.bound = bound.Mean
		switch n := len(rising); {
		case n == 0 || l.bound > rising[n-1].bound && l.volume-rising[n-1].volume >= sameVolume:
			rising = append(rising, l)
		case l.bound > rising[n-1].bound:
			rising[n-1] = l
		}
	}
	return rising
}

// measured are volumes and standard deviations at points, in the order of the volumes, and the points in that order.
func measured(m runtime.Variational, points [][]float64, draws int, seed uint64) (all []level, at [][]float64) {
	type measure struct {
		level
		z []float64
	}
	var list []measure
	for _, z := range points {
		moments, err := posteriorMoments(m, z, draws, seed)
		if err != nil {
			continue
		}
		if v, sds := volume(moments); !math.IsNaN(v) {
			list = append(list, measure{level{volume: v, sds: sds}, z})
		}
	}
	slices.SortFunc(list, func(a, b measure) int { return cmp.Compare(a.volume, b.volume) })
	for _, x := range list {
		all, at = append(all, x.level), append(at, x.z)
	}
	return all, at
}

// widens reports whether a standard deviation grows by the factor leastWider from one of the points to one of a larger volume.
func widens(levels []level) bool {
	if len(levels) == 0 {
		return false
	}
	least := slices.Clone(levels[0].sds)
	for _, l := range levels {
		if wider(least, l.sds) > leastWider {
			return true
		}
		for i, sd := range l.sds {
			least[i] = math.Min(least[i], sd)
		}
	}
	return false
}

// wider is the largest ratio of two standard deviations.
func wider(from, to []float64) float64 {
	most := 0.0
	for i, sd := range to {
		most = math.Max(most, sd/from[i])
	}
	return most
}

// volume is the logarithm of the square root of the determinant of the covariance, NaN where it is singular, and the standard
// deviations.
func volume(moments *runtime.Moments) (float64, []float64) {
	d := len(moments.Mean)
	sds := make([]float64, d)
	for i := range sds {
		sds[i] = math.Sqrt(moments.Covariance[i*d+i])
	}
	var factor mat.Cholesky
	if !factor.Factorize(mat.NewSymDense(d, moments.Covariance)) {
		return math.NaN(), sds
	}
	return factor.LogDet() / 2, sds
}

// widest says which standard deviations have grown most.
func widest(m runtime.Variational, from, to []float64) string {
	names := parted(latentParts(m), to).EntryNames()
	order := make([]int, len(to))
	for i := range order {
		order[i] = i
	}
	growth := func(i int) float64 { return to[i] / from[i] }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(growth(b), growth(a)) })
	text := ""
	for i, k := range order[:min(3, len(order))] {
		if i > 0 && growth(k) < math.Sqrt(growth(order[0])) {
			break
		}
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("the standard deviation of %s goes from %.3g to %.3g", names[k], from[k], to[k])
	}
	return text
}
