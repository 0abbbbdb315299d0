package diff_test

import (
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/eval"
)

// integral is the expectation of h(m + s*t) for a standard normal number t, by the trapezoidal rule.
func integral(h func(float64) float64, m, s float64) float64 {
	const step = 1.0 / 64
	sum := 0.0
	for i := -640; i <= 640; i++ {
		t := step * float64(i)
		sum += step * math.Exp(-t*t/2) / math.Sqrt(2*math.Pi) * h(m+s*t)
	}
	return sum
}

// TestExpectations: the values and the derivatives of expectations, in both modes, against the trapezoidal rule and closed forms.
func TestExpectations(t *testing.T) {
	g := expr.NewGraph()
	number := func(name string) *expr.Node { return g.Sym(name, expr.Scalar, expr.Unknown) }
	m, s, c, x := number("m"), number("s"), number("c"), number("t")
	call := func(name string, n *expr.Node) *expr.Node { op, _ := expr.FunctionNamed(name); return g.Call(op, n) }
	at := g.Add(m, g.Mul(s, x))
	fn, args := g.Lift([]*expr.Node{x}, []*expr.Node{call("log_sigmoid", at), g.Mul(c, c, at, at), call("exp", at)}, nil, nil)
	values := g.Expectations(fn, args)
	logSigmoid := func(z float64) float64 { return -math.Log1p(math.Exp(-z)) }
	sigmoid := func(z float64) float64 { return 1 / (1 + math.Exp(z)) } // of -z
	curve := func(z float64) float64 { return -sigmoid(z) * (1 - sigmoid(z)) }
	for _, p := range [][3]float64{{0.3, 0.7, 2}, {-2, 1.1, 0.5}, {1, 0, 1}} {
		env := eval.Scalars(map[string]float64{"m": p[0], "s": p[1], "c": p[2]})
		want := []float64{integral(logSigmoid, p[0], p[1]), p[2] * p[2] * (p[0]*p[0] + p[1]*p[1]), math.Exp(p[0] + p[1]*p[1]/2)}
		byM := []float64{integral(sigmoid, p[0], p[1]), 2 * p[2] * p[2] * p[0], want[2]}
		byS := []float64{p[1] * integral(curve, p[0], p[1]), 2 * p[2] * p[2] * p[1], p[1] * want[2]} // Bonnet's and Price's theorems
		for i, n := range values {
			back, err := diff.Gradient(g, n, []*expr.Node{m, s})
			if err != nil {
				t.Fatal(err)
			}
			forward, err := diff.Pushforward(g, []*expr.Node{n}, []*expr.Node{m, s}, []*expr.Node{g.Const(1), g.Const(2)})
			if err != nil {
				t.Fatal(err)
			}
			joined := g.JoinExpectations([]*expr.Node{n, back[0], back[1], forward[0]})
			v, err := eval.All(joined, env)
			if err != nil {
				t.Fatal(err)
			}
			for k, w := range []float64{want[i], byM[i], byS[i], byM[i] + 2*byS[i]} {
				if got := v[k].Scalar; !(math.Abs(got-w) <= 1e-9*(1+math.Abs(w))) {
					t.Errorf("at %v, %v: number %d is %v, not %v", p, n, k, got, w)
				}
			}
			if n.String() == "" || n.LaTeX() == "" || n.Cost() <= 0 {
				t.Errorf("%v printed as %q", n, n.LaTeX())
			}
		}
	}
}

// TestJoinExpectations: what an expectation and its derivatives need is one Lambda, of a function each.
func TestJoinExpectations(t *testing.T) {
	g := expr.NewGraph()
	m, s, x := g.Sym("m", expr.Scalar, expr.Unknown), g.Sym("s", expr.Scalar, expr.Unknown), g.Sym("t", expr.Scalar, expr.Unknown)
	op, _ := expr.FunctionNamed("softplus")
	fn, args := g.Lift([]*expr.Node{x}, []*expr.Node{g.Call(op, g.Add(m, g.Mul(s, x)))}, nil, nil)
	n := g.Expectations(fn, args)[0]
	gradient, err := diff.Gradient(g, n, []*expr.Node{m, s})
	if err != nil {
		t.Fatal(err)
	}
	together := map[*expr.Lambda]int{}
	expr.Walk(func(n *expr.Node) {
		if n.Op == expr.Expectation {
			together[n.Fn]++
			if len(n.Fn.Eqs) != 3 {
				t.Errorf("%v is one of %d", n, len(n.Fn.Eqs))
			}
		}
	}, g.JoinExpectations(append(gradient, n))...)
	if len(together) != 1 {
		t.Errorf("%d Lambdas", len(together))
	}
}
