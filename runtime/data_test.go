package runtime_test

import (
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Each component of a mixture has the default of one.
func TestDefaultComponents(t *testing.T) {
	two := runtime.Dim{Size: 2}
	for _, c := range []struct {
		p    runtime.Parameter
		want []float64
	}{
		{runtime.Parameter{Type: types.Number.Of(types.Positive), Shape: []runtime.Dim{two}}, []float64{1, 1}},
		{runtime.Parameter{Type: types.Simplex.Of(types.Unit), Shape: []runtime.Dim{two, {Size: 4}}}, slices.Repeat([]float64{0.25}, 8)},
		{runtime.Parameter{Type: types.Vector.Of(types.Unit), Shape: []runtime.Dim{two, {Size: 1}}}, []float64{0.5, 0.5}},
		{runtime.Parameter{Type: types.SPD.Of(types.Real), Shape: []runtime.Dim{two, two, two}}, []float64{1, 0, 0, 1, 1, 0, 0, 1}},
	} {
		c.p.Components = true
		x := slices.Repeat([]float64{9}, len(c.want))
		if c.p.Default(x, nil); !slices.Equal(x, c.want) {
			t.Errorf("%s: %v, want %v", c.p.Written(), x, c.want)
		}
		if one := c.p.Component(); one.Components || one.Len(nil)*c.p.Copies(nil) != len(x) {
			t.Errorf("one component of %+v is %+v", c.p, one)
		}
	}
}

func TestStream(t *testing.T) {
	draw := func(seed uint64, purpose string, ids ...uint64) uint64 {
		return runtime.Stream(seed, purpose, ids...).Uint64()
	}
	// Golden: the same on every machine and in every release.
	if got := draw(1, "start", 0); got != goldenStream {
		t.Errorf("stream (1, start, 0) begins with %d", got)
	}
	seen := map[uint64]string{}
	for name, x := range map[string]uint64{
		"seed 1": draw(1, "start"), "seed 2": draw(2, "start"), "id 0": draw(1, "start", 0), "id 1": draw(1, "start", 1),
		"id 0 0": draw(1, "start", 0, 0), "other": draw(1, "minibatch"),
	} {
		if was, ok := seen[x]; ok {
			t.Errorf("%s and %s begin alike", was, name)
		}
		seen[x] = name
	}
}

const goldenStream = 7924526299082500607
