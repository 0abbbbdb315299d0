package runtime

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// Minimize looks for a minimum of p from z, which it does not modify. See [Settings] for the defaults; nil means all of
// them.
//
// The error is not nil when the run could not go on: the start is outside the domain, no step along the direction stays
// inside it, a gradient is not finite (an *Error in each of these cases), the recorder failed, or the context ended.
// The Result is nil only if ctx is nil or z has the wrong length; otherwise it describes the last good point. Reaching a limit of the
// settings is not an error: look at Result.Status.
//
// All memory is allocated at the start; the steps allocate nothing. Use a [Minimizer] to fit many times.
func Minimize(ctx context.Context, p Problem, z []float64, s *Settings) (*Result, error) {
	return new(Minimizer).Minimize(ctx, p, z, s)
}

// Minimizer is Minimize with buffers that are kept: from the second run on problems of the same size with the same
// method on, a run allocates nothing. The zero value is ready to use. It is not safe for concurrent use.
type Minimizer struct {
	p        Problem
	set      Settings
	slab     []float64
	at       point // the current point, always inside the domain
	trial    point // the point of the last probe
	spare    point // for a search: the best point so far
	d        []float64
	slope    float64 // c.d at the current point, negative
	lastStep float64 // the step that led to the current point, 0 at the start
	pairs    pairs
	stall    stall
	failure  Error // set by a step rule that fails
	outside  bool  // the failure is due to the domain
	began    time.Time
	record   Iteration
	res      Result
}

// point is an evaluated point.
type point struct {
	z, c, v []float64
	f       float64 // loss
	square  float64 // c.v, the square of the natural norm
	slope   float64 // c.d along the current direction
}

func (pt *point) norm() float64 { return math.Sqrt(math.Max(pt.square, 0)) }

// Minimize is the function of the same name, except that the Result and its Z are overwritten by the next run.
func (m *Minimizer) Minimize(ctx context.Context, p Problem, z []float64, s *Settings) (*Result, error) {
	began := time.Now()
	if ctx == nil {
		return nil, errNoContext
	}
	if n := dimension(p); n != len(z) {
		return nil, fmt.Errorf("runtime: the start has %d coordinates, the problem %d", len(z), n)
	}
	m.p, m.set, m.began = p, s.filled(), began
	m.resize(len(z))
	copy(m.at.z, z)
	status, err := m.run(ctx)
	if status == PrecisionReached {
		m.stall.restore(&m.at)
	}
	m.finish(status, err)
	return &m.res, err
}

func dimension(p Problem) int {
	n := 0
	for _, b := range p.Blocks() {
		n = max(n, b.Offset+b.Len)
	}
	return n
}

func (m *Minimizer) resize(n int) {
	if len(m.slab) != 12*n {
		m.slab = make([]float64, 12*n)
		buf := m.slab
		cut := func() (x []float64) {
			x, buf = buf[:n:n], buf[n:]
			return x
		}
		for _, pt := range []*point{&m.at, &m.trial, &m.spare} {
			*pt = point{z: cut(), c: cut(), v: cut()}
		}
		m.d, m.stall.z, m.res.Z = cut(), cut(), cut()
	}
	m.pairs.resize(m.set.Method.memory(n), n)
	m.stall.reset()
	m.lastStep, m.outside = 0, false
	m.res = Result{Z: m.res.Z}
}

func (m *Minimizer) finish(status Status, err error) {
	r := &m.res
	copy(r.Z, m.at.z)
	r.Loss, r.NaturalNorm, r.Status = m.at.f, m.at.norm(), status
	r.Message = status.String()
	if err != nil {
		r.Message = err.Error()
	}
	r.Elapsed = time.Since(m.began)
	m.p = nil // the problem may be large
}

// run is the loop of all methods.
func (m *Minimizer) run(ctx context.Context) (Status, error) {
	if err := m.start(); err != nil {
		return Failed, err
	}
	done := ctx.Done()
	for {
		if m.set.Recorder != nil {
			if err := m.tell(); err != nil {
				return Failed, err
			}
		}
		if status := m.terminated(); status != NotTerminated {
			return status, nil
		}
		if done != nil {
			select {
			case <-done:
				return Cancelled, context.Cause(ctx)
			default:
			}
		}
		if status, err := m.advance(); status != NotTerminated {
			return status, err
		}
	}
}

// start evaluates the starting point.
func (m *Minimizer) start() error {
	pt := &m.at
	if m.evaluate(pt) {
		m.stall.observe(pt)
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
	pt.f = m.p.Gradients(pt.v, pt.c, pt.z)
	if !finite(pt.f) {
		return false
	}
	pt.square = dot(pt.c, pt.v)
	return finite(pt.square)
}

// advance takes one step; a status other than NotTerminated ends the run.
func (m *Minimizer) advance() (Status, error) {
	if !m.direct() {
		return m.notDescent()
	}
	step, ok := m.set.Step.next(m)
	if !ok && m.pairs.count > 0 {
		m.pairs.clear()
		m.natural()
		step, ok = m.set.Step.next(m)
	}
	if ok && slices.Equal(m.at.z, m.trial.z) {
		step, ok = m.reject(step, "the step is too short to change any coordinate")
	}
	if !ok {
		return m.stuck()
	}
	if m.pairs.size > 0 {
		m.pairs.push(&m.at, &m.trial)
	}
	m.at, m.trial = m.trial, m.at
	m.lastStep = step
	m.res.Iterations++
	m.stall.observe(&m.at)
	return NotTerminated, nil
}

// direct sets the direction and its slope; it restarts the memory when the direction is not one of descent, and reports
// false when the natural gradient is not either.
func (m *Minimizer) direct() bool {
	if m.pairs.count > 0 {
		m.pairs.direct(m.d, m.at.c, m.at.v)
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

// probe evaluates the point at the given step and its slope; false means outside the domain or not finite.
func (m *Minimizer) probe(t float64) bool {
	pt := &m.trial
	step(pt.z, m.at.z, t, m.d)
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

// notDescent does the same where -v does not lead downhill.
func (m *Minimizer) notDescent() (Status, error) {
	if math.Abs(m.at.square) < precisionNorm*precisionNorm {
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
	case m.at.square >= 0 && m.at.norm() <= s.GradientTolerance:
		return GradientConverged
	case m.stall.over(m.at.f):
		return PrecisionReached
	case s.LossTolerance > 0 && m.stall.flat(s.LossTolerance):
		return LossConverged
	case r.Iterations >= s.MaxIterations:
		return IterationLimit
	case s.MaxEvaluations > 0 && r.LossEvaluations+r.GradientEvaluations >= s.MaxEvaluations:
		return EvaluationLimit
	}
	return NotTerminated
}

// tell calls the recorder.
func (m *Minimizer) tell() error {
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

// errNoContext is what a nil context deserves: a message instead of a nil dereference.
var errNoContext = errors.New("runtime: nil context")
