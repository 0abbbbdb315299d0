package runtime_test

import (
	"context"
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// wells has minima at -1 and 1 and a maximum between; left of 0 its natural gradient is what spoil makes of it.
type wells struct {
	plain
	spoil func(v []float64)
}

func newWells(spoil func(v []float64)) *wells {
	return &wells{
		plain{
			dim:  1,
			f:    func(z []float64) float64 { return (z[0]*z[0] - 1) * (z[0]*z[0] - 1) / 4 },
			grad: func(c, z []float64) { c[0] = z[0] * (z[0]*z[0] - 1) },
		},
		spoil,
	}
}

func (p *wells) Gradients(v, c, z []float64) float64 {
	f := p.plain.Gradients(v, c, z)
	if z[0] < 0 {
		p.spoil(v)
	}
	return f
}

// TestDamped: where the natural gradient leads uphill at first, a step along it that lowers the loss is taken all the same, the
// full one (v = -1) or half of it (v = -4, which leaves the domain). Without it these runs end at their start as failed.
func TestDamped(t *testing.T) {
	for _, v := range []float64{-1, -4} {
		p := newWells(func(dst []float64) { dst[0] = v })
		p.inside = func(z []float64) bool { return z[0] < 2 }
		for _, method := range []runtime.Method{nil, runtime.NaturalLBFGS{}} {
			res, err := runtime.Minimize(context.Background(), p, []float64{-0.2}, &runtime.Settings{Method: method})
			if err != nil || math.Abs(res.Z[0]-1) > 1e-6 {
				t.Errorf("v = %g: ended at %g, %v, want 1", v, res.Z[0], err)
			}
		}
	}
}

// TestNotDamped: a natural gradient that leads uphill however short the step is still fails.
func TestNotDamped(t *testing.T) {
	p := newWells(func(v []float64) { v[0] = -0.1 })
	res, err := runtime.Minimize(context.Background(), p, []float64{-0.9}, nil)
	if err == nil || res.Status != runtime.Failed {
		t.Errorf("ended %v, %v", res.Status, err)
	}
}
