package invariants

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/internal/exprtest"
	"github.com/sngdgen/sngdgen/spec"
)

// shaped is what a test needs to know of an operation of linear algebra.
type shaped struct {
	node    func(g *expr.Graph, o operands) *expr.Node
	formula string // a number in mu, Sigma and the observation x, in which the operation is, or whose derivatives have it
}

// operands are symbols: a definite matrix, any matrix and two vectors.
type operands struct{ spd, any, x, y *expr.Node }

func (o operands) list() []*expr.Node { return []*expr.Node{o.spd, o.any, o.x, o.y} }

// linalg has a row for each operation of linear algebra.
var linalg = map[*expr.Op]shaped{
	expr.MatMul:         {func(g *expr.Graph, o operands) *expr.Node { return g.MatMul(o.any, o.spd, o.x) }, "dot(mu, Sigma @ Sigma @ x)"},
	expr.Transpose:      {func(g *expr.Graph, o operands) *expr.Node { return g.Transpose(o.any) }, "dot(mu, chol(Sigma)' @ x)"},
	expr.Dot:            {func(g *expr.Graph, o operands) *expr.Node { return g.Dot(o.x, o.y) }, "dot(mu, x)"},
	expr.Outer:          {func(g *expr.Graph, o operands) *expr.Node { return g.Outer(o.x, o.y) }, "quad(Sigma, x)"},
	expr.Inner:          {func(g *expr.Graph, o operands) *expr.Node { return g.Inner(o.any, o.spd) }, "tr(Sigma @ Sigma)"},
	expr.Inv:            {func(g *expr.Graph, o operands) *expr.Node { return g.Inv(o.spd) }, "quad(inv(eye(d) + Sigma), x)"},
	expr.LogDet:         {func(g *expr.Graph, o operands) *expr.Node { return g.LogDet(o.spd) }, "logdet(eye(d) + Sigma)"},
	expr.Diag:           {func(g *expr.Graph, o operands) *expr.Node { return g.Diagonal(o.any) }, "dot(x, diag(Sigma))"},
	expr.DiagMat:        {func(g *expr.Graph, o operands) *expr.Node { return g.DiagonalMatrix(o.x) }, "logdet(Sigma + diag(exp(mu)))"},
	expr.Eye:            {func(g *expr.Graph, o operands) *expr.Node { return g.Identity(o.x.Type.Dims[0]) }, "tr(Sigma)"},
	expr.Ones:           {func(g *expr.Graph, o operands) *expr.Node { return g.Ones(o.x.Type) }, "total(exp(mu))"},
	expr.Iota:           {func(g *expr.Graph, o operands) *expr.Node { return g.Iota(o.x.Type.Dims[0]) }, "dot(range(d), x*exp(mu))"},
	expr.Table:          {func(g *expr.Graph, o operands) *expr.Node { return g.Table([]float64{2, -1, 0.5}) }, "total([2, -1, 0.5])*dot(mu, x) + sum(j in 1:3, log1p(dot(mu, mu) + j*[2, 1, 4][j]))"},
	expr.Chol:           {func(g *expr.Graph, o operands) *expr.Node { return g.Cholesky(o.spd) }, "dot(mu, chol(Sigma) @ x)"},
	expr.LowerHalf:      {func(g *expr.Graph, o operands) *expr.Node { return g.LowerHalf(o.any) }, "quad(chol(Sigma), x)"},
	expr.Cumulative:     {func(g *expr.Graph, o operands) *expr.Node { return g.CumulativeSum(o.x) }, "dot(cumulative(exp(mu)), x)"},
	expr.Remaining:      {func(g *expr.Graph, o operands) *expr.Node { return g.RemainingSum(o.x) }, "dot(remaining(exp(mu)), x)"},
	expr.EntryLogSumExp: {func(g *expr.Graph, o operands) *expr.Node { return g.LogSumExpOf(o.x, o.x.Type.Dims[0]) }, "logsumexp(mu + x)"},
}

// eachLinalg runs a test for every operation of linear algebra there is.
func eachLinalg(t *testing.T, test func(t *testing.T, op *expr.Op, row shaped)) {
	for _, op := range expr.Linalg() {
		t.Run(op.Name, func(t *testing.T) {
			row, ok := linalg[op]
			if !ok {
				t.Fatalf("%s has no row in the table of this test", op.Name)
			}
			test(t, op, row)
		})
	}
}

