package estimate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// A component of counts that are hardly overdispersed goes to a limit of its family, with one parameter fewer. On
// the way the coordinates of the surrogate come to the end of their domain. There a step that leads out of it is cut to nothing, in all of its
// coordinates, so that the run stays where the others happen to be. So such ends are drawn back, to where coordinates have digits, and
// the other parameters are fitted there in unconstrained coordinates, with one of each component held that is far out.

const (
	// Components that are drawn back have an unconstrained coordinate beyond this one, an entry of about 1e9, and are drawn back to drawnTo, about
	// 1e7: a likelihood whose limit is of the first order of the inverse differs by 1e-7 from it, for each row, and has nine digits.
	drawnFrom, drawnTo = 20.0, 16.0
	// So many ends of a search are drawn back in turn that lead nowhere better, fewer where these take long.
	leastDrawnBack, mostDrawnBack = 1, 4
	// drawnIterations bounds the steps from there.
	drawnIterations = 300
	// lessAtInfinity is by how much the total log-likelihood has to be higher at infinity than at the best maximum to be reported.
	lessAtInfinity = 0.01
)

// componentRay is ray for every component by itself, with the parameters of others held, where all parameters are numbers. It says
// where those go whose likelihood does not fall on the way. Components that explain next to nothing, or are held at the floor, may go
// anywhere; one that coincides with another, or explains one value, is a component if its density is bounded.
func componentRay(m runtime.Model, r *Settings, u *endPoint, theta []float64, p *posterior, n float64) string {
	if p == nil || u == nil || u.Dim() > mostFree {
		return ""
	}
	cs, of, vectors := chartNumbers(m, u)
	if cs == nil || vectors {
		return ""
	}
	bounded := bounded(m)
	var goes []string
	for c, one := range p.components(p, theta, bounded) {
		if held(theta[c], r.WeightFloor) || !(float64(one.Rows) > nothing) || one.Note != "" && !bounded {
			continue
		}
		var own []coordinate
		var free []int
		for i, component := range of {
			if component == c {
				own, free = append(own, cs[i]), append(free, i)
			}
		}
		if len(free) == 0 {
			continue
		}
		if far := ray(own, newPart(u, u.x, free), theta, n).far; far != "" {
			goes = append(goes, far)
		}
	}
	return strings.Join(goes, " and ")
}

// drawBack draws the best ends back that are far out, and goes on from there.
func (s *search) drawBack(ctx context.Context) {
	d := newDrawing(s.model, s.r)
	if d == nil {
		return
	}
	_, _, n := s.model.Counts()
	fruitless, best, most := 0, math.Inf(1), s.times(drawnIterations, leastDrawnBack, mostDrawnBack)
	for _, a := range s.distinct(ranked(s.found)) {
		if fruitless == most || ctx.Err() != nil {
			return
		}
		if !d.far(a.theta) {
			continue
		}
		next := d.from(ctx, a)
		if fruitless++; next == nil {
			continue
		}
		if *a = *next; a.res.Loss < best-nothing/n {
			fruitless, best = 0, a.res.Loss
		}
	}
}

// drawing draws an end back.
type drawing struct {
	m  runtime.Model
	u  runtime.Unconstrained
	cs []coordinate
	of []int
	r  *Settings

	held []int // the coordinates that are held, one of each component that is far out
}

// newDrawing returns nil for models of which no end is drawn back.
func newDrawing(m runtime.Model, r *Settings) *drawing {
	if componentsOf(m) == 0 || !bounded(m) || othersOf(m) != nil || r.unconstrained() || r.Penalty || r.WeightFloor > 0 {
		return nil
	}
	u, err := Coordinates(m.Clone(), baseline.CovarianceCholesky)
	if err != nil || u.Dim() > mostFree {
		return nil
	}
	cs, of, vectors := chartNumbers(m, u)
	if cs == nil || vectors {
		return nil
	}
	return &drawing{m: m.Clone(), u: u, cs: cs, of: of, r: r}
}

// farFromNearer is componentRay for an end that is so far out that its own coordinates have no digits left.
func (a *attempt) farFromNearer(ctx context.Context, m runtime.Model, r *Settings) string {
	d := newDrawing(m, r)
	if d == nil || !d.far(a.theta) {
		return ""
	}
	if next := d.from(ctx, a); next != nil {
		return next.far
	}
	return ""
}

