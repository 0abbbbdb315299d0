package derive_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/spec"
)

// posteriorOf is a problem with a model of data X, of d columns, and y.
func posteriorOf(t *testing.T, approximation, likelihood, prior string) *derive.Result {
	t.Helper()
	text := fmt.Sprintf("package: every\napproximation: %s\nobjective:\n  vi:\n    latent: z\n"+
		"    data:\n      X: matrix(n, d)\n      y: vector(n)\n    log_likelihood: %s\n    log_prior: %s\n", approximation, likelihood, prior)
	f, diags := spec.Parse("every.yaml", []byte(text), nil)
	if f == nil {
		t.Fatal(diags.String())
	}
	return derived(t, f.Problems[0])
}

// TestExactBounds: the expectation of the log joint density under normal targets with any kind of covariance, against its mean over
// many draws by the formulas of the model.
func TestExactBounds(t *testing.T) {
	likelihoods := map[string]func(s, y float64) float64{
		"sum(log_sigmoid((2*y - 1)*(X @ z)))":           func(s, y float64) float64 { return -math.Log1p(math.Exp(-(2*y - 1) * s)) },
		"sum(y*(X @ z) - exp(X @ z))":                   func(s, y float64) float64 { return y*s - math.Exp(s) },
		"sum(-(y - X @ z)^2/2)":                         func(s, y float64) float64 { return -(y - s) * (y - s) / 2 },
		"sum(t_logpdf(y - X @ z, 4))":                   func(s, y float64) float64 { return studentLog(y - s) },
		"-sum(abs(y - X @ z))":                          func(s, y float64) float64 { return -math.Abs(y - s) },
		"sum(-(X @ z)^2*y^2 + sqrt(1 + (X @ z - y)^2))": func(s, y float64) float64 { return -s*s*y*y + math.Sqrt(1+(s-y)*(s-y)) },
	}
	for likelihood, h := range likelihoods {
		for _, approximation := range []string{"normal", "mean_field", "low_rank_normal"} {
			t.Run(approximation+" "+likelihood, func(t *testing.T) {
				d := posteriorOf(t, approximation, likelihood, "-dot(z, z)/2")
				x := d.Variational.Exact
				if x == nil {
					t.Fatal("draws are needed")
				}
				checkJoint(t, d, x.Joint, h)
			})
		}
	}
}

func studentLog(r float64) float64 {
	lg := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	return lg(2.5) - lg(2) - math.Log(4*math.Pi)/2 - 2.5*math.Log1p(r*r/4)
}

// setNormal gives a normal target of three variables its parameters: variances, and for those that are not independent a factor w
// that they have in common. It returns that factor.
func setNormal(d *derive.Result, env *eval.Env, mu, sigma2, w []float64) []float64 {
	dense, factors := mat.NewDense(3, 3, nil), mat.NewDense(3, 5, nil)
	for i := range 3 {
		for j := range 3 {
			dense.Set(i, j, w[i]*w[j])
		}
		dense.Set(i, i, dense.At(i, i)+sigma2[i])
		factors.Set(i, 2, w[i])
	}
	values := map[string]*mat.Dense{"mu": mat.NewDense(3, 1, mu), "sigma2": mat.NewDense(3, 1, sigma2), "Sigma": dense, "W": factors}
	together := false
	for _, q := range d.Problem.Target.Params {
		env.Symbols[q.Sym.Name] = eval.Core(values[q.Name])
		together = together || q.Name == "Sigma" || q.Name == "W"
	}
	if together {
		return w
	}
	return make([]float64, 3)
}

