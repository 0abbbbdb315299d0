package chart_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/chart"
	"github.com/sngdgen/sngdgen/expr/eval"
	_ "github.com/sngdgen/sngdgen/internal/testseed"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// subject is a chart of one type and one length, as functions of free coordinates.
type subject struct {
	of     types.Type
	n, d   int // entries, and the side of a matrix
	free   int // coordinates
	coords []*expr.Node
	chart  chart.Chart
	back   []*expr.Node
	x      *expr.Node // the symbol of back
}

func newSubject(of types.Type, d int) *subject {
	g := expr.NewGraph()
	s := &subject{of: of, n: 1}
	t := expr.Scalar
	switch of.Form.Rank {
	case 1:
		s.n, t = d, expr.Vector(expr.Dim{Size: d})
	case 2:
		s.n, s.d, t = d*d, d, expr.Matrix(expr.Dim{Size: d}, expr.Dim{Size: d})
	}
	for _, c := range of.Coordinates() {
		shape, facts := chart.Shape(c, t)
		s.coords = append(s.coords, g.Sym("coordinate."+c.Name, shape, facts))
		s.free += c.Places.Count(length(shape), d)
	}
	s.x = g.Sym("x", t, expr.KindOf(of, "d", "d").Facts)
	s.chart, s.back = chart.Of(g, of, t, s.coords), chart.Inverse(g, of, s.x)
	return s
}

func length(t expr.Type) int {
	n := 1
	for _, d := range t.Dims[:t.Rank] {
		n *= d.Size
	}
	return n
}

func packed(x []float64, t expr.Type) eval.Value {
	switch t.Rank {
	case 0:
		return eval.Value{Scalar: x[0]}
	case 1:
		return eval.Core(mat.NewDense(len(x), 1, x))
	}
	return eval.Core(mat.NewDense(t.Dims[0].Size, t.Dims[1].Size, x))
}

// evaluated is a node where symbols have values.
func evaluated(n *expr.Node, syms []*expr.Node, at [][]float64) []float64 {
	env := eval.Scalars(nil)
	for i, s := range syms {
		env.Symbols[s.Name] = packed(at[i], s.Type)
	}
	v, err := eval.All([]*expr.Node{n}, env)
	if err != nil {
		panic(err)
	}
	if v[0].Cores == nil {
		return []float64{v[0].Scalar}
	}
	return append([]float64(nil), v[0].Cores[0].RawMatrix().Data...)
}

// unfolded puts free coordinates in their places.
func (s *subject) unfolded(u []float64) [][]float64 {
	var out [][]float64
	for i, c := range s.of.Coordinates() {
		part := make([]float64, length(s.coords[i].Type))
		u = u[c.Places.Unfold(part, u, s.d):]
		out = append(out, part)
	}
	return out
}

func (s *subject) value(u []float64) []float64 {
	return evaluated(s.chart.Value, s.coords, s.unfolded(u))
}
func (s *subject) logJacobian(u []float64) float64 {
	return evaluated(s.chart.LogJacobian, s.coords, s.unfolded(u))[0]
}

// inverse returns the free coordinates of a value.
func (s *subject) inverse(x []float64) []float64 {
	out, at := make([]float64, s.free), 0
	for i, c := range s.of.Coordinates() {
		part := append([]float64(nil), evaluated(s.back[i], []*expr.Node{s.x}, [][]float64{x})...)
		if len(part) < length(s.coords[i].Type) { // 0, of every shape
			part = make([]float64, length(s.coords[i].Type))
		}
		at += c.Places.Fold(out[at:], part, s.d)
	}
	return out
}

// rows are the entries of a value that the Jacobian determinant is of: all on the sphere, where it is the square root of that of J'J.
func (s *subject) rows() []int {
	var out []int
	for i := range s.n {
		below, diagonal := s.d > 0 && i%s.d < i/s.d, s.d > 0 && i%s.d == i/s.d
		switch f := s.of.Form; {
		case f.Has(types.SumsToOne) && i == s.n-1, f.Has(types.UnitDiagonal) && !below:
		case f.Has(types.RowsSumToOne):
			if !diagonal {
				out = append(out, i)
			}
		case f.Square() && !below && !diagonal:
		default:
			out = append(out, i)
		}
	}
	return out
}

