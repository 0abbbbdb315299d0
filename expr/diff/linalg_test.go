package diff_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/exprtest"
)

// linalgFormulas are numbers made of every operation of linear algebra, alone and together: A is symmetric positive
// definite, B any square matrix, L lower triangular and D diagonal with positive diagonals, R a correlation matrix, x and y
// vectors, r a vector that varies over the rows, s a number.
var linalgFormulas = []string{
	"dot(x, y)", "dot(x, x)", "quad(A, x)", "quad(B, x)", "dot(x, B @ A @ y)", "dot(x, B' @ y)",
	"logdet(A)", "logdet(2*A)", "tr(A)", "tr(B @ A)", "tr(B' @ B)", "tr(inv(A) @ B @ inv(A))",
	"dot(x, inv(A) @ y)", "dot(x, solve(A, y))*s", "tr(outer(x, y) @ B)", "tr(A @ outer(x, x) @ A)",
	"dot(diag(B), x)", "tr(diag(x) @ B @ diag(y))", "tr(eye(d) @ B)", "tr(corr(A) @ B)", "quad(corr(A), x)",
	"dot(x*y, exp(x))", "quad(A + outer(x, x), y)", "logdet(A + outer(x, x))", "dot(inv(B') @ x, y)",
	"sum(quad(A, r))", "sum(s*dot(x, r))", "tr(sum(outer(r - x, r - x)) @ inv(A))", "dot(sum(exp(dot(x, r))*r), y)",
	"sum(log(1 + quad(inv(A), r - x)))", "tr(sum(outer(r, B @ r)/(1 + quad(A, r))) @ A)", "quad(s*A - s*outer(y, y)/2, x)",
	"logsumexp(x)", "logsumexp(s*x + B @ y)", "logsumexp(s + x) + s*logsumexp(x - y)", "sum(s*logsumexp(x + r))", "dot(y, exp(x - logsumexp(x)))",
	// Numbers among vectors count for every entry.
	"total(x)", "total(B)", "dot(ones(d), x*y)", "total(x + s)", "total((x + s)/(1 + y^2))", "total(log1p(x^2/s))", "dot(s^x, y)",
	"dot(exp(x)^s, y)", "total(lgamma_diff(exp(x), s))", "dot(t_logcdf(x, s + 1), y)", "dot(x, t_quantile(sigmoid(y), s + 2))",
	"dot(normal_quantile(sigmoid(x)), y)", "dot(t_quantile(sigmoid(s), exp(x)), y)", "total(max(x, s)*y)", "dot(1/(1 + x^2), s + y)",
	"sum(total(log1p(r^2/s)))", "sum(dot(r - s, x)^2)", "sum(dot(exp(x)*r, B @ (y*r)))", "sum(total((r + s)/(1 + x^2)))",
	"dot(sum(log1p((r - x)^2/s)), y)", "total(sum(s/(s + (r - x)^2)))", "quad(A, x + s)", "logdet(A + (s + 1)*eye(d) + diag(x^2))",
	// Diagonal matrices scale; determinants and inverses of products are taken apart.
	"tr(inv(diag(exp(x))) @ B)", "logdet(diag(exp(x)))", "logdet(corr(A))", "quad(inv(corr(A)), x)", "tr(inv(corr(A)) @ B)",
	"dot(diag(corr(A) @ B), x)", "dot(diag(inv(A) @ B), x)", "dot(diag(inv(A) @ diag(y) @ A), x)", "dot(x, B @ diag(y) @ A @ x)",
	"tr(outer(diag(x) @ y, y) @ B)", "dot(diag(outer(x, y) + B), x)", "tr(diag(x) @ diag(y) @ B)", "logdet(s*corr(A) + diag(s*x^2))",
	"tr(sum(outer(x*r, y*r)/(1 + quad(A, r))) @ B)", "dot(sum(r*(inv(A) @ (x*r))), y)", "sum(log(1 + quad(inv(corr(A)), r)))",
	// Cholesky factors.
	"tr(chol(A) @ B)", "total(log(diag(chol(A))))", "quad(chol(A), x)", "dot(x, inv(chol(A)) @ y)", "dot(x, inv(chol(A)') @ y)",
	"tr(chol(A) @ chol(A)' @ B)", "tr(inv(chol(A))' @ inv(chol(A)) @ B)", "tr(chol(A)' @ inv(A) @ B)", "tr(inv(A) @ chol(A) @ B)",
	"total(chol(corr(A)) @ x)", "total(chol(A + outer(x, x)) @ y)", "sum(exp(dot(y, chol(A) @ r)/3))", "total(chol(s*A) @ B)",
	"total(log(diag(chol(s*A))))", "tr(lower_half(B) @ B)", "dot(y, cumulative(x*exp(y/4)))", "dot(y, remaining(exp(x/4)))", "dot(sum(cumulative(r*x)), y)", "tr(lower_half(B @ A) @ B')", "total(sum(lower_half(outer(r, x))))",
	// Triangular, diagonal and correlation matrices.
	"logdet(L @ L')", "tr(chol(L @ L') @ B)", "quad(inv(L @ L'), x)", "dot(x, inv(L) @ y)", "dot(diag(inv(L)), x)", "quad(D, x)",
	// Whole numbers, and entries.
	"dot(exp(x), range(d)*y)", "dot(x^2, equal(range(d), 1)*y)", "quad(A, range(d) + x)", "sum(log1p(dot(equal(range(d), 1), x - r)^2))",
	"sum(log(sum(j in 1:3, [0.5, 0.2, 0.3][j]*exp(dot(x, r) - s*[2, -1, 0.5][j]))))", "sum(j in 1:d, sum(i in 1:d, x[i]*B[i, j])*exp(y[j]/j))",
	"logdet(D)", "tr(inv(D) @ B)", "quad(chol(D @ A @ D), x)", "quad(inv(D @ A @ D), x)", "dot(diag(R), x)*s", "logdet(R)",
	"quad(inv(R), x)", "logdet(corr(R)) + tr(R @ B)",
}

