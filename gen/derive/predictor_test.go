package derive_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/gen/derive"
	_ "github.com/sngdgen/sngdgen/internal/testseed"
)

// regression is a graph with data of rows, of all of them, and latent variables: numbers and a vector.
type regression struct {
	g      *expr.Graph
	names  map[string]*expr.Node
	latent []*expr.Node
}

func newRegression() *regression {
	g := expr.NewGraph()
	r := &regression{g: g, names: map[string]*expr.Node{"n": g.Size(expr.Rows)}}
	add := func(name string, t expr.Type, f expr.Facts) *expr.Node {
		r.names[name] = g.Sym(name, t, f)
		return r.names[name]
	}
	d := expr.Dim{Name: "d"}
	add("d", expr.Scalar, expr.Facts{Range: expr.Positive, Integer: true})
	add("x", expr.Vector(d).Over(expr.Rows), expr.Unknown)
	add("y", expr.Scalar.Over(expr.Rows), expr.Unknown)
	add("w", expr.Scalar.Over(expr.Rows), expr.In(expr.Positive))
	add("c", expr.Scalar, expr.Unknown)
	add("A", expr.Matrix(d, d), expr.Unknown)
	b, z, l := add("b", expr.Scalar, expr.Unknown), add("z", expr.Vector(d), expr.Unknown), add("l", expr.Scalar, expr.Unknown)
	r.latent = []*expr.Node{b, z, l}
	return r
}

func (r *regression) parse(t rapid.TB, formula string) *expr.Node {
	t.Helper()
	e, errs := syntax.Parse(formula)
	if len(errs) > 0 {
		t.Fatal(formula, errs)
	}
	b := &expr.Builder{G: r.g, Scope: expr.Scope{Names: r.names, What: "a test", Reductions: true,
		Rowwise: map[*expr.Node]bool{r.names["x"]: true}}}
	n := b.Build(e)
	if n == nil {
		t.Fatalf("%s: %+v", formula, b.Faults)
	}
	return n
}

const rowsOfRegression = 4

// point draws values of all symbols and weights of the rows.
func (r *regression) point(t *rapid.T) *eval.Env {
	number := func(lo float64) float64 { return rapid.Float64Range(lo, 1.5).Draw(t, "number") }
	env := eval.Scalars(nil)
	for _, name := range []string{"b", "l", "c"} {
		env.Set(name, number(-1.5))
	}
	env.Set("d", 3)
	list := func(n int, lo float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = number(lo)
		}
		return out
	}
	env.Weights = list(rowsOfRegression, 0.5)
	total := 0.0
	for _, w := range env.Weights {
		total += w
	}
	env.Set(r.names["n"].Name, total)
	env.Symbols["y"], env.Symbols["w"] = eval.Value{Rows: list(rowsOfRegression, -1.5)}, eval.Value{Rows: list(rowsOfRegression, 0.1)}
	env.Symbols["z"], env.Symbols["A"] = eval.Core(mat.NewDense(3, 1, list(3, -1.5))), eval.Core(mat.NewDense(3, 3, list(9, -1.5)))
	var x []*mat.Dense
	for range rowsOfRegression {
		x = append(x, mat.NewDense(3, 1, list(3, -1.5)))
	}
	env.Symbols["x"] = eval.CoreRows(x)
	return env
}

// predictors takes a density apart, and checks that what is split depends on the latent variables through the predictor alone.
func (r *regression) predictors(t rapid.TB, density *expr.Node) ([]derive.Predictor, *expr.Node) {
	t.Helper()
	seen, rest := derive.Predictors(r.g, density, r.latent)
	for _, p := range seen {
		if expr.Depends(p.H, r.latent...) || !expr.Depends(p.H, p.S) {
			t.Fatalf("%v: %v is no function of the predictor %v", density, p.H, p.Coefs)
		}
		for _, a := range p.Coefs {
			if a != nil && expr.Depends(a, r.latent...) {
				t.Fatalf("%v: slope %v", density, a)
			}
		}
	}
	return seen, rest
}

