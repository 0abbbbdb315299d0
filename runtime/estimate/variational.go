package estimate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/matched"
)

// Variational says how to fit a variational objective: see runtime.Variational.
type Variational struct {
	// Draws of the latent variables for each gradient; 0 means the number that the spec gives.
	Draws int `json:"draws,omitempty"`
	// EvalDraws are those of which the report estimates the evidence lower bound and k-hat; 0 means 10,000, or fewer, down to 1,000,
	// where a draw takes long, and where k-hat is near its limit up to 64 portions of so many, as long as they do not take long.
	EvalDraws int `json:"eval_draws,omitempty"`
	// Keep is the number of draws of the posterior that the report has.
	Keep int `json:"keep,omitempty"`
	// Resample is the number of draws that the report has instead, chosen by importance resampling from ten times as many: see
	// Resampled.
	Resample int `json:"resample,omitempty"`
	// Predict asks for a data set of the model for each of the draws that the report has: see Predictions.
	Predict bool `json:"predict,omitempty"`
	// Power is that of expectation propagation, up to 1; 0 means that of the spec. PowerZero asks for the limit of power 0, which is
	// variational inference.
	Power     float64 `json:"power,omitempty"`
	PowerZero bool    `json:"power_zero,omitempty"`
}

const (
	// The bound is reported from portions of so many draws, as far as they take no more than evalWork operations.
	leastReported = 1000
	mostReported  = 10_000
	evalWork      = 1e9
	// freeWork is what a look at all rows may take always, about a tenth of a second.
	freeWork = 2e8
	// checkDraws are for comparisons during a fit.
	checkDraws = 1000
	// averaged is the part of a run whose points are averaged.
	averaged = 0.5
	// A run that was given no length ends when the bound has risen by no more than negligibleRise, which is of no consequence to any inference,
	// in each of so many windows (patience), the first of checkEvery steps. Otherwise it ends after defaultSteps, or as many as take
	// stepsWork operations where these are fewer, but not before leastSteps. A step takes its draws of the log joint density, and for
	// the covariance matrix about factorWork times the cube of the number of latent variables.
	patience       = 3
	leastSteps     = 1000
	stepsWork      = 2e11
	factorWork     = 4
	checkEvery     = 100
	negligibleRise = 0.01
	// auxiliaryRate is that of Adam at first, whose own would take thousands of steps to the shape of a posterior. The noise
	// of its steps costs the bound what they gain where there are many coordinates, also in the average of the last points: it
	// decreases slowly, and with more than a few coordinates the length of a step stays that of a few.
	auxiliaryRate  = 0.05
	auxiliaryDelay = 400
	auxiliaryPower = 0.5
	auxiliaryFew   = 2
)

func (v *Variational) evalDraws(m runtime.Variational) int {
	if v.EvalDraws > 0 {
		return v.EvalDraws
	}
	return int(max(leastReported, min(mostReported, evalWork/drawWork(m))))
}

// Approximate fits the posterior of a variational objective to the data that m holds, and says what it is. Settings may be
// nil. The error is nil if the bound has converged, or the settings end the run; it is an *Unfinished, together with an
// approximation, if not, and an *Unreliable, with an approximation too, where it could not be resampled as the settings ask.
// Otherwise there is none, as for Fit.
func Approximate(ctx context.Context, m runtime.Variational, s *Settings) (*Approximation, error) {
	var r Settings
	if s != nil {
		r = *s
	}
	a, err := approximate(ctx, m, r)
	if err == nil && !a.Complete() {
		err = &Unfinished{a.Status, a.Message}
	}
	if err == nil {
		err = a.Refused()
	}
	return a, err
}

// ApproximateAs is Approximate for a generated package, which has a type for the parameters.
func ApproximateAs[T any](ctx context.Context, m runtime.Variational, s *Settings, of func([]float64) T) (T, *Approximation, error) {
	found, err := Approximate(ctx, m, s)
	if found == nil {
		var none T
		return none, nil, err
	}
	return of(found.Theta()), found, err
}

