package runtime

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// Descend lowers p from z, which it does not modify, by steps of fixed length along natural gradients over
// minibatches: the stochastic form of SNGD (So and Turner, AISTATS 2024, algorithm 1), with a method of first order
// for the auxiliary parameters. A step calls NaturalGradient and nothing else: no loss is evaluated and nothing is
// allocated. See [Stochastic] for the settings; nil means the defaults. For objectives that are evaluated in full
// [Minimize] is better.
//
// On a [Variational], new noise is drawn for each gradient, from a stream of its own, as Stochastic.Drawing says. Where draws are
// few, a step that leads out of the domain says little about the length of the next: it is halved until it goes at most the part
// Stochastic.ToBoundary of the way to the boundary, or after 60 times left out; the next has its full length again. The domain is therefore checked at every step. A gradient that is not finite is followed by one from
// other draws. The noise of evaluations, for Patience and for the Loss of the Result, is that of a clone.
//
// In the Result, Iterations are the steps of the surrogate, those taken back included, GradientEvaluations the calls
// of NaturalGradient, and Elapsed is without the time of the Recorder and of Evaluate; NaturalNorm is NaN. There is no
// test of convergence but that of Patience: a run without fault ends at a limit.
//
// The error is not nil when the settings do not fit the problem, and when the run could not go on: the start is
// outside the domain, going back and halving the step 20 times did not keep the run inside, or 100 gradients of a
// Variational in a row were not finite (an *Error in all cases), the recorder failed, or the context ended. The Result
// is nil when nothing was run; otherwise it describes a point inside the domain, the last that was verified.
func Descend(ctx context.Context, p Problem, z []float64, s *Stochastic) (*Result, error) {
	return new(Descender).Descend(ctx, p, z, s)
}

// Descender is Descend with buffers that are kept, and with the means to go on with a run. The zero value is ready to
// use. It is not safe for concurrent use.
type Descender struct {
	p        Problem
	batcher  Batcher // nil when no batches are set
	drawer   drawer
	bound    bound
	set      Stochastic
	spans    []span
	now      position
	safe     position // the last verified point
	v        []float64
	rows     sampler
	guard    guard
	floor    floor
	step     float64 // the last step, as the schedule gave it and the guard shortened it
	scale    float64 // the same for auxiliary blocks
	recorded int     // step of the last record, -1 before the first
	began    time.Time
	excluded time.Duration // time of recorder and evaluations
	record   Iteration
	res      Result
	staff    staff
}

// position is a point together with what the optimiser remembers there, and the mean of the points up to it.
type position struct {
	z, memory []float64
	t         int // steps of the optimiser
	tail      tail
}

func (a *position) copy(b *position) {
	copy(a.z, b.z)
	copy(a.memory, b.memory)
	a.t = b.t
	a.tail.copy(&b.tail)
}

// span is a run of coordinates that are stepped by one method.
type span struct {
	from, to  int
	auxiliary bool
}

