package expr_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/internal/exprtest"
)

// overAxis is what a test needs to know of an operation over an axis.
type overAxis struct {
	axis  expr.Axes
	apply func(g *expr.Graph, x *expr.Node) *expr.Node
	want  func(x []float64) []float64 // one value, or one for each operand
}

// overAxes has a row for each operation over an axis, and one for the sum over the components.
var overAxes = map[*expr.Op]overAxis{
	expr.Max: {
		expr.Rows,
		func(g *expr.Graph, x *expr.Node) *expr.Node { return g.Max(expr.Rows, x) },
		func(x []float64) []float64 { return []float64{slices.Max(x)} },
	},
	expr.Attained: {
		expr.Rows,
		func(g *expr.Graph, x *expr.Node) *expr.Node { return g.Attained(expr.Rows, x) },
		func(x []float64) []float64 {
			out := make([]float64, len(x))
			out[slices.Index(x, slices.Max(x))] = 1
			return out
		},
	},
	expr.LogSumExp: {
		expr.Components,
		func(g *expr.Graph, x *expr.Node) *expr.Node { return g.LogSumExp(expr.Components, x) },
		func(x []float64) []float64 {
			top := slices.Max(x)
			total := 0.0
			for _, v := range x {
				total += math.Exp(v - top)
			}
			return []float64{top + math.Log(total)}
		},
	},
	expr.Softmax: {
		expr.Components,
		func(g *expr.Graph, x *expr.Node) *expr.Node { return g.Softmax(expr.Components, x) },
		func(x []float64) []float64 {
			out := make([]float64, len(x))
			for i := range x {
				total := 0.0
				for _, v := range x {
					total += math.Exp(v - x[i])
				}
				out[i] = 1 / total
			}
			return out
		},
	},
	expr.Sum: {
		expr.Components,
		func(g *expr.Graph, x *expr.Node) *expr.Node { return g.Sum(expr.Components, x) },
		func(x []float64) []float64 {
			total := 0.0
			for _, v := range x {
				total += v
			}
			return []float64{total}
		},
	},
}

// inputs are far apart, equal, alone, and where exponentials overflow and underflow.
var inputs = [][]float64{
	{0.25, -1.5, 2}, {-3}, {7}, {1e3}, {-1e3}, {0, 1e3}, {1e3, 0}, {-1e3, 1e3, 0}, {-1e3, -1e3}, {1e3, 1e3, 1e3},
	{2, 2, 2, 2},
	{710, 709}, {-745, -746}, {1e300, 1e299}, {-1e300, 1e300}, {0, 1e-17}, {40, 0}, {1, 1 + 1e-15},
}

// TestEveryOperationOverAnAxisIsHandled walks the list of these operations.
func TestEveryOperationOverAnAxisIsHandled(t *testing.T) {
	for _, op := range append(expr.OverAxes(), expr.Sum) {
		t.Run(op.Name, func(t *testing.T) {
			row, ok := overAxes[op]
			if !ok {
				t.Fatal("no row in the table of this test")
			}
			g := expr.NewGraph()
			x := g.Sym("x", expr.Scalar.Over(row.axis), expr.Unknown)
			n := row.apply(g, x)
			if n.Op != op || n.Axis != row.axis || op.Elementwise() || op.Doc == "" || n.IsLinalg() {
				t.Errorf("%v is %v over %v", n, n.Op, n.Axis)
			}
			if n.Cost() <= 0 {
				t.Errorf("cost %v", n.Cost())
			}
			if n.String() == "" || n.LaTeX() == "" || wellFormed(n.LaTeX()) != nil {
				t.Errorf("printed as %q and %q", n, n.LaTeX())
			}
			if op != expr.Sum && slices.Contains(expr.Structural(), op) {
				t.Error("in two lists")
			}
			for _, in := range inputs {
				checkInput(t, row, n, in)
			}
		})
	}
}

