package runtime_test

import (
	"math"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// valley is the loss of a curved valley of many numbers x, which takes a hundred steps and more, plus log(1 + exp(-a)),
// whose infimum is at infinity, in an auxiliary number a. Beyond broken, and this is what formulas do where they overflow,
// the loss stays the same, but its derivative in a is 3.
type valley struct {
	dim      int
	broken   float64
	farthest float64 // largest a seen
	blocks   []runtime.Block
}

func newValley(dim int, broken float64) *valley {
	blocks := []runtime.Block{{Name: "x", Len: dim}, {Name: "a", Offset: dim, Len: 1, Auxiliary: true}}
	return &valley{dim: dim, broken: broken, blocks: blocks}
}

func (v *valley) Blocks() []runtime.Block         { return v.blocks }
func (v *valley) Conditions() []runtime.Condition { return nil }
func (v *valley) Violation([]float64) int         { return -1 }
func (v *valley) NaturalGradient(n, z []float64)  { v.Gradients(n, make([]float64, len(z)), z) }

func (v *valley) Loss(z []float64) float64 {
	f := math.Log1p(math.Exp(-z[v.dim]))
	for i := range v.dim - 1 {
		p, q := 1-z[i], z[i+1]-z[i]*z[i]
		f += p*p + 20*q*q
	}
	return f
}

func (v *valley) Gradients(n, c, z []float64) float64 {
	a := z[v.dim]
	v.farthest = max(v.farthest, a)
	clear(c)
	for i := range v.dim - 1 {
		p, q := 1-z[i], z[i+1]-z[i]*z[i]
		c[i] += -2*p - 80*z[i]*q
		c[i+1] += 40 * q
	}
	if c[v.dim] = -1 / (1 + math.Exp(a)); a > v.broken {
		c[v.dim] = 3
	}
	copy(n, c)
	n[v.dim] *= 10 // its metric
	return v.Loss(z)
}

func (v *valley) start(a float64) []float64 {
	z := slices.Repeat([]float64{-1}, v.dim+1)
	z[v.dim] = a
	return z
}

// A number that has gone to infinity as far as the loss can tell stays where it is, short of where formulas break, until
// all else is fitted.
func TestFreeze(t *testing.T) {
	v := newValley(12, 60)
	z := v.start(6)
	set := &runtime.Settings{Method: runtime.NaturalLBFGS{}}
	without, _ := runtime.Minimize(ctx, v, z, set)
	if v.farthest < v.broken {
		t.Fatalf("this tests nothing: a does not exceed %g", v.farthest)
	}
	v.farthest = 0
	set.Negligible = 1e-5
	with, err := runtime.Minimize(ctx, v, z, set)
	if err != nil || with.Status != runtime.AtInfinity || !slices.Equal(with.Unbounded, []string{"a"}) {
		t.Fatalf("%+v, %v", with, err)
	}
	if v.farthest > v.broken {
		t.Errorf("a was as far out as %g", v.farthest)
	}
	for _, x := range with.Z[:v.dim] {
		near(t, "x", x, 1, 1e-9)
	}
	if 2*with.GradientEvaluations > without.GradientEvaluations {
		t.Errorf("%d evaluations, without freezing a %d", with.GradientEvaluations, without.GradientEvaluations)
	}
	m := new(runtime.Minimizer)
	if n := testing.AllocsPerRun(3, func() { m.Minimize(ctx, v, z, set) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	t.Logf("%d evaluations to loss %g, without freezing a %d to %g", with.GradientEvaluations, with.Loss, without.GradientEvaluations, without.Loss)
}

// leaping is log(1 + exp(-a)) in an auxiliary number a with a metric by which the first step is long.
func leaping() *plain {
	return &plain{
		dim:    1,
		f:      func(z []float64) float64 { return math.Log1p(math.Exp(-z[0])) },
		blocks: []runtime.Block{{Name: "a", Len: 1, Auxiliary: true}},
		grad:   func(c, z []float64) { c[0] = -1 / (1 + math.Exp(z[0])) },
	}
}

// hasty multiplies natural gradients.
type hasty struct{ *plain }

func (p hasty) Gradients(v, c, z []float64) float64 {
	f := p.plain.Gradients(v, c, z)
	v[0] *= 5000
	return f
}

// A step that takes a number far out, where the loss is no lower than on the way, leaves it on the way: a run of several steps is not where formulas overflow.
func TestRetract(t *testing.T) {
	set := &runtime.Settings{Negligible: 1e-6}
	res, err := runtime.Minimize(ctx, hasty{leaping()}, []float64{1}, set)
	if err != nil || res.Status != runtime.AtInfinity || res.Z[0] < 14 || res.Z[0] > 200 {
		t.Errorf("%+v, %v", res, err)
	}
	set.Negligible = 0
	set.MaxIterations = 1
	if res, err = runtime.Minimize(ctx, hasty{leaping()}, []float64{1}, set); err != nil || res.Z[0] < 1000 {
		t.Errorf("this tests nothing: %+v, %v", res, err)
	}
}

// turning is the loss 10x^2 + (x^2 - depth) h(a), h = 6a/(a^2 + 9): with x far from its optimum 0 it falls towards large a,
// but at x = 0 it has its minimum at a = 3, where it is -depth.
func turning(depth float64) *plain {
	h := func(a float64) float64 { return 6 * a / (a*a + 9) }
	return &plain{
		dim:    2,
		f:      func(z []float64) float64 { return 10*z[0]*z[0] + (z[0]*z[0]-depth)*h(z[1]) },
		blocks: []runtime.Block{{Name: "x", Len: 1}, {Name: "a", Offset: 1, Len: 1, Auxiliary: true}},
		grad: func(c, z []float64) {
			x, a := z[0], z[1]
			c[0] = 20*x + 2*x*h(a)
			c[1] = (x*x - depth) * 6 * (9 - a*a) / math.Pow(a*a+9, 2)
		},
	}
}

// growing gives the number a of turning a metric by which it grows at a steady rate.
type growing struct{ *plain }

func (p growing) Gradients(v, c, z []float64) float64 {
	f := p.plain.Gradients(v, c, z)
	v[0] /= 60
	v[1] *= 0.1 * math.Abs(z[1]*z[1]*z[1])
	return f
}

// A number that is frozen comes back when all else is fitted and the loss is lower where it came from: at a fraction of it,
// or by descent.
func TestUnfreeze(t *testing.T) {
	for _, c := range []struct {
		depth float64
		back  bool // to a fraction
	}{{0.5, false}, {5, true}} {
		r := &frozen{}
		set := &runtime.Settings{Step: runtime.Constant{Step: 0.1}, Negligible: 1e-3, MaxIterations: 40_000, Recorder: r}
		res, err := runtime.Minimize(ctx, growing{turning(c.depth)}, []float64{8, 4}, set)
		t.Logf("%+v", *r)
		if err != nil || !res.Status.Converged() || len(res.Unbounded) > 0 {
			t.Fatalf("%+v, %v", res, err)
		}
		near(t, "a", res.Z[1], 3, 1e-9)
		near(t, "loss", res.Loss, -c.depth, 1e-12)
		if r.frozen < 20 || r.fell != c.back || r.index != res.Iterations {
			t.Errorf("depth %g: %+v", c.depth, *r)
		}
	}
}

// frozen looks for steps in which the second number stays, and for one in which it becomes much smaller.
type frozen struct {
	last   float64
	frozen int
	fell   bool
	index  int
}

func (h *frozen) Record(it *runtime.Iteration) error {
	a := it.Z[1]
	if a == h.last && a > 1e3 {
		h.frozen++
	}
	h.fell = h.fell || a < 0.2*h.last
	h.last, h.index = a, it.Index
	return nil
}

// steady is the loss 1/a + x^2/2, in a metric in which x takes small steps and a grows by one half at each.
type steady struct{ *plain }

func newSteady() steady {
	return steady{&plain{
		dim:    2,
		f:      func(z []float64) float64 { return 1/z[1] + z[0]*z[0]/2 },
		inside: func(z []float64) bool { return z[1] > 0 },
		blocks: []runtime.Block{{Name: "x", Len: 1}, {Name: "a", Offset: 1, Len: 1, Auxiliary: true}},
		grad:   func(c, z []float64) { c[0], c[1] = z[0], -1/(z[1]*z[1]) },
	}}
}

func (p steady) Gradients(v, c, z []float64) float64 {
	f := p.plain.Gradients(v, c, z)
	v[0], v[1] = 0.01*z[0], -0.5*z[1]
	return f
}

// By hand: the number doubles at every other step, to 1.5^2, 1.5^4 and so on; it is frozen once going back by two of these
// changes the loss by 1e-3 at most: (1.5^4 - 1)/a <= 1e-3, a >= 4062.5, first at 1.5^22.
func TestFreezeByHand(t *testing.T) {
	trace := new(runtime.Trace)
	set := &runtime.Settings{Step: runtime.Constant{}, Negligible: 1e-3, MaxIterations: 40, Recorder: trace}
	if _, err := runtime.Minimize(ctx, newSteady(), []float64{10, 1}, set); err != nil {
		t.Fatal(err)
	}
	for k := 1; k < len(trace.Iterations); k++ {
		if a := trace.Iterations[k].Z[1]; a == trace.Iterations[k-1].Z[1] {
			near(t, "a", a, math.Pow(1.5, 22), 1e-9)
			return
		}
	}
	t.Error("it is never frozen")
}
