package runtime

import "math"

// ExactLineSearch minimises phi(t) = f(z + t d) over t > 0, inside the domain, with the slope phi'(t) = c(z + t d).d at
// every trial: expansion until a minimum is bracketed, then cubic, secant and bisection steps. The first trial is the
// step taken last (1 at the start). Of several minima along the line it finds one near the first trial. When the loss
// falls right up to the edge of the domain, the step ends within one percent of the edge.
type ExactLineSearch struct {
	// Tolerance is the size of the slope at the accepted step as a fraction of that at 0. 0 means 1e-6. Where the
	// predicted change of the loss is below its rounding, 0.01 is enough.
	Tolerance float64
	// MaxStep is the longest step. 0 means 1e10.
	MaxStep float64
	// MaxEvaluations is the most trials of one search; the best one so far is then taken. 0 means 60.
	MaxEvaluations int
}

func (ExactLineSearch) String() string { return "exact" }

// Validate implements Validator.
func (r ExactLineSearch) Validate() error {
	return firstOf(
		below("ExactLineSearch", "Tolerance", r.Tolerance, 1),
		notNegative("ExactLineSearch", "MaxStep", r.MaxStep),
		countUpTo("ExactLineSearch", "MaxEvaluations", r.MaxEvaluations, maxSearch),
	)
}

func (r ExactLineSearch) next(m *Minimizer) (float64, bool) {
	first := 1.0
	if m.lastStep > 0 && m.pairs.count == 0 {
		first = m.lastStep
	}
	longest := orDefault(r.MaxStep, 1e10)
	return m.search(line{
		first:     min(first, longest),
		longest:   longest,
		curvature: orDefault(r.Tolerance, 1e-6),
		strong:    true,
		margin:    1e-4,
		trials:    orDefault(r.MaxEvaluations, 60),
	})
}

// Wolfe looks for a step that lowers the loss enough and flattens the slope enough (the weak Wolfe conditions, Nocedal
// and Wright, 2nd edition, equation 3.6), starting from the step 1. Where the change of the loss drowns in rounding the
// approximate Wolfe conditions, which ask only the slopes, take over (Hager and Zhang, SIAM J. Optim. 16, 2005,
// equation 4.1). Near an optimum NaturalLBFGS accepts nearly always the first trial: one call of Gradients a step.
//
// Far from one past steps of NaturalLBFGS may lead out of the domain. Then the natural gradient step of length 1, which for
// mixtures is that of EM, is tried before a shorter one, and the past steps are forgotten if it does.
type Wolfe struct {
	Decrease       float64 // below 1/2, as otherwise the minimum of a quadratic would not do; 0 means 1e-4
	Curvature      float64 // above Decrease and below 1; 0 means 0.9
	MaxEvaluations int     // trials of one search; 0 means 60
}

func (Wolfe) String() string { return "wolfe" }

// conditions returns both fractions.
func (r Wolfe) conditions() (decrease, curvature float64) {
	return orDefault(r.Decrease, 1e-4), orDefault(r.Curvature, 0.9)
}

// Validate implements Validator.
func (r Wolfe) Validate() error {
	decrease, curvature := r.conditions()
	return firstOf(
		below("Wolfe", "Decrease", r.Decrease, 0.5),
		between("Wolfe", "Curvature", curvature, decrease, 1),
		countUpTo("Wolfe", "MaxEvaluations", r.MaxEvaluations, maxSearch),
	)
}

func (r Wolfe) next(m *Minimizer) (float64, bool) {
	decrease, curvature := r.conditions()
	q := line{
		first:     1,
		longest:   1e10,
		decrease:  decrease,
		curvature: curvature,
		natural:   m.pairs.size > 0 && m.pairs.count == 0,
		margin:    0.1,
		trials:    orDefault(r.MaxEvaluations, 60),
	}
	if m.pairs.count > 0 {
		if q.inside = m.probe(q.first); q.inside && q.accepts(m, m.sample(q.first)) {
			return q.first, true
		}
		if !q.inside && m.instead(q) {
			return 1, true
		}
		q.probed = true
	}
	return m.search(q)
}

