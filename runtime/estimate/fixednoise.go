package estimate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/matched"
)

// Sample average approximation: with the random numbers of the draws fixed the bound is a function of the coordinates with exact
// gradients, which the loop for likelihoods maximises in a few steps (Giordano, Ingram and Broderick, Black box variational
// inference with a deterministic objective: faster, more accurate, and even more black box, JMLR 25(18), 2024). The numbers
// are matched (matched.Fill), without which a full covariance would fit their sample moments.
//
// What the draws leave open is measured with fresh ones. At the end of a run the gradient is 0 for its own draws; for others,
// matched alike, it is about as far from 0 as the end is from the optimum of the true bound. In the metric F of the
// approximation, that of its own Fisher information, a set of fresh draws has the gradient c and the natural gradient
// v = inv(F) c, with
//
//	E[c'v] = 2 E|z - z*|^2,
//
// one half from the fresh draws and one from those of the run, while the bound at z is lower than at z* by |z - z*|^2/2: by a
// quarter of c'v in the mean. That takes the curvature of the bound for F, which it is where the posterior is one of the
// approximations, and nearly so for the others in the coordinates of the surrogate. In auxiliary parameters whose metric is another,
// such as slants near 0, where the bound is much flatter, that is too little: where there are such the bound of fresh draws is
// maximised too.

const (
	// Draws of the latent variables for a gradient, at first, or as many as can be matched. Few are enough to come near the optimum,
	// and more begin there; of many posteriors they are all that is needed. What auxiliary parameters such
	// as slants bring is lost in the noise of few: for these up to cheapDraws are taken where a gradient takes no more than cheapWork
	// operations with them.
	leastDraws = 32
	cheapDraws = 2000
	cheapWork  = 2e5
	// Of the numbers in the arrays of a model for all draws, and of operations for a gradient, both about.
	mostNoise      = 2e7
	mostNoiseWork  = 5e9
	mostNoiseDraws = 1 << 17
	// So many sets of fresh draws measure what the draws of a run leave open.
	freshSets = 4
	poolSets  = 4
	// Draws increase by factors in this range, or by misfitGrowth where they do not stand for others, as long as a run with them
	// evaluates no more latent vectors than mostLatents, in no more than mostRunWork operations. Those of mixtures do not: so many
	// are needed for their density that stochastic steps take less time.
	leastGrowth  = 1.5
	mostGrowth   = 16
	misfitGrowth = 4
	mostLatents  = 500_000
	mostRunWork  = 1e10
	// A difference between the bounds by matched and by other draws that may be due to the matching alone, which makes the lengths
	// of vectors more alike than they are.
	mostGap = 0.05
	// So many draws find nearly always that there is none, as it is below so many of its standard errors; checkDraws decide elsewhere.
	glanceDraws  = 200
	glanceErrors = 1.5
	// More draws are asked for until what they leave open is below this part of what is tolerated, as that is an estimate itself.
	wantedPart = 0.75
	// A run on fixed draws ends when five steps in a row gain less than this, or there is about as much to gain in the metric.
	// Auxiliary parameters gain as little at first, as slants change only what is of third degree where they vanish: theirs is that part of
	// what the draws leave open.
	negligiblePart = 0.02
	negligibleGain = negligiblePart * negligibleRise
	// Iterations of a run on fixed draws, of surrogate natural gradients and then of natural L-BFGS: those that converge take 10 to
	// 100.
	plainIterations = 20
	fixedIterations = 300
	// Iterations of a run on fresh draws, from the end of another.
	refitIterations = 40
	// Relative rounding of the products in a natural norm.
	productRounding = 1e-15
)

// NoiseError says how much the draws of a sample average leave open.
type NoiseError struct {
	Draws int `json:"draws"` // for each gradient, at the end
	// Shortfall is by how much the bound is expected to be below that of the best approximation of its kind.
	Shortfall Number `json:"shortfall"`
	// Misfit is whether the draws fit something that others do not have.
	Misfit bool `json:"misfit,omitempty"`
	// MeanError is the largest standard error of a posterior mean that is due to the draws, in standard deviations of the posterior.
	MeanError Number `json:"mean_error"`
}

