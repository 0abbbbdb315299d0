package derive_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// blocks are the natural gradients of the surrogate's own coordinates.
func blocks(d *derive.Result) []*expr.Node {
	return d.Surrogate.Natural[:len(d.Surrogate.Dual)]
}

// TestWhatCancels: the natural gradients have the form that a page of matrix calculus gives (So and Turner 2024,
// proposition 1 of the appendix on natural gradients, and the sandwich Sigma (inv(Sigma) S inv(Sigma)) Sigma = S).
func TestWhatCancels(t *testing.T) {
	all := multivariate(t)
	for _, want := range []struct {
		pkg   string
		inner bool // the inverse of Sigma may be in the quadratic form of a row
		cost  float64
	}{
		{"mvnormal", false, 10 * square}, {"skewnormal", false, 25 * square},
		{"mvstudentt5", true, cube + 40*square}, {"mvstudentt", true, cube + 40*square}, {"skewt", true, cube + 60*square},
	} {
		v := blocks(derived(t, all[want.pkg]))
		expr.Walk(func(n *expr.Node) {
			switch {
			case n.Op == expr.LogDet, n.Op == expr.Inv && !want.inner, n.Op == expr.Inv && n.Args[0].String() != "Sigma":
				t.Errorf("%s: %v is in the natural gradient", want.pkg, n)
			case n.Op == expr.MatMul && n.Type.Rank == 2:
				t.Errorf("%s: the product %v is in the natural gradient", want.pkg, n)
			}
		}, v...)
		if cost := expr.TotalCost(v...); cost > want.cost {
			t.Errorf("%s: %g flops, more than %g", want.pkg, cost, want.cost)
		}
	}
	got := fmt.Sprint(derived(t, all["mvnormal"]).Surrogate.Natural)
	if got != "[m1 - sum(difference(x, origin))/n m2 - sum(outer(difference(x, origin), difference(x, origin)))/n]" {
		t.Errorf("normal by itself: %s", got)
	}
}

// The cost model takes a symbolic length to be 32.
const (
	square = 32 * 32
	cube   = 32 * square
)

// TestCentredMoments: about their origin, a start and its coordinates are not differences of large numbers.
func TestCentredMoments(t *testing.T) {
	start := derived(t, multivariate(t)["mvnormal"]).Starts[0]
	if got := fmt.Sprint(start.Coords); got != "[muCentred Sigma + outer(muCentred, muCentred)]" {
		t.Error(got)
	}
	if got := fmt.Sprint(start.Values[0].Name, " = ", start.Values[0].Node); got != "muCentred = sum(difference(x, origin))/n" {
		t.Error(got)
	}
}

// TestAgainstDifferences compares both gradients with differences of the un-rewritten composition, for every problem
// and several lengths.
func TestAgainstDifferences(t *testing.T) {
	all := multivariate(t)
	for _, pkg := range slices.Sorted(maps.Keys(all)) {
		d := derived(t, all[pkg])
		for _, dim := range lengths(d.Problem, 1, 2, 3, 8) {
			t.Run(fmt.Sprintf("%s/d=%d", pkg, dim), func(t *testing.T) {
				w := newPoint(t, d, dim)
				s := &d.Surrogate
				var stepped []*expr.Node
				for _, c := range s.Coords {
					stepped = append(stepped, c.Sym)
				}
				own := len(s.Dual)
				w.compare(t, "c", s.Literal, stepped, s.Covector)
				w.compare(t, "v", s.LiteralDual, s.Dual, s.Natural[:own])
				w.metric(t, d)
			})
		}
	}
}

// point is a problem at random values of everything.
type point struct {
	p   *bind.Problem
	dim int
	env *eval.Env
	rng *rand.Rand
}

func newPoint(t *testing.T, d *derive.Result, dim int) *point {
	t.Helper()
	p := emptyPoint(d, dim)
	p.data(t, 6, []float64{1, 2, 1, 0.5, 1, 1})
	for _, q := range d.Problem.Surrogate.Params {
		p.env.Symbols[q.Sym.Name] = p.value(q.Sym)
	}
	for _, a := range d.Problem.Auxiliary {
		p.env.Symbols[a.Sym.Name] = p.value(a.Sym)
	}
	p.complete(t, d)
	return p
}

// emptyPoint has no values but the lengths of the dimensions.
func emptyPoint(d *derive.Result, dim int) *point {
	p := &point{p: d.Problem, dim: dim, env: eval.Scalars(nil), rng: rand.New(rand.NewPCG(3, uint64(dim)))}
	for _, name := range []string{"d", "k"} {
		p.env.Set(name, float64(dim))
	}
	return p
}

// complete sets what follows from the standard and auxiliary parameters.
func (p *point) complete(t *testing.T, d *derive.Result) {
	t.Helper()
	for _, c := range d.Family.Centred() {
		p.set(t, c.Sym, c.Node)
	}
	for i, sym := range d.Surrogate.Dual {
		p.set(t, sym, d.Surrogate.DualOf[i])
		p.set(t, d.Surrogate.Coords[i].Sym, d.Surrogate.SteppedOf[i])
	}
}