// approximate is Approximate without a verdict in the error.
func approximate(ctx context.Context, m runtime.Variational, r Settings) (*Approximation, error) {
	began := time.Now()
	defer r.staff()()
	clone, err := r.fillBound(m)
	if err != nil {
		return nil, err
	}
	r.tracer = newTracer(&r)
	if r.Method == "ep" {
		a, _, err := r.propagate(ctx, clone)
		return a, err
	}
	count, note := plan(m, r.Starts)
	var warnings []string
	if note != "" {
		warnings = append(warnings, note)
	}
	starts := fromStarts(&r, count)
	if r.Init != nil {
		starts = []start{r.Init.from}
	}
	runs := runAll(ctx, clone.Clone, &r, starts)
	if len(runs) < len(starts) {
		warnings = append(warnings, fmt.Sprintf("stopped after %d of %d starts", len(runs), len(starts)))
	}
	if r.Starts <= 1 && r.Init == nil && !anyRan(runs) && ctx.Err() == nil {
		var more []string
		runs, more = fallBack(ctx, clone, &r, runs)
		warnings = append(warnings, more...)
	}
	best := choose(ctx, clone, &r, runs)
	if best == nil {
		if best = improperStart(clone, &r); best == nil || ctx.Err() != nil {
			return nil, unbegun(ctx, m, runs)
		}
	} else {
		warnings = append(warnings, describeFailures(runs, best)...)
		best.checkTails(clone, &r)
	}
	seconds := time.Since(began).Seconds()
	a := approximation(clone, &r, best, warnings)
	if len(runs) > 1 {
		a.Ends = ends(runs)
	}
	a.Seconds = seconds
	if r.tracer.keeps() {
		a.Runs, a.Cut = r.tracer.all(), r.tracer.cut
	}
	return a, nil
}

// fillBound fills in the method, or explains what cannot be done, and returns a clone that makes the draws asked for.
func (r *Settings) fillBound(m runtime.Variational) (runtime.Variational, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	if r.Penalty {
		return nil, fmt.Errorf("a penalty is for likelihoods: the objective of %s is an evidence lower bound", m.Info().Name)
	}
	if !r.Checkpoint.IsZero() {
		return nil, errors.New("a checkpoint is for likelihoods: fits of posteriors keep nothing that they could go on with")
	}
	r.bound, r.Method = true, cmp.Or(r.Method, "auto")
	if err := r.checkBound(m); err != nil {
		return nil, err
	}
	if err := drawable(max(r.Variational.Keep, proposalsEach*r.Variational.Resample), max(m.Info().Variable.Len(m), shownLen(m))); err != nil {
		return nil, err
	}
	if err := r.checkPredict(m); err != nil {
		return nil, err
	}
	clone, ok := m.Clone().(runtime.Variational)
	if !ok {
		return nil, fmt.Errorf("the clone of %s is no variational problem", m.Info().Name)
	}
	r.share(clone)
	if err := SetComponents(clone, r.Components); err != nil {
		return nil, err
	}
	if err := checkWeightFloor(clone, r.WeightFloor); err != nil {
		return nil, err
	}
	if r.Method == "auto" {
		r.Method, r.chosen = r.variationalMethod(clone), true
	}
	if r.Variational.Draws > 0 && r.Method != "saa" {
		if err := clone.SetDraws(r.Variational.Draws); err != nil {
			return nil, err
		}
	}
	r.mostSteps, r.auxiliaries = affordable(clone, r.Stochastic.Batch), 0
	for _, b := range clone.Blocks() {
		if b.Auxiliary {
			r.auxiliaries += b.Len / max(b.Copies, 1)
		}
	}
	if err := cmp.Or(lengthsKnown(clone), r.checkFixedDraws(clone)); err != nil || r.Init == nil {
		return clone, err
	}
	return clone, r.Init.check(clone)
}

// variationalMethod is the method where none is named: expectation propagation where the spec asks for it, else the bound without
// draws where that is known, else the sample average; but stochastic steps for mixtures, whose density takes more fixed draws than
// pay, for path derivatives, where something is said about steps, or where the draws that are asked for cannot be matched.
func (r *Settings) variationalMethod(m runtime.Variational) string {
	if m.Info().Objective == ObjectiveEP && r.Stochastic == (Stochastic{}) {
		return "ep"
	}
	few := r.Variational.Draws > 0 && r.Variational.Draws < leastMatched(m)
	if r.Stochastic != (Stochastic{}) || m.Info().Path || few || componentsOf(m) > 1 {
		return "sngd"
	}
	if _, exact := m.(runtime.Exact); exact && r.Variational.Draws == 0 {
		return "exact"
	}
	return "saa"
}

// leastMatched is the least number of draws that can be matched in full.
func leastMatched(m runtime.Variational) int {
	return max(componentsOf(m), 1) * matched.Draws(m.Noise(), 0)
}

// timed reports whether a run ends where the request says, and nowhere else.
func (r *Settings) timed() bool {
	if r.bound {
		return r.Stochastic.Steps > 0 || r.Stochastic.Epochs > 0 || r.Stochastic.Schedule == "cosine"
	}
	return r.stochastic()
}

