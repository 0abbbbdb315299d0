// Package workers has the goroutines that share the work of a fit. Work is given as parts that do not depend on how many of them there are;
// who does which part is decided as they go, and nothing that is computed may depend on it.
package workers

import (
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Most is how many workers there may be.
const Most = 1024

// Pool is a number of workers: whoever has something to do, and helpers, goroutines that wait for it. Several may have something to do at
// the same time, each with the helpers that are idle. A nil pool has no helpers.
type Pool struct {
	size  int
	idle  chan *helper
	spin  spin
	lock  sync.Mutex
	all   []*helper // that have begun
	ended sync.WaitGroup
}

// New returns a pool of so many workers, of as many as there are processors where n is 0. Helpers begin when they are needed first.
func New(n int) *Pool {
	p := &Pool{size: Number(n)}
	p.idle = make(chan *helper, p.size)
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

// begin starts the helpers, unless they have begun.
func (p *Pool) begin() {
	p.lock.Lock()
	defer p.lock.Unlock()
	for range p.size - 1 - len(p.all) {
		h := &helper{wake: make(chan struct{}, 1)}
		p.all = append(p.all, h)
		p.ended.Go(func() { p.serve(h) })
		p.idle <- h
	}
}

// serve does what a helper is told, until that is no job.
func (p *Pool) serve(h *helper) {
	for {
		o := h.next(&p.spin)
		if o.job == nil {
			return
		}
		o.job.help(o.worker)
		p.idle <- h
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
	for _, h := range p.all {
		<-p.idle // all of them are, as nobody has anything to do
		h.tell(order{})
	}
	p.ended.Wait()
	p.all = nil
}

// Take takes an idle helper away, for a goroutine of one's own that works in its place, and returns what gives it back; nil where there is
// none.
func (p *Pool) Take() (back func()) {
	if h := p.take(); h != nil {
		return func() { p.idle <- h }
	}
	return nil
}

// take is the next idle helper, nil where there is none.
func (p *Pool) take() *helper {
	if p == nil || p.size == 1 {
		return nil
	}
	p.begin()
	select {
	case h := <-p.idle:
		return h
	default:
		return nil
	}
}

// helper is a goroutine.
type helper struct {
	order order
	state atomic.Int32
	wake  chan struct{} // where it is parked
}

// The states of a helper. Whoever has taken it from those that are idle may tell it something, and nobody else.
const (
	spinning int32 = iota
	told
	parked
)

// tell has a helper do something.
func (h *helper) tell(o order) {
	h.order = o
	if h.state.Swap(told) == parked {
		h.wake <- struct{}{}
	}
}

// next is what a helper is told next.
func (h *helper) next(w *spin) order {
	if !w.until(&h.state, told) && h.state.CompareAndSwap(spinning, parked) {
		<-h.wake
	}
	o := h.order
	h.order = order{}
	h.state.Store(spinning)
	return o
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

// until spins until a number has a value, and reports whether it has in time.
func (w *spin) until(x *atomic.Int32, value int32) bool {
	if w.longest == 0 {
		return x.Load() == value
	}
	start := time.Since(began)
	if lost := time.Duration(w.lost.Load()); lost > 0 && start-lost < parkedFor {
		return x.Load() == value
	}
	for last := start; ; {
		for range 30 { // to ask for the time takes as long
			if x.Load() == value {
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

// Job is the memory of work that is being done. It may be used again and again, for one task at a time.
type Job struct {
	task   Task
	parts  int64
	next   atomic.Int64
	at     atomic.Int32  // how many are at it, with the one who asked
	left   chan struct{} // gets something when the last one leaves, unless that is the one who asked
	lock   sync.Mutex
	panics any // what a helper has panicked with
}

// Do does all parts of a task, with the helpers that are idle, at most so many workers in all. It returns when all parts have been done, and
// panics with what a part panics with.
func (p *Pool) Do(j *Job, t Task, parts, most int) {
	most = min(most, parts, p.Size())
	if most <= 1 {
		for i := range parts {
			t.Part(0, i)
		}
		return
	}
	if j.left == nil {
		j.left = make(chan struct{}, 1)
	}
	j.task, j.parts, j.panics = t, int64(parts), nil
	j.next.Store(0)
	j.at.Store(1)
	for worker := 1; worker < most; worker++ {
		h := p.take()
		if h == nil {
			break
		}
		j.at.Add(1)
		h.tell(order{j, worker})
	}
	defer j.finish(&p.spin)
	j.run(0)
}

// leave is what a helper does last: the job may be another one's then.
func (j *Job) leave() {
	left := j.left
	if j.at.Add(-1) == 0 {
		left <- struct{}{}
	}
}

// finish waits for the helpers.
func (j *Job) finish(w *spin) {
	j.next.Store(j.parts)
	if !w.until(&j.at, 1) && j.at.Add(-1) > 0 {
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
