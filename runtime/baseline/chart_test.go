package baseline_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/baseline/general"
	"github.com/sngdgen/sngdgen/runtime/dense"
	"github.com/sngdgen/sngdgen/runtime/types"
)

var roots = []baseline.Root{
	baseline.CovarianceRoot, baseline.CovarianceCholesky, baseline.PrecisionRoot, baseline.PrecisionCholesky,
}

// shaped is a model of which only what charts use is there.
type shaped struct {
	runtime.Model
	info  runtime.Info
	sizes []int
	known []float64 // theta, where parameters are known
	loss  func(g, theta []float64) float64
	batch []int
}

func (m *shaped) Info() *runtime.Info                      { return &m.info }
func (m *shaped) Sizes() []int                             { return m.sizes }
func (m *shaped) Blocks() []runtime.Block                  { return []runtime.Block{{Name: "z", Len: 1}} }
func (m *shaped) Theta(dst, _ []float64)                   { copy(dst, m.known) }
func (m *shaped) ThetaGradient(g, theta []float64) float64 { return m.loss(g, theta) }
func (m *shaped) Batch(rows []int) error                   { m.batch = rows; return nil }
func (m *shaped) Counts() (int, int, float64)              { return 7, 6, 8 }

func newShaped(sizes []int, loss func(g, theta []float64) float64, ps ...runtime.Parameter) *shaped {
	return &shaped{info: runtime.Info{Name: "shaped", Dims: []string{"d", "k"}, Parameters: ps}, sizes: sizes, loss: loss}
}

func vector(name string, typ types.Type, dim string) runtime.Parameter {
	return runtime.Parameter{Name: name, Type: typ, Shape: []runtime.Dim{{Name: dim}}}
}

func matrix(name string, typ types.Type) runtime.Parameter {
	return runtime.Parameter{Name: name, Type: typ, Shape: []runtime.Dim{{Name: "d"}, {Name: "d"}}}
}

// components makes a parameter what each of k components has.
func components(p runtime.Parameter) runtime.Parameter {
	p.Components, p.Shape = true, append([]runtime.Dim{{Name: "k"}}, p.Shape...)
	return p
}

// gaussian is the mean negative log-likelihood of rows under N(mu, Sigma), up to a constant, as a function of (mu,
// Sigma) or, without a mean, of Sigma: (log det Sigma + tr(Sigma^-1 S))/2, S = cov + (mean - mu)(mean - mu)'.
type gaussian struct {
	d           int
	mean, cov   []float64 // of the data; mean is nil when mu is not a parameter
	l, p, s, ps []float64
	r           []float64
}

func newGaussian(d int, located bool, rng *rand.Rand) *gaussian {
	f := &gaussian{d: d, cov: spd(d, rng), r: make([]float64, d)}
	if located {
		f.mean = draw(d, rng)
	}
	for _, x := range []*[]float64{&f.l, &f.p, &f.s, &f.ps} {
		*x = make([]float64, d*d)
	}
	return f
}

func (f *gaussian) at(g, theta []float64) float64 {
	d := f.d
	copy(f.s, f.cov)
	sigma, gs := theta, g
	if f.mean != nil {
		sigma, gs = theta[d:], g[d:]
		floats.SubTo(f.r, f.mean, theta[:d])
		dense.AddSymmetricOuter(f.s, 1, f.r, d)
	}
	if !dense.Cholesky(f.l, sigma, d) {
		return math.NaN()
	}
	dense.InverseFromCholesky(f.p, f.l, d)
	if f.mean != nil { // d/dmu = Sigma^-1 (mu - mean)
		dense.MulVec(g[:d], f.p, f.r, d, d)
		floats.Scale(-1, g[:d])
	}
	dense.Mul(f.ps, f.p, f.s, d, d, d)
	loss := dense.LogDet(f.l, d)
	for i := range d {
		loss += f.ps[i*d+i]
	}
	dense.Mul(gs, f.ps, f.p, d, d, d) // d/dSigma = (P - P S P)/2
	for i := range gs {
		gs[i] = (f.p[i] - gs[i]) / 2
	}
	dense.Symmetrize(gs, d)
	return loss / 2
}

