package runtime_test

import (
	"math"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// bending is the loss |z|^2/2 with a metric of its own in each direction, which grows with the distance from 0: far out, the
// natural gradient becomes longer on the way to the optimum.
type bending struct{ *plain }

func (p bending) Gradients(v, c, z []float64) float64 {
	f := p.plain.Gradients(v, c, z)
	v[0] = c[0] / (1 + z[0]*z[0])
	v[1] = c[1] / (1.5 + z[0]*z[0])
	return f
}

// A pair of which the change of c goes along with the step, but against the change of v, has no scale for the inverse metric
// and is not remembered: the step after it is that of SNGD.
func TestPairsOfNoScale(t *testing.T) {
	p := bending{quadratic([]float64{1, 1}, []float64{0, 0})}
	points := func(method runtime.Method) [][]float64 {
		trace := new(runtime.Trace)
		set := &runtime.Settings{Method: method, Step: runtime.Wolfe{Curvature: 0.99}, MaxIterations: 2, Recorder: trace}
		if _, err := runtime.Minimize(ctx, p, []float64{4, 3}, set); err != nil {
			t.Fatal(err)
		}
		var out [][]float64
		for _, it := range trace.Iterations {
			out = append(out, it.Z)
		}
		return out
	}
	want, got := points(runtime.SNGD{}), points(runtime.NaturalLBFGS{})
	var ys, yw float64
	at := func(z []float64) (v, c []float64) {
		v, c = make([]float64, 2), make([]float64, 2)
		p.Gradients(v, c, z)
		return v, c
	}
	v0, c0 := at(want[0])
	v1, c1 := at(want[1])
	for i := range 2 {
		ys += (c1[i] - c0[i]) * (want[1][i] - want[0][i])
		yw += (c1[i] - c0[i]) * (v1[i] - v0[i])
	}
	if !(ys > 0 && yw < 0) {
		t.Fatalf("the test is about other pairs: y.s = %g, y.w = %g", ys, yw)
	}
	if !slices.EqualFunc(got, want, slices.Equal[[]float64]) {
		t.Errorf("%v, by SNGD %v", got, want)
	}
	res, err := runtime.Minimize(ctx, p, []float64{4, 3}, &runtime.Settings{Method: runtime.NaturalLBFGS{}})
	if err != nil || !res.Status.Converged() || math.Hypot(res.Z[0], res.Z[1]) > 1e-6 {
		t.Errorf("%+v, %v", res, err)
	}
}

// What is remembered when nothing is said is one step more than there are coordinates.
func TestDefaultMemory(t *testing.T) {
	points := func(memory int) (out [][]float64) {
		trace := new(runtime.Trace)
		set := &runtime.Settings{Method: runtime.NaturalLBFGS{Memory: memory}, Recorder: trace}
		if _, err := runtime.Minimize(ctx, rosenbrock(), []float64{-1.2, 1}, set); err != nil {
			t.Fatal(err)
		}
		for _, it := range trace.Iterations {
			out = append(out, it.Z)
		}
		return out
	}
	for memory := 1; memory <= 5; memory++ {
		if same := slices.EqualFunc(points(memory), points(0), slices.Equal[[]float64]); same != (memory == 3) {
			t.Errorf("a memory of %d, two coordinates: as by default is %v", memory, same)
		}
	}
}

// A run that keeps the past steps of another one, of nearly the same problem, knows its second derivatives from the start.
func TestPairsAreKept(t *testing.T) {
	scales := []float64{1, 30, 900, 7, 200}
	iterations := func(keep bool) int {
		set := &runtime.Settings{Method: runtime.NaturalLBFGS{Keep: keep}, GradientTolerance: 1e-3}
		var m runtime.Minimizer
		z, last := []float64{1, 1, 1, 1, 1}, 0
		for _, centre := range []float64{0, 0.1} {
			res, err := m.Minimize(ctx, quadratic(scales, []float64{centre, centre, centre, centre, centre}), z, set)
			if err != nil || !res.Status.Converged() || math.Abs(res.Z[1]-centre) > 1e-3 {
				t.Fatalf("%+v, %v", res, err)
			}
			z, last = slices.Clone(res.Z), res.Iterations
		}
		return last
	}
	if with, without := iterations(true), iterations(false); !(with < without) {
		t.Errorf("%d iterations with past steps, %d without", with, without)
	}
}

// onLine is a loss of one coordinate, given by its value, its slope and the natural gradient, inside an interval.
type onLine struct {
	*plain
	of func(z float64) (f, c, v float64)
}

func (p onLine) Loss(z []float64) float64 {
	f, _, _ := p.of(z[0])
	return f
}

func (p onLine) Gradients(v, c, z []float64) (f float64) {
	f, c[0], v[0] = p.of(z[0])
	return f
}

// Past steps that lead out of the domain are forgotten where the natural step of length 1 does instead: z - log(z) from 8, whose curvature there is little, with
// natural steps halfway to 1. It takes one evaluation of each.
func TestInstead(t *testing.T) {
	p := onLine{quadratic([]float64{1}, []float64{0}), func(z float64) (f, c, v float64) {
		if !(z > 0) {
			return math.NaN(), math.NaN(), math.NaN()
		}
		return z - math.Log(z), 1 - 1/z, (z - 1) / 2
	}}
	trace := new(runtime.Trace)
	res, err := runtime.Minimize(ctx, p, []float64{8}, &runtime.Settings{Method: runtime.NaturalLBFGS{}, Recorder: trace})
	if err != nil || !res.Status.Converged() {
		t.Fatal(res, err)
	}
	near(t, "z", res.Z[0], 1, 1e-9)
	for i, want := range []struct {
		z           float64
		evaluations int
	}{{8, 1}, {4.5, 2}, {2.75, 4}} {
		if it := trace.Iterations[i]; it.Z[0] != want.z || it.Evaluations != want.evaluations {
			t.Errorf("iteration %d: %v after %d evaluations, not %v after %d", i, it.Z[0], it.Evaluations, want.z, want.evaluations)
		}
	}
}

// A natural step of length 1 to where the slope is steeper is taken as it is, in one evaluation; one that hardly changes the slope is too short.
func TestSteeper(t *testing.T) {
	for _, scale := range []float64{0.5, 0.001} {
		p := onLine{quadratic([]float64{1}, []float64{0}), func(z float64) (float64, float64, float64) {
			return 1 - math.Exp(-z*z/2), z * math.Exp(-z*z/2), scale * z
		}}
		trace := new(runtime.Trace)
		res, err := runtime.Minimize(ctx, p, []float64{3}, &runtime.Settings{Method: runtime.NaturalLBFGS{}, Recorder: trace})
		if err != nil || !res.Status.Converged() {
			t.Fatal(res, err)
		}
		if math.Abs(res.Z[0]) > 1e-9 {
			t.Errorf("z = %v", res.Z[0])
		}
		if got := trace.Iterations[1]; scale == 0.5 && (got.Evaluations != 2 || got.Step != 1) || scale < 0.5 && got.Step <= 1 {
			t.Errorf("scale %v: a step of %v after %d evaluations", scale, got.Step, got.Evaluations)
		}
	}
}
