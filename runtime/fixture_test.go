package runtime_test

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime"
)

// plain is a problem with v = c, given by functions; inside, if not nil, is the domain.
type plain struct {
	dim    int
	f      func(z []float64) float64
	grad   func(c, z []float64)
	inside func(z []float64) bool
	blocks []runtime.Block
}

func (p *plain) Blocks() []runtime.Block {
	if p.blocks == nil {
		p.blocks = []runtime.Block{{Name: "z", Len: p.dim}}
	}
	return p.blocks
}

func (p *plain) Conditions() []runtime.Condition {
	return []runtime.Condition{{Block: "z", Text: "z inside"}}
}

func (p *plain) Violation(z []float64) int {
	if p.inside != nil && !p.inside(z) {
		return 0
	}
	return -1
}

func (p *plain) Loss(z []float64) float64 {
	if p.Violation(z) >= 0 {
		return math.NaN()
	}
	return p.f(z)
}

func (p *plain) NaturalGradient(v, z []float64) { p.grad(v, z) }

func (p *plain) Gradients(v, c, z []float64) float64 {
	f := p.Loss(z)
	if !math.IsNaN(f) {
		p.grad(c, z)
		copy(v, c)
	}
	return f
}

// quadratic is 1 + sum w_i (z_i - a_i)^2 / 2.
func quadratic(w, a []float64) *plain {
	return &plain{
		dim: len(w),
		f: func(z []float64) float64 {
			s := 1.0
			for i := range z {
				s += w[i] * (z[i] - a[i]) * (z[i] - a[i]) / 2
			}
			return s
		},
		grad: func(c, z []float64) {
			for i := range z {
				c[i] = w[i] * (z[i] - a[i])
			}
		},
	}
}

func rosenbrock() *plain {
	return &plain{
		dim: 2,
		f: func(z []float64) float64 {
			a, b := 1-z[0], z[1]-z[0]*z[0]
			return a*a + 100*b*b
		},
		grad: func(c, z []float64) {
			b := z[1] - z[0]*z[0]
			c[0], c[1] = -2*(1-z[0])-400*z[0]*b, 200*b
		},
	}
}

// barrier has its minimum, at weights proportional to w, inside the simplex sum z < 1, z > 0.
func barrier(w []float64) *plain {
	sum := func(z []float64) (s float64) {
		for _, x := range z {
			s += x
		}
		return s
	}
	return &plain{
		dim: len(w),
		f: func(z []float64) float64 {
			f := -math.Log(1 - sum(z))
			for i, x := range z {
				f -= w[i] * math.Log(x)
			}
			return f
		},
		grad: func(c, z []float64) {
			r := 1 / (1 - sum(z))
			for i, x := range z {
				c[i] = r - w[i]/x
			}
		},
		inside: func(z []float64) bool {
			for _, x := range z {
				if !(x > 0) {
					return false
				}
			}
			return sum(z) < 1
		},
	}
}
