package workers

import (
	"fmt"
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// count counts how often parts are done, and notices workers that do two at a time.
type count struct {
	times []atomic.Int32
	busy  []atomic.Bool
	twice atomic.Bool
	who   atomic.Int64 // workers that have done a part, a bit each
}

func counting(parts, workers int) *count {
	return &count{times: make([]atomic.Int32, parts), busy: make([]atomic.Bool, workers)}
}

func (c *count) Part(worker, part int) {
	if c.busy[worker].Swap(true) {
		c.twice.Store(true)
	}
	c.who.Or(1 << worker)
	c.times[part].Add(1)
	goruntime.Gosched()
	c.busy[worker].Store(false)
}

func (c *count) check(t *testing.T) {
	t.Helper()
	for i := range c.times {
		if n := c.times[i].Load(); n != 1 {
			t.Errorf("part %d was done %d times", i, n)
		}
	}
	if c.twice.Load() {
		t.Error("a worker did two parts at a time")
	}
}

func TestEveryPartIsDoneOnce(t *testing.T) {
	for _, size := range []int{1, 2, 3, 7, 64} {
		p := New(size)
		var j Job
		for _, parts := range []int{0, 1, 2, 63, 64, 1000} {
			c := counting(parts, size)
			p.Do(&j, c, parts, size)
			c.check(t)
		}
		p.Stop()
	}
	var none *Pool
	c := counting(5, 1)
	none.Do(new(Job), c, 5, 9)
	c.check(t)
	none.Stop()
}

func TestSeveralAtTheSameTime(t *testing.T) {
	p := New(4)
	defer p.Stop()
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			var j Job
			for range 50 {
				c := counting(20, 4)
				p.Do(&j, c, 20, 4)
				c.check(t)
			}
		})
	}
	wg.Wait()
}

// inner does something with the same pool within a part.
type inner struct{ p *Pool }

func (n inner) Part(int, int) {
	var j Job
	n.p.Do(&j, counting(10, 3), 10, 3)
}

func TestPartsHavePartsOfTheirOwn(t *testing.T) {
	p := New(3)
	defer p.Stop()
	p.Do(new(Job), inner{p}, 12, 3)
}

func TestTakenHelpersDoNotHelp(t *testing.T) {
	p := New(2)
	defer p.Stop()
	back := p.Take()
	if back == nil || p.Take() != nil {
		t.Fatal("a pool of two workers has one helper")
	}
	c := counting(100, 2)
	p.Do(new(Job), c, 100, 2)
	if c.check(t); c.who.Load() != 1 {
		t.Error("a helper that was taken away has helped")
	}
	back()
	if back = p.Take(); back == nil {
		t.Fatal("a helper that was given back is not idle")
	}
	back()
}

type failing struct{ at int }

func (f failing) Part(_, part int) {
	if part == f.at {
		panic("no")
	}
}

func TestPanicsArriveAtWhoAsked(t *testing.T) {
	p := New(3)
	defer p.Stop()
	var j Job
	for at := range 10 {
		func() {
			defer func() {
				if e := recover(); e != "no" {
					t.Errorf("part %d: %v", at, e)
				}
			}()
			p.Do(&j, failing{at}, 10, 3)
		}()
		c := counting(10, 3)
		p.Do(&j, c, 10, 3)
		c.check(t)
	}
}

