// Package estimate fits generated models to data and says what was found: it chooses starting points, runs the loops of
// package runtime from them, chooses among the points where they end, and looks whether that is a maximum. It has the
// covariance matrix of the estimates, standard errors and intervals, information criteria, the components of mixtures and
// their number, and for posteriors the evidence lower bound and what it is worth.
//
// [Fit] is for likelihoods, [Compare] for mixtures of several numbers of components, [Approximate] for posteriors, [Sample]
// for draws. They are what the command sngdgen runs, and what the method Fit of generated packages calls: same data, same
// seed, same digits. Who wants one run from one start calls [runtime.Minimize] or [runtime.Descend].
package estimate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/penalty"
)

// Fit maximises the likelihood of the data that m holds. Settings may be nil. The error is nil if what was found is a
// maximum, as far as its curvature shows, or where the settings end the run. It is an *Unfinished, together with a report, if
// a run was found and is no maximum: see Report.Status. Otherwise there is no report: the settings make no sense for the
// model, or no run could begin, where it is a *runtime.DataError if a row of the data is the reason. Of a mixture it sets the
// number of components if the settings have one; else the model itself is not used beyond Clone.
func Fit(ctx context.Context, m runtime.Model, s *Settings) (*Report, error) {
	var r Settings
	if s != nil {
		r = *s
	}
	var rep *Report
	var err error
	failed := together(m, func() error { return r.withCheckpoint(m, func() { rep, _, err = find(ctx, m, r) }) })
	if failed != nil {
		return rep, errors.Join(err, failed)
	}
	if err == nil && !rep.Complete() {
		err = &Unfinished{rep.Status, rep.Message}
	}
	return rep, err
}

// FitAs is Fit for a generated package, which has a type for the parameters.
func FitAs[T any](ctx context.Context, m runtime.Model, s *Settings, of func([]float64) T) (T, *Report, error) {
	found, err := Fit(ctx, m, s)
	if found == nil {
		var none T
		return none, nil, err
	}
	return of(found.Theta()), found, err
}

// Unfinished is the error about a fit whose outcome is no maximum, or for a posterior no converged bound.
type Unfinished struct {
	Status  runtime.Status
	Message string // what was found instead, in a sentence
}

func (e *Unfinished) Error() string { return "did not converge: " + e.Message }

// find is Fit without a verdict in the error, and with the run that the report is of.
func find(ctx context.Context, m runtime.Model, r Settings) (*Report, *attempt, error) {
	began := time.Now()
	if err := r.check(m); err != nil {
		return nil, nil, err
	}
	defer r.staff()()
	plain, m, err := r.prepare(m)
	if err != nil {
		return nil, nil, err
	}
	runs, warnings := explore(ctx, m, &r)
	ahead := r.speculate(ctx, m, runs)
	defer ahead.end()
	best := choose(ctx, m, &r, runs)
	if best != nil && r.Starts == 0 && r.Init == nil && (scatterable(m) || alone(m, runs, best)) && misled(best) && ctx.Err() == nil {
		runs = append(runs, runFurther(ctx, m, r.bounded(), runs)...)
		best = choose(ctx, m, &r, runs)
	}
	if best != nil && hasMore(best) && ctx.Err() == nil { // all runs before it are no answer
		goOn(ctx, m, &r, best)
		best = choose(ctx, m, &r, runs)
	}
	if best == nil {
		return nil, nil, nowhere(ctx, m, &r, runs)
	}
	seconds := time.Since(began).Seconds()
	rep := reportOf(ctx, m, &r, runs, best, warnings, ahead)
	if above := contesting(rep, runs); above != nil {
		best = above
		rep = reportOf(ctx, m, &r, runs, best, warnings, nil)
	}
	rep.compare(ctx, m, &r, runs, best)
	rep.Seconds = seconds
	if r.Details.wanted() {
		rep.detail(ctx, plain, &r)
	}
	return rep, best, nil
}

