package runtime

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"
)

// run is the loop of all methods.
func (m *Minimizer) run(ctx context.Context) (Status, error) {
	if err := m.start(); err != nil {
		return Failed, err
	}
	done := ctx.Done()
	for {
		if m.set.Recorder != nil {
			if err := m.notify(); err != nil {
				return Failed, err
			}
		}
		if status := m.terminated(); status != NotTerminated {
			if status.Converged() && m.unfreeze() {
				continue
			}
			return status, nil
		}
		if done != nil {
			select {
			case <-done:
				return Cancelled, context.Cause(ctx)
			default:
			}
		}
		status, err := m.advance()
		if status != NotTerminated && !(status.Converged() && m.unfreeze()) {
			return status, err
		}
	}
}

// start evaluates the starting point.
func (m *Minimizer) start() error {
	pt := &m.at
	if m.evaluate(pt) {
		m.stagnation.observe(pt)
		m.drift.observe(pt)
		return nil
	}
	block, reason := m.fault(pt)
	pt.f, pt.square = math.NaN(), math.NaN()
	return &Error{Start: true, Block: block, Reason: reason}
}

// evaluate calls Gradients at pt.z. It reports false when the point is outside the domain or a number is not finite: a
// NaN or an infinity anywhere in c or v makes c.v not finite.
func (m *Minimizer) evaluate(pt *point) bool {
	m.res.GradientEvaluations++
	m.gradients(pt)
	if !finite(pt.f) {
		return false
	}
	m.drift.mask(pt)
	pt.projected = m.floor.project(m.p, pt.z, -1, pt.v)
	pt.square = dot(pt.c, pt.v)
	return finite(pt.square)
}

// advance takes one step; a status other than NotTerminated ends the run.
func (m *Minimizer) advance() (Status, error) {
	descends := m.direct()
	step, ok := 0.0, false
	m.exhausted = false
	if descends {
		step, ok = m.set.Step.next(m)
		if !ok && m.pairs.count > 0 {
			m.pairs.clear()
			m.natural()
			step, ok = m.set.Step.next(m)
		}
	}
	if !ok {
		step, ok = m.damped()
	}
	if ok && slices.Equal(m.at.z, m.trial.z) {
		step, ok = m.reject(step, "the step is too short to change any coordinate")
	}
	if ok {
		step, ok = m.checkProgress(step)
	}
	switch {
	case !ok && !descends:
		return m.notDescent()
	case !ok:
		return m.stuck()
	}
	if m.at.projected != m.trial.projected {
		m.pairs.clear() // they are of another face of the domain
	} else if m.pairs.size > 0 {
		m.pairs.push(&m.at, &m.trial)
	}
	m.at, m.trial = m.trial, m.at
	m.lastStep = step
	m.res.Iterations++
	m.retract()
	m.stagnation.observe(&m.at)
	m.drift.observe(&m.at)
	m.freeze()
	return NotTerminated, nil
}

// checkProgress rejects a step after stagnationIterations long searches that led nowhere: the gradient, by which they go,
// is not accurate then, or the digits of the loss are at their end. Halfway the memory of past steps, which may be the
// reason, is cleared.
func (m *Minimizer) checkProgress(step float64) (float64, bool) {
	n := m.stagnation.noProgress.observe(&m.trial, m.exhausted)
	if n >= stagnationIterations {
		return m.reject(step, "one line search after another gains nothing: the gradient is not accurate here")
	}
	if m.stagnation.noProgress.all >= mostExhausted {
		return m.reject(step, "too many line searches were long ones: the loss is not smooth enough here, or the data are badly scaled")
	}
	if m.exhausted && n == stagnationIterations/2 {
		m.pairs.clear()
	}
	return step, true
}

// direct sets the direction and its slope; it restarts the memory when the direction is not one of descent, and reports
// false when the natural gradient is not either.
func (m *Minimizer) direct() bool {
	if m.pairs.count > 0 {
		m.pairs.direct(m.d, m.at.c, m.at.v)
		m.floor.project(m.p, m.at.z, 1, m.d)
		m.slope = dot(m.at.c, m.d)
		if m.slope < 0 && finite(m.slope) {
			return true
		}
		m.pairs.clear()
	}
	m.natural()
	return m.slope < 0
}