// byDifferences is the logarithm of the Jacobian determinant, by central differences of fourth order.
func (s *subject) byDifferences(u []float64) float64 {
	rows := s.rows()
	if s.free == 0 {
		return 0
	}
	j := mat.NewDense(len(rows), s.free, nil)
	at := append([]float64(nil), u...)
	for c := range u {
		const h = 1e-3
		sum := make([]float64, s.n)
		for _, step := range []struct{ times, weight float64 }{{1, 8}, {-1, -8}, {2, -1}, {-2, 1}} {
			at[c] = u[c] + step.times*h
			for k, x := range s.value(at) {
				sum[k] += step.weight * x / (12 * h)
			}
		}
		at[c] = u[c]
		for r, k := range rows {
			j.Set(r, c, sum[k])
		}
	}
	var gram mat.Dense
	gram.Mul(j.T(), j)
	log, _ := mat.LogDet(&gram)
	return log / 2
}

// every calls f for all types that have coordinates: each form with each entry that it may have, of numbers also bounded ones.
func every(f func(of types.Type)) {
	bounded := []*types.Entry{types.Between(-1, 3), types.Between(2, math.Inf(1)), types.Between(math.Inf(-1), -0.5)}
	for _, form := range types.Forms {
		for _, e := range append(append([]*types.Entry(nil), types.Entries...), bounded...) {
			if form.Entries == nil || form.Entries == e {
				f(form.Of(e))
			}
		}
	}
}

// TestCharts walks the table: every type whose numbers are not whole has a chart, whose values are of the type, that has an inverse,
// depends on the free coordinates alone, on as many as are free in the type, and whose Jacobian determinant is that of differences.
func TestCharts(t *testing.T) {
	every(func(of types.Type) {
		name := of.Written("d", "d")
		if chart.Has(of) == of.Entry.Integer {
			t.Errorf("%s: a chart is known: %v", name, chart.Has(of))
		}
		if !chart.Has(of) {
			return
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := newSubject(of, rapid.IntRange(1, 4).Draw(t, "d"))
				u := rapid.SliceOfN(rapid.Float64Range(-2, 2), s.free, s.free).Draw(t, "u")
				s.check(t, u)
			})
		})
	})
}

// TestFacts: what a type says of matrices is known of values, whatever the length.
func TestFacts(t *testing.T) {
	g, side := expr.NewGraph(), expr.Dim{Name: "d"}
	for form, want := range map[*types.Form]expr.Structure{
		types.Lower: expr.LowerTriangular | expr.PositiveDiagonal, types.SPD: expr.Symmetric | expr.PositiveDefinite, types.Corr: expr.Symmetric | expr.PositiveDefinite,
	} {
		var coords []*expr.Node
		for _, c := range form.Of(types.Real).Coordinates() {
			shape, facts := chart.Shape(c, expr.Matrix(side, side))
			coords = append(coords, g.Sym("coordinate."+c.Name, shape, facts))
		}
		c := chart.Of(g, form.Of(types.Real), expr.Matrix(side, side), coords)
		if got := c.Value.Facts.Structure; got&want != want {
			t.Errorf("%s: structure %b of %v, want %b", form.Name, got, c.Value, want)
		}
	}
}

func (s *subject) check(t *rapid.T, u []float64) {
	x := s.value(u)
	if err := s.of.Form.Check(x, s.d, "x"); err != nil {
		t.Fatal(err)
	}
	lo, hi, _, _ := s.of.Range()
	for _, v := range x {
		if !(v >= lo-1e-12 && v <= hi+1e-12) && !s.of.Form.Has(types.LowerTriangular) {
			t.Fatalf("%v is outside of [%v, %v]", v, lo, hi)
		}
	}
	if want := s.of.Form.Free(s.n, s.d); s.free != want {
		t.Fatalf("%d coordinates of %d that are free", s.free, want)
	}
	for i, v := range s.inverse(x) {
		if math.Abs(v-u[i]) > 1e-9 {
			t.Fatalf("coordinates %v are %v again at entry %d", u, v, i)
		}
	}
	if got, want := s.logJacobian(u), s.byDifferences(u); !(math.Abs(got-want) <= 1e-6*(1+math.Abs(want))) {
		t.Fatalf("at %v: log Jacobian %v, by differences %v", u, got, want)
	}
}

