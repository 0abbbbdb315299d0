package runtime

import "github.com/sngdgen/sngdgen/runtime/workers"

// staff is the workers of a loop, for the time of a run.
type staff struct {
	pool *workers.Pool
	of   Parallel // nil where the problem has workers of its own, or none
}

// share gives a problem so many workers, unless it has some.
func (s *staff) share(p Problem, n int) {
	of, ok := p.(Parallel)
	if n = workers.Number(n); !ok || n == 1 {
		return
	}
	if s.pool.Size() != n {
		s.pool = workers.New(n)
	}
	if before := of.SetWorkers(s.pool); before != nil {
		of.SetWorkers(before)
		return
	}
	s.of = of
}

// end takes them back.
func (s *staff) end() {
	if s.of != nil {
		s.of.SetWorkers(nil)
		s.pool.Stop()
		s.of = nil
	}
}
