package oracle_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/modeltest"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// problem is one of the library, as derived and as generated, at a size.
type problem struct {
	d   *derive.Result
	new func() runtime.Model
	size
}

// size is the length of the dimensions, where there are any, and the number of components of a mixture.
type size struct{ length, components int }

func (s size) String() string {
	if s.components == 0 {
		return fmt.Sprint(s.length)
	}
	return fmt.Sprintf("%d,%d", s.length, s.components)
}

// sizesOf are those at which a problem is tested: those of a mixture of vectors are some of the combinations, as there
// is nothing in one loop that depends on the length of the other.
func sizesOf(b *bind.Problem) []size {
	var out []size
	switch {
	case b.Mixture == nil:
		for _, n := range lengthsOf(b.Target.Variable) {
			out = append(out, size{length: n})
		}
	case b.Target.Variable.Sym.Type.Rank == 0:
		out = []size{{1, 1}, {1, 2}, {1, 3}, {1, 5}}
	default:
		out = []size{{1, 2}, {2, 1}, {2, 5}, {3, 3}, {8, 2}}
	}
	return out
}

// Kinds of problems that a test may be about: all; parameters that are numbers, or are not, as those of mixtures;
// mixtures; observations in a vector space.
func every(*derive.Result) bool     { return true }
func scalar(d *derive.Result) bool  { return d.Problem.Scalar() }
func shaped(d *derive.Result) bool  { return !d.Problem.Scalar() }
func mixture(d *derive.Result) bool { return d.Problem.Mixture != nil }
func inSpace(d *derive.Result) bool {
	v := d.Problem.Target.Variable
	return v.Sym.Type.Rank <= 1 && v.Kind.Range == expr.Real
}

// known is what was derived for problems of the library: it takes longer than most tests of it.
var known = map[string]*derive.Result{}

// eachProblem runs a test for every problem of the library of a kind that is compiled in.
func eachProblem(t *testing.T, kind func(*derive.Result) bool, test func(t *testing.T, p problem)) {
	lib, found := spec.Library(), 0
	if !slices.Equal(lib.Compiled(), generated.Names()) {
		t.Fatalf("the library has the problems %v with packages, generated/ has %v", lib.Compiled(), generated.Names())
	}
	for _, name := range lib.Compiled() {
		if lib.Problem(name).Objective != spec.ObjectiveMLE {
			continue
		}
		d := known[name]
		if d == nil {
			d = derived(t, lib.Problem(name))
			known[name] = d
		}
		if !kind(d) {
			continue
		}
		found++
		newModel, _ := generated.Lookup(name)
		t.Run(name, func(t *testing.T) { test(t, problem{d: d, new: newModel}) })
	}
	if found == 0 {
		t.Error("the library has no such problem")
	}
}

// eachSize runs a test for every problem of the library of a kind, at several sizes.
func eachSize(t *testing.T, kind func(*derive.Result) bool, test func(t *testing.T, p problem)) {
	eachProblem(t, kind, func(t *testing.T, p problem) { p.at(t, sizesOf(p.d.Problem), test) })
}

// at runs a test for a problem at sizes.
func (p problem) at(t *testing.T, sizes []size, test func(t *testing.T, p problem)) {
	for _, s := range sizes {
		p.size = s
		t.Run(s.String(), func(t *testing.T) { test(t, p) })
	}
}

// random is a generator of random numbers for a test at a size.
func (p problem) random(test uint64) *rand.Rand {
	return rand.New(rand.NewPCG(test, uint64(p.length+1000*p.components)))
}