// predictor is the number that a part sees, in the latent variables.
func (r *regression) predictor(p derive.Predictor) *expr.Node {
	s := r.g.Const(0)
	for j, a := range p.Coefs {
		switch {
		case a == nil:
		case a.Type.Rank > 0:
			s = r.g.Add(s, r.g.Dot(a, r.latent[j]))
		case r.latent[j].Type.Rank > 0:
			s = r.g.Add(s, r.g.Dot(r.g.Spread(a, r.latent[j].Type), r.latent[j]))
		default:
			s = r.g.Add(s, r.g.Mul(a, r.latent[j]))
		}
	}
	return s
}

// together is the density that parts add up to.
func (r *regression) together(seen []derive.Predictor, rest *expr.Node) *expr.Node {
	for _, p := range seen {
		h := r.g.Substitute(p.H, map[*expr.Node]*expr.Node{p.S: r.predictor(p)})
		if p.ByRow {
			h = r.g.Sum(expr.Rows, h)
		}
		rest = r.g.Add(rest, h)
	}
	return rest
}

// spellings of one predictor, b + dot(x, z), with data: scaled, shifted, as a residual, standardised, with the parts in any order.
var spellings = []string{
	"(b + x @ z)", "(dot(z, x) + y + b)", "(3*(x @ z + b) - y)", "((y - b - x @ z)/w)", "(w*b + w*(x @ z))", "(c*(b + x @ z))",
	"(y*(b + x @ z))", "(b + dot(x, z + x))",
}

// drawDensity draws the density of a row as a function of spellings of a predictor.
func drawDensity(t *rapid.T, depth int, predictor func() string) string {
	inner := func() string { return drawDensity(t, depth-1, predictor) }
	if depth == 0 {
		return predictor()
	}
	switch rapid.IntRange(0, 8).Draw(t, "form") {
	case 0:
		return "exp(-(" + inner() + ")^2)"
	case 1:
		return "log_sigmoid(" + inner() + ")"
	case 2:
		return "(" + inner() + " + " + inner() + ")"
	case 3:
		return "(" + inner() + ")*(" + inner() + ")"
	case 4:
		return "sqrt(1 + (" + inner() + ")^2)"
	case 5:
		return "y*(" + inner() + ")"
	case 6:
		return "softplus(" + inner() + ")"
	case 7:
		return "(" + inner() + " - c*w)^2"
	default:
		return predictor()
	}
}

// TestPredictors: whatever the density of a row does with one predictor, it is found, and what is found adds up to the density.
func TestPredictors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRegression()
		predictor := func() string { return rapid.SampledFrom(spellings).Draw(t, "spelling") }
		formula := "sum(" + drawDensity(t, 3, predictor) + ")"
		density := r.g.Mul(r.names["c"], r.parse(t, formula))
		seen, rest := r.predictors(t, density)
		if expr.Depends(rest, r.latent...) {
			linear, _ := derive.Predictors(r.g, rest, r.latent)
			t.Fatalf("%s: %v is left over, %v", formula, rest, linear)
		}
		r.compare(t, density, seen, rest)
	})
}

// compare evaluates a density and its parts.
func (r *regression) compare(t *rapid.T, density *expr.Node, seen []derive.Predictor, rest *expr.Node) {
	t.Helper()
	env := r.point(t)
	v, err := eval.All([]*expr.Node{density, r.together(seen, rest)}, env)
	if err != nil {
		t.Fatal(err)
	}
	want, got := v[0].Scalar, v[1].Scalar
	if size := math.Abs(want) + 1; !(math.Abs(got-want) <= 1e-6*size) && !math.IsInf(want, 0) && !math.IsNaN(want) {
		t.Fatalf("%v is %v, its parts %v + %v are %v", density, want, seen, rest, got)
	}
}

