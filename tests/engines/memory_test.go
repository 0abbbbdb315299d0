package engines

import (
	goruntime "runtime"
	"testing"

	"github.com/sngdgen/sngdgen/internal/librarytest"
	"github.com/sngdgen/sngdgen/runtime"
)

// The bound without draws of a posterior with many groups keeps of a row what the row has, and not a coefficient for every group.
func TestMemoryOfGroups(t *testing.T) {
	const groups = 400
	of := func(name string, rows int) uint64 {
		m := librarytest.Interpreted(t, name)()
		d := runtime.Data{Columns: 4}
		for i := range rows {
			d.Values = append(d.Values, 1, float64(i%7)-3, float64(i%groups+1), float64(i%3))
		}
		before := heap()
		if err := m.SetData(d); err != nil {
			t.Fatal(err)
		}
		x := m.(runtime.Exact)
		length := 0
		for _, b := range m.Blocks() {
			length += b.Len
		}
		z := make([]float64, length)
		if err := m.Start(z, 0, runtime.Stream(1, "start")); err != nil {
			t.Fatal(err)
		}
		x.ExactLoss(z)
		after := heap()
		goruntime.KeepAlive(m)
		return after - before
	}
	for _, name := range []string{"poissonintercept", "randomintercept"} {
		few, many := of(name, 1000), of(name, 4000)
		if each := (float64(many) - float64(few)) / 3000 / 8; each > 100 {
			t.Errorf("%s: %.0f numbers for a row that has 3 coefficients of %d", name, each, groups+3)
		}
	}
}

// heap is how many bytes are in use.
func heap() uint64 {
	var s goruntime.MemStats
	goruntime.GC()
	goruntime.ReadMemStats(&s)
	return s.HeapAlloc
}
