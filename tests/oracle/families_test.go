package oracle_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/modeltest"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// bySelf is the problem of fitting a family of the library by itself: target, surrogate and map come from a document
// made here.
func bySelf(t *testing.T, name, step string) *spec.Problem {
	t.Helper()
	text := fmt.Sprintf("package: byself\ntarget: %s\nsurrogate: %s\nstep: %s\nmap:\n", name, name, step)
	for _, p := range spec.Library().Family(name).Parameters {
		text += fmt.Sprintf("  %s: %s\n", p.Name, p.Name)
	}
	f, diags := spec.Parse("byself.yaml", []byte(text), nil)
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	return f.Problems[0]
}

// eachFamily runs a test for every family of the library that is a density.
func eachFamily(t *testing.T, test func(t *testing.T, name string)) {
	names := spec.Library().Families()
	if len(names) < 12 {
		t.Fatalf("the library has only the families %v", names)
	}
	for _, name := range names {
		if spec.Library().Family(name).Given != nil { // it is no density of its own
			continue
		}
		t.Run(name, func(t *testing.T) {
			test(t, name)
		})
	}
}

// place is a point among the parameters of a family, as the interpreter sees it.
type place struct {
	*testing.T
	env    *eval.Env
	length int // of the dimensions
	rng    *rand.Rand
	where  []bind.Condition // of the family
}

// eachPlace runs a check at several places, at several lengths where the family has vectors or matrices.
func eachPlace(t *testing.T, f *bind.Family, check func(t *testing.T, p place)) {
	for _, length := range lengthsOf(f.Variable) {
		t.Run(fmt.Sprint(length), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(11, uint64(length)))
			for range points {
				p := place{t, eval.Scalars(nil), length, rng, f.Where}
				for _, sym := range append(symbols(f.Params), f.Variable.Sym) {
					for _, d := range sym.Type.Dims[:sym.Type.Rank] {
						p.env.Set(d.Name, float64(length))
					}
				}
				check(t, p)
			}
		})
		if f.Params[0].Sym.Type.Rank == 0 {
			return
		}
	}
}

func symbols(ps []bind.Param) []*expr.Node {
	var out []*expr.Node
	for _, p := range ps {
		out = append(out, p.Sym)
	}
	return out
}

// at evaluates nodes.
func (p place) at(nodes ...*expr.Node) []float64 {
	p.Helper()
	return numbers(p.T, p.env, nodes...)
}

// data draws rows of the type of the variable, with weights of which some are 0 and most are not whole, and takes the
// constants of the problem from them.
func (p place) data(b *bind.Problem, n int) {
	p.Helper()
	v := b.Target.Variable
	width := 1
	for range v.Sym.Type.Rank {
		width *= p.length
	}
	entry := runtime.Parameter{Type: v.Kind.Type}
	x := modeltest.Observations(&runtime.Info{Variable: entry}, n*width, p.rng)
	switch {
	case v.Sym.Type.Rank == 1 && v.Kind.Integer:
		categories(x, width, p.rng)
	case v.Sym.Type.Rank == 1 && v.Kind.Range == expr.Unit:
		shares(x, width, p.rng)
	}
	if form := v.Kind.Type.Form; form.Square() || form.Has(types.UnitLength) {
		for i := 0; i < len(x); i += width {
			form.Arrange(x[i:i+width], p.length)
		}
	}
	if err := b.BindData(p.env, x, weights(n, p.rng)); err != nil {
		p.Fatal(err)
	}
}

// shares makes the entries of every row positive numbers of sum 1.
func shares(x []float64, width int, rng *rand.Rand) {
	for ; len(x) > 0; x = x[width:] {
		total := 0.0
		for i := range width {
			x[i] = rng.ExpFloat64() + 1e-3
			total += x[i]
		}
		for i := range width {
			x[i] /= total
		}
	}
}

// set draws values of parameters.
func (p place) set(params []bind.Param) {
	for try := 0; try == 0 || !p.meets(); try++ {
		if try == 10000 {
			p.Fatal("no values meet the conditions of the family")
		}
		for _, q := range params {
			give(p.env, q.Sym, p.drawn(q))
		}
	}
}

// meets reports whether the parameters meet the conditions of the family.
func (p place) meets() bool {
	for _, w := range p.where {
		if x := p.at(w.Node)[0]; x <= w.Range.Lo || x >= w.Range.Hi {
			return false
		}
	}
	return true
}

// drawn draws a value of the type of a parameter: numbers over about two decades on either side of 1, those in vectors
// over one, definite matrices, and of probabilities those of some of the things that can happen.
func (p place) drawn(q bind.Param) []float64 {
	f := q.Sym.Facts
	switch {
	case q.Sym.Type.Rank == 2:
		return p.definite()
	case q.Sym.Type.Rank == 1 && f.Range == expr.Unit:
		return p.probabilities()
	case q.Sym.Type.Rank == 0:
		return []float64{p.number(f.Range, 2)}
	}
	x := make([]float64, p.length)
	for i := range x {
		x[i] = p.number(f.Range, 1)
	}
	return x
}

func (p place) number(r expr.Range, decades float64) float64 {
	scale := math.Pow(10, decades*(2*p.rng.Float64()-1))
	switch r {
	case expr.Positive:
		return scale
	case expr.Unit:
		return 1 / (1 + math.Exp(3*p.rng.NormFloat64()))
	}
	return scale * p.rng.NormFloat64()
}

// definite is a matrix of inner products of random vectors in a larger space, of lengths over a decade. It is far
// enough from singular for the formulas as the spec has them, which invert it several times.
func (p place) definite() []float64 {
	d := p.length
	x := make([][]float64, d)
	for i := range x {
		scale := math.Pow(10, p.rng.Float64()-0.5)
		for range 3 * d {
			x[i] = append(x[i], scale*p.rng.NormFloat64())
		}
	}
	out := make([]float64, d*d)
	for i := range d {
		for j := range d {
			out[i*d+j], _ = inner(x[i], x[j])
		}
	}
	return out
}

// probabilities leave something to one more thing that can happen.
func (p place) probabilities() []float64 {
	x, sum := make([]float64, p.length), p.rng.ExpFloat64()
	for i := range x {
		x[i] = p.rng.ExpFloat64()
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
	return x
}
