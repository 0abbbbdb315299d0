package expr_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/exprtest"
)

// linalgSamples has a formula for each operation of linear algebra.
var linalgSamples = map[*expr.Op]string{
	expr.MatMul: "A @ x", expr.Transpose: "B'", expr.Dot: "dot(x, y)", expr.Outer: "outer(x, y)", expr.Inner: "tr(B @ A)",
	expr.Inv: "inv(A)", expr.LogDet: "logdet(A)", expr.Diag: "diag(B)", expr.DiagMat: "diag(x)", expr.Eye: "eye(d)",
	expr.Ones: "ones(d)", expr.Iota: "range(d)", expr.Table: "[2, -1, 0.5]", expr.Chol: "chol(A)", expr.LowerHalf: "lower_half(B)",
	expr.Cumulative: "cumulative(x)", expr.Remaining: "remaining(x)", expr.EntryLogSumExp: "logsumexp(x)",
}

func TestEveryLinalgOperationIsHandled(t *testing.T) {
	for _, op := range expr.Linalg() {
		w := exprtest.NewLinalgWorld()
		if linalgSamples[op] == "" {
			t.Errorf("%v: no sample", op)
			continue
		}
		n := w.Parse(t, linalgSamples[op])
		if n.Op != op || op.Elementwise() || op.Doc == "" || !n.IsLinalg() {
			t.Errorf("%v is %v", n, n.Op)
		}
		if again := w.Parse(t, n.String()); again != n || n.LaTeX() == "" {
			t.Errorf("%v is printed as %v, in LaTeX as %q", op, again, n.LaTeX())
		}
		if moves := op == expr.Transpose || op == expr.Diag || op == expr.DiagMat; len(n.Args) > 0 && (n.Cost() > 0) == moves {
			t.Errorf("%v costs %v", op, n.Cost())
		}
		if len(n.Args) > 0 && w.G.Rebuild(n, []*expr.Node{w.G.Const(0), w.G.Const(0)}[:len(n.Args)]) == n {
			t.Errorf("%v is not rebuilt", op)
		}
	}
}

// drawTensor draws a formula of linear algebra, of any rank.
func drawTensor(t *rapid.T, w *exprtest.World) (e syntax.Expr, n *expr.Node) {
	e = w.Tensor(t, rapid.IntRange(0, 2).Draw(t, "rank"), 5)
	return e, w.Build(t, e)
}

// The canonical form of a formula with vectors and matrices has the value of the formula.
func TestLinalgKeepsTheValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := exprtest.NewLinalgWorld()
		e, n := drawTensor(t, w)
		for range 2 {
			env := exprtest.LinalgPoint(t)
			got, err := eval.All([]*expr.Node{n}, env)
			if err != nil {
				t.Fatal(err)
			}
			for row := range env.Weights {
				want := exprtest.NewTensors(env).Eval(e, row).M
				moved := exprtest.NewTensors(exprtest.Perturbed(env)).Eval(e, row).M
				if !exprtest.Within(exprtest.Entries(got[0], row, want), want, moved) {
					t.Fatalf("%s is built as %v: in row %d\n%v, want\n%v", syntax.Format(e), n, row,
						mat.Formatted(exprtest.Entries(got[0], row, want)), mat.Formatted(want))
				}
			}
		}
	})
}

// What is printed is the formula of the node.
func TestLinalgStringIsTheFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := exprtest.NewLinalgWorld()
		_, n := drawTensor(t, w)
		if again := w.Parse(t, n.String()); again != n {
			t.Fatalf("%v is read as %v", n, again)
		}
		if n.LaTeX() == "" {
			t.Fatalf("%v has no LaTeX", n)
		}
	})
}

// Building a node again from the symbols gives the node: the canonical form is one.
func TestLinalgCanonicalFormIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := exprtest.NewLinalgWorld()
		_, n := drawTensor(t, w)
		if again := anew(w.G, n); again != n {
			t.Fatalf("%v is built again as %v", n, again)
		}
	})
}

// anew builds a node from its symbols by the constructors of its operations, each operand anew.
func anew(g *expr.Graph, n *expr.Node) *expr.Node {
	if len(n.Args) == 0 {
		return n
	}
	stand, by := make([]*expr.Node, len(n.Args)), map[*expr.Node]*expr.Node{}
	for i, a := range n.Args {
		stand[i] = g.Fresh("stand", a.Type, a.Facts)
		by[stand[i]] = anew(g, a)
	}
	return g.Substitute(g.Rebuild(n, stand), by)
}

// Everything that is said of a part of a formula is true of its value.
func TestLinalgFactsAreTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := exprtest.NewLinalgWorld()
		_, n := drawTensor(t, w)
		env := exprtest.LinalgPoint(t)
		var parts []*expr.Node
		expr.Walk(func(m *expr.Node) { parts = append(parts, m) }, n)
		values, err := eval.All(parts, env)
		if err != nil {
			t.Fatal(err)
		}
		moved, err := eval.All(parts, exprtest.Perturbed(env))
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range parts {
			for row := range env.Weights {
				shape := mat.NewDense(1, 1, nil)
				checkTensor(t, m, exprtest.Entries(values[i], row, shape), exprtest.Entries(moved[i], row, shape))
			}
		}
	})
}

