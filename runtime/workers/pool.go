// Package workers has the goroutines that share the work of a fit. Work is given as parts that do not depend on how many of them there are;
// who does which part is decided as they go, and nothing that is computed may depend on it.
package workers

import (
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Most is how many workers there may be.
const Most = 1024

// Pool is a number of workers: whoever has something to do, and helpers, goroutines that wait for it. Several may have something to do at
// the same time, each with the helpers that are idle. A nil pool has no helpers.
type Pool struct {
	size   int
	spin   spin
	awake  atomic.Int64 // how many helpers spin
	roused atomic.Int64 // when a helper has been woken up for a short task last, as a time since began
	lock   sync.Mutex
	all    []*helper  // that have begun
	idle   []*helper  // of these: the last one has worked last, so that it spins when others have parked
	given  *sync.Cond // one has become idle
	ended  sync.WaitGroup
}

// New returns a pool of so many workers, of as many as there are processors where n is 0. Helpers begin when they are needed first.
func New(n int) *Pool {
	p := &Pool{size: Number(n)}
	p.given = sync.NewCond(&p.lock)
	if p.size <= goruntime.GOMAXPROCS(0) {
		p.spin.longest = longestSpin
	}
	return p
}

// Number is how many workers a setting stands for: 0 is as many as Go uses processors.
func Number(n int) int {
	if n <= 0 {
		n = goruntime.GOMAXPROCS(0)
	}
	return min(n, Most)
}

// Size is the number of workers.
func (p *Pool) Size() int {
	if p == nil {
		return 1
	}
	return p.size
}

// begin starts the helpers, unless they have begun. The pool has to be locked.
func (p *Pool) begin() {
	for range p.size - 1 - len(p.all) {
		h := &helper{wake: make(chan struct{}, 1)}
		p.all, p.idle = append(p.all, h), append(p.idle, h)
		p.ended.Go(func() { p.serve(h) })
	}
}

// serve does what a helper is told, until that is no job.
func (p *Pool) serve(h *helper) {
	for {
		p.awake.Add(1)
		o := h.next(p)
		p.awake.Add(-1)
		if o.job == nil {
			return
		}
		o.job.help(o.worker)
		p.give(h)
		o.job.leave()
	}
}

// Stop ends the helpers, and returns when they have ended. Nobody may have anything to do then. They begin again when they are needed.
func (p *Pool) Stop() {
	if p == nil {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	for len(p.idle) < len(p.all) {
		p.given.Wait()
	}
	for _, h := range p.all {
		h.tell(order{})
	}
	p.ended.Wait()
	p.all, p.idle = nil, nil
}

// Take takes an idle helper away, for a goroutine of one's own that works in its place, and returns what gives it back; nil where there is
// none.
func (p *Pool) Take() (back func()) {
	if h := p.take(true); h != nil {
		return func() { p.give(h) }
	}
	return nil
}

// take is an idle helper, the one that has worked last or the one that has been idle for longest; nil where there is none.
func (p *Pool) take(longest bool) *helper {
	if p == nil || p.size == 1 {
		return nil
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.begin()
	if len(p.idle) == 0 {
		return nil
	}
	i := len(p.idle) - 1
	if longest {
		i = 0
	}
	h := p.idle[i]
	p.idle = slices.Delete(p.idle, i, i+1)
	return h
}

// give makes a helper idle.
func (p *Pool) give(h *helper) {
	p.lock.Lock()
	p.idle = append(p.idle, h)
	p.lock.Unlock()
	p.given.Signal()
}

// helper is a goroutine.
type helper struct {
	order order
	count int64        // how often it has been told something
	state atomic.Int64 // spinning, parked, or told: the count then
	wake  chan struct{}
}

// The states of a helper. Whoever has taken it from those that are idle may tell it something, and nobody else.
const (
	spinning int64 = -iota
	parked
)

func told(state int64) bool { return state > 0 }

// tell has a helper do something. What it returns takes that back.
func (h *helper) tell(o order) call {
	h.order = o
	h.count++
	c := call{h, h.count}
	if h.state.Swap(c.count) == parked {
		h.wake <- struct{}{}
	}
	return c
}

// call is what a helper has been told.
type call struct {
	helper *helper
	count  int64
}

// withdraw takes it back, and reports whether the helper has not come before: then it is nobody's.
func (c call) withdraw() bool { return c.helper.state.CompareAndSwap(c.count, spinning) }

// next is what a helper is told next.
func (h *helper) next(p *Pool) order {
	for {
		if p.spin.until(&h.state, told) {
			if state := h.state.Load(); told(state) && h.state.CompareAndSwap(state, spinning) {
				o := h.order
				h.order = order{}
				return o
			}
		} else if h.state.CompareAndSwap(spinning, parked) {
			p.awake.Add(-1)
			<-h.wake
			p.awake.Add(1)
		}
	}
}

// spin is how those who wait spin before they park: to wake a goroutine takes 50 microseconds and more, as one that has just become ready is left to the processor it became so on for a
// while, and a pass over 10,000 rows takes as long. Nobody spins for a while when one of them has lost its processor, as others need it then.
type spin struct {
	longest time.Duration // that they do, 0 for not at all
	lost    atomic.Int64  // when one has lost its processor last, as a time since began
}

// began is before all times that are taken here.
var began = time.Now()

const (
	// longestSpin is longer than most of what lies between two passes over rows of a fit.
	longestSpin = 100 * time.Microsecond
	// lostFor is what no turn takes that has a processor, and parkedFor for how long nobody spins then.
	lostFor, parkedFor = 300 * time.Microsecond, 300 * time.Millisecond
)

// until spins until a number is as it should be, and reports whether it is in time.
func (w *spin) until(x *atomic.Int64, right func(int64) bool) bool {
	if w.longest == 0 {
		return right(x.Load())
	}
	start := time.Since(began)
	if lost := time.Duration(w.lost.Load()); lost > 0 && start-lost < parkedFor {
		return right(x.Load())
	}
	for last := start; ; {
		for range 30 { // to ask for the time takes as long
			if right(x.Load()) {
				return true
			}
		}
		now := time.Since(began)
		if now-last > lostFor {
			w.lost.Store(int64(now))
			return false
		}
		if last = now; now-start >= w.longest {
			return false
		}
	}
}

// order is what a helper is to help with, and its number there.
type order struct {
	job    *Job
	worker int
}

// Task is work in parts.
type Task interface {
	// Part does a part. Worker is who does it: two parts are not done by the same one at the same time. It is 0 for the one who asked.
	Part(worker, part int)
}

// Job is the memory of work that is being done. It may be used again and again, for one task at a time, and for tasks that take about as long: by the last one is decided who
// is woken up for the next.
type Job struct {
	task   Task
	parts  int64
	next   atomic.Int64
	at     atomic.Int64  // how many are at it, or may come, with the one who asked
	left   chan struct{} // gets something when the last one leaves, unless that is the one who asked
	calls  []call        // of helpers
	took   time.Duration // the last task, times the workers; 0 where there was none
	since  int           // how many have not been shared since the last that was
	lock   sync.Mutex
	panics any // what a helper has panicked with
}

// one is the number of workers that are at a job where nobody helps.
func one(at int64) bool { return at == 1 }

// Do does all parts of a task, with the helpers that are idle, at most so many workers in all. It returns when all parts have been done, and
// panics with what a part panics with.
func (p *Pool) Do(j *Job, t Task, parts, most int) {
	if most = min(most, parts, p.Size()); most <= 1 {
		all(t, parts)
		return
	}
	start := time.Since(began)
	if j.alone(p) {
		all(t, parts)
		j.took = time.Since(began) - start
		return
	}
	if j.left == nil {
		j.left = make(chan struct{}, 1)
	}
	j.task, j.parts, j.panics = t, int64(parts), nil
	j.next.Store(0)
	j.at.Store(1)
	p.call(j, most, start)
	workers := time.Duration(1 + len(j.calls))
	defer func() {
		j.finish(p)
		j.took = (time.Since(began) - start) * workers
	}()
	j.run(0)
}

// all does all parts, one after the other.
func all(t Task, parts int) {
	for i := range parts {
		t.Part(0, i)
	}
}

const (
	// worthWaking is how long one worker has to take for a task that parked helpers are woken up for, which takes some microseconds of those that wake, and 50 and more until they come.
	worthWaking = 200 * time.Microsecond
	// seldom is how long lies between two that are woken up for less, to spin when the next task comes.
	seldom = time.Millisecond
)

// call tells idle helpers to come. Those that have done something last come first: the others are parked when they are.
func (p *Pool) call(j *Job, most int, now time.Duration) {
	j.calls = j.calls[:0]
	for worker := 1; worker < most; worker++ {
		h := p.take(false)
		if h == nil {
			return
		}
		if h.state.Load() == parked && j.short() && !p.worthRousing(now) {
			p.give(h)
			return
		}
		j.at.Add(1)
		j.calls = append(j.calls, h.tell(order{j, worker}))
	}
}

// alone reports whether a task is done by one worker, and helpers are not even asked: a short one, while all of them are parked or have something to do. Now and then they are, so that one is woken up.
func (j *Job) alone(p *Pool) bool {
	const mostly = 64
	if !j.short() || p.awake.Load() > 0 || j.since >= mostly {
		j.since = 0
		return false
	}
	j.since++
	return true
}

// short reports whether the last task was one that nobody is woken up for. Those of a model are alike.
func (j *Job) short() bool { return j.took > 0 && j.took < worthWaking }

// worthRousing reports whether a helper that is parked is to be woken up for a short task.
func (p *Pool) worthRousing(now time.Duration) bool {
	last := p.roused.Load()
	return p.spin.longest > 0 && now-time.Duration(last) > seldom && p.roused.CompareAndSwap(last, int64(now))
}

// leave is what a helper does last: the job may be another one's then.
func (j *Job) leave() {
	left := j.left
	if j.at.Add(-1) == 0 {
		left <- struct{}{}
	}
}

// finish waits for the helpers that have come, as there is nothing to do any more for others.
func (j *Job) finish(p *Pool) {
	j.next.Store(j.parts)
	for _, c := range j.calls {
		if c.withdraw() {
			j.at.Add(-1)
			p.give(c.helper)
		}
	}
	if !p.spin.until(&j.at, one) && j.at.Add(-1) > 0 {
		<-j.left
	}
	if j.task = nil; j.panics != nil {
		panic(j.panics)
	}
}

// run does parts until there are no more.
func (j *Job) run(worker int) {
	for {
		i := j.next.Add(1) - 1
		if i >= j.parts {
			return
		}
		j.task.Part(worker, int(i))
	}
}

// help is run for a helper, whose panics are those of who asked.
func (j *Job) help(worker int) {
	defer func() {
		if e := recover(); e != nil {
			j.lock.Lock()
			j.panics = e
			j.lock.Unlock()
			j.next.Store(j.parts)
		}
	}()
	j.run(worker)
}
