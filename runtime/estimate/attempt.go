package estimate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/sngdgen/sngdgen/runtime"
)

// attempt is the run from one start, and what there is to say about its end.
type attempt struct {
	start int
	res   *runtime.Result // nil when there was no point to start from
	theta []float64
	far   string // what goes to infinity, where parameters are vectors or matrices
	// farAlone is whether far is no more than that the length of one block does.
	farAlone bool
	timed    bool   // the run was to end at a limit
	note     string // a warning about its end
	err      error

	charted        bool           // the end of a method in unconstrained coordinates, which res has; see drawback.go
	looked, judged bool           // whether look and judge have been called
	status         runtime.Status // that of the run, or what was found against it
	message        string
	order          []int          // of the components of a mixture in the report
	posterior      *posterior     // of a mixture; nil where it is not known
	thin           bool           // a component of a mixture explains too few rows, or few and too close ones; see posterior.thin
	left           bool           // the run before it came to a saddle point
	finer          Number         // the loss with more nodes for integrals and the like; 0 where the density has none
	sought         bool           // whether somebody has looked for a direction of recession
	receding       *recession     // the direction of recession at the end; nil where there is none
	near           *neighbourhood // second derivatives, in the order of the report; nil where nobody has looked
	noise          *NoiseError    // what fixed draws leave open, of a posterior
	method         string         // where it is another than that of the request
	quadrature     *Quadrature    // the bound of a posterior where it is known without draws
	traced         []*tracedRun   // what is recorded of its runs
	here           *endPoint      // the end, for who judges it and what follows; nil where nobody has, or there are no unconstrained coordinates
	downhill       []float64      // from a saddle point, a direction of the parameters, in the order of the report
	end            *attempt       // the known optimum that the run was coming to when it was ended, until its end is taken; see reached.go
	reached        bool           // the end is that of another run
}

// ended reports whether the run came to the end that it was meant to have: a stationary point, or a limit. What has been
// found against the end since counts.
func (a *attempt) ended() bool {
	return a.res != nil && (a.status.Converged() || a.timed && isLimit(a.status))
}

// nearEnd reports whether the run came close to where it was going: to a gain of less than 1 in total log-likelihood.
func (a *attempt) nearEnd(n float64) bool {
	return !a.timed && (a.res.Status.Converged() || n*a.res.NaturalNorm*a.res.NaturalNorm < 1)
}

func isLimit(s runtime.Status) bool { return s == runtime.IterationLimit || s == runtime.EpochLimit }

// reject notes what speaks against the end of a run.
func (a *attempt) reject(status runtime.Status, message string) {
	a.status, a.message = status, message
}

// look finds out what takes no second derivatives: how the run ended, and whether a component has collapsed or a matrix
// is singular.
func (a *attempt) look(m runtime.Model, r *Settings) {
	if a.looked || a.res == nil {
		return
	}
	a.looked = true
	r = a.own(r)
	switch {
	case a.status != runtime.NotTerminated: // said already
	case a.far != "":
		a.reject(runtime.AtInfinity, noMaximum+a.far)
	case a.err != nil:
		a.reject(a.res.Status, a.err.Error())
	default:
		a.reject(a.res.Status, a.res.Message)
	}
	if k := componentsOf(m); k > 0 {
		if _, bound := m.(runtime.Variational); bound {
			return
		}
		a.posterior = newPosterior(m, r, a.res.Z, a.theta)
		a.order = ordered(a.theta[:k], a.posterior.means())
		if a.posterior != nil {
			a.posterior.reorder(a.order)
			if a.countRows(m); a.status == runtime.Collapsed {
				return
			}
		}
	}
	if names := singular(m, a.theta); m.Unconstrained() == nil && names != "" {
		status := runtime.AtInfinity
		if componentsOf(m) > 0 {
			status = runtime.Collapsed
		}
		a.reject(status, growsThere+names+" becomes singular")
	}
}

