package oracle_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/spec"
)

// same is how closely generated code and the interpreter must agree, relative to the largest entry of what is compared:
// both round, in different orders, and the root of an inverse map is known to a few ulp of its equation only.
const same = 1e-11

// trial is one problem of the library with data, a point of its domain and the interpreter at that point.
type trial struct {
	*testing.T
	d   *derive.Result
	m   runtime.Model
	env *eval.Env
	z   []float64
}

// eachPoint runs a check for every problem of the library on several data sets, at points drawn around its starts.
func eachPoint(t *testing.T, check func(trial)) {
	lib := spec.Library()
	if !slices.Equal(lib.Problems(), generated.Names()) {
		t.Fatalf("the library has the problems %v, generated/ has %v", lib.Problems(), generated.Names())
	}
	for _, name := range lib.Problems() {
		t.Run(name, func(t *testing.T) {
			d := derived(t, lib.Problem(name))
			newModel, _ := generated.Lookup(name)
			rng := rand.New(rand.NewPCG(21, 22))
			for range 4 {
				m := newModel()
				x := data(m.Info().Variable.Type, 150, rng)
				if err := m.SetData(x); err != nil {
					t.Fatal(err)
				}
				for i := range m.Info().Starts + 4 {
					z := make([]float64, len(d.Surrogate.Coords))
					if err := m.Start(z, i, rng); err != nil {
						t.Fatal(err)
					}
					check(at(t, d, m, x, perturbed(m, z, rng)))
				}
			}
		})
	}
}

// perturbed moves a point by up to some ten percent, inside the domain.
func perturbed(m runtime.Model, z []float64, rng *rand.Rand) []float64 {
	for size := 0.1; ; size /= 2 {
		out := slices.Clone(z)
		for i := range out {
			out[i] += size * rng.NormFloat64() * max(0.1, math.Abs(out[i]))
		}
		if m.Violation(out) < 0 {
			return out
		}
	}
}

// at gives the interpreter the data, the coordinates and then, by the definitions, the standard parameters.
func at(t *testing.T, d *derive.Result, m runtime.Model, x runtime.Data, z []float64) trial {
	env := environment(t, d, x)
	for i, c := range d.Surrogate.Coords {
		env.Set(c.Sym.Name, z[i])
	}
	define(t, env, d.Surrogate.Defs)
	return trial{t, d, m, env, z}
}

// equal compares vectors.
func (p trial) equal(what string, got, want []float64) {
	p.Helper()
	scale := largest(want)
	for i := range want {
		if !near(got[i], want[i], scale, same) {
			p.Errorf("at %v: %s[%d] is %.17g generated, %.17g interpreted (relative difference %.1e)", p.z, what, i, got[i], want[i],
				math.Abs(got[i]-want[i])/scale)
		}
	}
}

func (p trial) eval(nodes ...*expr.Node) []float64 {
	p.Helper()
	return values(p.T, p.env, nodes)
}

func nodes(defs []derive.Def) []*expr.Node {
	var out []*expr.Node
	for _, d := range defs {
		out = append(out, d.Node)
	}
	return out
}

// TestGeneratedSurrogate compares the generated package with what was derived, and with the loss as the spec has it.
func TestGeneratedSurrogate(t *testing.T) {
	eachPoint(t, func(p trial) {
		s := &p.d.Surrogate
		n := len(p.z)
		v, c, only, dual := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		theta := make([]float64, len(s.Theta))
		f := p.m.Gradients(v, c, p.z)
		p.m.NaturalGradient(only, p.z)
		p.m.Theta(theta, p.z)
		p.m.(runtime.Dual).Dual(dual, p.z)

		p.equal("loss by Gradients", []float64{f}, p.eval(s.Loss))
		p.equal("loss", []float64{p.m.Loss(p.z)}, p.eval(s.Loss))
		p.equal("literal loss", []float64{f}, p.eval(s.Literal))
		p.equal("v", v, p.eval(s.Natural...))
		p.equal("v by NaturalGradient", only, p.eval(s.Natural...))
		p.equal("c", c, p.eval(s.Covector...))
		p.equal("theta", theta, p.eval(nodes(s.Theta)...))
		p.equal("dual", dual, append(p.eval(s.DualOf...), p.z[len(s.DualOf):]...))
	})
}