func draw(n int, rng *rand.Rand) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// spd draws a positive definite matrix.
func spd(d int, rng *rand.Rand) []float64 {
	var s mat.Dense
	w := mat.NewDense(d, d, draw(d*d, rng))
	s.Mul(w.T(), w)
	for i := range d {
		s.Set(i, i, s.At(i, i)+0.5)
	}
	return s.RawMatrix().Data
}

// sines is a loss with a different derivative for every entry: sum a_i sin(theta_i), a symmetric in the matrices, which
// are the entries from first on, of d x d each.
func sines(n, first, d int) func(g, theta []float64) float64 {
	rng := rand.New(rand.NewPCG(5, 6))
	a := draw(n, rng)
	for ; first < n; first += d * d {
		dense.Symmetrize(a[first:], d)
	}
	return func(g, theta []float64) float64 {
		f := 0.0
		for i, x := range theta {
			f += a[i] * math.Sin(x)
			g[i] = a[i] * math.Cos(x)
		}
		return f
	}
}

// charted are models with parameters of every type.
func charted(d int) map[string]*shaped {
	rng := rand.New(rand.NewPCG(1, uint64(d)))
	k := 4
	all := []runtime.Parameter{
		{Name: "a", Type: types.Number.Of(types.Real)}, {Name: "b", Type: types.Number.Of(types.Positive)}, {Name: "nu", Type: types.Number.Of(types.Positive)}, {Name: "s", Type: types.Number.Of(types.Unit)},
		vector("v", types.Vector.Of(types.Real), "d"), vector("w", types.Vector.Of(types.Positive), "d"), vector("y", types.Vector.Of(types.Unit), "d"),
		{Name: "rho", Type: types.Number.Of(types.Between(-1, 2))}, vector("c", types.Ordered.Of(types.Real), "k"), vector("z", types.Direction.Of(types.Real), "d"),
		vector("pi", types.Simplex.Of(types.Unit), "k"), matrix("B", types.Matrix.Of(types.Real)), matrix("Sigma", types.SPD.Of(types.Real)), matrix("R", types.Corr.Of(types.Real)),
	}
	n := 5 + 4*d + 2*k + d*d
	mixture := []runtime.Parameter{
		vector("pi", types.Simplex.Of(types.Unit), "k"), components(runtime.Parameter{Name: "r", Type: types.Number.Of(types.Positive)}),
		components(vector("mu", types.Vector.Of(types.Real), "d")), components(matrix("Sigma", types.SPD.Of(types.Real))), components(matrix("R", types.Corr.Of(types.Real))),
	}
	models := map[string]*shaped{
		"gaussian": newShaped([]int{d, k}, newGaussian(d, true, rng).at,
			vector("mu", types.Vector.Of(types.Real), "d"), matrix("Sigma", types.SPD.Of(types.Real))),
		"corr": newShaped([]int{d, k}, newGaussian(d, false, rng).at, matrix("R", types.Corr.Of(types.Real))),
		"all":  newShaped([]int{d, k}, sines(n+2*d*d, n, d), all...),

		"mixture": newShaped([]int{d, k}, sines(2*k+k*d+2*k*d*d, 2*k+k*d, d), mixture...),
	}
	eachType(func(of types.Type) {
		p := parameterOf(of)
		m := newShaped([]int{d, k}, nil, p)
		n := p.Len(m)
		first := n
		if of.Form.Has(types.Symmetric) {
			first = 0
		}
		m.loss = sines(n, first, d)
		models[of.Written("d", "d")] = m
	})
	return models
}

// eachType calls f for every type of the table that has coordinates: every form with the entries that it may have.
func eachType(f func(types.Type)) {
	for _, form := range types.Forms {
		for _, e := range types.Entries {
			if !e.Integer && (form.Entries == nil || form.Entries == e) {
				f(form.Of(e))
			}
		}
	}
}

// parameterOf is a parameter x of a type, of length or sides d.
func parameterOf(of types.Type) runtime.Parameter {
	p := runtime.Parameter{Name: "x", Type: of}
	for range of.Form.Rank {
		p.Shape = append(p.Shape, runtime.Dim{Name: "d"})
	}
	return p
}