// countRows finds out whether the components of a mixture have the rows that they need.
func (a *attempt) countRows(m runtime.Model) {
	bounded := bounded(m)
	a.thin = a.posterior.thin(bounded)
	if c, why := a.posterior.degenerate(bounded); c >= 0 {
		a.reject(runtime.Collapsed, fmt.Sprintf("component %d has collapsed: %s", c+1, why))
	}
}

// judge looks at the curvature of the likelihood where a run has ended, and beyond.
func (a *attempt) judge(ctx context.Context, m runtime.Model, r *Settings) {
	a.look(m, r)
	if a.judged || a.res == nil || a.status == runtime.Collapsed {
		return
	}
	a.judged = true
	r = a.own(r)
	if _, bound := m.(runtime.Variational); bound {
		return
	}
	_, _, n := m.Counts()
	if !a.resolved(m, n) {
		return
	}
	a.here = newEndPoint(m, permuted(m, a.theta, a.order))
	if a.collapses(m); a.status == runtime.Collapsed {
		return
	}
	if names := contracts(m, a.here, a.theta, n); names != "" {
		a.reject(runtime.AtInfinity, growsThere+names)
	} else if m.Unconstrained() != nil {
		a.judgeNumbers(m.Info(), a.here, n)
	} else {
		a.judgeShaped(ctx, m, r, n)
	}
	a.levels(m, n)
	a.blameDigits(m, n)
}

// collapses finds out whether a component of a mixture contracts on rows that are equal.
func (a *attempt) collapses(m runtime.Model) {
	if a.here == nil || componentsOf(m) == 0 {
		return
	}
	c := contractionOf(m, permuted(m, a.theta, a.order))
	c.end = a.here
	if words := c.collapses(); words != "" {
		a.reject(runtime.Collapsed, growsThere+words)
	}
}

// judgeNumbers is judge where all parameters are numbers.
func (a *attempt) judgeNumbers(info *runtime.Info, u *endPoint, n float64) {
	end := ray(coordinates(info), u, a.theta, n)
	if end.far != "" {
		a.reject(runtime.AtInfinity, noMaximum+end.far)
	}
	if !a.status.Converged() {
		return
	}
	a.note = end.level
	if names := atEdge(info, u, a.theta, n); names != "" {
		a.reject(runtime.AtInfinity, edgeOfMap+names)
	} else if a.downhill = numbersDownhill(u, a.theta, n); a.downhill != nil {
		a.reject(runtime.SaddlePoint, saddle)
	}
}

// judgeShaped is judge where some parameters are vectors or matrices. What lies far away is looked at however the run has ended, the rest where it has converged and
// nothing has spoken against that.
func (a *attempt) judgeShaped(ctx context.Context, m runtime.Model, r *Settings, n float64) {
	theta := permuted(m, a.theta, a.order)
	single := componentsOf(m) == 0
	alive := single || a.posterior != nil && a.posterior.sound(theta, r.WeightFloor)
	a.lookFar(ctx, m, r, theta, alive, n)
	if names := shapedEdge(m, r, a, n); names != "" {
		a.reject(runtime.AtInfinity, edgeOfMap+names)
	}
	if !a.status.Converged() {
		return
	}
	if names := scaleRises(m, a.here, n); names != "" {
		a.reject(runtime.AtInfinity, noMaximum+"all entries of "+names+" grow or shrink together")
		return
	}
	if single && a.goesFar(risesOut(m, a.here, n)) || alive && a.goesFar(flatOut(m, a.here, a.res.Loss, n)) {
		return
	}
	a.differentiate(ctx, m)
	if a.curve(ctx, m, r); !a.status.Converged() {
		return
	}
	if single && a.near != nil {
		if way := a.recession(m, n); way != nil {
			a.goesFar(way.where())
			return
		}
	}
	if alive {
		a.leaveEdge(m, theta, n)
	}
}

