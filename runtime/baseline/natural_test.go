package baseline_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// density is a model of two unconstrained coordinates that are its parameters as they stand, with loss u0^2 + u1^2/2, so
// that c = (2 u0, u1), and a Fisher matrix integrated over its density. It stands in for all continuous targets.
type density struct {
	entry *types.Entry
	log   func(u []float64, x float64) float64
	score func(s *[2]float64, u []float64, x float64)
}

func (d *density) Info() *runtime.Info {
	return &runtime.Info{Name: d.entry.Name, Variable: runtime.Parameter{Name: "x", Type: types.Number.Of(d.entry)},
		Parameters: []runtime.Parameter{{Name: "a", Type: types.Number.Of(types.Real)}, {Name: "b", Type: types.Number.Of(types.Real)}}}
}
func (d *density) Blocks() []runtime.Block         { return []runtime.Block{{Name: "z", Len: 2}} }
func (d *density) Conditions() []runtime.Condition { return nil }
func (d *density) Violation([]float64) int         { return -1 }
func (d *density) Loss(z []float64) float64        { return z[0]*z[0] + z[1]*z[1]/2 }
func (d *density) NaturalGradient(v, z []float64)  {}
func (d *density) Gradients(v, c, z []float64) float64 {
	c[0], c[1] = 2*z[0], z[1]
	return d.Loss(z)
}
func (d *density) Gradient(g, u []float64) float64                { return d.Gradients(g, g, u) }
func (d *density) Hessian(h, u []float64)                         { h[0], h[1], h[2], h[3] = 2, 0, 0, 1 }
func (d *density) Dim() int                                       { return 2 }
func (d *density) SetData(runtime.Data) error                     { return nil }
func (d *density) Counts() (rows, distinct int, weight float64)   { return 1, 1, 1 }
func (d *density) Clone() runtime.Model                           { return d }
func (d *density) Start(z []float64, i int, rng *rand.Rand) error { return nil }
func (d *density) Theta(dst, z []float64)                         { copy(dst, z) }
func (d *density) FromTheta(u, th []float64)                      { copy(u, th) }
func (d *density) Unconstrained() runtime.Unconstrained           { return d }

func (d *density) Sizes() []int       { return nil }
func (d *density) Resize([]int) error { return nil }

func (d *density) FisherSurrogate(dst, z, x, w []float64) (mass, mean, square float64) {
	return d.FisherUnconstrained(dst, z, x, w)
}

func (d *density) FisherUnconstrained(dst, u, x, w []float64) (mass, mean, square float64) {
	clear(dst)
	var s [2]float64
	for i, y := range x {
		p := w[i] * math.Exp(d.log(u, y))
		if p == 0 {
			continue
		}
		d.score(&s, u, y)
		dst[0] += p * s[0] * s[0]
		dst[1] += p * s[0] * s[1]
		dst[3] += p * s[1] * s[1]
		mass, mean, square = mass+p, mean+p*y, square+p*y*y
	}
	dst[2] = dst[1]
	return mass, mean, square
}