func TestNoGoroutineIsLeft(t *testing.T) {
	before := goruntime.NumGoroutine()
	for range 20 {
		p := New(5)
		p.Do(new(Job), counting(10, 5), 10, 5)
		p.Stop()
		p.Stop()
		c := counting(10, 5)
		p.Do(new(Job), c, 10, 5) // helpers begin again
		c.check(t)
		p.Stop()
	}
	for range 100 {
		if goruntime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", goruntime.NumGoroutine(), before)
}

func TestNothingIsAllocated(t *testing.T) {
	p := New(2)
	defer p.Stop()
	var j Job
	c := counting(64, 2)
	if n := testing.AllocsPerRun(100, func() { p.Do(&j, c, 64, 2) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// busy does nothing for about as long as a pass over a few thousand rows takes.
type busy struct{ sums [8]float64 }

func (b *busy) Part(_, part int) {
	s := 0.0
	for i := range 10_000 {
		s += float64(i)
	}
	b.sums[part] = s
}

// BenchmarkDo is what four short parts take that are shared, and one after the other.
func BenchmarkDo(b *testing.B) {
	for _, size := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", size), func(b *testing.B) {
			p := New(size)
			defer p.Stop()
			var j Job
			task := new(busy)
			for b.Loop() {
				p.Do(&j, task, 4, size)
			}
		})
	}
}

// TestParkedHelpers: whoever is told something after it has fallen parked does it too.
func TestParkedHelpers(t *testing.T) {
	p := New(2)
	defer p.Stop()
	var j Job
	for wait := range 20 {
		c := counting(50, 2)
		p.Do(&j, c, 50, 2)
		c.check(t)
		time.Sleep(time.Duration(wait) * longestSpin / 10)
	}
	if goruntime.GOMAXPROCS(0) < Most && New(Most).spin.longest != 0 {
		t.Error("helpers that have no processor spin")
	}
}

// TestSpin: nobody spins for a while after one has lost its processor, and else as long as it may.
func TestSpin(t *testing.T) {
	var x atomic.Int64
	is := func(value int64) func(int64) bool { return func(x int64) bool { return x == value } }
	w := &spin{longest: time.Hour}
	w.lost.Store(int64(time.Since(began)))
	if w.until(&x, is(1)) { // and not an hour later
		t.Error("0 is 1")
	}
	w.lost.Store(int64(time.Since(began) - parkedFor))
	go func() {
		time.Sleep(time.Millisecond)
		x.Store(1)
	}()
	for !w.until(&x, is(1)) { // a machine with much to do takes the processor away
		w.lost.Store(0)
	}
	if short := (&spin{longest: time.Nanosecond}); short.until(&x, is(2)) || !short.until(&x, is(1)) || (&spin{}).until(&x, is(2)) {
		t.Error("it does not say what is there")
	}
}

// absent is a pool with helpers that never come, and these.
func absent(n int, state int64) (*Pool, []*helper) {
	p := New(1 + n)
	for range n {
		h := &helper{wake: make(chan struct{}, 1)}
		h.state.Store(state)
		p.all, p.idle = append(p.all, h), append(p.idle, h)
	}
	return p, slices.Clone(p.idle)
}

// TestNobodyWaitsForThoseWhoDoNotCome: a helper that is slow to wake up is told again later.
func TestNobodyWaitsForThoseWhoDoNotCome(t *testing.T) {
	p, helpers := absent(2, parked)
	var j Job
	for round := range 3 {
		j.took = time.Hour
		c := counting(20, 3)
		p.Do(&j, c, 20, 3)
		c.check(t)
		for i, h := range helpers {
			if h.count != int64(round+1) || h.state.Load() != spinning || !slices.Contains(p.idle, h) {
				t.Fatalf("round %d: helper %d was told %d times, and is %d", round, i, h.count, h.state.Load())
			}
		}
	}
	if len(helpers[0].wake) != 1 {
		t.Error("a helper that was parked was not woken up")
	}
}

// TestWithdrawnCalls: what a helper has been told for one job is not taken back for another.
func TestWithdrawnCalls(t *testing.T) {
	p, helpers := absent(1, spinning)
	first := helpers[0].tell(order{worker: 1})
	if !first.withdraw() || first.withdraw() {
		t.Error("what nobody has heard is taken back once")
	}
	second := helpers[0].tell(order{worker: 2})
	if first.withdraw() {
		t.Error("the second call is not the first")
	}
	if o := helpers[0].next(p); o.worker != 2 || second.withdraw() {
		t.Errorf("the helper has heard %d", o.worker)
	}
}

// TestShortTasksWakeNobody: but once in a while, that somebody is there for the next one.
func TestShortTasksWakeNobody(t *testing.T) {
	p, helpers := absent(1, parked)
	p.spin.longest = longestSpin
	told := func(took, roused time.Duration) bool {
		j := Job{took: took, since: 1 << 20}
		helpers[0].state.Store(parked)
		before := helpers[0].count
		p.roused.Store(int64(roused))
		p.Do(&j, counting(9, 2), 9, 2)
		select {
		case <-helpers[0].wake:
		default:
		}
		return helpers[0].count > before
	}
	now := time.Since(began) + time.Hour // later than it will be
	if told(worthWaking-1, now) || !told(worthWaking, now) || !told(0, now) {
		t.Error("the time of the last task decides")
	}
	if !told(1, -time.Hour) || time.Duration(p.roused.Load()) < 0 {
		t.Error("nobody was roused")
	}
	if p.spin.longest = 0; told(1, -time.Hour) {
		t.Error("who never spins is roused in vain")
	}
}

// TestWhoIsTold: the helper that has worked last, as it may spin still, and the one that has been idle for longest where a goroutine takes its place.
func TestWhoIsTold(t *testing.T) {
	p, helpers := absent(3, spinning)
	if p.take(false) != helpers[2] || p.take(true) != helpers[0] {
		t.Error("others were taken")
	}
	p.give(helpers[0])
	if p.take(false) != helpers[0] || p.take(false) != helpers[1] || p.take(false) != nil {
		t.Error("the order is another")
	}
}

// TestAlone: while nobody spins, short tasks are done without a look at helpers, but for one now and then.
func TestAlone(t *testing.T) {
	p, helpers := absent(1, parked)
	p.spin.longest = longestSpin
	j, told := Job{took: 1}, func() int64 { return helpers[0].count }
	for told() == 0 && j.since < 1000 {
		j.took = 1
		c := counting(9, 2)
		p.Do(&j, c, 9, 2)
		c.check(t)
		if j.took == 1 {
			t.Fatal("the time of a task that is not shared does not count")
		}
	}
	if told() != 1 || j.since != 0 {
		t.Errorf("told %d times, %d tasks since", told(), j.since)
	}
	before := told()
	p.awake.Add(1)
	j.took = 1
	p.Do(&j, counting(9, 2), 9, 2)
	if told() == before {
		t.Error("a helper that spins is not told")
	}
}
