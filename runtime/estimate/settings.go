package estimate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/workers"
)

// Settings says how to fit. The zero value is a good default.
type Settings struct {
	// Method is one of Methods; "" means "auto".
	Method string `json:"method,omitempty"`
	// LineSearch is one of LineSearches, for the methods that run in the loop of package runtime; "" means the default
	// of the method.
	LineSearch string `json:"line_search,omitempty"`
	// Seed of the random starts. Equal seeds give equal reports, whatever the number of processors.
	Seed uint64 `json:"seed,omitempty"`
	// Starts is the number of starting points: first those that are formulas of the data, then random ones. 0 means all
	// that are formulas and some random ones, more where those before did not end at one optimum.
	Starts int `json:"starts,omitempty"`
	// MaxIterations of each run; 0 means the default of package runtime.
	MaxIterations int `json:"max_iterations,omitempty"`
	// GradientTolerance of each run; 0 means the default of the method.
	GradientTolerance float64 `json:"gradient_tolerance,omitempty"`
	// Root is the choice of coordinates of positive definite matrices, one of Roots, for the methods that work in
	// unconstrained coordinates. "" means the first.
	Root string `json:"root,omitempty"`
	// Stochastic makes sngd and gd take scheduled steps, over minibatches or not, if any of its fields is set; adam always
	// does.
	Stochastic Stochastic `json:"stochastic,omitzero"`
	// Level is the confidence level of the intervals; 0 means 0.95.
	Level float64 `json:"level,omitempty"`
	// Components is the number of components of a mixture; 0 leaves it as it is in the model.
	Components int `json:"components,omitempty"`
	// WeightFloor is what the weights of the components of a mixture are raised to after each step, for the methods that
	// step the coordinates of the surrogate. 0 means that weights are left alone.
	WeightFloor float64 `json:"weight_floor,omitempty"`

	// Penalty subtracts the penalty of the spec from the log-likelihood, where there is one: then estimates may be finite
	// where the likelihood has no maximum. See Info().Penalty.
	Penalty bool `json:"penalty,omitempty"`

	// Details asks for what goes beyond the report. Of posteriors there are traces only, of ladders none.
	Details DetailRequest `json:"details,omitzero"`

	// Variational are the settings of a variational objective, for Approximate.
	Variational Variational `json:"variational,omitzero"`
	// Init is where the run starts, instead of where the model says: see Fitted.Point and Approximation.Point. A likelihood is followed from
	// there alone: other optima are not looked for.
	Init *Point `json:"init,omitempty"`
	// Checkpoint is where Fit and Compare keep the gradients that they have evaluated, so that they go on where they were stopped when they
	// are called again.
	Checkpoint Checkpoint `json:"checkpoint,omitzero"`
	// Workers is how many goroutines share the work: starts, and passes over many rows. 0 means as many as there are processors. What comes
	// out does not depend on it.
	Workers int `json:"workers,omitempty"`
	// Progress, unless it is nil, is called with points that the runs come to, by one goroutine at a time, which waits for it to
	// return. What comes out does not depend on it.
	Progress func(Progress) `json:"-"`
	// Room gives memory for numbers of every row, as the probabilities of the components of a mixture: see runtime.Data.Room. Nil stands for memory of Go.
	Room func(numbers int) ([]float64, error) `json:"-"`

	perRow        *perRow
	pool          *workers.Pool // who shares the work
	bound         bool          // the objective is an evidence lower bound
	lossTolerance float64       // of short runs: see runtime.Settings
	// maxEvaluations of each run; 0 means no limit.
	maxEvaluations int
	seeds          [][]int    // groups of the rows to start from, beside the other starts
	unguarded      bool       // runs of mixtures are not watched for collapses: who started them looks at their ends
	known          []*attempt // optima that runs need not come to in all digits
	facts          *facts     // about the rows of a mixture, where a search has found them out
	// mostSteps ends stochastic steps on a bound that were given no length.
	mostSteps int
	// auxiliaries is the number of auxiliary coordinates, of one component of a mixture.
	auxiliaries int
	// chosen is whether the method was not named.
	chosen  bool
	tracer  *tracer  // nil where nobody has asked for the course of the runs
	journal *journal // the checkpoint, where there is one
}

