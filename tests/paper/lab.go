package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/sngdgen/sngdgen/tests/paper/clock"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
)

// lab runs experiments, each once for all figures that show it.
type lab struct {
	*options
	figure   string // being made
	progress io.Writer
	began    time.Time
	results  map[string][]grid.Result
	values   map[string]any
}

func newLab(o *options, progress io.Writer) *lab {
	return &lab{options: o, progress: progress, began: time.Now(), results: map[string][]grid.Result{}, values: map[string]any{}}
}

// report writes a line of progress.
func (l *lab) report(format string, args ...any) {
	fmt.Fprintf(l.progress, "%6.1f s  %s: %s\n", time.Since(l.began).Seconds(), l.figure, fmt.Sprintf(format, args...))
}

// The paper has ten seeds.
const (
	paperSeeds = 10
	smallSeeds = 2
)

func (l *lab) seeds() int {
	own := paperSeeds
	if l.small {
		own = smallSeeds
	}
	return cmp.Or(l.options.seeds, own)
}

// sized chooses between sizes of an experiment.
func sized[T any](l *lab, full, small T) T {
	if l.small {
		return small
	}
	return full
}

// iterations of a stochastic method.
func (l *lab) iterations(full, small int) int { return cmp.Or(l.steps, sized(l, full, small)) }

// once returns the results of an experiment, from memory if it has been run before.
func (l *lab) once(name string, run func() ([]grid.Result, error)) ([]grid.Result, error) {
	if rs, ok := l.results[name]; ok {
		return rs, nil
	}
	rs, err := run()
	if err == nil {
		l.results[name] = rs
	}
	return rs, err
}

// remembered is once for anything.
func remembered[T any](l *lab, name string, run func() (T, error)) (T, error) {
	if x, ok := l.values[name]; ok {
		return x.(T), nil
	}
	x, err := run()
	if err == nil {
		l.values[name] = x
	}
	return x, err
}

// parallel runs settings with all seeds, with a line of progress for each that is complete.
func (l *lab) parallel(ctx context.Context, what string, settings []grid.Setting, seeds int,
	run func(ctx context.Context, s grid.Setting, seed uint64) (grid.Run, error)) ([]grid.Result, error) {
	complete := 0
	return grid.Parallel(ctx, settings, seeds, l.workers, run, func(s grid.Setting, _ uint64, r grid.Run) {
		if complete++; complete%seeds == 0 {
			l.report("%s: %d of %d runs, the last one %s, %s, %s", what, complete, seeds*len(settings), s.Method, s.Text, r)
		}
	})
}

// now is the clock of all runs.
var now = clock.Thread
