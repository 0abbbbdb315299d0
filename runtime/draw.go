package runtime

import "math/rand/v2"

// drawer makes the noise of a Noisy problem.
type drawer struct {
	noisy     Noisy // nil for other problems
	frames    frames
	reach     float64     // see Stochastic.ToBoundary
	v         Variational // nil for other problems
	rng       *rand.Rand
	y         []float64
	discarded int // gradients in a row that were not finite
}

const (
	// A step on a Variational that remains too long for the domain after so many halvings is left out.
	maxCuts = 60
	// A run on a Variational fails when so many gradients in a row are not finite.
	maxDiscarded = 100
)

func (d *drawer) reset(seed uint64) {
	*d = drawer{rng: Stream(seed, "noise"), y: d.y, frames: d.frames}
}

func (d *drawer) draw() {
	switch {
	case d.v != nil:
		d.frames.draw(d.v, d.rng)
	case d.noisy != nil:
		d.noisy.Draw(d.rng)
	}
}

// attach takes what a run needs of a problem.
func (m *Descender) attach(p Problem) error {
	m.p, m.batcher, m.drawer.v, m.bound.check = p, nil, nil, nil
	m.drawer.noisy, _ = p.(Noisy)
	if m.set.Rows > 0 {
		m.batcher = p.(Batcher)
	}
	v, ok := p.(Variational)
	if !ok {
		return nil
	}
	m.drawer.v, m.drawer.y = v, resized(m.drawer.y, len(m.now.z))
	m.drawer.frames.reset(v, m.set.Drawing)
	if m.set.Patience == 0 && m.set.SkipLoss {
		return nil
	}
	check, err := newEvaluator(v, m.set.CheckDraws, m.set.Seed)
	if err == nil && m.batcher != nil {
		check.batch, check.rows = make([]int, m.set.Batch), m.rows.rows
	}
	m.bound.check = check
	return err
}

// discard goes back where a gradient is not finite. A Noisy problem has other gradients at the same point.
func (m *Descender) discard(bad int) error {
	block, reason := m.badGradient(bad)
	if m.drawer.noisy == nil {
		return m.back(block, reason)
	}
	m.res.RollBacks++
	if m.drawer.discarded++; m.drawer.discarded < maxDiscarded {
		return nil
	}
	return &Error{Iteration: m.res.Iterations - 1, Block: block, Step: m.step, Reason: reason}
}

// inside takes a step on a Variational, which it halves until it goes at most a part of the way to the boundary, and returns
// the part taken: 0 when it was left out.
//
// This is the rule of interior point methods that no step goes all the way to the boundary (Nocedal and Wright, Numerical
// Optimization, 2006, section 19.2). Without it runs get stuck there: q is so wide then that gradients are dominated by noise, and
// all further steps are cut to nothing. See toBoundary for how far.
func (m *Descender) inside(by func(m *Descender, part float64)) (part float64) {
	m.drawer.discarded = 0
	m.safe.copy(&m.now)
	part = 1
	for range maxCuts {
		by(m, part)
		if m.valid(m.now.z) && (m.drawer.reach == 1 || m.valid(m.beyond())) {
			return part
		}
		m.now.copy(&m.safe)
		m.res.Halvings++
		part /= 2
	}
	return 0
}

// beyond is the point that must be inside the domain for the present one to be at most the part reach of the way to the boundary.
func (m *Descender) beyond() []float64 {
	y, further := m.drawer.y, 1/m.drawer.reach-1
	for i, z := range m.now.z {
		y[i] = z + further*(z-m.safe.z[i])
	}
	m.floor.raise(y)
	return y
}

// valid reports whether z is finite and inside the domain.
func (m *Descender) valid(z []float64) bool { return allFinite(z) && m.p.Violation(z) < 0 }