// Methods are the names a Settings accepts.
//
// sngd and nlbfgs run on the surrogate (see package runtime); for posteriors saa is sngd on the sample average over fixed draws,
// exact is sngd on the bound without draws, where that is known (runtime.Exact), and ep expectation propagation (see package ep).
// auto is nlbfgs for a deterministic objective, exact or saa for a posterior, ep, which others have where they have sites, for one whose spec asks for it, and sngd where
// minibatches are asked for. The others are baselines (see package runtime/baseline): gd is gradient descent in unconstrained
// coordinates, adam the method of that name there; bfgs, lbfgs, cg and newton are gonum's; ngd is natural gradient descent under
// the target, ngd-g the same in the coordinates of the surrogate.
var Methods = []string{"auto", "exact", "saa", "ep", "sngd", "nlbfgs", "gd", "adam", "bfgs", "lbfgs", "cg", "newton", "ngd", "ngd-g"}

// gonumMethods are those of Methods that gonum runs.
var gonumMethods = []string{"bfgs", "lbfgs", "cg", "newton"}

// LineSearches are the names a Settings accepts; see the step rules of package runtime.
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

// roots are the coordinates of positive definite matrices by name.
var roots = []struct {
	name string
	root baseline.Root
}{
	{"covariance-cholesky", baseline.CovarianceCholesky},
	{"covariance-root", baseline.CovarianceRoot},
	{"precision-cholesky", baseline.PrecisionCholesky},
	{"precision-root", baseline.PrecisionRoot},
}

// Roots are the names a Settings accepts for Root: the triangular square root of a positive definite matrix, any square root
// of it, and the same of its inverse. See baseline.Root.
var Roots = func() (names []string) {
	for _, r := range roots {
		names = append(names, r.name)
	}
	return names
}()

func (r *Settings) root() baseline.Root {
	for _, known := range roots {
		if known.name == r.Root {
			return known.root
		}
	}
	return roots[0].root
}

// surrogateMethods are those of Methods that step the coordinates of the surrogate.
var surrogateMethods = []string{"auto", "exact", "saa", "ep", "sngd", "nlbfgs", "ngd-g"}

// penalisedMethods are those of Methods that take an objective as it is: others know the Fisher information of the target, or
// take second derivatives.
var penalisedMethods = []string{"", "auto", "sngd", "nlbfgs", "gd", "adam", "bfgs", "lbfgs", "cg"}

// unconstrained reports whether the method works in unconstrained coordinates.
func (r *Settings) unconstrained() bool { return !slices.Contains(surrogateMethods, r.Method) }