func checkInput(t *testing.T, row overAxis, n *expr.Node, in []float64) {
	t.Helper()
	want := row.want(in)
	got := values(t, n, along(row.axis, in))
	if len(got) != len(want) {
		t.Errorf("of %v: %v, want %v", in, got, want)
		return
	}
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= 1e-13*math.Abs(want[i])) {
			t.Errorf("of %v: %v, want %v", in, got, want)
		}
		// Facts speak of real numbers: 0 stands for what underflows.
		if r := n.Facts.Range; !r.Contains(v) && !(v == 0 && r.Contains(math.SmallestNonzeroFloat64)) {
			t.Errorf("of %v: %v is not in %v", in, v, r)
		}
	}
}

// TestFactsOverAxes: whatever range the operands lie in, the value is in that of the facts, and whole where they say
// so.
func TestFactsOverAxes(t *testing.T) {
	for _, op := range append(expr.OverAxes(), expr.Sum) {
		for _, c := range []struct {
			expr.Facts
			in [][]float64
		}{
			{expr.In(expr.Unit), [][]float64{{0.5}, {0.01, 0.99}, {0.9, 0.9, 0.9}}},
			{expr.In(expr.Negative), [][]float64{{-1e-9}, {-1e-9, -1e-9, -2}, {-40, -1e3}}},
			{expr.In(expr.Nonpositive), [][]float64{{0}, {0, 0}, {0, -1e3}}},
			{expr.In(expr.Positive), [][]float64{{1e-9}, {1e-9, 2, 3}}},
			{expr.In(expr.Point(2)), [][]float64{{2}, {2, 2}}},
			{expr.Facts{Range: expr.Nonnegative, Integer: true}, [][]float64{{0}, {3, 0}, {1, 1, 1}}},
			{expr.Facts{Range: expr.UnitClosed, Integer: true}, [][]float64{{0, 1}, {1, 1}}},
		} {
			row, g := overAxes[op], expr.NewGraph()
			n := row.apply(g, g.Sym("x", expr.Scalar.Over(row.axis), c.Facts))
			for _, in := range c.in {
				checkInput(t, row, n, in)
				for _, v := range row.want(in) {
					if n.Facts.Integer && v != math.Round(v) {
						t.Errorf("%v of %v is %v, not whole", op, in, v)
					}
				}
			}
		}
	}
}