// instead takes the natural gradient step of length 1 where the first trial along the direction of past steps is outside the domain, and forgets these. It
// reports whether the step lowers the loss enough; if not, the trial and the direction are what they were.
func (m *Minimizer) instead(q line) bool {
	m.spare, m.trial = m.trial, m.spare
	copy(m.pairs.q, m.d)
	slope := m.slope
	m.natural()
	if q.natural = true; m.slope < 0 && m.probe(1) && (q.accepts(m, m.sample(1)) || !m.trial.raised && q.armijo(m, m.sample(1))) {
		m.pairs.clear()
		return true
	}
	m.spare, m.trial = m.trial, m.spare
	copy(m.d, m.pairs.q)
	m.slope = slope
	return false
}

// line is what one search is asked for.
type line struct {
	first, longest float64
	decrease       float64 // fraction of the predicted decrease required
	curvature      float64 // the slope may be at most this fraction of the first
	strong         bool    // upwards as well as downwards
	natural        bool    // the direction is that of the natural gradient, whose step 1 may also lead to where the slope is steeper
	probed, inside bool    // the first trial has been made, and whether it is inside the domain
	margin         float64 // trials keep this fraction of the bracket away from its ends
	trials         int
}

// sample is phi and its slope at a step; f is NaN outside the domain, and infinite where the weights of a mixture were
// raised and that did not lower the loss enough.
type sample struct{ t, f, slope float64 }

func (m *Minimizer) sample(t float64) sample { return sample{t, m.trial.f, m.trial.slope} }

// rounding is a bound on the error of a computed loss: of a sum over rows, relative to what is left after cancellation.
func rounding(f float64) float64 { return 1e-12 * (1 + math.Abs(f)) }

// roundingDecrease is the predicted change of the loss, in multiples of its rounding, below which slopes are rounding as
// well: a search that does not end soon will not end at all.
const roundingDecrease = 1e-3

// accepts reports whether a step inside the domain meets the conditions. Beyond a step at which the weights of a
// mixture come to their floor the path is no line any more: there it has to lower the loss enough, and the next search
// goes on.
func (q *line) accepts(m *Minimizer, s sample) bool {
	if m.trial.raised {
		return m.enough(math.Max(q.decrease, 1e-4))
	}
	curvature, noise := q.curvature, rounding(m.at.f)
	if q.strong && -s.t*m.slope <= noise {
		curvature = math.Max(curvature, 0.01)
	}
	if q.natural && s.t == 1 && s.slope <= steeper*m.slope {
		return q.armijo(m, s)
	}
	if s.slope < curvature*m.slope || q.strong && s.slope > -curvature*m.slope {
		return false
	}
	if math.Abs(s.f-m.at.f) <= noise {
		// Too close to call by the loss. The upper bound on the slope is that of a quadratic which meets Armijo.
		return s.slope <= (2*q.decrease-1)*m.slope
	}
	return q.armijo(m, s)
}

// steeper is how much steeper than at 0 the slope is where the loss is concave and a step of length 1 is no short one: longer ones would lower the loss
// further, but soon leave the domain, or lead past what the metric knows of. There the step says nothing of second derivatives.
const steeper = 1.1

func (q *line) armijo(m *Minimizer, s sample) bool {
	return s.f <= m.at.f+q.decrease*s.t*m.slope
}

// falling reports whether a minimum lies beyond s: the loss is low enough there, no higher than at lo, and going down.
func (q *line) falling(m *Minimizer, s, lo sample) bool {
	noise := rounding(m.at.f)
	return s.slope < 0 && s.f <= lo.f+noise && (q.armijo(m, s) || math.Abs(s.f-m.at.f) <= noise)
}