// TestLinalgInGraph: every operation of linear algebra has a type, which its value has too, and adjoints in both modes,
// which agree with each other and with a difference of values.
func TestLinalgInGraph(t *testing.T) {
	d := expr.Dim{Name: "d"}
	definite := exprtest.FactsOf("spd")
	eachLinalg(t, func(t *testing.T, op *expr.Op, row shaped) {
		g := expr.NewGraph()
		syms := func(prefix string) operands {
			return operands{
				g.Sym(prefix+"spd", expr.Matrix(d, d), definite), g.Sym(prefix+"any", expr.Matrix(d, d), expr.Unknown),
				g.Sym(prefix+"x", expr.Vector(d), expr.Unknown), g.Sym(prefix+"y", expr.Vector(d), expr.Unknown),
			}
		}
		at, along := syms(""), syms("d")
		n := row.node(g, at)
		if n.Op != op {
			t.Fatalf("made %v", n)
		}
		cotangent := g.Sym("cotangent", n.Type, expr.Facts{Range: expr.Real, Structure: n.Facts.Structure & expr.Symmetric})
		back, err := diff.Pullback(g, []*expr.Node{n}, []*expr.Node{cotangent}, at.list())
		if err != nil {
			t.Fatal(err)
		}
		forward, err := diff.Pushforward(g, []*expr.Node{n}, at.list(), along.list())
		if err != nil {
			t.Fatal(err)
		}
		env := eval.Scalars(map[string]float64{"d": 3})
		for i, s := range append(append(at.list(), along.list()...), cotangent) {
			env.Symbols[s.Name] = some(s, i)
		}
		value := evaluate(t, env, n)
		if shape(value) != typeShape(n.Type, 3) {
			t.Errorf("of type %v; its value has the shape %v", n.Type, shape(value))
		}
		pushed := inner(evaluate(t, env, forward[0]), env.Symbols["cotangent"])
		pulled := 0.0
		for i, s := range along.list() {
			pulled += inner(evaluate(t, env, back[i]), env.Symbols[s.Name])
		}
		if !(math.Abs(pushed-pulled) <= 1e-12*(1+math.Abs(pushed))) {
			t.Errorf("derivative %v in reverse mode, %v in forward mode", pulled, pushed)
		}
		if want := difference(t, env, n, at, along); !(math.Abs(pushed-want) <= 1e-7*(1+math.Abs(want))) {
			t.Errorf("derivative %v, by differences %v", pushed, want)
		}
	})
}

// some is a value for a symbol: different ones for different i, definite or symmetric where the symbol is.
func some(s *expr.Node, i int) eval.Value {
	if s.Type.Rank == 0 {
		return eval.Value{Scalar: 0.75}
	}
	const d = 3
	columns := 1
	if s.Type.Rank == 2 {
		columns = d
	}
	m := mat.NewDense(d, columns, nil)
	m.Apply(func(r, c int, _ float64) float64 {
		if s.Facts.Structure&expr.Symmetric != 0 {
			r, c = max(r, c), min(r, c)
		}
		v := math.Sin(float64(1 + 20*i + d*r + c))
		if r == c && s.Facts.Structure&expr.PositiveDefinite != 0 {
			v += 4
		}
		return v
	}, m)
	return eval.Core(m)
}

func evaluate(t *testing.T, env *eval.Env, n *expr.Node) eval.Value {
	t.Helper()
	v, err := eval.All([]*expr.Node{n}, env)
	if err != nil {
		t.Fatal(err)
	}
	return v[0]
}

// core is a value as a matrix.
func core(v eval.Value) *mat.Dense {
	if v.Cores == nil {
		return mat.NewDense(1, 1, []float64{v.Scalar})
	}
	return v.Cores[0]
}

func shape(v eval.Value) [2]int {
	r, c := core(v).Dims()
	return [2]int{r, c}
}

// typeShape is the shape of the values of a type at a length of the dimensions: vectors are columns.
func typeShape(t expr.Type, length int) [2]int {
	out := [2]int{1, 1}
	for i := range t.Rank {
		out[i] = length
	}
	return out
}

