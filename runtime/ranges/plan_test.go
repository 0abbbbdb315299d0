package ranges

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Processes that have whole ranges add up to the bits of one that has all rows; others to the same but for rounding.
func TestPlansAreTheTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		rows := 1 + rng.IntN(300_000)
		r := Cut(rows, 1+rng.IntN(3)*rng.IntN(20_000))
		processes := 1 + rng.IntN(6)
		shares, wholeRanges := make(Shares, processes+1), rng.IntN(2) == 0
		for i := 1; i < processes; i++ {
			if shares[i] = rng.IntN(rows + 1); wholeRanges {
				shares[i], _ = r.Range(rng.IntN(r.Count()))
			}
		}
		slices.Sort(shares[:processes])
		shares[processes] = rows
		value := func(row int) float64 { return math.Sin(float64(row)) }
		sum := func(from, to int) (s float64) {
			for i := from; i < to; i++ {
				s += value(i)
			}
			return s
		}

		alone := &Parts{Sums: 1}
		alone.Begin(r.Count())
		for i := range r.Count() {
			alone.Of(i)[0] = sum(r.Range(i))
		}
		alone.Combine(r.Count())

		all := &Parts{Sums: 1}
		all.Begin(shares.Plan(r, 0).All)
		var among []Addition
		for q := range processes {
			p, own := shares.Plan(r, q), &Parts{Sums: 1}
			own.Begin(p.Count)
			start, end := shares.Of(q)
			for i := range p.Count {
				from, to := r.Range(p.From + i)
				own.Of(i)[0] = sum(max(from, start), min(to, end))
			}
			own.Add(p.Within)
			for k, i := range p.Handed {
				all.Of(p.At + k)[0] = own.Of(i)[0]
			}
			among = p.Among
		}
		all.Add(among)
		if got, want := all.Of(0)[0], alone.Of(0)[0]; wholeRanges && got != want || math.Abs(got-want) > 1e-10 {
			t.Fatalf("%d rows in %d ranges, %v: %v, and %v of one process", rows, r.Count(), shares, got, want)
		}
	}
}

func TestEvenSharesAreWholeRanges(t *testing.T) {
	for _, rows := range []int{0, 3, 5000, 20_000, 131_072, 1_000_003} {
		for processes := 1; processes < 70; processes++ {
			s, r := Even(rows, processes), Cut(rows, 1)
			if s[0] != 0 || s[processes] != rows || !slices.IsSorted(s) {
				t.Fatalf("%d rows, %d processes: %v", rows, processes, s)
			}
			for q := range processes {
				if some, whole := s.spans(r, q); r.Count() >= processes && some != whole {
					t.Errorf("%d rows, process %d of %d has parts of ranges", rows, q, processes)
				}
			}
		}
	}
}
