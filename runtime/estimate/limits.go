package estimate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/limit"
)

// AtInfinity is the supremum of the likelihood where parameters leave their domain: see runtime.Limit.
type AtInfinity struct {
	Name          string `json:"name"` // of the limit in the spec
	When          string `json:"when"` // in words, which parameters go where
	LogLikelihood Number `json:"log_likelihood"`
	// Above is by how much that is higher than the log-likelihood of the report: negative where the report has a maximum that
	// is higher than everything that was found at infinity.
	Above      Number    `json:"above"`
	Parameters []float64 `json:"parameters"` // of the limit, one after the other
	// Abandoned is true where the search for the supremum was given up because it did not come near the likelihood of the report, or hardly rose any more:
	// then it is at least LogLikelihood, and where it is has not been found out.
	Abandoned bool `json:"abandoned,omitempty"`
	// Unbounded says which parameter of the limit goes to 0, or becomes singular, where its likelihood has no bound: LogLikelihood is where a search ended then.
	Unbounded string `json:"unbounded,omitempty"`
}

// limitRows is the least number of rows of a sample that is searched for a supremum, and limitTimes how many times the rows of the smallest one the largest has.
const (
	limitRows  = 2048
	limitTimes = 16
)

// suprema are those at infinity of a model, of all limits that its target has on these data, or why they were not found.
type suprema struct {
	found     []*limit.Result
	unbounded []string // in words, which parameter of a limit goes to 0
	errs      []error
}

// supremaOf finds the suprema. They are compared with the end of a run, nil where there is none that says anything.
func (r *Settings) supremaOf(ctx context.Context, m runtime.Model, end *runEnd) suprema {
	limits := len(m.Info().Limits)
	s := suprema{make([]*limit.Result, limits), make([]string, limits), make([]error, limits)}
	r.eachOf(m, limits, func(m runtime.Model, i int) {
		settings := &limit.Settings{Seed: r.Seed}
		if end != nil {
			settings.Beat = &end.loss
			settings.Sample = samplesOfLimits(m, end.theta, r.Seed)
			if end.far { // there is no maximum, and what the supremum is will be asked
				settings.Near, settings.Finish = end.theta, true
			}
		}
		if s.found[i], s.errs[i] = limit.Supremum(ctx, m, i, settings); s.errs[i] == nil {
			s.unbounded[i] = limitShrinks(m, i, s.found[i].Parameters)
		}
	})
	return s
}

// limitShrinks says in words which parameter of a limit goes to 0 at the end of a search for its supremum, so that there is none; "" where none does.
func limitShrinks(m runtime.Model, i int, theta []float64) string {
	chart := func(m runtime.Model) (runtime.Unconstrained, error) {
		return baseline.LimitChart(m, i, baseline.CovarianceCholesky)
	}
	c := contraction{m: m, params: m.Info().Limits[i].Parameters, chart: chart, theta: theta}
	if u, err := chart(m); err == nil {
		c.end = endPointOf(u, theta, true)
	}
	return c.shrinks()
}

// runEnd is where a run has ended, at a maximum or on the way to infinity: the loss there, and the parameters in the order of the report.
type runEnd struct {
	loss  float64
	theta []float64
	far   bool // on the way to infinity: limits are near
}

// endOf is the end of a run, in the digits of the report.
func endOf(m runtime.Model, a *attempt) *runEnd {
	_, _, n := m.Counts()
	return &runEnd{loss: n * a.res.Loss / n, theta: permuted(m, a.theta, a.order)}
}

// speculation is a search for the suprema that begins before anybody knows whether a run has ended at a maximum, by a worker who has nothing else to
// do. What is found is the same as when it is known.
type speculation struct {
	of     *runEnd
	found  suprema
	cancel context.CancelFunc
	lend   func() // gives the worker back to those who share passes
	done   chan struct{}
}