// far finds them.
func (d *drawing) far(theta []float64) bool {
	x := make([]float64, d.u.Dim())
	d.u.FromTheta(x, theta)
	d.held = nil
	for c := range componentsOf(d.m) {
		farthest, at := drawnFrom, -1
		for i, component := range d.of {
			if component == c && d.cs[i].entry != types.Real && math.Abs(x[i]) > farthest {
				farthest, at = math.Abs(x[i]), i
			}
		}
		if at >= 0 {
			d.held = append(d.held, at)
		}
	}
	return len(d.held) > 0
}

// from goes on from the end of a run, and returns what is better; nil where nothing is.
func (d *drawing) from(ctx context.Context, a *attempt) *attempt {
	_, _, n := d.m.Counts()
	x := d.inside(a.res.Z)
	if x == nil {
		return nil
	}
	free := slices.DeleteFunc(indices(len(x)), func(i int) bool { return slices.Contains(d.held, i) })
	next := d.fit(ctx, a, x, free)
	if next == nil || next.res.Loss > a.res.Loss+nothing/n {
		return nil
	}
	theta := permuted(d.m, next.theta, next.order)
	if next.far = componentRay(d.m, d.r, newEndPoint(d.m, theta), theta, next.posterior, n); next.far != "" {
		next.reject(runtime.AtInfinity, noMaximum+next.far)
		return next
	}
	if next := d.fit(ctx, a, x, indices(len(x))); next != nil && next.ended() && next.res.Loss < a.res.Loss {
		return next
	}
	return nil
}

// fit fits some of the coordinates. Nil where that leads nowhere.
func (d *drawing) fit(ctx context.Context, a *attempt, x []float64, free []int) *attempt {
	found, err := newPart(d.u, x, free).minimise(ctx, x, drawnIterations)
	if found == nil || err != nil || math.IsNaN(found.Loss) {
		return nil
	}
	next := &attempt{start: a.start, res: found, theta: make([]float64, len(a.theta)), charted: true, traced: a.traced}
	found.Z = slices.Clone(x)
	next.goesOn(a)
	d.u.Theta(next.theta, x)
	if next.look(d.m, d.r); next.posterior == nil {
		return nil
	}
	return next
}

// own are the settings for what is asked about an end: those of a method in unconstrained coordinates where it has come there in these.
func (a *attempt) own(r *Settings) *Settings {
	if !a.charted {
		return r
	}
	own := *r
	own.Method, own.LineSearch = "lbfgs", ""
	return &own
}

// inside are unconstrained coordinates of a point between an end and a start, as near to the end as those that are held are drawn back there.
func (d *drawing) inside(end []float64) []float64 {
	start, at := make([]float64, len(end)), make([]float64, len(end))
	if d.m.Start(start, 0, runtime.Stream(d.r.Seed, "start", 0)) != nil {
		return nil
	}
	theta, x := make([]float64, thetaLen(d.m)), make([]float64, d.u.Dim())
	for t := 1e-16; t < 1; t *= 2 {
		for i := range at {
			at[i] = end[i] + t*(start[i]-end[i])
		}
		if d.m.Violation(at) >= 0 {
			continue
		}
		d.m.Theta(theta, at)
		d.u.FromTheta(x, theta)
		if !slices.ContainsFunc(d.held, func(i int) bool { return !(math.Abs(x[i]) < drawnTo) }) {
			return x
		}
	}
	return nil
}

// higherAtInfinity is the best of the ends at infinity that is to be reported instead of a maximum; nil where there is none. Of mixtures of bounded
// densities a component that is a limit of its family is an answer like others, so that a lower maximum is none where a component of it
// is none, or where it is lower by more than AIC asks for a component. So it is where no component has contracted on rows: a slant that goes to infinity, or degrees of freedom, leave it as wide as its
// rows. A maximum that is not much lower is reported, as that of other likelihoods is that has second derivatives, with a warning. Densities without a bound are as high as one likes on other ways to infinity.
func higherAtInfinity(ctx context.Context, m runtime.Model, r *Settings, order []*attempt, maximum *attempt) *attempt {
	if componentsOf(m) == 0 {
		if far := higherSeparated(m, order, maximum); far != nil || !maximum.rough() {
			return far
		}
		return higherEnd(m, order, maximum, func(*attempt) bool { return true })
	}
	if maximum.posterior == nil {
		return nil
	}
	bounded := bounded(m)
	best, above := highestAbove(m, order, maximum, func(a *attempt) bool { return a.far != "" && (bounded || a.wide(ctx, m, r)) })
	if best == nil {
		return nil
	}
	_, _, n := m.Counts()
	all := maximum.posterior.components(maximum.posterior, permuted(m, maximum.theta, maximum.order), bounded)
	none := slices.ContainsFunc(all, func(c Component) bool { return c.Note == Died || c.With != nil })
	if none || above > price(m) {
		best.note = fmt.Sprintf("the best maximum that was found, at finite parameters, has the log-likelihood %.7g, which is %.3g below", -n*maximum.res.Loss, above)
		return best
	}
	warning := fmt.Sprintf("the likelihood has no global maximum: as %s the log-likelihood comes to %.7g, which is %.3g above this maximum, the best finite one that was found",
		best.far, -n*best.res.Loss, above)
	if maximum.note != "" {
		warning = maximum.note + "; " + warning
	}
	maximum.note = warning
	return nil
}

