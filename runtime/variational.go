package runtime

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/sngdgen/sngdgen/runtime/psis"
)

// Estimate is an estimate of an evidence lower bound.
type Estimate struct {
	Mean          float64 // the evidence lower bound
	StandardError float64 // of Mean
	Draws         int     // of the latent variables
	// KHat is the shape of the generalised Pareto distribution of the largest ratios of the joint density to q: see
	// psis.Smooth. It says how far q is from the posterior; see Reliable.
	KHat float64
	// KHatError is about the standard error of KHat: 0.15 from 1,000 draws, 0.08 from 10,000.
	KHatError float64
	// LogEvidence is the logarithm of the mean of the smoothed ratios: an estimate of the evidence by importance sampling
	// with q (Vehtari et al. 2024). Above Mean, and to be trusted only when Reliable.
	LogEvidence float64
}

// Reliable reports whether KHat is small enough, less than 0.7 and 1 - 1/log10(Draws), for estimates by importance
// sampling from q, such as LogEvidence, to be trusted: Vehtari, Simpson, Gelman, Yao and Gabry, Pareto smoothed
// importance sampling, JMLR 25(72), 2024, section 3.2.
func (e *Estimate) Reliable() bool { return e.KHat < e.Limit() }

// Limit is what KHat has to be less than for that.
func (e *Estimate) Limit() float64 { return math.Min(0.7, 1-1/math.Log10(float64(e.Draws))) }

// ELBO estimates the evidence lower bound at z over all rows with at least the given number of draws, 4 or more, of
// their own: it works on a clone of v, in portions of at most 128 draws, and keeps one number for each draw. The same
// seed gives the same noise, also at another z.
//
// The standard error is that of a mean of portions, at least 50 from 100 draws on: within one, draws may depend on each
// other, as those do that come in pairs. An error says what does not fit the model, and where z is outside the domain.
func ELBO(v Variational, z []float64, draws int, seed uint64) (Estimate, error) {
	e, err := evaluatorAt(v, z, draws, seed)
	if err != nil {
		return Estimate{}, err
	}
	logs := make([]float64, 0, e.size*e.portions)
	bound := e.mean(z, func(portion []float64) { logs = append(logs, portion...) })
	k := psis.Smooth(logs)
	return Estimate{
		Mean: bound.mean, StandardError: bound.err, Draws: len(logs), KHat: k, KHatError: psis.ShapeError(k, len(logs)), LogEvidence: psis.LogMeanExp(logs),
	}, nil
}

// Rise estimates by how much the evidence lower bound is higher at to than at from, with at least the given number of draws, 4
// or more, whose random numbers are the same at both points: much of the noise of either bound cancels. Mean is the
// difference, StandardError its own; there is no k-hat. Errors are those of ELBO.
func Rise(v Variational, from, to []float64, draws int, seed uint64) (Estimate, error) {
	e, err := evaluatorAt(v, from, draws, seed)
	if err != nil {
		return Estimate{}, err
	}
	if _, err = evaluatorAt(v, to, draws, seed); err != nil {
		return Estimate{}, err
	}
	difference := e.rise(from, to, draws, Stream(seed, "evaluation"))
	return Estimate{Mean: difference.mean, StandardError: difference.err, Draws: e.size * e.portions, KHat: math.NaN(),
		LogEvidence: math.NaN()}, nil
}

// Refinement estimates by how much the evidence lower bound at z changes with finer rules for the integrals and series of the log joint
// density, from at least the given number of draws, 4 or more, with which both are evaluated: those of ELBO with the same number and seed.
func Refinement(v RefinedVariational, z []float64, draws int, seed uint64) (Estimate, error) {
	e, err := evaluatorAt(v, z, draws, seed)
	if err != nil {
		return Estimate{}, err
	}
	finer, ok := e.v.(RefinedVariational)
	if !ok {
		return Estimate{}, errors.New("runtime: the clone of a RefinedVariational is none")
	}
	difference := e.average(e.portions, Stream(seed, "evaluation"), func() float64 {
		e.v.Weights(e.before, z)
		finer.FinerWeights(e.logs, z)
		return psis.Mean(e.logs) - psis.Mean(e.before)
	})
	return Estimate{Mean: difference.mean, StandardError: difference.err, Draws: e.size * e.portions, KHat: math.NaN(),
		LogEvidence: math.NaN()}, nil
}

// Moments are the mean and the covariance matrix, row by row, of latent variables.
type Moments struct {
	Mean, Covariance []float64
	Draws            int
}

// Posterior estimates the mean and the covariance of the latent variables under q at z from at least the given number
// of draws, 4 or more, of their own, as ELBO does. It keeps no draws (Welford, Note on a method for calculating
// corrected sums of squares and products, Technometrics 4, 1962).
func Posterior(v Variational, z []float64, draws int, seed uint64) (*Moments, error) {
	e, err := evaluatorAt(v, z, draws, seed)
	if err != nil {
		return nil, err
	}
	d := v.Info().Variable.Len(v)
	m := &Moments{Mean: make([]float64, d), Covariance: make([]float64, d*d)}
	latents, change := make([]float64, e.size*d), make([]float64, d)
	rng := Stream(seed, "evaluation")
	for range e.portions {
		e.v.Draw(rng)
		e.v.Latents(latents, z)
		for i := range e.size {
			m.add(latents[i*d:(i+1)*d], change)
		}
	}
	m.finish(m.Draws - 1)
	return m, nil
}

