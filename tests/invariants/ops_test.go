package invariants

import (
	"cmp"
	"fmt"
	"go/types"
	"math"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/spec"
)

// operation is what a test needs to know of an operation: a formula that is made with it.
type operation struct {
	*expr.Op
	node    func(g *expr.Graph, x, y *expr.Node) *expr.Node // with operands that are symbols
	formula string                                          // in mu, sigma, p and the observation x
}

// structural are the operations that are not functions: each needs a row here.
var structural = map[*expr.Op]operation{
	expr.Const: {formula: "3", node: func(g *expr.Graph, _, _ *expr.Node) *expr.Node { return g.Const(3) }},
	expr.Sym:   {formula: "p*x", node: func(_ *expr.Graph, x, _ *expr.Node) *expr.Node { return x }},
	expr.Lin:   {formula: "2*mu + 3*p - x", node: func(g *expr.Graph, x, y *expr.Node) *expr.Node { return g.Sub(x, y) }},
	expr.Prod:  {formula: "sigma*x^2/p", node: func(g *expr.Graph, x, y *expr.Node) *expr.Node { return g.Div(x, y) }},
	expr.Pow:   {formula: "sigma^mu + (sigma + x^2)^p", node: func(g *expr.Graph, x, y *expr.Node) *expr.Node { return g.Pow(x, y) }},
	expr.Sum:   {formula: "x^2*p", node: sumOf},
	expr.Root:  {formula: "root(a, a + log(a) = mu)", node: rootOf},
}

// sumOf is the sum of the logarithms of x + y + rows.
func sumOf(g *expr.Graph, x, y *expr.Node) *expr.Node {
	log, _ := expr.FunctionNamed("log")
	return g.Sum(expr.Rows, g.Call(log, g.Add(x, y, g.Sym("rows", expr.Scalar.Over(expr.Rows), expr.In(expr.Positive)))))
}

// rootOf is the solution a of log(a) = x - y.
func rootOf(g *expr.Graph, x, y *expr.Node) *expr.Node {
	log, _ := expr.FunctionNamed("log")
	a := g.Sym("a", expr.Scalar, expr.In(expr.Positive))
	fn, args := g.Lift([]*expr.Node{a}, []*expr.Node{g.Sub(g.Call(log, a), g.Sub(x, y))}, []*expr.Node{nil}, nil)
	return g.Roots(fn, args)[0]
}

// operations lists every operation there is.
func operations(t *testing.T) []operation {
	var out []operation
	for _, op := range expr.Structural() {
		row, ok := structural[op]
		if !ok {
			t.Errorf("%s has no row in the table of this test", op.Name)
			continue
		}
		row.Op = op
		out = append(out, row)
	}
	for _, op := range expr.Functions {
		out = append(out, operation{Op: op, node: applied(op), formula: called(op)})
	}
	return out
}

// applied makes a node of a function; an operand that must be a constant is one.
func applied(op *expr.Op) func(g *expr.Graph, x, y *expr.Node) *expr.Node {
	return func(g *expr.Graph, x, y *expr.Node) *expr.Node {
		args := []*expr.Node{x, y, g.Add(x, y)}[:op.Arity]
		for i := range args {
			switch {
			case constantOperand(op, i):
				args[i] = g.Const(inside(op.Domain[i]))
			case op.Domain[i] == expr.Negative:
				args[i] = g.Neg(args[i])
			case op.Name == "where" && i == 1: // which what is finite leaves
				args[i] = g.Pow(args[i], g.Const(-1))
			}
		}
		return g.Call(op, args...)
	}
}

// constantOperand reports whether an operand must be a number: by definition, or for want of a derivative.
func constantOperand(op *expr.Op, i int) bool { return i+1 == op.ConstantOperand || op.Missing(i) }

// called is a formula with the function of parameters, computed once, and of an observation, computed for each row.
func called(op *expr.Op) string {
	once, each := make([]string, op.Arity), make([]string, op.Arity)
	for i, r := range op.Domain {
		switch {
		case constantOperand(op, i):
			once[i] = fmt.Sprint(inside(r))
			each[i] = once[i]
		case r == expr.Negative:
			once[i], each[i] = "-sigma", "-sigma - x^2"
		case r == expr.Unit:
			once[i], each[i] = "p", "p/(1 + x^2)"
		case r == expr.Real:
			once[i], each[i] = []string{"mu", "p", "sigma"}[i], []string{"mu*x", "p*x", "sigma*x"}[i]
		default:
			once[i], each[i] = []string{"sigma", "p", "sqrt(sigma)"}[i], []string{"(sigma + x^2)", "(p + x^2)", "(sqrt(sigma) + x^2)"}[i]
		}
	}
	return fmt.Sprintf("%[1]s(%[2]s) + %[1]s(%[3]s)", op.Name, strings.Join(once, ", "), strings.Join(each, ", "))
}

// inside is a number in a range, a whole one where it is bounded on one side.
func inside(r expr.Range) float64 {
	switch lo, hi := !math.IsInf(r.Lo, 0), !math.IsInf(r.Hi, 0); {
	case lo && hi:
		return r.Lo + (r.Hi-r.Lo)/4
	case lo:
		return r.Lo + 1
	}
	return 0.75
}

