// Package general runs the optimisers of gonum on objectives in unconstrained coordinates, to compare with. Linking it makes
// the methods bfgs, lbfgs, cg and newton available to package estimate.
package general

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

func init() { estimate.RegisterGeneral(Run) }

// Methods are the names that Run accepts, all of them methods of gonum/optimize.
var Methods = []string{"bfgs", "lbfgs", "cg", "newton", "gradient-descent", "nelder-mead"}

// methodOf returns a method of gonum with the line search that is its default, up to flatSearch.
func methodOf(name string) optimize.Method {
	off := math.NaN() // gonum's own gradient threshold: ours is in the settings
	switch name {
	case "bfgs":
		return &optimize.BFGS{GradStopThreshold: off, Linesearcher: &flatSearch{inner: &optimize.Bisection{}}}
	case "lbfgs":
		return &optimize.LBFGS{GradStopThreshold: off, Linesearcher: &flatSearch{inner: &optimize.Bisection{}}}
	case "cg":
		return &optimize.CG{GradStopThreshold: off,
			Linesearcher: &flatSearch{inner: &optimize.MoreThuente{CurvatureFactor: 0.1}}}
	case "newton":
		return &optimize.Newton{GradStopThreshold: off, Linesearcher: &flatSearch{inner: &optimize.Bisection{}}}
	case "gradient-descent":
		return &optimize.GradientDescent{GradStopThreshold: off,
			Linesearcher: &flatSearch{inner: &optimize.Backtracking{}}}
	case "nelder-mead":
		return &optimize.NelderMead{}
	}
	return nil
}

// GradientTolerance is the default of Run: the largest component of the gradient.
const GradientTolerance = 1e-11

// Problem returns the objective for gonum/optimize. Where it is undefined Func returns +Inf, because gonum's line
// searches shorten a step on an infinite value but end on NaN; Grad returns zeros there. Hess symmetrises.
func Problem(u runtime.Unconstrained) optimize.Problem {
	h := make([]float64, u.Dim()*u.Dim())
	return optimize.Problem{
		Func: func(x []float64) float64 {
			return finiteOrInf(u.Loss(x))
		},
		Grad: func(grad, x []float64) {
			u.Gradient(grad, x)
			for _, g := range grad {
				if math.IsNaN(g) {
					clear(grad)
					return
				}
			}
		},
		Hess: func(hess *mat.SymDense, x []float64) {
			u.Hessian(h, x)
			n := len(x)
			for i := range n {
				for j := i; j < n; j++ {
					hess.SetSym(i, j, (h[i*n+j]+h[j*n+i])/2)
				}
			}
		},
	}
}

func finiteOrInf(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return math.Inf(1)
	}
	return f
}

