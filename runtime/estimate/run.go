package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	goruntime "runtime"

	"github.com/sngdgen/sngdgen/runtime"
)

// Run fits m to the data it holds. The error is not nil only when there is nothing to report: the request makes no sense
// for the model, or no start is inside the domain. A run that failed on the way, was cancelled or reached a limit is in
// the report, with its status and the last good point. The model itself is not used beyond Clone.
func Run(ctx context.Context, m runtime.Model, r Settings) (*Report, error) {
	began := time.Now()
	m, err := withNumber(m, r.Components)
	if err != nil {
		return nil, err
	}
	if err := r.settle(m); err != nil {
		return nil, err
	}
	if err := lengthsKnown(m); err != nil {
		return nil, err
	}
	var warnings []string
	count, note := plan(m.Info(), r.Starts)
	if note != "" {
		warnings = append(warnings, note)
	}
	runs := runAll(ctx, m, &r, count)
	if len(runs) < count {
		warnings = append(warnings, fmt.Sprintf("stopped after %d of %d starts", len(runs), count))
	}
	if r.Starts <= 1 && !anyRan(runs) && ctx.Err() == nil {
		// Nobody asked for more starts, and the data admit none of these: take the next that works.
		var more []string
		runs, more = fallBack(ctx, m, &r, runs)
		warnings = append(warnings, more...)
	}
	best := choose(runs)
	if best == nil {
		return nil, failures(runs)
	}
	warnings = append(warnings, describeFailures(runs, best)...)
	if best.note != "" {
		warnings = append(warnings, best.note)
	}
	seconds := time.Since(began).Seconds()
	rep := report(ctx, m.Clone(), &r, best, warnings)
	if len(runs) > 1 {
		rep.Optima = optima(m, runs)
	}
	rep.Seconds = seconds
	return rep, nil
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

// withNumber returns a model with the number of components set, a clone where it is another one.
func withNumber(m runtime.Model, components int) (runtime.Model, error) {
	if components > 0 && componentsOf(m) != components {
		m = m.Clone()
	}
	return m, SetComponents(m, components)
}

// attempt is the run from one start. Res is nil when there was no point to start from.
type attempt struct {
	start int
	res   *runtime.Result
	theta []float64
	order []int  // of the components of a mixture in the report
	far   string // what goes to infinity, where parameters are vectors or matrices
	timed bool   // the run was to end at a limit
	note  string // a warning about its end
	err   error
}

// ended reports whether the run came to the end that it was meant to have: a stationary point, infinity, or a limit.
func (a *attempt) ended() bool {
	return a.res != nil && (a.res.Status.Converged() || a.far != "" || a.timed && isLimit(a.res.Status))
}

// settled reports whether the run came close to where it was going: to a gain of less than 1 in total log-likelihood.
func (a *attempt) settled(n float64) bool {
	return !a.timed && (a.res.Status.Converged() || n*a.res.NaturalNorm*a.res.NaturalNorm < 1)
}

func isLimit(s runtime.Status) bool { return s == runtime.IterationLimit || s == runtime.EpochLimit }

// plan returns how many starts to run: what was asked for, as far as the model can provide it.
func plan(info *runtime.Info, starts int) (count int, note string) {
	if !info.RandomStart && starts > info.Starts {
		return max(info.Starts, 1), fmt.Sprintf("the model has only %d starts, all formulas of the data", info.Starts)
	}
	if starts == 0 {
		starts = info.Starts
	}
	return max(starts, 1), ""
}

func anyRan(runs []attempt) bool {
	return slices.ContainsFunc(runs, func(a attempt) bool { return a.res != nil })
}

// runAll runs the starts concurrently and returns the runs in the order of the starts. Every start has its own stream and
// every worker its own clone, so that the results do not depend on the scheduling. Once the context is done, no more
// starts are handed out; the first always is, so that there is something to report.
func runAll(ctx context.Context, m runtime.Model, r *Settings, count int) []attempt {
	var (
		runs []attempt
		lock sync.Mutex
		next atomic.Int64
		wg   sync.WaitGroup
	)
	for range min(goruntime.GOMAXPROCS(0), count) {
		clone := m.Clone()
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < count && (i == 0 || ctx.Err() == nil); i = int(next.Add(1)) - 1 {
				a := runOne(ctx, clone, r, i)
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
		a := runOne(ctx, m.Clone(), r, i)
		if a.res != nil {
			return []attempt{a}, []string{fmt.Sprintf("%s not work on these data (%v); start %d was taken", failed, why, i)}
		}
		runs = append(runs, a)
	}
	return runs, nil
}

// runOne fits from one start.
func runOne(ctx context.Context, m runtime.Model, r *Settings, start int) attempt {
	a := attempt{start: start}
	z := make([]float64, dimension(m))
	if a.err = m.Start(z, start, runtime.Stream(r.Seed, "start", uint64(start))); a.err != nil {
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
	a.res, a.err = v.run(ctx, r, rows, small)
	if a.res == nil || math.IsNaN(a.res.Loss) { // not even the start could be evaluated
		if a.res = nil; a.err == nil {
			a.err = errors.New("the loss is not defined at the start")
		}
		return
	}
	v.theta(a.theta, m, a.res.Z)
	if k := componentsOf(m); k > 0 {
		a.order = ordered(a.theta[:k], newPosterior(m, r, a.res.Z, a.theta).means())
	}
	far := unbounded(ctx, m, v, a.res, small)
	switch {
	case far == "":
	case a.timed: // where it ended says nothing about the likelihood as a whole
		a.note = "where the steps ended the loss stays the same as " + far + ": the estimate is at infinity, or steps were too long"
	default:
		a.far, a.err = far, nil
	}
}

func dimension(p runtime.Problem) int {
	n := 0
	for _, b := range p.Blocks() {
		n = max(n, b.Offset+b.Len)
	}
	return n
}

// sameLoss is how closely the losses of runs that ended at the same optimum agree, relative to 1+|loss|.
const sameLoss = 1e-9

// choose returns the best run: ended before not, then the smallest loss; of those at the same optimum, the first.
func choose(runs []attempt) *attempt {
	ended := slices.ContainsFunc(runs, func(a attempt) bool { return a.ended() })
	eligible := func(a *attempt) bool { return a.res != nil && a.ended() == ended }
	low := math.Inf(1)
	for i := range runs {
		if a := &runs[i]; eligible(a) {
			low = math.Min(low, a.res.Loss)
		}
	}
	for i := range runs {
		if a := &runs[i]; eligible(a) && a.res.Loss <= low+sameLoss*(1+math.Abs(low)) {
			return a
		}
	}
	return nil
}

// optima groups the converged runs by their loss, and those of mixtures also by their parameters, whatever the order of the
// components: there points that have nothing to do with each other may have the same loss.
func optima(m runtime.Model, runs []attempt) []Optimum {
	order := make([]*attempt, 0, len(runs))
	for i := range runs {
		if a := &runs[i]; a.ended() && a.far == "" {
			order = append(order, a)
		}
	}
	slices.SortStableFunc(order, func(a, b *attempt) int {
		switch {
		case a.res.Loss < b.res.Loss:
			return -1
		case a.res.Loss > b.res.Loss:
			return 1
		}
		return 0
	})
	var found []Optimum
	var firsts []*attempt // of each
	for _, a := range order {
		k := slices.IndexFunc(firsts, func(first *attempt) bool { return sameOptimum(m, first, a) })
		if k >= 0 {
			found[k].Count++
			found[k].Starts = append(found[k].Starts, a.start)
			continue
		}
		firsts = append(firsts, a)
		found = append(found, Optimum{Loss: Number(a.res.Loss), Count: 1, Starts: []int{a.start},
			Parameters: values(m, permuted(m, a.theta, a.order))})
	}
	for k := range found {
		slices.Sort(found[k].Starts)
		found[k].Start = found[k].Starts[0]
	}
	return found
}

// sameOptimum reports whether a run ended where one of a loss that is not larger did.
func sameOptimum(m runtime.Model, first, a *attempt) bool {
	return a.res.Loss-first.res.Loss <= sameLoss*(1+math.Abs(a.res.Loss)) &&
		(componentsOf(m) == 0 || sameMixture(m, first.theta, a.theta))
}

// failures joins what the starts had to say when none of them worked; those that say the same are counted.
func failures(runs []attempt) error {
	var errs []error
	for i := 0; i < len(runs); {
		first := i
		for i++; i < len(runs) && runs[i].err.Error() == runs[first].err.Error(); i++ {
		}
		if len(errs) == 5 {
			errs = append(errs, fmt.Errorf("and %d more", len(runs)-first))
			break
		}
		which := fmt.Sprintf("start %d", runs[first].start)
		if i-first > 1 {
			which = fmt.Sprintf("starts %d to %d", runs[first].start, runs[i-1].start)
		}
		errs = append(errs, fmt.Errorf("%s: %w", which, runs[first].err))
	}
	return errors.Join(errs...)
}

// describeFailures sums up the runs that did not converge; that of the best is in the message of the report already.
func describeFailures(runs []attempt, best *attempt) []string {
	bad, example := 0, ""
	for i := range runs {
		a := &runs[i]
		if a == best || a.ended() && a.far == "" {
			continue
		}
		if bad++; example == "" {
			example = fmt.Sprintf("start %d: %s", a.start, outcomeOf(a))
		}
	}
	if bad == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d of %d starts did not converge (%s)", bad, len(runs), example)}
}

func outcomeOf(a *attempt) string {
	switch {
	case a.err != nil:
		return a.err.Error()
	case a.far != "":
		return runtime.AtInfinity.String() + ": " + a.far
	}
	return a.res.Message
}