// MomentsOf are the moments of the rows of x, of d numbers each, with the number of rows as divisor: those of draws with matched
// random numbers.
func MomentsOf(x []float64, d int) *Moments {
	m := &Moments{Mean: make([]float64, d), Covariance: make([]float64, d*d)}
	change := make([]float64, d)
	for ; len(x) >= d; x = x[d:] {
		m.add(x[:d], change)
	}
	m.finish(m.Draws)
	return m
}

// add adds a draw to the mean and to the sums of products, of which it keeps the lower triangle.
func (m *Moments) add(x, change []float64) {
	m.Draws++
	d, r := len(x), 1/float64(m.Draws)
	for i, mean := range m.Mean {
		change[i] = x[i] - mean
		m.Mean[i] += r * change[i]
	}
	for i, c := range change {
		addScaled(m.Covariance[i*d:i*d+i+1], (1-r)*c, change)
	}
}

// finish makes the covariance of the sums.
func (m *Moments) finish(divisor int) {
	d, r := len(m.Mean), 1/float64(divisor)
	for i := range d {
		for j := range i + 1 {
			c := r * m.Covariance[i*d+j]
			m.Covariance[i*d+j], m.Covariance[j*d+i] = c, c
		}
	}
}

// estimate is a mean with its standard error.
type estimate struct{ mean, err float64 }

// evaluator evaluates a Variational with draws of a stream of its own, always the same, on a clone over all rows.
type evaluator struct {
	v              Variational
	size, portions int // draws of a portion, which are drawn together, and the number of portions
	logs, before   []float64
	seed           uint64
	batch          []int // random rows for each portion, of the first so many; none for all rows
	rows           int
}

const (
	// Draws of a portion at most: what a model keeps for them stays small.
	maxPortion = 128
	// Portions that give a standard error to 10 percent.
	wantPortions = 50
	minDraws     = 4
	// An evaluation keeps a number for each draw.
	maxDraws = 100_000_000
)

func newEvaluator(v Variational, draws int, seed uint64) (*evaluator, error) {
	clone, ok := v.Clone().(Variational)
	if !ok {
		return nil, errors.New("runtime: the clone of a Variational is none")
	}
	if b, ok := clone.(Batcher); ok {
		b.Batch(nil)
	}
	size := max(2, min(maxPortion, draws/wantPortions&^1)) // even, for draws in pairs
	if err := clone.SetDraws(size); err != nil {
		return nil, fmt.Errorf("runtime: evaluation of %d draws: %w", draws, err)
	}
	if _, ok := clone.(Mixture); ok { // then it is a multiple of the number of components
		size = clone.Draws()
	}
	portions := max(2, (draws+size-1)/size)
	return &evaluator{v: clone, size: size, portions: portions, logs: make([]float64, size), before: make([]float64, size), seed: seed}, nil
}

// evaluatorAt is newEvaluator with a look at what callers give.
func evaluatorAt(v Variational, z []float64, draws int, seed uint64) (*evaluator, error) {
	if n := dimension(v); n != len(z) {
		return nil, fmt.Errorf("runtime: the point has %d coordinates, the problem %d", len(z), n)
	}
	if draws < minDraws {
		return nil, fmt.Errorf("runtime: %d draws are too few for an estimate and its error: at least %d are needed",
			draws, minDraws)
	}
	if draws > maxDraws {
		return nil, fmt.Errorf("runtime: %d draws are too many: at most %d", draws, maxDraws)
	}
	if !allFinite(z) {
		return nil, errors.New("runtime: the point is not finite")
	}
	if block, reason := violation(v, z); reason != "" {
		return nil, fmt.Errorf("runtime: block %s: %s", block, reason)
	}
	return newEvaluator(v, draws, seed)
}

// estimate is the evidence lower bound at z.
func (e *evaluator) estimate(z []float64) estimate { return e.mean(z, func([]float64) {}) }

// mean is the mean over all draws of the logarithms of the ratios, which it shows portion by portion.
func (e *evaluator) mean(z []float64, show func(portion []float64)) estimate {
	return e.average(e.portions, Stream(e.seed, "evaluation"), func() float64 {
		e.v.Weights(e.logs, z)
		show(e.logs)
		return psis.Mean(e.logs)
	})
}

// rise is the difference of the bounds at two points, of at least the given number of draws, and on batches of rows of its own
// for each portion of them if the evaluator has batches.
func (e *evaluator) rise(from, to []float64, draws int, rng *rand.Rand) estimate {
	portions := max(2, (draws+e.size-1)/e.size)
	return e.average(portions, rng, func() float64 {
		e.sample(rng)
		e.v.Weights(e.before, from)
		e.v.Weights(e.logs, to)
		return psis.Mean(e.logs) - psis.Mean(e.before)
	})
}

// sample takes other rows.
func (e *evaluator) sample(rng *rand.Rand) {
	if len(e.batch) == 0 {
		return
	}
	for i := range e.batch {
		e.batch[i] = rng.IntN(e.rows)
	}
	e.v.(Batcher).Batch(e.batch)
}

// wholly goes back to all rows.
func (e *evaluator) wholly() {
	if e.batch = nil; e.v != nil {
		if b, ok := e.v.(Batcher); ok {
			b.Batch(nil)
		}
	}
}

// average is the mean of what is found for every portion of the draws.
func (e *evaluator) average(portions int, rng *rand.Rand, portion func() float64) estimate {
	var mean, squares float64
	for k := range portions {
		e.v.Draw(rng)
		change := portion() - mean
		mean += change / float64(k+1)
		squares += change * change * float64(k) / float64(k+1)
	}
	n := float64(portions)
	return estimate{mean, math.Sqrt(squares / (n * (n - 1)))}
}