// speculate begins to look for the suprema of the run that will be chosen, if nothing speaks against its end; nil where there is nothing to find, or
// nobody to do it.
func (r *Settings) speculate(ctx context.Context, m runtime.Model, runs []attempt) *speculation {
	a := foremost(ran(m, r, runs))
	if a == nil || a.timed || r.Penalty || len(m.Info().Limits) == 0 || othersOf(m) != nil {
		return nil
	}
	back := r.pool.Take()
	if back == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	f := &speculation{of: endOf(m, a), cancel: cancel, lend: sync.OnceFunc(back), done: make(chan struct{})}
	own := m.Clone()
	go func() {
		defer close(f.done)
		defer f.lend()
		f.found = r.supremaOf(ctx, own, f.of)
	}()
	return f
}

// take returns what was found of the end of a run, and whether it was looked for: a search for another one is ended. It waits, and lends its place meanwhile.
func (f *speculation) take(of *runEnd) (found suprema, ok bool) {
	if f == nil || of == nil || f.of.loss != of.loss || f.of.far != of.far || !slices.Equal(f.of.theta, of.theta) {
		f.end()
		return suprema{}, false
	}
	f.lend()
	<-f.done
	return f.found, true
}

// end gives up what nobody has asked for.
func (f *speculation) end() {
	if f != nil {
		f.cancel()
		<-f.done
	}
}

// atInfinity finds the suprema at infinity, unless that has been done ahead, and says what follows for the end of the run.
func (rep *Report) atInfinity(ctx context.Context, m runtime.Model, r *Settings, best *attempt, ahead *speculation) {
	if strings.HasPrefix(rep.Message, growsThere) {
		return
	}
	var end *runEnd
	if rep.Converged || rep.rises() {
		end = endOf(m, best)
		end.far = rep.rises()
	}
	found, ok := ahead.take(end)
	if !ok {
		found = r.supremaOf(ctx, m.Clone(), end)
	}
	rep.suprema(m, found)
	rep.reachLimits()
	onto, there := "", 0.0
	switch {
	case rep.rises() || rep.exceeded():
		onto, _ = shrinksOnto(m, math.Inf(-1))
	case rep.Converged:
		if onto, there = shrinksOnto(m, float64(rep.LogLikelihood)+nothing); onto != "" {
			rep.Warnings = append(rep.Warnings, fmt.Sprintf("the likelihood has no global maximum: it grows without bound as %s; at %.2g of the scale of a start the log-likelihood is %.7g",
				onto, math.Exp(-foldsOnto), there))
		}
	}
	rep.compareLimits(onto)
}

// exceeded reports whether the likelihood is higher at a limit, with a bound or without, than at the maximum that was found.
func (rep *Report) exceeded() bool {
	return rep.Converged && slices.ContainsFunc(rep.Limits, func(l AtInfinity) bool { return higher(l.LogLikelihood, rep.LogLikelihood) })
}

// suprema says what the likelihood tends to at infinity.
func (rep *Report) suprema(m runtime.Model, s suprema) {
	limits := m.Info().Limits
	for i, f := range s.found {
		l := &limits[i]
		if errors.Is(s.errs[i], limit.ErrUndefined) {
			continue
		}
		if err := s.errs[i]; err != nil {
			rep.Warnings = append(rep.Warnings, fmt.Sprintf("the supremum at infinity (%s) was not found: %v", l.Name, err))
			continue
		}
		value := -rep.N * f.Loss
		rep.Limits = append(rep.Limits, AtInfinity{Name: l.Name, When: goes(m.Info(), l.When), LogLikelihood: Number(value),
			Above: Number(value) - rep.LogLikelihood, Parameters: f.Parameters,
			Abandoned: f.Abandoned, Unbounded: s.unbounded[i]})
	}
}

// samplesOfLimits returns samples of the rows of a model, so many times those of the smallest, with the loss of the parameters of the report there; nil where there are not
// twice as many, or that is no number. Of few rows for each parameter the supremum is too high to tell: in many dimensions a plane comes close to their mean.
func samplesOfLimits(m runtime.Model, theta []float64, seed uint64) func(times int) *limit.Sample {
	least := max(limitRows, rowsPerCoordinate*freeParameters(m))
	_, distinct, _ := m.Counts()
	return func(times int) *limit.Sample {
		rows := least * times
		if times > limitTimes || distinct < 2*rows {
			return nil
		}
		part := sampled(m, rows, seed, "limits")
		if part == nil {
			return nil
		}
		u, err := Coordinates(part, baseline.CovarianceCholesky)
		if err != nil {
			return nil
		}
		x := make([]float64, u.Dim())
		u.FromTheta(x, theta)
		out := &limit.Sample{Model: part, Rows: rows, Beat: u.Loss(x)}
		if math.IsNaN(out.Beat) || math.IsInf(out.Beat, 0) {
			return nil
		}
		return out
	}
}

