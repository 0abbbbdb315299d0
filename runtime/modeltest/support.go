package modeltest

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// checkSupport: data with rows outside the support are refused, by their numbers, and the model stays as it was.
func checkSupport(t *testing.T, s subject) {
	rng := rand.New(rand.NewPCG(31, 32))
	d := s.data(t, 60, rng)
	m := s.with(t, d)
	b, ok := m.(runtime.Supported)
	if !ok {
		return
	}
	for i := range 60 {
		if c := b.Outside(row(d, i)); c >= 0 {
			t.Fatalf("%s does not hold of a row that was taken", m.Info().Support[c])
		}
	}
	other := slices.Clone(d.Values)
	var want []int
	for i := range 60 {
		x := other[i*d.Columns : (i+1)*d.Columns]
		if kept := slices.Clone(x); rng.IntN(4) == 0 {
			if anyRows(m, x, rng); b.Outside(x) < 0 {
				copy(x, kept)
			} else {
				want = append(want, i)
			}
		}
	}
	if len(want) == 0 { // random rows are inside
		return
	}
	z := start(t, m, rng)
	before := answers(m, z)
	var bad *runtime.DataError
	if err := m.SetData(runtime.Data{Values: other, Columns: d.Columns}); !errors.As(err, &bad) || bad.Outside == nil {
		t.Fatalf("rows outside the support: %v", err)
	}
	if got := bad.Outside; got.Count != len(want) || !slices.Equal(got.Rows, want[:min(len(want), runtime.ShownOutside)]) || bad.Row != want[0] {
		t.Errorf("rows %v are outside the support, and %v are said to be", want, *got)
	}
	if got := answers(m, z); !slices.Equal(got, before) {
		t.Errorf("after rows that were refused: %v, before %v", got, before)
	}
}