// TestLinalgGradients compares reverse and forward mode with central differences, for lengths 1, 2, 3 and 8.
func TestLinalgGradients(t *testing.T) {
	for _, d := range []int{1, 2, 3, 8} {
		for _, formula := range linalgFormulas {
			t.Run(fmt.Sprintf("d=%d/%s", d, formula), func(t *testing.T) { checkLinalg(t, d, formula) })
		}
	}
}

// TestLinalgFormulasCoverEveryOperation keeps the list above complete.
func TestLinalgFormulasCoverEveryOperation(t *testing.T) {
	seen := map[*expr.Op]bool{}
	for _, formula := range linalgFormulas {
		w := newWorld(t, 3, formula)
		expr.Walk(func(n *expr.Node) { seen[n.Op] = true }, w.f)
	}
	for _, op := range expr.Linalg() {
		if !seen[op] {
			t.Errorf("no formula with %v", op)
		}
	}
}

// linalgWorld is a formula with its symbols and a point.
type linalgWorld struct {
	g    *expr.Graph
	f    *expr.Node
	syms map[string]*expr.Node
	env  *eval.Env
}

func newWorld(t *testing.T, d int, formula string) *linalgWorld {
	t.Helper()
	w := &linalgWorld{g: expr.NewGraph(), env: eval.Scalars(nil)}
	dim := expr.Dim{Name: "d"}
	spd := expr.Facts{Range: expr.Real, Structure: expr.Symmetric | expr.PositiveDefinite}
	w.syms = map[string]*expr.Node{
		"A": w.g.Sym("A", expr.Matrix(dim, dim), spd), "B": w.g.Sym("B", expr.Matrix(dim, dim), expr.Unknown),
		"x": w.g.Sym("x", expr.Vector(dim), expr.Unknown), "y": w.g.Sym("y", expr.Vector(dim), expr.Unknown),
		"L": w.g.Sym("L", expr.Matrix(dim, dim), exprtest.FactsOf("lower")), "D": w.g.Sym("D", expr.Matrix(dim, dim), exprtest.FactsOf("diagonal")),
		"R": w.g.Sym("R", expr.Matrix(dim, dim), exprtest.FactsOf("corr")),
		"r": w.g.Sym("r", expr.Vector(dim).Over(expr.Rows), expr.Unknown), "s": w.g.Sym("s", expr.Scalar, expr.In(expr.Positive)),
		"d": w.g.DimNode(dim),
	}
	w.point(d)
	e, errs := syntax.Parse(formula)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	b := expr.Builder{G: w.g, Scope: expr.Scope{Names: w.syms, What: "a test", Reductions: true}}
	if w.f = b.Build(e); w.f == nil {
		t.Fatal(b.Faults)
	}
	return w
}

