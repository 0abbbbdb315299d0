package derive_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/spec"
)

// severalLatents are models whose latent variables are parts of the target's variable: a number a, a vector b of two entries, a
// vector e of two and a number w, with data of three rows, or of one.
var severalLatents = map[string]struct {
	data, joint string
	rows        bool
}{
	"intercept": {"X: matrix(n, 2), G: matrix(n, 2), y: vector(n)", "sum(log_sigmoid((2*y - 1)*(a + X @ b + G @ e))) - a^2/2 - dot(b, b)/2 - dot(e, e) - w^2", true},
	"unknown deviation": {"X: matrix(n, 2), y: vector(n)",
		"sum(-((y - a - X @ b)*exp(-w))^2/2 - w) - exp(w) + w - dot(b, b)/2 - total((2*e - 1)^2) - a^2", true},
	"groups": {"X: matrix(n, 2), G: matrix(n, 2), y: vector(n)",
		"sum(y*(a + X @ b + exp(w)*(G @ e)) + log_sigmoid(-a - X @ b - exp(w)*(G @ e))) - a^2 - dot(b, b)/2 - dot(e, e)/2 - exp(2*w)/2", true},
	"counts of groups": {"G: matrix(n, 2), y: vector(n)",
		"sum(y*(a + exp(w)*(G @ e)) - exp(a/2 + (2*sigmoid(w) - 1)*(G @ e)/4)) - a^2 - dot(b, b)/2 - dot(e, e)/2 - w^2/2", true},
	"products": {"X: matrix(n, 2), G: matrix(n, 2), y: vector(n)",
		"sum(-((X @ b - (2*sigmoid(w) - 1)*(G @ b))*exp(-a/4))^2*(2 - y*sigmoid(w)^2)/2 - a) - a^2 - dot(b, b) - dot(e, e)/2 - w^2", true},
	"robust":       {"X: matrix(n, 2), y: vector(n)", "sum(t_logpdf((y - X @ b)*exp(-w), 4) - w) - a^2 - dot(b, b) - dot(e, e)/2 - w^2", true},
	"sums of rows": {"X: matrix(n, 2), y: vector(n)", "sum(y*(X @ (b - a)) - exp(w)) - a^2 - dot(b, b) - dot(e, e)/2 - w^2", true},
	"effects":      {"m: vector(2), s: positive vector(2)", "-total(((m - a - exp(w/2)*e)/s)^2)/2 - a^2 - dot(b, b) - dot(e, e)/2 - log1p(exp(2*w))", false},
	"funnel":       {"m: vector(2), s: positive vector(2)", "-total((e/s)^2)*exp(-w)/2 - w - w^2/2 - a^2 - dot(b, b) - total(exp(b/2))", false},
	"horseshoe": {"X: matrix(n, 2), y: vector(n)",
		"sum(-((y - X @ (exp(a/4 + b/2)*e))*exp(-w/2))^2/2 - w/2) - a^2 - total(log1p(exp(2*b))) - dot(e, e)/2 - w^2", true},
	"beside a predictor": {"X: matrix(n, 2), G: matrix(n, 2), y: vector(n)",
		"sum(-((y - a - G @ b - X @ (exp(b/2 - w/3)*(2*e - a/2 + 1)))^2)/4) - a^2 - dot(b, b) - dot(e, e)/2 - w^2", true},
	"log-normal coefficients": {"X: matrix(n, 2), y: vector(n)",
		"sum(-(y - X @ exp(b/2 + w/4))^2*exp(a/4)/4) - a^2 - total(log1p(b^2)) - dot(e, e)/2 - w^2", true},
	"two kinds of coefficients": {"X: matrix(n, 2), G: matrix(n, 2), y: vector(n)",
		"sum(-(y - X @ (exp(b/2)*e) - G @ (exp(0.4*e)*(b + a)))^2/4) - a^2 - dot(b, b) - dot(e, e)/2 - total(sqrt(1 + (e - w)^2))", true},
	"errors in variables": {"X: matrix(n, 2), G: matrix(n, 2), y: vector(n)",
		"sum(-((y - a - w*(G @ e) - X @ b)*exp(b[1]/4))^2/2) - a^2 - dot(b, b)/2 - dot(e, e)/2 - w^2/2", true},
	"fourth degree":       {"X: matrix(n, 2), y: vector(n)", "-sum((X @ b)^2*(X @ e)^2*exp(w)) - a^2*w*b[2] - dot(b, b) - dot(e, e)/2 - w^2", true},
	"an entry":            {"X: matrix(n, 2), y: vector(n)", "sum(log_sigmoid(y*(e[2] - 2*b[1] + X @ e))) + exp(e[1] - w)*b[2] - a^2 - dot(b, b) - dot(e, e)/2 - w^2", true},
	"a total beside rows": {"X: matrix(n, 2), y: vector(n)", "sum(log_sigmoid(y*(total(b) + d*a - X @ e))) - a^2 - dot(b, b) - dot(e, e)/2 - w^2", true},
	"absolute values": {"X: matrix(n, 2), y: vector(n)",
		"sum(-abs((y - a - X @ b)*exp(-w/2)) - w/4) - exp(w/2)*total(abs(b - 0.3)) + total(abs(e))*a/4 - total(abs(1 - 2*e))*a*w/8 - a^2 - dot(e, e) - w^2", true},
	"scales of absolute values": {"X: matrix(n, 2), y: vector(n)", "sum(y*abs(X @ b)*exp(w)) - total(abs(e*exp(w))) - a^2 - dot(b, b) - dot(e, e)/2 - w^2", true},
	"forms of vectors": {"m: vector(2), s: positive vector(2)",
		"-dot(b, e)*exp(w) - dot(b - a, 2*e - b + m)*exp(w/2 - a/4)/4 - dot(e - b[1], (outer([1, 2], [0.5, 1]) + eye(2)) @ (e - b)) - a^2 - dot(b, b) - w^2", false},
	"other lengths": {"m: vector(2), s: positive vector(2)", "-total(exp(e/s))*a^2/4 - a^2 - dot(b, b) - dot(e, e) - w^2", false},
}