// data binds random observations: normal ones far from their origin, uniform ones, or categories.
func (p *point) data(t *testing.T, n int, weights []float64) {
	t.Helper()
	variable, width := p.p.Target.Variable, 1
	for range variable.Sym.Type.Rank {
		width *= p.dim
	}
	x := make([]float64, n*width)
	for i := range x {
		x[i] = 3 + p.rng.NormFloat64() + 0.3*p.rng.ExpFloat64()
		switch variable.Kind.Range {
		case expr.Unit:
			x[i] = p.rng.Float64()
		case expr.Positive, expr.Nonnegative:
			x[i] = 5 * p.rng.ExpFloat64()
		}
		if variable.Kind.Integer {
			x[i] = math.Floor(x[i])
		}
	}
	if simplex(p.p) {
		for row := range n {
			floats.Scale(1/floats.Sum(x[row*width:(row+1)*width]), x[row*width:(row+1)*width])
		}
	}
	if form := variable.Kind.Type.Form; form.Square() || form.Has(types.UnitLength) {
		for row := range n {
			form.Arrange(x[row*width:(row+1)*width], p.dim)
		}
	}
	if variable.Kind.Integer && variable.Kind.Range == expr.UnitClosed {
		clear(x)
		for row := range n {
			if category := p.rng.IntN(width + 1); category < width {
				x[row*width+category] = 1
			}
		}
	}
	if err := p.p.BindData(p.env, x, weights); err != nil {
		t.Fatal(err)
	}
}

func (p *point) vector() *mat.Dense {
	m := mat.NewDense(p.dim, 1, nil)
	m.Apply(func(int, int, float64) float64 { return p.rng.NormFloat64() }, m)
	return m
}

// value is a random value of the shape of a symbol; matrices are positive definite.
func (p *point) value(s *expr.Node) eval.Value {
	switch s.Type.Rank {
	case 0:
		switch r := s.Facts.Range; {
		case r.Within(expr.Unit):
			return eval.Value{Scalar: 0.1 + 0.8*p.rng.Float64()}
		case r.Within(expr.Positive):
			return eval.Value{Scalar: math.Exp(p.rng.NormFloat64())}
		}
		return eval.Value{Scalar: p.rng.NormFloat64()}
	case 1:
		v := p.vector()
		v.Apply(func(_, _ int, z float64) float64 {
			switch {
			case s.Facts.Range.Within(expr.Unit): // numbers whose sum is below 1
				return (0.1 + 0.8*p.rng.Float64()) / float64(p.dim+1)
			case s.Facts.Range.Within(expr.Positive):
				return math.Exp(z)
			}
			return z
		}, v)
		return eval.Core(v)
	}
	m := mat.NewDense(p.dim, p.dim, nil)
	for i := range p.dim {
		m.Set(i, i, 1+p.rng.Float64())
	}
	v := p.vector()
	var outer mat.Dense
	outer.Mul(v, v.T())
	m.Add(m, &outer)
	return eval.Core(m)
}

func (p *point) values(t *testing.T, nodes ...*expr.Node) []eval.Value {
	t.Helper()
	v, err := eval.All(nodes, p.env)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (p *point) set(t *testing.T, sym, value *expr.Node) {
	t.Helper()
	p.env.Symbols[sym.Name] = p.values(t, value)[0]
}

// matrix is a value as a matrix: a number has one entry, a vector one column.
func matrix(v eval.Value) *mat.Dense {
	if v.Cores != nil {
		return v.Cores[0]
	}
	return mat.NewDense(1, 1, []float64{v.Scalar})
}

// packed is a matrix as a value of the shape of a symbol.
func packed(s *expr.Node, m *mat.Dense) eval.Value {
	if s.Type.Rank == 0 {
		return eval.Value{Scalar: m.At(0, 0)}
	}
	return eval.Core(m)
}

// compare checks a gradient entry by entry; the entries of a symmetric matrix move in pairs.
func (p *point) compare(t *testing.T, name string, f *expr.Node, wrt, gradient []*expr.Node) {
	t.Helper()
	values := p.values(t, gradient...)
	for k, sym := range wrt {
		start := p.env.Symbols[sym.Name]
		r, c := matrix(start).Dims()
		for i := range r {
			for j := range min(c, i+1) {
				want := p.difference(t, f, sym, start, i, j)
				got := matrix(values[k]).At(i, j)
				if sym.Type.Rank == 2 && i != j {
					got += matrix(values[k]).At(j, i)
				}
				if !(math.Abs(got-want) <= 1e-6*(1+math.Abs(want))) {
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
		m := mat.DenseCopyOf(matrix(start))
		m.Set(i, j, m.At(i, j)+k*h)
		if sym.Type.Rank == 2 && i != j {
			m.Set(j, i, m.At(j, i)+k*h)
		}
		p.env.Symbols[sym.Name] = packed(sym, m)
		v, err := eval.Eval(f, p.env)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	return (8*(at(1)-at(-1)) - (at(2) - at(-2))) / 12 / h
}

// metric checks that the vectors of the auxiliary parameters are their covectors under the inverse of the metric.
func (p *point) metric(t *testing.T, d *derive.Result) {
	t.Helper()
	own := len(d.Surrogate.Dual)
	for i, a := range d.Problem.Auxiliary {
		if a.Metric == nil {
			if d.Surrogate.Natural[own+i] != d.Surrogate.Covector[own+i] {
				t.Errorf("%s: without a metric the vector is not the covector", a.Name)
			}
			continue
		}
		values := p.values(t, d.Surrogate.Natural[own+i], d.Surrogate.Covector[own+i], a.Metric)
		v, c, m := matrix(values[0]), matrix(values[1]), matrix(values[2])
		var back mat.Dense
		back.Mul(m, v)
		if !mat.EqualApprox(&back, c, 1e-9) {
			t.Errorf("%s: metric times vector is\n%v\nnot\n%v", a.Name, mat.Formatted(&back), mat.Formatted(c))
		}
	}
}
