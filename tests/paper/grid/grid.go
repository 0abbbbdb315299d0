// Package grid runs methods with the settings of a grid of hyperparameters, with several seeds each, and compares them as So
// and Turner (2024, appendix "Experiment details") do: by the average over the steps of the worst loss of all seeds.
package grid

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/tests/paper/clock"
)

// Checkpoints are where losses are compared. A run ends when it has passed all of them.
type Checkpoints struct {
	Steps   []int
	Seconds []float64 // of the processor
	Every   int       // steps between evaluations
	// Thin, if above 0, is the number of steps after which only every fifth of these is evaluated, and the last.
	Thin  int
	Clock func() time.Duration // nil means clock.Now
}

// now is the time by the clock.
func (c *Checkpoints) now() time.Duration {
	if c.Clock != nil {
		return c.Clock()
	}
	return clock.Now()
}

// Sample is an evaluation of a run.
type Sample struct {
	Step    int
	Seconds float64 // of the processor, since the first sample, without evaluations
	Loss    float64
}

// Run is what became of one setting with one seed.
type Run struct {
	Samples []Sample
	Back    int    // steps that were taken back or left out, and halvings of steps that were too long for the domain
	Fault   string // why it ended early
}

// Result is a setting with its runs, one a seed.
type Result struct {
	Method, Text string
	Runs         []Run
}

// errDone ends a run that has passed all checkpoints.
var errDone = errors.New("all checkpoints passed")

// Watch evaluates a run, times it, and ends it after the last checkpoint: it is the Recorder of the run.
type Watch struct {
	*Checkpoints
	Loss func(z []float64) float64
	Run

	elapsed time.Duration // up to the last sample
	resumed time.Duration // by the clock
}

// Record takes a sample. The check of the start, which is no step, does not count: Adam's evaluates the gradient over
// all rows.
func (w *Watch) Record(it *runtime.Iteration) error {
	if it.Index > 0 {
		w.elapsed += w.now() - w.resumed
	}
	if w.skips(it.Index) {
		w.resumed = w.now()
		return nil
	}
	s := Sample{it.Index, w.elapsed.Seconds(), w.Loss(it.Z)}
	w.Samples = append(w.Samples, s)
	if s.Step >= slices.Max(w.Steps) && (len(w.Seconds) == 0 || s.Seconds >= slices.Max(w.Seconds)) {
		return errDone
	}
	w.resumed = w.now()
	return nil
}

// thinned is how many records have one evaluation later in a run.
const thinned = 5

// skips reports whether a step is not evaluated.
func (w *Watch) skips(step int) bool {
	return w.Thin > 0 && step > w.Thin && step < slices.Max(w.Steps) && step%(thinned*w.Every) != 0
}

// Outcome completes the run with what the loop returned. It keeps the failure of a run, which is a result, apart from an
// error of the experiment.
func (w *Watch) Outcome(res *runtime.Result, err error) (Run, error) {
	if res != nil {
		w.Back = res.RollBacks + res.Halvings
	}
	var failed *runtime.Error
	switch {
	case errors.As(err, &failed) && !failed.Start:
		w.Fault = failed.Error()
	case err != nil && !errors.Is(err, errDone):
		return w.Run, err
	}
	return w.Run, nil
}

// String describes a run in a line.
func (r Run) String() string {
	last := r.Samples[len(r.Samples)-1]
	elapsed := time.Duration(last.Seconds * 1e9).Round(time.Millisecond)
	text := fmt.Sprintf("%.4f after %d steps, %v", last.Loss, last.Step, elapsed)
	if r.Back > 0 {
		text += fmt.Sprintf(", went back %d times", r.Back)
	}
	return strings.TrimSuffix(text+"; "+r.Fault, "; ")
}

// Coordinates converts a point of the surrogate to unconstrained coordinates of the target.
func Coordinates(m runtime.Model, u runtime.Unconstrained, z []float64) []float64 {
	theta, x := make([]float64, LengthOfTheta(m)), make([]float64, u.Dim())
	m.Theta(theta, z)
	u.FromTheta(x, theta)
	return x
}

// LengthOfTheta is the number of entries of all parameters of the target.
func LengthOfTheta(m runtime.Model) int {
	n := 0
	for i := range m.Info().Parameters {
		n += m.Info().Parameters[i].Len(m)
	}
	return n
}

// Dimension is the number of coordinates of a problem.
func Dimension(p runtime.Problem) int {
	n := 0
	for _, b := range p.Blocks() {
		n = max(n, b.Offset+b.Len)
	}
	return n
}
