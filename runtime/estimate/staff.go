package estimate

import (
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
