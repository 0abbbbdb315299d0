package support_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime/ranges"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/workers"
)

// sums is a model that sums up its rows, as generated ones do: their total, the largest, and how many there are in each of some groups.
type sums struct {
	x    []float64
	own  []float64 // of a worker
	done []float64
	pass support.Pass[sums]
}

func (p *sums) help(q *sums) *support.Pass[sums] {
	own, crew := q.own, q.pass.Crew
	*q = *p
	q.own, q.pass.Crew = own, crew
	if q.own == nil {
		q.own = make([]float64, ranges.Block)
	}
	return &q.pass
}

func (p *sums) rows(start, end int, groups []float64, shift float64) {
	values := p.own[:end-start]
	copy(values, p.x[start:end])
	var total float64
	largest, at := p.pass.Sums[1], int(p.pass.Sums[2])
	for i, x := range values {
		if total += x + shift; x > largest {
			largest, at = x, start+i
		}
		groups[(start+i)%len(groups)] += x
	}
	p.pass.Sums[0] += total
	p.pass.Sums[1], p.pass.Sums[2] = largest, float64(at)
}

// sum makes a pass.
func (p *sums) sum(groups []float64) (total, largest float64, at int) {
	clear(groups)
	p.pass.Arrays[0], p.pass.Numbers[0] = groups, 0.25
	p.pass.Over(p, nil, len(p.x), support.Added{Sums: 1, Largest: 1, Arrays: 1}, func(p *sums, start, end int) {
		p.rows(start, end, p.pass.Arrays[0], p.pass.Numbers[0])
	}, (*sums).help)
	return p.pass.Sums[0], p.pass.Sums[1], int(p.pass.Sums[2])
}

// each writes what workers compute one by one.
func (p *sums) each() {
	p.pass.Each(p, len(p.done), 1<<20, func(p *sums, from, to int) {
		for i := from; i < to; i++ {
			p.own[0] = float64(i)
			p.done[i] = p.own[0] * p.own[0]
		}
	}, (*sums).help)
}

func newSums(rows int) *sums {
	m := &sums{x: make([]float64, rows), own: make([]float64, ranges.Block), done: make([]float64, 100)}
	for i := range m.x {
		m.x[i] = math.Sin(float64(i)) / float64(i%97+1)
	}
	return m
}

// Sums are right, and the same to the last bit whoever adds them up.
func TestPassOver(t *testing.T) {
	for _, rows := range []int{0, 1, 300, ranges.Whole, ranges.Whole + 1, 12_345, 200_000} {
		alone, groups := newSums(rows), make([]float64, 5)
		total, largest, at := alone.sum(groups)
		want, wantAt := math.Inf(-1), 0
		exact := 0.0
		for i, x := range alone.x {
			if exact += x + 0.25; x > want {
				want, wantAt = x, i
			}
		}
		if math.Abs(total-exact) > 1e-9*(1+math.Abs(exact)) || largest != want || at != wantAt {
			t.Errorf("%d rows: %v, %v in %d, not %v, %v in %d", rows, total, largest, at, exact, want, wantAt)
		}
		for _, n := range []int{1, 2, 3, 7, 64} {
			t.Run(fmt.Sprint(rows, "/", n), func(t *testing.T) {
				pool, m, got := workers.New(n), newSums(rows), make([]float64, 5)
				defer pool.Stop()
				m.pass.SetWorkers(pool)
				for range 3 {
					if a, b, c := m.sum(got); a != total || b != largest || c != at || !slices.Equal(got, groups) {
						t.Fatalf("%v, %v in %d, %v, not %v, %v in %d, %v", a, b, c, got, total, largest, at, groups)
					}
				}
				m.each()
				for i, x := range m.done {
					if x != float64(i*i) {
						t.Fatalf("done[%d] is %v", i, x)
					}
				}
			})
		}
	}
}

// A pass takes no memory when there is some.
func TestPassAllocatesNothing(t *testing.T) {
	for _, rows := range []int{100, 50_000} {
		for _, n := range []int{1, 2} {
			pool, m, groups := workers.New(n), newSums(rows), make([]float64, 5)
			m.pass.SetWorkers(pool)
			for range 20 { // until all workers have had a part
				m.sum(groups)
				m.each()
			}
			if a := testing.AllocsPerRun(50, func() { m.sum(groups); m.each() }); a > 0 {
				t.Errorf("%d rows, %d workers: %v allocations", rows, n, a)
			}
			pool.Stop()
		}
	}
}

// What is handed over lies in the pass, in its order, and takes no memory.
func TestTake(t *testing.T) {
	m, a, b := newSums(3), []float64{1}, []float64{2, 3}
	if n := testing.AllocsPerRun(100, func() {
		m.pass.TakeArrays(a, b)
		m.pass.TakeNumbers(4, 5, 6)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if &m.pass.Arrays[0][0] != &a[0] || len(m.pass.Arrays[1]) != 2 || m.pass.Numbers[0] != 4 || m.pass.Numbers[2] != 6 {
		t.Errorf("%v, %v", m.pass.Arrays[:2], m.pass.Numbers[:3])
	}
}