// natural makes the natural gradient step the direction.
func (m *Minimizer) natural() {
	for i, v := range m.at.v {
		m.d[i] = -v
	}
	m.slope = -m.at.square
}

// damped takes a natural step of length 1, halved until it lowers the loss by more than rounding, whatever the slopes say:
// these are of no use where the metric is not positive definite, or only in exact arithmetic, as next to a singular matrix.
// For a mixture of a family by itself in mean parameters the step of length 1 is that of EM, which stays in the domain and
// never raises the loss.
func (m *Minimizer) damped() (step float64, ok bool) {
	failure, outside := m.failure, m.outside
	m.pairs.clear()
	m.natural()
	step = 1
	for range maxHalvings {
		if m.probe(step) && m.trial.f < m.at.f-rounding(m.at.f) {
			return step, true
		}
		step /= 2
	}
	m.failure, m.outside = failure, outside // what the search had to say
	return 0, false
}

// probe evaluates the point at the given step and its slope; false means outside the domain or not finite.
func (m *Minimizer) probe(t float64) bool {
	pt := &m.trial
	step(pt.z, m.at.z, t, m.d)
	pt.raised = m.floor.raise(pt.z)
	if !m.evaluate(pt) {
		return false
	}
	pt.slope = dot(pt.c, m.d)
	return finite(pt.slope)
}

// reject notes that no step was acceptable, the shortest being t, and why.
func (m *Minimizer) reject(t float64, reason string) (float64, bool) {
	m.outside = false
	m.failure = Error{Step: t, Reason: reason}
	return 0, false
}

// rejectOutside notes that no step down to t, that of the last probe, was inside the domain.
func (m *Minimizer) rejectOutside(t float64) (float64, bool) {
	m.outside = true
	block, reason := m.fault(&m.trial)
	m.failure = Error{Step: t, Block: block, Reason: reason}
	return 0, false
}

// stuck decides whether a search without result is the end of the digits or a failure.
func (m *Minimizer) stuck() (Status, error) {
	if !m.outside && m.at.norm() < precisionNorm {
		return PrecisionReached, nil
	}
	e := m.failure
	e.Iteration = m.res.Iterations
	return Failed, &e
}

// notDescent does the same where -v does not lead downhill: a product c.v below the rounding of the loss is rounding itself.
func (m *Minimizer) notDescent() (Status, error) {
	if math.Abs(m.at.square) < math.Max(precisionNorm*precisionNorm, 10*rounding(m.at.f)) {
		return PrecisionReached, nil
	}
	return Failed, &Error{
		Iteration: m.res.Iterations,
		Reason:    fmt.Sprintf("the natural gradient does not lead downhill (c.v = %g): its metric is not positive definite", m.at.square),
	}
}

// terminated checks the tolerances and limits.
func (m *Minimizer) terminated() Status {
	r, s := &m.res, &m.set
	switch {
	case m.runaway():
		return AtInfinity
	case m.at.square >= 0 && m.at.norm() <= s.GradientTolerance:
		return GradientConverged
	case m.stagnation.over(m.at.f):
		return PrecisionReached
	case s.LossTolerance > 0 && m.stagnation.flat(s.LossTolerance):
		return LossConverged
	case r.Iterations >= s.MaxIterations:
		return IterationLimit
	case s.MaxEvaluations > 0 && r.LossEvaluations+r.GradientEvaluations >= s.MaxEvaluations:
		return EvaluationLimit
	}
	return NotTerminated
}

// notify calls the recorder.
func (m *Minimizer) notify() error {
	m.record = Iteration{
		Index:       m.res.Iterations,
		Evaluations: m.res.LossEvaluations + m.res.GradientEvaluations,
		Loss:        m.at.f,
		NaturalNorm: m.at.norm(),
		Step:        m.lastStep,
		Z:           m.at.z,
		Elapsed:     time.Since(m.began),
	}
	return m.set.Recorder.Record(&m.record)
}