// lookFar looks along rays whether the likelihood still rises, or does not fall, far away. Alive is whether no component of a mixture has died.
func (a *attempt) lookFar(ctx context.Context, m runtime.Model, r *Settings, theta []float64, alive bool, n float64) {
	if a.far == "" && alive && a.nearEnd(n) {
		end := chartRay(m, a.here, theta, n)
		a.note = end.level
		a.goesFar(end.far)
	}
	if a.far == "" && a.nearEnd(n) && !a.goesFar(componentRay(m, r, a.here, theta, a.posterior, n)) {
		a.goesFar(a.farFromNearer(ctx, m, r))
	}
	if alive && a.farAlone { // better the entry that is at an end of its range
		if e := edgeOf(m, a.here, len(theta), n); e != nil && e.inner == nil {
			a.goesFar(e.where)
		}
	}
}

// goesFar rejects a run on the way to infinity, and reports whether it is: where says what goes there, and is "" where nothing does.
func (a *attempt) goesFar(where string) bool {
	if where == "" {
		return false
	}
	a.far = where
	a.reject(runtime.AtInfinity, noMaximum+where)
	return true
}

// leaveEdge looks whether a run that has converged has only come to an end of the domain.
func (a *attempt) leaveEdge(m runtime.Model, theta []float64, n float64) {
	switch e := edgeOf(m, a.here, len(theta), n); {
	case e == nil:
	case e.inner != nil:
		floats.Sub(e.inner, theta)
		a.downhill = e.inner
		a.reject(runtime.SaddlePoint, stuckAtEdge+e.where)
	default:
		a.reject(runtime.AtInfinity, noMaximum+e.where)
	}
}

// sameLoss is how closely the losses of runs that ended at the same optimum agree, relative to 1+|loss|.
const sameLoss = 1e-9

// choose returns the run of the smallest loss among those that ended soundly: at a maximum as far as its curvature shows, or
// at a limit that was asked for. Only where there is none it takes another: one on the way to infinity before one that
// failed, and one with a collapsed component, whose loss says nothing, last.
func choose(ctx context.Context, m runtime.Model, r *Settings, runs []attempt) *attempt {
	order := ran(m, r, runs)
	for escapes := 0; ; {
		a := foremost(order)
		if a == nil {
			break
		}
		if a.judge(ctx, m, r); a.ended() {
			if far := higherAtInfinity(ctx, m, r, order, a); far != nil {
				return far
			}
			return a
		}
		if a.status == runtime.SaddlePoint && escapes < mostEscapes {
			if next := a.leave(ctx, m, r); next != nil {
				escapes++
				next.left = true
				*a = *next
			}
		}
	}
	var best *attempt
	for _, a := range order {
		if a.judge(ctx, m, r); best == nil || rank(a) < rank(best) {
			best = a
		}
	}
	return best
}

// ran are the runs that had a point to start from, looked at.
func ran(m runtime.Model, r *Settings, runs []attempt) (order []*attempt) {
	for i := range runs {
		if a := &runs[i]; a.res != nil {
			a.look(m, r)
			order = append(order, a)
		}
	}
	return order
}

// foremost sorts runs by their losses, and returns the first of those that ended soundly, as far as that is known; nil where there is none.
func foremost(order []*attempt) *attempt {
	sortByLoss(order)
	if i := slices.IndexFunc(order, func(a *attempt) bool { return a.ended() }); i >= 0 {
		return order[i]
	}
	return nil
}

// byLoss compares runs by their losses, those after the others in which a component of a mixture has too few rows.
func byLoss(a, b *attempt) int {
	switch {
	case a.thin == b.thin:
		return cmp.Compare(a.res.Loss, b.res.Loss)
	case a.thin:
		return 1
	}
	return -1
}

// sortByLoss sorts runs by byLoss, and those of the same loss by their starts.
func sortByLoss(order []*attempt) {
	slices.SortStableFunc(order, byLoss)
	for from := 0; from < len(order); {
		first, to := order[from], from+1
		most := first.res.Loss + sameLoss*(1+math.Abs(first.res.Loss))
		for to < len(order) && order[to].thin == first.thin && order[to].res.Loss <= most {
			to++
		}
		slices.SortStableFunc(order[from:to], func(a, b *attempt) int { return cmp.Compare(a.start, b.start) })
		from = to
	}
}

