package expr

import (
	"context"
	"errors"
)

// ErrTooLarge is why building stops when a graph has spent its budget.
var ErrTooLarge = errors.New("too many operations")

// Stopped is what building panics with where a graph may not grow any further. Whoever bounds a graph recovers it: every
// pass over expressions would otherwise have to hand an error through that none of them can do anything about.
type Stopped struct {
	Err error // ErrTooLarge, or why the context ended
}

func (s Stopped) Error() string { return s.Err.Error() }
func (s Stopped) Unwrap() error { return s.Err }

// Bound makes building panic with Stopped from now on when the context has ended, or when more nodes have been asked for
// than limit allows, counted as Work does; 0 is no limit. The count is the same in every run: a spec that fits into the
// budget on one machine does so on all.
func (g *Graph) Bound(ctx context.Context, limit int) { g.ctx, g.limit = ctx, limit }

// Work is how many nodes have been asked for, each counted with its operands, whether they were there already or not.
func (g *Graph) Work() int { return g.work }

// Poll panics with Stopped when the context that bounds the graph has ended: for loops that build nothing.
func (g *Graph) Poll() {
	if g.ctx == nil {
		return
	}
	if err := g.ctx.Err(); err != nil {
		panic(Stopped{err})
	}
}

// pollEvery is the work between two looks at the context.
const pollEvery = 1024

func (g *Graph) spend(work int) {
	before := g.work
	g.work += work
	if g.limit > 0 && g.work > g.limit {
		panic(Stopped{ErrTooLarge})
	}
	if before/pollEvery != g.work/pollEvery {
		g.Poll()
	}
}