// fixedNoise is a run on fixed draws, with ever more of them.
type fixedNoise struct {
	m       runtime.Variational
	r       *Settings
	of      *attempt
	parts   int // of the draws, which belong to one component of a mixture each
	draws   int // of each part
	most    int
	latents float64 // that a run may evaluate

	points                  checkpoints      // of all runs
	settings                runtime.Settings // of a run, but for its method and length
	res                     *runtime.Result
	iterations, evaluations int
	err                     NoiseError
	inner                   []float64 // the best point with auxiliary parameters at their start; nil without them
	loop                    runtime.Minimizer
	open                    float64   // by the draws before auxiliary parameters move
	sets                    int       // of fresh draws by which the end of a run was measured
	pull                    []float64 // the mean natural gradient by these
	v, c, z                 []float64 // scratch
}

func newFixedNoise(m runtime.Variational, r *Settings, of *attempt) *fixedNoise {
	n := dimension(m)
	f := &fixedNoise{m: m, r: r, of: of, points: checkpoints{first: firstCheckpoint}, parts: max(componentsOf(m), 1),
		pull: make([]float64, n), v: make([]float64, n), c: make([]float64, n), z: make([]float64, n)}
	width := m.Info().Variable.Len(m)
	rows, _, _ := m.Counts()
	f.most = int(min(mostNoiseDraws, mostNoise/float64(width), mostNoiseWork/(float64(width)*float64(rows+width)))) / f.parts
	work := float64(width) * float64(rows+width) // for a draw
	f.latents = min(mostLatents, mostRunWork/work)
	if f.draws = matched.Fewest(m.Noise(), leastDraws); r.auxiliaries > 0 {
		// Slants fit what single and spherical numbers have in common.
		f.draws = matched.Draws(m.Noise(), int(max(leastDraws, min(cheapDraws, cheapWork/work))))
	}
	if d := r.Variational.Draws; d > 0 { // so many, and no more
		f.draws = (d + f.parts - 1) / f.parts
		f.most = f.draws
	}
	return f
}

// sampleAverage fits from z, and reports whether that settles it: stochastic steps go on where the draws leave open what more
// draws than can be afforded would decide.
func (a *attempt) sampleAverage(ctx context.Context, m runtime.Variational, r *Settings, z []float64, points *checkpoints) (done bool) {
	f := newFixedNoise(m, r, a)
	if f.draws > f.most {
		return false
	}
	defer func() { points.z = f.points.z }()
	done, a.err = f.run(ctx, z)
	if a.res = f.res; a.res == nil {
		return true
	}
	a.res.Iterations, a.res.GradientEvaluations, a.res.LossEvaluations = f.iterations, f.evaluations, 0
	a.noise = &f.err
	m.Theta(a.theta, a.res.Z)
	return done
}