// point fills in random values.
func (w *linalgWorld) point(d int) {
	rng := rand.New(rand.NewPCG(1, uint64(d)))
	random := func(r, c int) *mat.Dense {
		m := mat.NewDense(r, c, nil)
		m.Apply(func(int, int, float64) float64 { return 0.5 * rng.NormFloat64() }, m)
		return m
	}
	root := random(d, d)
	a := mat.NewDense(d, d, nil)
	a.Mul(root, root.T())
	b := random(d, d)
	rows := make([]*mat.Dense, 5)
	for i := range d {
		a.Set(i, i, a.At(i, i)+1)
		b.Set(i, i, b.At(i, i)+2)
	}
	for i := range rows {
		rows[i] = random(d, 1)
	}
	l, diagonal, corr := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			corr.Set(i, j, a.At(i, j)/math.Sqrt(a.At(i, i)*a.At(j, j)))
			if j <= i {
				l.Set(i, j, b.At(i, j))
			}
		}
		l.Set(i, i, 1+rng.Float64())
		diagonal.Set(i, i, 1+rng.Float64())
	}
	w.env.Symbols["L"], w.env.Symbols["D"], w.env.Symbols["R"] = eval.Core(l), eval.Core(diagonal), eval.Core(corr)
	w.env.Symbols["A"], w.env.Symbols["B"] = eval.Core(a), eval.Core(b)
	w.env.Symbols["x"], w.env.Symbols["y"] = eval.Core(random(d, 1)), eval.Core(random(d, 1))
	w.env.Symbols["r"], w.env.Weights = eval.CoreRows(rows), []float64{1, 2, 0.5, 1, 3}
	w.env.Set("s", 0.7)
	w.env.Set("n", 7.5)
	w.env.Set("d", float64(d))
}

func checkLinalg(t *testing.T, d int, formula string) {
	w := newWorld(t, d, formula)
	var wrt []*expr.Node
	for _, name := range []string{"A", "B", "L", "D", "R", "x", "y", "s"} {
		wrt = append(wrt, w.syms[name])
	}
	gradient, err := diff.Gradient(w.g, w.f, wrt)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range wrt {
		w.direction(t, x, gradient[i])
	}
}

// direction compares the derivative along a random direction: by the gradient, by forward mode, and by differences.
func (w *linalgWorld) direction(t *testing.T, x, gradient *expr.Node) {
	t.Helper()
	start := w.env.Symbols[x.Name]
	defer func() { w.env.Symbols[x.Name] = start }()
	along := w.random(x, start)
	want := (8*(w.shifted(t, x, start, along, 1)-w.shifted(t, x, start, along, -1)) -
		(w.shifted(t, x, start, along, 2) - w.shifted(t, x, start, along, -2))) / 12 / linalgStep
	tangent := w.g.Sym("tangent."+x.Name, x.Type, expr.Facts{Range: expr.Real, Structure: x.Facts.Structure & (expr.Symmetric | expr.LowerTriangular)})
	w.env.Symbols[tangent.Name] = along
	w.env.Symbols[x.Name] = start
	pushed, err := diff.Pushforward(w.g, []*expr.Node{w.f}, []*expr.Node{x}, []*expr.Node{tangent})
	if err != nil {
		t.Fatal(err)
	}
	for mode, n := range map[string]*expr.Node{"reverse": w.contract(gradient, tangent), "forward": pushed[0]} {
		got, err := eval.Eval(n, w.env)
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(got-want) <= 1e-7*(1+math.Abs(want))) {
			t.Errorf("%s mode: derivative along %s is %v, by differences %v", mode, x.Name, got, want)
		}
	}
}

const linalgStep = 1e-3

// contract is the inner product; a gradient of zero is the number 0.
func (w *linalgWorld) contract(a, b *expr.Node) *expr.Node {
	if a.Is(0) {
		return a
	}
	return w.g.Contract(a, b)
}