// Descend is the function of the same name, except that the Result and its Z are overwritten by the next run.
func (m *Descender) Descend(ctx context.Context, p Problem, z []float64, s *Stochastic) (*Result, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	if n := dimension(p); n != len(z) {
		return nil, fmt.Errorf("runtime: the start has %d coordinates, the problem %d", len(z), n)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	set := s.filled()
	if err := set.resolve(p); err != nil {
		return nil, err
	}
	if err := m.floor.reset(p, set.WeightFloor, len(z)); err != nil {
		return nil, err
	}
	m.set = set
	m.resize(p, len(z))
	copy(m.now.z, z)
	m.floor.raise(m.now.z)
	m.rows.reset(set.Sampling, set.Rows, set.Batch, set.Seed)
	m.drawer.reset(set.Seed)
	return m.execute(ctx, p, true)
}

// Resume goes on with the last run from where it ended, on the same problem or a clone: with the memory of the
// optimiser, the place among the rows and in the streams of draws, the lengths of the steps, the mean of the last
// points, and counts that add up, so that limits are those of both runs together. A run that was stopped and resumed
// takes the same steps as one that was not, to the bit, as long as nothing has to be taken back. The settings may
// differ in everything but Batch, Sampling, Rows, Seed and the memory of Auxiliary.
func (m *Descender) Resume(ctx context.Context, p Problem, s *Stochastic) (*Result, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	set := s.filled()
	if err := set.resolve(p); err != nil {
		return nil, err
	}
	old := &m.set
	if m.now.z == nil || dimension(p) != len(m.now.z) || set.Batch != old.Batch || set.Sampling != old.Sampling ||
		set.Rows != old.Rows || set.Seed != old.Seed || set.Auxiliary.Memory() != old.Auxiliary.Memory() {
		return nil, errors.New("runtime: there is no run to resume with this problem and these settings")
	}
	if err := m.floor.reset(p, set.WeightFloor, len(m.now.z)); err != nil {
		return nil, err
	}
	m.floor.raise(m.now.z)
	m.set = set
	m.average()
	return m.execute(ctx, p, false)
}

func (m *Descender) resize(p Problem, n int) {
	m.spans = m.spans[:0]
	auxiliary := 0
	for _, b := range p.Blocks() {
		if b.Auxiliary {
			auxiliary += b.Len
		}
		if k := len(m.spans) - 1; k >= 0 && m.spans[k].auxiliary == b.Auxiliary && m.spans[k].to == b.Offset {
			m.spans[k].to += b.Len
			continue
		}
		m.spans = append(m.spans, span{b.Offset, b.Offset + b.Len, b.Auxiliary})
	}
	memory := auxiliary * m.set.Auxiliary.Memory()
	for _, at := range []*position{&m.now, &m.safe} {
		at.z, at.memory, at.t = resized(at.z, n), resized(at.memory, memory), 0
		clear(at.memory)
		at.tail.reset(0)
	}
	m.average()
	m.v = resized(m.v, n)
	m.guard = guard{}
	m.bound.reset()
	m.step, m.recorded, m.excluded = 0, -1, 0
	m.res = Result{Z: resized(m.res.Z, n)}
}

// execute runs, and fills the Result.
func (m *Descender) execute(ctx context.Context, p Problem, fresh bool) (*Result, error) {
	m.staff.share(p, m.set.Workers)
	defer m.staff.end()
	if err := m.attach(p); err != nil {
		return nil, err
	}
	m.began = time.Now().Add(-m.res.Elapsed - m.excluded)
	var status Status
	var err error
	if fresh {
		err = m.start()
	}
	if err == nil {
		status, err = m.run(ctx)
	} else {
		status = Failed
	}
	m.finish(status, err)
	return &m.res, err
}

func (m *Descender) start() error {
	m.safe.copy(&m.now)
	if block, reason := m.inspect(); reason != "" {
		return &Error{Start: true, Block: block, Reason: reason}
	}
	return nil
}

func (m *Descender) finish(status Status, err error) {
	r := &m.res
	r.Elapsed, r.Epochs = m.elapsed(), m.epochs()
	if status == Failed && m.drawer.v == nil {
		m.now.copy(&m.safe)
	}
	r.Message = status.String()
	if err != nil {
		r.Message = err.Error()
	}
	m.outcome(status)
	r.Floored = m.floor.at(r.Z)
	r.Loss, r.LossError, r.NaturalNorm, r.Status = math.NaN(), 0, math.NaN(), status
	if !m.set.SkipLoss {
		r.Loss, r.LossError = m.loss()
		r.LossEvaluations++
	}
	if m.batcher != nil {
		m.batcher.Batch(nil)
	}
	m.p, m.batcher, m.floor.mixture = nil, nil, nil // the problem may be large
	m.drawer.noisy, m.drawer.v, m.bound.check = nil, nil, nil
}

// loss is the loss at the outcome over all rows that are drawn from, and its standard error.
func (m *Descender) loss() (f, err float64) {
	z := m.res.Z
	if m.drawer.v != nil {
		m.bound.check.wholly()
		e := m.bound.check.estimate(z)
		return -e.mean, e.err
	}
	if m.batcher == nil {
		return m.p.Loss(z), 0
	}
	m.batcher.Batch(nil)
	if c, ok := m.p.(counter); ok {
		if rows, _, _ := c.Counts(); rows == m.rows.rows {
			return m.p.Loss(z), 0
		}
	}
	if m.batcher.Batch(m.rows.drawnFrom()) != nil { // in whatever order; the run has failed with the same error
		return math.NaN(), 0
	}
	return m.p.Loss(z), 0
}

func (m *Descender) elapsed() time.Duration { return time.Since(m.began) - m.excluded }

// run is the loop.
func (m *Descender) run(ctx context.Context) (Status, error) {
	done := ctx.Done()
	for {
		status, failure := m.terminated()
		if status == NotTerminated && done != nil {
			select {
			case <-done:
				status = Cancelled
			default:
			}
		}
		if err := m.pause(status != NotTerminated); err != nil {
			return Failed, err
		}
		switch status {
		case NotTerminated:
		case Cancelled:
			return status, context.Cause(ctx)
		default:
			return status, failure
		}
		if err := m.advance(); err != nil {
			return Failed, err
		}
	}
}

// terminated checks the limits.
func (m *Descender) terminated() (Status, error) {
	s := &m.set
	switch {
	case s.MaxSteps > 0 && m.res.Iterations >= s.MaxSteps && !(s.Overrun && m.bound.quiet > 0):
		return IterationLimit, nil
	case s.MaxEpochs > 0 && m.epochs() >= s.MaxEpochs:
		return EpochLimit, nil
	case s.MaxTime > 0 && m.elapsed() >= s.MaxTime:
		return TimeLimit, nil
	}
	return m.watchBound()
}

// epochs is how many times the rows have been gone through.
func (m *Descender) epochs() float64 {
	if m.batcher == nil {
		return float64(m.res.GradientEvaluations)
	}
	return float64(m.rows.drawn) / float64(m.rows.rows)
}

// pause verifies and records between two steps, as far as either is due.
func (m *Descender) pause(last bool) error {
	k := m.res.Iterations
	m.res.Epochs = m.epochs()
	due := m.set.Recorder != nil && m.recorded != k && (last || k%m.set.Every == 0)
	if m.drawer.v == nil && (due || last || k%m.set.VerifyEvery == 0) {
		if err := m.verify(); err != nil {
			return err
		}
	}
	if !due {
		return nil
	}
	m.recorded = k
	return m.notify()
}

// notify calls the recorder, outside the time of the run.
func (m *Descender) notify() error {
	began := time.Now()
	m.record = Iteration{
		Index:       m.res.Iterations,
		Evaluations: m.res.GradientEvaluations,
		Epochs:      m.res.Epochs,
		Loss:        math.NaN(),
		NaturalNorm: math.NaN(),
		Step:        m.step,
		Z:           m.now.z,
		Elapsed:     began.Sub(m.began) - m.excluded,
	}
	if m.set.Evaluate != nil {
		m.record.Loss = m.set.Evaluate(m.now.z)
	}
	err := m.set.Recorder.Record(&m.record)
	m.excluded += time.Since(began)
	return err
}

// advance takes one step of the surrogate, and those of the auxiliary blocks that belong to it. Where a gradient is not
// finite it goes back instead.
func (m *Descender) advance() error {
	k := m.res.Iterations
	step, err := scheduled("Stochastic.Step", m.set.Step, k)
	if err != nil {
		return err
	}
	scale := 1.0
	if m.set.AuxiliaryScale != nil {
		if scale, err = scheduled("Stochastic.AuxiliaryScale", m.set.AuxiliaryScale, k); err != nil {
			return err
		}
	}
	if m.drawer.v != nil {
		if m.drawer.reach, err = reachable(m.set.ToBoundary, k); err != nil {
			return err
		}
	}
	short := m.guard.scale()
	m.step, m.scale = short*step, short*scale
	m.res.Iterations++
	m.guard.quiet++
	part, err := m.walk()
	if m.drawer.v != nil {
		m.step *= part
	}
	if part > 0 && m.set.Average > 0 {
		m.now.tail.add(m.now.z, m.set.Average)
	}
	return err
}

// scheduled returns the step that a schedule gives for an iteration.
func scheduled(setting string, s Schedule, k int) (float64, error) {
	x := s.At(k)
	if x >= 0 && finite(x) {
		return x, nil
	}
	return 0, &Error{Iteration: k, Step: x, Reason: fmt.Sprintf("%s gave the step %v: it must be %s", setting, x, wantNotNegative)}
}

// reachable returns the part of the way to the boundary that a schedule gives for an iteration.
func reachable(s Schedule, k int) (float64, error) {
	x := s.At(k)
	if x > 0 && x <= 1 {
		return x, nil
	}
	return 0, &Error{Iteration: k, Step: x, Reason: fmt.Sprintf("Stochastic.ToBoundary gave %v: it must be above 0 and at most 1", x)}
}

// walk steps all blocks and returns the part of the step of the surrogate that it took.
func (m *Descender) walk() (part float64, err error) {
	if m.set.Alternate == 0 {
		return m.move((*Descender).jointly)
	}
	part, err = m.move((*Descender).surrogate)
	for range m.set.Alternate {
		if part == 0 {
			break
		}
		var auxiliary float64
		if auxiliary, err = m.move((*Descender).auxiliary); auxiliary == 0 {
			return 0, err
		}
	}
	return part, err
}

// move takes a step along a gradient of its own, and returns the part of it that it took: 1, or less on a Variational.
// Where the gradient is not finite it is 0, and the run goes back.
func (m *Descender) move(by func(m *Descender, part float64)) (part float64, err error) {
	bad, err := m.gradient()
	if err != nil {
		return 0, err
	}
	if bad >= 0 {
		return 0, m.discard(bad)
	}
	if m.drawer.v != nil {
		return m.inside(by), nil
	}
	by(m, 1)
	return 1, nil
}

// gradient evaluates v over a new batch, with new draws, and returns the index of a coordinate that is not finite, or
// -1. The error is that of the batch.
func (m *Descender) gradient() (bad int, err error) {
	if m.batcher != nil {
		if err := m.batcher.Batch(m.rows.draw()); err != nil {
			return 0, err
		}
	}
	m.drawer.draw()
	m.p.NaturalGradient(m.v, m.now.z)
	m.res.GradientEvaluations++
	if allFinite(m.v) {
		return -1, nil
	}
	return firstBad(m.v), nil
}

// jointly steps all blocks by a part of their steps.
func (m *Descender) jointly(part float64) {
	m.surrogate(part)
	m.auxiliary(part)
}

func (m *Descender) surrogate(part float64) {
	for _, s := range m.spans {
		if !s.auxiliary {
			addScaled(m.now.z[s.from:s.to], -part*m.step, m.v[s.from:s.to])
		}
	}
	m.floor.raise(m.now.z)
}

func (m *Descender) auxiliary(part float64) {
	at := &m.now
	at.t++
	memory := at.memory
	for _, s := range m.spans {
		if s.auxiliary {
			n := (s.to - s.from) * m.set.Auxiliary.Memory()
			m.set.Auxiliary.Update(at.z[s.from:s.to], m.v[s.from:s.to], memory[:n], at.t, part*m.scale)
			memory = memory[n:]
		}
	}
}