// check sets the number of components, fills in the settings, and says what is wrong with them for the model.
func (r *Settings) check(m runtime.Model) error {
	if err := r.Init.setComponents(m, r); err != nil {
		return err
	}
	if err := SetComponents(m, r.Components); err != nil {
		return err
	}
	return cmp.Or(r.fill(m), r.checkOthers(m))
}

// prepare returns the model that shares workers and memory with the others of a fit, and the one to fit, with the penalty where there is one.
func (r *Settings) prepare(m runtime.Model) (plain, fitted runtime.Model, err error) {
	if r.perRow == nil {
		r.perRow = &perRow{room: r.Room}
	}
	if _, ok := m.(runtime.Parallel); ok {
		m = m.Clone()
		r.share(m)
	}
	r.tracer = newTracer(r)
	plain, fitted = m, m
	if r.Penalty {
		if fitted, err = penalty.Of(m); err != nil {
			return nil, nil, err
		}
	}
	return plain, fitted, lengthsKnown(fitted)
}

// nowhere is the error of a fit none of whose starts led anywhere, with what the data have that may be the reason.
func nowhere(ctx context.Context, m runtime.Model, r *Settings, runs []attempt) error {
	err := unbegun(ctx, m, runs)
	if equal := equalRows(looked(m, r.Seed)); equal != "" {
		return fmt.Errorf("%s: %w", equal, err)
	}
	if extreme, _ := lostDigits(looked(m, r.Seed)); extreme != "" {
		return fmt.Errorf("%s: %w", extreme, err)
	}
	return err
}

// compare adds what there is to say of the run beside the others, and of what is wrong with it.
func (rep *Report) compare(ctx context.Context, m runtime.Model, r *Settings, runs []attempt, best *attempt) {
	others := alternatives(ctx, m.Clone(), r, runs, best)
	if rep.Separation = best.separated(m); rep.Separation != nil {
		rep.Message += "; " + rep.Separation.Kind()
	}
	rep.nameFaults(m.Clone(), r, best)
	rep.hintFiner(m)
	if len(runs) > 1 {
		rep.Optima = optima(m, runs)
		rep.nameAlternatives(m, r, others)
	}
}

// reportOf is the report of the run that has been chosen, with what is known of infinity.
func reportOf(ctx context.Context, m runtime.Model, r *Settings, runs []attempt, best *attempt, warnings []string, ahead *speculation) *Report {
	warnings = append(slices.Clone(warnings), describeFailures(runs, best)...)
	if best.note != "" {
		warnings = append(warnings, best.note)
	}
	rep := report(m.Clone(), r, best, append(warnings, r.perRow.warning()...))
	switch {
	case r.Penalty && !rep.Converged:
		rep.Message = "of the penalised likelihood: " + rep.Message
	case r.Penalty: // the limits are those of the likelihood without it
	case !best.timed:
		rep.atInfinity(ctx, m, r, best, ahead)
	}
	return rep
}

// contesting returns the highest of the runs that came to no end of their own, above all that is known of infinity, where the report is of a run on its way there: that
// there is no maximum, and what the supremum is, cannot be said then. Nil where there is none.
func contesting(rep *Report, runs []attempt) (highest *attempt) {
	if !rep.rises() {
		return nil
	}
	top := rep.LogLikelihood
	for _, l := range rep.Limits {
		if l.Unbounded != "" {
			return nil
		}
		top = max(top, l.LogLikelihood)
	}
	for i := range runs {
		a := &runs[i]
		if a.res == nil || a.ended() || a.thin || rank(a) != unended {
			continue
		}
		if value := Number(-rep.N * a.res.Loss); value-top > nothing && higher(value, top) {
			highest, top = a, value
		}
	}
	return highest
}