// Run minimises u from u0 by the method of gonum with the given name, one of Methods. Of the settings,
// GradientTolerance bounds the largest component of the gradient (0 means GradientTolerance, the constant), and
// LossTolerance, MaxIterations, MaxEvaluations and Recorder mean what they mean to runtime.Minimize; Method and Step are
// ignored. Result.Z holds unconstrained coordinates, Result.NaturalNorm the Euclidean norm of the gradient (NaN for
// nelder-mead). A line search that fails where the gradient is below 1e-6 is PrecisionReached.
func Run(ctx context.Context, u runtime.Unconstrained, u0 []float64, method string, s *runtime.Settings) (*runtime.Result, error) {
	gm := methodOf(method)
	if gm == nil {
		return nil, fmt.Errorf("general: unknown method %q", method)
	}
	if len(u0) != u.Dim() {
		return nil, fmt.Errorf("general: the start has %d coordinates, the problem %d", len(u0), u.Dim())
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s == nil {
		s = new(runtime.Settings)
	}
	p := Problem(u)
	rec := &recorder{to: s.Recorder, began: time.Now()}
	p.Status = func() (optimize.Status, error) {
		if ctx.Err() != nil {
			return optimize.Failure, context.Cause(ctx)
		}
		if rec.trials++; rec.trials > maxTrials && method != "nelder-mead" {
			return optimize.Failure, errStuck
		}
		return optimize.NotTerminated, nil
	}
	found, err := optimize.Minimize(p, u0, settingsOf(s, rec, method), gm)
	if found == nil {
		found = new(optimize.Result)
	}
	if found.MajorIterations == 0 { // gonum has no point to show before its first iteration
		found.X, found.F = u0, u.Loss(u0)
	}
	if err == nil {
		err = rec.last(found)
	}
	if k := notANumber(u, found.X); k >= 0 && method != "nelder-mead" && (err == nil || atLimit(err)) {
		err = fmt.Errorf("general: the gradient of coordinate %d is NaN", k)
	}
	return outcome(ctx, found, rec, err)
}

// notANumber is the first coordinate whose derivative is none at x, -1 where all are numbers: there Problem has zeros, which are no stationary point.
func notANumber(u runtime.Unconstrained, x []float64) int {
	g := make([]float64, len(x))
	u.Gradient(g, x)
	return slices.IndexFunc(g, math.IsNaN)
}

func settingsOf(s *runtime.Settings, rec *recorder, method string) *optimize.Settings {
	g := &optimize.Settings{
		GradientThreshold: s.GradientTolerance,
		MajorIterations:   s.MaxIterations + 1, // gonum counts the start
		FuncEvaluations:   s.MaxEvaluations,
		Converger:         optimize.NeverTerminate{},
		Recorder:          rec,
	}
	if g.GradientThreshold == 0 {
		g.GradientThreshold = GradientTolerance
	}
	if s.MaxIterations == 0 {
		g.MajorIterations = 10_000 + 1
	}
	// A simplex has no gradient to stop on: it ends when the loss does not move.
	if s.LossTolerance > 0 || method == "nelder-mead" {
		g.Converger = &optimize.FunctionConverge{Relative: max(s.LossTolerance, 1e-15), Iterations: 50}
	}
	return g
}

// outcome translates a gonum result.
func outcome(ctx context.Context, found *optimize.Result, rec *recorder, err error) (*runtime.Result, error) {
	r := &runtime.Result{
		Z:                   slices.Clone(found.X),
		Loss:                found.F,
		NaturalNorm:         math.NaN(),
		Iterations:          max(0, found.MajorIterations-1),
		LossEvaluations:     found.FuncEvaluations,
		GradientEvaluations: found.GradEvaluations,
		Elapsed:             time.Since(rec.began),
	}
	if found.Gradient != nil {
		r.NaturalNorm = floats.Norm(found.Gradient, 2)
	}
	r.Status = statusOf(ctx, found, rec, err)
	r.Message = r.Status.String()
	switch {
	case r.Status == runtime.PrecisionReached:
		return r, nil
	case err != nil:
		r.Message = err.Error()
		return r, err
	case r.Status == runtime.Failed:
		r.Message = "gonum: " + found.Status.String()
		return r, errors.New(r.Message)
	}
	return r, nil
}

func statusOf(ctx context.Context, found *optimize.Result, rec *recorder, err error) runtime.Status {
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return runtime.Cancelled
	}
	if err != nil && !rec.failed && floats.Norm(found.Gradient, math.Inf(1)) < 1e-6 && atLimit(err) {
		return runtime.PrecisionReached
	}
	if err != nil {
		return runtime.Failed
	}
	switch found.Status {
	case optimize.GradientThreshold:
		return runtime.GradientConverged
	case optimize.FunctionConvergence, optimize.StepConvergence, optimize.MethodConverge, optimize.Success:
		return runtime.LossConverged
	case optimize.IterationLimit:
		return runtime.IterationLimit
	case optimize.FunctionEvaluationLimit, optimize.GradientEvaluationLimit, optimize.HessianEvaluationLimit:
		return runtime.EvaluationLimit
	}
	return runtime.Failed
}

// atLimit reports whether an error of gonum can mean that floating point is exhausted.
func atLimit(err error) bool {
	return errors.Is(err, optimize.ErrLinesearcherFailure) || errors.Is(err, optimize.ErrNoProgress) ||
		errors.Is(err, optimize.ErrNonDescentDirection) || errors.Is(err, errStuck) || errors.Is(err, optimize.ErrLinesearcherBound)
}

// recorder passes gonum's major iterations on.
type recorder struct {
	to     runtime.Recorder
	began  time.Time
	index  int
	trials int // evaluations since the last iteration
	failed bool
}

// Init starts the count.
func (r *recorder) Init() error { return nil }

// Record is called after every operation; the major iterations are the points of the run.
func (r *recorder) Record(l *optimize.Location, op optimize.Operation, stats *optimize.Stats) error {
	if op != optimize.MajorIteration {
		return nil
	}
	r.trials = 0
	return r.pass(l, stats)
}

// last passes on the point that ended the run, of which gonum does not tell its recorder.
func (r *recorder) last(found *optimize.Result) error {
	if r.index >= found.MajorIterations {
		return nil
	}
	return r.pass(&found.Location, &found.Stats)
}

func (r *recorder) pass(l *optimize.Location, stats *optimize.Stats) error {
	if r.to == nil {
		return nil
	}
	it := runtime.Iteration{
		Index: r.index, Evaluations: stats.FuncEvaluations + stats.GradEvaluations,
		Loss: l.F, NaturalNorm: math.NaN(), Step: math.NaN(), Z: l.X, Elapsed: time.Since(r.began),
	}
	if l.Gradient != nil {
		it.NaturalNorm = floats.Norm(l.Gradient, 2)
	}
	r.index++
	err := r.to.Record(&it)
	r.failed = r.failed || err != nil
	return err
}