// The natural gradients that quadrature gives must be F^-1 c with the Fisher matrix in closed form.
func TestFisherOfContinuousTargets(t *testing.T) {
	trigamma := func(x float64) float64 { return mathext.Zeta(2, x) }
	normal := &density{
		entry: types.Real, // mean u0, standard deviation u1
		log:   func(u []float64, x float64) float64 { return distuv.Normal{Mu: u[0], Sigma: u[1]}.LogProb(x) },
		score: func(s *[2]float64, u []float64, x float64) {
			r := (x - u[0]) / u[1]
			s[0], s[1] = r/u[1], (r*r-1)/u[1]
		},
	}
	gamma := &density{
		entry: types.Positive, // shape u0, rate u1
		log:   func(u []float64, x float64) float64 { return distuv.Gamma{Alpha: u[0], Beta: u[1]}.LogProb(x) },
		score: func(s *[2]float64, u []float64, x float64) {
			s[0], s[1] = math.Log(u[1]*x)-mathext.Digamma(u[0]), u[0]/u[1]-x
		},
	}
	beta := &density{
		entry: types.Unit,
		log:   func(u []float64, x float64) float64 { return distuv.Beta{Alpha: u[0], Beta: u[1]}.LogProb(x) },
		score: func(s *[2]float64, u []float64, x float64) {
			d := mathext.Digamma(u[0] + u[1])
			s[0], s[1] = math.Log(x)-mathext.Digamma(u[0])+d, math.Log1p(-x)-mathext.Digamma(u[1])+d
		},
	}
	for _, c := range []struct {
		m    *density
		u    []float64
		f    func(u []float64) [3]float64
		name string
	}{
		{normal, []float64{0, 1}, func(u []float64) [3]float64 { return [3]float64{1 / u[1] / u[1], 0, 2 / u[1] / u[1]} }, "normal"},
		{normal, []float64{50, 3}, func(u []float64) [3]float64 { return [3]float64{1 / u[1] / u[1], 0, 2 / u[1] / u[1]} }, "normal"},
		{normal, []float64{-1000, 10}, func(u []float64) [3]float64 { return [3]float64{1 / u[1] / u[1], 0, 2 / u[1] / u[1]} }, "normal"},
		{normal, []float64{1e-3, 1e-4}, func(u []float64) [3]float64 { return [3]float64{1 / u[1] / u[1], 0, 2 / u[1] / u[1]} }, "normal"},
		{gamma, []float64{2, 3}, func(u []float64) [3]float64 { return [3]float64{trigamma(u[0]), -1 / u[1], u[0] / u[1] / u[1]} }, "gamma"},
		{gamma, []float64{0.3, 0.01}, func(u []float64) [3]float64 { return [3]float64{trigamma(u[0]), -1 / u[1], u[0] / u[1] / u[1]} }, "gamma"},
		{gamma, []float64{400, 0.1}, func(u []float64) [3]float64 { return [3]float64{trigamma(u[0]), -1 / u[1], u[0] / u[1] / u[1]} }, "gamma"},
		{beta, []float64{2, 3}, func(u []float64) [3]float64 {
			s := trigamma(u[0] + u[1])
			return [3]float64{trigamma(u[0]) - s, -s, trigamma(u[1]) - s}
		}, "beta"},
		{beta, []float64{0.7, 50}, func(u []float64) [3]float64 {
			s := trigamma(u[0] + u[1])
			return [3]float64{trigamma(u[0]) - s, -s, trigamma(u[1]) - s}
		}, "beta"},
	} {
		p, err := baseline.Natural(c.m)
		if err != nil {
			t.Fatal(err)
		}
		v, g := make([]float64, 2), make([]float64, 2)
		if f := p.Gradients(v, g, c.u); math.IsNaN(f) {
			t.Errorf("%s %v: the Fisher matrix was not integrated", c.name, c.u)
			continue
		}
		F := c.f(c.u)
		for i, got := range []float64{F[0]*v[0] + F[1]*v[1], F[1]*v[0] + F[2]*v[1]} {
			if !(math.Abs(got-g[i]) <= 1e-6*(math.Abs(g[0])+math.Abs(g[1]))) {
				t.Errorf("%s %v: F v = %v, c = %v", c.name, c.u, got, g[i])
			}
		}
	}
}