// TestSeveralLatentVariables: expectations of log joint densities of several latent variables, against the mean of the density over
// many draws.
func TestSeveralLatentVariables(t *testing.T) {
	for name, m := range severalLatents {
		for _, approximation := range []string{"normal", "mean_field", "low_rank_normal"} {
			t.Run(name+" "+approximation, func(t *testing.T) {
				t.Parallel()
				text := fmt.Sprintf("package: every\napproximation: %s\nobjective:\n  vi:\n    latent: {a: real, b: vector(2), e: vector(2), w: real}\n"+
					"    data:\n      %s\n    log_joint: %s\n", approximation, parts(m.data), m.joint)
				f, diags := spec.Parse("every.yaml", []byte(text), nil)
				if f == nil {
					t.Fatal(diags.String())
				}
				d := derived(t, f.Problems[0])
				if d.Variational.Exact == nil {
					t.Fatal("draws are needed")
				}
				checkParts(t, d, m.rows)
			})
		}
	}
}

// parts are the types of data, one a line.
func parts(list string) string {
	return regexp.MustCompile(`, ([A-Za-z]+:)`).ReplaceAllString(list, "\n      $1")
}

// checkParts compares an expectation with the mean of the log joint density over draws.
func checkParts(t *testing.T, d *derive.Result, byRow bool) {
	env, mu, root := partsEnv(t, d, byRow)
	v, x := d.Problem.Variational, d.Variational.Exact
	for _, s := range x.Stacked {
		env.Symbols[s.Sym.Name] = stackedValue(t, env, s, v.Latent[0].Sym)
	}
	got, err := eval.Eval(x.Joint, env)
	if err != nil {
		t.Fatal(err)
	}
	const draws = 40_000
	rng := rand.New(rand.NewPCG(5, 6))
	mean, squares, z := 0.0, 0.0, make([]float64, len(mu))
	for n := range draws {
		for i := range z {
			z[i] = mu[i]
		}
		for _, column := range root {
			e := rng.NormFloat64()
			for i := range z {
				z[i] += column[i] * e
			}
		}
		at := 0
		for _, q := range v.Latent {
			if q.Sym.Type.Rank == 0 {
				env.Set(q.Sym.Name, z[at])
				at++
				continue
			}
			env.Symbols[q.Sym.Name] = eval.Core(mat.NewDense(2, 1, slices.Clone(z[at:at+2])))
			at += 2
		}
		value, err := eval.Eval(d.Variational.Model.LogJoint, env)
		if err != nil {
			t.Fatal(err)
		}
		change := value - mean
		mean += change / float64(n+1)
		squares += change * (value - mean)
	}
	if margin := 5 * math.Sqrt(squares) / draws; !(math.Abs(got-mean) <= margin) {
		t.Errorf("%v, by draws %v with margin %v: %v", got, mean, margin, x.Joint)
	}
}