// wide reports whether all components at an end at infinity explain rows that are not together, so that their densities there have a bound.
func (a *attempt) wide(ctx context.Context, m runtime.Model, r *Settings) bool {
	if a.thin || a.posterior == nil || !a.posterior.sound(permuted(m, a.theta, a.order), r.WeightFloor) {
		return false
	}
	a.judge(ctx, m, r)
	return a.status == runtime.AtInfinity && strings.HasPrefix(a.message, noMaximum)
}

// highestAbove is the highest of such ends at infinity that are above a maximum, and by how much; nil where there is none.
func highestAbove(m runtime.Model, order []*attempt, maximum *attempt, such func(a *attempt) bool) (best *attempt, above float64) {
	_, _, n := m.Counts()
	least := maximum.res.Loss - lessAtInfinity/n
	sorted := slices.Clone(order)
	slices.SortStableFunc(sorted, func(a, b *attempt) int { return cmp.Compare(a.res.Loss, b.res.Loss) })
	for _, a := range sorted {
		if !(a.res.Loss < least) {
			break
		}
		if a.status == runtime.AtInfinity && such(a) {
			return a, n * (maximum.res.Loss - a.res.Loss)
		}
	}
	return nil, 0
}

// higherSeparated is higherAtInfinity of regressions whose rows may be separated: where they are, and the likelihood is higher there than at all maxima, or level with one from which it never falls in the same direction,
// there is no estimate.
func higherSeparated(m runtime.Model, order []*attempt, maximum *attempt) *attempt {
	if best := higherEnd(m, order, maximum, func(a *attempt) bool { return a.separated(m) != nil }); best != nil {
		return best
	}
	return levelSeparated(m, order, maximum)
}

// higherEnd is highestAbove, with a note that says how much lower the maximum is.
func higherEnd(m runtime.Model, order []*attempt, maximum *attempt, such func(a *attempt) bool) *attempt {
	best, above := highestAbove(m, order, maximum, such)
	if best != nil {
		_, _, n := m.Counts()
		best.note = fmt.Sprintf("the best end at finite parameters that was found has the log-likelihood %.7g, which is %.3g below", -n*maximum.res.Loss, above)
	}
	return best
}

// rough reports whether the likelihood has no second derivatives at an end, as where a mean has underflowed: that it is a maximum is said by a gradient of 0 alone then.
func (a *attempt) rough() bool { return a.near != nil && a.near.why == noSecondDerivatives }

// levelSeparated is an end where rows are separated, with a direction along which the likelihood recedes from a maximum too, where that is as high; nil where there is none. Directions of recession of a concave
// function are the same everywhere (Rockafellar 1970), and another end may have had the digits to find them.
func levelSeparated(m runtime.Model, order []*attempt, maximum *attempt) *attempt {
	_, _, n := m.Counts()
	for _, a := range order {
		if a.status != runtime.AtInfinity || maximum.here == nil || !(n*math.Abs(a.res.Loss-maximum.res.Loss) < nothing) || a.separated(m) == nil {
			continue
		}
		if newRecessionSearch(m, maximum.here, permuted(m, maximum.theta, maximum.order), n).recedesAlong(slices.Clone(a.receding.along)) {
			return a
		}
	}
	return nil
}

// price is what AIC asks of a component in log-likelihood: its number of parameters.
func price(m runtime.Model) float64 {
	return float64(freeParameters(m)+1) / float64(componentsOf(m))
}