// TestOperationsInGraph: every operation has a type, facts, a value and a derivative.
func TestOperationsInGraph(t *testing.T) {
	for _, op := range operations(t) {
		g := expr.NewGraph()
		x := g.Sym("x", expr.Scalar, expr.In(expr.Positive))
		y := g.Sym("y", expr.Scalar, expr.In(expr.Positive))
		n := op.node(g, x, y)
		if n.Op != op.Op || n.Type != expr.Scalar {
			t.Errorf("%s: made %v of type %v", op.Name, n, n.Type)
		}
		env := eval.Scalars(map[string]float64{"x": 0.75, "y": 0.5})
		env.Bind("rows", []float64{1, 2, 3}, nil)
		v, err := eval.Eval(n, env)
		if err != nil || math.IsNaN(v) || !n.Facts.Range.Contains(v) {
			t.Errorf("%s: value %v, %v; by its facts in %v", op.Name, v, err, n.Facts.Range)
		}
		checkDerivatives(t, op, g, n, x, y)
	}
}

// checkDerivatives asks both modes for a derivative, and whether it has a value.
func checkDerivatives(t *testing.T, op operation, g *expr.Graph, n, x, y *expr.Node) {
	back, err := diff.Gradient(g, n, []*expr.Node{x, y})
	if err != nil {
		t.Errorf("%s: reverse mode: %v", op.Name, err)
		return
	}
	forward, err := diff.Pushforward(g, []*expr.Node{n}, []*expr.Node{x, y}, []*expr.Node{g.Const(1), g.Const(1)})
	if err != nil {
		t.Errorf("%s: forward mode: %v", op.Name, err)
		return
	}
	env := eval.Scalars(map[string]float64{"x": 0.75, "y": 0.5})
	env.Bind("rows", []float64{1, 2, 3}, nil)
	v, err := eval.All([]*expr.Node{back[0], back[1], forward[0]}, env)
	if err != nil {
		t.Errorf("%s: derivative: %v", op.Name, err)
		return
	}
	if a, b := v[0].Scalar+v[1].Scalar, v[2].Scalar; !(math.Abs(a-b) <= 1e-12*(1+math.Abs(a))) {
		t.Errorf("%s: derivative along (1, 1) is %v in reverse mode, %v in forward mode", op.Name, a, b)
	}
	if p, err := diff.Partials(g, n); op.Elementwise() && (err != nil || len(p) != op.Arity) {
		t.Errorf("%s: %d partial derivatives, %v", op.Name, len(p), err)
	}
}

// everyOp is a problem with a formula of an operation in its density.
const everyOp = `
distribution: every
variable: {x: real}
parameters: {mu: real, sigma: positive, p: unit}
logpdf: |
  -(x - mu)^2/(2*sigma^2) - log(sigma) - (%s)
---
package: every
target: every
surrogate: normal
auxiliary: {l: real}
map: {mu: mu, sigma: sqrt(sigma2), p: sigmoid(l)}
start: {mu: mean(x), sigma2: var(x), l: 0}
objective: mle
`

// writtenAs are functions that a rule without conditions writes by others: by which Go function.
var writtenAs = map[string]string{"log_sigmoid": "special.Softplus"}

// TestOperationsInGo: every operation is emitted, as Go that type-checks.
func TestOperationsInGo(t *testing.T) {
	known := imported(t)
	for _, op := range operations(t) {
		t.Run(op.Name, func(t *testing.T) {
			f, diags := spec.Parse("every.yaml", fmt.Appendf(nil, everyOp, op.formula), nil)
			if f == nil {
				t.Fatal(diags.String())
			}
			code := generate(t, f.Problems[0])
			called := cmp.Or(writtenAs[op.Name], op.Go)
			if op.Elementwise() && !strings.Contains(code, called+"(") {
				t.Errorf("%s is not called in the code for %s", called, op.formula)
			}
			typeCheck(t, known, code)
		})
	}
}

// TestGoFunctions: the Go function of every row of the table exists and takes and returns the right numbers.
func TestGoFunctions(t *testing.T) {
	known := imported(t)
	for _, op := range expr.Functions {
		checkSignature(t, known, op.Go, op.Arity, 1)
	}
	for _, j := range expr.Joints {
		a, okA := expr.FunctionNamed(j.Ops[0])
		for _, name := range j.Ops {
			if b, okB := expr.FunctionNamed(name); !okA || !okB || a.Arity != b.Arity {
				t.Errorf("%v are no functions of the same operands", j.Ops)
			}
		}
		checkSignature(t, known, j.Go, a.Arity, len(j.Ops))
	}
}

func checkSignature(t *testing.T, known map[string]*types.Package, goName string, arity, results int) {
	pkg, name, _ := strings.Cut(goName, ".")
	if pkg == "special" {
		pkg = module + "/runtime/special"
	}
	f, ok := known[pkg].Scope().Lookup(name).(*types.Func)
	if !ok {
		t.Errorf("%s does not exist", goName)
		return
	}
	numbers := func(t *types.Tuple, n int) bool {
		for v := range t.Variables() {
			n--
			if v.Type() != types.Typ[types.Float64] {
				return false
			}
		}
		return n == 0
	}
	if s := f.Signature(); !numbers(s.Params(), arity) || !numbers(s.Results(), results) {
		t.Errorf("%s is %v; want %d numbers for %d", goName, s, results, arity)
	}
}
