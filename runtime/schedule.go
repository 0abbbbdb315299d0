package runtime

import (
	"fmt"
	"math"
)

// Schedule gives the step of every iteration: Constant, Decay, Cosine, ScheduleFunc, or one of the caller's. Those of this
// package are step rules of [Minimize] as well.
type Schedule interface {
	// At returns the step of an iteration, counted from 0.
	At(iteration int) float64
}

// ScheduleFunc makes a Schedule of a function.
type ScheduleFunc func(iteration int) float64

// At calls the function.
func (f ScheduleFunc) At(iteration int) float64 { return f(iteration) }

// Validate implements Validator.
func (f ScheduleFunc) Validate() error {
	if f == nil {
		return &SettingError{"ScheduleFunc", "nil", "a function"}
	}
	return nil
}

// Constant takes the same step every time, whatever the loss does; in [Minimize] at one call of Gradients.
type Constant struct {
	Step float64 // 0 means 1: the whole natural gradient
}

// At returns the step.
func (s Constant) At(int) float64 { return orDefault(s.Step, 1) }

// Validate implements Validator.
func (s Constant) Validate() error { return notNegative("Constant", "Step", s.Step) }

// Decay gives First/(1 + k/Delay)^Power at iteration k. With 1/2 < Power <= 1 the steps sum to infinity and their
// squares do not, as convergence under noise asks for (Robbins and Monro 1951). A Delay of 1 and a Power of 1 from
// First = 1 are the steps 1, 1/2, 1/3, ..., under which natural gradients of the mean parameters of a family that is
// fitted to data average the statistics of all batches seen.
type Decay struct {
	First float64 // 0 means 1
	Delay float64 // iterations; 0 means 100
	Power float64 // 0 means 0.75
}

// At implements Schedule.
func (s Decay) At(k int) float64 {
	return orDefault(s.First, 1) * math.Pow(1+float64(k)/orDefault(s.Delay, 100), -orDefault(s.Power, 0.75))
}

// Validate implements Validator.
func (s Decay) Validate() error {
	return firstOf(
		notNegative("Decay", "First", s.First), notNegative("Decay", "Delay", s.Delay), notNegative("Decay", "Power", s.Power),
	)
}

// Cosine goes from First down to Last along half a period of the cosine, over the given number of iterations, and stays
// there (Loshchilov and Hutter, SGDR: stochastic gradient descent with warm restarts, ICLR 2017, equation 5).
type Cosine struct {
	First      float64 // 0 means 1
	Last       float64
	Iterations int // 1 or more
}

// At implements Schedule.
func (s Cosine) At(k int) float64 {
	if k >= s.Iterations {
		return s.Last
	}
	return s.Last + (orDefault(s.First, 1)-s.Last)*(1+math.Cos(math.Pi*float64(k)/float64(s.Iterations)))/2
}

// Validate implements Validator.
func (s Cosine) Validate() error {
	return firstOf(
		notNegative("Cosine", "First", s.First), notNegative("Cosine", "Last", s.Last), positive("Cosine", "Iterations", s.Iterations),
	)
}

func (Constant) String() string     { return "constant" }
func (Decay) String() string        { return "decay" }
func (Cosine) String() string       { return "cosine" }
func (ScheduleFunc) String() string { return "schedule" }

func (s Constant) next(m *Minimizer) (float64, bool)     { return m.shorten(s.At(0)) }
func (s Decay) next(m *Minimizer) (float64, bool)        { return m.scheduled(s) }
func (s Cosine) next(m *Minimizer) (float64, bool)       { return m.scheduled(s) }
func (f ScheduleFunc) next(m *Minimizer) (float64, bool) { return m.scheduled(f) }

// scheduled takes the step of a schedule.
func (m *Minimizer) scheduled(s Schedule) (float64, bool) {
	t := s.At(m.res.Iterations)
	if !(t > 0 && finite(t)) {
		return m.reject(t, fmt.Sprintf("Settings.Step gave the step %v: it must be finite and above 0", t))
	}
	return m.shorten(t)
}