// TestSumsOfWhatIsAttained: in a sum over the rows a term that is 0 in all rows but one stands alone, so that what it is multiplied with leaves the sum; other
// sums among the factors stay as they are, which keeps the digits of residuals; and the value is that of a loop.
func TestSumsOfWhatIsAttained(t *testing.T) {
	g := expr.NewGraph()
	rows := func(name string) *expr.Node { return g.Sym(name, expr.Scalar.Over(expr.Rows), expr.Unknown) }
	x, y, a, b := rows("x"), rows("y"), g.Sym("a", expr.Scalar, expr.Unknown), g.Sym("b", expr.Scalar, expr.Unknown)
	exp, _ := expr.FunctionNamed("exp")
	at, sum := g.Attained(expr.Rows, x), func(n *expr.Node) *expr.Node { return g.Sum(expr.Rows, n) }
	one := sum(g.Mul(g.Sub(x, y), at))
	weighted := g.Mul(at, g.Call(exp, x))
	for i, c := range []struct{ got, want *expr.Node }{
		{sum(g.Mul(g.Sub(x, y), g.Add(g.Mul(a, at), g.Mul(b, g.Call(exp, y))))), g.Add(g.Mul(a, one), g.Mul(b, sum(g.Mul(g.Sub(x, y), g.Call(exp, y)))))},
		{sum(g.Mul(y, g.Add(at, g.Const(1)))), g.Add(sum(g.Mul(y, at)), sum(y))},
		{sum(g.Mul(y, g.Add(g.Scale(2, weighted), g.Mul(a, at), g.Mul(b, x)))), g.Add(g.Scale(2, sum(g.Mul(y, weighted))), g.Mul(a, sum(g.Mul(y, at))), g.Mul(b, sum(g.Mul(x, y))))},
	} {
		if c.got != c.want {
			t.Errorf("case %d: %v, want %v", i, c.got, c.want)
		}
	}
	if n := sum(g.Mul(g.Sub(x, a), g.Sub(y, b))); n.Op != expr.Sum {
		t.Errorf("%v is taken apart", n)
	}
	xs, ys, ws := []float64{1, 7, 7, -2}, []float64{0.5, 2, -3, 4}, []float64{0.25, 2, 1, 0.5}
	env := eval.Scalars(map[string]float64{"a": 1.5, "b": -0.75})
	env.Bind("x", xs, ws)
	env.Bind("y", ys, ws)
	want := 0.0
	for i := range xs {
		attained := 0.0
		if i == 1 {
			attained = 1
		}
		want += ws[i] * (xs[i] - ys[i]) * (1.5*attained - 0.75*math.Exp(ys[i]))
	}
	if got := values(t, sum(g.Mul(g.Sub(x, y), g.Add(g.Mul(a, at), g.Mul(b, g.Call(exp, y))))), env); math.Abs(got[0]-want) > 1e-13*math.Abs(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// along binds x to values over an axis.
func along(axis expr.Axes, x []float64) *eval.Env {
	env := eval.Scalars(nil)
	if axis == expr.Rows {
		env.Bind("x", x, nil)
		return env
	}
	each := make([]eval.Value, len(x))
	for i, v := range x {
		each[i] = eval.Value{Scalar: v}
	}
	env.Symbols["x"] = eval.PerComponent(each)
	return env
}

// TestDerivativeOfLargest: both modes give the derivative of the row where the value is attained, the first of several,
// whatever its weight; and that of a row that weighs nothing is not asked.
func TestDerivativeOfLargest(t *testing.T) {
	for formula, want := range map[string]float64{
		"max(real*xreal)":                     3,               // d/dreal of real*3
		"min(real*xreal)":                     -2,              // the row -9 weighs nothing
		"max(real*xreal)^2":                   2 * 2 * 3 * 3,   // real = 2
		"max(-real*xreal)":                    2,               // of -2*(-2)
		"sum(xreal*max(xreal^2*real))":        9 * (-1 + 3/4.), // the sum weighs the rows
		"max(xreal*real) + min(xreal^2*real)": 3 + 4,
		"max(min(xreal, real))":               1, // the first row that attains 2 is min(3, real)
	} {
		w := exprtest.NewWorld()
		n, x := w.Parse(t, formula), w.Names["real"]
		env := eval.Scalars(map[string]float64{"real": 2})
		env.Bind("xreal", []float64{-2, -9, 3, 3}, []float64{0.5, 0, 0.25, 0})
		d, err := diff.Gradient(w.G, n, []*expr.Node{x})
		if err != nil {
			t.Fatal(err)
		}
		pushed, err := diff.Pushforward(w.G, []*expr.Node{n}, []*expr.Node{x}, []*expr.Node{w.G.Const(1)})
		if err != nil {
			t.Fatal(err)
		}
		for mode, d := range map[string]*expr.Node{"reverse": d[0], "forward": pushed[0]} {
			if got := values(t, d, env)[0]; math.Abs(got-want) > 1e-14 {
				t.Errorf("%s mode, %s: %v is %v, want %v", mode, formula, d, got, want)
			}
		}
	}
}

// In the largest value every row counts whose weight is positive; negative values have a smallest one too.
func TestExtremes(t *testing.T) {
	w := exprtest.NewWorld()
	env := eval.Scalars(map[string]float64{"real": 2})
	env.Bind("xreal", []float64{-3, 5, -1, -7}, []float64{1, 0, 1e-3, 0.5})
	for formula, want := range map[string]float64{
		"max(xreal)": -1, "min(xreal)": -7, "max(real*xreal)": -2, "min(xreal^2)": 1, "max(xreal) - min(xreal)": 6,
		"max(real, 3)": 3, "max(min(xreal, -2))": -2,
	} {
		if got := values(t, w.Parse(t, formula), env); got[0] != want {
			t.Errorf("%s is %v, want %v", formula, got, want)
		}
	}
}

// forms are nodes over the components in two spellings, which are one node.
var forms = map[string]func(g *expr.Graph, w names) (before, after *expr.Node){
	"what all share leaves a logsumexp": func(g *expr.Graph, w names) (a, b *expr.Node) {
		return lse(g, g.Add(w("real"), w("kreal"))), g.Add(w("real"), lse(g, w("kreal")))
	},
	"with rows": func(g *expr.Graph, w names) (a, b *expr.Node) {
		return lse(g, g.Lin(3, []float64{-2, 0.5, 1}, []*expr.Node{w("xreal"), w("kxreal"), w("kreal")})),
			g.Add(g.Lin(3, []float64{-2}, []*expr.Node{w("xreal")}),
				lse(g, g.Lin(0, []float64{0.5, 1}, []*expr.Node{w("kxreal"), w("kreal")})))
	},
	"constants": func(g *expr.Graph, w names) (a, b *expr.Node) {
		return lse(g, g.Lin(2, []float64{1}, []*expr.Node{w("kreal")})), g.Add(g.Const(2), lse(g, w("kreal")))
	},
	"what does not vary at all": func(g *expr.Graph, w names) (a, b *expr.Node) {
		log, _ := expr.FunctionNamed("log")
		return lse(g, w("real")), g.Add(w("real"), g.Call(log, g.Size(expr.Components)))
	},
	"a softmax of what does not vary": func(g *expr.Graph, w names) (a, b *expr.Node) {
		return g.Softmax(expr.Components, w("xreal")), g.Div(g.Const(1), g.Size(expr.Components))
	},
	"what all share leaves a softmax": func(g *expr.Graph, w names) (a, b *expr.Node) {
		return softmax(g, g.Sub(w("kxreal"), g.Mul(w("xreal"), w("real")))), softmax(g, w("kxreal"))
	},
	"shares sum to 1": func(g *expr.Graph, w names) (a, b *expr.Node) {
		return g.Sum(expr.Components, softmax(g, g.Add(w("kxreal"), w("kreal")))), g.Const(1)
	},
	"multiples of shares": func(g *expr.Graph, w names) (a, b *expr.Node) {
		return g.Sum(expr.Components, g.Mul(w("xreal"), softmax(g, w("kreal")), w("real"))), g.Mul(w("xreal"), w("real"))
	},
	"sums exchange": func(g *expr.Graph, w names) (a, b *expr.Node) {
		return g.Sum(expr.Components, g.Sum(expr.Rows, w("kxreal"))), g.Sum(expr.Rows, g.Sum(expr.Components, w("kxreal")))
	},
	"sums of products exchange": func(g *expr.Graph, w names) (a, b *expr.Node) {
		n := g.Mul(w("kxreal"), g.Add(w("kreal"), w("xreal")))
		return g.Sum(expr.Components, g.Sum(expr.Rows, n)), g.Sum(expr.Rows, g.Sum(expr.Components, n))
	},
	"a sum of what does not vary": func(g *expr.Graph, w names) (a, b *expr.Node) {
		return g.Sum(expr.Components, w("xreal")), g.Mul(g.Size(expr.Components), w("xreal"))
	},
}

type names func(name string) *expr.Node

func lse(g *expr.Graph, x *expr.Node) *expr.Node     { return g.LogSumExp(expr.Components, x) }
func softmax(g *expr.Graph, x *expr.Node) *expr.Node { return g.Softmax(expr.Components, x) }

func TestFormsOverComponents(t *testing.T) {
	for what, form := range forms {
		w := exprtest.NewWorld()
		a, b := form(w.G, func(name string) *expr.Node { return w.Names[name] })
		if a != b {
			t.Errorf("%s: %v and %v", what, a, b)
		}
	}
}

// The identities behind the forms are true for the interpreter, with random formulas as operands: what is a number for all
// components is added, and the sums are those of loops.
func TestIdentitiesOverComponents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := exprtest.NewWorld()
		g := w.G
		x, shared := w.Build(t, w.Tree(t, 3)), w.Build(t, w.Tree(t, 2))
		if shared.Type.Axes.Has(expr.Components) {
			shared = w.Names["real"]
		}
		env := w.Point(t)
		all := exprtest.Grid(exprtest.Nodes(g.Add(x, shared), env)) // formulas with roots are not drawn
		if slices.ContainsFunc(all, func(b exprtest.Ball) bool { return !b.Defined() || math.IsInf(b.R, 0) }) {
			return
		}
		sum := exprtest.Grid(values(t, lse(g, g.Add(x, shared)), env))
		shares := exprtest.Grid(values(t, softmax(g, g.Add(x, shared)), env))
		weighted := exprtest.Grid(values(t, g.Sum(expr.Components, g.Mul(softmax(g, x), x)), env))
		own := exprtest.Grid(values(t, x, env))
		for i := 0; i < len(all); i += exprtest.Components {
			var in []float64
			doubt := 0.0
			for _, b := range all[i : i+exprtest.Components] {
				in, doubt = append(in, b.V), max(doubt, b.R)
			}
			wantSum, wantShares := overAxes[expr.LogSumExp].want(in)[0], overAxes[expr.Softmax].want(in)
			mean := 0.0
			for c, s := range wantShares {
				mean += s * own[i+c]
				checkNear(t, fmt.Sprintf("softmax of %v", in), shares[i+c], s, 32*doubt+1e-13)
			}
			checkNear(t, fmt.Sprintf("logsumexp of %v", in), sum[i], wantSum, 32*doubt+1e-12*math.Abs(wantSum))
			size := max(math.Abs(slices.Max(own[i:i+2])), math.Abs(slices.Min(own[i:i+2])))
			checkNear(t, fmt.Sprintf("mean of %v", own[i:i+2]), weighted[i], mean, (64*doubt+1e-12)*(1+size))
		}
	})
}

