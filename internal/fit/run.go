package fit

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
	"github.com/sngdgen/sngdgen/runtime/baseline"
)

// Run fits m to the data it holds. The error is not nil only when there is nothing to report: the request makes no sense
// for the model, or no start is inside the domain. A run that failed on the way, was cancelled or reached a limit is in
// the report, with its status and the last good point. The model itself is not used beyond Clone.
func Run(ctx context.Context, m runtime.Model, r Request) (*Report, error) {
	began := time.Now()
	if err := r.check(m.Info()); err != nil {
		return nil, err
	}
	if _, ok := m.(baseline.InformedModel); !ok && (r.Method == "ngd" || r.Method == "ngd-g") {
		return nil, fmt.Errorf("method %s needs the Fisher matrix of the target, which %s does not offer", r.Method, m.Info().Name)
	}
	if r.Method == "newton" && !m.Info().Hessian {
		return nil, fmt.Errorf("method newton needs second derivatives, and a function in the objective of %s has none", m.Info().Name)
	}
	var warnings []string
	first, count, note := plan(m.Info(), r.Starts)
	if note != "" {
		warnings = append(warnings, note)
	}
	runs := runAll(ctx, m, &r, first, count)
	if len(runs) < count {
		warnings = append(warnings, fmt.Sprintf("stopped after %d of %d starts", len(runs), count))
	}
	if count == 1 && runs[0].res == nil && ctx.Err() == nil {
		// One start was asked for and the data do not admit it: take the next that works.
		var more []string
		runs, more = fallBack(ctx, m, &r, runs[0])
		warnings = append(warnings, more...)
	}
	best := choose(runs)
	if best == nil {
		return nil, failures(runs)
	}
	warnings = append(warnings, describeFailures(runs, best)...)
	rep := report(m.Clone(), &r, best, warnings)
	if len(runs) > 1 {
		rep.Optima = optima(m.Info(), runs)
	}
	rep.Seconds = time.Since(began).Seconds()
	return rep, nil
}

// attempt is the run from one start. Res is nil when there was no point to start from.
type attempt struct {
	start int
	res   *runtime.Result
	theta []float64
	err   error
}

// plan returns the starts that a model can provide.
func plan(info *runtime.Info, starts int) (first, count int, note string) {
	if !info.RandomStart && starts > info.Starts {
		return 0, max(info.Starts, 1), fmt.Sprintf("the model has only %d starts, all formulas of the data", info.Starts)
	}
	return 0, starts, ""
}

