package runtime_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "github.com/sngdgen/sngdgen/internal/testseed"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
)

var ctx = context.Background()

func TestQuadratic(t *testing.T) {
	for _, set := range []*runtime.Settings{nil, {Method: runtime.NaturalLBFGS{}}, {Step: runtime.Backtracking{}}} {
		res, err := runtime.Minimize(ctx, quadratic([]float64{1, 2, 0.5}, []float64{3, -4, 5}), make([]float64, 3), set)
		if err != nil || res.Status != runtime.GradientConverged {
			t.Fatalf("%v, %v", res.Status, err)
		}
		for i, want := range []float64{3, -4, 5} {
			near(t, "z", res.Z[i], want, 1e-12)
		}
	}
}

// An exact line search along the gradient of a sphere is there in one step, from any scale.
func TestExactOneStep(t *testing.T) {
	for _, w := range []float64{1e-6, 1e-3, 1, 1e3, 1e6} {
		p := quadratic([]float64{w, w}, []float64{3, 4})
		res, err := runtime.Minimize(ctx, p, make([]float64, 2), nil)
		if err != nil || res.Iterations > 2 {
			t.Errorf("w = %g: %d iterations, %v", w, res.Iterations, err)
		}
		near(t, "z", res.Z[0], 3, 1e-6)
	}
}

func TestRosenbrock(t *testing.T) {
	res, err := runtime.Minimize(ctx, rosenbrock(), []float64{-1.2, 1}, &runtime.Settings{Method: runtime.NaturalLBFGS{}})
	if err != nil || !res.Status.Converged() {
		t.Fatalf("%v, %v", res, err)
	}
	near(t, "x", res.Z[0], 1, 1e-12)
	near(t, "y", res.Z[1], 1, 1e-12)
	if res.GradientEvaluations > 60 {
		t.Errorf("%d evaluations", res.GradientEvaluations)
	}
}

var rules = []runtime.StepRule{
	runtime.Constant{}, runtime.Constant{Step: 100},
	runtime.ScheduleFunc(func(k int) float64 { return 2 / (1 + float64(k)) }),
	runtime.ExactLineSearch{}, runtime.GridSearch{N: 50}, runtime.Backtracking{}, runtime.Backtracking{Step: 64},
	runtime.Wolfe{},
}

// Whatever the rule and the method, the iterates stay inside the domain and finite, and searches do not raise the loss.
func TestNeverOutside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 5).Draw(t, "dim")
		w, z := make([]float64, dim), make([]float64, dim)
		total := 1.0
		for i := range w {
			w[i] = rapid.Float64Range(0.01, 10).Draw(t, "w")
			z[i] = rapid.Float64Range(0.001, 10).Draw(t, "z")
			total += z[i]
		}
		for i := range z {
			z[i] /= total
		}
		rule := rapid.SampledFrom(rules).Draw(t, "rule")
		var method runtime.Method = runtime.SNGD{}
		if rapid.Bool().Draw(t, "lbfgs") {
			method = runtime.NaturalLBFGS{Memory: rapid.IntRange(0, 5).Draw(t, "memory")}
		}
		p := barrier(w)
		start := p.f(z)
		rec := runtime.RecorderFunc(func(it *runtime.Iteration) error {
			if p.Violation(it.Z) >= 0 || math.IsNaN(it.Loss) {
				t.Fatalf("iterate %v outside", it.Z)
			}
			return nil
		})
		res, err := runtime.Minimize(ctx, p, z, &runtime.Settings{Method: method, Step: rule, MaxIterations: 50, Recorder: rec})
		var failed *runtime.Error
		if err != nil && !errors.As(err, &failed) {
			t.Fatal(err)
		}
		if p.Violation(res.Z) >= 0 || res.Loss != p.f(res.Z) {
			t.Fatalf("result %+v", res)
		}
		switch rule.(type) {
		case runtime.Constant, runtime.Schedule:
		default:
			if !(res.Loss <= start+1e-10*(1+math.Abs(start))) {
				t.Fatalf("%v: loss rose from %v to %v", rule, start, res.Loss)
			}
		}
		if _, ok := rule.(runtime.ExactLineSearch); ok && err != nil {
			t.Fatalf("%v %v", method, err)
		}
	})
}