func checkNear(t *rapid.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Fatalf("%s: %v, want %v ± %.2g", what, got, want, tolerance)
	}
}

// Rows with weights are summed after the components, with them.
func TestSumOverRowsAndComponents(t *testing.T) {
	g := expr.NewGraph()
	z := g.Sym("z", expr.Scalar.Over(expr.Rows|expr.Components), expr.Unknown)
	env := eval.Scalars(nil)
	env.Bind("x", []float64{0, 0, 0}, []float64{1, 0.5, 2})
	env.Symbols["z"] = eval.PerComponent([]eval.Value{{Rows: []float64{1, 2, 3}}, {Rows: []float64{10, 20, 30}}})
	both := func(a, b float64) float64 { return math.Log(math.Exp(a) + math.Exp(b)) }
	for want, n := range map[float64]*expr.Node{
		11 + 11 + 66: g.Sum(expr.Components, g.Sum(expr.Rows, z)),
		both(1, 10) + 0.5*both(2, 20) + 2*both(3, 30):  g.Sum(expr.Rows, lse(g, z)),
		10 + 0.5*20 + 2*30 + math.Log1p(math.Exp(-72)): lse(g, g.Sum(expr.Rows, z)),
	} {
		if got := values(t, n, env)[0]; !(math.Abs(got-want) <= 1e-13*want) {
			t.Errorf("%v is %v, want %v", n, got, want)
		}
	}
}
