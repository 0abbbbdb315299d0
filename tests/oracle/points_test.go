package oracle_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/modeltest"
	"github.com/sngdgen/sngdgen/spec"
)

// problem is one of the library, as derived and as generated.
type problem struct {
	d   *derive.Result
	new func() runtime.Model
}

// Kinds of problems that a test may be about: all; parameters that are numbers, or are not; observations in a vector
// space.
func every(*derive.Result) bool    { return true }
func scalar(d *derive.Result) bool { return d.Problem.Scalar() }
func shaped(d *derive.Result) bool { return !d.Problem.Scalar() }
func inSpace(d *derive.Result) bool {
	v := d.Problem.Target.Variable
	return v.Sym.Type.Rank == 1 && v.Kind.Range == expr.Real
}

// known is what was derived for problems of the library: it takes longer than most tests of it.
var known = map[string]*derive.Result{}

// eachProblem runs a test for every problem of the library of a kind.
func eachProblem(t *testing.T, kind func(*derive.Result) bool, test func(t *testing.T, p problem)) {
	lib, found := spec.Library(), 0
	if !slices.Equal(lib.Problems(), generated.Names()) {
		t.Fatalf("the library has the problems %v, generated/ has %v", lib.Problems(), generated.Names())
	}
	for _, name := range lib.Problems() {
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
		t.Run(name, func(t *testing.T) { test(t, problem{d, newModel}) })
	}
	if found == 0 {
		t.Error("the library has no such problem")
	}
}

// sized returns a model without data; its dimensions, where it has any, are of one length.
func (p problem) sized(t *testing.T, length int) runtime.Model {
	t.Helper()
	m := p.new()
	if dims := m.Info().Dims; len(dims) > 0 {
		if err := m.Resize(slices.Repeat([]int{length}, len(dims))); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// on returns a model with data.
func (p problem) on(t *testing.T, x runtime.Data) runtime.Model {
	t.Helper()
	m := p.new()
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
	if err := p.d.Problem.BindData(env, x.Values, x.Weights); err != nil {
		t.Fatal(err)
	}
	return env
}

// weighted draws rows for a model, with weights of which some are 0 and most are not whole. Binary vectors are of one
// category, or of none.
func weighted(m runtime.Model, n int, rng *rand.Rand) runtime.Data {
	x := modeltest.Rows(m, n, rng)
	if v := m.Info().Variable; v.Entries() == "binary" && v.Shape != nil {
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
		for i, length := range lengthsOf(p.d.Problem.Target.Variable) { // of dimensions, where there are any
			t.Run(fmt.Sprint(length), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(23, uint64(i)))
				x := weighted(p.sized(t, length), 150, rng)
				m := p.on(t, x)
				for i := range m.Info().Starts + 3 {
					z := newPoint(m)
					if err := m.Start(z, i, rng); err != nil {
						t.Fatalf("start %d: %v", i, err)
					}
					at := trial{t, p, m, p.environment(t, m, x), off(m, z, rng)}
					at.place()
					check(at)
				}
			})
		}
	})
}

func newPoint(m runtime.Model) []float64 {
	last := m.Blocks()[len(m.Blocks())-1]
	return make([]float64, last.Offset+last.Len)
}

// off moves a point by up to some ten percent inside the domain, symmetric matrices symmetrically.
func off(m runtime.Model, z []float64, rng *rand.Rand) []float64 {
	for size := 0.1; ; size /= 2 {
		if out := moved(z, direction(m, z, rng), size); m.Violation(out) < 0 {
			return out
		}
	}
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
		a, k := d[b.Offset:b.Offset+b.Len], side(b.Len)
		for i := range k {
			for j := range i {
				a[i*k+j] = a[j*k+i]
			}
		}
	}
	return d
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
		give(p.env, c.Sym, p.z[b.Offset:b.Offset+b.Len])
	}
	define(p.T, p.env, p.d.Surrogate.Defs)
}

func (p trial) interpret(nodes ...*expr.Node) []float64 {
	p.Helper()
	return numbers(p.T, p.env, nodes...)
}

// equal compares what is laid out like the coordinates or like theta with what the interpreter makes of the nodes.
// Blocks of numbers are compared together, vectors and matrices each by itself.
func (p trial) equal(what string, got []float64, of ...*expr.Node) {
	p.Helper()
	if scalar(p.d) {
		agree(p.T, what, got, p.interpret(of...), 0, sameNumbers)
		return
	}
	at := 0
	for k, n := range of {
		want := p.interpret(n)
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