func TestFailures(t *testing.T) {
	trap := func(bad func(v, c []float64)) *plain {
		p := quadratic([]float64{1, 1}, []float64{0, 0})
		inner := p.grad
		p.grad = func(c, z []float64) {
			inner(c, z)
			if z[0] != 1 {
				bad(nil, c)
			}
		}
		return p
	}
	outside := quadratic([]float64{1, 1}, []float64{0, 0})
	outside.inside = func(z []float64) bool { return z[0] == 1 }
	uphill := quadratic([]float64{1, 1}, []float64{0, 0})
	uphill.grad = func(c, z []float64) { c[0], c[1] = -z[0], -z[1] }
	lossNaN := quadratic([]float64{1, 1}, []float64{0, 0})
	inner := lossNaN.f
	lossNaN.f = func(z []float64) float64 {
		if z[0] < 1 {
			return math.Inf(1)
		}
		return inner(z)
	}
	gradNaN := trap(func(_, c []float64) { c[1] = math.NaN() })
	for _, c := range []struct {
		name  string
		p     runtime.Problem
		start []float64
		set   *runtime.Settings
		want  string
	}{
		{"start", outside, []float64{2, 0}, nil, "runtime: start, block z: outside the domain: needs z inside"},
		{"start NaN", gradNaN, []float64{2, 0}, nil, "runtime: start, block z: the gradient of coordinate 1 is NaN"},
		{"exact", outside, []float64{1, 0}, nil, "runtime: iteration 0, block z, step 8.88e-16: outside the domain: needs z inside"},
		{"constant", outside, []float64{1, 0}, &runtime.Settings{Step: runtime.Constant{}}, "runtime: iteration 0, block z, step 9.54e-07: outside the domain: needs z inside"},
		{"grid", outside, []float64{1, 0}, &runtime.Settings{Step: runtime.GridSearch{N: 10}}, "runtime: iteration 0, block z, step 0.1: outside the domain: needs z inside"},
		{"backtracking", outside, []float64{1, 0}, &runtime.Settings{Step: runtime.Backtracking{Halvings: 3}}, "runtime: iteration 0, block z, step 0.125: outside the domain: needs z inside"},
		{"gradient NaN", gradNaN, []float64{1, 0}, &runtime.Settings{Step: runtime.Constant{}}, "runtime: iteration 0, block z, step 9.54e-07: the gradient of coordinate 1 is NaN"},
		{"loss Inf", lossNaN, []float64{1, 0}, &runtime.Settings{Step: runtime.Constant{}}, "runtime: iteration 0, step 9.54e-07: the loss is +Inf"},
		{"uphill", uphill, []float64{1, 0}, &runtime.Settings{Step: runtime.Backtracking{}}, "runtime: iteration 0, step 9.54e-07: no step lowers the loss enough"},
		{"schedule", uphill, []float64{1, 0}, &runtime.Settings{Step: runtime.ScheduleFunc(func(int) float64 { return 0 })}, "runtime: iteration 0: Settings.Step gave the step 0: it must be finite and above 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := runtime.Minimize(ctx, c.p, c.start, c.set)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if res.Status != runtime.Failed || res.Z[0] != c.start[0] {
				t.Errorf("result %+v", res)
			}
		})
	}
}

func TestBadCalls(t *testing.T) {
	p := quadratic([]float64{1}, []float64{0})
	if _, err := runtime.Minimize(ctx, p, []float64{1, 2}, nil); err == nil || err.Error() != "runtime: the start has 2 coordinates, the problem 1" {
		t.Error(err)
	}
	var none context.Context
	if _, err := runtime.Minimize(none, p, []float64{1}, nil); err == nil || err.Error() != "runtime: nil context" {
		t.Error(err)
	}
}

func TestLimits(t *testing.T) {
	start := []float64{-1.2, 1}
	res, err := runtime.Minimize(ctx, rosenbrock(), start, &runtime.Settings{MaxIterations: 3})
	if err != nil || res.Status != runtime.IterationLimit || res.Iterations != 3 {
		t.Errorf("%+v, %v", res, err)
	}
	res, err = runtime.Minimize(ctx, rosenbrock(), start, &runtime.Settings{MaxIterations: -1})
	if err != nil || res.Status != runtime.IterationLimit || res.Iterations != 0 {
		t.Errorf("%+v, %v", res, err)
	}
	res, err = runtime.Minimize(ctx, rosenbrock(), start, &runtime.Settings{MaxEvaluations: 20})
	if err != nil || res.Status != runtime.EvaluationLimit || res.GradientEvaluations < 20 || res.GradientEvaluations > 80 {
		t.Errorf("%+v, %v", res, err)
	}
	res, err = runtime.Minimize(ctx, rosenbrock(), start, &runtime.Settings{LossTolerance: 1e-3})
	if err != nil || res.Status != runtime.LossConverged {
		t.Errorf("%+v, %v", res, err)
	}
	cancelled, cancel := context.WithTimeout(ctx, -time.Second)
	defer cancel()
	res, err = runtime.Minimize(cancelled, rosenbrock(), start, nil)
	if !errors.Is(err, context.DeadlineExceeded) || res.Status != runtime.Cancelled || res.Z[0] != -1.2 {
		t.Errorf("%+v, %v", res, err)
	}
	if start[0] != -1.2 || start[1] != 1 {
		t.Error("the start was modified")
	}
}