// run fits with more and more draws until what they leave open is of no consequence. It reports whether nothing else needs to be
// tried.
func (f *fixedNoise) run(ctx context.Context, z []float64) (done bool, err error) {
	z = slices.Clone(z)
	for level := uint64(0); ; level++ {
		if level == 0 && f.r.auxiliaries > 0 {
			vectors := slices.DeleteFunc(slices.Clone(f.m.Noise()), func(a runtime.Noise) bool { return a.Length == 1 })
			for _, draws := range []int{min(f.draws, matched.Draws(vectors, leastDraws)), f.draws} {
				if first, err := f.first(ctx, z, draws); first == nil || err != nil {
					return first == nil || errors.Is(err, errImproper), err
				}
				copy(z, f.res.Z)
			}
			f.measure(1, level)
			f.open = float64(f.err.Shortfall)
			f.inner = slices.Clone(f.polish(ctx, z))
			copy(z, f.inner)
		}
		if err := f.m.SetDraws(f.draws * f.parts); err != nil {
			return true, err
		}
		f.fill("fixed", level)
		res, err := f.minimise(ctx, f.m, z)
		if res == nil {
			return true, err
		}
		copy(z, res.Z)
		if f.res = res; errors.Is(err, errImproper) {
			return true, nil
		}
		if f.measure(freshSets, level); f.r.auxiliaries > 0 {
			f.err.Shortfall = Number(math.Max(float64(f.err.Shortfall), f.refit(ctx, level)))
		}
		if ctx.Err() != nil {
			res.Status, res.Message = runtime.Cancelled, ctx.Err().Error()
			return true, nil
		}
		if res.Status == runtime.Failed || err != nil && !f.flat() {
			return false, err
		}
		if f.more(f.wanted(f.gain())) {
			if f.improper() {
				return true, nil
			}
			continue
		}
		if err := f.compare(); err != nil {
			f.res = nil
			return true, err
		}
		if f.err.Misfit && f.more(misfitGrowth*f.draws) {
			if f.improper() {
				return true, nil
			}
			continue
		}
		if f.pool(level); f.more(f.wanted(1)) {
			copy(z, f.res.Z)
			continue
		}
		f.keepBetter(ctx)
		return f.conclude(), nil
	}
}

// improper looks whether the posterior is improper, before many more draws are taken: on fixed ones it may have an optimum all the same.
func (f *fixedNoise) improper() bool {
	message, found := improper(f.m, [][]float64{f.res.Z}, f.r.Seed, farWork)
	if found {
		f.res.Status, f.res.Message = runtime.AtInfinity, message
	}
	return found
}

// first fits the part of the approximation that has natural gradients: from there the others are reached in few steps, and not by way
// of poor optima. At first it takes so few draws that single numbers have no combinations.
func (f *fixedNoise) first(ctx context.Context, z []float64, draws int) (res *runtime.Result, err error) {
	if err := f.m.SetDraws(f.parts * draws); err != nil {
		return nil, err
	}
	f.fill("fixed", 0)
	if res, err = f.minimise(ctx, auxiliariesFrozen{f.m}, z); res != nil {
		f.res = res
	}
	return res, err
}

// flat reports whether a run ended where auxiliary parameters go on to infinity, which is all that the loop watches: the
// approximation is one of the limits of its family then.
func (f *fixedNoise) flat() bool { return f.res.Status == runtime.AtInfinity }

// fill makes matched random numbers.
func (f *fixedNoise) fill(name string, number uint64) {
	rng := runtime.Stream(f.r.Seed, name, number)
	f.m.Draw(rng)
	matched.Fill(f.m.Noise(), f.parts, rng)
}

var errImproper = errors.New("the posterior is improper")

// minimise runs on the draws at hand.
func (f *fixedNoise) minimise(ctx context.Context, p runtime.Problem, z []float64) (*runtime.Result, error) {
	start := p.Loss(z)
	if math.IsNaN(start) {
		return nil, runtime.ErrNoBound
	}
	f.points.next = 0
	s := f.settings
	s.Step, s.WeightFloor = runtime.Wolfe{}, f.r.WeightFloor
	_, frozen := p.(auxiliariesFrozen)
	if s.Negligible = negligibleGain; s.GradientTolerance == 0 {
		gain := negligibleGain
		if frozen || f.r.auxiliaries == 0 {
			// Half the square is what the bound has to gain where the curvature is the metric.
			s.GradientTolerance = math.Sqrt(gain)
		} else if f.open > 0 {
			gain = negligiblePart * math.Min(f.open, negligibleRise)
		}
		s.LossTolerance = gain / (1 + math.Abs(start))
	}
	// Where the metric is that of the approximation itself, its steps are the best there are, as long as there are few. What has
	// auxiliary parameters needs a metric that is learnt.
	stages := []struct {
		method     runtime.Method
		iterations int
	}{{runtime.SNGD{}, plainIterations}, {runtime.NaturalLBFGS{}, cmp.Or(f.settings.MaxIterations, fixedIterations)}}
	if f.r.auxiliaries > 0 && !frozen {
		stages = stages[1:]
	}
	var res *runtime.Result
	var err error
	for _, stage := range stages {
		s.Method, s.MaxIterations = stage.method, stage.iterations
		s.Recorder = f.of.record(f.r, f.of.start, &f.points)
		if res, err = f.minimize(ctx, p, z, &s); res == nil {
			return nil, err
		}
		z = res.Z
		f.iterations += res.Iterations
		f.evaluations += res.GradientEvaluations + res.LossEvaluations
		if res.Status != runtime.IterationLimit {
			break
		}
	}
	if res.Status.Converged() && !f.resolves(p, res.Z) {
		res.Status, res.Message = runtime.Failed, "rounding decides what the bound has still to gain: the metric of the approximation has lost its digits"
	}
	if ctx.Err() == nil && !res.Status.Converged() {
		if message, improper := improper(f.m, append(slices.Clone(f.points.z), res.Z), f.r.Seed, farWork); improper {
			res.Status, res.Message = runtime.AtInfinity, message
			err = errImproper
		}
	}
	return res, err
}

