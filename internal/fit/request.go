// Package fit is what the command does with a model: it fits it by a named method, from one start or many, and reports
// the estimates, their standard errors and what there is to say about the run.
package fit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/runtime"
)

// Request says how to fit. The zero value is a good default.
type Request struct {
	// Method is one of Methods; "" means "auto".
	Method string `json:"method,omitempty"`
	// LineSearch is one of LineSearches, for the methods that run in the loop of package runtime; "" means the default
	// of the method.
	LineSearch string `json:"line_search,omitempty"`
	// Seed of the random starts. Equal seeds give equal reports, whatever the number of processors.
	Seed uint64 `json:"seed,omitempty"`
	// Starts is the number of starting points: first those that are formulas of the data, then random ones. 0 means 1.
	Starts int `json:"starts,omitempty"`
	// MaxIterations of each run; 0 means the default of package runtime.
	MaxIterations int `json:"max_iterations,omitempty"`
	// GradientTolerance of each run; 0 means the default of the method.
	GradientTolerance float64 `json:"gradient_tolerance,omitempty"`
	// Level is the confidence level of the intervals, for example 0.95; 0 means no intervals.
	Level float64 `json:"level,omitempty"`
}

// Methods are the names a Request accepts.
//
// sngd and nlbfgs run on the surrogate (see package runtime); auto is nlbfgs for a deterministic objective, else sngd.
// The others are baselines (see package runtime/baseline): gd is gradient descent in unconstrained coordinates; bfgs,
// lbfgs, cg and newton are gonum's; ngd is natural gradient descent under the target, ngd-g the same in the coordinates
// of the surrogate.
var Methods = []string{"auto", "sngd", "nlbfgs", "gd", "bfgs", "lbfgs", "cg", "newton", "ngd", "ngd-g"}

// gonumMethods are those of Methods that gonum runs.
var gonumMethods = []string{"bfgs", "lbfgs", "cg", "newton"}

// LineSearches are the names a Request accepts; see the step rules of package runtime.
var LineSearches = []string{"exact", "grid", "wolfe", "backtracking", "constant"}

func stepRule(name string) runtime.StepRule {
	switch name {
	case "exact":
		return runtime.ExactLineSearch{}
	case "grid":
		return runtime.GridSearch{}
	case "wolfe":
		return runtime.Wolfe{}
	case "backtracking":
		return runtime.Backtracking{}
	case "constant":
		return runtime.Constant{}
	}
	return nil
}

// check fills in the defaults that depend on the model, or explains what cannot be done.
func (r *Request) check(info *runtime.Info) error {
	if r.Method == "" {
		r.Method = "auto"
	}
	if !slices.Contains(Methods, r.Method) {
		return fmt.Errorf("unknown method %q: choose one of %s", r.Method, strings.Join(Methods, ", "))
	}
	if r.LineSearch != "" && !slices.Contains(LineSearches, r.LineSearch) {
		return fmt.Errorf("unknown line search %q: choose one of %s", r.LineSearch, strings.Join(LineSearches, ", "))
	}
	if r.LineSearch != "" && slices.Contains(gonumMethods, r.Method) {
		return fmt.Errorf("method %s has a line search of its own", r.Method)
	}
	if !(r.Level >= 0 && r.Level < 1) {
		return fmt.Errorf("confidence level %v is not between 0 and 1", r.Level)
	}
	if r.Starts < 0 || r.MaxIterations < 0 {
		return fmt.Errorf("the numbers of starts and iterations cannot be negative")
	}
	if !(r.GradientTolerance >= 0) {
		return fmt.Errorf("the tolerance %v is not a positive number", r.GradientTolerance)
	}
	if r.Method == "auto" {
		if r.Method = "sngd"; info.Deterministic {
			r.Method = "nlbfgs"
		}
	}
	r.Starts = max(r.Starts, 1)
	return nil
}