// sized returns a model without data; its dimensions, where it has any, are of one length.
func (p problem) sized(t *testing.T) runtime.Model {
	t.Helper()
	m := p.new()
	sizes := slices.Repeat([]int{p.length}, len(m.Info().Dims))
	if m.Info().Components != "" {
		sizes[len(sizes)-1] = p.components
	}
	if len(sizes) > 0 {
		if err := m.Resize(sizes); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// on returns a model with data.
func (p problem) on(t *testing.T, x runtime.Data) runtime.Model {
	t.Helper()
	m := p.new()
	if m.Info().Components != "" {
		if err := m.(runtime.Mixture).SetComponents(p.components); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.SetData(x); err != nil {
		t.Fatal(err)
	}
	return m
}

// environment gives the interpreter the lengths of the dimensions and the data with the constants taken from them.
func (p problem) environment(t *testing.T, m runtime.Model, x runtime.Data) *eval.Env {
	t.Helper()
	env := eval.Scalars(nil)
	for i, name := range m.Info().Dims {
		env.Set(name, float64(m.Sizes()[i]))
	}
	if p.d.Problem.Mixture != nil {
		number(env, p.d.Problem, m.(runtime.Mixture).Components())
	}
	if err := p.d.Problem.BindData(env, x.Values, x.Weights); err != nil {
		t.Fatal(err)
	}
	return env
}

// number gives the interpreter the number of components of a mixture, and which of them each is.
func number(env *eval.Env, b *bind.Problem, k int) {
	env.Symbols["size.k"] = eval.Value{Scalar: float64(k)}
	index, last := make([]float64, k), make([]float64, k)
	for c := range index {
		index[c] = float64(c)
	}
	last[k-1] = 1
	give(env, b.Mixture.Index, index)
	give(env, b.Mixture.Last, last)
}

// weighted draws rows for a model, with weights of which some are 0 and most are not whole. Binary vectors are of one
// category, or of none.
func weighted(m runtime.Model, n int, rng *rand.Rand) runtime.Data {
	x := modeltest.Rows(m, n, rng)
	if v := m.Info().Variable; v.Type == types.Vector.Of(types.Binary) {
		categories(x.Values, x.Columns, rng)
	}
	x.Weights = weights(n, rng)
	return x
}

// categories puts at most one 1 in a row.
func categories(x []float64, columns int, rng *rand.Rand) {
	clear(x)
	for ; len(x) > 0; x = x[columns:] {
		if category := rng.IntN(columns + 1); category < columns {
			x[category] = 1
		}
	}
}

func weights(n int, rng *rand.Rand) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = float64(rng.IntN(4)) * rng.Float64()
	}
	return w
}

// trial is a problem with data and a point of its domain, as generated and as interpreted.
type trial struct {
	*testing.T
	problem
	m   runtime.Model
	env *eval.Env
	x   runtime.Data
	z   []float64
}

// How closely generated code and the interpreter must agree, relative to the largest entry of what is compared: both
// round, in different orders, and the root of an inverse map is known to a few ulp of its equation only. Of linear
// algebra one goes by Cholesky factors, the other by the LU decomposition of what the formula says.
const (
	sameNumbers = 1e-11
	sameTensors = 1e-10
)

// eachPoint runs a check for every problem of the library of a kind: on several data sets, or at several lengths of the
// dimensions, at points around all starts and around random ones.
func eachPoint(t *testing.T, kind func(*derive.Result) bool, check func(trial)) {
	eachProblem(t, kind, func(t *testing.T, p problem) {
		for i, s := range sizesOf(p.d.Problem) {
			p.size = s
			t.Run(s.String(), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(23, uint64(i)))
				x := weighted(p.sized(t), 150, rng)
				m := p.on(t, x)
				for i := range m.Info().Starts + 3 {
					at := trial{t, p, m, p.environment(t, m, x), x, off(m, start(t, m, i, rng), rng)}
					at.place()
					check(at)
				}
			})
		}
	})
}

// start is a start of a model. Those that are formulas of the data need no generator of random numbers.
func start(t *testing.T, m runtime.Model, i int, rng *rand.Rand) []float64 {
	t.Helper()
	z := newPoint(m)
	if i < m.Info().Starts {
		rng = nil
	}
	if err := m.Start(z, i, rng); err != nil {
		t.Fatalf("start %d: %v", i, err)
	}
	return z
}

func newPoint(m runtime.Model) []float64 {
	last := m.Blocks()[len(m.Blocks())-1]
	return make([]float64, last.Offset+last.Len)
}

// off moves a point by up to some ten percent inside the domain, symmetric matrices symmetrically. The components of a
// mixture keep a good part of their weights: in natural coordinates they depend on all others exponentially.
func off(m runtime.Model, z []float64, rng *rand.Rand) []float64 {
	for size := 0.1; ; size /= 2 {
		out := moved(z, direction(m, z, rng), size)
		if m.Violation(out) < 0 && leastWeight(m, out) > leastWeight(m, z)/10 {
			return out
		}
	}
}

// leastWeight is the least weight of a component of a mixture, 1 for other models.
func leastWeight(m runtime.Model, z []float64) float64 {
	mix, ok := m.(runtime.Mixture)
	if !ok {
		return 1
	}
	return slices.Min(thetaAt(m, z)[:mix.Components()])
}

// thetaAt is what a model says the parameters of the target are.
func thetaAt(m runtime.Model, z []float64) []float64 {
	n := 0
	for _, q := range m.Info().Parameters {
		n += q.Len(m)
	}
	out := make([]float64, n)
	m.Theta(out, z)
	return out
}