// minimize is runtime.Minimize, with a memory of past steps that another run may keep.
func (f *fixedNoise) minimize(ctx context.Context, p runtime.Problem, z []float64, s *runtime.Settings) (*runtime.Result, error) {
	res, err := f.loop.Minimize(ctx, p, z, s)
	if res == nil {
		return nil, err
	}
	own := *res
	own.Z, own.Unbounded = slices.Clone(res.Z), slices.Clone(res.Unbounded)
	return &own, err
}

// resolves reports whether the natural norm of the gradient, by which a run has converged, has digits: it is a sum of products that may
// cancel, as they do where an approximation has grown along one direction until its covariance is singular but for rounding.
func (f *fixedNoise) resolves(p runtime.Problem, z []float64) bool {
	p.Gradients(f.v, f.c, z)
	size := 0.0
	for i, v := range f.v {
		size += math.Abs(v * f.c[i])
	}
	return size*productRounding <= negligibleRise
}

// measure finds out what the draws leave open at the end of a run, by so many fresh sets.
func (f *fixedNoise) measure(fresh int, level uint64) {
	d := f.m.Info().Variable.Len(f.m)
	at, moved := make([]float64, f.m.Draws()*d), make([]float64, f.m.Draws()*d)
	squares := make([]float64, d)
	shortfall, sets := 0.0, 0
	clear(f.pull)
	for i := range fresh {
		f.fill("fresh", level*freshSets+uint64(i))
		f.evaluations++
		if math.IsNaN(f.m.Gradients(f.v, f.c, f.res.Z)) {
			continue
		}
		square := 0.0
		for j, v := range f.v {
			square += v * f.c[j]
			f.pull[j] += v / freshSets
		}
		shortfall, sets = shortfall+square/4, sets+1
		f.m.Latents(at, f.res.Z)
		if f.step() {
			f.m.Latents(moved, f.z)
			addShifts(squares, at, moved)
		}
	}
	f.err = NoiseError{Draws: f.m.Draws(), Shortfall: Number(math.NaN()), MeanError: Number(math.NaN())}
	if f.sets = sets; sets > 0 {
		f.err.Shortfall = Number(shortfall / float64(sets))
		f.err.MeanError = Number(math.Sqrt(slices.Max(squares) / float64(2*sets)))
	}
}

