package derive_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/spec"
)

// partlyOf is a problem with three latent variables whose likelihood has no known expectation, and a prior.
func partlyOf(t *testing.T, approximation, prior string) *derive.Result {
	t.Helper()
	text := fmt.Sprintf("package: every\napproximation: %s\nobjective:\n  vi:\n    latent: {a: real, s: real, z: vector(k)}\n"+
		"    data: {y: vector(n), b: vector(k)}\n    log_likelihood: -sum(abs(y - a*s))\n    log_prior: %s\n", approximation, prior)
	f, diags := spec.Parse("every.yaml", []byte(text), nil)
	if f == nil {
		t.Fatal(diags.String())
	}
	return derived(t, f.Problems[0])
}

// TestPartlyKnown: which terms of a log joint density are known under normal targets, and their expectations, against a product rule.
func TestPartlyKnown(t *testing.T) {
	for prior, f := range map[string]func(a, s, z float64) float64{
		"3*a":                                func(a, _, _ float64) float64 { return 3 * a },
		"-(a - 2*s + 1)^2/2":                 func(a, s, _ float64) float64 { return -(a - 2*s + 1) * (a - 2*s + 1) / 2 },
		"a*s - s":                            func(a, s, _ float64) float64 { return a*s - s },
		"s - exp(2*s)/3":                     func(_, s, _ float64) float64 { return s - math.Exp(2*s)/3 },
		"-exp(-2*s)*(a - 1)^2/2":             func(a, s, _ float64) float64 { return -math.Exp(-2*s) * (a - 1) * (a - 1) / 2 },
		"-a^3*s/3 + a^2*exp(-s)":             func(a, s, _ float64) float64 { return -a*a*a*s/3 + a*a*math.Exp(-s) },
		"-(a*s - a + 1)^2*exp(s/2)":          func(a, s, _ float64) float64 { return -(a*s - a + 1) * (a*s - a + 1) * math.Exp(s/2) },
		"-2*dot(z, z)":                       func(_, _, z float64) float64 { return -2 * z * z },
		"total(z) - a":                       func(a, _, z float64) float64 { return z - a },
		"-dot(z - a, z - a)*exp(-2*s)/2":     func(a, s, z float64) float64 { return -(z - a) * (z - a) * math.Exp(-2*s) / 2 },
		"-total(exp(z - s))":                 func(_, s, z float64) float64 { return -math.Exp(z - s) },
		"-(a^2 + log1p(s^2))":                func(a, _, _ float64) float64 { return -a * a },
		"-dot(z, z)/2 - log1p(exp(2*s)) + s": func(_, s, z float64) float64 { return -z*z/2 + s },
	} {
		for _, approximation := range []string{"normal", "mean_field", "low_rank_normal"} {
			t.Run(approximation+" "+prior, func(t *testing.T) {
				d := partlyOf(t, approximation, prior)
				known := d.Variational.KnownTerms
				if known == nil {
					t.Fatal("nothing is known")
				}
				env := eval.Scalars(nil)
				for _, name := range []string{"d", "k", "r"} {
					env.Set(d.Problem.Graph.DimNode(expr.Dim{Name: name}).Name, map[string]float64{"d": 3, "k": 1, "r": 5}[name])
				}
				mu, sigma2 := []float64{0.3, -0.4, 0.8}, []float64{0.2, 0.3, 0.15}
				w := setNormal(d, env, mu, sigma2, []float64{0.4, -0.3, 0.5})
				got, err := eval.All([]*expr.Node{known.Expectation}, env)
				if err != nil {
					t.Fatal(err)
				}
				if want := normalMean(mu, sigma2, w, f); math.Abs(got[0].Scalar-want) > 1e-10*(1+math.Abs(want)) {
					t.Errorf("%v, by quadrature %v", got[0].Scalar, want)
				}
			})
		}
	}
}

// normalMean is the mean of a function of three normal numbers, by the trapezoidal rule in each of the independent ones.
func normalMean(mu, sigma2, w []float64, f func(a, s, z float64) float64) float64 {
	covariance := mat.NewSymDense(3, nil)
	for i := range 3 {
		for j := range i + 1 {
			covariance.SetSym(i, j, w[i]*w[j])
		}
		covariance.SetSym(i, i, w[i]*w[i]+sigma2[i])
	}
	var chol mat.Cholesky
	chol.Factorize(covariance)
	var l mat.TriDense
	chol.LTo(&l)
	const h, end = 0.4, 24
	sum := 0.0
	for i := -end; i <= end; i++ {
		for j := -end; j <= end; j++ {
			for k := -end; k <= end; k++ {
				e := []float64{h * float64(i), h * float64(j), h * float64(k)}
				x := []float64{mu[0], mu[1], mu[2]}
				for r := range 3 {
					for c := range r + 1 {
						x[r] += l.At(r, c) * e[c]
					}
				}
				weight := math.Exp(-(e[0]*e[0]+e[1]*e[1]+e[2]*e[2])/2) * math.Pow(h/math.Sqrt(2*math.Pi), 3)
				sum += weight * f(x[0], x[1], x[2])
			}
		}
	}
	return sum
}

// TestEstimatedTerms: what sees the data, or has an expectation in no closed form, is estimated, and under other targets than normal ones
// exponentials are, and so is everything where all terms are, or the path derivative is taken.
func TestEstimatedTerms(t *testing.T) {
	for _, c := range []struct{ approximation, prior string }{
		{"normal", "-log1p(a^2)"}, {"normal", "-sqrt(1 + s^2)"}, {"normal", "-dot(atan(z), z)"}, {"skew_normal", "-abs(s)"}, {"normal", "2"}, {"normal", "-a^5*s"}, {"normal", "-a^2*dot(b, b)"},
		{"normal", "-n*a^2"}, {"skew_t", "-exp(a)"}, {"skew_normal", "-total(exp(z))"}, {"skew_normal", "-exp(2*s)*a^2"},
	} {
		if known := partlyOf(t, c.approximation, c.prior).Variational.KnownTerms; known != nil {
			t.Errorf("%s, %s: known are %v with the expectation %v", c.approximation, c.prior, known.Terms, known.Expectation)
		}
	}
	d := partlyOf(t, "skew_normal", "-a^2/2 - dot(z, z) - exp(s)")
	known := d.Variational.KnownTerms
	if known == nil {
		t.Fatal("squares under a skew-normal distribution are estimated")
	}
	for i, want := range []bool{true, false, true} {
		if sym := d.Problem.Variational.Latent[i].Sym; expr.Depends(known.Terms, sym) != want {
			t.Errorf("known are %v", known.Terms)
		}
	}
}

// TestPackedLatents: nothing is known of latent variables some of whose entries have no place in the variable of the target.
func TestPackedLatents(t *testing.T) {
	d := derived(t, spec.Library().Problem("randomslopes"))
	if known := d.Variational.KnownTerms; known != nil {
		t.Errorf("known are %v", known.Terms)
	}
}
