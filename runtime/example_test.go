package runtime_test

import (
	"context"
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/runtime"
)

// exponential is the exponential distribution with itself as surrogate, stepped in its mean parameter: f(m) = log m +
// mean/m. The dual coordinate is -1/m, the metric 1/m^2.
type exponential struct{ mean float64 }

func (exponential) Blocks() []runtime.Block { return []runtime.Block{{Name: "m", Len: 1}} }
func (exponential) Conditions() []runtime.Condition {
	return []runtime.Condition{{Block: "m", Text: "m > 0"}}
}

func (exponential) Violation(z []float64) int {
	if !(z[0] > 0) {
		return 0
	}
	return -1
}

func (e exponential) Loss(z []float64) float64 {
	if e.Violation(z) >= 0 {
		return math.NaN()
	}
	return math.Log(z[0]) + e.mean/z[0]
}

func (e exponential) NaturalGradient(v, z []float64) { v[0] = z[0] - e.mean }

func (e exponential) Gradients(v, c, z []float64) float64 {
	e.NaturalGradient(v, z)
	c[0] = v[0] / (z[0] * z[0])
	return e.Loss(z)
}

// With a family as its own surrogate, one whole natural gradient step in the mean parameters is the maximum likelihood
// estimate.
func ExampleMinimize() {
	res, err := runtime.Minimize(context.Background(), exponential{mean: 2.5}, []float64{40}, &runtime.Settings{
		Step: runtime.Constant{Step: 1},
	})
	fmt.Println(res.Z[0], res.Iterations, res.Status, err)
	// Output: 2.5 1 gradient converged <nil>
}

// A start outside the domain is an error that says which condition it violates.
func ExampleMinimize_outside() {
	_, err := runtime.Minimize(context.Background(), exponential{mean: 2.5}, []float64{-1}, nil)
	fmt.Println(err)
	// Output: runtime: start, block m: outside the domain: needs m > 0
}

func ExampleMinimizer() {
	var m runtime.Minimizer // allocates in the first run only
	for _, mean := range []float64{1, 2, 3} {
		res, err := m.Minimize(context.Background(), exponential{mean}, []float64{1.5}, &runtime.Settings{
			Method: runtime.NaturalLBFGS{},
		})
		fmt.Println(res.Z[0], err)
	}
	// Output:
	// 1 <nil>
	// 2 <nil>
	// 3 <nil>
}

func ExampleEvery() {
	trace := new(runtime.Trace)
	_, err := runtime.Minimize(context.Background(), exponential{mean: 2}, []float64{8}, &runtime.Settings{
		Step:          runtime.Constant{Step: 0.5},
		MaxIterations: 8,
		Recorder:      runtime.Every(4, trace),
	})
	for _, it := range trace.Iterations {
		fmt.Println(it.Index, it.Z[0])
	}
	fmt.Println(err)
	// Output:
	// 0 8
	// 4 2.375
	// 8 2.0234375
	// <nil>
}

func ExampleStream() {
	a, b := runtime.Stream(1, "start", 0), runtime.Stream(1, "start", 0)
	fmt.Println(a.Float64() == b.Float64())
	// Output: true
}
