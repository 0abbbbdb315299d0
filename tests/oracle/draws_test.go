package oracle_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/random"
	"github.com/sngdgen/sngdgen/spec"
)

// draw makes the random numbers of a spec, in its order, as the generated code does: entry by entry.
func (p trial) draw(noise []bind.Draw, rng *rand.Rand) {
	p.Helper()
	for _, d := range noise {
		n := 1
		if d.Sym.Type.Rank == 1 {
			n = int(p.env.Symbols[d.Sym.Type.Dims[0].Name].Scalar)
		}
		x := make([]float64, n)
		for i := range x {
			args := make([]float64, len(d.Args))
			for j, a := range d.Args {
				if args[j] = p.interpret(a)[0]; a.Type.Rank > 0 {
					args[j] = p.interpret(a)[i]
				}
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

// TestGeneratedStarts compares the starting points, random ones with the same random numbers.
func TestGeneratedStarts(t *testing.T) {
	eachPoint(t, every, func(p trial) {
		for i := range len(p.d.Starts) + 3 {
			start := p.d.RandomStart
			if i < len(p.d.Starts) {
				start = &p.d.Starts[i]
			}
			got := newPoint(p.m)
			if err := p.m.Start(got, i, rand.New(rand.NewPCG(24, uint64(i)))); err != nil {
				p.Errorf("start %d: %v", i, err)
				continue
			}
			p.draw(start.Noise, rand.New(rand.NewPCG(24, uint64(i))))
			define(p.T, p.env, start.Values)
			p.equal(fmt.Sprintf("start %d", i), got, start.Coords...)
		}
	})
}

// TestGeneratedSamples compares draws with the same random numbers.
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
		define(p.T, p.env, p.d.Surrogate.Theta)
		got := make([]float64, p.m.Info().Variable.Len(p.m))
		sampler.Sample(got, theta, rand.New(rand.NewPCG(25, 26)))
		p.draw(sample.Noise, rand.New(rand.NewPCG(25, 26)))
		for _, v := range sample.Values {
			give(p.env, v.Sym, p.interpret(v.Node))
		}
		p.equal("a draw", got, sample.Values[len(sample.Values)-1].Sym)
	})
	if found == 0 {
		t.Error("no problem can be drawn from")
	}
}
