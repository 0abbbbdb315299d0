package estimate

import (
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime/dense"
)

// Numbers are recorded in steps, and a density says nothing of what is within one: rows that are in a plane but for rounding
// have a likelihood that grows as rounding is finer, and ends of a search that rest on them describe how the data were written
// down. Rounding to steps of h adds a variance of h^2/12 to each column (Sheppard, Proceedings of the London Mathematical
// Society 29, 1898), and c'Dc along a direction c, with these variances on the diagonal of D. Mixtures of which components have
// less variance than so have a bounded likelihood in theory only, by probabilities of cells in the place of densities.

// roundingShare is the largest part of the variance of a component, along any direction, that may be rounding.
const roundingShare = 0.5

const (
	// remainders are the parts of a step up to which a distance between two values counts as a multiple of it, and offMultiple
	// up to which a value may be off at the end: values are themselves rounded, as thirds are in decimals.
	remainders, offMultiple = 0.02, 0.05
	// finestStep is the smallest step that is looked for, relative to the largest value: finer ones are those of floating point.
	finestStep = 1e-12
)

// stepOf returns the largest step of which the distances between values of a positive weight are multiples, 0 where there is
// none.
func stepOf(values, weights []float64, column, columns int, memory *perRow) float64 {
	room := memory.take(len(weights))
	defer memory.give(room)
	x := room[:0]
	for i, w := range weights {
		if w > 0 {
			x = append(x, values[i*columns+column])
		}
	}
	slices.Sort(x)
	if x = slices.Compact(x); len(x) < 2 {
		return 0
	}
	least, step := finestStep*math.Max(math.Abs(x[0]), math.Abs(x[len(x)-1])), math.Inf(1)
	for i, v := range x[1:] {
		step = math.Min(step, v-x[i])
	}
	for i, v := range x[1:] {
		gap := v - x[i]
		if rest := fromMultiple(gap, step); rest > remainders*step {
			step = commonStep(step, rest)
		}
		if !(step > least) {
			return 0
		}
	}
	multiples := 0.0 // of the last value
	for i, v := range x[1:] {
		multiples += math.Round((v - x[i]) / step)
	}
	step = (x[len(x)-1] - x[0]) / multiples
	for _, v := range x {
		if fromMultiple(v-x[0], step) > offMultiple*step {
			return 0
		}
	}
	return step
}

// fromMultiple is how far a distance is from a multiple of a step.
func fromMultiple(distance, step float64) float64 { return math.Abs(math.Remainder(distance, step)) }

// commonStep is the greatest common divisor of two numbers but for rounding, by Euclid's algorithm.
func commonStep(a, b float64) float64 {
	for b > remainders*a {
		a, b = b, fromMultiple(a, b)
	}
	return a
}

// roundings returns the variances that rounding has added to the first d columns of weighted rows with a covariance matrix, whose lower
// half is given. They are 0 for columns with no more values than a step or two apart, and for all of them if rows altogether
// lie in a plane but for rounding: there a component is no narrower than the data.
func roundings(values, weights, covariance []float64, columns, d int, memory *perRow) []float64 {
	out := make([]float64, d)
	for j := range out {
		h := stepOf(values, weights, j, columns, memory)
		if out[j] = h * h / 12; covariance[j*d+j]*roundingShare <= out[j] {
			out[j] = 0
		}
	}
	if rounded(covariance, out) {
		clear(out)
	}
	return out
}

// rounded reports whether along some direction more than roundingShare of a covariance matrix, whose lower half is given, is
// rounding.
func rounded(covariance, roundings []float64) bool {
	if slices.Max(roundings) == 0 {
		return false
	}
	d := len(roundings)
	rest := slices.Clone(covariance)
	for j, v := range roundings {
		rest[j*d+j] -= v / roundingShare
	}
	return !dense.Cholesky(rest, rest, d)
}
