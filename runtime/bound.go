package runtime

import "errors"

// bound watches whether the evidence lower bound has ceased to rise. Between two checks, the windows, the run takes ever more
// steps, so that a rise that becomes slower and slower is seen. What is compared are the points that the run would return, with
// the same random numbers at both: the standard error is that of the difference, and a rise cannot hide in the noise of either
// bound.
type bound struct {
	check *evaluator // nil when nothing is to be evaluated
	last  []float64  // the point of the last check, none before the first
	next  int        // the step of the next check
	draws int        // of a check
	quiet int        // windows in a row in which the bound has not risen by more than the tolerance
	blind int        // windows in a row at whose end there is no bound
	count uint64     // comparisons so far
}

const (
	// windowGrowth is the number of steps at a check over that at the check before, once it is larger than CheckEvery.
	windowGrowth = 1.5
	// sureDeviations are the standard errors by which a difference may be off.
	sureDeviations = 2
)

func (b *bound) reset() { *b = bound{last: b.last[:0]} }

// ErrNoBound ends runs that have no evidence lower bound where they are.
var ErrNoBound = errors.New("the log joint density is not a number for some draws, and so there is no evidence lower bound\n" +
	"hint: latent variables take any value; where a model needs a positive one, declare its logarithm")

// watchBound compares the bound with that at the last check, where a check is due. It ends the run where the bound has ceased to
// rise, and with an error where there has been none for as many checks.
func (m *Descender) watchBound() (Status, error) {
	b, s, k := &m.bound, &m.set, m.res.Iterations
	if s.Patience == 0 || k < b.next {
		return NotTerminated, nil
	}
	b.next = max(k+s.CheckEvery, int(windowGrowth*float64(k)))
	now := m.found()
	if len(b.last) == 0 {
		b.draws = s.CheckDraws
	} else {
		b.count++
		rise := b.check.rise(b.last, now, b.draws, Stream(s.Seed, "rise", b.count))
		m.res.LossEvaluations += 2
		b.observe(rise, s.Tolerance)
		if sureDeviations*rise.err > s.Tolerance/2 {
			// Up to the next check the steps make so many draws, with gradients. A third of them, at two points without
			// gradients, takes about as long where a portion has few (tests/variational/descent).
			b.draws = max(s.CheckDraws, min(4*b.draws, (b.next-k)*m.drawer.v.Draws()/3))
		}
	}
	b.last = append(b.last[:0], now...)
	switch {
	case b.quiet >= s.Patience:
		return BoundConverged, nil
	case b.blind >= s.Patience:
		return Failed, ErrNoBound
	}
	return NotTerminated, nil
}

// found is the point that the run would return if it ended now.
func (m *Descender) found() []float64 {
	if tail := &m.now.tail.old; m.set.Average > 0 && tail.n > 0 && m.valid(tail.z) {
		return tail.z
	}
	return m.now.z
}

// observe takes note of a rise.
func (b *bound) observe(rise estimate, tolerance float64) {
	switch {
	case !finite(rise.mean):
		b.quiet, b.blind = 0, b.blind+1
	case rise.mean+sureDeviations*rise.err <= tolerance:
		b.quiet, b.blind = b.quiet+1, 0
	default:
		b.quiet, b.blind = 0, 0
	}
}
