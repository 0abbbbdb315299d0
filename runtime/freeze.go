package runtime

import "math"

// fractions of a frozen number at which its loss is compared when all else has been fitted.
var fractions = [...]float64{1.0 / 64, 1.0 / 32, 1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2}

// leap is by how much the norm of an auxiliary number may grow in a step without a look whether so much is of any use.
const leap = 4

// retract takes back what auxiliary numbers have grown in a leap as far as that makes no difference to the loss. A step along a direction in which the
// loss is level may be of any length, and a logarithm that goes from 2 to 700 is where formulas overflow and gradients are wrong.
func (m *Minimizer) retract() {
	for i := range m.drift.blocks {
		b := &m.drift.blocks[i]
		s := m.asFar(b)
		if s == 1 {
			continue
		}
		if m.multiple(b, s); m.evaluate(&m.trial) {
			m.at, m.trial = m.trial, m.at
		}
	}
}

// asFar returns the part of a number that has leapt at which the loss is what it is now, the smallest of those that double the number from where it was
// before; 1 where it has not leapt, all of it makes a difference, or the number makes none yet, as one that leaves a saddle point at 0.
func (m *Minimizer) asFar(b *blockDrift) float64 {
	if b.to != b.from+1 || b.frozen || b.count == 0 {
		return 1
	}
	before, now := b.levels[b.count-1].norm, math.Abs(m.at.z[b.from])
	if !(now > leap*before) || !m.matters(b) {
		return 1
	}
	for least := 2 * before; least < now; least *= 2 {
		if math.Abs(m.multiple(b, least/now)-m.at.f) <= m.drift.negligible {
			return least / now
		}
	}
	return 1
}

// freeze stops the auxiliary numbers that have gone to infinity as far as the loss can tell: the norm has grown four times,
// taking that back alone would change the loss by no more than Negligible, and so would growing four times more. What
// else there is to fit may take many more steps, and on the way a number that keeps growing gets to where formulas
// overflow. Longer blocks are not frozen: their directions may matter when their length does not.
//
// The gradient of a frozen number is 0. The others see a problem in fewer coordinates, whose solution is the fit with that
// number at infinity; release then looks whether it belongs there.
func (m *Minimizer) freeze() {
	if !m.drift.grown {
		return
	}
	for i := range m.drift.blocks {
		b := &m.drift.blocks[i]
		if b.grown && b.to == b.from+1 && !b.wasFrozen && b.count == len(b.levels) && m.flatBack(b) && m.flatRay(b) {
			b.frozen, b.wasFrozen = true, true
			m.drift.mask(&m.at)
			m.at.square = dot(m.at.c, m.at.v)
			m.pairs.clear()
			m.stagnation.reset()
		}
	}
}

// flatBack reports whether the loss stays where it is when a number returns to where it was before it doubled twice.
func (m *Minimizer) flatBack(b *blockDrift) bool {
	s := b.levels[0].z[0] / m.at.z[b.from]
	return s > 0 && math.Abs(m.multiple(b, s)-m.at.f) <= m.drift.negligible
}

// mask makes the gradient of the frozen numbers 0.
func (d *drift) mask(pt *point) {
	for i := range d.blocks {
		if b := &d.blocks[i]; b.frozen {
			pt.c[b.from], pt.v[b.from] = 0, 0
		}
	}
}

// unfreeze lets go, for good, of the frozen numbers that do not belong at infinity now that all else has been fitted: where
// the loss is lower at a fraction of it, or is not level any more. It reports whether there were any. Going to the
// fraction of the lowest loss counts as a step, since from so far out the gradient would not lead back.
func (m *Minimizer) unfreeze() bool {
	released := false
	for i := range m.drift.blocks {
		b := &m.drift.blocks[i]
		if !b.frozen {
			continue
		}
		if b.back = m.lowest(b); b.back != 1 || !m.flatRay(b) || !m.matters(b) {
			b.frozen, b.count, released = false, 0, true
		}
	}
	return released && m.resume()
}

// resume evaluates the point where the blocks that were frozen are as far back as unfreeze says.
func (m *Minimizer) resume() bool {
	copy(m.trial.z, m.at.z)
	for i := range m.drift.blocks {
		if b := &m.drift.blocks[i]; b.wasFrozen && !b.frozen {
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
	m.stagnation.reset()
	m.stagnation.observe(&m.at)
	return true
}

// lowest returns the fraction of a frozen number at which the loss is lowest, 1 where none makes a difference.
func (m *Minimizer) lowest(b *blockDrift) float64 {
	best, low := 1.0, m.at.f-m.drift.negligible
	for _, s := range fractions {
		if f := m.multiple(b, s); f < low {
			best, low = s, f
		}
	}
	return best
}
