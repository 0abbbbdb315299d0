package estimate

import (
	"sync"
	"sync/atomic"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/workers"
)

// Workers share starts, and the passes over rows of one start: a start that goes on by itself takes a helper away from the others.

// staff makes workers for as long as something is estimated, unless there are some, and returns what ends them.
func (r *Settings) staff() (end func()) {
	if r.pool != nil {
		return func() {}
	}
	r.pool = workers.New(r.Workers)
	return r.pool.Stop
}

// share gives the workers to a model, unless somebody has given it some, which are then those of all. The model is one's own.
func (r *Settings) share(m runtime.Model) {
	p, ok := m.(runtime.Parallel)
	if !ok {
		return
	}
	if before := p.SetWorkers(r.pool); before != nil {
		p.SetWorkers(before)
		r.pool = before
	}
}

// eachOf does something for every number below count, with idle helpers too, each of which has a model to itself. Processes that have rows of their own do
// it in order.
func (r *Settings) eachOf(m runtime.Model, count int, do func(m runtime.Model, i int)) {
	var next atomic.Int64
	rest := func(m runtime.Model) {
		for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
			do(m, i)
		}
	}
	var wg sync.WaitGroup
	for k := 1; k < min(r.pool.Size(), count) && othersOf(m) == nil; k++ {
		back := r.pool.Take()
		if back == nil {
			break
		}
		own := m.Clone()
		wg.Go(func() {
			defer back()
			rest(own)
		})
	}
	rest(m)
	wg.Wait()
}
