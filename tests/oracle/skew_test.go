package oracle_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/spec"
)

// skew is a problem with one of the two forms of the skew-normal distribution for its target.
func skew(t *testing.T, target, mapping string) *derive.Result {
	t.Helper()
	text := "package: skew\ntarget: " + target + "\nsurrogate: multivariate_normal\n" +
		"auxiliary: {slope: {type: vector(d), metric: Sigma}}\nmap: " + mapping + "\nstart: {mu: 0, Sigma: eye(d), slope: 0}\n"
	f, diags := spec.Parse("skew.yaml", []byte(text), nil)
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	return derived(t, f.Problems[0])
}

// logDensity is the log-density of a target at one observation.
func logDensity(t *testing.T, d *derive.Result, x []float64, theta map[string]eval.Value) float64 {
	t.Helper()
	env := eval.Scalars(map[string]float64{"d": float64(len(x))})
	for name, v := range theta {
		env.Symbols["theta."+name] = v
	}
	env.Symbols[d.Problem.Target.Variable.Sym.Name] = eval.CoreRows([]*mat.Dense{mat.NewDense(len(x), 1, x)})
	v, err := eval.All([]*expr.Node{d.LogDensity}, env)
	if err != nil {
		t.Fatal(err)
	}
	return v[0].Rows[0]
}

// TestAdditiveForm: mu + w alpha + N(0, Sigma) with a half-normal w is skew-normal with the scale matrix Sigma + alpha alpha'
// and the slant inv(Sigma) alpha over the root of 1 + alpha' inv(Sigma) alpha; of one dimension its density is an integral.
func TestAdditiveForm(t *testing.T) {
	additive := skew(t, "additive_skew_normal", "{mu: mu, alpha: slope, Sigma: Sigma}")
	slanted := skew(t, "skew_normal", "{xi: mu, eta: slope, Omega: Sigma}")
	rng := rand.New(rand.NewPCG(3, 4))
	for _, d := range []int{1, 2, 5} {
		for range 20 {
			normal := func(r, c int) *mat.Dense {
				m := mat.NewDense(r, c, nil)
				m.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, m)
				return m
			}
			mu, alpha, root := normal(d, 1), normal(d, 1), normal(d, d)
			var sigma, omega, inverse, eta mat.Dense
			sigma.Mul(root, root.T())
			for i := range d {
				sigma.Set(i, i, sigma.At(i, i)+0.2)
			}
			omega.Outer(1, alpha.ColView(0), alpha.ColView(0))
			omega.Add(&omega, &sigma)
			if err := inverse.Inverse(&sigma); err != nil {
				t.Fatal(err)
			}
			eta.Mul(&inverse, alpha)
			eta.Scale(1/math.Sqrt(1+mat.Dot(eta.ColView(0), alpha.ColView(0))), &eta)
			x := normal(d, 1).RawMatrix().Data
			got := logDensity(t, additive, x, map[string]eval.Value{"mu": eval.Core(mu), "alpha": eval.Core(alpha), "Sigma": eval.Core(&sigma)})
			want := logDensity(t, slanted, x, map[string]eval.Value{"xi": eval.Core(mu), "Omega": eval.Core(&omega), "eta": eval.Core(&eta)})
			if !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) {
				t.Fatalf("d = %d: log-density %v in the additive form, %v in the other", d, got, want)
			}
			if d > 1 {
				continue
			}
			s, m, a := math.Sqrt(sigma.At(0, 0)), mu.At(0, 0), alpha.At(0, 0)
			integral := quad.Fixed(func(w float64) float64 {
				e := (x[0] - m - a*w) / s
				return math.Exp(-(w*w+e*e)/2) / (math.Pi * s)
			}, 0, 12, 200, quad.Legendre{}, 0)
			if !(math.Abs(math.Exp(got)-integral) <= 1e-9*integral+1e-12) {
				t.Fatalf("density %v, by integration %v", math.Exp(got), integral)
			}
		}
	}
}
