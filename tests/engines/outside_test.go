package engines

import (
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/internal/librarytest"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/spec"
)

// Outside the domain interpreted models say what compiled ones do: a loss that is no number, and a natural gradient that begins with NaN where that of
// compiled code does.
func TestSameOutside(t *testing.T) {
	seen := 0
	for _, name := range spec.Library().Compiled() {
		t.Run(name, func(t *testing.T) {
			compiled, _ := generated.Lookup(name)
			d := librarytest.Data(t, compiled(), 100, 3)
			one, other := ready(t, librarytest.Interpreted(t, name)(), d), ready(t, compiled(), d)
			size := 0
			for _, b := range other.Blocks() {
				size = max(size, b.Offset+b.Len)
			}
			rng := runtime.Stream(1, "outside")
			for range 20 {
				z := make([]float64, size)
				if err := other.Start(z, 0, rng); err != nil {
					t.Fatal(err)
				}
				for range 1 + rng.IntN(2) {
					z[rng.IntN(size)] *= -3 * rng.ExpFloat64()
				}
				outside := other.Violation(z)
				if same(t, "Violation", one.Violation(z), outside); outside < 0 {
					continue
				}
				seen++
				if a, b := one.Loss(z), other.Loss(z); !math.IsNaN(a) || !math.IsNaN(b) {
					t.Errorf("the losses at %v are %v and %v", z, a, b)
				}
				v, w := make([]float64, size), make([]float64, size)
				one.NaturalGradient(v, z)
				other.NaturalGradient(w, z)
				same(t, "whether the natural gradient begins with NaN", math.IsNaN(v[0]), math.IsNaN(w[0]))
			}
		})
	}
	if seen < 200 {
		t.Errorf("%d points outside a domain: too few to tell", seen)
	}
}
