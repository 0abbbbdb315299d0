package estimate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// Stochastic says how steps are scheduled, where none is searched for: see runtime.Stochastic. For the method sngd it
// speaks of the coordinates of the surrogate, and of the optimiser of the auxiliary parameters; for gd and adam of all
// coordinates.
type Stochastic struct {
	// Batch is the number of rows of each gradient; 0 means all.
	Batch int `json:"batch,omitempty"`
	// Replace draws rows with replacement, instead of going through all of them in random order.
	Replace bool `json:"replace,omitempty"`
	// Steps and Epochs end the run; 0 means no limit, and 10,000 steps if both are 0.
	Steps  int     `json:"steps,omitempty"`
	Epochs float64 `json:"epochs,omitempty"`
	// Rate is the length of the first step, as a multiple of the (natural) gradient, and that of Adam for adam. 0 means
	// 0.1 for sngd, 0.01 for gd and 0.001 for adam.
	Rate float64 `json:"rate,omitempty"`
	// Schedule is one of Schedules. "" means decay for the steps of the surrogate, constant for all others; a name is for
	// both.
	Schedule string `json:"schedule,omitempty"`
	// Optimizer is one of Optimizers, for the auxiliary parameters of sngd; "" means adam.
	Optimizer string `json:"optimizer,omitempty"`
	// OptimizerRate is its rate; 0 means its default.
	OptimizerRate float64 `json:"optimizer_rate,omitempty"`
}

// Schedules are the names of schedules: (1 + k/100)^-0.75 times the first step, the same step always, and half a period of
// the cosine down to 0 at the end of the run.
var Schedules = []string{"decay", "constant", "cosine"}

// Optimizers are the names of methods for auxiliary parameters.
var Optimizers = []string{"adam", "amsgrad", "adagrad", "rmsprop", "sgd"}

func optimizer(name string, rate float64) runtime.Optimizer {
	switch name {
	case "amsgrad":
		return runtime.AMSGrad{Rate: rate}
	case "adagrad":
		return runtime.Adagrad{Rate: rate}
	case "rmsprop":
		return runtime.RMSProp{Rate: rate}
	case "sgd":
		return runtime.SGD{Rate: rate}
	}
	return runtime.Adam{Rate: rate}
}

// stochasticMethods are those of Methods that take a Stochastic.
var stochasticMethods = []string{"", "auto", "sngd", "gd", "adam"}

// stochastic reports whether steps are scheduled.
func (r *Settings) stochastic() bool {
	return r.bound || r.Method == "adam" || r.Stochastic != (Stochastic{})
}

func (r *Settings) checkStochastic() error {
	s := &r.Stochastic
	if !r.stochastic() {
		return nil
	}
	switch {
	case !slices.Contains(stochasticMethods, r.Method):
		return fmt.Errorf("batches, steps, epochs, rates and schedules are for the methods sngd, gd and adam, not for %s", r.Method)
	case r.LineSearch != "":
		return errors.New("a line search has no place where the steps are scheduled")
	case r.GradientTolerance > 0 || r.MaxIterations > 0:
		return errors.New("where the steps are scheduled a run ends after so many steps or epochs, " +
			"not by a tolerance or a limit of iterations")
	case s.Batch < 0 || s.Steps < 0:
		return errors.New("the numbers of rows in a batch and of steps cannot be negative")
	case s.Replace && s.Batch == 0:
		return errors.New("rows are drawn with replacement for batches only: how many rows has one?")
	case s.Schedule != "" && !slices.Contains(Schedules, s.Schedule):
		return unknown("schedule", s.Schedule, Schedules)
	case s.Optimizer != "" && !slices.Contains(Optimizers, s.Optimizer):
		return unknown("optimiser", s.Optimizer, Optimizers)
	case (s.Optimizer != "" || s.OptimizerRate != 0) && (r.Method == "gd" || r.Method == "adam"):
		return fmt.Errorf("the optimiser is that of the auxiliary parameters of sngd: %s has its rate only", r.Method)
	}
	for _, x := range []struct {
		what  string
		value float64
	}{{"number of epochs", s.Epochs}, {"rate", s.Rate}, {"rate of the optimiser", s.OptimizerRate}} {
		if !(x.value >= 0) || math.IsInf(x.value, 0) {
			return fmt.Errorf("the %s cannot be %v", x.what, x.value)
		}
	}
	return nil
}

// settings are those of package runtime for data of so many rows.
func (r *Settings) settings(rows int) *runtime.Stochastic {
	s := &r.Stochastic
	out := &runtime.Stochastic{Batch: s.Batch, Seed: r.Seed, MaxSteps: s.Steps, MaxEpochs: s.Epochs,
		WeightFloor: r.WeightFloor}
	if s.Replace {
		out.Sampling = runtime.WithReplacement
	}
	switch r.Method {
	case "gd":
		out.Auxiliary = runtime.SGD{Rate: s.Rate}
	case "adam":
		out.Auxiliary = runtime.Adam{Rate: s.Rate}
	default:
		out.Auxiliary = optimizer(s.Optimizer, s.OptimizerRate)
		out.Step = schedule(s.Schedule, s.Rate, s.length(rows))
	}
	if s.Schedule != "" {
		out.AuxiliaryScale = schedule(s.Schedule, 1, s.length(rows))
	}
	return r.boundSettings(out)
}

const (
	defaultRate  = 0.1
	defaultSteps = 10_000
	decayDelay   = 100
	decayPower   = 0.75
)

func schedule(name string, rate float64, steps int) runtime.Schedule {
	if rate == 0 {
		rate = defaultRate
	}
	switch name {
	case "constant":
		return runtime.Constant{Step: rate}
	case "cosine":
		return runtime.Cosine{First: rate, Iterations: steps}
	}
	return runtime.Decay{First: rate, Delay: decayDelay, Power: decayPower}
}

// length is the number of steps of a run.
func (s *Stochastic) length(rows int) int {
	steps := math.Inf(1)
	if s.Steps > 0 {
		steps = float64(s.Steps)
	}
	if s.Epochs > 0 {
		epoch := 1.0
		if s.Batch > 0 {
			epoch = float64(rows) / float64(s.Batch)
		}
		steps = math.Min(steps, math.Ceil(s.Epochs*epoch))
	}
	if math.IsInf(steps, 0) {
		return defaultSteps
	}
	return int(steps)
}

// Course describes a run of scheduled steps.
type Course struct {
	Batch     int     `json:"batch"`    // rows of each gradient
	Sampling  string  `json:"sampling"` // of these rows; "all rows" where a batch is all
	Epochs    float64 `json:"epochs"`   // how many times the rows were gone through
	Optimizer string  `json:"optimizer"`
	RollBacks int     `json:"roll_backs"` // how many times the run left the domain and went back
}

func (r *Settings) course(rows int, res *runtime.Result) *Course {
	s := r.settings(rows)
	c := &Course{Batch: s.Batch, Sampling: s.Sampling.String(), Epochs: res.Epochs, Optimizer: s.Auxiliary.String(),
		RollBacks: res.RollBacks}
	if s.Batch == 0 {
		c.Batch, c.Sampling = rows, "all rows"
	}
	return c
}
