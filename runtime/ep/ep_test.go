package ep

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/special"
)

// factored is a Problem of given factors with a normal prior of mean 0 and a given precision, whose density is normalised unless
// the precision is 0.
type factored struct {
	d         int
	precision float64
	a, w      []float64
	h         []func(s float64) float64
	// several are factors of several numbers, in the place of h.
	several map[int]func(s []float64) float64
	seen    map[int]int
	point   [8]float64
}

func (f *factored) FactorSizes() (d, factors, predictors int) { return f.d, len(f.h), len(f.a) / f.d }

func (f *factored) Predictors(i int) int { return max(f.seen[i], 1) }

func (f *factored) Coefficients(a, w []float64) {
	copy(a, f.a)
	for i := range w {
		w[i] = 1
	}
	copy(w, f.w)
}

func (f *factored) FactorLogs(dst, s []float64, i int) {
	if h := f.several[i]; h != nil {
		at := f.point[:f.seen[i]]
		for m := range dst {
			for j := range at {
				at[j] = s[j*len(dst)+m]
			}
			dst[m] = h(at)
		}
		return
	}
	for k, x := range s {
		dst[k] = f.h[i](x)
	}
}

func (f *factored) Quadratic(g, z []float64) float64 {
	sum := 0.0
	if f.precision > 0 {
		sum = float64(f.d) / 2 * math.Log(f.precision/(2*math.Pi))
	}
	for i, x := range z {
		g[i] = -f.precision * x
		sum -= f.precision * x * x / 2
	}
	return sum
}

// add adds a factor.
func (f *factored) add(h func(float64) float64, a ...float64) {
	f.a, f.h = append(f.a, a...), append(f.h, h)
}

// joint adds a factor of several numbers, whose coefficients are one after the other.
func (f *factored) joint(k int, h func([]float64) float64, a ...float64) {
	if f.several == nil {
		f.several, f.seen = map[int]func([]float64) float64{}, map[int]int{}
	}
	f.several[len(f.h)], f.seen[len(f.h)] = h, k
	f.a, f.h = append(f.a, a...), append(f.h, nil)
}

// families are logarithms of factors, of a scale and a place.
var families = map[string]func(place, scale float64) func(float64) float64{
	"logistic": func(place, scale float64) func(float64) float64 {
		return func(s float64) float64 { return -softplus(-(s - place) / scale) }
	},
	"probit": func(place, scale float64) func(float64) float64 {
		return func(s float64) float64 { return special.LogNdtr((s - place) / scale) }
	},
	"poisson": func(place, scale float64) func(float64) float64 {
		return func(s float64) float64 { return math.Ceil(scale)*(s-place) - math.Exp(s-place) }
	},
	"cauchy": func(place, scale float64) func(float64) float64 {
		return func(s float64) float64 { u := (s - place) / scale; return -math.Log1p(u * u) }
	},
	"laplace": func(place, scale float64) func(float64) float64 {
		return func(s float64) float64 { return -math.Abs(s-place) / scale }
	},
}

// kinked is the family whose factors are not smooth, so that no rule converges fast.
const kinked = "laplace"

// momentsOf are the integral, mean and second moment of a density, given its logarithm, from -wide to wide.
func momentsOf(log func(float64) float64, wide float64, n int) (mass, mean, square float64) {
	moment := func(f func(s float64) float64) float64 {
		return simpson(func(s float64) float64 { return f(s) * math.Exp(log(s)) }, -wide, wide, n)
	}
	mass = moment(func(float64) float64 { return 1 })
	return mass, moment(func(s float64) float64 { return s }) / mass, moment(func(s float64) float64 { return s * s }) / mass
}

func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func normalLog(place, scale float64) func(float64) float64 {
	return func(s float64) float64 {
		u := (s - place) / scale
		return -u*u/2 - math.Log(scale*math.Sqrt(2*math.Pi))
	}
}

