package eval_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
)

// TestLifted: a scan in which less is computed in every row gives what it gave before, what its parameters alone decide is a parameter, and
// what the data alone decide is outside.
func TestLifted(t *testing.T) {
	g := expr.NewGraph()
	number := func(name string, f expr.Facts) *expr.Node { return g.Sym(name, expr.Scalar, f) }
	positive := expr.Facts{Range: expr.Positive}
	s, p, q, x := number("s", expr.Unknown), number("p", positive), number("q", positive), number("x", positive)
	op := func(name string) *expr.Op {
		o, ok := expr.FunctionNamed(name)
		if !ok {
			t.Fatal(name)
		}
		return o
	}
	call := func(name string, args ...*expr.Node) *expr.Node { return g.Call(op(name), args...) }
	fn := &expr.Lambda{
		Vars: []*expr.Node{s}, Params: []*expr.Node{p, q}, Rows: []*expr.Node{x}, Start: []*expr.Node{g.Mul(p, q)},
		Eqs: []*expr.Node{
			g.Add(g.Mul(s, call("log", p)), call("exp", g.Sub(s, x)), g.Mul(q, x), call("lgamma", x)),
			g.Add(g.Scale(0.5, s), g.Mul(x, call("log", p)), q),
		},
	}
	a, b := number("a", positive), number("b", positive)
	column := g.Sym("column", expr.Scalar.Over(expr.Rows), positive)
	whole := g.Scan(fn, []*expr.Node{a, b, column})
	lifted := g.Lifted(whole)
	rng := rand.New(rand.NewPCG(5, 5))
	env := eval.Scalars(map[string]float64{"a": 1.7, "b": 0.4})
	rows := make([]float64, 9)
	for i := range rows {
		rows[i] = rng.ExpFloat64()
	}
	env.Symbols["column"] = eval.Value{Rows: rows}
	got, err := eval.All([]*expr.Node{whole, lifted}, env)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if want := got[0].Rows[i]; !(math.Abs(got[1].Rows[i]-want) <= 1e-13*math.Abs(want)) {
			t.Errorf("row %d: %v, not %v", i, got[1].Rows[i], want)
		}
	}
	var scans []*expr.Node
	expr.Walk(func(n *expr.Node) {
		if n.Op == expr.Scan {
			scans = append(scans, n)
		}
	}, lifted)
	if len(scans) != 1 {
		t.Fatalf("%d scans in %v", len(scans), lifted)
	}
	params := scans[0].ScanParams()
	if len(params) != 3 || params[2] != call("log", a) {
		t.Errorf("the parameters are %v", params)
	}
	expr.Walk(func(n *expr.Node) {
		if n.Op == op("log") || n.Op == op("lgamma") {
			t.Errorf("%v is computed in every row", n)
		}
	}, scans[0].Fn.Eqs...)
	if first, err := eval.All([]*expr.Node{g.AtFirst(lifted)}, env); err != nil || math.Abs(first[0].Rows[0]-got[0].Rows[0]) > 1e-13 {
		t.Errorf("the first row is %v, not %v (%v)", first, got[0].Rows[0], err)
	}
}