// The ranks of ends that are not sound.
const (
	atInfinity = iota
	unended    // failed, ended by a limit of the search, or at a saddle point
	collapsed
)

// rank orders the ends that are not sound.
func rank(a *attempt) int {
	switch a.status {
	case runtime.AtInfinity:
		return atInfinity
	case runtime.Collapsed:
		return collapsed
	}
	return unended
}

// optima groups the runs that ended soundly, as far as that is known, by their loss, and those of mixtures also by their
// parameters, whatever the order of the components: there points that have nothing to do with each other may have the same
// loss.
func optima(m runtime.Model, runs []attempt) []Optimum {
	order := make([]*attempt, 0, len(runs))
	for i := range runs {
		if a := &runs[i]; a.ended() {
			order = append(order, a)
		}
	}
	slices.SortStableFunc(order, byLoss)
	var found []Optimum
	var firsts []*attempt // of each
	for _, a := range order {
		k := slices.IndexFunc(firsts, func(first *attempt) bool { return sameOptimum(m, first, a) })
		if k >= 0 {
			found[k].Count++
			found[k].Starts = append(found[k].Starts, a.start)
			found[k].Examined = found[k].Examined || a.judged
			continue
		}
		firsts = append(firsts, a)
		found = append(found, Optimum{Loss: Number(a.res.Loss), Count: 1, Starts: []int{a.start}, Examined: a.judged,
			Estimate: values(m, permuted(m, a.theta, a.order))})
	}
	for k := range found {
		slices.Sort(found[k].Starts)
		found[k].Start = found[k].Starts[0]
	}
	return found
}

// sameOptimum reports whether a run ended where one of a loss that is not larger did.
func sameOptimum(m runtime.Model, first, a *attempt) bool {
	return math.Abs(a.res.Loss-first.res.Loss) <= sameLoss*(1+math.Abs(a.res.Loss)) &&
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

// describeFailures sums up the runs that did not end soundly; what the best has to say is in the message of the report
// already. Ends of a smaller loss than the best are named: they were not chosen for what was found against them.
func describeFailures(runs []attempt, best *attempt) []string {
	bad, lower, example, against := 0, 0, "", ""
	thin, highest := 0, math.Inf(1)
	for i := range runs {
		a := &runs[i]
		if a.ended() && a.thin && !best.thin && a.res.Loss < best.res.Loss {
			thin++
			highest = math.Min(highest, a.res.Loss)
		}
		if a == best || a.ended() {
			continue
		}
		if bad++; example == "" {
			example = fmt.Sprintf("start %d: %s", a.start, outcomeOf(a))
		}
		if a.res != nil && best.ended() && a.res.Loss < best.res.Loss {
			if lower++; against == "" {
				against = fmt.Sprintf("start %d: %s", a.start, a.message)
			}
		}
	}
	var out []string
	if bad > 0 {
		out = append(out, fmt.Sprintf("%d of %d starts did not converge (%s)", bad, len(runs), example))
	}
	if lower > 0 {
		out = append(out, fmt.Sprintf("%d of %d starts ended at a higher likelihood, but at no maximum (%s)", lower, len(runs), against))
	}
	if thin > 0 {
		out = append(out, fmt.Sprintf("%d of %d starts ended at a higher likelihood, up to %.7g a row, with a component of fewer "+
			"rows than a density needs, or of few within a thousandth of the spread of all: that says how close these are, and was "+
			"not chosen", thin, len(runs), -highest))
	}
	return out
}

func outcomeOf(a *attempt) string {
	switch {
	case a.err != nil:
		return a.err.Error()
	case a.status == runtime.AtInfinity && a.far != "":
		return runtime.AtInfinity.String() + ": " + a.far
	case a.message != "":
		return a.message
	}
	return a.res.Message
}