func run(t *testing.T, p Problem, s Settings) *Result {
	t.Helper()
	r, err := Run(context.Background(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.12g, want %.12g to %.1g", what, got, want, tolerance)
	}
}

// simpson integrates on a fine grid.
func simpson(f func(float64) float64, lo, hi float64, n int) float64 {
	h, sum := (hi-lo)/float64(n), f(lo)+f(hi)
	for i := 1; i < n; i++ {
		sum += float64(2+2*(i%2)) * f(lo+float64(i)*h)
	}
	return sum * h / 3
}

// The posterior of one number with one factor is its tilted distribution, so that expectation propagation has its moments and its
// evidence exactly.
func TestOneFactor(t *testing.T) {
	for name, family := range families {
		rng := runtime.Stream(3, name)
		for range 20 {
			place, scale, precision := 3*rng.NormFloat64(), math.Exp(1.5*rng.NormFloat64()), math.Exp(rng.NormFloat64())
			h := family(place, scale)
			p := &factored{d: 1, precision: precision}
			p.add(h, 1)
			r := run(t, p, Settings{Power: 1})
			if !r.Converged || r.Sweeps > 2 {
				t.Errorf("%s: %d sweeps: %s", name, r.Sweeps, r.Message)
			}
			wide := 12 / math.Sqrt(precision)
			z, mean, square := momentsOf(func(s float64) float64 { return h(s) - precision*s*s/2 }, wide, 1<<16)
			tolerance := 1e-8
			if name == kinked {
				tolerance = 1e-4
			}
			near(t, name+": log evidence", r.LogEvidence, math.Log(z*math.Sqrt(precision/(2*math.Pi))), tolerance)
			near(t, name+": mean", r.Mean[0], mean, tolerance)
			near(t, name+": variance", r.Covariance[0], square-mean*mean, tolerance)
		}
	}
}

// regression has random coefficients and factors of one family, of random places.
func regression(rng *rand.Rand, d, n int, family func(place, scale float64) func(float64) float64) *factored {
	p := &factored{d: d, precision: 1}
	for range n {
		a := make([]float64, d)
		for j := range a {
			a[j] = rng.NormFloat64()
		}
		p.add(family(rng.NormFloat64(), 1), a...)
	}
	return p
}

// With normal factors the density is normal: it is found in the first sweep, at every power.
func TestNormalFactors(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, power := range []float64{0, 0.3, 1} {
		p := regression(rng, 4, 9, normalLog)
		r := run(t, p, Settings{Power: power})
		if power == 1 && r.Sweeps > 2 || !r.Converged {
			t.Errorf("power %g: %d sweeps: %s", power, r.Sweeps, r.Message)
		}
		for i, q := range r.Precision {
			near(t, "precision of a site", q, 1, 1e-5)
			place := 0.0 // of the largest value of the factor
			for range 50 {
				place -= (p.h[i](place+1e-3) - p.h[i](place-1e-3)) / 2e-3 / -1
			}
			near(t, "shift of a site", r.Shift[i], place, 1e-4)
		}
	}
}

// The estimate of the evidence is stationary in the sites where the moments agree.
func TestStationary(t *testing.T) {
	for name, family := range families {
		rng := runtime.Stream(3, name)
		for _, power := range []float64{0, 0.25, 1} {
			p := regression(rng, 3, 12, family)
			r := run(t, p, Settings{Power: power, Tolerance: 1e-9})
			if !r.Converged {
				t.Errorf("%s, power %g: %s", name, power, r.Message)
				continue
			}
			at := func(i int, shift, precision float64) float64 {
				e, err := newSites(p, Settings{Power: power})
				if err != nil {
					t.Fatal(err)
				}
				copy(e.shifts, r.Shift)
				copy(e.precisions, r.Precision)
				e.shifts[i] += shift
				e.precisions[i] += precision
				e.refresh()
				return e.logEvidence(e.check())
			}
			h, tolerance := 1e-4, 1e-6
			if name == kinked { // whose integrals have errors, which differences magnify
				h, tolerance = 1e-3, 2e-3
			}
			for _, i := range []int{0, 5} {
				near(t, name+": derivative in a shift", (at(i, h, 0)-at(i, -h, 0))/(2*h), 0, tolerance)
				near(t, name+": derivative in a precision", (at(i, 0, h)-at(i, 0, -h))/(2*h), 0, tolerance)
			}
		}
	}
}

// A small power comes close to variational inference, at the rate of the power.
func TestSmallPower(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, name := range []string{"logistic", "probit", "poisson"} {
		p := regression(rng, 3, 12, families[name])
		limit := run(t, p, Settings{Power: 0})
		if !limit.Converged {
			t.Fatalf("%s: %s", name, limit.Message)
		}
		far := math.Inf(1)
		for _, power := range []float64{0.1, 0.01, 0.001} {
			r := run(t, p, Settings{Power: power})
			if !r.Converged {
				t.Errorf("%s, power %g: %s", name, power, r.Message)
			}
			distance := math.Abs(r.LogEvidence - limit.LogEvidence)
			for i, m := range r.Mean {
				distance += math.Abs(m - limit.Mean[i])
			}
			if !(distance < far/5) {
				t.Errorf("%s: with power %g the distance from variational inference is %g, after %g", name, power, distance, far)
			}
			far = distance
		}
		near(t, name+": distance at power 0.001", far, 0, 1e-2)
	}
}

// What counts k times is k factors.
func TestWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, power := range []float64{0, 0.5, 1} {
		p := regression(rng, 3, 8, families["logistic"])
		weighted, repeated := *p, factored{d: p.d, precision: p.precision}
		for i, h := range p.h {
			k := rng.IntN(6)
			weighted.w = append(weighted.w, float64(k))
			for range k {
				repeated.add(h, p.a[i*p.d:(i+1)*p.d]...)
			}
		}
		a, b := run(t, &weighted, Settings{Power: power, Tolerance: 1e-9}), run(t, &repeated, Settings{Power: power, Tolerance: 1e-9})
		if !a.Converged || !b.Converged {
			t.Errorf("%s; %s", a.Message, b.Message)
		}
		near(t, "log evidence", a.LogEvidence, b.LogEvidence, 1e-7)
		for i := range a.Mean {
			near(t, "mean", a.Mean[i], b.Mean[i], 1e-7)
		}
		for i := range a.Covariance {
			near(t, "covariance", a.Covariance[i], b.Covariance[i], 1e-7)
		}
	}
}

