package runtime_test

import (
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

func TestParameterTypes(t *testing.T) {
	for _, c := range []struct{ typ, entries, kind string }{
		{"real", "real", "real"}, {"positive", "positive", "positive"}, {"vector(d)", "real", "vector"},
		{"positive vector(d)", "positive", "vector"}, {"matrix(n, d)", "real", "matrix"}, {"spd(d)", "real", "spd"},
		{"corr(3)", "real", "corr"}, {"simplex(k)", "unit", "simplex"}, {"lower(d)", "real", "lower"},
	} {
		p := runtime.Parameter{Type: c.typ}
		if e, k := p.Entries(), p.Kind(); e != c.entries || k != c.kind {
			t.Errorf("%s: %s of %s, want %s of %s", c.typ, k, e, c.kind, c.entries)
		}
	}
}

// A vector of numbers between 0 and 1 is by default inside the simplex, where it may have to be; a number is in the middle.
func TestDefaults(t *testing.T) {
	for _, c := range []struct {
		typ  string
		n    int
		want float64
	}{
		{"real", 1, 0}, {"binary", 1, 0}, {"positive", 1, 1}, {"count vector(d)", 3, 1}, {"unit", 1, 0.5},
		{"unit vector(d)", 1, 0.5}, {"unit vector(d)", 2, 1.0 / 3}, {"unit vector(d)", 4, 0.2}, {"simplex(k)", 4, 0.25},
	} {
		p, x := runtime.Parameter{Type: c.typ}, make([]float64, c.n)
		p.Default(x, nil)
		if !slices.Equal(x, slices.Repeat([]float64{c.want}, c.n)) {
			t.Errorf("%s of %d: %v, want %v", c.typ, c.n, x, c.want)
		}
	}
}

// Each component of a mixture has the default of one.
func TestDefaultComponents(t *testing.T) {
	two := runtime.Dim{Size: 2}
	for _, c := range []struct {
		p    runtime.Parameter
		want []float64
	}{
		{runtime.Parameter{Type: "positive", Shape: []runtime.Dim{two}}, []float64{1, 1}},
		{runtime.Parameter{Type: "simplex(j)", Shape: []runtime.Dim{two, {Size: 4}}}, slices.Repeat([]float64{0.25}, 8)},
		{runtime.Parameter{Type: "unit vector(j)", Shape: []runtime.Dim{two, {Size: 1}}}, []float64{0.5, 0.5}},
		{runtime.Parameter{Type: "spd(d)", Shape: []runtime.Dim{two, two, two}}, []float64{1, 0, 0, 1, 1, 0, 0, 1}},
	} {
		c.p.Components = true
		x := slices.Repeat([]float64{9}, len(c.want))
		if c.p.Default(x, nil); !slices.Equal(x, c.want) {
			t.Errorf("%s: %v, want %v", c.p.Type, x, c.want)
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
