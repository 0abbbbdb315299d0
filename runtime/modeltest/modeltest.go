// Package modeltest tests generated models: the tests that sngdgen emits next to a package call it. Everything is
// checked against something independent: gradients against differences, one coordinate system against another, weights
// against repeated rows. Models with dimensions are tested at several lengths of them.
package modeltest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Run runs all tests on a model made by make, which has no data yet.
func Run(t *testing.T, make func() runtime.Model) { run(t, make, checks) }

// check is a test of a model whose dimensions have given lengths.
type check struct {
	name string
	run  func(t *testing.T, s subject)
}

var checks = []check{
	{"gradients", func(t *testing.T, s subject) { s.eachPoint(t, checkGradients) }},
	{"unconstrained", func(t *testing.T, s subject) { s.eachPoint(t, checkUnconstrained) }},
	{"theta", func(t *testing.T, s subject) { s.eachPoint(t, checkTheta) }},
	{"repeatable", checkRepeatable},
	{"weights", checkWeights},
	{"batches", checkBatches},
	{"domain", func(t *testing.T, s subject) { s.eachPoint(t, checkDomain) }},
	{"sizes", checkSizes},
	{"limits", func(t *testing.T, s subject) { s.eachLimit(t, checkLimit); checkLimitData(t, s) }},
	{"penalty", checkPenalty},
	{"support", checkSupport},
	{"mixture", func(t *testing.T, s subject) { s.eachPoint(t, checkMixture) }},
	{"allocations", checkAllocationsAtSizes},
}

// lengths are those of the dimensions, all alike, at which everything is tested: no length, a plane, more, and one that
// vector instructions and blocked loops treat in another way than short ones.
var lengths = []int{1, 2, 3, 8}

func run(t *testing.T, make func() runtime.Model, checks []check) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			if !lengthened(make().Info()) || c.name == "allocations" {
				c.run(t, subject{make: make})
				return
			}
			for _, n := range possible(make().Info(), lengths) {
				t.Run(fmt.Sprint(n), func(t *testing.T) { c.run(t, subject{make, n}) })
			}
		})
	}
}

// lengthened reports whether a model has dimensions, apart from that of the components.
func lengthened(info *runtime.Info) bool {
	return len(info.Dims) > 1 || len(info.Dims) == 1 && info.Components == ""
}

// possible are the lengths that dimensions can have: a simplex of one entry is the number 1, a direction 1 or -1.
func possible(info *runtime.Info, lengths []int) []int {
	if form := info.Variable.Type.Form; form.Has(types.SumsToOne) || form.Has(types.UnitLength) {
		return slices.DeleteFunc(slices.Clone(lengths), func(n int) bool { return n < 2 })
	}
	return lengths
}

// subject is a kind of model, with dimensions of one length.
type subject struct {
	make func() runtime.Model
	n    int
}

// model returns a model that knows its sizes and has no data.
func (s subject) model(t testing.TB) runtime.Model {
	t.Helper()
	m := s.make()
	if err := setComponents(m); err != nil {
		t.Fatal(err)
	}
	if lengthened(m.Info()) {
		if err := m.Resize(sizesOf(m, s.n)); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// sizesOf returns lengths of the dimensions of a model: n, but for the number of components.
func sizesOf(m runtime.Model, n int) []int {
	sizes := slices.Repeat([]int{n}, len(m.Info().Dims))
	if m.Info().Components != "" {
		sizes[len(sizes)-1] = components
	}
	return sizes
}

// with returns a model with data.
func (s subject) with(t testing.TB, d runtime.Data) runtime.Model {
	t.Helper()
	m := s.model(t)
	if err := m.SetData(d); err != nil {
		t.Fatal(err)
	}
	return m
}

// data draws rows for the model: enough for a covariance matrix.
func (s subject) data(t testing.TB, rows int, rng *rand.Rand) runtime.Data {
	return Rows(s.model(t), rows, rng)
}

// point is a model with data and a point inside its domain.
type point struct {
	runtime.Model
	z   []float64
	rng *rand.Rand
}

// Rows draws observations for a model that knows its sizes: from the target at default parameters, where parameters are
// vectors or matrices and the spec says how to draw from it, and otherwise entries of the type of those of the
// variable: overdispersed counts, skewed positive numbers, heavy-tailed real ones. For mixtures the observations are
// further apart, and those of numbers never from the target, which at default parameters has one component only.
func Rows(m runtime.Model, n int, rng *rand.Rand) runtime.Data {
	if s, ok := m.(runtime.Sampler); ok && shaped(m) && !(m.Info().Mixture && m.Info().Variable.Shape == nil) {
		theta, width := defaults(m), m.Info().RowLen(m)
		d := runtime.Data{Values: make([]float64, n*width), Columns: width}
		err := support.DrawInside(d.Values, m, func(rows []float64) {
			support.DrawGiven(rows, m, rng)
			s.Sample(rows, theta, rng)
		})
		if err == nil && m.Clone().SetData(d) == nil { // default parameters may be outside the domain
			return d
		}
	}
	return noise(m, n, rng)
}

// Observations draws n observations of the type of a variable that is a number: overdispersed counts, skewed positive
// numbers, heavy-tailed real ones.
func Observations(info *runtime.Info, n int, rng *rand.Rand) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = info.Variable.Type.Entry.Random(rng)
	}
	return x
}