// random is a direction of the shape of x: symmetric, triangular, diagonal where x is, and along correlation matrices.
func (w *linalgWorld) random(x *expr.Node, like eval.Value) eval.Value {
	rng := rand.New(rand.NewPCG(7, uint64(len(x.Name))))
	if x.Type.Rank == 0 {
		return eval.Value{Scalar: rng.NormFloat64()}
	}
	r, c := like.Cores[0].Dims()
	m := mat.NewDense(r, c, nil)
	m.Apply(func(int, int, float64) float64 { return rng.NormFloat64() / 4 }, m)
	if x.Facts.Structure&expr.Symmetric != 0 {
		m.Add(m, mat.DenseCopyOf(m.T()))
	}
	for i := range r {
		for j := range c {
			s := x.Facts.Structure
			if j > i && s&expr.LowerTriangular != 0 || i != j && s&expr.Diagonal != 0 || i == j && s&expr.UnitDiagonal != 0 {
				m.Set(i, j, 0)
			}
		}
	}
	return eval.Core(m)
}

// shifted is the value k steps along a direction.
func (w *linalgWorld) shifted(t *testing.T, x *expr.Node, start, along eval.Value, k float64) float64 {
	t.Helper()
	if x.Type.Rank == 0 {
		w.env.Symbols[x.Name] = eval.Value{Scalar: start.Scalar + k*linalgStep*along.Scalar}
	} else {
		m := mat.DenseCopyOf(along.Cores[0])
		m.Scale(k*linalgStep, m)
		m.Add(m, start.Cores[0])
		w.env.Symbols[x.Name] = eval.Core(m)
	}
	v, err := eval.Eval(w.f, w.env)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestRandomLinalg: both modes agree with differences on random formulas of linear algebra, along random directions.
func TestRandomLinalg(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := exprtest.NewLinalgWorld()
		f := w.Build(t, w.Tensor(t, 0, 4))
		if f.Type.Axes != 0 {
			f = w.G.Sum(expr.Rows, f)
		}
		env := exprtest.LinalgPoint(t)
		name := rapid.SampledFrom([]string{"A", "B", "L", "D", "x", "y", "p", "s", "t"}).Draw(t, "variable")
		x := w.Names[name]
		along := (&linalgWorld{}).random(x, env.Symbols[name])
		tangent := w.G.Sym("tangent", x.Type, expr.Facts{Range: expr.Real, Structure: x.Facts.Structure & shapes})
		env.Symbols["tangent"] = along
		back, err := diff.Gradient(w.G, f, []*expr.Node{x})
		if errors.Is(err, diff.ErrMissing) {
			return
		}
		fore, err2 := diff.Pushforward(w.G, []*expr.Node{f}, []*expr.Node{x}, []*expr.Node{tangent})
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		want, doubt := differences(func(h float64) float64 { return number(t, f, movedAlong(env, name, h)) }, 0.05)
		if !(doubt < 1e-7*max(1, math.Abs(want))) || !(math.Abs(number(t, f, env)) < 1e5) {
			return
		}
		for mode, n := range map[string]*expr.Node{"reverse": (&linalgWorld{g: w.G}).contract(back[0], tangent), "forward": fore[0]} {
			if got := number(t, n, env); !(math.Abs(got-want) <= 1e-5*max(1, math.Abs(want))) {
				t.Fatalf("%s mode: the derivative of %v along %s is %v, by differences %v ± %.2g", mode, f, name, got, want, doubt)
			}
		}
	})
}

// shapes are the structures that a direction has like the value it belongs to.
const shapes = expr.Symmetric | expr.LowerTriangular | expr.Diagonal

// movedAlong is the point moved by h times the value of tangent.
func movedAlong(env *eval.Env, name string, h float64) *eval.Env {
	out := &eval.Env{Symbols: maps.Clone(env.Symbols), Weights: env.Weights}
	v, d := env.Symbols[name], env.Symbols["tangent"]
	if v.Cores == nil {
		out.Set(name, v.Scalar+h*d.Scalar)
		return out
	}
	m := mat.DenseCopyOf(d.Cores[0])
	m.Scale(h, m)
	m.Add(m, v.Cores[0])
	out.Symbols[name] = eval.Core(m)
	return out
}
