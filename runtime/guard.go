package runtime

import (
	"fmt"
	"math"
)

// guard keeps count of the times that a run had to go back.
type guard struct {
	halvings int // of the present steps
	quiet    int // steps since the last incident, or since steps last became longer
}

// scale is the length of steps as a fraction of what the schedule says.
func (g *guard) scale() float64 { return math.Ldexp(1, -g.halvings) }

// relax doubles the steps after a time without incidents.
func (g *guard) relax(after int) {
	if g.halvings > 0 && g.quiet >= after {
		g.halvings--
		g.quiet = 0
	}
}

// verify makes the present point the one to go back to, or goes back to the last that was.
func (m *Descender) verify() error {
	if block, reason := m.inspect(); reason != "" {
		return m.back(block, reason)
	}
	m.safe.copy(&m.now)
	m.guard.relax(recoveryIntervals * m.set.VerifyEvery)
	return nil
}

// inspect says what is wrong with the present point; the reason is "" when nothing is.
func (m *Descender) inspect() (block, reason string) {
	if !allFinite(m.now.z) {
		i := firstBad(m.now.z)
		return blockAt(m.p, i), fmt.Sprintf("coordinate %d is %v", i, m.now.z[i])
	}
	return violation(m.p, m.now.z)
}

func (m *Descender) badGradient(i int) (block, reason string) {
	return blockAt(m.p, i), fmt.Sprintf("the gradient of coordinate %d is %v", i, m.v[i])
}

// back returns to the last verified point and makes steps shorter, or fails when they have become as short as they may.
func (m *Descender) back(block, reason string) error {
	m.now.copy(&m.safe)
	m.res.RollBacks++
	m.guard.quiet = 0
	if m.guard.halvings == maxHalvings {
		return &Error{Iteration: m.res.Iterations - 1, Block: block, Step: m.step, Reason: reason}
	}
	m.guard.halvings++
	return nil
}
