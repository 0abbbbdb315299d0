package diff_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/eval"
)

// mixed is the solution of dA = (m, r) for A(y, s) = total(lgamma(y)) + s^2/2 + exp(total(y)/4 + s), in a vector y > 0 and
// a number.
func mixed(t *testing.T, g *expr.Graph, m, r *expr.Node) []*expr.Node {
	t.Helper()
	y := g.Fresh("y", m.Type, expr.In(expr.Positive))
	s := g.Fresh("s", expr.Scalar, expr.Unknown)
	fn := func(name string, x *expr.Node) *expr.Node {
		op, _ := expr.FunctionNamed(name)
		return g.Call(op, x)
	}
	total := g.Dot(g.Ones(m.Type), y)
	joint := fn("exp", g.Add(g.Scale(0.25, total), s))
	a := g.Add(g.Dot(g.Ones(m.Type), fn("lgamma", y)), g.Scale(0.5, g.Mul(s, s)), joint)
	gradient, err := diff.Gradient(g, a, []*expr.Node{y, s})
	if err != nil {
		t.Fatal(err)
	}
	eqs := []*expr.Node{g.Sub(gradient[0], m), g.Sub(gradient[1], r)}
	merit := g.Sub(g.Sub(a, g.Dot(y, m)), g.Mul(s, r))
	lambda, args := g.Lift([]*expr.Node{y, s}, eqs, []*expr.Node{g.Const(1), g.Const(0)}, merit)
	return g.Roots(lambda, args)
}

func column(x ...float64) eval.Value { return eval.Core(mat.NewDense(len(x), 1, x)) }

// The solution solves the equations; both modes agree with each other and with differences, as do they once more for the
// derivative, which is a root itself.
func TestRootsInVectors(t *testing.T) {
	g := expr.NewGraph()
	k := expr.Vector(expr.Dim{Name: "k"})
	m, dm := g.Sym("m", k, expr.Unknown), g.Sym("dm", k, expr.Unknown)
	r, dr := g.Sym("r", expr.Scalar, expr.Unknown), g.Sym("dr", expr.Scalar, expr.Unknown)
	inputs, along := []*expr.Node{m, r}, []*expr.Node{dm, dr}
	roots := mixed(t, g, m, r)
	f := g.Add(g.Dot(g.Sym("w", k, expr.Unknown), roots[0]), g.Mul(roots[1], roots[1]))
	env := func(h float64) *eval.Env {
		e := eval.Scalars(map[string]float64{"k": 3, "r": 1.5 - 0.3*h, "dr": -0.3})
		e.Symbols["m"] = column(0.2+0.5*h, 1.1-0.2*h, -0.7+0.4*h)
		e.Symbols["dm"], e.Symbols["w"] = column(0.5, -0.2, 0.4), column(1, -2, 0.5)
		return e
	}
	value := func(n *expr.Node, h float64) float64 {
		v, err := eval.Eval(n, env(h))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for order := 1; order <= 2; order++ {
		back, err := diff.Gradient(g, f, inputs)
		if err != nil {
			t.Fatal(err)
		}
		forward, err := diff.Pushforward(g, []*expr.Node{f}, inputs, along)
		if err != nil {
			t.Fatal(err)
		}
		pulled := value(g.Add(g.Dot(back[0], dm), g.Mul(back[1], dr)), 0)
		pushed := value(forward[0], 0)
		const h = 1e-3
		want := (8*(value(f, h)-value(f, -h)) - (value(f, 2*h) - value(f, -2*h))) / (12 * h)
		if !(math.Abs(pulled-pushed) <= 1e-9*(1+math.Abs(want))) || !(math.Abs(pulled-want) <= 1e-7*(1+math.Abs(want))) {
			t.Errorf("derivative %d: %v in reverse mode, %v in forward mode, %v by differences", order, pulled, pushed, want)
		}
		f = forward[0]
	}
}

// A number that stands for all entries of a parameter receives the sum of what they receive.
func TestRootWithNumberForVector(t *testing.T) {
	g := expr.NewGraph()
	k := expr.Vector(expr.Dim{Name: "k"})
	m, r, c := g.Sym("m", k, expr.Unknown), g.Sym("r", expr.Scalar, expr.Unknown), g.Sym("c", expr.Scalar, expr.Unknown)
	f := g.Dot(g.Ones(k), mixed(t, g, m, r)[0])
	f = g.Substitute(f, map[*expr.Node]*expr.Node{m: c})
	d, err := diff.Gradient(g, f, []*expr.Node{c})
	if err != nil {
		t.Fatal(err)
	}
	value := func(n *expr.Node, h float64) float64 {
		v, err := eval.Eval(n, eval.Scalars(map[string]float64{"k": 3, "r": 1.5, "c": 0.4 + h}))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	const h = 1e-4
	if got, want := value(d[0], 0), (value(f, h)-value(f, -h))/(2*h); !(math.Abs(got-want) <= 1e-6*math.Abs(want)) {
		t.Errorf("%v, by differences %v", got, want)
	}
}
