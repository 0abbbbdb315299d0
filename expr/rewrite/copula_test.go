package rewrite

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/exprtest"
)

// copulaGradient is the derivative of the mean negative log-density of a Gaussian copula with correlation corr(Sigma) with
// respect to the natural parameter J = -inv(Sigma)/2 of a normal surrogate with mean zero, in terms of Sigma.
func copulaGradient(t *testing.T, g *expr.Graph) *expr.Node {
	t.Helper()
	d := expr.Dim{Name: "d"}
	sigma := g.Sym("Sigma", expr.Matrix(d, d), exprtest.FactsOf("spd"))
	j := g.Sym("J", expr.Matrix(d, d), expr.Facts{Range: expr.Real, Structure: expr.Symmetric})
	names := map[string]*expr.Node{"Sigma": sigma, "J": j, "z": g.Sym("z", expr.Vector(d).Over(expr.Rows), expr.Unknown)}
	build := func(formula string) *expr.Node {
		e, errs := syntax.Parse(formula)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		b := expr.Builder{G: g, Scope: expr.Scope{Names: names, What: "a test", Reductions: true}}
		n := b.Build(e)
		if n == nil {
			t.Fatal(b.Faults)
		}
		return n
	}
	simplify := func(n *expr.Node) *expr.Node { return New(g, Rules(Exact, Algebraic)).Apply(n)[0] }
	loss := simplify(build("mean(logdet(corr(Sigma))/2 + (quad(inv(corr(Sigma)), z) - dot(z, z))/2)"))
	cotangent, err := diff.Gradient(g, loss, []*expr.Node{sigma})
	if err != nil {
		t.Fatal(err)
	}
	natural, err := diff.Pullback(g, []*expr.Node{build("inv(-2*J)")}, []*expr.Node{simplify(cotangent[0])}, []*expr.Node{j})
	if err != nil {
		t.Fatal(err)
	}
	last := New(g, Rules(Algebraic, Stabilising))
	last.Collect = true
	return last.Apply(simplify(g.Substitute(natural[0], map[*expr.Node]*expr.Node{j: build("-inv(Sigma)/2")})))[0]
}

// TestCopulaGradientIsCheap: what is left is one inverse, of Sigma, next to the moments of the data, and one product of
// three matrices of which the middle one is diagonal, from the projection on correlation matrices.
func TestCopulaGradientIsCheap(t *testing.T) {
	v := copulaGradient(t, expr.NewGraph())
	full := 0
	expr.Walk(func(n *expr.Node) {
		switch {
		case n.Op == expr.Inv && n.String() != "inv(Sigma)" || n.Op == expr.LogDet:
			t.Errorf("%v is in the gradient", n)
		case n.Op == expr.MatMul:
			count := 0
			for _, a := range n.Args {
				if a.Op != expr.DiagMat && a.Op != expr.Inv {
					count++
				}
			}
			if count > 1 {
				full++
			}
		case n.Op == expr.Sum && n.Type.Rank == 2 && n.String() != "sum(outer(z, z))":
			t.Errorf("%v is summed", n)
		}
	}, v)
	if full != 1 {
		t.Errorf("%d products of matrices in %v", full, v)
	}
}

// TestCopulaStep: from a correlation matrix R, the undamped step along the gradient leads to S + R diag(1 - diag(inv(R) S)) R,
// with S the second moments of the data.
func TestCopulaStep(t *testing.T) {
	g := expr.NewGraph()
	v := copulaGradient(t, g)
	for _, d := range []int{1, 2, 3, 8} {
		r, rows, s := copulaData(d)
		env := eval.Scalars(map[string]float64{"d": float64(d), "n": 10})
		env.Weights = []float64{1, 2, 3, 4}
		env.Symbols["Sigma"], env.Symbols["z"] = eval.Core(r), eval.CoreRows(rows)
		got, err := eval.All([]*expr.Node{v}, env)
		if err != nil {
			t.Fatal(err)
		}
		var step, solved, scaled, want mat.Dense
		step.Sub(r, got[0].Cores[0])
		if err := solved.Solve(r, s); err != nil {
			t.Fatal(err)
		}
		scaled.Apply(func(i, j int, x float64) float64 { return (1 - solved.At(i, i)) * x }, r)
		want.Mul(r, &scaled)
		want.Add(&want, s)
		if !mat.EqualApprox(&step, &want, 1e-12) {
			t.Errorf("d = %d: the step leads to\n%v, want\n%v", d, mat.Formatted(&step), mat.Formatted(&want))
		}
	}
}

// copulaData is a correlation matrix, four vectors, and their second moments with the weights 1 to 4.
func copulaData(d int) (r *mat.Dense, rows []*mat.Dense, s *mat.Dense) {
	rng := rand.New(rand.NewPCG(21, uint64(d)))
	random := func(rows, columns int) *mat.Dense {
		m := mat.NewDense(rows, columns, nil)
		m.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, m)
		return m
	}
	root := random(d, d+2)
	var a mat.Dense
	a.Mul(root, root.T())
	r, s = mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
	r.Apply(func(i, j int, _ float64) float64 {
		if i == j {
			return 1
		}
		return a.At(i, j) / math.Sqrt(a.At(i, i)*a.At(j, j))
	}, r)
	for k := range 4 {
		z := random(d, 1)
		var outer mat.Dense
		outer.Outer(float64(k+1)/10, z.ColView(0), z.ColView(0))
		s.Add(s, &outer)
		rows = append(rows, z)
	}
	return r, rows, s
}
