package estimate

import (
	"slices"
	"testing"
)

// Probabilities that another posterior has taken the memory of are computed again when they are asked for, in the order of before; those of few rows stay.
func TestSharesAreComputedAgain(t *testing.T) {
	for _, rows := range []int{10, leastApart} {
		memory, computed := new(perRow), 0
		made := func(first float64) *posterior {
			return &posterior{k: 2, weights: memory.weights(rows), memory: memory, again: func(r []float64) {
				computed++
				for i := range r {
					r[i] = first + float64(i%2)/4
				}
			}}
		}
		a, b := made(0.25), made(0.5)
		a.reorder([]int{1, 0})
		want := []float64{0.5, 0.25}
		for range 3 {
			if got := b.shares()[:2]; !slices.Equal(got, []float64{0.5, 0.75}) {
				t.Errorf("%d rows: %v", rows, got)
			}
			if got := a.shares(); !slices.Equal(got[:2], want) || !slices.Equal(got[2*rows-2:], want) || len(got) != 2*rows {
				t.Errorf("%d rows: %v, want %v", rows, got[:2], want)
			}
		}
		if want := map[bool]int{true: 7, false: 2}[rows == leastApart]; computed != want {
			t.Errorf("%d rows: computed %d times, want %d", rows, computed, want)
		}
		if pieces := len(memory.free); pieces > 0 {
			t.Errorf("%d rows: %d pieces of memory are left over", rows, pieces)
		}
	}
}
