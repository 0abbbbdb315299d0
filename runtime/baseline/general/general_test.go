package general_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline/general"
)

func start(t testing.TB, m runtime.Model, i int) (z, u []float64) {
	t.Helper()
	z, u = make([]float64, 2), make([]float64, 2)
	th := make([]float64, 2)
	if err := m.Start(z, m.Info().Starts+i, runtime.Stream(7, "start", uint64(i))); err != nil {
		t.Fatal(err)
	}
	m.Theta(th, z)
	m.Unconstrained().FromTheta(u, th)
	return z, u
}

func checkSheep(t *testing.T, th []float64, res *runtime.Result) {
	t.Helper()
	for i, want := range []float64{fitfixture.SheepR, fitfixture.SheepS} {
		if !(math.Abs(th[i]/want-1) <= 1e-10) {
			t.Errorf("theta[%d] = %.16g, want %.16g (%.2g)", i, th[i], want, th[i]/want-1)
		}
	}
	if got := -82 * res.Loss; math.Abs(got/fitfixture.SheepLogLikelihood-1) > 1e-12 {
		t.Errorf("log-likelihood %.16g", got)
	}
}

func TestGonumSheep(t *testing.T) {
	m := fitfixture.NewNegBin(fitfixture.SheepData())
	for _, method := range general.Methods {
		t.Run(method, func(t *testing.T) {
			for i := range 10 {
				_, u := start(t, m, i)
				res, err := general.Run(context.Background(), m.Unconstrained(), u, method, nil)
				if err != nil || !res.Status.Converged() {
					t.Fatalf("start %d: %v", i, err)
				}
				th := make([]float64, 2)
				m.Unconstrained().Theta(th, res.Z)
				if method != "nelder-mead" { // it sees only the loss: half the digits
					checkSheep(t, th, res)
				}
				t.Logf("start %d: %d iterations, %d+%d evaluations, norm %.2g, %v", i, res.Iterations,
					res.GradientEvaluations, res.LossEvaluations, res.NaturalNorm, res.Status)
			}
		})
	}
}

// undefined is a quartic that is NaN for u < -1.
type undefined struct{}

func (undefined) Dim() int { return 1 }
func (undefined) Loss(u []float64) float64 {
	if u[0] < -1 {
		return math.NaN()
	}
	return u[0]*u[0] + u[0]*u[0]*u[0]*u[0]
}
func (p undefined) Gradient(g, u []float64) float64 {
	g[0] = 2*u[0] + 4*u[0]*u[0]*u[0]
	f := p.Loss(u)
	if math.IsNaN(f) {
		g[0] = f
	}
	return f
}
func (undefined) Hessian(h, u []float64)       { h[0] = 2 + 12*u[0]*u[0] }
func (undefined) Theta(dst, u []float64)       { copy(dst, u) }
func (undefined) FromTheta(u, theta []float64) { copy(u, theta) }

// gonum ends on NaN, as it stands; the steps from 3 overshoot into it.
func TestGonumNaN(t *testing.T) {
	for _, method := range general.Methods {
		res, err := general.Run(context.Background(), undefined{}, []float64{3}, method, nil)
		if err != nil || !res.Status.Converged() || math.Abs(res.Z[0]) > 1e-7 {
			t.Errorf("%s: %+v, %v", method, res, err)
		}
	}
	_, err := general.Run(context.Background(), undefined{}, []float64{-3}, "bfgs", nil)
	if err == nil || err.Error() != "optimize: initial function value is infinite" {
		t.Error(err)
	}
}

func TestGonumSettings(t *testing.T) {
	m := fitfixture.NewNegBin(fitfixture.SheepData())
	_, u := start(t, m, 0)
	run := func(ctx context.Context, s *runtime.Settings) (*runtime.Result, error) {
		return general.Run(ctx, m.Unconstrained(), u, "bfgs", s)
	}
	if res, err := run(context.Background(), &runtime.Settings{MaxIterations: 3}); err != nil || res.Status != runtime.IterationLimit || res.Iterations != 3 {
		t.Errorf("%+v, %v", res, err)
	}
	if res, err := run(context.Background(), &runtime.Settings{MaxEvaluations: 4}); err != nil || res.Status != runtime.EvaluationLimit {
		t.Errorf("%+v, %v", res, err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if res, err := run(cancelled, nil); err != context.Canceled || res.Status != runtime.Cancelled || res.Z[0] != u[0] {
		t.Errorf("%+v, %v", res, err)
	}
	trace := new(runtime.Trace)
	res, err := run(context.Background(), &runtime.Settings{Recorder: trace})
	if err != nil || len(trace.Iterations) != res.Iterations+1 || trace.Iterations[res.Iterations].Loss != res.Loss {
		t.Errorf("%d records of %d iterations, %v", len(trace.Iterations), res.Iterations, err)
	}
	stop := errors.New("stop")
	res, err = run(context.Background(), &runtime.Settings{Recorder: runtime.RecorderFunc(func(*runtime.Iteration) error { return stop })})
	if err != stop || res.Status != runtime.Failed {
		t.Errorf("%+v, %v", res, err)
	}
	var bad *runtime.SettingError
	if res, err := run(context.Background(), &runtime.Settings{GradientTolerance: math.Inf(1)}); res != nil || !errors.As(err, &bad) {
		t.Errorf("%+v, %v", res, err)
	}
	if _, err := general.Run(context.Background(), m.Unconstrained(), u, "adam", nil); err == nil || err.Error() != `general: unknown method "adam"` {
		t.Error(err)
	}
}

// slopeless has a loss at its start, but no derivative: as an integrand that has come to 0 times infinity.
type slopeless struct{ undefined }

func (slopeless) Loss(u []float64) float64 { return u[0] * u[0] }

func (slopeless) Gradient(g, u []float64) float64 {
	g[0] = math.NaN()
	return u[0] * u[0]
}

// Where the loss is a number and the gradient is none, the zeros that stand for it are no stationary point.
func TestGonumNoSlope(t *testing.T) {
	for _, method := range general.Methods {
		res, err := general.Run(t.Context(), slopeless{}, []float64{1}, method, nil)
		if method == "nelder-mead" {
			if err != nil || !res.Status.Converged() {
				t.Errorf("%s: %v, %v", method, res.Status, err)
			}
			continue
		}
		if err == nil || res.Status != runtime.Failed {
			t.Errorf("%s: %v, %v", method, res.Status, err)
		}
	}
}
