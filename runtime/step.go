package runtime

import "math"

// StepRule chooses how far to go along a direction: GridSearch, Backtracking, ExactLineSearch or Wolfe, or one of the
// schedules Constant, Decay, Cosine and ScheduleFunc. No rule ever accepts a point outside the domain: a step that would
// leave it is shortened.
type StepRule interface {
	// String returns the name of the rule.
	String() string
	// next leaves an accepted, evaluated point in m.trial and returns its step.
	next(m *Minimizer) (step float64, ok bool)
	Validator
}

// maxHalvings is how often a step that leaves the domain is halved before the run fails (as in the published
// experiments of So and Turner).
const maxHalvings = 20

// Bounds on the work of one search.
const (
	maxTrials = 1_000_000 // of a grid
	maxSearch = 10_000    // of other searches: what they try lies closer together than floating point resolves long before
)

// shorten halves a step until the point is inside the domain.
func (m *Minimizer) shorten(t float64) (float64, bool) {
	for range maxHalvings {
		if m.probe(t) {
			return t, true
		}
		t /= 2
	}
	if m.probe(t) {
		return t, true
	}
	return m.rejectOutside(t)
}

// GridSearch tries N equally spaced steps on (0, Max] and takes the one with the smallest loss, at N calls of Loss and
// one of Gradients. It is the "exact line search" of the published experiments of So and Turner. Losses that are not
// finite are skipped; a grid whose best loss is above the present one ends the run.
type GridSearch struct {
	N   int     // 0 means 1,000; at most 1,000,000
	Max float64 // 0 means 1
}

func (GridSearch) String() string { return "grid" }

// Validate implements Validator.
func (r GridSearch) Validate() error {
	return firstOf(countUpTo("GridSearch", "N", r.N, maxTrials), notNegative("GridSearch", "Max", r.Max))
}

func (r GridSearch) next(m *Minimizer) (float64, bool) {
	n := orDefault(r.N, 1000)
	longest := orDefault(r.Max, 1)
	best, low := 0.0, math.Inf(1)
	for i := 1; i <= n; i++ {
		t := longest * float64(i) / float64(n)
		step(m.trial.z, m.at.z, t, m.d)
		m.floor.raise(m.trial.z)
		if f := m.p.Loss(m.trial.z); f < low && finite(f) {
			best, low = t, f
		}
	}
	m.res.LossEvaluations += n
	if best == 0 {
		m.probe(longest / float64(n))
		return m.rejectOutside(longest / float64(n))
	}
	if low > m.at.f+rounding(m.at.f) {
		return m.reject(best, "no step of the grid lowers the loss")
	}
	if !m.probe(best) {
		return m.rejectOutside(best)
	}
	return best, true
}

// Backtracking starts from a fixed step, halves it until the point is inside the domain, and then until the loss has
// fallen enough (Armijo; Nocedal and Wright, 2nd edition, algorithm 3.1).
type Backtracking struct {
	Step     float64 // the first step; 0 means 1
	Decrease float64 // fraction of the predicted decrease that is enough, below 1; 0 means 1e-4
	Halvings int     // for either purpose; 0 means 20
}

func (Backtracking) String() string { return "backtracking" }

// Validate implements Validator.
func (r Backtracking) Validate() error {
	return firstOf(
		notNegative("Backtracking", "Step", r.Step),
		below("Backtracking", "Decrease", r.Decrease, 1),
		countUpTo("Backtracking", "Halvings", r.Halvings, maxSearch),
	)
}

func (r Backtracking) next(m *Minimizer) (float64, bool) {
	halvings := orDefault(r.Halvings, maxHalvings)
	t, inside := orDefault(r.Step, 1), false
	for range halvings + 1 {
		if inside = m.probe(t); inside {
			break
		}
		t /= 2
	}
	if !inside {
		return m.rejectOutside(2 * t)
	}
	q := line{decrease: orDefault(r.Decrease, 1e-4), curvature: math.Inf(1)}
	for range halvings {
		if q.accepts(m, m.sample(t)) {
			return t, true
		}
		t /= 2
		m.probe(t)
	}
	if q.accepts(m, m.sample(t)) {
		return t, true
	}
	return m.reject(t, "no step lowers the loss enough")
}

func orDefault[N int | float64](x, def N) N {
	if x == 0 {
		return def
	}
	return x
}
