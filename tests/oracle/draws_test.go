package oracle_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/random"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/spec"
)

// draw makes the random numbers of a spec, in its order, as the generated code does: entry by entry, one component
// after the other.
func (p trial) draw(noise []bind.Draw, rng *rand.Rand) {
	p.Helper()
	for _, d := range noise {
		n := 1
		for _, d := range d.Sym.Type.Dims[:d.Sym.Type.Rank] {
			n *= int(p.env.Symbols[d.Name].Scalar)
		}
		if d.Sym.Type.Axes.Has(expr.Components) {
			n *= int(p.env.Symbols["size.k"].Scalar)
		}
		x := make([]float64, n)
		for i := range x {
			args := make([]float64, len(d.Args))
			for j, a := range d.Args {
				values := p.interpret(a)
				args[j] = values[i%len(values)]
			}
			x[i] = p.primitive(rng, d.Kind, args)
		}
		give(p.env, d.Sym, x)
	}
}

// primitives are the samplers of package random, whose arguments follow the parameters in the table of the language.
var primitives = map[string]func(*rand.Rand, []float64) float64{
	"normal":  func(rng *rand.Rand, a []float64) float64 { return random.Normal(rng, a[0], a[1]) },
	"uniform": func(rng *rand.Rand, a []float64) float64 { return random.Uniform(rng, a[0], a[1]) },
	"gamma":   func(rng *rand.Rand, a []float64) float64 { return random.Gamma(rng, a[0], a[1]) },
	"poisson": func(rng *rand.Rand, a []float64) float64 { return random.Poisson(rng, a[0]) },
}

func (p trial) primitive(rng *rand.Rand, kind *spec.NoiseKind, args []float64) float64 {
	sample := primitives[kind.Name]
	if sample == nil {
		p.Fatalf("this test cannot draw %s", kind.Name)
	}
	for _, q := range kind.Params[len(args):] {
		args = append(args, q.Default)
	}
	return sample(rng, args)
}

// TestGeneratedStarts compares the starting points, random ones with the same random numbers. Those that are formulas
// of the data do not depend on any.
func TestGeneratedStarts(t *testing.T) {
	eachPoint(t, every, func(p trial) {
		p.merge()
		for i := range len(p.d.Starts) + 3 {
			given, rng := rand.New(rand.NewPCG(24, uint64(i))), rand.New(rand.NewPCG(24, uint64(i)))
			what, s := fmt.Sprintf("start %d", i), p.d.RandomStart
			if i < len(p.d.Starts) {
				s, rng = &p.d.Starts[i], nil
			}
			got := newPoint(p.m)
			if err := p.m.Start(got, i, given); err != nil {
				p.Errorf("%s: %v", what, err)
				continue
			}
			p.agree(what, got, p.started(s, rng))
		}
	})
}

// started interprets a start.
func (p trial) started(s *derive.Start, rng *rand.Rand) [][]float64 {
	p.Helper()
	if s.Groups == "" || s.Groups == bind.GroupsNone {
		return p.values(s, rng)
	}
	least := p.group(s.Groups, rng)
	for _, blend := range []float64{least, 0.2, 0.5, 0.9} { // the first with which the start lies in the domain
		p.env.Set(p.d.Problem.Mixture.Blend.Name, blend)
		if z := p.values(s, rng); blend == 0.9 || p.m.Violation(slices.Concat(z...)) < 0 {
			return z
		}
	}
	return nil
}

// group gives the interpreter the groups of the rows of a mixture, and returns how much of all rows is mixed into each
// at least.
func (p trial) group(how string, rng *rand.Rand) (least float64) {
	p.Helper()
	labels := make([]float64, len(p.x.Weights))
	k, err := p.m.(runtime.Mixture).Components(), error(nil)
	if how == bind.GroupsClusters {
		err, least = support.Clusters(labels, p.x.Values, p.x.Weights, p.x.Columns, k, rng), 0.05
	} else {
		err = support.Slices(labels, p.x.Values, p.x.Weights, k)
	}
	if err != nil {
		p.Fatal(err)
	}
	p.env.Symbols[p.d.Problem.Mixture.Label.Name] = eval.Value{Rows: labels}
	return least
}

// values draws the random numbers of a start and evaluates it.
func (p trial) values(s *derive.Start, rng *rand.Rand) [][]float64 {
	p.Helper()
	p.draw(s.Noise, rng)
	define(p.T, p.env, s.Values)
	return p.coords(s.Coords)
}

// TestGeneratedSamples compares draws with the same random numbers. From a mixture the component is drawn first.
func TestGeneratedSamples(t *testing.T) {
	found := 0
	eachPoint(t, every, func(p trial) {
		sampler, ok := p.m.(runtime.Sampler)
		sample := p.d.Problem.Target.Sample
		if ok != (sample != nil) {
			p.Errorf("the spec draws from the target: %t; the model does: %t", sample != nil, ok)
		}
		if !ok || sample == nil {
			return
		}
		found++
		theta := p.theta()
		own, width := p.m.Info().Variable.Len(p.m), max(p.x.Columns, 1)
		got := slices.Clone(p.x.Values[:5*width]) // with what is given
		sampler.Sample(got, theta, rand.New(rand.NewPCG(25, 26)))
		rng := rand.New(rand.NewPCG(25, 26))
		for draw := range slices.Chunk(got, len(got)/5) {
			define(p.T, p.env, p.d.Surrogate.Theta)
			if m, ok := p.m.(runtime.Mixture); ok {
				p.only(random.Index(rng, theta[:m.Components()]))
			}
			at := own
			for k, g := range p.d.Problem.Target.SampleGiven {
				n := p.m.Info().Given[k].Len(p.m)
				give(p.env, g, draw[at:at+n])
				at += n
			}
			p.draw(sample.Noise, rng)
			for _, v := range sample.Values {
				give(p.env, v.Sym, p.interpret(v.Node))
			}
			p.equal("a draw", draw[:own], sample.Values[len(sample.Values)-1].Sym)
		}
	})
	if found == 0 {
		t.Error("no problem can be drawn from")
	}
}

// only makes the parameters of the target those of one component.
func (p trial) only(c int) {
	for _, t := range p.d.Surrogate.Theta {
		p.env.Symbols[t.Sym.Name] = p.env.Symbols[t.Sym.Name].Components[c]
	}
}