func checkTensor(t *rapid.T, n *expr.Node, v, moved *mat.Dense) {
	r, c := v.Dims()
	size := 0.0
	for i := range r {
		for j := range c {
			size = max(size, math.Abs(v.At(i, j)), 1e5*math.Abs(v.At(i, j)-moved.At(i, j)))
		}
	}
	if !(size < 1e8) {
		return
	}
	slack := 1e-9 * (1 + size)
	for i := range r {
		for j := range c {
			x := v.At(i, j)
			if x < n.Facts.Range.Lo-slack || x > n.Facts.Range.Hi+slack {
				t.Fatalf("%v has the entry %v, not in %v", n, x, n.Facts.Range)
			}
			if n.Facts.Integer && math.Abs(x-math.Round(x)) > slack {
				t.Fatalf("%v has the entry %v, not whole", n, x)
			}
		}
	}
	if n.Type.Rank == 2 {
		checkStructure(t, n, v, slack)
	}
}

func checkStructure(t *rapid.T, n *expr.Node, v *mat.Dense, slack float64) {
	s := n.Facts.Structure
	d, _ := v.Dims()
	fail := func(ok bool, what string) {
		if !ok {
			t.Fatalf("%v is not %s:\n%v", n, what, mat.Formatted(v))
		}
	}
	for i := range d {
		for j := range d {
			x := v.At(i, j)
			fail(s&expr.Symmetric == 0 || math.Abs(x-v.At(j, i)) <= slack, "symmetric")
			fail(s&expr.LowerTriangular == 0 || i >= j || math.Abs(x) <= slack, "lower triangular")
			fail(s&expr.Diagonal == 0 || i == j || math.Abs(x) <= slack, "diagonal")
		}
		fail(s&expr.UnitDiagonal == 0 || math.Abs(v.At(i, i)-1) <= slack, "one on the diagonal")
		fail(s&expr.ZeroDiagonal == 0 || math.Abs(v.At(i, i)) <= slack, "zero on the diagonal")
		fail(s&(expr.PositiveDiagonal|expr.PositiveDefinite) == 0 || v.At(i, i) > -slack, "positive on the diagonal")
	}
	if s&expr.PositiveDefinite != 0 {
		fail(mat.Det(v) > -slack, "of positive determinant")
	}
}

// What textbooks simplify is simplified by construction.
func TestLinalgCanonicalForms(t *testing.T) {
	for formula, want := range map[string]string{
		// Sums over entries.
		"total(x + 1)":                      "d + total(x)",
		"total(t*x + 2*s)":                  "2*s*d + t*total(x)",
		"dot(ones(d), x*y)":                 "dot(x, y)",
		"dot(x*y, ones(d))":                 "dot(x, y)",
		"total(x^2)":                        "dot(x, x)",
		"total(x*x/p)":                      "total(x^2/p)",
		"total(p/p)":                        "d",
		"total(A)":                          "total(A @ ones(d))",
		"total(outer(x, y))":                "total(y)*total(x)",
		"dot(x*y, B @ x)":                   "dot(x, B' @ (x*y))",
		"x*ones(d)":                         "x",
		"p*y/p":                             "y",
		"abs(ones(d) - 3)":                  "2*ones(d)",
		"x - y + 1 - x + y":                 "ones(d)",
		"log(s*ones(d))":                    "ones(d)*log(s)",
		"x + s*ones(d)":                     "x + s",
		"ones(d)^t*s":                       "s*ones(d)",
		"sum(dot(x, w*r))":                  "sum(w*dot(x, r))",
		"sum(total(exp(r)))":                "total(sum(exp(r)))",
		"sum(dot(x*r, y*r))":                "dot(x, y*sum(r^2))",
		"sum(outer(x*r, r))":                "diag(x) @ sum(outer(r, r))",
		"sum(w*outer(x*r, y*r))":            "diag(x) @ sum(w*outer(r, r)) @ diag(y)",
		"sum(r*(A @ (x*r)))":                "diag(A @ diag(x) @ sum(outer(r, r)))",
		"sum(quad(A, r - x)*0 + dot(r, r))": "sum(dot(r, r))",
		// Diagonal matrices.
		"diag(x) @ diag(y)":            "diag(x*y)",
		"diag(x) @ y":                  "x*y",
		"A @ diag(x) @ B @ y":          "A @ (x*(B @ y))",
		"diag(x) + diag(y) + 2*eye(d)": "diag(x + y + 2)",
		"diag(ones(d))":                "eye(d)",
		"diag(p) @ diag(1/p)":          "eye(d)",
		"inv(diag(p))":                 "diag(1/p)",
		"logdet(diag(p))":              "total(log(p))",
		"logdet(diag(s*p^2))":          "d*log(s) + 2*total(log(p))",
		"tr(diag(x) @ B)":              "dot(x, diag(B))",
		"diag(diag(x) @ B @ diag(y))":  "x*y*diag(B)",
		"diag(outer(x, y))":            "x*y",
		"diag(A + s*B)":                "diag(A) + s*diag(B)",
		"diag(B @ A) - diag(A @ B')":   "0",
		"diag(B')":                     "diag(B)",
		"diag(inv(L))":                 "1/diag(L)",
		"tr(corr(A))":                  "d",
		"tr(R)":                        "d",
		"outer(diag(x) @ y, x)":        "outer(x*y, x)",
		// Correlation matrices.
		"diag(corr(A))":          "ones(d)",
		"diag(R)":                "ones(d)",
		"corr(R)":                "R",
		"logdet(corr(A))":        "-total(log(diag(A))) + logdet(A)",
		"quad(inv(corr(A)), x)":  "dot(x*sqrt(diag(A)), inv(A) @ (x*sqrt(diag(A))))",
		"inv(corr(A)) @ corr(A)": "eye(d)",
		"chol(corr(A))":          "diag(1/sqrt(diag(A))) @ chol(A)",
		// Cholesky factors and determinants.
		"chol(A) @ chol(A)'":           "A",
		"inv(chol(A)') @ inv(chol(A))": "inv(A)",
		"inv(A) @ chol(A)":             "inv(chol(A)')",
		"chol(A)' @ inv(A)":            "inv(chol(A))",
		"inv(chol(A)) @ A":             "chol(A)'",
		"A @ inv(chol(A)')":            "chol(A)",
		"chol(L @ L')":                 "L",
		"chol(4*A)":                    "2*chol(A)",
		"chol(diag(p^2))":              "diag(p)",
		"chol(eye(d))":                 "eye(d)",
		"logdet(chol(A))":              "0.5*logdet(A)",
		"total(log(diag(chol(A))))":    "0.5*logdet(A)",
		"logdet(L @ L')":               "2*total(log(diag(L)))",
		"logdet(inv(A) @ R)":           "-logdet(A) + logdet(R)",
		"inv(L @ A @ L')":              "inv(L') @ inv(A) @ inv(L)",
		"inv(B @ A)":                   "inv(B @ A)",
		"lower_half(2*diag(x))":        "diag(x)",
		"lower_half(eye(d))":           "0.5*eye(d)",
	} {
		w := exprtest.NewLinalgWorld()
		if got := w.Parse(t, formula).String(); got != want {
			t.Errorf("%s is %s, want %s", formula, got, want)
		}
	}
}

