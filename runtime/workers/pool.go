// Package workers has the goroutines that share the work of a fit. Work is given as parts that do not depend on how many of them there are;
// who does which part is decided as they go, and nothing that is computed may depend on it.
package workers

import (
	goruntime "runtime"
	"sync"
	"sync/atomic"
)

// Most is how many workers there may be.
const Most = 1024

// Pool is a number of workers: whoever has something to do, and helpers, goroutines that wait for it. Several may have something to do at
// the same time, each with the helpers that are idle. A nil pool has no helpers.
type Pool struct {
	size  int
	idle  chan *helper
	lock  sync.Mutex
	all   []*helper // that have begun
	ended sync.WaitGroup
}

// New returns a pool of so many workers, of as many as there are processors where n is 0. Helpers begin when they are needed first.
func New(n int) *Pool {
	p := &Pool{size: Number(n)}
	p.idle = make(chan *helper, p.size)
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
		h := &helper{wake: make(chan order)}
		p.all = append(p.all, h)
		p.ended.Add(1)
		go func() {
			defer p.ended.Done()
			for o := range h.wake {
				o.job.help(o.worker)
				p.idle <- h
				o.job.helping.Done()
			}
		}()
		p.idle <- h
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
		close(h.wake)
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
type helper struct{ wake chan order }

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
	task    Task
	parts   int64
	next    atomic.Int64
	helping sync.WaitGroup
	lock    sync.Mutex
	panics  any // what a helper has panicked with
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
	j.task, j.parts, j.panics = t, int64(parts), nil
	j.next.Store(0)
	for worker := 1; worker < most; worker++ {
		h := p.take()
		if h == nil {
			break
		}
		j.helping.Add(1)
		h.wake <- order{j, worker}
	}
	defer j.finish()
	j.run(0)
}

// finish waits for the helpers.
func (j *Job) finish() {
	j.next.Store(j.parts)
	j.helping.Wait()
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
