package ranges

import (
	"math"
	"testing"
)

func TestRangesAreWholeBlocks(t *testing.T) {
	for _, rows := range []int{0, 1, 255, 256, Whole, Whole + 1, 1024, 5000, 8192, 65536, 100_000, 1_000_003, 1 << 24} {
		for _, numbers := range []int{0, 1, 40, 2000, 1_000_000} {
			r := Cut(rows, numbers)
			if rows <= Whole && r.Count() != 1 {
				t.Errorf("%d rows are %d ranges", rows, r.Count())
			}
			if least := map[bool]int{true: 4, false: 2}[numbers < few]; r.Count() > max(1, (rows+Block-1)/Block/least) {
				t.Errorf("%d rows, %d numbers: %d ranges", rows, numbers, r.Count())
			}
			at := 0
			for i := range r.Count() {
				from, to := r.Range(i)
				if from != at || to < from || from%Block != 0 || to%Block != 0 && to != rows {
					t.Fatalf("%d rows, %d numbers: range %d is %d to %d, after %d", rows, numbers, i, from, to, at)
				}
				if r.Count() > 1 && to-from <= (leastBlocks-1)*Block {
					t.Errorf("%d rows, %d numbers: range %d has %d rows", rows, numbers, i, to-from)
				}
				at = to
			}
			if at != rows {
				t.Errorf("%d rows end at %d", rows, at)
			}
			if r.Count() > 1 && float64(r.Count())*math.Sqrt(float64(numbers)) > float64(rows)/leastRatio {
				t.Errorf("%d rows, %d numbers: %d ranges take too much memory", rows, numbers, r.Count())
			}
		}
	}
}

func TestPartsCombine(t *testing.T) {
	for count := 1; count < 70; count++ {
		p := &Parts{Sums: 2, Largest: 2, Entries: 3}
		p.Begin(count)
		var first, entry, largest, at float64
		largest = math.Inf(-1)
		for i := range count {
			of := p.Of(i)
			x := float64(i*i%17 + 1)
			of[0], of[1] = x, 1
			if i != 3 { // a range in which nothing counts
				of[2], of[3] = x, float64(100*i)
				if x > largest {
					largest, at = x, float64(100*i)
				}
			}
			of[4], of[5] = -x, float64(i)
			of[6], of[8] = 2*x, -x
			first, entry = first+x, entry+2*x
		}
		p.Combine(count)
		got := p.Of(0)
		if got[0] != first || got[1] != float64(count) || got[2] != largest || got[3] != at || got[6] != entry || got[7] != 0 || got[8] != -first {
			t.Errorf("%d ranges: %v; expected %v, %v, %v in %v, %v", count, got, first, count, largest, at, entry)
		}
	}
}

func TestLargestOfRangesIsNaNWhereOneIs(t *testing.T) {
	p := &Parts{Largest: 1}
	p.Begin(3)
	p.Of(0)[0], p.Of(1)[0], p.Of(2)[0] = 1, math.NaN(), 2
	p.Combine(3)
	if !math.IsNaN(p.Of(0)[0]) {
		t.Errorf("got %v", p.Of(0)[0])
	}
}
