package oracle_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/runtime"
)

// TestGeneratedAgainstDifferences compares both generated gradients with differences of the loss as the spec has it,
// composed with the map from the coordinates that each is a gradient with respect to: no derived node is involved.
// (Package derive does the same for vectors and matrices, whose generated code TestGeneratedSurrogate holds against
// it.)
func TestGeneratedAgainstDifferences(t *testing.T) {
	eachPoint(t, scalar, func(p trial) {
		s := &p.d.Surrogate
		a := answersAt(p.m, p.z)
		for i, sym := range s.Dual {
			p.env.Set(sym.Name, a.dual[i])
		}
		for i, b := range p.m.Blocks() {
			want := p.slope(s.Literal, s.Coords[i].Sym.Name, p.z[i])
			p.close("c", i, a.c, want)
			if !b.Auxiliary {
				p.close("v", i, a.v, p.slope(s.LiteralDual, s.Dual[i].Name, a.dual[i]))
			} else if metric := p.d.Problem.Auxiliary[i-len(s.Dual)].Metric; metric != nil {
				p.close("v", i, a.v, want/p.interpret(metric)[0])
			}
		}
	})
}

// slope is the derivative of a node in the direction of one symbol.
func (p trial) slope(n *expr.Node, name string, x float64) float64 {
	p.Helper()
	return ridders(0.1*max(0.1, math.Abs(x)), func(h float64) float64 {
		p.env.Set(name, x+h)
		defer p.env.Set(name, x)
		return p.interpret(n)[0]
	})
}

// ridders is the derivative at 0: central differences at steps that halve, with Richardson extrapolation of any order,
// of which the estimate counts that agrees best with its neighbours (Ridders, Advances in Engineering Software 4,
// 1982). Near the edge of a domain no step is right in advance.
func ridders(h float64, f func(float64) float64) float64 {
	best, off := math.NaN(), math.Inf(1)
	var last []float64
	for range 20 {
		row, power := []float64{(f(h) - f(-h)) / (2 * h)}, 4.0
		for i, old := range last {
			row = append(row, (power*row[i]-old)/(power-1))
			power *= 4
			if e := max(math.Abs(row[i+1]-row[i]), math.Abs(row[i+1]-old)); e < off {
				best, off = row[i+1], e
			}
		}
		last = row[:min(7, len(row))]
		h /= 2
	}
	return best
}

func (p trial) close(what string, i int, got []float64, want float64) {
	p.Helper()
	if scale := largest(got); !near(got[i], want, scale, 1e-6) {
		p.Errorf("at %v: %s[%d] = %v, by differences %v", p.z, what, i, got[i], want)
	}
}

// large are lengths past the thresholds of blocked linear algebra.
var large = []int{43, 65, 130}

// TestDirections: at large lengths, on all rows and on a batch, the derivative of the generated loss in a random
// direction is what both gradients say: c along the direction, and v along that of the dual coordinates. A second call
// says the same.
func TestDirections(t *testing.T) {
	eachProblem(t, shaped, func(t *testing.T, p problem) {
		for _, length := range large {
			p.size = p.long(length)
			rng := p.random(30)
			n := 3 * length * max(p.components, 1)
			m := p.on(t, weighted(p.sized(t), n, rng))
			for i := range m.Info().Starts {
				from := start(t, m, i, rng)
				z := between(from, off(m, from, rng))
				what := fmt.Sprintf("d = %v, start %d", p.size, i)
				checkDirection(t, what, m, z, rng)
				m.(runtime.Batcher).Batch(someRows(2*n/3, n, rng))
				checkDirection(t, what+", a batch", m, z, rng)
				m.(runtime.Batcher).Batch(nil)
			}
		}
	})
}

// between is halfway between two points, further from the edge of the domain than one of them may be.
func between(a, b []float64) []float64 { return moved(a, moved(b, a, -1), 0.5) }

// long is a size with a length: that of a mixture of numbers is how many there are.
func (p problem) long(n int) size {
	switch {
	case !mixture(p.d):
		return size{length: n}
	case p.d.Problem.Target.Variable.Sym.Type.Rank == 0:
		return size{1, 2 + n/40}
	}
	return size{n, 3}
}

func checkDirection(t *testing.T, what string, m runtime.Model, z []float64, rng *rand.Rand) {
	t.Helper()
	a := answersAt(m, z)
	if !answersAt(m, z).equal(a) {
		t.Errorf("%s: the second call gives another answer", what)
	}
	u := direction(m, z, rng)
	h, tolerance := inside(m, z, u)/100, 1e-7
	if m.Info().Mixture { // changes over the width of a component, and that is a difference of larger coordinates
		h, tolerance = h/5, 5e-6
	}
	want := richardson(h, func(h float64) []float64 { return []float64{m.Loss(moved(z, u, h))} })[0]
	if got, size := inner(a.c, u); !near(got, want, size, tolerance) {
		t.Errorf("%s: the loss rises by %v, by c it should by %v (terms of size %v)", what, want, got, size)
	}
	end := own(m)
	dual := richardson(h, func(h float64) []float64 {
		out := newPoint(m)
		m.(runtime.Dual).Dual(out, moved(z, u, h))
		return out
	})
	wantV, _ := inner(a.c[:end], u[:end])
	for _, v := range [][]float64{a.v, a.only} { // by Gradients and by NaturalGradient
		if got, size := inner(v[:end], dual[:end]); !near(got, wantV, size, 10*tolerance) {
			t.Errorf("%s: v along the dual direction is %v, c along the direction %v (terms of size %v)", what, got, wantV, size)
		}
	}
	agree(t, what+": auxiliary part of NaturalGradient", a.only[end:], a.c[end:], 0, sameTensors)
}

// inside is how far one can go from z along u, either way, in the domain: 1 or a power of 1/2.
func inside(m runtime.Model, z, u []float64) float64 {
	reach := 1.0
	for m.Violation(moved(z, u, reach)) >= 0 || m.Violation(moved(z, u, -reach)) >= 0 {
		reach /= 2
	}
	return reach
}

// inner is the inner product, and the root of the sum of squares of its terms.
func inner(a, b []float64) (sum, size float64) {
	for i := range a {
		sum += a[i] * b[i]
		size = math.Hypot(size, a[i]*b[i])
	}
	return sum, size
}

// richardson is the derivative at 0 by central differences, with two extrapolations: the steps may be so long that rounding does
// not count.
func richardson(h float64, f func(float64) []float64) []float64 {
	central := func(h float64) []float64 {
		up, down := f(h), f(-h)
		for i := range up {
			up[i] = (up[i] - down[i]) / (2 * h)
		}
		return up
	}
	coarse, middle, fine := central(h), central(h/2), central(h/4)
	for i := range fine {
		once, again := (4*middle[i]-coarse[i])/3, (4*fine[i]-middle[i])/3
		fine[i] = (16*again - once) / 15
	}
	return fine
}