// Check reports what no model can make sense of.
func (r *Settings) Check() error {
	switch method := r.Method; {
	case method != "" && !slices.Contains(Methods, method):
		return unknown("method", method, Methods)
	case r.LineSearch != "" && !slices.Contains(LineSearches, r.LineSearch):
		return unknown("line search", r.LineSearch, LineSearches)
	case r.LineSearch != "" && slices.Contains(gonumMethods, method):
		return fmt.Errorf("method %s has a line search of its own", method)
	case slices.Contains(gonumMethods, method) && general == nil:
		return fmt.Errorf("method %s needs gonum's optimisers: import github.com/sngdgen/sngdgen/runtime/baseline/general", method)
	case r.Root != "" && !slices.Contains(Roots, r.Root):
		return unknown("root", r.Root, Roots)
	case r.Root != "" && (method == "" || !r.unconstrained()):
		return fmt.Errorf("the root of a matrix is for methods in unconstrained coordinates: gd, adam, bfgs, lbfgs and cg")
	case !(r.Level >= 0 && r.Level < 1):
		return fmt.Errorf("confidence level %v is not between 0 and 1", r.Level)
	case r.Starts < 0 || r.MaxIterations < 0:
		return fmt.Errorf("the numbers of starts and iterations cannot be negative")
	case r.Workers < 0:
		return fmt.Errorf("the number of workers cannot be %d", r.Workers)
	case r.Components < 0:
		return fmt.Errorf("the number of components cannot be %d", r.Components)
	case !(r.WeightFloor >= 0 && r.WeightFloor < 1):
		return fmt.Errorf("the floor %v of the weights is not between 0 and 1", r.WeightFloor)
	case r.WeightFloor > 0 && !slices.Contains([]string{"", "auto", "sngd", "nlbfgs"}, r.Method):
		return fmt.Errorf("a floor of the weights is for the methods sngd and nlbfgs, not for %s", r.Method)
	case r.Penalty && !slices.Contains(penalisedMethods, method):
		return fmt.Errorf("a penalty is for the methods %s", strings.Join(penalisedMethods[1:], ", "))
	case r.Penalty && r.Stochastic.Batch > 0:
		return fmt.Errorf("a penalty is that of all rows: it cannot be had over batches")
	case !(r.GradientTolerance >= 0):
		return fmt.Errorf("the tolerance %v is not a positive number", r.GradientTolerance)
	}
	return cmp.Or(r.Variational.check(), r.checkStochastic())
}

func unknown(what, name string, known []string) error {
	return fmt.Errorf("unknown %s %q: choose one of %s", what, name, strings.Join(known, ", "))
}

// checkWeightFloor reports a floor of weights that a model cannot have.
func checkWeightFloor(m runtime.Model, floor float64) error {
	switch k := componentsOf(m); {
	case floor > 0 && k == 0:
		return fmt.Errorf("%s is no mixture: it has no weights that a floor could hold", m.Info().Name)
	case floor > 0 && floor*float64(k) >= 1:
		return fmt.Errorf("%d weights cannot all be above a floor of %v: it must be below 1/%d", k, floor, k)
	}
	return nil
}

const defaultLevel = 0.95

// fill fills in the method that depends on the model, or explains what cannot be done with it.
func (r *Settings) fill(m runtime.Model) error {
	if err := r.Check(); err != nil {
		return err
	}
	if r.Level == 0 {
		r.Level = defaultLevel
	}
	info := m.Info()
	if _, ok := m.(runtime.Variational); ok {
		return fmt.Errorf("the objective of %s is an evidence lower bound, not a likelihood: it is for Approximate", info.Name)
	}
	if r.Init != nil && r.Starts > 1 {
		return errors.New("a former result is one start, not several")
	}
	if err := checkWeightFloor(m, r.WeightFloor); err != nil {
		return err
	}
	if r.Method == "" || r.Method == "auto" {
		if r.Method = "sngd"; info.Deterministic && !r.stochastic() {
			r.Method = "nlbfgs"
		}
	}
	if _, ok := m.(baseline.InformedModel); !ok && (r.Method == "ngd" || r.Method == "ngd-g") {
		return fmt.Errorf("method %s needs the Fisher matrix of the target, which %s does not offer", r.Method, info.Name)
	}
	if r.Method == "newton" && !info.Hessian {
		return fmt.Errorf("method newton needs second derivatives, which %s does not offer: choose bfgs or nlbfgs", info.Name)
	}
	if r.unconstrained() {
		if _, err := Coordinates(m, r.root()); err != nil {
			return fmt.Errorf("method %s is not available: %w; choose sngd or nlbfgs", r.Method, err)
		}
	}
	if info.Ordered && r.Stochastic.Batch > 0 {
		return errSequence(m)
	}
	if rows, _, _ := m.Counts(); r.Stochastic.Batch > rows {
		return fmt.Errorf("a batch of %d rows is larger than the data, which have %d", r.Stochastic.Batch, rows)
	}
	return r.checkCheckpoint()
}