// refit is the shortfall by another run, on fresh draws: their bound rises by as much as two sets of draws leave open, since their
// optimum is twice as far from the end of a run, in square, as the optimum of the bound is. It is for auxiliary parameters, whose metric
// is unknown: where the bound is flat they go far for little.
func (f *fixedNoise) refit(ctx context.Context, level uint64) float64 {
	f.fill("refit", level)
	before := f.m.Loss(f.res.Z)
	s := runtime.Settings{Method: runtime.NaturalLBFGS{Keep: true}, Step: runtime.Wolfe{}, WeightFloor: f.r.WeightFloor,
		MaxIterations: refitIterations, LossTolerance: negligibleGain / (1 + math.Abs(before))}
	res, _ := f.minimize(ctx, f.m, f.res.Z, &s)
	if res == nil {
		return 0
	}
	f.evaluations += res.GradientEvaluations + res.LossEvaluations
	shortfall := (before - res.Loss) / 2
	if f.r.Variational.Draws == 0 && f.between(before, res) {
		f.err.Draws, shortfall = 2*f.err.Draws, shortfall/2
	}
	return shortfall
}

// between goes to the middle of the ends of two runs on draws of their own, where half as much is left open, unless the loss is not
// convex from one to the other.
func (f *fixedNoise) between(before float64, refit *runtime.Result) bool {
	for i, z := range f.res.Z {
		f.z[i] = (z + refit.Z[i]) / 2
	}
	if !(f.m.Violation(f.z) < 0) || !(f.m.Loss(f.z) <= (before+refit.Loss)/2) {
		return false
	}
	copy(f.res.Z, f.z)
	return true
}

// step goes against the natural gradient, and reports whether that ends inside the domain.
func (f *fixedNoise) step() bool {
	for i, z := range f.res.Z {
		f.z[i] = z - f.v[i]
	}
	return f.m.Violation(f.z) < 0
}

// addShifts adds the squares of the differences of the means of two sets of rows, in standard deviations of the first.
func addShifts(squares, from, to []float64) {
	d := len(squares)
	n := float64(len(from) / d)
	for j := range d {
		var mean, square, shift float64
		for i := j; i < len(from); i += d {
			mean += from[i] / n
			shift += (to[i] - from[i]) / n
		}
		for i := j; i < len(from); i += d {
			square += (from[i] - mean) * (from[i] - mean) / n
		}
		if square > 0 {
			squares[j] += shift * shift / square
		}
	}
}

// wanted is the number of draws that leave nothing of consequence open, but for a factor by which that becomes less.
func (f *fixedNoise) wanted(gain float64) int {
	times := float64(f.err.Shortfall) / (wantedPart * negligibleRise * gain)
	switch {
	case !f.res.Status.Converged() && !f.flat(): // it fits its draws, or there is no end
		times = mostGrowth
	case !(times > 1):
		return f.draws
	}
	return int(math.Min(math.Max(times, leastGrowth), mostGrowth) * float64(f.draws))
}

// gain is about the factor by which a last step with all draws makes less of what a run leaves open: half of their number, as the curvature
// is not the metric, and few draws say little of it.
func (f *fixedNoise) gain() float64 {
	if f.pools() {
		return (freshSets + 1) / 2.0
	}
	return 1
}

// more says whether to go on with so many draws, and sets them.
func (f *fixedNoise) more(want int) bool {
	mixture := f.parts > 1 // whose density has to be estimated
	affordable := f.latents / float64(max(f.res.Iterations, 1))
	if want <= f.draws || f.draws >= f.most || mixture || leastGrowth*float64(f.draws) > affordable {
		return false
	}
	want = int(math.Min(float64(want), affordable))
	f.draws = min(f.most, matched.Draws(f.m.Noise(), want))
	return true
}

// pools reports whether the draws that measure a run may move its end: not where the metric of the natural gradient is not that of all
// coordinates, nor where the draws that are asked for are no more.
func (f *fixedNoise) pools() bool {
	return f.r.auxiliaries == 0 && f.parts == 1 && f.r.Variational.Draws == 0 && f.sets == freshSets
}