// shaped reports whether parameters are vectors or matrices.
func shaped(m runtime.Model) bool {
	return slices.ContainsFunc(m.Info().Parameters, func(p runtime.Parameter) bool { return p.Shape != nil })
}

// defaults returns default parameters.
func defaults(m runtime.Model) []float64 {
	theta := make([]float64, thetaLen(m))
	eachParameter(m, func(p *runtime.Parameter, at, n int) {
		p.Default(theta[at:at+n], m)
		if !p.Known {
			separate(m, p, theta[at:at+n])
		}
	})
	return theta
}

// eachParameter calls f with every parameter, its place in theta and its length.
func eachParameter(m runtime.Model, f func(p *runtime.Parameter, at, n int)) {
	at := 0
	for i := range m.Info().Parameters {
		p := &m.Info().Parameters[i]
		n := p.Len(m)
		f(p, at, n)
		at += n
	}
}

func thetaLen(m runtime.Model) int {
	end := 0
	eachParameter(m, func(_ *runtime.Parameter, at, n int) { end = at + n })
	return end
}

// eachPoint runs a check at the starting points of the model and near them.
func (s subject) eachPoint(t *testing.T, check func(*testing.T, point)) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := s.with(t, s.data(t, 200, rng))
	found, reasons := 0, []error(nil)
	for i := range startsOf(m) {
		z := newVector(m)
		if err := m.Start(z, i, rng); err != nil {
			reasons = append(reasons, fmt.Errorf("start %d: %w", i+1, err))
			continue
		}
		found++
		p := point{m, z, rng}
		d, err := p.direction()
		if err != nil {
			t.Error(err)
			continue
		}
		p.z = along(z, d, 1) // a start may be a stationary point, where there is nothing to compare
		if loss := p.Loss(p.z); !(math.Abs(loss) <= math.MaxFloat64) {
			t.Errorf("at %v, next to start %d, the loss is %v, but no condition is violated: %s", p.z, i+1, loss, undefined)
			continue
		}
		check(t, p)
	}
	if found == 0 {
		noStart(t, m, reasons)
	}
}

// undefined says what a spec lacks where its objective has no value.
const undefined = "a formula is not defined there, or overflows; a condition under where is missing"

// startsOf is the number of starts that are tried.
func startsOf(m runtime.Model) int {
	if m.Info().RandomStart {
		return m.Info().Starts + 5
	}
	return m.Info().Starts
}

// noStart ends a test of a model of which no start lies inside the domain. Where the spec does not say how its target is
// drawn from, that may be the fault of the data, which are made up, and not of the model.
func noStart(t testing.TB, m runtime.Model, reasons []error) {
	t.Helper()
	if _, ok := m.(runtime.Sampler); !ok {
		t.Skipf("not tested: no start lies inside the domain on data that are made up, since the target has no sample to draw "+
			"others from; add one to the spec: %v", errors.Join(reasons...))
	}
	t.Fatalf("no start lies inside the domain: %v", errors.Join(reasons...))
}

func newVector(m runtime.Model) []float64 {
	n := 0
	for _, b := range m.Blocks() {
		n += b.Len
	}
	return make([]float64, n)
}

// derivative is the central difference of f at 0 with one step of Richardson extrapolation: error of order h^4.
func derivative(f func(float64) float64, h float64) float64 {
	d := func(h float64) float64 { return (f(h) - f(-h)) / (2 * h) }
	return (4*d(h/2) - d(h)) / 3
}

// derivatives is derivative of n functions at once.
func derivatives(n int, f func(dst []float64, h float64), h float64) []float64 {
	up, down := make([]float64, n), make([]float64, n)
	d := func(h float64) []float64 {
		f(up, h)
		f(down, -h)
		out := make([]float64, n)
		for i := range out {
			out[i] = (up[i] - down[i]) / (2 * h)
		}
		return out
	}
	fine, coarse := d(h/2), d(h)
	for i := range fine {
		fine[i] = (4*fine[i] - coarse[i]) / 3
	}
	return fine
}

