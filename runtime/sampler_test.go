package runtime

import (
	goruntime "runtime"
	"slices"
	"testing"
)

// Batches are those of a shuffle of whole numbers in memory, whatever memory has them: results of seeds depend on that.
func TestSampler(t *testing.T) {
	const rows, batch = 23, 4
	for _, how := range []Sampling{ByEpoch, WithReplacement} {
		var s, large sampler
		s.reset(how, rows, batch, 5)
		large.reset(how, rows, batch, 5)
		large.order = permutation{many: large.order.list(rows, nil)}
		rng, order, next := Stream(5, "minibatch"), (&permutation{}).list(rows, nil), 0
		for range 40 {
			var want []int
			for range batch {
				if how == WithReplacement {
					want = append(want, rng.IntN(rows))
					continue
				}
				if next == rows {
					next = 0
				}
				j := next + rng.IntN(rows-next)
				order[next], order[j] = order[j], order[next]
				want = append(want, order[next])
				next++
			}
			if got, again := s.draw(), large.draw(); !slices.Equal(got, want) || !slices.Equal(again, want) {
				t.Fatalf("%v: %v and %v, want %v", how, got, again, want)
			}
		}
		if !slices.Equal(s.drawnFrom(), order) {
			t.Errorf("%v: drawn from %v, want %v", how, s.drawnFrom(), order)
		}
	}
	var all sampler
	all.reset(ByEpoch, 3, 0, 5)
	if got := all.draw(); !slices.Equal(got, []int{0, 1, 2}) {
		t.Error(got)
	}
}

// The order of an epoch takes four bytes a row, and batches with replacement have none.
func TestMemoryOfSampler(t *testing.T) {
	const rows = 1 << 20
	for how, most := range map[Sampling]uint64{ByEpoch: 4*rows + 1<<16, WithReplacement: 1 << 16} {
		var s sampler
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		s.reset(how, rows, 100, 1)
		goruntime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > most {
			t.Errorf("%v: %d bytes for %d rows", how, took, rows)
		}
		s.draw()
	}
}
