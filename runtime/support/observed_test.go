package support_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// held is a model's data with two columns, as generated code has them.
type held struct {
	support.ScaledData
	x, y []float64
}

func (h *held) keep(t *testing.T) {
	t.Helper()
	rows, err := support.Split(runtime.Data{Values: []float64{1, 10, 2, 20, 3, 30}, Columns: 2, Weights: []float64{1, 2, 5}}, []support.Part{
		{Name: "x", Type: types.Number.Of(types.Real), Width: 1}, {Name: "y", Type: types.Number.Of(types.Real), Width: 1}})
	if err != nil {
		t.Fatal(err)
	}
	h.Keep(rows, &h.x, &h.y)
}

// Rows of a batch are those of all columns, their weights add up, and in a posterior they stand for all.
func TestSee(t *testing.T) {
	var h held
	h.keep(t)
	if h.N != 8 || h.Scale != 1 || !slices.Equal(h.y, []float64{10, 20, 30}) {
		t.Errorf("all rows: %+v", h)
	}
	if err := h.See([]int{2, 0}, &h.x, &h.y); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(h.x, []float64{3, 1}) || !slices.Equal(h.y, []float64{30, 10}) || h.N != 6 || h.Scale != 8.0/6 {
		t.Errorf("a batch: %+v", h)
	}
	if rows, distinct, weight := h.Counts(); rows != 3 || distinct != 3 || weight != 8 {
		t.Error("of a posterior all rows count", rows, distinct, weight)
	}
	l := support.Data{}
	l.Keep(h.Rows, &h.x, &h.y)
	if err := l.See([]int{2, 0}, &h.x, &h.y); err != nil {
		t.Fatal(err)
	}
	if rows, _, weight := l.Counts(); rows != 3 || weight != 6 {
		t.Error("of a likelihood the batch counts", rows, weight)
	}
}

// A column that no step reads has the rows of a batch when it is asked for them, those of the batch as it was taken; all rows it has at once.
func TestHave(t *testing.T) {
	var h held
	h.keep(t)
	h.Rows.Later(1)
	see := func(rows []int) {
		t.Helper()
		if err := h.See(rows, &h.x, &h.y); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, want ...float64) {
		t.Helper()
		if h.Have(1, &h.x); !slices.Equal(h.x, want) {
			t.Errorf("%s: %v, want %v", what, h.x, want)
		}
	}
	batch := []int{2, 0}
	if see(batch); h.x != nil || !slices.Equal(h.y, []float64{30, 10}) {
		t.Errorf("a batch: %v, %v", h.x, h.y)
	}
	batch[0] = 1
	check("a batch", 3, 1)
	check("once more", 3, 1)
	if see(nil); !slices.Equal(h.x, []float64{1, 2, 3}) {
		t.Errorf("all rows: %v", h.x)
	}
	check("all rows", 1, 2, 3)
	see([]int{1})
	check("another batch", 2)
	clone := support.Data{}
	var x, y []float64
	clone.Keep(h.Rows.Shared(), &x, &y)
	if err := clone.See([]int{2}, &x, &y); err != nil || x != nil {
		t.Errorf("a batch of a clone: %v, %v", x, err)
	}
	if clone.Have(1, &x); !slices.Equal(x, []float64{3}) || !slices.Equal(h.x, []float64{2}) {
		t.Errorf("a batch of a clone: %v beside %v", x, h.x)
	}
	if n := testing.AllocsPerRun(100, func() { _ = h.See(batch, &h.x, &h.y) }); n != 0 {
		t.Errorf("%v allocations of a batch", n)
	}
	clone.Drop(&x, &y)
	if clone.Have(1, &x); x != nil {
		t.Errorf("without data: %v", x)
	}
}

// What is no batch is refused, and leaves the rows as they were.
func TestSeeRefuses(t *testing.T) {
	var h held
	h.keep(t)
	var wrong *runtime.SettingError
	if err := h.See([]int{3}, &h.x, &h.y); !errors.As(err, &wrong) || len(h.x) != 3 || h.Scale != 1 {
		t.Errorf("a row that is not there: %v, %+v", err, h)
	}
	if err := h.SeeAll([]int{0}, &h.x, &h.y); !errors.As(err, &wrong) || len(h.x) != 3 {
		t.Errorf("a batch of a sequence: %v, %+v", err, h)
	}
	if err := h.SeeAll(nil, &h.x, &h.y); err != nil || len(h.x) != 3 {
		t.Errorf("all of a sequence: %v, %+v", err, h)
	}
}

// Data are dropped with their columns.
func TestDrop(t *testing.T) {
	var h held
	h.keep(t)
	if h.Drop(&h.x, &h.y); h.x != nil || h.y != nil || h.Rows != nil || h.W.Len() != 0 || h.Total != 0 || h.Scale != 1 {
		t.Errorf("%+v", h)
	}
}

// A batch no longer than one before takes no memory: the list of columns is on the stack.
func TestSeeAllocations(t *testing.T) {
	var h held
	h.keep(t)
	batch := []int{2, 1}
	if n := testing.AllocsPerRun(100, func() { _ = h.See(batch, &h.x, &h.y) }); n != 0 {
		t.Errorf("%v allocations of a batch", n)
	}
	if n := testing.AllocsPerRun(100, func() { _ = h.SeeAll(nil, &h.x, &h.y) }); n != 0 {
		t.Errorf("%v allocations of all rows", n)
	}
}

// TestTakeValidates: data that are no values of the variable are refused, and leave the rows as they were.
func TestTakeValidates(t *testing.T) {
	var l struct {
		support.Data
		x []float64
	}
	count := &runtime.Parameter{Name: "n", Type: types.Number.Of(types.Count)}
	if err := l.TakeMerged(runtime.Data{Values: []float64{2, 0, 2}}, 1, count, &l.x); err != nil || len(l.x) != 2 {
		t.Fatalf("%v, and %d distinct rows", err, len(l.x))
	}
	for _, take := range []func(runtime.Data, int, *runtime.Parameter, ...*[]float64) error{l.Take, l.TakeMerged} {
		var wrong *runtime.DataError
		err := take(runtime.Data{Values: []float64{1, 2.5}}, 1, count, &l.x)
		if !errors.As(err, &wrong) || wrong.Row != 1 || wrong.Name != "n" || len(l.x) != 2 {
			t.Errorf("%v, and %d rows", err, len(l.x))
		}
	}
}
