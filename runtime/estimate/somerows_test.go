package estimate

import (
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// The first of a permutation are those of Perm, as results of seeds depend on them.
func TestFirstOf(t *testing.T) {
	for _, n := range []int{1, 2, 10, 1000} {
		for _, count := range []int{1, n/2 + 1, n} {
			if got, want := firstOf(runtime.Stream(7, "test"), n, count), runtime.Stream(7, "test").Perm(n)[:count]; !slices.Equal(got, want) {
				t.Errorf("%d of %d: %v, want %v", count, n, got, want)
			}
		}
	}
}

// A few of many rows are different ones, in order, each as often as the others, and take no memory for all.
func TestFew(t *testing.T) {
	const n, count, times = 12, 5, 20_000
	seen, rng := make([]int, n), runtime.Stream(1, "test")
	for range times {
		rows := few(rng, n, count)
		if len(rows) != count || !slices.IsSorted(rows) || len(slices.Compact(slices.Clone(rows))) != count {
			t.Fatal(rows)
		}
		for _, i := range rows {
			seen[i]++
		}
	}
	const expected = times * count / n // with a standard deviation of 70
	for i, s := range seen {
		if s < expected-350 || s > expected+350 {
			t.Errorf("row %d was drawn %d times, want about %d", i, s, expected)
		}
	}
	if got := few(rng, n, n); len(got) != n || got[n-1] != n-1 {
		t.Error(got)
	}
	if rows := few(rng, 1<<60, 3); len(rows) != 3 {
		t.Error(rows)
	}
}