func chartOf(t testing.TB, m *shaped, r baseline.Root) runtime.Unconstrained {
	t.Helper()
	var above []baseline.Above
	if m.info.Parameters[0].Name == "a" {
		above = append(above, baseline.Above{Parameter: "nu", Bound: 2})
	}
	u, err := baseline.Charts(m, r, above...)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func eachChart(t *testing.T, check func(*testing.T, *shaped, runtime.Unconstrained, *rand.Rand)) {
	for _, d := range []int{1, 2, 3, 8} {
		for _, r := range roots {
			for name, m := range charted(d) {
				t.Run(fmt.Sprintf("%s/%v/%d", name, r, d), func(t *testing.T) {
					check(t, m, chartOf(t, m, r), rand.New(rand.NewPCG(2, uint64(d))))
				})
			}
		}
	}
}

// point draws coordinates near those of the defaults of types, such as identity matrices, so that differences keep their digits.
func point(u runtime.Unconstrained, m *shaped, rng *rand.Rand) []float64 {
	d := m.sizes[0]
	var theta []float64
	for i := range m.info.Parameters {
		p := &m.info.Parameters[i]
		for range p.Copies(m) {
			x := make([]float64, p.Len(m)/p.Copies(m))
			p.Type.Default(x, d)
			if p.Name == "nu" { // which is above 2
				x[0] = 3
			}
			theta = append(theta, x...)
		}
	}
	x := make([]float64, u.Dim())
	u.FromTheta(x, theta)
	floats.AddScaled(x, 0.3/math.Sqrt(float64(d)), draw(u.Dim(), rng))
	return x
}

func thetaLen(m *shaped) int {
	n := 0
	for i := range m.info.Parameters {
		n += m.info.Parameters[i].Len(m)
	}
	return n
}

// TestChartGradient compares with differences of the fourth order.
func TestChartGradient(t *testing.T) {
	eachChart(t, func(t *testing.T, m *shaped, u runtime.Unconstrained, rng *rand.Rand) {
		x := point(u, m, rng)
		g := make([]float64, u.Dim())
		f := u.Gradient(g, x)
		if f != u.Loss(x) || math.IsNaN(f) {
			t.Fatalf("the loss is %v, that of Gradient %v", u.Loss(x), f)
		}
		scale := 1 + floats.Norm(g, math.Inf(1))
		at := func(i int, h float64) float64 {
			old := x[i]
			x[i] += h
			defer func() { x[i] = old }()
			return u.Loss(x)
		}
		const h = 2e-4
		for i, got := range g {
			want := (8*(at(i, h)-at(i, -h)) - (at(i, 2*h) - at(i, -2*h))) / (12 * h)
			if !(math.Abs(got-want) <= 1e-7*scale) {
				t.Errorf("coordinate %d: the gradient is %v, differences give %v", i, got, want)
			}
		}
	})
}

// TestChartRoundTrip: the parameters at the coordinates of some parameters are these.
func TestChartRoundTrip(t *testing.T) {
	eachChart(t, func(t *testing.T, m *shaped, u runtime.Unconstrained, rng *rand.Rand) {
		x := point(u, m, rng)
		theta, again := make([]float64, thetaLen(m)), make([]float64, thetaLen(m))
		u.Theta(theta, x)
		u.FromTheta(x, theta)
		u.Theta(again, x)
		for i := range theta {
			if !(math.Abs(theta[i]-again[i]) <= 1e-12*(1+math.Abs(theta[i]))) {
				t.Errorf("entry %d is %v, after a round trip %v", i, theta[i], again[i])
			}
		}
	})
}

// TestChartForms walks the table of types: each has coordinates, as many as there are free entries with the triangular roots, and what they are
// coordinates of is of the form, with the entries that it has. A correlation matrix has those of a covariance matrix of any scale.
func TestChartForms(t *testing.T) {
	eachType(func(of types.Type) {
		name := of.Written("d", "d")
		p := parameterOf(of)
		m := newShaped([]int{3, 3}, sines(9, 9, 3), p)
		u, err := baseline.Charts(m, baseline.CovarianceCholesky)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		want := of.Form.Free(p.Len(m), p.Side(m))
		if of.Form.Has(types.UnitDiagonal) {
			want += p.Side(m)
		}
		if u.Dim() != want {
			t.Errorf("%s: %d coordinates, want %d", name, u.Dim(), want)
		}
		rng, theta := rand.New(rand.NewPCG(7, 8)), make([]float64, p.Len(m))
		for range 20 {
			x := draw(u.Dim(), rng)
			u.Theta(theta, x)
			if err := of.Form.Check(theta, p.Side(m), name); err != nil {
				t.Errorf("at the coordinates %v: %v", x, err)
				return
			}
			lo, hi, _, _ := of.Range()
			for i, v := range theta {
				if !(v >= lo && v <= hi) && !of.Form.Has(types.LowerTriangular) {
					t.Errorf("%s: at the coordinates %v entry %d is %v, outside of [%v, %v]", name, x, i, v, lo, hi)
					return
				}
			}
		}
	})
}

// TestRoots: Sigma is what gonum makes of W.
func TestRoots(t *testing.T) {
	const d = 5
	m := newShaped([]int{d}, sines(d*d, 0, d), matrix("Sigma", types.SPD.Of(types.Real)))
	for _, r := range roots {
		u := chartOf(t, m, r)
		x := draw(u.Dim(), rand.New(rand.NewPCG(3, 4)))
		w := mat.NewDense(d, d, nil)
		next := 0
		for i := range d {
			first := 0
			if u.Dim() < d*d {
				first = i
			}
			for j := first; j < d; j++ {
				w.Set(i, j, x[next])
				next++
			}
		}
		if next != u.Dim() {
			t.Fatalf("%v: %d coordinates", r, u.Dim())
		}
		var want mat.Dense
		want.Mul(w.T(), w)
		if r == baseline.PrecisionRoot || r == baseline.PrecisionCholesky {
			if err := want.Inverse(&want); err != nil {
				t.Fatal(err)
			}
		}
		got := mat.NewDense(d, d, nil)
		u.Theta(got.RawMatrix().Data, x)
		if !mat.EqualApprox(got, &want, 1e-10*mat.Norm(&want, 1)) {
			t.Errorf("%v: Sigma is\n%v\nnot\n%v", r, mat.Formatted(got), mat.Formatted(&want))
		}
	}
}

// TestChartValues: the entrywise charts at numbers known by hand, and at the ends of floating point.
func TestChartValues(t *testing.T) {
	m := newShaped([]int{1, 3}, sines(6, 6, 1), runtime.Parameter{Name: "nu", Type: types.Number.Of(types.Positive)},
		runtime.Parameter{Name: "c", Type: types.Number.Of(types.Positive), Known: true}, runtime.Parameter{Name: "s", Type: types.Number.Of(types.Unit)},
		vector("pi", types.Simplex.Of(types.Unit), "k"))
	m.known = []float64{math.NaN(), 7, 0.5, math.NaN(), math.NaN(), math.NaN()}
	u, err := baseline.Charts(m, 0, baseline.Above{Parameter: "nu", Bound: 2})
	if err != nil || u.Dim() != 4 {
		t.Fatal(u, err)
	}
	for _, c := range []struct{ u, theta []float64 }{
		{[]float64{math.Log(3), 0, math.Log(2), math.Log(5)}, []float64{5, 7, 0.5, 0.25, 0.625, 0.125}},
		{[]float64{0, math.Log(4), 1000, 1000}, []float64{3, 7, 0.8, 0.5, 0.5, 0}},
		{[]float64{0, -800, -1000, -1000}, []float64{3, 7, 0, 0, 0, 1}},
	} {
		got := make([]float64, 6)
		u.Theta(got, c.u)
		if !floats.EqualApprox(got, c.theta, 1e-15) {
			t.Errorf("theta at %v is %v, not %v", c.u, got, c.theta)
		}
	}
	h := make([]float64, 16)
	u.Hessian(h, make([]float64, 4))
	if !math.IsNaN(h[0]) || !math.IsNaN(h[15]) {
		t.Error("there are second derivatives")
	}
}

// TestChartComponents: the coordinates of one component follow those of the one before, in a block for each parameter.
func TestChartComponents(t *testing.T) {
	known := components(runtime.Parameter{Name: "c", Type: types.Number.Of(types.Positive)})
	known.Known = true
	m := newShaped([]int{2, 2}, sines(10, 10, 1), vector("pi", types.Simplex.Of(types.Unit), "k"),
		components(vector("p", types.Vector.Of(types.Unit), "d")), known, components(runtime.Parameter{Name: "nu", Type: types.Number.Of(types.Positive)}))
	m.known = []float64{0, 0, 0, 0, 0, 0, 7, 8, 0, 0}
	u, err := baseline.Charts(m, 0, baseline.Above{Parameter: "nu", Bound: 2})
	if err != nil {
		t.Fatal(err)
	}
	want := []runtime.Block{
		{Name: "pi", Len: 1, Auxiliary: true},
		{Name: "p", Offset: 1, Len: 4, Auxiliary: true, Copies: 2},
		{Name: "nu", Offset: 5, Len: 2, Auxiliary: true, Copies: 2},
	}
	if got := u.(interface{ Blocks() []runtime.Block }).Blocks(); !slices.Equal(got, want) {
		t.Errorf("blocks %+v", got)
	}
	theta := make([]float64, 10)
	u.Theta(theta, []float64{math.Log(3), 0, math.Log(3), math.Log(4), -math.Log(4), 0, math.Log(5)})
	if !floats.EqualApprox(theta, []float64{0.75, 0.25, 0.5, 0.75, 0.8, 0.2, 7, 8, 3, 7}, 1e-15) {
		t.Errorf("theta %v", theta)
	}
}

// TestChartMixture: general methods on the coordinates of a mixture find the optimum that natural L-BFGS finds.
func TestChartMixture(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	x := draw(300, rng)
	for i := range x {
		x[i] += 3 * float64(i%3%2)
	}
	m := fitfixture.NewMixture(runtime.Data{Values: x}, 2)
	z, theta, want := make([]float64, 5), make([]float64, 6), make([]float64, 6)
	if err := m.Start(z, 0, nil); err != nil {
		t.Fatal(err)
	}
	m.Theta(theta, z)
	best, err := runtime.Minimize(context.Background(), m, z, &runtime.Settings{Method: runtime.NaturalLBFGS{}})
	if err != nil {
		t.Fatal(err)
	}
	m.Theta(want, best.Z)
	u, err := baseline.Charts(m, 0)
	if err != nil {
		t.Fatal(err)
	}
	start := make([]float64, u.Dim())
	u.FromTheta(start, theta)
	for _, method := range []string{"bfgs", "lbfgs", "cg"} {
		res, err := general.Run(context.Background(), u, start, method, nil)
		if err != nil {
			t.Errorf("%v: %v", method, err)
			continue
		}
		u.Theta(theta, res.Z)
		if !floats.EqualApprox(theta, want, 1e-5) {
			t.Errorf("%v: %v, want %v", method, theta, want)
		}
	}
	s := &runtime.Settings{Method: runtime.NaturalLBFGS{}}
	gd, err := runtime.Minimize(context.Background(), baseline.Euclidean(u), start, s)
	if err != nil {
		t.Fatal(err)
	}
	if u.Theta(theta, gd.Z); !floats.EqualApprox(theta, want, 1e-7) {
		t.Errorf("L-BFGS: %v, want %v", theta, want)
	}
	adam := &runtime.Stochastic{MaxSteps: 3000, Auxiliary: runtime.Adam{Rate: 0.01}}
	res, err := runtime.Descend(context.Background(), baseline.Euclidean(u), start, adam)
	if err != nil || res.Loss > best.Loss+1e-5 {
		t.Errorf("Adam: %v, %v above the best", err, res.Loss-best.Loss)
	}
}

// TestChartOutside: where a parameter is outside its domain, or W singular, there is no number.
func TestChartOutside(t *testing.T) {
	m := charted(2)["gaussian"]
	for _, r := range roots {
		u := chartOf(t, m, r)
		g := make([]float64, u.Dim())
		if f := u.Gradient(g, make([]float64, u.Dim())); !math.IsNaN(f) || !math.IsNaN(g[0]) {
			t.Errorf("%v: the loss at W = 0 is %v, the gradient %v", r, f, g)
		}
		u.FromTheta(g, []float64{0, 0, 1, 2, 2, 1})
		if !math.IsNaN(g[2]) {
			t.Errorf("%v: the coordinates of an indefinite matrix are %v", r, g)
		}
	}
}

func TestChartErrors(t *testing.T) {
	loss := sines(1, 1, 1)
	real := runtime.Parameter{Name: "x", Type: types.Number.Of(types.Real)}
	for _, c := range []struct {
		m     runtime.Model
		above []baseline.Above
		want  string
	}{
		{struct{ runtime.Model }{newShaped([]int{1}, loss, real)}, nil, "does not give its loss"},
		{newShaped([]int{0}, loss, vector("v", types.Vector.Of(types.Real), "d")), nil, "the length of the parameter v is not known"},
		{newShaped([]int{2}, loss, vector("x", types.Vector.Of(types.Count), "d")), nil, "of type count vector(d)"},
		{newShaped([]int{2}, loss, real), []baseline.Above{{Parameter: "x", Bound: 2}}, "x is above 2, but no positive"},
	} {
		if _, err := baseline.Charts(c.m, 0, c.above...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, not about %q", err, c.want)
		}
	}
}

// TestChartAllocations, at a size at which parallel products would allocate.
func TestChartAllocations(t *testing.T) {
	for _, r := range roots {
		for name, m := range charted(65) {
			u := chartOf(t, m, r)
			x := point(u, m, rand.New(rand.NewPCG(3, 4)))
			g, theta := make([]float64, u.Dim()), make([]float64, thetaLen(m))
			p := baseline.Euclidean(u)
			v := make([]float64, u.Dim())
			if n := testing.AllocsPerRun(2, func() {
				u.Loss(x)
				u.Gradient(g, x)
				u.Theta(theta, x)
				u.FromTheta(x, theta)
				p.Gradients(v, g, x)
				p.NaturalGradient(v, x)
				p.(runtime.Batcher).Batch(nil)
			}); n > 0 {
				t.Errorf("%s, %v: %v allocations", name, r, n)
			}
		}
	}
}

// TestChartFit: the optimum of the Gaussian is known.
func TestChartFit(t *testing.T) {
	const d = 3
	rng := rand.New(rand.NewPCG(7, 8))
	f := newGaussian(d, true, rng)
	m := newShaped([]int{d}, f.at, vector("mu", types.Vector.Of(types.Real), "d"), matrix("Sigma", types.SPD.Of(types.Real)))
	for _, r := range roots {
		u := chartOf(t, m, r)
		theta, x := []float64{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, make([]float64, u.Dim())
		u.FromTheta(x, theta)
		check := func(method string, res *runtime.Result, err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%v, %s: %v", r, method, err)
			}
			u.Theta(theta, res.Z)
			if !floats.EqualApprox(theta[:d], f.mean, 1e-8) || !floats.EqualApprox(theta[d:], f.cov, 1e-7) {
				t.Errorf("%v, %s, %v: theta is %v, not %v %v", r, method, res.Status, theta, f.mean, f.cov)
			}
		}
		for _, method := range []string{"bfgs", "lbfgs", "cg"} {
			res, err := general.Run(context.Background(), u, x, method, &runtime.Settings{GradientTolerance: 1e-9})
			check(method, res, err)
		}
		res, err := runtime.Minimize(context.Background(), baseline.Euclidean(u), x,
			&runtime.Settings{Method: runtime.NaturalLBFGS{}})
		check("nlbfgs", res, err)
	}
}

// TestChartViews: batches reach the model, blocks are named after the parameters, and v = c.
func TestChartViews(t *testing.T) {
	m := charted(2)["gaussian"]
	u := chartOf(t, m, baseline.CovarianceCholesky)
	p := baseline.Euclidean(u)
	p.(runtime.Batcher).Batch([]int{3, 1})
	if len(m.batch) != 2 {
		t.Errorf("the batch is %v", m.batch)
	}
	p.(runtime.Batcher).Batch(nil)
	rows, distinct, weight := p.(interface{ Counts() (int, int, float64) }).Counts()
	if rows != 7 || distinct != 6 || weight != 8 {
		t.Errorf("%d rows, %d distinct, weight %v", rows, distinct, weight)
	}
	blocks := p.Blocks()
	want := []runtime.Block{{Name: "mu", Len: 2, Auxiliary: true}, {Name: "Sigma", Offset: 2, Len: 3, Auxiliary: true}}
	if len(blocks) != 2 || blocks[0] != want[0] || blocks[1] != want[1] {
		t.Errorf("the blocks are %v", blocks)
	}
	x := point(u, m, rand.New(rand.NewPCG(1, 1)))
	v, c, g := make([]float64, 5), make([]float64, 5), make([]float64, 5)
	f := p.Gradients(v, c, x)
	if f != u.Gradient(g, x) || !floats.Equal(v, g) || !floats.Equal(c, g) {
		t.Errorf("v = %v, c = %v, the gradient is %v", v, c, g)
	}
	alone := struct {
		runtime.Model
		runtime.Objective
	}{m, m}
	u, err := baseline.Charts(alone, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := baseline.Euclidean(u).(runtime.Batcher); ok {
		t.Error("a view takes batches that its model does not")
	}
}

// TestChartDescends: the number of rows comes with the batches, so that nobody has to give it.
func TestChartDescends(t *testing.T) {
	m := charted(2)["gaussian"]
	u := chartOf(t, m, baseline.CovarianceRoot)
	x := point(u, m, rand.New(rand.NewPCG(1, 1)))
	longest := 0
	loss := m.loss
	m.loss = func(g, theta []float64) float64 {
		for _, i := range m.batch {
			longest = max(longest, i)
		}
		return loss(g, theta)
	}
	res, err := runtime.Descend(context.Background(), baseline.Euclidean(u), x, &runtime.Stochastic{Batch: 2, MaxEpochs: 4})
	if err != nil || res.GradientEvaluations != 14 || longest != 6 {
		t.Errorf("%v, %v, rows up to %d", res, err, longest)
	}
}

// noisyShaped has an objective with random numbers.
type noisyShaped struct {
	*shaped
	draws int
}

func (m *noisyShaped) Draw(*rand.Rand) { m.draws++ }

// unbatched hides that a model has minibatches.
type unbatched struct {
	runtime.Model
	runtime.Objective
	runtime.Noisy
}

// Adam on the chart of an estimate draws anew for every gradient, and of an objective without random numbers it does not.
func TestNoisyCharts(t *testing.T) {
	loss := func(g, theta []float64) float64 { g[0] = theta[0]; return theta[0] * theta[0] / 2 }
	noisy := &noisyShaped{shaped: newShaped(nil, loss, runtime.Parameter{Name: "mu", Type: types.Number.Of(types.Real)})}
	for name, m := range map[string]runtime.Model{"with batches": noisy, "without": unbatched{noisy, noisy, noisy}, "no noise": noisy.shaped} {
		u, err := baseline.Charts(m, baseline.CovarianceRoot)
		if err != nil {
			t.Fatal(err)
		}
		noisy.draws = 0
		p := baseline.Euclidean(u)
		_, draws := p.(runtime.Noisy)
		if _, err := runtime.Descend(t.Context(), p, []float64{1}, &runtime.Stochastic{MaxSteps: 5}); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{true: 5}[name != "no noise"]; noisy.draws != want || draws != (want > 0) {
			t.Errorf("%s: drew %d times", name, noisy.draws)
		}
		if _, ok := p.(runtime.Batcher); ok == (name == "without") {
			t.Errorf("%s: batches %v", name, ok)
		}
	}
}