// partsEnv has the data and a target of six variables with a mean and a root of the covariance matrix, by columns.
func partsEnv(t *testing.T, d *derive.Result, byRow bool) (env *eval.Env, mu []float64, root [][]float64) {
	t.Helper()
	v := d.Problem.Variational
	mu = []float64{0.3, -0.5, 0.8, 0.2, -0.4, -0.3}
	sigma2, w := []float64{0.4, 0.7, 0.2, 0.3, 0.5, 0.25}, []float64{0.3, -0.2, 0.1, 0.25, -0.1, 0.2}
	env = eval.Scalars(map[string]float64{"d": 6, "n": 3, v.Scale.Name: 1, "r": 5})
	rows := 3
	if !byRow {
		rows = 1
		env.Set("n", 1)
	}
	data := map[string][][]float64{"X": {{1, 0.5}, {0, 0}, {-0.4, 1.2}}, "G": {{0, 1}, {1, 0}, {0.3, 0.2}}, "y": {{1}, {0}, {0.5}}, "m": {{0.7, -0.2}}, "s": {{1.5, 0.8}}}
	for _, q := range v.Data {
		name := derive.Plain(q.Name)
		if values := data[name][:rows]; q.Sym.Type.Rank == 0 {
			var ys []float64
			for _, r := range values {
				ys = append(ys, r[0])
			}
			env.Symbols[q.Sym.Name] = eval.Value{Rows: ys}
		} else {
			var xs []*mat.Dense
			for _, r := range values {
				xs = append(xs, mat.NewDense(2, 1, r))
			}
			env.Symbols[q.Sym.Name] = eval.CoreRows(xs)
		}
	}
	dense, factors := mat.NewDense(6, 6, nil), mat.NewDense(6, 5, nil)
	together := false
	for _, q := range d.Problem.Target.Params {
		together = together || q.Name == "Sigma" || q.Name == "W"
	}
	for i := range 6 {
		column := make([]float64, 6)
		column[i] = math.Sqrt(sigma2[i])
		root = append(root, column)
		for j := range 6 {
			dense.Set(i, j, w[i]*w[j])
		}
		dense.Set(i, i, dense.At(i, i)+sigma2[i])
		factors.Set(i, 2, w[i])
	}
	if together {
		root = append(root, w)
	}
	values := map[string]*mat.Dense{"mu": mat.NewDense(6, 1, mu), "sigma2": mat.NewDense(6, 1, sigma2), "Sigma": dense, "W": factors}
	for _, q := range d.Problem.Target.Params {
		env.Symbols[q.Sym.Name] = eval.Core(values[q.Name])
	}
	return env, mu, root
}

// stackedValue puts the parts of a vector for every row together.
func stackedValue(t *testing.T, env *eval.Env, s derive.Stacked, first *expr.Node) eval.Value {
	t.Helper()
	var out []*mat.Dense
	rows := 3
	if env.Symbols["n"].Scalar == 1 {
		rows = 1
	}
	for i := range rows {
		x, at := mat.NewDense(6, 1, nil), 0
		for k, length := range []int{1, 2, 2, 1} {
			for j := range length {
				x.Set(at+j, 0, s.Else)
			}
			if part := s.Parts[k]; part != nil {
				values, err := eval.All([]*expr.Node{part}, env)
				if err != nil {
					t.Fatal(err)
				}
				for j := range length {
					switch v := values[0]; {
					case v.PerRow:
						x.Set(at+j, 0, v.Cores[i].At(j, 0))
					case v.Rows != nil:
						x.Set(at+j, 0, v.Rows[i])
					default:
						x.Set(at+j, 0, v.Scalar)
					}
				}
			}
			at += length
		}
		out = append(out, x)
	}
	return eval.CoreRows(out)
}

// TestDrawsAreNeeded: where no expectation is known, none is made up.
func TestDrawsAreNeeded(t *testing.T) {
	for _, joint := range []string{
		"sum(log_sigmoid(a*(X @ b)*(X @ e))) - a^2 - dot(b, b) - dot(e, e)/2 - w^2",
		"sum(log_sigmoid(exp(w)*(X @ b) + exp(a)*(X @ e))) - a^2 - dot(b, b) - dot(e, e)/2 - w^2",
		"sum(y*abs(X @ b)*abs(X @ e)*exp(w)) - a^2 - dot(b, b) - dot(e, e)/2 - w^2",
		"-sum((X @ b)^4*(X @ e)^2*exp(w)) - a^2 - dot(b, b) - dot(e, e)/2 - w^2",
		"sum(sigmoid(a)*sigmoid(w)*(X @ b)) - a^2 - dot(b, b) - dot(e, e)/2 - w^2",
		"sum(log_sigmoid(X @ b)) - sqrt(1 + total(e^2)) - a^2 - dot(b, b) - w^2",
		"sum(log_sigmoid(X @ b)) - dot(b, e)*sigmoid(w) - a^2 - dot(e, e) - w^2",
	} {
		text := "package: every\napproximation: normal\nobjective:\n  vi:\n    latent: {a: real, b: vector(2), e: vector(2), w: real}\n" +
			"    data:\n      X: matrix(n, 2)\n      y: vector(n)\n    log_joint: " + joint + "\n"
		f, diags := spec.Parse("every.yaml", []byte(text), nil)
		if f == nil {
			t.Fatal(diags.String())
		}
		if x := derived(t, f.Problems[0]).Variational.Exact; x != nil {
			t.Errorf("%s is known without draws: %s", joint, strings.TrimSpace(x.Joint.String()))
		}
	}
}