// higher is the difference of log-likelihoods from which on the one at infinity is said to be higher: those of the limit are
// found to about 9 digits.
func higher(a, b Number) bool { return float64(a-b) > 1e-7*(1+math.Abs(float64(b))) }

// reachLimits finds the verdict of a run that has failed on the way to infinity: its likelihood is the supremum there, to the
// digits of that, or there is none there.
func (rep *Report) reachLimits() {
	if rep.Status != runtime.Failed {
		return
	}
	for _, l := range rep.Limits {
		if off := math.Abs(float64(l.Above)); l.Unbounded != "" || off <= 1e-7*(1+math.Abs(float64(rep.LogLikelihood))) {
			rep.Status, rep.Message = runtime.AtInfinity, noMaximum+l.When
			return
		}
	}
}

// rises reports whether the run has ended on the way to infinity.
func (rep *Report) rises() bool {
	return rep.Status == runtime.AtInfinity && strings.HasPrefix(rep.Message, noMaximum)
}

// compareLimits says whether the likelihood is higher at infinity than at the best maximum, or without bound on rows that are equal.
func (rep *Report) compareLimits(onto string) {
	if len(rep.Limits) == 0 {
		return
	}
	l := slices.MaxFunc(rep.Limits, compareSuprema)
	switch {
	case rep.rises() && l.Unbounded != "":
		rep.Message = growsThere + fmt.Sprintf("%s (%s) and %s", l.When, l.Name, l.Unbounded)
	case rep.Converged && l.Unbounded != "":
		rep.Warnings = append(rep.Warnings, fmt.Sprintf("the likelihood has no global maximum: it grows without bound as %s (%s) and %s", l.When, l.Name, l.Unbounded))
	case rep.rises() && float64(rep.LogLikelihood-l.LogLikelihood) > nothing && higher(rep.LogLikelihood, l.LogLikelihood):
		rep.Message += fmt.Sprintf("; the supremum was not found: it is at least %.7g", float64(rep.LogLikelihood))
	case rep.rises() && onto != "":
		rep.Message += fmt.Sprintf("; as %s (%s) it comes to %.7g, and it grows without bound as %s", l.When, l.Name, float64(l.LogLikelihood), onto)
	case rep.rises():
		rep.Message += fmt.Sprintf("; the supremum that was found is %.7g, as %s (%s)", float64(l.LogLikelihood), l.When, l.Name)
	case rep.exceeded() && onto != "":
		rep.Warnings = append(rep.Warnings, "the likelihood has no global maximum: it grows without bound as "+onto)
	case rep.exceeded():
		rep.Warnings = append(rep.Warnings, fmt.Sprintf("the likelihood has no global maximum: as %s (%s) the log-likelihood tends to %.7g, "+
			"which is %.3g above this maximum, the best finite one that was found", l.When, l.Name, float64(l.LogLikelihood), float64(l.Above)))
	}
}

// compareSuprema puts those that are infinite last.
func compareSuprema(a, b AtInfinity) int {
	switch {
	case (a.Unbounded == "") == (b.Unbounded == ""):
		return cmp.Compare(a.LogLikelihood, b.LogLikelihood)
	case b.Unbounded != "":
		return -1
	}
	return 1
}

// goes says where parameters go.
func goes(info *runtime.Info, ends []runtime.LimitEnd) string {
	var words []string
	for _, e := range ends {
		name := e.Parameter
		if p := parameter(info, name); p != nil && len(p.Shape) == 1 && math.IsInf(e.To, 0) {
			name = "the length of " + name
		}
		switch {
		case math.IsInf(e.To, 1):
			words = append(words, name+" goes to infinity")
		case math.IsInf(e.To, -1):
			words = append(words, name+" goes to minus infinity")
		default:
			words = append(words, fmt.Sprintf("%s goes to %v", name, e.To))
		}
	}
	return strings.Join(words, " and ")
}