// Numbers count for every entry of a vector, but not of a matrix, where a reader would expect something else.
func TestLinalgFaults(t *testing.T) {
	for formula, want := range map[string]string{
		"A + 1":         "shapes differ: matrix(d, d) + scalar",
		"1 - A":         "shapes differ: scalar - matrix(d, d)",
		"A * B":         "does not take two matrices",
		"A ^ 2":         "^ does not take matrices",
		"A ^ -1":        "^ does not take matrices",
		"1 / A":         "the right side of / is a matrix",
		"x / A":         "the right side of / is a matrix",
		"x + A":         "shapes differ",
		"A * x":         "shapes differ",
		"max(x, A)":     "shapes differ",
		"total(s)":      "must be a vector or a matrix",
		"chol(x)":       "must be a square matrix",
		"ones(x, y)":    "takes 1 operand",
		"ones(nosuch)":  "takes a dimension",
		"lower_half(s)": "must be a square matrix",
	} {
		e, errs := syntax.Parse(formula)
		if len(errs) > 0 {
			t.Errorf("%s: %v", formula, errs)
			continue
		}
		b := exprtest.NewLinalgWorld().Builder()
		if n := b.Build(e); n != nil || len(b.Faults) == 0 || !strings.Contains(b.Faults[0].Msg, want) {
			t.Errorf("%s: %v, %v; want %q", formula, n, b.Faults, want)
		}
	}
}

// FuzzLinalg: a formula with vectors and matrices gives a node or faults, never a panic; a node is printed as a formula.
func FuzzLinalg(f *testing.F) {
	for _, formula := range []string{
		"total(x + 1)", "ones(d)/(x - x)", "chol(A - A)", "inv(corr(A)) @ (x - x + s)", "sum(outer(r, r*x)/w)", "diag(B - B) + eye(d)",
		"lower_half(outer(x, y)) @ A", "logdet(chol(A)') + tr(inv(L))", "x^y^s", "(A + A')'", "max(x, s)*log1p(p^2/t)",
		"normal_quantile(sigmoid(x))", "t_quantile(sigmoid(x), s + p)", "exp(A)*s", "ones(3) + x", "quad(eye(2), ones(2))",
	} {
		f.Add(formula)
	}
	f.Fuzz(func(t *testing.T, formula string) {
		e, errs := syntax.Parse(formula)
		if len(errs) > 0 {
			return
		}
		b := exprtest.NewLinalgWorld().Builder()
		n := b.Build(e)
		if n == nil && len(b.Faults) == 0 {
			t.Fatal("neither a node nor a fault")
		}
		if n != nil {
			_, _ = n.String(), n.LaTeX()
		}
	})
}