// explore runs from the starts that were asked for, or from those that are worth it.
func explore(ctx context.Context, m runtime.Model, r *Settings) (runs []attempt, warnings []string) {
	if r.Init != nil {
		runs = runAll(ctx, m.Clone, r, []start{r.Init.at})
		finish(ctx, m, r, runs)
		return runs, nil
	}
	if s := newSearch(m, r); s != nil {
		runs, warnings = s.run(ctx)
		finish(ctx, m, r, runs)
		return runs, warnings
	}
	count, note := plan(m, r.Starts)
	if note != "" {
		warnings = append(warnings, note)
	}
	bounded := r
	if count > 1 && !r.stochastic() {
		bounded = r.bounded()
	}
	starts := fromStarts(r, count)
	alone := len(starts)
	if alone >= leastOthers && !r.stochastic() {
		alone = 1
	}
	runs = runAll(ctx, m.Clone, bounded, starts[:alone])
	if len(starts) > alone && ctx.Err() == nil {
		runs = append(runs, runOthers(ctx, m, bounded, runs, starts[alone:])...)
	}
	if len(runs) < count {
		warnings = append(warnings, fmt.Sprintf("stopped after %d of %d starts", len(runs), count))
	}
	if r.Starts == 0 && m.Info().RandomStart && anyRan(runs) {
		runs = append(runs, runMore(ctx, m, bounded, runs)...)
	}
	finish(ctx, m, r, runs)
	if r.Starts <= 1 && !anyRan(runs) && ctx.Err() == nil {
		// Nobody asked for more starts, and the data admit none of these: take the next that works.
		var more []string
		runs, more = fallBack(ctx, m, r, runs)
		warnings = append(warnings, more...)
	}
	return runs, warnings
}

const (
	// mostEvaluations is how many evaluations one of several starts may take: those that find something take tens to hundreds.
	mostEvaluations = 3000
	// lastEvaluations is how many the best of them may take then, to its end, if it had none.
	lastEvaluations = 30_000
	// moreStarts is how many random starts are added where those before did not end at one optimum, if their work, about that
	// of the first ones, is not above moreWork operations.
	moreStarts = 24
	moreWork   = 1e8
	// leastOthers is the number of starts from which on the others wait for the end of the first, where many end before their own.
	leastOthers = 3
)

// runMore runs from more random starts where the first do not agree: then there are several optima, or few ways to one. Where
// most of several came to no end at all it is the data that no run can cope with.
func runMore(ctx context.Context, m runtime.Model, r *Settings, runs []attempt) []attempt {
	if endAlike(m, r, runs) || ctx.Err() != nil {
		return nil
	}
	lost := 0
	for i := range runs {
		if s := runs[i].status; s == runtime.Failed || s == runtime.EvaluationLimit {
			lost++
		}
	}
	if len(runs) > 1 && 2*lost > len(runs) {
		return nil
	}
	return runFurther(ctx, m, r, runs)
}

// runFurther runs from the starts after those of runs, as many as are worth their work.
func runFurther(ctx context.Context, m runtime.Model, r *Settings, runs []attempt) []attempt {
	evaluations := 0.0
	for i := range runs {
		if res := runs[i].res; res != nil {
			evaluations += float64(res.LossEvaluations + res.GradientEvaluations)
		}
	}
	each := gradientWork(m) * evaluations / float64(len(runs))
	var starts []start
	for i := range int(math.Min(moreStarts, moreWork/each)) {
		starts = append(starts, startOf(r, len(runs)+i))
	}
	return runOthers(ctx, m, r, runs, starts)
}

// endAlike reports whether all runs ended soundly at the same loss.
func endAlike(m runtime.Model, r *Settings, runs []attempt) bool {
	alike := true
	for i := range runs {
		a := &runs[i]
		a.look(m, r)
		alike = alike && a.ended() && math.Abs(a.res.Loss-runs[0].res.Loss) <= sameLoss*(1+math.Abs(a.res.Loss))
	}
	return alike
}

// bounded are settings for one of several starts.
func (r *Settings) bounded() *Settings {
	b := *r
	if r.MaxIterations == 0 {
		b.maxEvaluations = mostEvaluations
	}
	return &b
}

// finish goes on with the best run, to its end, if it is one that has used up its evaluations.
func finish(ctx context.Context, m runtime.Model, r *Settings, runs []attempt) {
	if order := ranked(runs); len(order) > 0 && hasMore(order[0]) && ctx.Err() == nil {
		goOn(ctx, m, r, order[0])
	}
}