// TestGeneratedUnconstrained does the same in unconstrained coordinates.
func TestGeneratedUnconstrained(t *testing.T) {
	eachPoint(t, func(p trial) {
		u := &p.d.Unconstrained
		m := p.m.Unconstrained()
		k := m.Dim()
		x, g, h, theta := make([]float64, k), make([]float64, k), make([]float64, k*k), make([]float64, len(u.Theta))
		p.m.Theta(theta, p.z)
		m.FromTheta(x, theta)
		for i, def := range u.Theta {
			p.env.Set(def.Sym.Name, theta[i])
		}
		p.equal("u", x, p.eval(u.Inverse...))

		set(p.env, u.Coords, x)
		m.Theta(theta, x)
		p.equal("theta of u", theta, p.eval(nodes(u.Theta)...))
		define(p.T, p.env, u.Theta)
		p.equal("loss of u by Gradient", []float64{m.Gradient(g, x)}, p.eval(u.Loss))
		p.equal("loss of u", []float64{m.Loss(x)}, p.eval(u.Loss))
		p.equal("literal loss at u", []float64{m.Loss(x)}, p.eval(p.d.Surrogate.Literal))
		p.equal("gradient", g, p.eval(u.Gradient...))
		m.Hessian(h, x)
		var want []*expr.Node
		for _, row := range u.Hessian {
			want = append(want, row...)
		}
		p.equal("Hessian", h, p.eval(want...))
	})
}

// TestGeneratedAgainstDifferences compares both generated gradients with differences of the loss as the spec has it,
// composed with the map from the coordinates that each is a gradient with respect to: no derived node is involved.
func TestGeneratedAgainstDifferences(t *testing.T) {
	eachPoint(t, func(p trial) {
		s := &p.d.Surrogate
		v, c, dual := make([]float64, len(p.z)), make([]float64, len(p.z)), make([]float64, len(p.z))
		p.m.Gradients(v, c, p.z)
		p.m.(runtime.Dual).Dual(dual, p.z)
		set(p.env, s.Dual, dual)
		for i, b := range p.m.Blocks() {
			name := s.Coords[i].Sym.Name
			want := p.slope(s.Literal, name, p.z[i])
			p.close("c", i, c, want)
			if !b.Auxiliary {
				p.close("v", i, v, p.slope(s.LiteralDual, s.Dual[i].Name, dual[i]))
			} else if metric := p.d.Problem.Auxiliary[i-len(s.Dual)].Metric; metric != nil {
				p.close("v", i, v, want/p.eval(metric)[0])
			}
		}
	})
}

// slope is the derivative of a node in the direction of one symbol: central differences at steps that halve, with
// Richardson extrapolation of any order, of which the estimate counts that agrees best with its neighbours (Ridders,
// Advances in Engineering Software 4, 1982). Near the edge of a domain no step is right in advance.
func (p trial) slope(n *expr.Node, name string, x float64) float64 {
	p.Helper()
	central := func(h float64) float64 {
		p.env.Set(name, x+h)
		up := p.eval(n)[0]
		p.env.Set(name, x-h)
		down := p.eval(n)[0]
		p.env.Set(name, x)
		return (up - down) / (2 * h)
	}
	best, off := math.NaN(), math.Inf(1)
	var last []float64
	for h, k := 0.1*max(0.1, math.Abs(x)), 0; k < 20; h, k = h/2, k+1 {
		row, power := []float64{central(h)}, 4.0
		for i, old := range last {
			row = append(row, (power*row[i]-old)/(power-1))
			power *= 4
			if e := max(math.Abs(row[i+1]-row[i]), math.Abs(row[i+1]-old)); e < off {
				best, off = row[i+1], e
			}
		}
		last = row[:min(7, len(row))]
	}
	return best
}

func (p trial) close(what string, i int, got []float64, want float64) {
	p.Helper()
	if scale := largest(got); !near(got[i], want, scale, 1e-6) {
		p.Errorf("at %v: %s[%d] = %v, by differences %v", p.z, what, i, got[i], want)
	}
}