// pool takes a last step with all draws there are where those of the run alone leave too much open. The gradient is 0 for these, so
// that the mean over all sets is that over fresh ones, but for the factor. Where the curvature is the metric the step ends at the
// optimum of all draws; what it leaves otherwise more sets show.
func (f *fixedNoise) pool(level uint64) {
	const sets = freshSets + 1
	before := float64(f.err.Shortfall)
	if !f.pools() || f.err.Misfit || !(before > wantedPart*negligibleRise) || !f.res.Status.Converged() {
		return
	}
	for i, z := range f.res.Z {
		f.z[i] = z - freshSets*f.pull[i]/sets
	}
	if !(f.m.Violation(f.z) < 0) {
		return
	}
	square := 0.0
	for i := range poolSets {
		f.fill("pool", level*poolSets+uint64(i))
		f.evaluations++
		f.m.Gradients(f.v, f.c, f.z)
		for j, v := range f.v {
			square += v * f.c[j] / poolSets
		}
	}
	// A set by itself has twice the shortfall of a run with it, to which noise adds what all sets leave, and the end what the step did.
	if after := math.Max(square/(2*(sets+1)), (square-2*before)/2); after < before {
		copy(f.res.Z, f.z)
		f.err.Draws *= sets
		f.err.Shortfall, f.err.MeanError = Number(after), Number(float64(f.err.MeanError)/math.Sqrt(sets))
	}
}

// compare looks whether the bound by the draws of a run is that by others. There may be none.
func (f *fixedNoise) compare() error {
	for _, draws := range []int{glanceDraws, checkDraws} {
		bound, err := runtime.ELBO(f.m, f.res.Z, draws, f.r.Seed)
		if err != nil {
			return nil
		}
		if math.IsNaN(bound.Mean) {
			return runtime.ErrNoBound
		}
		if f.err.Misfit = f.misfit(&bound); -f.res.Loss-bound.Mean <= glanceErrors*bound.StandardError {
			break
		}
	}
	return nil
}

// misfit reports whether the bound by the draws of the run is too high even for what they leave open: what they have in common
// with matched draws, which all fit, is not what draws have. So it is where the tails of a density count, which strata
// do not see, or the lengths of vectors, which matching has made more alike.
func (f *fixedNoise) misfit(bound *runtime.Estimate) bool {
	gap := -f.res.Loss - bound.Mean
	return gap > mostGap+4*(float64(f.err.Shortfall)+bound.StandardError)
}

// conclude says what came of it, and reports whether it is what was wanted.
func (f *fixedNoise) conclude() bool {
	res := f.res
	switch {
	case !res.Status.Converged() && !f.flat():
		return false
	case f.err.Misfit:
		res.Status = runtime.EvaluationLimit
		res.Message = fmt.Sprintf("%d draws for each gradient do not stand for all", f.m.Draws())
		return false
	case !(float64(f.err.Shortfall) <= negligibleRise):
		res.Status = runtime.EvaluationLimit
		res.Message = fmt.Sprintf("with more draws than %d for each gradient the bound would rise by about %.2g", f.m.Draws(),
			float64(f.err.Shortfall))
		return f.draws >= f.most && f.r.Variational.Draws > 0
	}
	message := runtime.BoundConverged.String()
	if f.flat() {
		message = strings.Join(res.Unbounded, ", ") + " may as well be infinite"
	}
	res.Status, res.Message = runtime.BoundConverged, message
	return true
}

// auxiliariesFrozen is a problem whose auxiliary parameters stay where they are.
type auxiliariesFrozen struct{ runtime.Problem }

// NaturalGradient is that of the problem, with 0 for auxiliary parameters.
func (p auxiliariesFrozen) NaturalGradient(v, z []float64) {
	p.Problem.NaturalGradient(v, z)
	p.freeze(v)
}

// Gradients are those of the problem, with 0 for auxiliary parameters.
func (p auxiliariesFrozen) Gradients(v, c, z []float64) float64 {
	loss := p.Problem.Gradients(v, c, z)
	p.freeze(v)
	p.freeze(c)
	return loss
}

func (p auxiliariesFrozen) freeze(x []float64) {
	for _, b := range p.Blocks() {
		if b.Auxiliary {
			clear(x[b.Offset : b.Offset+b.Len])
		}
	}
}
