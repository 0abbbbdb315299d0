package estimate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/psis"
	"github.com/sngdgen/sngdgen/runtime/random"
)

// Resampled is what importance resampling made of an approximation: draws of it that are weighted by the ratio of the joint
// density to its own, with the largest ratios smoothed (psis.Smooth).
type Resampled struct {
	Draws     int `json:"draws"`     // that were asked for; 0 where the ratios are not to be trusted
	Distinct  int `json:"distinct"`  // of these, the others are copies
	Proposals int `json:"proposals"` // draws of the approximation that they are from
	// HeavyTails says that the proposals are not those of the approximation alone, whose ratios were not to be trusted: half of their
	// spherical random numbers have Student's t distribution with 5 degrees of freedom.
	HeavyTails bool `json:"heavy_tails"`
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

// proposalsEach is the number of proposals for each draw, so many that draws are rarely the same, and leastProposals that of all.
const (
	proposalsEach  = 10
	leastProposals = 1000
)

// Unreliable is the error where the ratios of importance resampling are not to be trusted.
type Unreliable struct {
	KHat, Limit float64
	Proposals   int
}

func (e *Unreliable) Error() string {
	if math.IsNaN(e.KHat) {
		return "not resampled: the importance ratios are not all numbers, so that no k-hat is known"
	}
	return fmt.Sprintf("not resampled: k-hat is %.2f, and ratios of %d draws are to be trusted below %.2f\n"+
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

// resample weighs draws of the approximation, and takes from among them those that were asked for. Where their ratios are not to
// be trusted it tries draws with heavier tails.
func (a *Approximation) resample(m runtime.Variational, r *Settings, z []float64) error {
	rng := runtime.Stream(r.Seed, "resample")
	count := r.Variational.Resample
	size := max(proposalsEach*count, leastProposals)
	from, err := newProposals(m, z, size, rng, false)
	if err == nil && !from.judged.Reliable() && spherical(m) > 0 {
		from, err = newProposals(m, z, size, rng, true)
	}
	if err != nil {
		return fmt.Errorf("no draws to resample: %w", err)
	}
	a.Resampled = &Resampled{Proposals: size, HeavyTails: from.heavy, KHat: Number(from.judged.KHat), Limit: Number(from.judged.Limit()),
		Effective: Number(math.NaN())}
	if !from.judged.Reliable() {
		return nil
	}
	weights := normalised(from.logs)
	rows, distinct := systematic(weights, count, rng)
	a.Sample = from.draws.pick(rows)
	a.Sample.Resampled = true
	x, d, level := from.draws.Values, len(from.draws.Columns), a.Posterior.Level
	q := marginals{x: x, d: d, weights: weights}
	summary := newPosteriorSummary(from.draws.Parts, weightedMoments(x, d, weights), q.quantiles(probabilities(level)), level)
	a.Resampled.Draws, a.Resampled.Distinct, a.Resampled.Posterior = count, distinct, &summary
	a.Resampled.Effective = Number(effective(weights))
	return nil
}

// proposals are draws with the logarithms of their importance ratios, smoothed.
type proposals struct {
	draws  *PosteriorDraws
	logs   []float64
	shape  []float64 // logarithms of the ratios of the approximation to what the draws are from: 0 where that is itself
	heavy  bool
	judged runtime.Estimate // by its k-hat
}

// newProposals makes draws of the approximation, or of one with heavier tails: of the spherical random numbers e of a draw, which
// are normal, one half are multiplied by the square root of nu/chi^2_nu, so that they have Student's t distribution. A draw that is
// a function of e and perhaps of other random numbers w, has with the density of these the ratio
//
//	p(y, z)/q(z) * phi(e)/(phi(e)/2 + t(e)/2)
//
// on the space of e and w, whatever the function: with it the latent variables have the posterior distribution, and e and w that
// which they have given these under q. The second factor is below 2, so that nothing is lost but half of the effective sample size
// (Hesterberg, Weighted average importance sampling and defensive mixture distributions, Technometrics 37, 1995).
func newProposals(m runtime.Variational, z []float64, count int, rng *rand.Rand, heavy bool) (*proposals, error) {
	var second []float64 // factors, as logarithms
	reshape := func(arrays []runtime.Noise, order []int) { second = append(second, heavier(arrays, order, rng)...) }
	if !heavy {
		reshape = nil
	}
	draws, err := drawn(m, z, count, rng, reshape)
	if err != nil {
		return nil, err
	}
	p := &proposals{draws: draws, logs: draws.LogWeights(), shape: second, heavy: heavy}
	if !heavy {
		p.shape = make([]float64, count)
	}
	for i, l := range p.shape {
		p.logs[i] += l
	}
	p.judged = runtime.Estimate{KHat: psis.Smooth(p.logs), Draws: count}
	return p, nil
}

// heavyFreedom is nu: with so few degrees of freedom tails are heavier than those of any posterior that is worth to be sampled so.
const heavyFreedom = 5

// heavier reshapes the spherical random numbers of the draws in order, and returns the logarithms of phi/(phi/2 + t/2) there.
func heavier(arrays []runtime.Noise, order []int, rng *rand.Rand) []float64 {
	d := 0
	for _, a := range arrays {
		if a.Spherical {
			d += a.Length
		}
	}
	const nu = heavyFreedom
	n := float64(d)
	high, _ := math.Lgamma((nu + n) / 2)
	low, _ := math.Lgamma(nu / 2.0)
	constant := high - low - n/2*math.Log(nu/2.0)
	out := make([]float64, 0, len(order))
	for _, i := range order {
		scale := 1.0
		if rng.IntN(2) == 1 {
			scale = math.Sqrt(nu / (2 * random.Gamma(rng, nu/2.0, 1)))
		}
		square := 0.0
		for _, a := range arrays {
			if !a.Spherical {
				continue
			}
			for j := i * a.Length; j < (i+1)*a.Length; j++ {
				a.Values[j] *= scale
				square += a.Values[j] * a.Values[j]
			}
		}
		ratio := constant + square/2 - (nu+n)/2*math.Log1p(square/nu) // log t - log phi
		out = append(out, math.Ln2-math.Max(ratio, 0)-math.Log1p(math.Exp(-math.Abs(ratio))))
	}
	return out
}

// spherical is how many spherical random numbers a draw is made of.
func spherical(m runtime.Variational) (n int) {
	for _, a := range m.Noise() {
		if a.Spherical {
			n += a.Length
		}
	}
	return n
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
	n := len(weights)
	m := &runtime.Moments{Mean: make([]float64, d), Covariance: make([]float64, d*d), Draws: n}
	rows := mat.NewDense(n, d, x)
	mat.NewVecDense(d, m.Mean).MulVec(rows.T(), mat.NewVecDense(n, weights))
	counts := slices.Clone(weights)
	floats.Scale(float64(n), counts)
	var covariance mat.SymDense
	stat.CovarianceMatrix(&covariance, rows, counts)
	mat.NewDense(d, d, m.Covariance).Copy(&covariance)
	return m
}
