package runtime

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// Minimize looks for a minimum of p from z, which it does not modify. See [Settings] for the defaults; nil means all of
// them.
//
// The error is not nil when the run could not go on: the start is outside the domain, no step along the direction stays
// inside it, a gradient is not finite (an *Error in each of these cases), the recorder failed, or the context ended.
// The Result is nil only if ctx is nil, z has the wrong length, a setting cannot work (a *SettingError) or WeightFloor does
// not fit the problem; otherwise it describes the last good point. Reaching a limit of the settings is not an error: look at Result.Status.
//
// Both gradients come from Gradients, in which auxiliary parameters have the metric of the spec; NaturalGradient, which
// gives their ordinary gradient, is for [Descend].
//
// All memory is allocated at the start; the steps allocate nothing. Use a [Minimizer] to fit many times.
func Minimize(ctx context.Context, p Problem, z []float64, s *Settings) (*Result, error) {
	return new(Minimizer).Minimize(ctx, p, z, s)
}

// Minimizer is Minimize with buffers that are kept: from the second run on problems of the same size with the same
// method on, a run allocates nothing. The zero value is ready to use. It is not safe for concurrent use.
type Minimizer struct {
	p          Problem
	set        Settings
	slab       []float64
	at         point // the current point, always inside the domain
	trial      point // the point of the last probe
	spare      point // for a search: the best point so far
	d          []float64
	slope      float64 // c.d at the current point, negative
	lastStep   float64 // the step that led to the current point, 0 at the start
	pairs      pairs
	stagnation stagnation
	drift      drift
	floor      floor
	failure    Error // set by a step rule that fails
	outside    bool  // the failure is due to the domain
	exhausted  bool  // the last search was long and ended without a step that meets its conditions
	began      time.Time
	record     Iteration
	res        Result
	staff      staff
}

// point is an evaluated point.
type point struct {
	z, c, v   []float64
	f         float64 // loss
	square    float64 // c.v, the square of the natural norm
	slope     float64 // c.d along the current direction
	raised    bool    // the weights of a mixture were raised to WeightFloor
	projected bool    // v is projected, as weights are near the floor
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
	if err := s.Validate(); err != nil {
		return nil, err
	}
	m.p, m.set, m.began = p, s.filled(), began
	if err := m.floor.reset(p, m.set.WeightFloor, len(z)); err != nil {
		return nil, err
	}
	m.staff.share(p, m.set.Workers)
	defer m.staff.end()
	m.resize(len(z))
	copy(m.at.z, z)
	m.at.raised = m.floor.raise(m.at.z)
	status, err := m.run(ctx)
	if status == PrecisionReached {
		m.stagnation.restore(&m.at)
	}
	if err == nil && m.unbounded() {
		status = AtInfinity
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
		m.d, m.stagnation.z, m.res.Z = cut(), cut(), cut()
	}
	method, _ := m.set.Method.(NaturalLBFGS)
	m.pairs.resize(m.set.Method.memory(n), n, m.p.Blocks(), method.Keep)
	m.stagnation.reset()
	m.drift.reset(m.p, m.set.Negligible)
	m.lastStep, m.outside = 0, false
	m.res = Result{Z: m.res.Z}
}

func (m *Minimizer) finish(status Status, err error) {
	r := &m.res
	copy(r.Z, m.at.z)
	r.Loss, r.NaturalNorm, r.Status = m.at.f, m.at.norm(), status
	r.Message, r.Unbounded, r.Floored = status.String(), m.drift.unbounded, m.floor.at(r.Z)
	if err != nil {
		r.Message = err.Error()
	}
	r.Elapsed = time.Since(m.began)
	m.p, m.floor.mixture = nil, nil // the problem may be large
}

// errNoContext is what a nil context deserves: a message instead of a nil dereference.
var errNoContext = errors.New("runtime: nil context")