// A factor that counts often, and a density without a proper quadratic part, have their moments too.
func TestInformative(t *testing.T) {
	p := &factored{d: 1, w: []float64{3000, 7000}}
	p.add(families["logistic"](0, 1), 1)
	p.add(families["logistic"](0, 1), -1)
	for _, power := range []float64{0, 0.5, 1} {
		r := run(t, p, Settings{Power: power})
		if !r.Converged {
			t.Errorf("power %g: %s", power, r.Message)
		}
		near(t, "mean", r.Mean[0], math.Log(3.0/7), 3e-4)
		near(t, "variance", r.Covariance[0], 1/(10000*0.21), 2e-6)
	}
	narrow := &factored{d: 1, precision: 1e-8}
	narrow.add(normalLog(300, 1e-4), 1)
	r := run(t, narrow, Settings{Power: 1})
	near(t, "mean", r.Mean[0], 300, 1e-9)
	near(t, "variance", r.Covariance[0]*1e8, 1, 1e-9)
}

// Outliers have sites of negative precision.
func TestNegativeSites(t *testing.T) {
	p := &factored{d: 1, precision: 0.01}
	for _, x := range []float64{-1, -0.5, -0.2, 0, 0.1, 0.4, 0.9, 8} {
		p.add(families["cauchy"](x, 0.5), 1)
	}
	r := run(t, p, Settings{Power: 1})
	if !r.Converged || r.Negative == 0 {
		t.Fatalf("%d sites have a negative precision: %s", r.Negative, r.Message)
	}
	log := func(s float64) float64 {
		sum := -0.005 * s * s
		for _, h := range p.h {
			sum += h(s)
		}
		return sum
	}
	z, mean, _ := momentsOf(log, 50, 1<<16)
	near(t, "mean", r.Mean[0], mean, 0.02)
	near(t, "log evidence", r.LogEvidence, math.Log(z)+math.Log(0.01/(2*math.Pi))/2, 0.1)
}

// What has no normal approximation is not said to have converged.
func TestNoMoments(t *testing.T) {
	p := &factored{d: 1}
	p.add(families["logistic"](0, 1), 1) // alone, without a prior: its integral is infinite
	for _, power := range []float64{0, 1} {
		r, err := Run(context.Background(), p, Settings{Power: power, Sweeps: 50})
		if err == nil && r.Converged {
			t.Errorf("power %g: converged: %s", power, r.Message)
		}
	}
	flat := &factored{d: 2}
	flat.add(families["logistic"](0, 1), 1, 1)
	if _, err := Run(context.Background(), flat, Settings{Power: 1}); err == nil {
		t.Error("no error for a direction without a prior or data")
	}
	growing := &factored{d: 1, precision: 1}
	growing.add(func(s float64) float64 { return s * s }, 1)
	if r := run(t, growing, Settings{Power: 1, Sweeps: 3}); r.Converged || len(r.Skipped) != 1 || !math.IsNaN(r.LogEvidence) {
		t.Errorf("%+v", r)
	}
	undefined := &factored{d: 1, precision: 1}
	undefined.add(math.Log, 1)
	if r := run(t, undefined, Settings{Power: 1, Sweeps: 3}); r.Converged {
		t.Errorf("%+v", r)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, regression(rand.New(rand.NewPCG(3, 4)), 2, 5, families["logistic"]), Settings{Power: 1}); err == nil {
		t.Error("no error")
	}
}

func TestSweepsAllocateNothing(t *testing.T) {
	e, err := newSites(regression(rand.New(rand.NewPCG(3, 4)), 5, 20, families["logistic"]), Settings{Power: 0.5, Tolerance: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if n := testing.AllocsPerRun(10, func() { e.sweep(ctx, 1); e.refresh(); e.check() }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkSweep(b *testing.B) {
	e, err := newSites(regression(rand.New(rand.NewPCG(1, 2)), 48, 500, families["logistic"]), Settings{Power: 1, Tolerance: 1e-6})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		e.sweep(context.Background(), 1)
		e.refresh()
	}
}

func TestSettings(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, s := range []Settings{{Power: nan}, {Power: -0.1}, {Power: 1.1}, {Power: inf}, {Step: nan}, {Step: -1}, {Step: 1.5}, {Sweeps: -1},
		{Tolerance: nan}, {Tolerance: -1}, {Tolerance: inf}} {
		var wrong *runtime.SettingError
		if _, err := Run(context.Background(), &factored{d: 1, precision: 1}, s); !errors.As(err, &wrong) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	if r := run(t, &factored{d: 2, precision: 4}, Settings{Power: 1}); !r.Converged || r.Covariance[0] != 0.25 || math.Abs(r.LogEvidence) > 1e-12 {
		t.Errorf("without factors: %+v", r)
	}
}
