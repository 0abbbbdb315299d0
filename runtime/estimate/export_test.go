package estimate

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
)

// What Fit and Approximate do, without a verdict in the error.
var Seek = approximate

func Find(ctx context.Context, m runtime.Model, r Settings) (*Report, error) {
	rep, _, err := find(ctx, m, r)
	return rep, err
}

// FindOn is Find for a model without data, which are given to it.
func FindOn(ctx context.Context, m runtime.Model, d runtime.Data, r Settings) (*Report, error) {
	if err := Load(m, d, r.Components); err != nil {
		return nil, err
	}
	return Find(ctx, m, r)
}

// SeekOn is Seek for a model without data.
func SeekOn(ctx context.Context, m runtime.Variational, d runtime.Data, r Settings) (*Approximation, error) {
	if err := Load(m, d, r.Components); err != nil {
		return nil, err
	}
	return approximate(ctx, m, r)
}

// StartLosses returns the losses of so many starting points that the search of a mixture makes, NaN where one fails.
func StartLosses(m runtime.Model, count int) ([]float64, error) {
	r := new(Settings)
	if err := r.fill(m); err != nil {
		return nil, err
	}
	s := newSearch(m, r)
	var losses []float64
	for _, from := range s.points(count) {
		z, loss := make([]float64, dimension(m)), math.NaN()
		if from(m, z) == nil {
			loss = m.Loss(z)
		}
		losses = append(losses, loss)
	}
	return losses, nil
}

// DownhillOfMany is the way down from a saddle point of a model with many parameters, nil if there is none.
func DownhillOfMany(ctx context.Context, m runtime.Model, theta []float64, seed uint64) ([]float64, error) {
	u, err := Coordinates(m, baseline.CovarianceCholesky)
	if err != nil {
		return nil, err
	}
	return downhillOfMany(ctx, m, u, theta, seed), nil
}

// QuantilesOf are the quantiles of every one of d numbers a row, with what controls the noise gives.
func QuantilesOf(x []float64, d int, weights []float64, noise []runtime.Noise, probabilities []float64) [][]float64 {
	q := marginals{x: x, d: d, weights: weights}
	if noise != nil {
		q.control(noise)
	}
	return q.quantiles(probabilities)
}

// Systematic is systematic resampling.
var Systematic = systematic

// HeavyRatios are the logarithms of the ratios of draws with heavier tails, smoothed.
func HeavyRatios(m runtime.Variational, z []float64, count int, seed uint64) ([]float64, error) {
	p, err := newProposals(m, z, count, runtime.Stream(seed, "heavy"), true)
	if err != nil {
		return nil, err
	}
	return p.logs, nil
}

// Portions puts estimates together as a report does.
func Portions(each []runtime.Estimate) *ELBO {
	p := new(portions)
	for i := range each {
		p.add(&each[i])
	}
	return p.elbo()
}

// ExpectedRise is what the bound has still to gain, by its gradient, with a standard error.
var ExpectedRise = expectedRise

// KeepAll has checkpoints keep evaluations that take no time too.
func KeepAll(t interface{ Cleanup(func()) }) {
	usual := leastKept
	leastKept = 0
	t.Cleanup(func() { leastKept = usual })
}

// BetterOf is the better of two ends, the first of stochastic steps, the second of a run with fixed draws.
func BetterOf(m runtime.Variational, stochastic, fixed *runtime.Result) *runtime.Result {
	a, other := attempt{res: stochastic}, attempt{res: fixed}
	a.theta, other.theta = make([]float64, thetaLen(m)), make([]float64, thetaLen(m))
	a.better(m, new(Settings), &other)
	return a.res
}

// ComesTo reports whether a run at z is on its way to an end, in a total of n rows.
func ComesTo(p interface{ Loss(z []float64) float64 }, z, end []float64, n float64) bool {
	return comesTo(p, make([]float64, len(z)), z, p.Loss(z), &runtime.Result{Z: end, Loss: p.Loss(end)}, n)
}

// RisesOut is risesOut.
func RisesOut(m runtime.Model, theta []float64, n float64) string {
	return risesOut(m, newEndPoint(m, theta), n)
}

// FlatOut is flatOut.
func FlatOut(m runtime.Model, theta []float64, n float64) string {
	u := newEndPoint(m, theta)
	return flatOut(m, u, u.Loss(u.x), n)
}

// EndPointOf is endPointOf.
func EndPointOf(u runtime.Unconstrained, theta []float64, together bool) *endPoint {
	return endPointOf(u, theta, together)
}

// Aside is aside.
func (e *endPoint) Aside(coordinate int, way float64) float64 { return e.aside(coordinate, way) }

// InformationOf is the second derivative of a loss by one of its coordinates, the others of x held; InformationAbout is all of it.
func InformationOf(u runtime.Unconstrained, x []float64, k int) float64 {
	return information(newPart(u, x, []int{k}), x[k:k+1], 1).At(0, 0)
}

// InformationAbout is information.
func InformationAbout(u runtime.Unconstrained, x []float64) *mat.SymDense {
	return information(u, x, 1)
}

// FallsEvenly is fallsEvenly.
var FallsEvenly = fallsEvenly

// EvenFolds is evenFolds.
const EvenFolds = evenFolds

// Straighten returns the objective in straight coordinates, and what a change of each coordinate by what it is changes in the chart.
func Straighten(m runtime.Model, u runtime.Unconstrained, theta []float64) (s runtime.Unconstrained, y []float64, tangent *mat.Dense) {
	s, y = straighten(m, u), make([]float64, u.Dim())
	s.FromTheta(y, theta)
	return s, y, tangents(s, y, []int{0, 1, 2, 3, 4})
}

// LeastOfHull is leastOfHull.
var LeastOfHull = leastOfHull

// Recession is the direction of recession that is found where a run has ended; nil where there is none.
func Recession(m runtime.Model, theta []float64) []float64 {
	way, _ := Candidates(m, theta)
	return way
}

// Candidates is Recession, with how many candidates the search had left for cutting planes.
func Candidates(m runtime.Model, theta []float64) (way []float64, left int) {
	s := newRecessionSearch(m, newEndPoint(m, theta), theta, 1)
	if r := s.find(); r != nil {
		way = r.way
	}
	return way, s.left
}

// ShrinksOnto is what a model contracts on, in words, wherever it is higher than a log-likelihood.
var ShrinksOnto = shrinksOnto

// Collapses says which component contracts on rows that are equal, at parameters.
func Collapses(m runtime.Model, theta []float64) string { return contractionOf(m, theta).collapses() }

// Shrinks says which parameter goes to 0 on which rows, where a run has ended.
func Shrinks(m runtime.Model, theta []float64) string { return contractionOf(m, theta).shrinks() }
