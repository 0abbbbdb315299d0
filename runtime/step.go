package runtime

import (
	"fmt"
	"math"
)

// StepRule chooses how far to go along a direction: Constant, Schedule, GridSearch, Backtracking, ExactLineSearch or
// Wolfe. No rule ever accepts a point outside the domain: a step that would leave it is shortened.
type StepRule interface {
	// String returns the name of the rule.
	String() string
	// next leaves an accepted, evaluated point in m.trial and returns its step.
	next(m *Minimizer) (step float64, ok bool)
}

// maxHalvings is how often a step that leaves the domain is halved before the run fails (as in the published
// experiments of So and Turner).
const maxHalvings = 20

// Constant takes the same step every time, whatever the loss does, at one call of Gradients.
type Constant struct {
	Step float64 // 0 means 1: the whole natural gradient
}

func (Constant) String() string { return "constant" }

func (r Constant) next(m *Minimizer) (float64, bool) { return m.shorten(orDefault(r.Step, 1)) }

// Schedule takes the step that the function gives for the index of the iteration, counted from 0.
type Schedule func(iteration int) float64

func (Schedule) String() string { return "schedule" }

func (r Schedule) next(m *Minimizer) (float64, bool) {
	t := r(m.res.Iterations)
	if !(t > 0 && finite(t)) {
		return m.reject(t, fmt.Sprintf("the schedule gave the step %v", t))
	}
	return m.shorten(t)
}

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
	N   int     // 0 means 1,000
	Max float64 // 0 means 1
}

func (GridSearch) String() string { return "grid" }

func (r GridSearch) next(m *Minimizer) (float64, bool) {
	n := r.N
	if n <= 0 {
		n = 1000
	}
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
	Decrease float64 // fraction of the predicted decrease that is enough; 0 means 1e-4
	Halvings int     // for either purpose; 0 means 20
}

func (Backtracking) String() string { return "backtracking" }

func (r Backtracking) next(m *Minimizer) (float64, bool) {
	halvings := r.Halvings
	if halvings <= 0 {
		halvings = maxHalvings
	}
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

func orDefault(x, def float64) float64 {
	if x == 0 {
		return def
	}
	return x
}