func TestRecorder(t *testing.T) {
	trace := new(runtime.Trace)
	res, err := runtime.Minimize(ctx, rosenbrock(), []float64{-1.2, 1}, &runtime.Settings{Method: runtime.NaturalLBFGS{}, Recorder: runtime.Every(5, trace)})
	if err != nil {
		t.Fatal(err)
	}
	if len(trace.Iterations) != res.Iterations/5+1 {
		t.Errorf("%d records of %d iterations", len(trace.Iterations), res.Iterations)
	}
	for i, it := range trace.Iterations {
		if it.Index != 5*i || i > 0 && (it.Loss >= trace.Iterations[i-1].Loss || it.Step <= 0) {
			t.Errorf("%+v", it)
		}
	}
	stop := errors.New("stop")
	res, err = runtime.Minimize(ctx, rosenbrock(), []float64{-1.2, 1}, &runtime.Settings{
		Recorder: runtime.RecorderFunc(func(it *runtime.Iteration) error {
			if it.Index == 2 {
				return stop
			}
			return nil
		}),
	})
	if err != stop || res.Status != runtime.Failed || res.Iterations != 2 {
		t.Errorf("%+v, %v", res, err)
	}
}

// Iterations allocate nothing, and neither does a second run of a Minimizer.
func TestAllocations(t *testing.T) {
	w := make([]float64, 30)
	a := make([]float64, 30)
	for i := range w {
		w[i], a[i] = math.Pow(10, float64(i)/10), float64(i)
	}
	p := quadratic(w, a)
	z := make([]float64, 30)
	for _, method := range []runtime.Method{runtime.SNGD{}, runtime.NaturalLBFGS{}} {
		for _, rule := range []runtime.StepRule{nil, runtime.Constant{Step: 1e-4}, runtime.Backtracking{}, runtime.GridSearch{N: 10, Max: 0.01}, runtime.Wolfe{}} {
			count := func(n int) float64 {
				set := &runtime.Settings{Method: method, Step: rule, MaxIterations: n, GradientTolerance: -1}
				return testing.AllocsPerRun(3, func() { runtime.Minimize(ctx, p, z, set) })
			}
			if few, many := count(10), count(1000); few != many {
				t.Errorf("%v %v: %v allocations in 10 iterations, %v in 1000", method, rule, few, many)
			}
			m := new(runtime.Minimizer)
			set := &runtime.Settings{Method: method, Step: rule, MaxIterations: 100}
			if n := testing.AllocsPerRun(3, func() { m.Minimize(ctx, p, z, set) }); n != 0 {
				t.Errorf("%v %v: a second run allocates %v times", method, rule, n)
			}
		}
	}
}

func TestMinimizerReuse(t *testing.T) {
	m := new(runtime.Minimizer)
	nb := fitfixture.NewNegBin(fitfixture.SheepData())
	for i := range 5 {
		for _, set := range []runtime.Settings{{}, {Method: runtime.NaturalLBFGS{}}} {
			z := sheepStart(t, nb, i)
			want, err := runtime.Minimize(ctx, nb, z, &set)
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.Minimize(ctx, nb, z, &set)
			if err != nil || got.Z[0] != want.Z[0] || got.Z[1] != want.Z[1] || got.Iterations != want.Iterations {
				t.Errorf("%+v, %v, want %+v", got, err, want)
			}
		}
	}
}

