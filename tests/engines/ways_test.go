package engines

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/engine"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/internal/librarytest"
	"github.com/sngdgen/sngdgen/internal/testseed"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/modeltest"
	"github.com/sngdgen/sngdgen/spec"
)

// Steps and passes that may be left out are, at random, and the costs by which planning chooses between ways to compute something have
// random factors: what models compute is the same but for rounding.
func TestOtherWays(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Seed(), 14))
	for _, name := range spec.Library().Problems() {
		t.Run(name, func(t *testing.T) {
			o := gen.Options{Costs: someCosts(rng.Uint64())}
			for _, r := range plan.Rows() {
				if r.Optional && rng.IntN(2) == 0 {
					o.Without = append(o.Without, r.Name)
				}
			}
			makeOne, diags, unsupported := engine.Interpreted(context.Background(), spec.Library().Problem(name), o)
			if diags.HasErrors() || unsupported != nil {
				t.Fatalf("without %v: %v, %v", o.Without, diags.String(), unsupported)
			}
			model := librarytest.Model(t, name)
			d := librarytest.Data(t, model(), 120, 3)
			one, other := ready(t, makeOne(), d), ready(t, model(), d)
			if compareRoughly(t, one, other); t.Failed() {
				t.Logf("without %v", o.Without)
			}
		})
	}
}

// someCosts multiplies the cost of each node by a factor that depends on its number and the seed.
func someCosts(seed uint64) plan.Costs {
	factors := []float64{0.01, 0.1, 0.5, 1, 2, 10, 100}
	return func(n *expr.Node) float64 {
		return factors[rand.New(rand.NewPCG(seed, uint64(n.ID))).IntN(len(factors))]
	}
}

// compareRoughly compares losses and gradients at a start and at points next to it.
func compareRoughly(t *testing.T, one, other runtime.Model) {
	t.Helper()
	n := 0
	for _, b := range other.Blocks() {
		n += b.Len
	}
	z, own := make([]float64, n), make([]float64, n)
	if err := other.Start(z, 0, rand.New(rand.NewPCG(1, 2))); err != nil {
		t.Fatal(err)
	}
	if err := one.Start(own, 0, rand.New(rand.NewPCG(1, 2))); err != nil {
		t.Fatal(err)
	}
	near(t, "start", own, z)
	rng := rand.New(rand.NewPCG(3, 4))
	for range 4 {
		same(t, "Violation", one.Violation(z), other.Violation(z))
		got, want := make([]float64, 3*n+2), make([]float64, 3*n+2)
		for m, out := range map[runtime.Model][]float64{one: got, other: want} {
			if out[3*n] = m.Loss(z); m.Violation(z) < 0 {
				out[3*n+1] = m.Gradients(out[:n], out[n:2*n], z)
				m.NaturalGradient(out[2*n:3*n], z)
			}
		}
		for i, what := range []string{"v", "c", "natural gradient"} {
			near(t, what, got[i*n:(i+1)*n], want[i*n:(i+1)*n])
		}
		near(t, "loss", got[3*n:], want[3*n:])
		for k := range z {
			z[k] += 0.01 * rng.NormFloat64() * (1 + math.Abs(z[k]))
		}
		modeltest.Symmetrise(other, z)
	}
}

// near compares vectors, to some digits of their largest entry.
func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	size := 1.0
	for _, x := range want {
		size = max(size, math.Abs(x))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-8*size) && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) && got[i] != want[i] {
			t.Errorf("%s[%d] is %v, not %v", what, i, got[i], want[i])
			return
		}
	}
}
