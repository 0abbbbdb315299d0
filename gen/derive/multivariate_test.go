package derive_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/spec"
)

// derived are the problems of the test file, by package.
func derived(t *testing.T) map[string]*derive.Result {
	t.Helper()
	f, diags := spec.LoadFile("testdata/multivariate.yaml")
	if f == nil {
		t.Fatal(diags.String())
	}
	out := map[string]*derive.Result{}
	for _, p := range f.Problems {
		b, diags := bind.Bind(p)
		if b == nil {
			t.Fatal(diags.String())
		}
		d, err := derive.Derive(b)
		if err != nil {
			t.Fatal(err)
		}
		out[p.Package] = d
	}
	return out
}

// TestWhatCancels: the natural gradients have the form that a page of matrix calculus gives (So and Turner 2024,
// proposition 1 of the appendix on natural gradients, and the sandwich Sigma (inv(Sigma) S inv(Sigma)) Sigma = S).
func TestWhatCancels(t *testing.T) {
	all := derived(t)
	for _, want := range []struct {
		pkg      string
		inverses map[string]bool // matrices whose inverse may be in the natural gradient
	}{
		{"mvnormal", nil}, {"skew", nil}, {"student", map[string]bool{"Sigma": true}},
	} {
		d := all[want.pkg]
		expr.Walk(func(n *expr.Node) {
			if n.Op == expr.LogDet || n.Op == expr.Inv && !want.inverses[n.Args[0].String()] {
				t.Errorf("%s: %v is in the natural gradient", want.pkg, n)
			}
		}, d.Surrogate.Natural...)
	}
	if got := fmt.Sprint(all["mvnormal"].Surrogate.Natural); got != "[mu - sum(x)/n m2 - sum(outer(x, x))/n]" {
		t.Errorf("normal by itself: %s", got)
	}
	// The only inverse left in Student's t is in the quadratic form of a row, so no product of matrices remains.
	expr.Walk(func(n *expr.Node) {
		if n.Op == expr.MatMul && n.Type.Rank == 2 {
			t.Errorf("student: the product %v is in the natural gradient", n)
		}
	}, all["student"].Surrogate.Natural...)
}

// TestAgainstDifferences compares both gradients with differences of the un-rewritten composition, for every problem of
// the file and several lengths.
func TestAgainstDifferences(t *testing.T) {
	for pkg, d := range derived(t) {
		for _, dim := range []int{1, 2, 3, 8} {
			t.Run(fmt.Sprintf("%s/d=%d", pkg, dim), func(t *testing.T) {
				w := newPoint(t, d, dim)
				s := &d.Surrogate
				var stepped []*expr.Node
				for _, c := range s.Coords {
					stepped = append(stepped, c.Sym)
				}
				w.compare(t, "c", s.Literal, stepped, s.Covector)
				w.compare(t, "v", s.LiteralDual, append(append([]*expr.Node{}, s.Dual...), stepped[len(s.Dual):]...), s.Natural)
			})
		}
	}
}

// point is a problem at random values of everything.
type point struct {
	g   *expr.Graph
	env *eval.Env
	rng *rand.Rand
}

func newPoint(t *testing.T, d *derive.Result, dim int) *point {
	t.Helper()
	p := &point{g: d.Problem.Graph, env: eval.Scalars(nil), rng: rand.New(rand.NewPCG(3, uint64(dim)))}
	rows := make([]*mat.Dense, 6)
	for i := range rows {
		rows[i] = p.vector(dim)
	}
	p.env.Symbols[d.Problem.Target.Variable.Sym.Name] = eval.CoreRows(rows)
	p.env.Weights = []float64{1, 2, 1, 0.5, 1, 1}
	p.env.Set("n", 6.5)
	p.env.Set("d", float64(dim))
	std := append([]bind.Param{}, d.Problem.Surrogate.Params...)
	for _, a := range d.Problem.Auxiliary {
		std = append(std, a.Param)
	}
	for _, q := range std {
		p.env.Symbols[q.Sym.Name] = p.value(q.Sym, dim)
	}
	for i, sym := range d.Surrogate.Dual {
		p.set(t, sym, d.Surrogate.DualOf[i])
		p.set(t, d.Surrogate.Coords[i].Sym, d.Surrogate.SteppedOf[i])
	}
	return p
}

func (p *point) vector(dim int) *mat.Dense {
	m := mat.NewDense(dim, 1, nil)
	m.Apply(func(int, int, float64) float64 { return p.rng.NormFloat64() }, m)
	return m
}

// value is a random value of the shape of a symbol; matrices are positive definite.
func (p *point) value(s *expr.Node, dim int) eval.Value {
	switch s.Type.Rank {
	case 0:
		return eval.Value{Scalar: math.Exp(p.rng.NormFloat64())}
	case 1:
		return eval.Core(p.vector(dim))
	}
	m := mat.NewDense(dim, dim, nil)
	for i := range dim {
		m.Set(i, i, 1)
	}
	v := p.vector(dim)
	var outer mat.Dense
	outer.Mul(v, v.T())
	m.Add(m, &outer)
	return eval.Core(m)
}

func (p *point) set(t *testing.T, sym, value *expr.Node) {
	t.Helper()
	v, err := eval.All([]*expr.Node{value}, p.env)
	if err != nil {
		t.Fatal(err)
	}
	p.env.Symbols[sym.Name] = v[0]
}

// compare checks a gradient entry by entry; the entries of a symmetric matrix move in pairs.
func (p *point) compare(t *testing.T, name string, f *expr.Node, wrt, gradient []*expr.Node) {
	t.Helper()
	values, err := eval.All(gradient, p.env)
	if err != nil {
		t.Fatal(err)
	}
	for k, sym := range wrt {
		start := p.env.Symbols[sym.Name]
		if start.Cores == nil {
			t.Fatalf("%v is a number: the test knows vectors and matrices", sym)
		}
		r, c := start.Cores[0].Dims()
		for i := range r {
			for j := range min(c, i+1) {
				want := p.difference(t, f, sym, start, i, j)
				got := values[k].Cores[0].At(i, j)
				if sym.Type.Rank == 2 && i != j {
					got += values[k].Cores[0].At(j, i)
				}
				if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
					t.Errorf("%s: derivative along %v[%d,%d] is %v, by differences %v", name, sym, i, j, got, want)
				}
			}
		}
		p.env.Symbols[sym.Name] = start
	}
}

func (p *point) difference(t *testing.T, f, sym *expr.Node, start eval.Value, i, j int) float64 {
	t.Helper()
	const h = 1e-4
	at := func(k float64) float64 {
		m := mat.DenseCopyOf(start.Cores[0])
		m.Set(i, j, m.At(i, j)+k*h)
		if sym.Type.Rank == 2 && i != j {
			m.Set(j, i, m.At(j, i)+k*h)
		}
		p.env.Symbols[sym.Name] = eval.Core(m)
		v, err := eval.Eval(f, p.env)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	return (8*(at(1)-at(-1)) - (at(2) - at(-2))) / 12 / h
}
