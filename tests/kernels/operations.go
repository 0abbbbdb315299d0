package main

import (
	"math/rand/v2"

	"github.com/sngdgen/sngdgen/runtime/dense"
)

var operations = []operation{
	{"product d x d", "product", func(d float64) float64 { return 2 * d * d * d }, func(rng *rand.Rand, d int) func() {
		a, b, c := numbers(rng, d*d), numbers(rng, d*d), make([]float64, d*d)
		return func() { dense.Mul(c, a, b, d, d, d) }
	}},
	{"product 256 x d", "rows", func(d float64) float64 { return 2 * rows * d * d }, func(rng *rand.Rand, d int) func() {
		a, b, c := numbers(rng, rows*d), numbers(rng, d*d), make([]float64, rows*d)
		return func() { dense.Mul(c, a, b, rows, d, d) }
	}},
	{"product with a transpose 256 x d", "transposed", func(d float64) float64 { return 2 * rows * d * d }, func(rng *rand.Rand, d int) func() {
		a, b, c := numbers(rng, rows*d), numbers(rng, d*d), make([]float64, rows*d)
		return func() { dense.MulNT(c, a, b, rows, d, d) }
	}},
	{"weighted Gram 256 x d", "gram", func(d float64) float64 { return rows * d * (d + 2) }, func(rng *rand.Rand, d int) func() {
		x, w, c, scratch := numbers(rng, rows*d), numbers(rng, rows), make([]float64, d*d), make([]float64, rows*d)
		return func() { dense.AddWeightedGram(c, w, x, scratch, rows, d) }
	}},
	{"matrix times vector 256 x d", "vector", func(d float64) float64 { return 2 * rows * d }, func(rng *rand.Rand, d int) func() {
		a, x, y := numbers(rng, rows*d), numbers(rng, d), make([]float64, rows)
		return func() { dense.MulVec(y, a, x, rows, d) }
	}},
	{"transpose times vector 256 x d", "vectort", func(d float64) float64 { return 2 * rows * d }, func(rng *rand.Rand, d int) func() {
		a, x, y := numbers(rng, rows*d), numbers(rng, rows), make([]float64, d)
		return func() { dense.MulTVec(y, a, x, rows, d) }
	}},
	{"squares of rows 256 x d", "squares", func(d float64) float64 { return 2 * rows * d }, func(rng *rand.Rand, d int) func() {
		a, y := numbers(rng, rows*d), make([]float64, rows)
		return func() { dense.RowsSquare(y, a, rows, d) }
	}},
	{"solve for 256 rows", "solve", func(d float64) float64 { return rows * d * d }, func(rng *rand.Rand, d int) func() {
		_, l := definite(rng, d)
		x := numbers(rng, rows*d)
		return func() { dense.SolveLowerRows(x, l, rows, d) }
	}},
	{"solve, transposed, for 256 rows", "solvet", func(d float64) float64 { return rows * d * d }, func(rng *rand.Rand, d int) func() {
		_, l := definite(rng, d)
		x := numbers(rng, rows*d)
		return func() { dense.SolveLowerTRows(x, l, rows, d) }
	}},
	{"squares of a solve for 256 rows", "distances", func(d float64) float64 { return rows * d * (d + 2) }, func(rng *rand.Rand, d int) func() {
		_, l := definite(rng, d)
		x, scratch, y := numbers(rng, rows*d), make([]float64, rows*d), make([]float64, rows)
		return func() { dense.RowsSquareOfSolve(y, x, scratch, l, rows, d) }
	}},
	{"Cholesky", "cholesky", func(d float64) float64 { return d * d * d / 3 }, func(rng *rand.Rand, d int) func() {
		a, l := definite(rng, d)
		return func() { dense.Cholesky(l, a, d) }
	}},
	{"inverse from Cholesky", "inverse", func(d float64) float64 { return 2 * d * d * d / 3 }, func(rng *rand.Rand, d int) func() {
		a, l := definite(rng, d)
		return func() { dense.InverseFromCholesky(a, l, d) }
	}},
}

func numbers(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// definite is a matrix so close to the identity that solving again and again stays finite, and its factor.
func definite(rng *rand.Rand, d int) (a, l []float64) {
	a, l = numbers(rng, d*d), make([]float64, d*d)
	for i := range d {
		for j := range d {
			a[i*d+j] *= 1e-3 / float64(d)
		}
		a[i*d+i] = 1
	}
	dense.Symmetrize(a, d)
	dense.Cholesky(l, a, d)
	return a, l
}