// search brackets and narrows. lo is a step where the loss is no higher and still falls, hi one that is outside the
// domain, too high or past a minimum; the point of lo is kept in m.spare.
func (m *Minimizer) search(q line) (float64, bool) {
	prev, lo := sample{}, sample{0, m.at.f, m.slope}
	hi := sample{t: math.Inf(1)}
	if -q.first*m.slope <= roundingDecrease*rounding(m.at.f) {
		q.trials = min(q.trials, 8)
	}
	width, wide := math.Inf(1), 0
	tried := 0
	for t := q.first; tried < q.trials; tried++ {
		inside := q.inside
		if !q.probed || tried > 0 {
			inside = m.probe(t)
		}
		s := m.sample(t)
		if inside && q.accepts(m, s) {
			return t, true
		}
		if inside && !m.trial.raised && q.falling(m, s, lo) {
			prev, lo = lo, s
			m.spare, m.trial = m.trial, m.spare
		} else {
			hi = s
			switch {
			case !inside:
				hi.f = math.NaN()
			case m.trial.raised:
				hi.f = math.Inf(1)
			}
		}
		if lo.t >= q.longest || q.narrow(lo, hi) {
			break
		}
		if w := hi.t - lo.t; w > 0.5*width {
			wide++
		} else {
			width, wide = w, 0
		}
		t = q.another(prev, lo, hi, wide >= 3)
		if wide >= 3 {
			wide = 0
		}
	}
	t, ok := m.fallback(lo, hi)
	m.exhausted = ok && tried >= longSearch
	return t, ok
}

// fallback takes the best point of a search that met no point it was asked for.
func (m *Minimizer) fallback(lo, hi sample) (float64, bool) {
	switch {
	case lo.t > 0:
		m.spare, m.trial = m.trial, m.spare
		return lo.t, true
	case math.IsNaN(hi.f):
		return m.rejectOutside(hi.t)
	}
	return m.reject(hi.t, "no step lowers the loss: the gradient may not be that of the loss")
}

// narrow reports whether a bracket is not worth dividing further.
func (q *line) narrow(lo, hi sample) bool {
	w := hi.t - lo.t
	switch {
	case math.IsInf(hi.t, 1):
		return false
	case !finite(hi.f) && lo.t > 0:
		return w <= 0.01*hi.t
	case !finite(hi.f):
		return hi.t <= 0x1p-50*q.first
	}
	return w <= 1e-14*hi.t
}

// another chooses the next trial.
func (q *line) another(prev, lo, hi sample, bisect bool) float64 {
	if math.IsInf(hi.t, 1) {
		t := secant(prev, lo)
		if !(t > lo.t) { // concave so far, or not finite
			t = 4 * lo.t
		}
		return min(q.longest, max(1.1*lo.t, min(t, 10*lo.t)))
	}
	w := hi.t - lo.t
	middle := lo.t + w/2
	var t float64
	switch {
	case !finite(hi.f):
		if t = middle; lo.t > 0 {
			t = secant(prev, lo)
		}
		if !(t > lo.t && t < middle) {
			return middle
		}
	case bisect:
		return middle
	case math.Abs(hi.f-lo.f) > 1e3*rounding(lo.f):
		t = cubic(lo, hi)
	case hi.slope > 0:
		t = secant(lo, hi)
	default:
		return middle
	}
	if !finite(t) {
		return middle
	}
	return min(max(t, lo.t+q.margin*w), hi.t-q.margin*w)
}

// secant returns the zero of the line through two slopes.
func secant(a, b sample) float64 { return b.t - b.slope*(b.t-a.t)/(b.slope-a.slope) }

// cubic returns the minimiser of the cubic through two values and slopes (Nocedal and Wright, 2nd edition, equation
// 3.59), NaN when it has none.
func cubic(a, b sample) float64 {
	d1 := a.slope + b.slope - 3*(a.f-b.f)/(a.t-b.t)
	d2 := math.Sqrt(d1*d1 - a.slope*b.slope)
	return b.t - (b.t-a.t)*(b.slope+d2-d1)/(b.slope-a.slope+2*d2)
}