// checkJoint compares an expectation with the mean over draws of three variables, of which rows of data see sums; one row is 0.
func checkJoint(t *testing.T, d *derive.Result, joint *expr.Node, h func(s, y float64) float64) {
	rows, ys, weights := [][]float64{{1, 0.5, -0.3}, {0, 0, 0}, {-0.4, 1.2, 0.6}}, []float64{1, 0, 0.5}, []float64{1, 2, 0.5}
	mu, sigma2 := []float64{0.3, -0.5, 0.8}, []float64{0.4, 0.7, 0.2}
	v := d.Problem.Variational
	env := eval.Scalars(map[string]float64{"d": 3, "n": 3.5, v.Scale.Name: 1})
	w := setNormal(d, env, mu, sigma2, []float64{0.3, -0.2, 0.1})
	var xs []*mat.Dense
	for _, r := range rows {
		xs = append(xs, mat.NewDense(3, 1, r))
	}
	env.Symbols[v.Data[0].Sym.Name], env.Symbols[v.Data[1].Sym.Name] = eval.CoreRows(xs), eval.Value{Rows: ys}
	env.Weights = weights
	got, err := eval.Eval(joint, env)
	if err != nil {
		t.Fatal(err)
	}
	const draws = 200_000
	rng := rand.New(rand.NewPCG(5, 6))
	mean, squares, z := 0.0, 0.0, make([]float64, 3)
	for n := range draws {
		u, value := rng.NormFloat64(), 0.0
		for i := range z {
			z[i] = mu[i] + math.Sqrt(sigma2[i])*rng.NormFloat64() + w[i]*u
			value -= z[i] * z[i] / 2
		}
		for i, r := range rows {
			value += weights[i] * h(r[0]*z[0]+r[1]*z[1]+r[2]*z[2], ys[i])
		}
		change := value - mean
		mean += change / float64(n+1)
		squares += change * (value - mean)
	}
	if margin := 5 * math.Sqrt(squares) / draws; !(math.Abs(got-mean) <= margin) {
		t.Errorf("%v, by draws %v with margin %v: %v", got, mean, margin, joint)
	}
}

// TestExactBoundsOfLibrary: a posterior of the library is fitted without draws exactly where its target is made of numbers whose
// linear sums are normal, and rows see one number that is linear in the latent variables, or is so given others: not in three models, in
// which a curve is integrated out, scales are within a covariance matrix, or states are carried along.
func TestExactBoundsOfLibrary(t *testing.T) {
	exact, drawn := 0, map[string]bool{
		"gaussianprocess": true, // the curve is integrated out
		"garchposterior":  true, // rows depend on those before them
		"randomslopes":    true, // and an effect one of a group's and of the covariance's factor
	}
	for _, name := range spec.Library().ProblemsOf("vi") {
		p, diags := bind.Bind(spec.Library().Problem(name))
		if p == nil {
			t.Fatal(diags.String())
		}
		d := derived(t, spec.Library().Problem(name))
		v := d.Problem.Variational
		want := d.Problem.Mixture == nil && !v.External && !drawn[name]
		for _, w := range d.Problem.Target.Sample.Noise {
			want = want && w.Kind.Combines
		}
		if want = want && affine(d.Problem); want != (d.Variational.Exact != nil) {
			t.Errorf("%s: known without draws %v, want %v", name, d.Variational.Exact != nil, want)
		}
		if want {
			exact++
		}
	}
	if exact < 3 {
		t.Errorf("%d posteriors of the library are known without draws", exact)
	}
}

// affine reports whether the target is drawn as an affine function of its numbers: draws at e, 0, -e on a line.
func affine(p *bind.Problem) bool {
	var drawn *expr.Node
	by := map[*expr.Node]*expr.Node{}
	for _, s := range p.Target.Sample.Values {
		by[s.Sym] = p.Graph.Substitute(s.Node, by)
		drawn = by[s.Sym]
	}
	at := func(c float64) *expr.Node {
		scaled := map[*expr.Node]*expr.Node{}
		for _, w := range p.Target.Sample.Noise {
			scaled[w.Sym] = p.Graph.Scale(c, w.Sym)
		}
		return p.Graph.Substitute(drawn, scaled)
	}
	return p.Graph.Sub(p.Graph.Add(at(1), at(-1)), p.Graph.Scale(2, at(0))).Is(0)
}
