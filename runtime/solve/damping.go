package solve

import "math"

// damping decides how far Newton's method goes on a convex function: full steps, halved until the function decreases
// (Nocedal and Wright 2006, section 3.3), or until its slope along the direction tells so where rounding hides the
// decrease (the approximate Wolfe condition of Hager and Zhang 2005, SIAM Journal on Optimization 16, equation 4.1).
type damping struct {
	slope     float64 // of the merit along the direction, set by the caller after a point is accepted
	baseMerit float64 // at the last accepted point
	scale     float64 // length of the trial step
	steps     int
	started   bool
	polish    int // full steps taken where nothing but rounding can go wrong
	near      int // steps taken where the decrease of the merit is below its rounding
	done      bool
}

// verdict is what becomes of a trial point.
type verdict int

const (
	accepted verdict = iota // it is the new base
	tooFar                  // a shorter step, of length scale, is next
	finished                // the base is as good as it gets
	hopeless
)

// judge takes the merit at the trial point and its slope there along the direction; ok is false where something is not a
// number there.
func (d *damping) judge(merit, slope float64, ok bool) verdict {
	d.steps++
	switch {
	case d.steps > maxTrials, !d.started && !ok:
		return d.giveUp()
	case !d.started, d.polish > 0 && ok, ok && (merit <= d.baseMerit+1e-4*d.scale*d.slope || slope <= -d.slope/2):
		d.started, d.baseMerit = true, merit
		return accepted
	}
	return d.shorten()
}

// full begins a full Newton step from a point just accepted, with slope the one from there. A step so small that its
// square is lost in rounding is the last, and is not evaluated.
func (d *damping) full() {
	d.scale = 1
	if d.polish > 0 || -d.slope < 1e-12 {
		d.polish++
	}
	if d.rounding() {
		d.near++
	}
	d.done = -d.slope < converged || d.polish > maxPolish || d.near > maxNear
}

// rounding reports whether the predicted decrease, -slope/2, is below the rounding of the merit.
func (d *damping) rounding() bool { return negligible(d.slope, d.baseMerit) }

// negligible reports whether a change of a merit is below its rounding.
func negligible(change, merit float64) bool {
	return math.Abs(change) < 1e-12*math.Max(1, math.Abs(merit))
}

const (
	// maxTrials is how many points are judged: far from the minimum every step is shortened a few times.
	maxTrials = 500
	// maxPolish full steps square an error of 1e-6 beyond any rounding.
	maxPolish = 4
	// maxNear steps are more than Newton's method takes there, unless rounding moves it about.
	maxNear = 30
)

// converged is the square of the length of a Newton step, in the metric of the Hessian, whose square is lost in rounding.
// That length does not depend on the units of the unknowns.
const converged = 1e-17

func (d *damping) shorten() verdict {
	if d.polish > 0 { // outside after a minute step
		return d.giveUp()
	}
	// The damped step is inside and decreases every self-concordant function (Nesterov 2004, 4.1.5). It may be much too
	// careful: it is approached from above.
	switch damped := 1 / (1 + math.Sqrt(-d.slope)); {
	case d.scale > 1.0/8 || d.scale <= damped:
		d.scale /= 2
	case d.scale > 4*damped:
		d.scale = math.Sqrt(d.scale * damped)
	default:
		d.scale = damped
	}
	if d.scale < 1e-40 || d.scale < 1e-10 && d.rounding() {
		return d.giveUp()
	}
	return tooFar
}

// giveUp ends at the base when that is the minimum to rounding.
func (d *damping) giveUp() verdict {
	d.done = true
	if d.started && (d.polish > 0 || d.rounding()) {
		return finished
	}
	return hopeless
}
