package runtime

import (
	"slices"
	"time"
)

// Recorder is told of the start (Index 0) and of every step, by Descend of some of them. An error stops the run: it
// ends with Failed, and Minimize or Descend returns the error as it is.
type Recorder interface {
	// Record must not keep or modify the Iteration or its Z, which the next step overwrites.
	Record(*Iteration) error
}

// Iteration is a point of a run.
type Iteration struct {
	Index       int           // number of steps taken so far
	Evaluations int           // calls of Loss and Gradients so far
	Epochs      float64       // of Descend: how many times the rows have been gone through so far
	Loss        float64       // f(Z); in Descend what Stochastic.Evaluate gives
	NaturalNorm float64       // sqrt(c.v) at Z; NaN in Descend
	Step        float64       // multiple of the direction that led here; 0 at the start
	Z           []float64     // coordinates
	Elapsed     time.Duration // since the start; in Descend without the time of recorders and evaluations
}

// RecorderFunc makes a Recorder of a function.
type RecorderFunc func(*Iteration) error

// Record calls the function.
func (f RecorderFunc) Record(it *Iteration) error { return f(it) }

// Trace is a Recorder that keeps a copy of every iteration.
type Trace struct {
	Iterations []Iteration
}

// Record appends a copy.
func (t *Trace) Record(it *Iteration) error {
	c := *it
	c.Z = slices.Clone(it.Z)
	t.Iterations = append(t.Iterations, c)
	return nil
}

// Every passes on iterations 0, n, 2n and so on; n below 1 counts as 1. The last iteration of a run is not special: it
// is in the Result.
func Every(n int, r Recorder) Recorder {
	n = max(n, 1)
	return RecorderFunc(func(it *Iteration) error {
		if it.Index%n != 0 {
			return nil
		}
		return r.Record(it)
	})
}
