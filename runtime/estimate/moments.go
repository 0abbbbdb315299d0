package estimate

import (
	"cmp"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// MomentCheck compares the moments of the approximations of a Ladder with those of the posterior by importance sampling: of weighted
// draws of one of them. Bounds say nothing of it, as the highest one may be that of an approximation with worse moments than another's.
type MomentCheck struct {
	// By is the index of the rung whose draws were weighted, Draws how many.
	By         int  `json:"by"`
	Draws      int  `json:"draws"`
	HeavyTails bool `json:"heavy_tails"` // see Resampled, as for the next three
	// KHat is below Limit, or there are no moments to compare with, and nothing is said.
	KHat      Number `json:"k_hat"`
	Limit     Number `json:"k_hat_limit"`
	Effective Number `json:"effective_sample_size"`
	// MeanError is the root mean square of the standard errors of the means, in standard deviations, DeviationError that of the
	// relative errors of standard deviations.
	MeanError      Number `json:"mean_error"`
	DeviationError Number `json:"sd_error"`
	// Nearest is the index of the rung whose moments are nearest, and that of the knee unless another one is nearer by more than 0.01
	// and two standard errors; -1 where nothing is said. Gain is by how much it is nearer than the knee, in nats of
	// MomentDistance.Divergence.
	Nearest   int    `json:"nearest"`
	Gain      Number `json:"gain"`
	GainError Number `json:"gain_error"`
}

// Reliable reports whether there is a comparison.
func (c *MomentCheck) Reliable() bool { return c != nil && c.Nearest >= 0 }

// MomentDistance is how far the moments of an approximation are from those by importance sampling, whose errors are part of it: root
// mean squares over all latent variables and the largest, of means in standard deviations and of standard deviations as parts of them.
type MomentDistance struct {
	Means            Number `json:"means"`
	LargestMean      Number `json:"largest_mean"`
	Deviations       Number `json:"sds"`
	LargestDeviation Number `json:"largest_sd"`
	// Divergence is to second order the sum of the Kullback-Leibler divergences of normal marginal distributions with these moments:
	// sum_j (mean_j - m_j)^2/(2 s_j^2) + (sd_j/s_j - 1)^2.
	Divergence Number `json:"divergence"`
}

// momentGroups are the groups of draws by which errors are estimated, leaving out one at a time (Quenouille 1956, Notes on bias in
// estimation, Biometrika 43).
const momentGroups = 20

// compareMoments finds the moments by importance sampling with the approximation whose ratios are best, and holds all rungs against them.
func (c *climber) compareMoments() {
	l := c.ladder
	fitted := slices.DeleteFunc(identity(len(l.Rungs)), func(i int) bool {
		r := &l.Rungs[i]
		return r.Fit == nil || r.Kept || !r.Fit.Complete() || len(r.Fit.Posterior.Mean) == 0 || math.IsNaN(float64(r.Fit.ELBO.KHat))
	})
	if l.Knee < 0 || len(fitted) < 2 {
		return
	}
	by := slices.MinFunc(fitted, func(i, j int) int { return cmp.Compare(l.Rungs[i].Fit.ELBO.KHat, l.Rungs[j].Fit.ELBO.KHat) })
	m := c.models[by]
	size := c.settings.momentDraws(m)
	rng := runtime.Stream(c.settings.Seed, "moments of the posterior")
	from, err := newProposals(m, l.Rungs[by].z, size, rng, false)
	if err == nil && !from.judged.Reliable() && spherical(m) > 0 {
		from, err = newProposals(m, l.Rungs[by].z, size, rng, true)
	}
	if err != nil {
		l.Warnings = append(l.Warnings, "moments were not compared: "+err.Error())
		return
	}
	check := &MomentCheck{By: by, Draws: size, HeavyTails: from.heavy, KHat: Number(from.judged.KHat), Limit: Number(from.judged.Limit()),
		Effective: Number(effective(normalised(from.logs))), Nearest: -1}
	if l.Moments = check; !from.judged.Reliable() {
		return
	}
	truth := newTruth(from, momentsOf(l.Rungs[by].Fit))
	check.MeanError, check.DeviationError = Number(truth.meanError), Number(truth.sdError)
	divergences := map[int][]float64{} // by all draws, and without one group after the other
	for _, i := range fitted {
		own := momentsOf(l.Rungs[i].Fit)
		l.Rungs[i].Moments = distance(own, truth.whole)
		for _, t := range append([]marginMoments{truth.whole}, truth.without...) {
			divergences[i] = append(divergences[i], float64(distance(own, t).Divergence))
		}
	}
	check.Nearest = l.Knee
	for _, i := range fitted {
		gain, err := jackknifed(divergences[l.Knee], divergences[i])
		if gain > negligibleRise+2*err && gain > float64(check.Gain) {
			check.Nearest, check.Gain, check.GainError = i, Number(gain), Number(err)
		}
	}
}

// mostMomentNumbers bounds the memory of draws of which moments are compared.
const mostMomentNumbers = 1 << 24

// momentDraws are those of the bound, or several times as many where these do not take long.
func (r *Settings) momentDraws(m runtime.Variational) int {
	n := r.Variational.evalDraws(m)
	if r.Variational.EvalDraws > 0 {
		return n
	}
	room := math.Min(portionsWork/(float64(n)*drawWork(m)), mostMomentNumbers/(float64(n)*float64(shownLen(m))))
	return n * int(math.Max(1, math.Min(room, momentPortions)))
}

// momentPortions are how many times the draws of a bound are weighted at most.
const momentPortions = 8

// marginMoments are means and standard deviations.
type marginMoments struct{ mean, sd []float64 }

func momentsOf(a *Approximation) marginMoments {
	return marginMoments{a.Posterior.Mean.flat(), a.Posterior.SD.flat()}
}

// truth are moments by importance sampling, of all draws and without the draws of a group each.
type truth struct {
	whole              marginMoments
	without            []marginMoments
	meanError, sdError float64
}

// newTruth estimates moments with those of the approximation itself, which are known, as a control: what the weights change of the
// moments of the draws is added to them, which has little noise where the weights are nearly equal.
func newTruth(from *proposals, own marginMoments) *truth {
	n, d := len(from.logs), len(own.mean)
	weights, plain := normalised(from.logs), normalised(from.shape)
	// Sums over a group of weights and of weights times first and second moments about the means of the approximation, for both.
	width := 2 * (1 + 2*d)
	sums := make([]float64, momentGroups*width)
	for i := range n {
		group := sums[i%momentGroups*width:][:width]
		for k, w := range []float64{weights[i], plain[i]} {
			part := group[k*(1+2*d):]
			part[0] += w
			for j, x := range from.draws.Values[i*d : (i+1)*d] {
				u := (x - own.mean[j]) / own.sd[j]
				part[1+j] += w * u
				part[1+d+j] += w * u * u
			}
		}
	}
	t := &truth{whole: own.corrected(sums, width, -1)}
	for g := range momentGroups {
		t.without = append(t.without, own.corrected(sums, width, g))
	}
	for g := range t.without {
		off := distance(t.without[g], t.whole)
		t.meanError += square(float64(off.Means))
		t.sdError += square(float64(off.Deviations))
	}
	t.meanError, t.sdError = math.Sqrt(t.meanError*(momentGroups-1)/momentGroups), math.Sqrt(t.sdError*(momentGroups-1)/momentGroups)
	return t
}

// corrected are the moments of an approximation with what the weights change of them, without the draws of a group.
func (own marginMoments) corrected(sums []float64, width, without int) marginMoments {
	total := make([]float64, width)
	for i, x := range sums {
		if i/width != without {
			total[i%width] += x
		}
	}
	weighted, plain := total[:width/2], total[width/2:]
	d := len(own.mean)
	out := marginMoments{make([]float64, d), make([]float64, d)}
	for j := range d {
		first := weighted[1+j]/weighted[0] - plain[1+j]/plain[0]
		second := 1 + weighted[1+d+j]/weighted[0] - plain[1+d+j]/plain[0]
		out.mean[j] = own.mean[j] + first*own.sd[j]
		out.sd[j] = own.sd[j] * math.Sqrt(math.Max(second-first*first, 0))
	}
	return out
}

// distance is that of moments from others.
func distance(x, from marginMoments) *MomentDistance {
	out := new(MomentDistance)
	means, sds := 0.0, 0.0
	for j, sd := range from.sd {
		mean, ratio := (x.mean[j]-from.mean[j])/sd, x.sd[j]/sd-1
		means, sds = means+mean*mean, sds+ratio*ratio
		if !(math.Abs(mean) <= math.Abs(float64(out.LargestMean))) {
			out.LargestMean = Number(mean)
		}
		if !(math.Abs(ratio) <= math.Abs(float64(out.LargestDeviation))) {
			out.LargestDeviation = Number(ratio)
		}
	}
	n := float64(len(from.sd))
	out.Means, out.Deviations, out.Divergence = Number(math.Sqrt(means/n)), Number(math.Sqrt(sds/n)), Number(means/2+sds)
	return out
}

// jackknifed is by how much the first of the numbers in a is larger than in b, with the standard error by the others, which are
// without a group of the draws each.
func jackknifed(a, b []float64) (difference, err float64) {
	n, mean, squares := 0.0, 0.0, 0.0
	for g := 1; g < len(a); g++ {
		n++
		change := a[g] - b[g] - mean
		mean += change / n
		squares += change * (a[g] - b[g] - mean)
	}
	return a[0] - b[0], math.Sqrt(squares * (n - 1) / n)
}
