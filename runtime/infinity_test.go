package runtime_test

import (
	"math"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
)

// skewed draws n rows of d numbers with identity Omega and the given eta.
func skewed(t testing.TB, n, d int, eta []float64, seed uint64) *fitfixture.SkewNormal {
	t.Helper()
	theta := make([]float64, d+d*d+d)
	for i := range d {
		theta[d+i*d+i] = 1
	}
	copy(theta[d+d*d:], eta)
	x := make([]float64, n*d)
	rng := runtime.Stream(seed, "sample")
	var m fitfixture.SkewNormal
	if err := m.Resize([]int{d}); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		m.Sample(x[i*d:(i+1)*d], theta, rng)
	}
	return fitfixture.NewSkewNormal(runtime.Data{Values: x, Columns: d})
}

// With a sample of the skew normal distribution the likelihood may have its supremum at infinity (Azzalini and
// Capitanio 1999, section 5.3): the smaller the sample and the longer eta, the more often. The run without the
// detector tells: then eta passes all bounds, often 1e15 inverse standard deviations. The detector must fire then and
// only then, and change nothing else.
func TestInfinity(t *testing.T) {
	fired, quiet := 0, 0
	for _, c := range []struct{ n, d int }{{20, 1}, {100, 1}, {300, 1}, {60, 3}} {
		for seed := range uint64(6) {
			for _, length := range []float64{0, 1, 3, 1e4} {
				eta := make([]float64, c.d)
				for i := range eta {
					eta[i] = length * float64(1-2*(i%2)) / math.Sqrt(float64(c.d))
				}
				m := skewed(t, c.n, c.d, eta, seed)
				z := make([]float64, c.d+c.d*c.d+c.d)
				if err := m.Start(z, 0, nil); err != nil {
					t.Fatal(err)
				}
				set := &runtime.Settings{Method: runtime.NaturalLBFGS{}, MaxIterations: 2000}
				without, err := runtime.Minimize(ctx, m, z, set)
				far := slices.ContainsFunc(without.Z[c.d+c.d*c.d:], func(x float64) bool { return math.Abs(x) > 1e3 })
				if !far && err != nil {
					t.Fatal(err)
				}
				set.Negligible = 1e-3 / float64(c.n)
				with, err := runtime.Minimize(ctx, m, z, set)
				switch {
				case err != nil:
					t.Errorf("%v seed %d, eta %g: %v", c, seed, length, err)
				case far != (with.Status == runtime.AtInfinity):
					t.Errorf("%v seed %d, eta %g: %+v\nwithout %+v", c, seed, length, with, without)
				case far:
					fired++
					if !slices.Equal(with.Unbounded, []string{"eta"}) {
						t.Errorf("%v seed %d, eta %g: %q", c, seed, length, with.Unbounded)
					}
					// In several dimensions the others have something to gain for thousands of iterations.
					if c.d == 1 && with.Loss-without.Loss > set.Negligible || with.Iterations > 100*(1+c.d) {
						t.Errorf("%v seed %d, eta %g: loss %v after %d iterations, without %v", c, seed, length, with.Loss, with.Iterations, without.Loss)
					}
				default:
					quiet++
					if !slices.Equal(with.Z, without.Z) || with.Status != without.Status || len(with.Unbounded) > 0 {
						t.Errorf("%v seed %d, eta %g: %+v\nwithout %+v", c, seed, length, with, without)
					}
				}
			}
		}
	}
	t.Logf("%d at infinity, %d not", fired, quiet)
	if fired < 10 || quiet < 30 {
		t.Errorf("%d at infinity, %d not", fired, quiet)
	}
}

// towards is a loss in one auxiliary number.
func towards(f, df func(x float64) float64) *plain {
	return &plain{
		dim:    1,
		f:      func(z []float64) float64 { return f(z[0]) },
		grad:   func(c, z []float64) { c[0] = df(z[0]) },
		blocks: []runtime.Block{{Name: "a", Len: 1, Auxiliary: true}},
	}
}

// inverse is 1/(1+x^2): the infimum 0 is approached on both sides.
func inverse() *plain {
	return towards(func(x float64) float64 { return 1 / (1 + x*x) }, func(x float64) float64 { return -2 * x / math.Pow(1+x*x, 2) })
}