// Near an optimum of a loss with a large constant the loss carries no digits, the gradient all of them.
func TestFlatLoss(t *testing.T) {
	p := rosenbrock()
	inner := p.f
	p.f = func(z []float64) float64 { return 1e6 + inner(z) }
	res, err := runtime.Minimize(ctx, p, []float64{-1.2, 1}, &runtime.Settings{Method: runtime.NaturalLBFGS{}})
	if err != nil || !res.Status.Converged() {
		t.Fatalf("%+v, %v", res, err)
	}
	near(t, "x", res.Z[0], 1, 1e-11)
	near(t, "y", res.Z[1], 1, 1e-11)
}

// A gradient with noise ends with PrecisionReached, at the best point.
func TestPrecisionReached(t *testing.T) {
	p := quadratic([]float64{1, 3}, []float64{1, 2})
	inner, k := p.grad, 0
	p.grad = func(c, z []float64) {
		inner(c, z)
		k++
		c[k%2] += 1e-10 * math.Sin(float64(k))
	}
	for _, set := range []*runtime.Settings{nil, {Method: runtime.NaturalLBFGS{}}, {Step: runtime.Constant{Step: 0.5}}} {
		res, err := runtime.Minimize(ctx, p, []float64{5, -1}, set)
		if err != nil || res.Status != runtime.PrecisionReached || res.NaturalNorm > 1e-9 {
			t.Errorf("%+v, %v", res, err)
		}
	}
}

func TestStatus(t *testing.T) {
	for s := runtime.NotTerminated; s <= runtime.TimeLimit; s++ {
		text, _ := s.MarshalText()
		var back runtime.Status
		if err := back.UnmarshalText(text); err != nil || back != s {
			t.Errorf("%v: %v, %v", s, back, err)
		}
	}
	if got := runtime.Status(99).String(); got != "Status(99)" {
		t.Error(got)
	}
	if err := new(runtime.Status).UnmarshalText([]byte("fine")); err == nil {
		t.Error("no error")
	}
}

func BenchmarkSheep(b *testing.B) {
	nb := fitfixture.NewNegBin(fitfixture.SheepData())
	z := sheepStart(b, nb, 0)
	for _, run := range []struct {
		name string
		set  runtime.Settings
	}{{"sngd", runtime.Settings{}}, {"nlbfgs", runtime.Settings{Method: runtime.NaturalLBFGS{}}}} {
		b.Run(run.name, func(b *testing.B) {
			m := new(runtime.Minimizer)
			evaluations := 0
			for b.Loop() {
				res, _ := m.Minimize(ctx, nb, z, &run.set)
				evaluations = res.GradientEvaluations
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*evaluations), "ns/evaluation")
		})
	}
}

// BenchmarkOverhead is the time of the loop itself: Rosenbrock's function costs a few nanoseconds.
func BenchmarkOverhead(b *testing.B) {
	for _, run := range []struct {
		name string
		set  runtime.Settings
	}{
		{"sngd", runtime.Settings{MaxIterations: 200}},
		{"constant", runtime.Settings{MaxIterations: 200, Step: runtime.Constant{Step: 1e-3}}},
		{"nlbfgs", runtime.Settings{Method: runtime.NaturalLBFGS{}}},
	} {
		b.Run(run.name, func(b *testing.B) {
			m, p, z := new(runtime.Minimizer), rosenbrock(), []float64{-1.2, 1}
			evaluations := 0
			for b.Loop() {
				res, _ := m.Minimize(ctx, p, z, &run.set)
				evaluations = res.GradientEvaluations
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*evaluations), "ns/evaluation")
		})
	}
}

// Where the loss is level to rounding, the slope at an accepted step is at most 1 - 2*Decrease of the first one, upwards (Hager
// and Zhang 2005, equation 4.1). The step 1 leads to 0.4 of it here, and the secant step to 0.
func TestApproximateWolfe(t *testing.T) {
	p := &plain{
		dim:  1,
		f:    func(z []float64) float64 { return 1e6 + 0.7*z[0]*z[0] },
		grad: func(c, z []float64) { c[0] = 1.4 * z[0] },
	}
	for _, c := range []struct{ decrease, want float64 }{{0.25, 1}, {0.35, 1 / 1.4}} {
		trace := new(runtime.Trace)
		set := &runtime.Settings{Step: runtime.Wolfe{Decrease: c.decrease}, MaxIterations: 1, Recorder: trace}
		if _, err := runtime.Minimize(ctx, p, []float64{1e-4}, set); err != nil {
			t.Fatal(err)
		}
		near(t, "step", trace.Iterations[1].Step, c.want, 1e-9)
	}
}
