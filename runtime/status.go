package runtime

import (
	"fmt"
	"time"
)

// Status says why a run stopped.
type Status int

// The reasons to stop.
const (
	NotTerminated     Status = iota // the run has not ended; never in a Result
	GradientConverged               // the natural norm is within GradientTolerance
	LossConverged                   // the loss no longer falls by more than LossTolerance
	PrecisionReached                // close to an optimum, and floating point allows no better point
	IterationLimit                  // MaxIterations, or Stochastic.MaxSteps
	EvaluationLimit                 // MaxEvaluations
	Cancelled                       // the context was cancelled or timed out
	Failed                          // the error says why
	AtInfinity                      // the loss has no minimum: it keeps falling, ever more slowly, towards infinity
	EpochLimit                      // Stochastic.MaxEpochs
	TimeLimit                       // Stochastic.MaxTime
	BoundConverged                  // the evidence lower bound no longer rises by more than its error: Stochastic.Patience
	Collapsed                       // a component of a mixture explains rows on which its density grows without bound
	SaddlePoint                     // stationary, but the loss falls on both sides along some direction
	Unresolved                      // the sums that stand for integrals or series of the density are not accurate enough there
	MomentsAgree                    // of expectation propagation: the moments of all tilted distributions are those of the approximation
)

var statusNames = [...]string{
	NotTerminated:     "not terminated",
	GradientConverged: "gradient converged",
	LossConverged:     "loss converged",
	PrecisionReached:  "precision reached",
	IterationLimit:    "iteration limit",
	EvaluationLimit:   "evaluation limit",
	Cancelled:         "cancelled",
	Failed:            "failed",
	AtInfinity:        "estimate at infinity",
	EpochLimit:        "epoch limit",
	TimeLimit:         "time limit",
	BoundConverged:    "bound converged",
	Collapsed:         "collapsed",
	SaddlePoint:       "saddle point",
	Unresolved:        "not resolved",
	MomentsAgree:      "moments agree",
}

// String returns the status in words.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statusNames[s]
}

// Converged reports whether the run ended at a stationary point as well as its settings and floating point allow.
func (s Status) Converged() bool {
	return s == GradientConverged || s == LossConverged || s == PrecisionReached || s == BoundConverged || s == MomentsAgree
}

// MarshalText returns the status in words, for JSON and the like.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText is the reverse of MarshalText.
func (s *Status) UnmarshalText(text []byte) error {
	for i, name := range statusNames {
		if name == string(text) {
			*s = Status(i)
			return nil
		}
	}
	return fmt.Errorf("runtime: unknown status %q", text)
}

// Result is the outcome of a run. It describes the last point inside the domain even when the run failed.
type Result struct {
	Z                   []float64     // coordinates
	Loss                float64       // f(Z)
	LossError           float64       // of Descend on a Variational: the standard error of Loss
	NaturalNorm         float64       // sqrt(c.v) at Z
	Iterations          int           // steps taken
	LossEvaluations     int           // calls of Problem.Loss
	GradientEvaluations int           // calls of Problem.Gradients, or of NaturalGradient by Descend
	Epochs              float64       // of Descend: how many times the rows have been gone through
	RollBacks           int           // of Descend: how many times it had to go back to the last verified point
	Halvings            int           // of Descend on a Variational: how often a step was halved that went too near the boundary of the domain, or beyond
	Averaged            int           // of Descend: of how many points Z is the mean, 0 when it is the last one
	Status              Status        // why the run stopped
	Message             string        // the same in a sentence
	Unbounded           []string      // when Status is AtInfinity: the blocks that go there
	Floored             bool          // some weights of the mixture are at WeightFloor
	Elapsed             time.Duration // wall-clock time
}