// TestMass: densities with respect to the values have mass 1 in the coordinates, with the Jacobian.
func TestMass(t *testing.T) {
	lgamma := func(x float64) float64 { l, _ := math.Lgamma(x); return l }
	normal := func(x float64) float64 { return -x*x/2 - math.Log(2*math.Pi)/2 }
	for _, c := range []struct {
		of   types.Type
		d    int
		what string
		log  func(x []float64) float64
	}{
		{types.Number.Of(types.Positive), 1, "gamma(3, 2)", func(x []float64) float64 { return math.Log(4) + 2*math.Log(x[0]) - 2*x[0] }},
		{types.Number.Of(types.Unit), 1, "beta(2, 3)", func(x []float64) float64 { return math.Log(12) + math.Log(x[0]) + 2*math.Log1p(-x[0]) }},
		{types.Number.Of(types.Between(-1, 3)), 1, "uniform", func([]float64) float64 { return -math.Log(4) }},
		{types.Number.Of(types.Between(2, math.Inf(1))), 1, "exponential", func(x []float64) float64 { return -(x[0] - 2) }},
		{types.Number.Of(types.Between(math.Inf(-1), -0.5)), 1, "exponential", func(x []float64) float64 { return x[0] + 0.5 }},
		{types.Vector.Of(types.Positive), 2, "exponential", func(x []float64) float64 { return -x[0] - x[1] }},
		{types.Simplex.Of(types.Unit), 3, "Dirichlet(2, 3, 1)", func(x []float64) float64 {
			return lgamma(6) - lgamma(2) - lgamma(3) + math.Log(x[0]) + 2*math.Log(x[1])
		}},
		{types.Ordered.Of(types.Real), 3, "order statistics", func(x []float64) float64 { return math.Log(6) + normal(x[0]) + normal(x[1]) + normal(x[2]) }},
		{types.Direction.Of(types.Real), 2, "uniform", func([]float64) float64 { return -math.Log(2 * math.Pi) }},
		{types.Direction.Of(types.Real), 3, "von Mises-Fisher", func(x []float64) float64 { return math.Log(2/(4*math.Pi*math.Sinh(2))) + 2*x[2] }},
		{types.Lower.Of(types.Real), 2, "normal and exponential", func(x []float64) float64 { return -x[0] + normal(x[2]) - x[3] }},
		{types.SPD.Of(types.Real), 2, "Wishart with 4 degrees of freedom", func(x []float64) float64 {
			det := x[0]*x[3] - x[1]*x[1]
			return math.Log(det)/2 - (x[0]+x[3])/2 - 4*math.Log(2) - math.Log(math.Pi)/2 - lgamma(2) - lgamma(1.5)
		}},
		{types.Corr.Of(types.Real), 2, "uniform", func([]float64) float64 { return -math.Log(2) }},
		// Joe (2006), Generating random correlation matrices based on partial correlations: the volume of all is pi^2/2.
		{types.Corr.Of(types.Real), 3, "uniform", func([]float64) float64 { return -math.Log(math.Pi * math.Pi / 2) }},
	} {
		s := newSubject(c.of, c.d)
		mass := s.integral(func(u []float64) float64 { return math.Exp(c.log(s.value(u)) + s.logJacobian(u)) })
		if math.Abs(mass-1) > 2e-4 {
			t.Errorf("%s %s: mass %v", c.of.Written("d", "d"), c.what, mass)
		}
	}
}

// integral is that of a function of the free coordinates over all of them, by the trapezoidal rule for their inverse hyperbolic sines.
func (s *subject) integral(f func(u []float64) float64) float64 {
	u := make([]float64, s.free)
	reach, step := []float64{14, 6, 4}[s.free-1], []float64{0.05, 0.15, 0.25}[s.free-1]
	var over func(k int) float64
	over = func(k int) float64 {
		if k == s.free {
			return f(u)
		}
		sum := 0.0
		for x := -reach; x <= reach; x += step {
			u[k] = math.Sinh(x)
			sum += step * math.Cosh(x) * over(k+1)
		}
		return sum
	}
	return over(0)
}
