package oracle_test

import (
	"testing"

	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/runtime"
)

func limited(d *derive.Result) bool { return len(d.Limits) > 0 }

// TestGeneratedLimits compares the limits of generated packages with what was derived, and with what the spec says: starts,
// objective and gradient, and the way to the limit.
func TestGeneratedLimits(t *testing.T) {
	eachSize(t, limited, func(t *testing.T, p problem) {
		rng := p.random(31)
		x := weighted(p.sized(t), 60, rng)
		m := p.on(t, x)
		env := p.environment(t, m, x)
		limits := m.(runtime.Limiting)
		for i, l := range p.d.Limits {
			info := &m.Info().Limits[i]
			n := 0
			for k := range info.Parameters {
				n += info.Parameters[k].Len(m)
			}
			theta, g, path := make([]float64, n), make([]float64, n), make([]float64, thetaSize(m))
			for s := range info.Starts + 2 {
				if s >= info.Starts && !info.RandomStart {
					continue
				}
				if err := limits.LimitStart(theta, i, s, rng); err != nil {
					t.Fatal(err)
				}
				if s < info.Starts {
					define(t, env, l.Starts[s].Values)
				}
				from := 0
				for k, q := range l.Params {
					to := from + info.Parameters[k].Len(m)
					if s < info.Starts {
						agree(t, info.Name+": start of "+q.Name, theta[from:to], numbers(t, env, q.Sym), 1e-3, 1e-10)
					}
					give(env, q.Sym, theta[from:to])
					from = to
				}
				f := limits.LimitGradient(g, theta, i)
				agree(t, info.Name+": loss", []float64{f}, numbers(t, env, l.Loss), 1e-2, 1e-10)
				agree(t, info.Name+": literal loss", []float64{f}, numbers(t, env, l.Literal), 1e-2, 1e-10)
				agree(t, info.Name+": gradient", g, numbers(t, env, l.Gradient...), 1e-2, 1e-9)
				limits.LimitPath(path, theta, i, 100)
				env.Set(l.Scale.Name, 100)
				agree(t, info.Name+": path", path, numbers(t, env, nodes(l.Path)...), 1e-2, 1e-10)
			}
		}
	})
}

func thetaSize(m runtime.Model) int {
	n := 0
	for i := range m.Info().Parameters {
		n += m.Info().Parameters[i].Len(m)
	}
	return n
}
