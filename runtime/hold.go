package runtime

import "math"

// fractions of a held number at which its loss is compared when all else has been fitted.
var fractions = [...]float64{1.0 / 64, 1.0 / 32, 1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2}

// hold stops the auxiliary numbers that have gone to infinity as far as the loss can tell: the norm has grown four times,
// taking that back alone would change the loss by no more than Negligible, and so would growing four times more. What
// else there is to fit may take many steps still, and on the way a number that nothing holds gets to where formulas
// overflow. Longer blocks are not held: their directions may matter when their length does not.
//
// The gradient of a held number is 0. The others see a problem in fewer coordinates, whose solution is the fit with that
// number at infinity; release then looks whether it belongs there.
func (m *Minimizer) hold() {
	if !m.drift.grown {
		return
	}
	for i := range m.drift.blocks {
		b := &m.drift.blocks[i]
		if b.grown && b.to == b.from+1 && !b.wasHeld && b.count == len(b.levels) && m.levelBack(b) && m.levelRay(b) {
			b.held, b.wasHeld = true, true
			m.drift.still(&m.at)
			m.at.square = dot(m.at.c, m.at.v)
			m.pairs.clear()
			m.stall.reset()
		}
	}
}

// levelBack reports whether the loss stays where it is when a number returns to where it was before it doubled twice.
func (m *Minimizer) levelBack(b *blockDrift) bool {
	s := b.levels[0].z[0] / m.at.z[b.from]
	return s > 0 && math.Abs(m.multiple(b, s)-m.at.f) <= m.drift.negligible
}

// still makes the gradient of the held numbers 0.
func (d *drift) still(pt *point) {
	for i := range d.blocks {
		if b := &d.blocks[i]; b.held {
			pt.c[b.from], pt.v[b.from] = 0, 0
		}
	}
}

// release lets go, for good, of the held numbers that do not belong at infinity now that all else has been fitted: where
// the loss is lower at a fraction of it, or is not level any more. It reports whether there were any. Going to the
// fraction of the lowest loss counts as a step, since from so far out the gradient would not lead back.
func (m *Minimizer) release() bool {
	released := false
	for i := range m.drift.blocks {
		b := &m.drift.blocks[i]
		if !b.held {
			continue
		}
		if b.back = m.lowest(b); b.back != 1 || !m.levelRay(b) || !m.matters(b) {
			b.held, b.count, released = false, 0, true
		}
	}
	return released && m.resume()
}

// resume evaluates the point where the blocks that were held are as far back as release says.
func (m *Minimizer) resume() bool {
	copy(m.trial.z, m.at.z)
	for i := range m.drift.blocks {
		if b := &m.drift.blocks[i]; b.wasHeld && !b.held {
			m.trial.z[b.from] *= b.back
			b.back = 1
		}
	}
	if !m.evaluate(&m.trial) {
		return false
	}
	m.at, m.trial = m.trial, m.at
	m.lastStep = 0
	m.res.Iterations++
	m.pairs.clear()
	m.stall.reset()
	m.stall.observe(&m.at)
	return true
}

// lowest returns the fraction of a held number at which the loss is lowest, 1 where none makes a difference.
func (m *Minimizer) lowest(b *blockDrift) float64 {
	best, low := 1.0, m.at.f-m.drift.negligible
	for _, s := range fractions {
		if f := m.multiple(b, s); f < low {
			best, low = s, f
		}
	}
	return best
}