func TestFisherOfBits(t *testing.T) {
	m := &density{
		entry: types.Binary, // logit u0; u1 shifts it too, so that F is singular
		log: func(u []float64, x float64) float64 {
			p := 1 / (1 + math.Exp(-u[0]))
			return math.Log(x*p + (1-x)*(1-p))
		},
		score: func(s *[2]float64, u []float64, x float64) {
			s[0] = x - 1/(1+math.Exp(-u[0]))
			s[1] = 0
		},
	}
	p, err := baseline.Natural(m)
	if err != nil {
		t.Fatal(err)
	}
	v, c := make([]float64, 2), make([]float64, 2)
	if f := p.Gradients(v, c, []float64{1, 1}); !math.IsNaN(f) {
		t.Errorf("f = %v with a singular Fisher matrix", f)
	}
	if i := p.Violation([]float64{1, 1}); i != len(p.Conditions())-1 {
		t.Errorf("violation %d", i)
	}
	_, err = runtime.Minimize(context.Background(), p, []float64{1, 1}, nil)
	want := "runtime: start: outside the domain: needs a positive definite Fisher matrix of the target, integrated to mass one"
	if err == nil || err.Error() != want {
		t.Error(err)
	}
	if _, err := baseline.Natural(&vectors{}); err == nil ||
		err.Error() != "baseline: no rule to integrate over observations that are no numbers, but of the form vector" {
		t.Error(err)
	}
}

// Natural gradient descent does not depend on the parameterisation to first order: the two variants must give the same
// velocity of the target's parameters.
func TestNaturalIsInvariant(t *testing.T) {
	m := fitfixture.NewNegBin(fitfixture.SheepData())
	a, _ := baseline.Natural(m)
	b, _ := baseline.NaturalSurrogate(m)
	for i := range 10 {
		z, u := start(t, m, i)
		va, vb, c := make([]float64, 2), make([]float64, 2), make([]float64, 2)
		a.Gradients(va, c, u)
		b.Gradients(vb, c, z)
		const h = 1e-6
		th1, th2, thu, thz := make([]float64, 2), make([]float64, 2), make([]float64, 2), make([]float64, 2)
		m.Unconstrained().Theta(thu, []float64{u[0] + h*va[0], u[1] + h*va[1]})
		m.Unconstrained().Theta(th1, []float64{u[0] - h*va[0], u[1] - h*va[1]})
		m.Theta(thz, []float64{z[0] + h*vb[0], z[1] + h*vb[1]})
		m.Theta(th2, []float64{z[0] - h*vb[0], z[1] - h*vb[1]})
		for j := range 2 {
			da, db := thu[j]-th1[j], thz[j]-th2[j]
			if !(math.Abs(da-db) <= 1e-5*math.Abs(da)) {
				t.Errorf("start %d: velocities %v and %v", i, da/h, db/h)
			}
		}
	}
}

func TestNaturalSheep(t *testing.T) {
	m := fitfixture.NewNegBin(fitfixture.SheepData())
	ngd, _ := baseline.Natural(m)
	ngdg, _ := baseline.NaturalSurrogate(m)
	th := make([]float64, 2)
	for i := range 10 {
		z, u := start(t, m, i)
		res, err := runtime.Minimize(context.Background(), ngd, u, nil)
		if err != nil || !res.Status.Converged() {
			t.Fatalf("ngd, start %d: %v", i, err)
		}
		m.Unconstrained().Theta(th, res.Z)
		checkSheep(t, th, res)
		t.Logf("start %d: ngd %d iterations, %d evaluations", i, res.Iterations, res.GradientEvaluations)
		if res, err = runtime.Minimize(context.Background(), ngdg, z, nil); err != nil || !res.Status.Converged() {
			t.Fatalf("ngd-g, start %d: %v", i, err)
		}
		m.Theta(th, res.Z)
		checkSheep(t, th, res)
		t.Logf("start %d: ngd-g %d iterations, %d evaluations", i, res.Iterations, res.GradientEvaluations)
		res, err = runtime.Minimize(context.Background(), baseline.Euclidean(m.Unconstrained()), u, nil)
		if err != nil || !res.Status.Converged() {
			t.Fatalf("gd, start %d: %v", i, err)
		}
		t.Logf("start %d: gd %d iterations, %d evaluations", i, res.Iterations, res.GradientEvaluations)
	}
}

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

// vectors is a model whose observations are vectors.
type vectors struct{ density }

func (*vectors) Info() *runtime.Info {
	return &runtime.Info{Variable: runtime.Parameter{Name: "x", Type: types.Vector.Of(types.Real)}}
}
