package grid

import (
	"context"
	"fmt"
	"runtime"
	"sync"
)

// Parallel runs every setting with every seed, several at a time, each locked to a thread of its own so that clock.Thread tells its
// time. Done is called after each, one call at a time. The first error ends all.
func Parallel(ctx context.Context, settings []Setting, seeds, workers int,
	run func(ctx context.Context, s Setting, seed uint64) (Run, error), done func(s Setting, seed uint64, r Run)) ([]Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := make([]Result, len(settings))
	for i, s := range settings {
		out[i] = Result{Method: s.Method, Text: s.Text, Runs: make([]Run, seeds)}
	}
	jobs := make(chan int)
	var wg sync.WaitGroup
	var report sync.Mutex
	for range workers {
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for job := range jobs {
				s, seed := settings[job/seeds], job%seeds
				r, err := run(ctx, s, uint64(seed))
				if err != nil {
					cancel(fmt.Errorf("%s, %s, seed %d: %w", s.Method, s.Text, seed, err))
					continue
				}
				out[job/seeds].Runs[seed] = r
				report.Lock()
				done(s, uint64(seed), r)
				report.Unlock()
			}
		})
	}
	for job := range len(settings) * seeds {
		if ctx.Err() != nil {
			break
		}
		jobs <- job
	}
	close(jobs)
	wg.Wait()
	return out, context.Cause(ctx)
}