// One number, with suprema at infinity that are approached at all speeds, and optima however far out and flat.
func TestInfinityByShape(t *testing.T) {
	logistic := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	softplus := func(x float64) float64 { return math.Log1p(math.Exp(x)) }
	type shape struct {
		name  string
		p     *plain
		start float64
		want  bool
	}
	shapes := []shape{
		{"exponential", towards(func(x float64) float64 { return softplus(-x) }, func(x float64) float64 { return -logistic(-x) }), 0.5, true},
		{"inverse", inverse(), 0.5, true},
		{"negative", inverse(), -0.5, true},
		{"far optimum", towards(func(x float64) float64 { return softplus(-x) + 0.01*softplus(x) },
			func(x float64) float64 { return 0.01*logistic(x) - logistic(-x) }), 0.5, false},
	}
	for _, a := range []float64{1e-3, 1, 1e3} {
		for _, ratio := range []float64{1e-3, 0.5, 3, 1e3} {
			w := 1 / (a * a)
			f := func(x float64) float64 { return w * (x - a) * (x - a) / 2 }
			shapes = append(shapes, shape{"quadratic", towards(f, func(x float64) float64 { return w * (x - a) }), ratio * a, false})
		}
	}
	for _, s := range shapes {
		for _, set := range []runtime.Settings{
			{}, {Method: runtime.NaturalLBFGS{}}, {Step: runtime.Constant{Step: 0.3}}, {Step: runtime.Backtracking{}},
		} {
			if set.Step != nil && s.p.f([]float64{0}) > 1 { // no units: fixed steps do not fit every scale
				continue
			}
			set.Negligible = 1e-5
			set.MaxIterations = 3000
			res, err := runtime.Minimize(ctx, s.p, []float64{s.start}, &set)
			if got := res.Status == runtime.AtInfinity; got != s.want && set.Step == nil || got && !s.want {
				t.Errorf("%s from %g, %v %v: %+v, %v", s.name, s.start, set.Method, set.Step, res, err)
			}
		}
	}
}

// A block so far out that a multiple of it overflows is at infinity none the less; one at the edge of the domain is not.
func TestInfinityOverflow(t *testing.T) {
	p := towards(func(x float64) float64 {
		if e := math.Exp(x); !math.IsInf(e, 0) {
			return 1 / (1 + e)
		}
		return math.NaN()
	}, func(x float64) float64 { return -math.Exp(-x) })
	set := &runtime.Settings{Negligible: 1e-5, MaxIterations: -1}
	if res, err := runtime.Minimize(ctx, p, []float64{400}, set); err != nil || res.Status != runtime.AtInfinity {
		t.Errorf("%+v, %v", res, err)
	}
	if res, err := runtime.Minimize(ctx, p, []float64{600}, set); err != nil || res.Status == runtime.AtInfinity {
		t.Errorf("%+v, %v", res, err)
	}
}

// What does not matter does not go to infinity: an estimate near 0 with a large standard error, at 3 times its start.
// And surrogate blocks are not looked at.
func TestInfinityMatters(t *testing.T) {
	p := towards(func(x float64) float64 { return 1e-8 * (x - 3) * (x - 3) }, func(x float64) float64 { return 2e-8 * (x - 3) })
	res, err := runtime.Minimize(ctx, p, []float64{0.1}, &runtime.Settings{Negligible: 1e-5})
	if err != nil || res.Status == runtime.AtInfinity {
		t.Errorf("%+v, %v", res, err)
	}
	p = inverse()
	p.blocks[0].Auxiliary = false
	res, err = runtime.Minimize(ctx, p, []float64{0.5}, &runtime.Settings{Negligible: 1e-5})
	if res.Status == runtime.AtInfinity {
		t.Errorf("%+v, %v", res, err)
	}
}

