package engine

import (
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/spec"
)

// The engine draws every kind of random number of the language, within the range that the table of kinds says, and no other; quantiles
// are those of the draws.
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
		if quantile := quantiles[k.Name]; (quantile != nil) != k.Quantile {
			t.Errorf("%s has a quantile function: %v, not %v", k.Name, quantile != nil, k.Quantile)
		} else if quantile != nil {
			below, draws := 0, 4000
			for range draws {
				if draw(rng, params) < quantile(0.3, params) {
					below++
				}
			}
			if p := float64(below) / float64(draws); p < 0.26 || p > 0.34 {
				t.Errorf("%v of the draws of %s are below their quantile of 0.3", p, k.Name)
			}
		}
	}
}
