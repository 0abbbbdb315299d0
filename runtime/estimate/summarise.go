package estimate

import (
	"cmp"
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/matched"
)

// Posterior are moments and quantiles of the latent variables, by draws.
type Posterior struct {
	Mean  Values `json:"mean"`
	SD    Values `json:"sd"`
	Draws int    `json:"draws"`
	// Quantiles are those of the probabilities 0.05, 0.5 and 0.95. Interval has the ends of the intervals with equal tails that
	// contain Level of the probability.
	Quantiles []Quantile `json:"quantiles"`
	Level     float64    `json:"level"`
	Interval  Intervals  `json:"intervals"`
	// Names of the rows and columns of Covariance and Correlation: the entries of the latent variables, one after the other.
	// Of more than 1,000 variables there are no matrices.
	Names       []string   `json:"names"`
	Covariance  [][]Number `json:"covariance"`
	Correlation [][]Number `json:"correlation"`
}

// Quantile has the quantile of one probability of each latent variable.
type Quantile struct {
	Probability float64 `json:"probability"`
	Values      Values  `json:"values"`
}

// reported are the probabilities of Posterior.Quantiles.
var reported = []float64{0.05, 0.5, 0.95}

// probabilities are those of all quantiles of a report: reported, and the ends of the interval.
func probabilities(level float64) []float64 {
	return append(reported[:len(reported):len(reported)], (1-level)/2, (1+level)/2)
}

// newPosteriorSummary describes latent variables by their moments and by their quantiles at probabilities(level).
func newPosteriorSummary(parts []Part, moments *runtime.Moments, quantiles [][]float64, level float64) Posterior {
	d := len(moments.Mean)
	sd := make([]float64, d)
	whole := len(moments.Covariance) == d*d // else these are the variances alone
	for i := range sd {
		if whole {
			sd[i] = math.Sqrt(moments.Covariance[i*d+i])
		} else {
			sd[i] = math.Sqrt(moments.Covariance[i])
		}
	}
	p := Posterior{Mean: parted(parts, moments.Mean), SD: parted(parts, sd), Draws: moments.Draws, Level: level}
	p.Names = p.Mean.EntryNames()
	for i := 0; whole && i < d; i++ {
		row := moments.Covariance[i*d : (i+1)*d]
		p.Covariance = append(p.Covariance, numbers(row))
		correlations := make([]Number, d)
		for j, c := range row {
			if correlations[j] = 1; j != i {
				correlations[j] = Number(c / (sd[i] * sd[j]))
			}
		}
		p.Correlation = append(p.Correlation, correlations)
	}
	for i, q := range reported {
		p.Quantiles = append(p.Quantiles, Quantile{q, parted(parts, quantiles[i])})
	}
	lows, highs := parted(parts, quantiles[len(reported)]), parted(parts, quantiles[len(reported)+1])
	for i, low := range lows {
		p.Interval = append(p.Interval, Interval{Name: low.Name, Low: low.Value, High: highs[i].Value, Shape: low.Shape,
			Lows: low.Entries, Highs: highs[i].Entries})
	}
	return p
}

func numbers(x []float64) []Number {
	out := make([]Number, len(x))
	for i, v := range x {
		out[i] = Number(v)
	}
	return out
}

const (
	// momentDraws make the error of a posterior mean 0.003 standard deviations. There are no more than momentWork allows: a
	// draw of d latent variables takes d^2 multiplications. Matched draws need not be as many.
	matchedMomentDraws = 4000
	momentDraws        = 100_000
	momentWork         = 3e8
)

// momentSample makes draws for moments and quantiles, row by row, and returns the random numbers that they are made of: at least so
// many draws whose random numbers are matched, so that the moments of a normal distribution are exact. Those of a mixture, whose
// draws are shared out by its weights, are not, and more: then no random numbers are returned.
func momentSample(m runtime.Variational, z []float64, draws int, seed uint64) (x []float64, noise []runtime.Noise, err error) {
	d := m.Info().Variable.Len(m)
	clone := m.Clone().(runtime.Variational)
	mixed := componentsOf(m) > 0
	if mixed {
		draws = max(draws, int(min(momentDraws, momentWork/float64(d*d))))
	} else {
		draws = matched.Draws(clone.Noise(), draws)
	}
	if err := clone.SetDraws(draws); err != nil {
		return nil, nil, err
	}
	rng := runtime.Stream(seed, "moments")
	if clone.Draw(rng); !mixed {
		noise = clone.Noise()
		matched.Fill(noise, 1, rng)
	}
	x = make([]float64, clone.Draws()*d)
	clone.Latents(x, z)
	return x, noise, nil
}

// posteriorMoments are the mean and the covariance of the latent variables.
func posteriorMoments(m runtime.Variational, z []float64, draws int, seed uint64) (*runtime.Moments, error) {
	x, _, err := momentSample(m, z, draws, seed)
	if err != nil {
		return nil, err
	}
	return runtime.MomentsOf(x, m.Info().Variable.Len(m)), nil
}

// summarise estimates the moments and quantiles of the latent variables.
func (a *Approximation) summarise(m runtime.Variational, r *Settings, z []float64) error {
	d := shownLen(m)
	if d > mostCovariance {
		return a.summariseWide(m, r, z)
	}
	x, matched, err := momentSample(m, z, max(r.Variational.evalDraws(m), matchedMomentDraws), r.Seed)
	if err != nil {
		return fmt.Errorf("the moments of the posterior could not be estimated: %w", err)
	}
	x = shown(m, x)
	q := marginals{x: x, d: d}
	if matched != nil {
		q.control(matched)
	}
	level := cmp.Or(r.Level, defaultLevel)
	a.Posterior = newPosteriorSummary(shownParts(m), runtime.MomentsOf(x, d), q.quantiles(probabilities(level)), level)
	return nil
}