// along returns z + h*d.
func along(z, d []float64, h float64) []float64 {
	out := slices.Clone(z)
	for i := range out {
		out[i] += h * d[i]
	}
	return out
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// floor is what a gradient is compared with where it vanishes identically: rounding errors of a loss of that size.
func floor(f float64) float64 { return 1e-7 * (1 + math.Abs(f)) }

// terms is the size of what a loss is the sum of, 1 or more, to which its rounding errors are in proportion: of a posterior the mean of the
// absolute values of the bound at single draws, which may cancel.
func (p point) terms() float64 {
	m, ok := p.Model.(runtime.Variational)
	if !ok || m.Draws() == 0 {
		return 1
	}
	weights, sum := make([]float64, m.Draws()), 0.0
	m.Weights(weights, p.z)
	for _, w := range weights {
		sum += math.Abs(w)
	}
	return math.Max(1, sum/float64(len(weights)))
}

// close reports whether a and b agree to a tolerance relative to scale.
func close(a, b, scale, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*math.Max(scale, math.Max(math.Abs(a), math.Abs(b)))
}

// ridders is derivative with smaller and smaller steps and as many extrapolations as help: where f changes fast no step is
// right in advance. It returns an estimate of the error too (Ridders, Accurate computation of F'(x) and F'(x) F”(x),
// Advances in Engineering Software 4, 1982), which is not below what rounding of f makes of a difference: two of them may agree by chance.
func ridders(f func(float64) float64, h float64) (best, off float64) {
	best, off = math.NaN(), math.Inf(1)
	noise := rounding(f, h)
	var last []float64
	for range 14 {
		row, power := []float64{(f(h) - f(-h)) / (2 * h)}, 4.0
		for i, old := range last[:min(6, len(last))] {
			row = append(row, (power*row[i]-old)/(power-1))
			power *= 4
			if e := max(math.Abs(row[i+1]-row[i]), math.Abs(row[i+1]-old), noise/h); e < off {
				best, off = row[i+1], e
			}
		}
		last, h = row, h/2
	}
	return best, off
}

// rounding is the size of the rounding errors of f about 0: what third differences over steps far shorter than h leave of it, in which errors of
// size 1 have the deviation sqrt(20), and at least half the last digit. It is large where matrices are nearly singular.
func rounding(f func(float64) float64, h float64) float64 {
	var values [12]float64
	for i := range values {
		values[i] = f(1e-6 * h * float64(i-len(values)/2))
	}
	sum := 0.0
	for i := range len(values) - 3 {
		third := values[i+3] - 3*values[i+2] + 3*values[i+1] - values[i]
		sum += third * third
	}
	return math.Max(math.Sqrt(sum/float64(len(values)-3)/20), math.Abs(values[0])*0x1p-53)
}

// noise is the size of the rounding errors of the loss, NaN where there is no direction to go in.
func (p point) noise() float64 {
	d, err := p.direction()
	if err != nil {
		return math.NaN()
	}
	return rounding(func(h float64) float64 { return p.Loss(along(p.z, d, h)) }, 1)
}

// derives reports whether got is the derivative of f at 0, and which it is by differences. What does not agree at once is
// compared again with smaller steps, and the errors of these; of a function with many bends, as of a sequence that is chaotic, with
// differences between two of them.
func derives(got float64, f func(float64) float64, h, scale, tolerance float64) (want float64, ok bool) {
	want = derivative(f, h)
	if close(got, want, scale, tolerance) {
		return want, true
	}
	want, off := ridders(f, h)
	ok = close(got, want, scale, tolerance) || math.Abs(got-want) <= 10*off || agrees(got, f, h, scale, tolerance)
	return want, ok
}

// inARow is how many differences in a row, each over half the step of the one before, have to agree with a derivative.
const inARow = 4

// agrees reports whether differences over shorter and shorter steps come to a derivative, as long as rounding leaves them digits to say it.
func agrees(got float64, f func(float64) float64, h, scale, tolerance float64) bool {
	agree, noise := 0, rounding(f, h)
	for noise <= h*tolerance*math.Max(scale, math.Abs(got)) {
		if agree++; !close(got, (f(h)-f(-h))/(2*h), scale, tolerance) {
			agree = 0
		}
		if agree == inARow {
			return true
		}
		h /= 2
	}
	return false
}

// direction is a random direction that keeps z inside the domain for steps up to its length. There may be none: the error
// then says at which point.
func (p point) direction() ([]float64, error) {
	d := make([]float64, len(p.z))
	for i := range d {
		d[i] = p.rng.NormFloat64() * (1e-3 + 1e-2*math.Abs(p.z[i]))
	}
	Symmetrise(p, d)
	for range mostShrinks {
		if p.Violation(along(p.z, d, 1)) < 0 && p.Violation(along(p.z, d, -1)) < 0 {
			return d, nil
		}
		for i := range d {
			d[i] /= 4
		}
	}
	return nil, fmt.Errorf("%v is not in the interior of the domain: no step from it is, however short", p.z)
}

// mostShrinks is how often a direction is made shorter by a factor of 4, to 1e-12 of its length.
const mostShrinks = 20

// Symmetrise makes the symmetric blocks of coordinates symmetric: both entries of a pair change alike, as in all that a
// method ever does to them; and triangular blocks triangular. Blocks of a mixture have a matrix for each component.
func Symmetrise(m runtime.Model, x []float64) {
	for _, b := range m.Blocks() {
		copies, n := b.Parts()
		for c := range copies {
			switch part := x[b.Offset+c*n : b.Offset+(c+1)*n]; {
			case b.Symmetric:
				symmetriseMatrix(part)
			case b.Lower:
				d := int(math.Round(math.Sqrt(float64(n))))
				types.Lower.Tangent(part, d)
				for i := 0; b.Strict && i < n; i += d + 1 {
					part[i] = 0
				}
			}
		}
	}
}

// symmetriseMatrix copies the entries below the diagonal above it.
func symmetriseMatrix(a []float64) {
	d := int(math.Round(math.Sqrt(float64(len(a)))))
	for i := range d {
		for j := range i {
			a[j*d+i] = a[i*d+j]
		}
	}
}

// checkSymmetric checks that the gradients of symmetric blocks are symmetric.
func checkSymmetric(t *testing.T, m runtime.Model, what string, x []float64) {
	t.Helper()
	y := slices.Clone(x)
	Symmetrise(m, y)
	size := math.Sqrt(dot(x, x))
	for i := range x {
		if !close(x[i], y[i], 1e-3*size, 1e-12) {
			t.Errorf("%s is not symmetric: entry %d is %v, its mirror image %v", what, i, x[i], y[i])
			return
		}
	}
}

func checkGradients(t *testing.T, p point) {
	v, c, only := newVector(p), newVector(p), newVector(p)
	f := p.Gradients(v, c, p.z)
	p.NaturalGradient(only, p.z)
	if loss := p.Loss(p.z); !close(f, loss, p.terms(), 1e-14) && !(math.Abs(f-loss) <= 10*p.noise()) {
		t.Errorf("Gradients returns the loss %v, Loss %v", f, loss)
	}
	p.checkOnly(t, f, v, c, only)
	checkSymmetric(t, p, "c", c)
	checkSymmetric(t, p, "v", v)
	p.checkMetric(t, v, c)
	if p.Info().Path {
		checkPath(t, p)
	}
	for range 4 {
		d, err := p.direction()
		if err != nil {
			t.Error(err)
			return
		}
		if p.Info().Path {
			p.checkNatural(t, f, v, c, d)
			continue
		}
		scale, got := floor(f)+1e-3*math.Sqrt(dot(c, c)*dot(d, d)), dot(c, d)
		if want, ok := derives(got, func(h float64) float64 { return p.Loss(along(p.z, d, h)) }, 1e-2, scale, 1e-5); !ok {
			t.Errorf("at %v: c.d = %v, by differences %v", p.z, got, want)
		}
		p.checkNatural(t, f, v, c, d)
	}
}

// checkOnly compares NaturalGradient with Gradients: the natural gradient of the surrogate's blocks, the ordinary one of
// auxiliary parameters.
func (p point) checkOnly(t *testing.T, f float64, v, c, only []float64) {
	t.Helper()
	tolerance := 1e-12
	if p.Info().Mixture { // responsibilities are exponentials of differences of logarithms, whose errors are absolute
		tolerance = 1e-10
	}
	for _, b := range p.Blocks() {
		want, what := v, "v"
		if b.Auxiliary {
			want, what = c, "c"
		}
		z := p.z[b.Offset : b.Offset+b.Len]
		// A gradient that vanishes is a difference of coordinates, and of derivatives of terms of the loss.
		size := math.Max(1e-9, 1e-3*math.Max(math.Sqrt(dot(z, z)), math.Abs(f)))
		if b.Len > 1 { // an entry may be the difference of larger ones
			size = math.Max(size, 1e-2*math.Sqrt(dot(want[b.Offset:b.Offset+b.Len], want[b.Offset:b.Offset+b.Len])))
		}
		for i := b.Offset; i < b.Offset+b.Len; i++ {
			if !close(want[i], only[i], size, tolerance) {
				t.Errorf("entry %d of %s is %s[%d] = %v by Gradients, %v by NaturalGradient", i-b.Offset, b.Name, what, i, want[i], only[i])
				return
			}
		}
	}
}

// leastGradient is the size of a gradient that is all rounding errors, as that of the copula of one variable, which is 1.
const leastGradient = 1e-13

// checkMetric: of the metric of auxiliary parameters it is known only that it is positive definite.
func (p point) checkMetric(t *testing.T, v, c []float64) {
	t.Helper()
	for _, b := range p.Blocks() {
		if cb, vb := c[b.Offset:b.Offset+b.Len], v[b.Offset:b.Offset+b.Len]; b.Auxiliary && !(dot(cb, vb) > 0) && dot(cb, cb) > leastGradient*leastGradient {
			t.Errorf("c.v of %s is %v: its metric is not positive definite", b.Name, dot(cb, vb))
		}
	}
}

// checkNatural uses df = c.dz = v.d(dual) along a change of the surrogate's coordinates: no inverse map is needed.
func (p point) checkNatural(t *testing.T, f float64, v, c, d []float64) {
	dual, ok := p.Model.(runtime.Dual)
	if !ok {
		return
	}
	for _, b := range p.Blocks() {
		if b.Auxiliary {
			clear(d[b.Offset : b.Offset+b.Len])
		}
	}
	change := derivatives(len(v), func(out []float64, h float64) { dual.Dual(out, along(p.z, d, h)) }, 1e-2)
	for _, b := range p.Blocks() {
		if b.Auxiliary {
			clear(change[b.Offset : b.Offset+b.Len])
		}
	}
	scale := floor(f) + 1e-3*math.Sqrt(dot(v, v)*dot(change, change))
	a, b := dot(c, d), dot(v, change)
	if close(a, b, scale, 1e-5) {
		return
	}
	out := newVector(p)
	moved := func(h float64) float64 {
		dual.Dual(out, along(p.z, d, h))
		for _, b := range p.Blocks() {
			if b.Auxiliary {
				clear(out[b.Offset : b.Offset+b.Len])
			}
		}
		return dot(v, out)
	}
	if b, ok := derives(a, moved, 1e-2, scale, 1e-5); !ok {
		t.Errorf("at %v: c.dz = %v, but v.d(dual) = %v", p.z, a, b)
	}
}

func checkUnconstrained(t *testing.T, p point) {
	m := p.Unconstrained()
	if m == nil {
		if _, ok := p.Model.(runtime.Objective); !ok {
			t.Error("no unconstrained coordinates, and no gradient with respect to the parameters either")
		}
		return
	}
	k := m.Dim()
	theta := make([]float64, len(p.Info().Parameters))
	u, g, h := make([]float64, k), make([]float64, k), make([]float64, k*k)
	p.Theta(theta, p.z)
	m.FromTheta(u, theta)
	back := slices.Clone(theta)
	m.Theta(back, u)
	for i := range theta {
		if !close(back[i], theta[i], 0, 1e-12) {
			t.Errorf("parameter %d is %v, and %v after a round trip", i, theta[i], back[i])
		}
	}
	if a, b := p.Loss(p.z), m.Gradient(g, u); !close(a, b, 1, 1e-10) || !close(b, m.Loss(u), 1, 1e-14) {
		t.Errorf("loss %v in the coordinates of the surrogate, %v in unconstrained ones", a, b)
	}
	m.Hessian(h, u)
	trial := make([]float64, k)
	for i := range u {
		unit := make([]float64, k)
		unit[i] = 1
		loss := func(e float64) float64 { return m.Loss(along(u, unit, e)) }
		if want, ok := derives(g[i], loss, 1e-3, 1e-3*math.Sqrt(dot(g, g))+1e-6, 1e-5); !ok {
			t.Errorf("at %v: gradient %d is %v, by differences %v", u, i, g[i], want)
		}
		for j := range u {
			slope := func(e float64) float64 { m.Gradient(trial, along(u, unit, e)); return trial[j] }
			want, ok := derives(h[i*k+j], slope, 1e-3, 1e-3*math.Sqrt(dot(h, h))+1e-6, 1e-5)
			if p.Info().Hessian && !ok {
				t.Errorf("at %v: Hessian %d,%d is %v, by differences %v", u, i, j, h[i*k+j], want)
			}
		}
	}
}