// direction is a random change of the size of the entries of z, symmetric where a block is.
func direction(m runtime.Model, z []float64, rng *rand.Rand) []float64 {
	d := make([]float64, len(z))
	for i := range d {
		d[i] = rng.NormFloat64() * max(0.1, math.Abs(z[i]))
	}
	for _, b := range m.Blocks() {
		if !b.Symmetric {
			continue
		}
		for _, a := range parts(d, b) {
			k := side(len(a))
			for i := range k {
				for j := range i {
					a[i*k+j] = a[j*k+i]
				}
			}
		}
	}
	return d
}

// parts are the numbers, vectors or matrices of a block.
func parts(x []float64, b runtime.Block) [][]float64 {
	_, length := b.Parts()
	return slices.Collect(slices.Chunk(x[b.Offset:b.Offset+b.Len], length))
}

// moved is z + h*u.
func moved(z, u []float64, h float64) []float64 {
	out := slices.Clone(z)
	for i := range out {
		out[i] += h * u[i]
	}
	return out
}

// place gives the interpreter the coordinates and then, by the definitions, the standard parameters.
func (p trial) place() {
	p.Helper()
	for i, c := range p.d.Surrogate.Coords {
		b := p.m.Blocks()[i]
		p.coordinate(c, c.Sym, p.z[b.Offset:b.Offset+b.Len])
	}
	define(p.T, p.env, p.d.Surrogate.Defs)
}

// coordinate gives the symbol of a coordinate a value. Of one that is free, which the last component does not have,
// that of the last one is 0.
func (p trial) coordinate(c derive.Coord, sym *expr.Node, x []float64) {
	if c.Free {
		x = append(slices.Clone(x), 0)
	}
	give(p.env, sym, x)
}

func (p trial) interpret(nodes ...*expr.Node) []float64 {
	p.Helper()
	return numbers(p.T, p.env, nodes...)
}

// equal compares numbers with what the interpreter makes of the nodes.
func (p trial) equal(what string, got []float64, of ...*expr.Node) {
	p.Helper()
	want := make([][]float64, len(of))
	for i, n := range of {
		want[i] = p.interpret(n)
	}
	p.agree(what, got, want)
}

// equalCoords compares what is laid out like the coordinates with what the interpreter makes of the nodes.
func (p trial) equalCoords(what string, got []float64, of ...*expr.Node) {
	p.Helper()
	p.agree(what, got, p.coords(of))
}

// coords are the values of nodes in the places of the coordinates.
func (p trial) coords(of []*expr.Node) [][]float64 {
	p.Helper()
	out := make([][]float64, len(of))
	for i, c := range p.d.Surrogate.Coords {
		if out[i] = laid(p.T, p.env, c.Sym, of[i]); c.Free {
			out[i] = out[i][:len(out[i])-1]
		}
	}
	return out
}

// equalTheta compares what is laid out like theta with what the interpreter makes of the nodes.
func (p trial) equalTheta(what string, got []float64, of ...*expr.Node) {
	p.Helper()
	want := make([][]float64, len(of))
	for i, t := range p.d.Surrogate.Theta {
		want[i] = laid(p.T, p.env, t.Sym, of[i])
	}
	p.agree(what, got, want)
}

// agree compares numbers with parts, one after the other. Blocks of numbers are compared together, vectors and matrices
// each by itself.
func (p trial) agree(what string, got []float64, want [][]float64) {
	p.Helper()
	if scalar(p.d) {
		agree(p.T, what, got, slices.Concat(want...), 0, sameNumbers)
		return
	}
	at := 0
	for k, want := range want {
		// A copula of one entry has a loss of 0, the difference of numbers like 1.
		agree(p.T, fmt.Sprintf("%s, part %d", what, k), got[at:at+len(want)], want, 1e-3, sameTensors)
		at += len(want)
	}
	if at != len(got) {
		p.Errorf("%s: %d numbers, %d interpreted", what, len(got), at)
	}
}

// answers is what a model says at a point.
type answers struct{ loss, gradients, v, c, only, dual []float64 }

func answersAt(m runtime.Model, z []float64) answers {
	a := answers{v: newPoint(m), c: newPoint(m), only: newPoint(m), dual: newPoint(m)}
	a.gradients = []float64{m.Gradients(a.v, a.c, z)}
	m.NaturalGradient(a.only, z)
	a.loss = []float64{m.Loss(z)}
	m.(runtime.Dual).Dual(a.dual, z)
	return a
}

func (a answers) equal(b answers) bool {
	return slices.Equal(a.loss, b.loss) && slices.Equal(a.gradients, b.gradients) && slices.Equal(a.v, b.v) &&
		slices.Equal(a.c, b.c) && slices.Equal(a.only, b.only) && slices.Equal(a.dual, b.dual)
}

// own is the number of coordinates of the surrogate.
func own(m runtime.Model) int {
	n := 0
	for _, b := range m.Blocks() {
		if !b.Auxiliary {
			n += b.Len
		}
	}
	return n
}