// boundSettings are settings of package runtime, as an evidence lower bound wants them: the mean of the last points is
// the outcome, and a run without a length of its own ends when the bound has converged.
func (r *Settings) boundSettings(s *runtime.Stochastic) *runtime.Stochastic {
	if !r.bound {
		return s
	}
	s.Average = averaged
	if adam, ok := s.Auxiliary.(runtime.Adam); ok && adam.Rate == 0 {
		s.Auxiliary = runtime.Adam{Rate: auxiliaryRate * math.Sqrt(math.Min(1, auxiliaryFew/float64(r.auxiliaries)))}
		if s.AuxiliaryScale == nil {
			s.AuxiliaryScale = runtime.Decay{First: 1, Delay: auxiliaryDelay, Power: auxiliaryPower}
		}
	}
	if !r.timed() {
		s.Patience, s.CheckEvery, s.Tolerance = patience, checkEvery, negligibleRise
		s.MaxSteps, s.Overrun = r.mostSteps, true
	}
	return s
}

// affordable is the number of steps of a run that was given no length: one that has not converged by then ends without a verdict.
func affordable(m runtime.Variational, batch int) int {
	width := float64(m.Info().Variable.Len(m))
	gradient := float64(m.Draws()) * drawWorkOf(m, batch)
	return int(max(leastSteps, min(defaultSteps, stepsWork/(gradient+factorWork*width*width*width))))
}

// lookWork is how many operations a look at all rows may take after a run of so many steps. With batches rows are many, and what is said of
// the end should not take much longer than the way there.
func (r *Settings) lookWork(m runtime.Variational, steps int) float64 {
	if r.Stochastic.Batch == 0 {
		return math.Inf(1)
	}
	return math.Max(freeWork, float64(steps*m.Draws())*drawWorkOf(m, r.Stochastic.Batch))
}

// approximate runs the method for an evidence lower bound.
func (a *attempt) approximate(ctx context.Context, m runtime.Variational, r *Settings, v *view) {
	points := &checkpoints{first: checkpointEvery}
	if x, ok := m.(runtime.Exact); ok && r.Method == "exact" {
		if known := a.withoutDraws(ctx, x, r, v.z, points); known || !r.chosen {
			return
		}
		v.z = a.res.Z
		*a = attempt{start: a.start, theta: a.theta, method: "saa"}
		other := *r
		other.Method = a.method
		r = &other
	}
	fixed, done := attempt{start: a.start, theta: a.theta, method: a.method}, false
	if r.Method == "saa" {
		draws := m.Draws()
		if done = fixed.sampleAverage(ctx, m, r, v.z, points); done {
			*a = fixed
			return
		}
		if fixed.res != nil {
			v.z = fixed.res.Z
		}
		if a.err = m.SetDraws(draws); a.err != nil {
			return
		}
	}
	rows, _, _ := m.Counts()
	a.timed = r.timed()
	a.res, a.err = v.run(ctx, r, a, rows, 0, points)
	if a.res == nil || math.IsNaN(a.res.Loss) {
		if a.res = nil; a.err == nil {
			a.err = runtime.ErrNoBound
		}
		return
	}
	if !a.timed {
		a.doubt(m, r)
	}
	a.better(m, r, &fixed)
	if !a.timed && ctx.Err() == nil && (fixed.res != nil || !a.res.Status.Converged()) {
		if message, found := improper(m, append(slices.Clone(points.z), a.res.Z), r.Seed, r.lookWork(m, a.res.Iterations)); found {
			a.res.Status, a.res.Message, a.err = runtime.AtInfinity, message, nil
		}
	}
	m.Theta(a.theta, a.res.Z)
}

// better takes the end of the run with fixed draws if the bound is higher there than at the end of the stochastic one, by the
// same draws. Where neither has converged the status is that of the stochastic run, as it is where that ends higher: which does may be
// chance.
func (a *attempt) better(m runtime.Variational, r *Settings, fixed *attempt) {
	if fixed.res == nil {
		return
	}
	if a.res != nil {
		if rise, err := runtime.Rise(m, a.res.Z, fixed.res.Z, checkDraws, r.Seed); err == nil && !(rise.Mean > 0) {
			return
		}
	}
	tried := *a
	*a = *fixed
	m.Theta(a.theta, a.res.Z)
	if s := a.res.Status; !s.Converged() && tried.res != nil && (isLimit(tried.res.Status) || tried.res.Status == runtime.EvaluationLimit) {
		a.res.Status = tried.res.Status
		a.res.Message = fmt.Sprintf("%s, and %d stochastic steps end lower", cmp.Or(a.res.Message, s.String()), tried.res.Iterations)
	}
}

// ends describes the ends of several runs, the best first, and of equal ones the first, as the one that is chosen.
func ends(runs []attempt) []End {
	var order []*attempt
	for i := range runs {
		if runs[i].res != nil {
			order = append(order, &runs[i])
		}
	}
	sortByLoss(order)
	var out []End
	for _, a := range order {
		out = append(out, End{Start: a.start, ELBO: Number(-a.res.Loss), StandardError: Number(a.res.LossError), Status: a.res.Status})
	}
	return out
}