// The search for infinity allocates nothing in the steps, and nothing in a second run.
func TestInfinityAllocations(t *testing.T) {
	p := rosenbrock()
	p.blocks = []runtime.Block{{Len: 1}, {Offset: 1, Len: 1, Auxiliary: true}}
	m, set := new(runtime.Minimizer), &runtime.Settings{Method: runtime.NaturalLBFGS{}, Negligible: 1e-6}
	z := []float64{-1.2, 1}
	if n := testing.AllocsPerRun(5, func() { m.Minimize(ctx, p, z, set) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// spiral is the loss 1 - cos(phi) + h(u) in the plane, u = log r and phi = theta - pitch u in polar coordinates: a valley that
// winds outwards to a minimum at r = 50 and falls by very little on the way. A step along the natural gradient, in a metric
// of (u, phi), follows it.
type spiral struct {
	*plain
	pitch float64
}

func newSpiral(pitch float64) spiral {
	const depth = 1e-4
	at := func(z []float64) (u, phi float64) {
		u = math.Log(math.Hypot(z[0], z[1]))
		return u, math.Atan2(z[1], z[0]) - pitch*u
	}
	left := func(u float64) float64 { return u - math.Log(50) }
	return spiral{pitch: pitch, plain: &plain{
		dim:    2,
		blocks: []runtime.Block{{Name: "a", Len: 2, Auxiliary: true}},
		f: func(z []float64) float64 {
			u, phi := at(z)
			return 1 - math.Cos(phi) + depth*left(u)*left(u)/2
		},
		grad: func(c, z []float64) {
			u, phi := at(z)
			x, y, square := z[0], z[1], z[0]*z[0]+z[1]*z[1]
			du, dphi := depth*left(u), math.Sin(phi)
			// du = (x dx + y dy)/r^2, dtheta = (-y dx + x dy)/r^2
			c[0] = ((du-pitch*dphi)*x - dphi*y) / square
			c[1] = ((du-pitch*dphi)*y + dphi*x) / square
		},
	}}
}

func (s spiral) Gradients(v, c, z []float64) float64 {
	f := s.plain.Gradients(v, c, z)
	x, y, p := z[0], z[1], s.pitch
	// dz/du along the valley is (x - p y, y + p x), dz/dphi is (-y, x); u has the metric 2e-3, phi that of 2.
	du, dphi := c[0]*(x-p*y)+c[1]*(y+p*x), -c[0]*y+c[1]*x
	v[0] = 500*du*(x-p*y) - 0.5*dphi*y
	v[1] = 500*du*(y+p*x) + 0.5*dphi*x
	return f
}

// A block that has become many times as long at no cost, but in other directions, is on its way to an optimum: by 40 degrees
// over four times the length, or by 159. By 8 degrees it goes to infinity.
func TestSpiral(t *testing.T) {
	for _, pitch := range []float64{0.1, 0.5, 2} {
		set := &runtime.Settings{Step: runtime.Constant{}, Negligible: 1e-3, GradientTolerance: 1e-10}
		start := []float64{1, 0}
		s := newSpiral(pitch)
		if fall := s.Loss(start); !(fall < set.Negligible) {
			t.Fatalf("the loss falls by %g", fall)
		}
		res, err := runtime.Minimize(ctx, s, start, set)
		switch r := math.Hypot(res.Z[0], res.Z[1]); {
		case err != nil:
			t.Error(err)
		case pitch < 0.3:
			if res.Status != runtime.AtInfinity || !(r < 20) {
				t.Errorf("pitch %g: %+v", pitch, res)
			}
		case res.Status != runtime.GradientConverged:
			t.Errorf("pitch %g: %+v", pitch, res)
		default:
			near(t, "r", r, 50, 1e-6)
		}
	}
}

// A block is at infinity only where it matters: setting it to 0 costs 5,000 times what is negligible.
func TestRelevance(t *testing.T) {
	for _, height := range []float64{4, 6} {
		p := &plain{
			dim:    1,
			blocks: []runtime.Block{{Name: "a", Len: 1, Auxiliary: true}},
			f:      func(z []float64) float64 { return height * math.Exp(-z[0]) },
			grad:   func(c, z []float64) { c[0] = -height * math.Exp(-z[0]) },
		}
		res, err := runtime.Minimize(ctx, p, []float64{1}, &runtime.Settings{Negligible: 1e-3})
		if err != nil || (res.Status == runtime.AtInfinity) != (height > 5) {
			t.Errorf("height %g: %+v, %v", height, res, err)
		}
	}
}