// TestSeveralPredictors: sums are split by predictors, terms that see several numbers are left over, and nothing is lost.
func TestSeveralPredictors(t *testing.T) {
	others := append(slices.Clone(spellings), "(x @ z)", "l", "(c - 2*l)", "(l*w)", "dot(z, A @ z)", "dot(x, A @ z)", "total(exp(z))",
		"(b*l)", "(y - x @ z)/exp(l)")
	rapid.Check(t, func(t *rapid.T) {
		r := newRegression()
		predictor := func() string { return rapid.SampledFrom(others).Draw(t, "spelling") }
		formula := fmt.Sprintf("sum(%s + w*(%s)) + %s", drawDensity(t, 2, predictor), drawDensity(t, 2, predictor), rapid.SampledFrom(
			[]string{"0", "exp(-l)*sum((x @ z)^2)", "-dot(z, z)/2", "exp(l)*(2*b + l)", "-(b - c)^2*sum(w)"}).Draw(t, "prior"))
		density := r.parse(t, formula)
		seen, rest := r.predictors(t, density)
		r.compare(t, density, seen, rest)
	})
}

// TestSplits: what is one predictor and what is not, by hand.
func TestSplits(t *testing.T) {
	for _, c := range []struct {
		formula string
		parts   int
		rest    bool // whether some of the latent variables are left over
	}{
		{"sum(y*(x @ z) - exp(x @ z))", 1, false},
		{"sum(log_sigmoid((2*y - 1)*(b + x @ z)))", 1, false},
		{"sum(log(sigmoid(c - x @ z) - sigmoid(y - x @ z)))", 1, false},
		{"sum(exp(x @ z) + exp(l*y))", 2, false},
		{"sum(exp(x @ z) + exp(b + x @ z))", 2, false},
		{"sum(exp(x @ z + l*(x @ z)))", 0, true},
		{"sum(((y - x @ z)/exp(l))^2)", 0, true},
		{"sum(exp(x @ z)) - dot(z, z)/2", 1, true},
		{"sum(exp(x @ z))*sum(exp(y*b))", 0, true},
		{"log(sum(exp(x @ z)))", 0, true},
		{"max(x @ z)", 0, true},
		{"exp(l) - l^2", 1, false},
		{"sum(y*exp(dot(x, A @ z)) + w*dot(A' @ x, z))", 1, false},
		{"sum(y*exp(b*l))", 0, true},
		{"sum(exp(b*y + l*w) + (y*(b*y + l*w))^2)", 1, false},
		{"sum(log_sigmoid(y*(x @ z)) + log_sigmoid(c*(x @ z)))", 1, false},
	} {
		r := newRegression()
		seen, rest := r.predictors(t, r.parse(t, c.formula))
		if left := expr.Depends(rest, r.latent...); len(seen) != c.parts || left != c.rest {
			t.Errorf("%s: %d predictors, %v, and %v", c.formula, len(seen), seen, rest)
		}
	}
}

// TestPredictorOfMatrix: entries and rows of a matrix that rows name make one predictor, whatever it is multiplied with.
func TestPredictorOfMatrix(t *testing.T) {
	for _, formula := range []string{
		"sum(y*(M[k, 1] + w*M[k, 2]) - exp(M[k, 1] + w*M[k, 2]))",
		"sum(y*dot(M[k, :], x) - exp(dot(M[k, :], x) + c))",
		"sum(w*(M[k, 1] + dot(x, z) - M[k, 2]) + log_sigmoid(2*M[k, 2] - 2*M[k, 1] - 2*dot(x, z)))",
	} {
		r := newRegression()
		d := r.names["z"].Type.Dims[0]
		group := expr.Dim{Name: "G"}
		r.names["k"] = r.g.Sym("k", expr.Scalar.Over(expr.Rows), expr.Facts{Range: expr.Positive, Integer: true, Index: group})
		r.names["M"] = r.g.Sym("M", expr.Matrix(group, d), expr.Unknown)
		r.latent = append(r.latent, r.names["M"])
		if seen, rest := r.predictors(t, r.parse(t, formula)); len(seen) != 1 || expr.Depends(rest, r.latent...) {
			t.Errorf("%s: %d predictors, and %v", formula, len(seen), rest)
		}
	}
}