// inner is the sum of the products of the entries; a number is one for all entries.
func inner(a, b eval.Value) float64 {
	if a.Cores == nil && b.Cores != nil {
		return a.Scalar * mat.Sum(core(b))
	}
	var m mat.Dense
	m.MulElem(core(a), core(b))
	return mat.Sum(&m)
}

// difference is the derivative of the inner product with the cotangent, along a direction.
func difference(t *testing.T, env *eval.Env, n *expr.Node, at, along operands) float64 {
	t.Helper()
	moved := func(h float64) float64 {
		there := eval.Scalars(nil)
		maps.Copy(there.Symbols, env.Symbols)
		for i, s := range at.list() {
			var m mat.Dense
			m.Scale(h, core(env.Symbols[along.list()[i].Name]))
			m.Add(&m, core(env.Symbols[s.Name]))
			there.Symbols[s.Name] = eval.Core(&m)
		}
		return inner(evaluate(t, there, n), env.Symbols["cotangent"])
	}
	const h = 1e-5
	return (moved(h) - moved(-h)) / (2 * h)
}

// everyLinalg is a problem with a formula of an operation of linear algebra in its density.
const everyLinalg = `
distribution: every
variable: {x: vector(d)}
parameters: {mu: vector(d), Sigma: spd(d)}
logpdf: |
  -quad(inv(Sigma), x - mu)/2 - logdet(Sigma)/2 - (%s)
---
package: every
target: every
surrogate: multivariate_normal
map: {mu: mu, Sigma: Sigma}
start: {mu: mean(x), Sigma: "mean(outer(x - mu, x - mu))"}
objective: mle
`

// TestLinalgInGo: every operation of linear algebra is emitted, as Go that type-checks: it is in what is derived for
// the formula, as the rules leave it, and all of that is in the code.
func TestLinalgInGo(t *testing.T) {
	known := imported(t)
	eachLinalg(t, func(t *testing.T, op *expr.Op, row shaped) {
		f, diags := spec.Parse("every.yaml", fmt.Appendf(nil, everyLinalg, row.formula), nil)
		if f == nil {
			t.Fatal(diags.String())
		}
		b, diags := bind.Bind(f.Problems[0])
		if diags.HasErrors() {
			t.Fatal(diags.String())
		}
		d, err := derive.Derive(b)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		s, gradient := &d.Surrogate, d.Objective.Gradient
		emitted := slices.Concat(s.Natural, s.Covector, gradient, []*expr.Node{s.Loss})
		expr.Walk(func(n *expr.Node) { found = found || n.Op == op }, emitted...)
		if !found {
			t.Errorf("%s is not in what is derived for %s", op.Name, row.formula)
		}
		typeCheck(t, known, generate(t, f.Problems[0]))
	})
}

// TestLinalgComputes compiles a problem with the formulas of all operations of linear algebra and runs the tests that
// are emitted with it, which hold its gradients against differences. The package exists for the compiler only.
func TestLinalgComputes(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the compiler")
	}
	var terms []string
	for _, op := range expr.Linalg() {
		terms = append(terms, linalg[op].formula)
	}
	formula := "(" + strings.Join(terms, " + ") + ")/1000" // so that the likelihood keeps its shape
	f, diags := spec.Parse("every.yaml", fmt.Appendf(nil, everyLinalg, formula), nil)
	if f == nil {
		t.Fatal(diags.String())
	}
	files, diags := gen.Generate(t.Context(), f.Problems[0], gen.Options{})
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	runEmitted(t, files)
}

// runEmitted compiles a package, laid over this directory where there is none, and runs its tests.
func runEmitted(t *testing.T, files []gen.File) {
	t.Helper()
	dir, replace := t.TempDir(), map[string]string{}
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, file := range files {
		name := filepath.Base(file.Name)
		replace[filepath.Join("every", name)] = write(name, file.Data)
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay, binary := write("overlay.json", text), filepath.Join(dir, "every.test")
	compile := []string{"go", "test", "-c", "-vet=off", "-overlay=" + overlay, "-o", binary, "./every"}
	for _, args := range [][]string{compile, {binary}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%.2000s", err, out)
		}
	}
}
