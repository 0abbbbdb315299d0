package estimate

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/psis"
)

// Resampled is what importance resampling made of an approximation: draws of it that are weighted by the ratio of the joint
// density to its own, with the largest ratios smoothed (psis.Smooth).
type Resampled struct {
	Draws     int `json:"draws"`     // that were asked for; 0 where the ratios are not to be trusted
	Distinct  int `json:"distinct"`  // of these, the others are copies
	Proposals int `json:"proposals"` // draws of the approximation that they are from
	// KHat is the shape of the tail of the ratios, and Limit below what they are to be trusted: see runtime.Estimate.
	KHat  Number `json:"k_hat"`
	Limit Number `json:"k_hat_limit"`
	// Effective is the effective sample size of the weighted proposals, (sum w)^2/sum w^2 (Kong, A note on importance sampling using
	// standardized weights, 1992; Owen, Monte Carlo theory, methods and examples, 2013, section 9.3): Proposals, where the
	// approximation is the posterior itself.
	Effective Number `json:"effective_sample_size"`
	// Posterior are moments and quantiles of the latent variables by the weighted proposals; nil where these are not to be trusted.
	Posterior *Posterior `json:"posterior,omitempty"`
}

// proposalsEach is the number of proposals for each draw: so many that draws are rarely the same.
const proposalsEach = 10

// Unreliable is the error where the ratios of importance resampling are not to be trusted.
type Unreliable struct {
	KHat, Limit float64
	Proposals   int
}

func (e *Unreliable) Error() string {
	if math.IsNaN(e.KHat) {
		return "not resampled: the importance ratios are not all numbers, so that no k-hat is known"
	}
	return fmt.Sprintf("not resampled: k-hat is %.2f, and ratios of %d draws are to be trusted below %.2f: a few draws would stand for all\n"+
		"hint: fit an approximation that is closer to the posterior, or take draws of this one, with their weights, without resampling",
		e.KHat, e.Proposals, e.Limit)
}

// Refused is the error about a resampling that was asked for and not done, or nil.
func (a *Approximation) Refused() error {
	if r := a.Resampled; r != nil && r.Draws == 0 {
		return &Unreliable{float64(r.KHat), float64(r.Limit), r.Proposals}
	}
	return nil
}

// resample weighs draws of the approximation, and takes from among them those that were asked for.
func (a *Approximation) resample(m runtime.Variational, r *Settings, z []float64) error {
	rng := runtime.Stream(r.Seed, "resample")
	count := r.Variational.Resample
	proposals, err := drawn(m, z, max(proposalsEach*count, r.Variational.evalDraws()), rng)
	if err != nil {
		return fmt.Errorf("no draws to resample: %w", err)
	}
	logs := proposals.LogWeights()
	k := psis.Smooth(logs)
	judged := runtime.Estimate{KHat: k, Draws: len(logs)}
	a.Resampled = &Resampled{Proposals: len(logs), KHat: Number(k), Limit: Number(judged.Limit()), Effective: Number(math.NaN())}
	if !judged.Reliable() {
		return nil
	}
	weights := normalised(logs)
	rows, distinct := systematic(weights, count, rng)
	a.Sample = proposals.pick(rows)
	a.Sample.Resampled = true
	d := len(proposals.Columns)
	q := marginals{x: proposals.Values, d: d, weights: weights}
	summary := newPosteriorSummary(proposals.Parts, weightedMoments(proposals.Values, d, weights), q.quantiles(probabilities(a.Posterior.Level)), a.Posterior.Level)
	a.Resampled.Draws, a.Resampled.Distinct, a.Resampled.Posterior = count, distinct, &summary
	a.Resampled.Effective = Number(effective(weights))
	return nil
}

// normalised are the exponentials of logarithms, divided by their sum.
func normalised(logs []float64) []float64 {
	total := psis.LogMeanExp(logs) + math.Log(float64(len(logs)))
	out := make([]float64, len(logs))
	for i, l := range logs {
		out[i] = math.Exp(l - total)
	}
	return out
}

// effective is the effective sample size of weights that sum to 1.
func effective(weights []float64) float64 {
	squares := 0.0
	for _, w := range weights {
		squares += w * w
	}
	return 1 / squares
}

// systematic draws numbers of weights that sum to 1, in random order, each as often as count times its weight, rounded up or
// down (Douc, Cappe and Moulines, Comparison of resampling schemes for particle filtering, 2005, section 3.4): none twice where
// no weight is above 1/count.
func systematic(weights []float64, count int, rng *rand.Rand) (rows []int, distinct int) {
	first, sum, at := rng.Float64(), 0.0, -1
	for i := range count {
		fresh := false
		for at < 0 || sum*float64(count) <= float64(i)+first && at < len(weights)-1 {
			at++
			sum += weights[at]
			fresh = true
		}
		if rows = append(rows, at); fresh {
			distinct++
		}
	}
	rng.Shuffle(count, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return rows, distinct
}

// weightedMoments are the mean and the covariance of rows of d numbers with weights that sum to 1.
func weightedMoments(x []float64, d int, weights []float64) *runtime.Moments {
	m := &runtime.Moments{Mean: make([]float64, d), Covariance: make([]float64, d*d), Draws: len(weights)}
	for i, w := range weights {
		for j, v := range x[i*d : (i+1)*d] {
			m.Mean[j] += w * v
		}
	}
	change := make([]float64, d)
	for i, w := range weights {
		for j, v := range x[i*d : (i+1)*d] {
			change[j] = v - m.Mean[j]
		}
		for j, c := range change {
			for k, other := range change[:j+1] {
				m.Covariance[j*d+k] += w * c * other
			}
		}
	}
	for j := range d {
		for k := range j {
			m.Covariance[k*d+j] = m.Covariance[j*d+k]
		}
	}
	return m
}