// hasMore reports whether a run has used up the evaluations of one of several, and there are more for one of them.
func hasMore(a *attempt) bool {
	return a.res.Status == runtime.EvaluationLimit && a.res.LossEvaluations+a.res.GradientEvaluations < lastEvaluations
}

// goOn goes on with a run.
func goOn(ctx context.Context, m runtime.Model, r *Settings, a *attempt) {
	z, last := slices.Clone(a.res.Z), *r
	r.tracer.begin()
	last.maxEvaluations = lastEvaluations
	*a = runOne(ctx, m.Clone(), &last, a.start, func(_ runtime.Model, dst []float64) error { copy(dst, z); return nil })
}

// lengthsKnown reports a dimension whose length nothing says.
func lengthsKnown(m runtime.Model) error {
	for i, length := range m.Sizes() {
		if name := m.Info().Dims[i]; length == 0 {
			return fmt.Errorf("the data do not say how long the dimension %[1]s is: give it a length in the spec, dimensions: {%[1]s: 2}", name)
		}
	}
	return nil
}

const (
	// defaultRandom is the number of random starts, beside those that are formulas of the data, where nothing else is said.
	// There are fewer where a gradient takes more than randomWork operations.
	defaultRandom = 8
	randomWork    = 1e7
	// The same for bounds of approximations that have random starts alone, and one of which may end at a poor optimum: factors may be those of
	// any latent variables. Components of mixtures take long, and find each other from most starts.
	boundRandom = 6
	boundWork   = 1e5
)

// plan returns how many starts to run: what was asked for, as far as the model can provide it.
func plan(m runtime.Model, starts int) (count int, note string) {
	info := m.Info()
	if !info.RandomStart && starts > info.Starts && !scatterable(m) {
		return max(info.Starts, 1), fmt.Sprintf("the model has only %d starts, all formulas of the data", info.Starts)
	}
	if starts == 0 {
		starts = info.Starts
		switch _, bound := m.(runtime.Variational); {
		case !info.RandomStart:
		case !bound && info.Starts > 1:
			starts += int(math.Ceil(defaultRandom * math.Min(1, randomWork/gradientWork(m))))
		case bound && info.Starts == 0 && componentsOf(m) == 0:
			starts = int(math.Ceil(boundRandom * math.Min(1, boundWork/gradientWork(m))))
		}
	}
	return max(starts, 1), ""
}

// gradientWork is about how many operations a gradient takes.
func gradientWork(m runtime.Model) float64 {
	_, distinct, _ := m.Counts()
	return float64(distinct) * float64(thetaLen(m))
}

func anyRan(runs []attempt) bool {
	return slices.ContainsFunc(runs, func(a attempt) bool { return a.res != nil })
}

// start writes a starting point to z. It has a clone of the model to itself.
type start func(m runtime.Model, z []float64) error

// fromStarts are the first starts of the model.
func fromStarts(r *Settings, count int) []start {
	out := make([]start, 0, min(count, mostStarts))
	for i := range cap(out) {
		out = append(out, startOf(r, i))
	}
	return out
}

// mostStarts bounds the memory that starts take.
const mostStarts = 100_000

// startOf is a start of the model, with a stream of random numbers of its own.
func startOf(r *Settings, i int) start {
	return func(m runtime.Model, z []float64) error {
		rng := runtime.Stream(r.Seed, "start", uint64(i))
		if i >= m.Info().Starts && scatterable(m) {
			return scatter(m, z, i, rng)
		}
		return m.Start(z, i, rng)
	}
}