// runAll runs the starts concurrently and returns the runs in the order of the starts. Every start has its own stream and
// every worker its own clone, so that the results do not depend on the scheduling. Once the context is done, no more
// starts are handed out; the first always is, so that there is something to report.
func runAll(ctx context.Context, m runtime.Model, r *Request, first, count int) []attempt {
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
				a := runOne(ctx, clone, r, first+i)
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

// fallBack tries the other starts one after the other.
func fallBack(ctx context.Context, m runtime.Model, r *Request, failed attempt) ([]attempt, []string) {
	info := m.Info()
	last := info.Starts
	if info.RandomStart {
		last += 10
	}
	runs := []attempt{failed}
	for i := 1; i < last; i++ {
		a := runOne(ctx, m.Clone(), r, i)
		if a.res != nil {
			return []attempt{a}, []string{fmt.Sprintf("start 0 does not work on these data (%v); start %d was taken", failed.err, i)}
		}
		runs = append(runs, a)
	}
	return runs, nil
}

// runOne fits from one start.
func runOne(ctx context.Context, m runtime.Model, r *Request, start int) attempt {
	a := attempt{start: start}
	z := make([]float64, dimension(m))
	if a.err = m.Start(z, start, runtime.Stream(r.Seed, "start", uint64(start))); a.err != nil {
		return a
	}
	a.theta = make([]float64, len(m.Info().Parameters))
	a.res, a.err = dispatch(ctx, m, r, z, a.theta)
	if a.res != nil && math.IsNaN(a.res.Loss) { // not even the start could be evaluated
		a.res = nil
	}
	return a
}

func dimension(p runtime.Problem) int {
	n := 0
	for _, b := range p.Blocks() {
		n = max(n, b.Offset+b.Len)
	}
	return n
}

// dispatch runs the method from z and writes the target's parameters where it ends to theta.
func dispatch(ctx context.Context, m runtime.Model, r *Request, z, theta []float64) (*runtime.Result, error) {
	s := &runtime.Settings{
		Step:              stepRule(r.LineSearch),
		GradientTolerance: r.GradientTolerance,
		MaxIterations:     r.MaxIterations,
	}
	var p runtime.Problem = m
	var err error
	switch r.Method {
	case "nlbfgs":
		s.Method = runtime.NaturalLBFGS{}
	case "ngd-g":
		p, err = baseline.NaturalSurrogate(m.(baseline.InformedModel))
	case "gd", "ngd", "bfgs", "lbfgs", "cg", "newton":
		return inUnconstrained(ctx, m, r, s, z, theta)
	}
	if err != nil {
		return nil, err
	}
	res, err := runtime.Minimize(ctx, p, z, s)
	if res != nil {
		m.Theta(theta, res.Z)
	}
	return res, err
}

// inUnconstrained is dispatch for the methods that know nothing of the surrogate. They start from the same target.
func inUnconstrained(ctx context.Context, m runtime.Model, r *Request, s *runtime.Settings, z, theta []float64) (*runtime.Result, error) {
	u := m.Unconstrained()
	x := make([]float64, u.Dim())
	m.Theta(theta, z)
	u.FromTheta(x, theta)
	var res *runtime.Result
	var err error
	switch r.Method {
	case "gd":
		res, err = runtime.Minimize(ctx, baseline.Euclidean(u), x, s)
	case "ngd":
		var p runtime.Problem
		if p, err = baseline.Natural(m.(baseline.InformedModel)); err == nil {
			res, err = runtime.Minimize(ctx, p, x, s)
		}
	default:
		res, err = baseline.Run(ctx, u, x, r.Method, s)
	}
	if res != nil {
		u.Theta(theta, res.Z)
	}
	return res, err
}

// sameLoss is how closely the losses of runs that ended at the same optimum agree, relative to 1+|loss|.
const sameLoss = 1e-9

// choose returns the best run: converged before not, then the smallest loss; of those at the same optimum, the first.
func choose(runs []attempt) *attempt {
	converged := false
	for _, a := range runs {
		converged = converged || a.res != nil && a.res.Status.Converged()
	}
	eligible := func(a *attempt) bool { return a.res != nil && a.res.Status.Converged() == converged }
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

// optima groups the converged runs by their loss.
func optima(info *runtime.Info, runs []attempt) []Optimum {
	order := make([]*attempt, 0, len(runs))
	for i := range runs {
		if a := &runs[i]; a.res != nil && a.res.Status.Converged() {
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
	for _, a := range order {
		if k := len(found) - 1; k >= 0 && a.res.Loss-float64(found[k].Loss) <= sameLoss*(1+math.Abs(a.res.Loss)) {
			found[k].Count++
			found[k].Start = min(found[k].Start, a.start)
			continue
		}
		found = append(found, Optimum{Number(a.res.Loss), 1, a.start, values(info, a.theta)})
	}
	return found
}

// failures joins what the starts had to say when none of them worked.
func failures(runs []attempt) error {
	errs := make([]error, 0, len(runs))
	for _, a := range runs {
		if len(errs) == 5 {
			errs = append(errs, fmt.Errorf("and %d more", len(runs)-5))
			break
		}
		errs = append(errs, fmt.Errorf("start %d: %w", a.start, a.err))
	}
	return errors.Join(errs...)
}

// describeFailures sums up the runs that did not converge; that of the best is in the message of the report already.
func describeFailures(runs []attempt, best *attempt) []string {
	bad, example := 0, ""
	for i := range runs {
		a := &runs[i]
		if a == best || a.res != nil && a.res.Status.Converged() {
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
	if a.err != nil {
		return a.err.Error()
	}
	return a.res.Message
}
