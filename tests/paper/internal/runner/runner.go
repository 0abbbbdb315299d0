// Package runner minimises the objective of a model over all rows by the methods that So and Turner (2024) compare where steps are
// found by line search, each from the same target.
package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/baseline/general"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
)

// Runner minimises the objective of a model from z, coordinates of the surrogate.
type Runner func(ctx context.Context, m runtime.Model, z []float64, s runtime.Settings) (*End, error)

// End is the result of a run with the parameters of the target there.
type End struct {
	*runtime.Result
	Theta []float64
}

// FullMemory makes limited memory L-BFGS remember every step of a run: BFGS.
const FullMemory = 1000

// OnSurrogate steps the coordinates of the surrogate.
func OnSurrogate(f runtime.Method, rule runtime.StepRule) Runner {
	return func(ctx context.Context, m runtime.Model, z []float64, s runtime.Settings) (*End, error) {
		return minimize(ctx, m, m, m.Theta, z, f, rule, s)
	}
}

// Plain steps coordinates without constraints, by gradients: with the method SNGD it is gradient descent, with L-BFGS of full memory
// BFGS.
func Plain(f runtime.Method, rule runtime.StepRule) Runner {
	return func(ctx context.Context, m runtime.Model, z []float64, s runtime.Settings) (*End, error) {
		u, x, err := unconstrained(m, z)
		if err != nil {
			return nil, err
		}
		return minimize(ctx, m, baseline.Euclidean(u), u.Theta, x, f, rule, s)
	}
}

// Gonum is a method of gonum in the same coordinates.
func Gonum(name string) Runner {
	return func(ctx context.Context, m runtime.Model, z []float64, s runtime.Settings) (*End, error) {
		u, x, err := unconstrained(m, z)
		if err != nil {
			return nil, err
		}
		r, err := general.Run(ctx, u, x, name, &s)
		return finished(m, u.Theta, r, err)
	}
}

// Natural is natural gradient descent under the target in coordinates without constraints, NGD of the paper.
func Natural(rule runtime.StepRule) Runner {
	return func(ctx context.Context, m runtime.Model, z []float64, s runtime.Settings) (*End, error) {
		informed, ok := m.(baseline.InformedModel)
		if !ok {
			return nil, fmt.Errorf("runner: %s has no Fisher matrix", m.Info().Name)
		}
		u := informed.Unconstrained()
		p, err := baseline.Natural(informed)
		if err != nil {
			return nil, err
		}
		return minimize(ctx, m, p, u.Theta, grid.Coordinates(m, u, z), runtime.SNGD{}, rule, s)
	}
}

// NaturalSurrogate is natural gradient descent under the target in the coordinates of the surrogate, NGD-g of the paper.
func NaturalSurrogate(rule runtime.StepRule) Runner {
	return func(ctx context.Context, m runtime.Model, z []float64, s runtime.Settings) (*End, error) {
		informed, ok := m.(baseline.InformedModel)
		if !ok {
			return nil, fmt.Errorf("runner: %s has no Fisher matrix", m.Info().Name)
		}
		p, err := baseline.NaturalSurrogate(informed)
		if err != nil {
			return nil, err
		}
		return minimize(ctx, m, p, m.Theta, z, runtime.SNGD{}, rule, s)
	}
}

func minimize(ctx context.Context, m runtime.Model, p runtime.Problem, theta func(dst, x []float64), x []float64, f runtime.Method,
	rule runtime.StepRule, s runtime.Settings) (*End, error) {
	s.Method, s.Step = f, rule
	r, err := runtime.Minimize(ctx, p, x, &s)
	return finished(m, theta, r, err)
}

func finished(m runtime.Model, theta func(dst, x []float64), r *runtime.Result, err error) (*End, error) {
	if r == nil {
		return nil, err
	}
	e := &End{r, make([]float64, grid.LengthOfTheta(m))}
	theta(e.Theta, r.Z)
	return e, err
}

// unconstrained returns the objective in charts of the parameters, which some models have by themselves, and the coordinates there of a
// point.
func unconstrained(m runtime.Model, z []float64) (runtime.Unconstrained, []float64, error) {
	if own, ok := m.(interface{ Unconstrained() runtime.Unconstrained }); ok {
		if u := own.Unconstrained(); u != nil {
			return u, grid.Coordinates(m, u, z), nil
		}
	}
	u, err := baseline.Charts(m, baseline.CovarianceCholesky)
	if err != nil {
		return nil, nil, err
	}
	return u, grid.Coordinates(m, u, z), nil
}

// Course runs a method and returns its samples, timed by a clock from the first one, with the end. A run that cannot go on
// is an outcome.
func Course(ctx context.Context, run Runner, m runtime.Model, z []float64, s runtime.Settings, now func() time.Duration) (grid.Run, *End, error) {
	var r grid.Run
	var began time.Duration
	s.Recorder = runtime.RecorderFunc(func(it *runtime.Iteration) error {
		if len(r.Samples) == 0 {
			began = now()
		}
		r.Samples = append(r.Samples, grid.Sample{Step: it.Index, Seconds: (now() - began).Seconds(), Loss: it.Loss})
		return nil
	})
	end, err := run(ctx, m, z, s)
	var stuck *runtime.Error
	switch {
	case ctx.Err() != nil:
		return r, nil, ctx.Err()
	case end == nil || len(r.Samples) == 0:
		return r, nil, errors.Join(err, fmt.Errorf("%s: no start", m.Info().Name))
	case err != nil && !errors.As(err, &stuck) && end.Status != runtime.Failed:
		return r, nil, err
	}
	return r, end, nil
}

// enough is the time after which a run is not repeated any more, but for leastRepeats.
const (
	enough       = 100 * time.Millisecond
	leastRepeats = 3
)

// Fastest repeats a run, of which only the times differ, and returns that which took least time: short runs are slowed by caches that are
// empty and by the collector of garbage.
func Fastest(ctx context.Context, repeats int, run Runner, m runtime.Model, z []float64, s runtime.Settings, now func() time.Duration) (grid.Run, *End, error) {
	var best grid.Run
	var end *End
	began := now()
	for i := 0; i < repeats && (i < leastRepeats || now()-began < enough); i++ {
		r, e, err := Course(ctx, run, m, z, s, now)
		if err != nil {
			return r, nil, err
		}
		if last := len(r.Samples) - 1; i == 0 || last >= 0 && r.Samples[last].Seconds < best.Samples[len(best.Samples)-1].Seconds {
			best, end = r, e
		}
	}
	return best, end, nil
}
