// Package processes has processes of tests that are goroutines: each is a runtime.Reducer, as those of MPI are.
package processes

import (
	"errors"
	"fmt"
	"sync"

	"github.com/sngdgen/sngdgen/runtime"
)

// ErrGone is the error of a sum when one of the processes has ended, or has summed up something else.
var ErrGone = errors.New("another process has ended")

// Run runs a function in so many processes, and returns when all of them have ended, with the error of each.
func Run(size int, f func(own runtime.Reducer) error) []error {
	g := &group{size: size}
	g.turn = sync.NewCond(&g.lock)
	errs := make([]error, size)
	var wg sync.WaitGroup
	for rank := range size {
		wg.Go(func() {
			defer g.leave()
			errs[rank] = f(&process{g, rank})
		})
	}
	wg.Wait()
	return errs
}

// group is what processes share.
type group struct {
	size   int
	lock   sync.Mutex
	turn   *sync.Cond
	x      [][]float64 // of those that have come to the sum
	sum    []float64   // of the last time
	times  int         // that all have come
	gone   int         // who have ended
	failed error
}

func (g *group) leave() {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.gone++
	if len(g.x) > 0 {
		g.fail(ErrGone)
	}
}

func (g *group) fail(err error) {
	g.failed = err
	g.turn.Broadcast()
}

// process is one of them.
type process struct {
	g    *group
	rank int
}

func (p *process) Rank() int { return p.rank }
func (p *process) Size() int { return p.g.size }

// Sum waits for the others.
func (p *process) Sum(x []float64) error {
	g := p.g
	g.lock.Lock()
	defer g.lock.Unlock()
	if g.gone > 0 && g.failed == nil {
		g.fail(ErrGone)
	}
	if len(g.x) > 0 && len(g.x[0]) != len(x) {
		g.fail(fmt.Errorf("a process sums up %d numbers, another one %d", len(x), len(g.x[0])))
	}
	if g.failed != nil {
		return g.failed
	}
	g.x = append(g.x, x)
	if len(g.x) == g.size {
		g.sum = make([]float64, len(x))
		for i := range g.sum {
			for _, y := range g.x {
				g.sum[i] += y[i]
			}
		}
		for _, y := range g.x {
			copy(y, g.sum)
		}
		g.x = nil
		g.times++
		g.turn.Broadcast()
		return nil
	}
	for now := g.times; now == g.times; g.turn.Wait() {
		if g.failed != nil {
			return g.failed
		}
	}
	return nil
}
