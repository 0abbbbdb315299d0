package external_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/generated/logisticskew"
	"github.com/sngdgen/sngdgen/internal/fresh"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/tests/variational/external/hills"
	"github.com/sngdgen/sngdgen/tests/variational/external/number"
	"github.com/sngdgen/sngdgen/tests/variational/external/quadratic"
	"github.com/sngdgen/sngdgen/tests/variational/external/skewposterior"
)

// logit is a likelihood of logistic regression, as a user would write it.
type logit struct {
	x [][]float64
	y []float64
}

func (l logit) logDensity(gradient, z []float64) float64 {
	clear(gradient)
	sum := 0.0
	for i, x := range l.x {
		sign, t := 2*l.y[i]-1, 0.0
		for j, v := range x {
			t += v * z[j]
		}
		sum -= math.Log1p(math.Exp(-sign * t))
		if gradient == nil {
			continue
		}
		for j, v := range x {
			gradient[j] += sign * v / (1 + math.Exp(sign*t))
		}
	}
	return sum
}

func newLogit(n, d int) (l logit, data runtime.Data) {
	rng := runtime.Stream(5, "logit")
	data.Columns = d + 1
	for range n {
		x, y := make([]float64, d), float64(rng.IntN(2))
		for j := range x {
			x[j] = rng.NormFloat64() + 0.5*y
		}
		l.x, l.y = append(l.x, x), append(l.y, y)
		data.Values = append(append(data.Values, x...), y)
	}
	return l, data
}

// TestFresh: the packages are what the generator writes now.
func TestFresh(t *testing.T) { fresh.Check(t, "models.yaml") }

// TestSameAsFormula: with the function of a formula the steps are those of the formula.
func TestSameAsFormula(t *testing.T) {
	const d = 3
	likelihood, data := newLogit(40, d)
	formula, err := logisticskew.New(data)
	if err != nil {
		t.Fatal(err)
	}
	external, err := skewposterior.New(likelihood.logDensity, d)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := skewposterior.New(likelihood.logDensity, 0); err == nil {
		t.Error("a vector of no entries is accepted")
	}
	var ends [2]*runtime.Result
	for i, m := range []runtime.Variational{formula, external} {
		z := make([]float64, 2*d+d*d)
		if err := m.Start(z, 0, nil); err != nil {
			t.Fatal(err)
		}
		if ends[i], err = runtime.Descend(t.Context(), m, z, &runtime.Stochastic{MaxSteps: 300, Seed: 1}); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range ends[0].Z {
		if got := ends[1].Z[i]; !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
			t.Errorf("entry %d is %v, by the formula %v", i, got, want)
		}
	}
	a, err := runtime.ELBO(formula, ends[0].Z, 500, 2)
	if err != nil {
		t.Fatal(err)
	}
	b, err := runtime.ELBO(external, ends[1].Z, 500, 2)
	if err != nil || !(math.Abs(a.Mean-b.Mean) <= 1e-8) {
		t.Errorf("ELBO %v, by the formula %v, %v", b.Mean, a.Mean, err)
	}
}

// TestOneStep: where all expectations are known, one undamped step in natural parameters lands on a conjugate posterior, from
// anywhere (So and Turner 2024, appendix on natural gradients).
func TestOneStep(t *testing.T) {
	const d = 4
	m, err := quadratic.New(d)
	if err != nil {
		t.Fatal(err)
	}
	z := make([]float64, d+d*d)
	if err := m.Start(z, 0, nil); err != nil {
		t.Fatal(err)
	}
	for i := range d { // not where all is isotropic
		z[i] = float64(i)
		z[d+i*d+i] -= float64(i)
	}
	v := make([]float64, len(z))
	m.NaturalGradient(v, z)
	for i := range z { // the normal distribution with mean 3/4 and covariance I/4: eta1 = 3, eta2 = -2 I
		z[i] -= v[i]
		want := 3.0
		if i >= d {
			want = 0
			if (i-d)%(d+1) == 0 {
				want = -2
			}
		}
		if !(math.Abs(z[i]-want) <= 1e-12) {
			t.Errorf("entry %d is %v, not %v", i, z[i], want)
		}
	}
	e, err := runtime.ELBO(m, z, 100, 1)
	want := d * (9.0/8 + math.Log(math.Pi/2)/2) // the logarithm of the integral of exp(3 z - 2 z^2)
	if err != nil || !(math.Abs(e.Mean-want) <= 1e-12*want) || !(e.StandardError <= 1e-12) {
		t.Errorf("the bound is %+v, the integral %v, %v", e, want, err)
	}
}

// TestUndefined: a density that is 0 somewhere has no bound under a normal approximation. The run says so, although the
// gradient is a number everywhere.
func TestUndefined(t *testing.T) {
	m, err := number.New(func(gradient, z []float64) float64 {
		if gradient != nil {
			gradient[0] = 1/z[0] - 1
		}
		return math.Log(z[0]) - z[0]
	})
	if err != nil {
		t.Fatal(err)
	}
	z := make([]float64, 2)
	if err := m.Start(z, 0, nil); err != nil {
		t.Fatal(err)
	}
	_, err = runtime.Descend(t.Context(), m, z, &runtime.Stochastic{MaxSteps: 2000})
	if failed := (*runtime.Error)(nil); !errors.As(err, &failed) || !strings.Contains(err.Error(), "is NaN") {
		t.Errorf("the run ends with %v", err)
	}
}

// TestHills finds both of two maxima far apart, of a number and a vector: the evidence is that of a density of mass 1.
func TestHills(t *testing.T) {
	logDensity := func(gradient, z []float64) float64 { // the mean of two normal densities of variance 1
		var logs [2]float64
		for c, center := range []float64{-3, 3} {
			for _, x := range z {
				logs[c] -= (x-center)*(x-center)/2 + math.Log(2*math.Pi)/2
			}
		}
		high := math.Max(logs[0], logs[1])
		a, b := math.Exp(logs[0]-high), math.Exp(logs[1]-high)
		for i, x := range z {
			if gradient != nil {
				gradient[i] = (a*(-3-x) + b*(3-x)) / (a + b)
			}
		}
		return high + math.Log((a+b)/2)
	}
	m, err := hills.New(logDensity, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	best := runtime.Estimate{Mean: math.Inf(-1)}
	for seed := range uint64(5) { // both components may go to one maximum
		z := make([]float64, 1+2*3+2*9)
		if err := m.Start(z, 0, runtime.Stream(seed, "start")); err != nil {
			t.Fatal(err)
		}
		res, err := runtime.Descend(t.Context(), m, z, &runtime.Stochastic{MaxSteps: 1000, Seed: seed, Average: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		e, err := runtime.ELBO(m, res.Z, 1000, 1)
		if err != nil {
			t.Fatal(err)
		}
		if e.Mean > best.Mean {
			best = e
		}
	}
	if !(math.Abs(best.Mean) <= 0.05 && best.Reliable() && math.Abs(best.LogEvidence) <= 0.02) {
		t.Errorf("ELBO %v, log evidence %v, k-hat %v; the density has mass 1, and is one of the family", best.Mean, best.LogEvidence, best.KHat)
	}
}
