package runtime

// bound watches whether the evidence lower bound has ceased to rise.
type bound struct {
	check     *evaluator // nil when nothing is to be evaluated
	smoothed  estimate
	best      float64 // the smoothed bound when it had last risen
	since     int     // evaluations since then
	seen      int
	evaluated int // step of the last evaluation, -1 before the first
}

// smoothing is the weight of the last estimate.
const smoothing = 0.3

func (b *bound) reset() { *b = bound{evaluated: -1} }

// boundConverged evaluates the bound where that is due, and reports whether it has ceased to rise.
func (m *Descender) boundConverged() bool {
	b, s := &m.bound, &m.set
	if s.Patience == 0 {
		return false
	}
	if k := m.res.Iterations; k%s.CheckEvery == 0 && k != b.evaluated {
		b.evaluated = k
		m.res.LossEvaluations++
		b.observe(b.check.estimate(m.now.z), s.Tolerance)
	}
	return b.since >= s.Patience
}

// observe takes note of an estimate. One that is not finite is none.
func (b *bound) observe(e estimate, tolerance float64) {
	b.since++
	if !finite(e.mean) || !finite(e.err) {
		return
	}
	if b.seen++; b.seen == 1 {
		b.smoothed, b.best, b.since = e, e.mean, 0
		return
	}
	b.smoothed.mean += smoothing * (e.mean - b.smoothed.mean)
	b.smoothed.err += smoothing * (e.err - b.smoothed.err)
	if b.smoothed.mean-b.best > max(b.smoothed.err, tolerance) {
		b.best, b.since = b.smoothed.mean, 0
	}
}
