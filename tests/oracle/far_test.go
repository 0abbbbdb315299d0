package oracle_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// TestFarFromZero: on data with mean 1e6 and deviations of 1, everything is as on the same data about 0, to a few units
// in the last place of an observation: no digit is lost in moments about zero.
func TestFarFromZero(t *testing.T) {
	eachProblem(t, inSpace, func(t *testing.T, p problem) {
		p.at(t, append(sizesOf(p.d.Problem), p.long(43)), func(t *testing.T, p problem) {
			rng := p.random(29)
			near, far := apart(p.sized(t), rng)
			a, b := p.on(t, near), p.on(t, far)
			for i := range a.Info().Starts {
				checkFar(t, fmt.Sprintf("start %d", i), a, b, i, rng)
			}
		})
	})
}

const (
	farAway = 1e6
	last    = 1.2e-10 // the unit in the last place of 1e6
)

// apart makes the same data twice, about 0 and far away. They are multiples of 2^-20, so that moving them is exact.
func apart(m runtime.Model, rng *rand.Rand) (near, far runtime.Data) {
	near = weighted(m, 300, rng)
	far = near
	far.Values = slices.Clone(near.Values)
	for i, x := range near.Values {
		near.Values[i] = math.Round(x*(1<<20)) / (1 << 20)
		far.Values[i] = near.Values[i] + farAway
	}
	return near, far
}

// checkFar compares the models at a start, and at the same place off it: the coordinates are about the mean of the
// data.
func checkFar(t *testing.T, what string, near, far runtime.Model, start int, rng *rand.Rand) {
	t.Helper()
	z, moved := newPoint(near), newPoint(far)
	if err := near.Start(z, start, nil); err != nil {
		t.Fatal(err)
	}
	if err := far.Start(moved, start, nil); err != nil {
		t.Errorf("%s on data far from zero: %v", what, err)
		return
	}
	agree(t, what+", far from zero", moved, z, 0, 1000*last) // with third moments
	z = off(near, z, rng)
	ulps := 100.0
	if near.Info().Mixture { // a component is narrower than the data
		ulps = 300
	}
	want, got := answersAt(near, z), answersAt(far, z)
	agree(t, "loss around "+what+", far from zero", got.loss, want.loss, 1, ulps*last)
	for _, k := range near.Blocks() {
		from, to := k.Offset, k.Offset+k.Len
		what := fmt.Sprintf("%s around %s, far from zero", k.Name, what)
		agree(t, "v of "+what, got.v[from:to], want.v[from:to], 1, ulps*last)
		agree(t, "c of "+what, got.c[from:to], want.c[from:to], 1, ulps*last)
		agree(t, "dual of "+what, got.dual[from:to], want.dual[from:to], 1, ulps*last)
	}
}
