package runtime_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/sngdgen/sngdgen/runtime"
)

// remembered is Evaluations in memory, which counts what it finds.
type remembered struct {
	known map[[2]float64]gradients
	found int
}

type gradients struct {
	v, c []float64
	loss float64
}

func (r *remembered) Find(v, c, z []float64) (float64, bool) {
	k, ok := r.known[[2]float64(z)]
	if ok {
		r.found++
		copy(v, k.v)
		copy(c, k.c)
	}
	return k.loss, ok
}

func (r *remembered) Keep(v, c, z []float64, loss float64, _ time.Duration) {
	r.known[[2]float64(z)] = gradients{slices.Clone(v), slices.Clone(c), loss}
}

// A run that knows what gradients were goes the same way, and evaluates none. What lies outside of the domain is not kept.
func TestEvaluations(t *testing.T) {
	calls := 0
	p := quadratic([]float64{1, 50}, []float64{2, -3})
	grad := p.grad
	p.grad = func(c, z []float64) { calls++; grad(c, z) }
	p.inside = func(z []float64) bool { return z[0] < 3 }
	for name, method := range map[string]runtime.Method{"sngd": runtime.SNGD{}, "natural L-BFGS": runtime.NaturalLBFGS{}} {
		known := &remembered{known: map[[2]float64]gradients{}}
		set := &runtime.Settings{Method: method, Evaluations: known}
		first, err := runtime.Minimize(t.Context(), p, []float64{-9, 1}, set)
		if err != nil || !first.Status.Converged() {
			t.Fatalf("%s: %v, %+v", name, err, first)
		}
		for z, g := range known.known {
			if math.IsNaN(g.loss) || z[0] >= 3 {
				t.Errorf("%s: kept %v at %v", name, g, z)
			}
		}
		calls = 0
		again, err := runtime.Minimize(t.Context(), p, []float64{-9, 1}, set)
		if err != nil || calls != 0 || !slices.Equal(again.Z, first.Z) || again.GradientEvaluations != first.GradientEvaluations || again.Iterations != first.Iterations {
			t.Errorf("%s: %v, %d calls\n%+v\nnot\n%+v", name, err, calls, again, first)
		}
	}
}
