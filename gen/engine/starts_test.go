package engine

import (
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/spec"
)

// The engine draws every kind of random number of the language, within the range that the table of kinds says, and no other.
func TestPrimitives(t *testing.T) {
	kinds := spec.NoiseKinds()
	if len(primitives) != len(kinds) {
		t.Errorf("%d primitives of %d kinds of random numbers", len(primitives), len(kinds))
	}
	for _, k := range kinds {
		draw := primitives[k.Name]
		if draw == nil {
			t.Errorf("no primitive draws %s", k.Name)
			continue
		}
		var params []float64
		for _, p := range k.Params {
			params = append(params, p.Default)
		}
		rng := runtime.Stream(1, k.Name)
		for range 100 {
			if x := draw(rng, params); x < k.Lo || x >= k.Hi || k.LoOpen && x == k.Lo || k.Integer && x != float64(int(x)) {
				t.Errorf("%s drew %v", k.Name, x)
			}
		}
	}
}