// runAll runs from the starts concurrently and returns the runs in their order. Every start has its own stream and
// every worker its own model, which clone makes, so that the results do not depend on the scheduling. Once the context is
// done, no more starts are handed out; the first always is, so that there is something to report.
func runAll(ctx context.Context, clone func() runtime.Model, r *Settings, starts []start) []attempt {
	r.tracer.begin()
	var (
		runs []attempt
		lock sync.Mutex
		next atomic.Int64
		wg   sync.WaitGroup
	)
	most := min(r.pool.Size(), len(starts))
	for k := 0; k < most; k++ {
		var back func()
		if k > 0 { // the first works for the one who waits here
			if back = r.pool.Take(); back == nil {
				break
			}
		}
		own := clone()
		if k == 0 && othersOf(own) != nil {
			most = 1
		}
		wg.Go(func() {
			if back != nil {
				defer back()
			}
			for i := int(next.Add(1)) - 1; i < len(starts) && (i == 0 || ctx.Err() == nil); i = int(next.Add(1)) - 1 {
				a := runOne(ctx, own, r, i, starts[i])
				lock.Lock()
				runs = append(runs, a)
				lock.Unlock()
			}
		})
	}
	wg.Wait()
	slices.SortFunc(runs, func(a, b attempt) int { return a.start - b.start })
	return runs
}

// fallBack tries the starts after those that failed, one after the other.
func fallBack(ctx context.Context, m runtime.Model, r *Settings, runs []attempt) ([]attempt, []string) {
	info := m.Info()
	last := info.Starts
	if info.RandomStart {
		last += 10
	}
	failed := "start 0 does"
	if len(runs) > 1 {
		failed = fmt.Sprintf("starts 0 to %d do", len(runs)-1)
	}
	why := runs[0].err
	for i := len(runs); i < last; i++ {
		r.tracer.begin()
		a := runOne(ctx, m.Clone(), r, i, startOf(r, i))
		if a.res != nil {
			return []attempt{a}, []string{fmt.Sprintf("%s not work on these data (%v); start %d was taken", failed, why, i)}
		}
		runs = append(runs, a)
	}
	return runs, nil
}

// runOne fits from one start.
func runOne(ctx context.Context, m runtime.Model, r *Settings, index int, from start) attempt {
	a := attempt{start: index}
	z := make([]float64, dimension(m))
	if a.err = from(m, z); a.err != nil {
		return a
	}
	a.theta = make([]float64, thetaLen(m))
	m.Theta(a.theta, z)
	v, err := newView(m, r, z, a.theta)
	if err != nil {
		a.err = err
		return a
	}
	if b, ok := m.(runtime.Variational); ok {
		a.approximate(ctx, b, r, v)
	} else {
		a.fit(ctx, m, r, v)
	}
	return a
}

// fit runs the method on its view of the model.
func (a *attempt) fit(ctx context.Context, m runtime.Model, r *Settings, v *view) {
	rows, _, n := m.Counts()
	small := negligible(m, n)
	a.timed = r.stochastic()
	var guard runtime.Recorder
	if !a.timed {
		if guard = newCollapseGuard(m, r); guard == nil {
			guard = newResolutionGuard(m, v, n)
		}
	}
	a.res, a.err = v.run(ctx, r, a, rows, small, both(a.reachedGuard(v, r, n), guard))
	if a.res == nil || math.IsNaN(a.res.Loss) { // not even the start could be evaluated
		if a.res = nil; a.err == nil {
			a.err = errors.New("the loss is not defined at the start")
		}
		return
	}
	if errors.Is(a.err, errReached) {
		a.takeEnd()
		return
	}
	v.theta(a.theta, m, a.res.Z)
	if errors.Is(a.err, errCollapsed) {
		a.reject(runtime.Collapsed, "a component has collapsed: "+unboundedThere)
	}
	if r.unguarded { // nobody asks where a short run would go
		return
	}
	far, alone := unbounded(ctx, m, v, a.res, small)
	switch {
	case far == "":
	case a.timed: // where it ended says nothing about the likelihood as a whole
		a.note = "where the steps ended the loss stays the same as " + far + ": the estimate is at infinity, or steps were too long"
	default:
		a.far, a.farAlone, a.err = far, alone, nil
	}
}

func dimension(p runtime.Problem) int {
	n := 0
	for _, b := range p.Blocks() {
		n = max(n, b.Offset+b.Len)
	}
	return n
}
