package estimate

import (
	"context"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// runOthers runs from the starts after those of runs, up to what these have found. Of many rows the random ones run on a sample first.
func runOthers(ctx context.Context, m runtime.Model, r *Settings, runs []attempt, starts []start) []attempt {
	others, first := *r, len(runs)
	others.known = reachable(ctx, m, r, runs)
	more := runSampled(ctx, m, &others, starts, first)
	var left []start
	var numbers []int // of what is left
	for i, from := range starts {
		if !slices.ContainsFunc(more, func(a attempt) bool { return a.start == first+i }) {
			left, numbers = append(left, from), append(numbers, first+i)
		}
	}
	for _, a := range runAll(ctx, m.Clone, &others, left) {
		a.number(numbers[a.start])
		more = append(more, a)
	}
	slices.SortFunc(more, func(a, b attempt) int { return a.start - b.start })
	return more
}

// onAllRows is the number of steps that runs take with all rows at most, from where they ended on a sample, to come to an end.
const onAllRows = 300

// runSampled runs from those of the starts that are random on a sample of the rows, where most of the way costs little, whatever it leads to. It returns the
// runs that come from there to a known end with all rows, or to where the gradient is 0, one of those that came to the same point for all of them. From the
// other starts nothing is known: what a run looks like that begins at the end of another does not say where the likelihood goes to infinity. The first of the starts has the number
// first.
func runSampled(ctx context.Context, m runtime.Model, r *Settings, starts []start, first int) (reached []attempt) {
	random := max(0, m.Info().Starts-first)
	if len(r.known) == 0 || !m.Info().RandomStart || random >= len(starts) || r.unconstrained() || r.MaxIterations > 0 {
		return nil
	}
	rows := sampleOfSearch(m, r.Seed)
	if rows == nil {
		return nil
	}
	clone := func() runtime.Model {
		c := m.Clone()
		c.(runtime.Batcher).Batch(rows)
		return c
	}
	few := *r
	few.known, few.lossTolerance = nil, sampleTolerance
	runs := runAll(ctx, clone, &few, starts[random:])
	for i := range runs {
		runs[i].number(runs[i].start + random + first)
	}
	part, at := clone(), make([]float64, dimension(m))
	var leaders []*attempt
	for _, a := range ranked(runs) { // by their losses
		if !a.sound() {
			continue
		}
		same := slices.IndexFunc(leaders, func(b *attempt) bool { return comesTo(part, at, a.res.Z, a.res.Loss, b.res, float64(len(rows))) })
		if a.end = a; same >= 0 {
			a.end = leaders[same]
		} else {
			leaders = append(leaders, a)
		}
	}
	var from []start
	for _, a := range leaders {
		from = append(from, func(_ runtime.Model, z []float64) error { copy(z, a.res.Z); return nil })
	}
	on := *r
	on.MaxIterations = onAllRows
	for _, to := range runAll(ctx, m.Clone, &on, from) {
		leader := leaders[to.start]
		to.number(leader.start)
		for i := range runs {
			a := runs[i]
			if a.end != leader || !(to.reached || to.sound() && to.res.Status == runtime.GradientConverged) {
				continue
			}
			if &runs[i] == leader {
				a.traced = append(a.traced, to.traced...)
				a.goesOn(&to)
			}
			a.end = &to
			a.takeEnd()
			a.reached = to.reached || &runs[i] != leader
			reached = append(reached, a)
		}
	}
	return reached
}

// sound reports whether a run has come to an end of its own, which is not at infinity as far as the run itself shows.
func (a *attempt) sound() bool {
	return a.res != nil && a.far == "" && a.err == nil && a.res.Status.Converged()
}

// sampleOfSearch returns the rows that are searched first, nil where these would not be fewer than half of all.
func sampleOfSearch(m runtime.Model, seed uint64) []int {
	all, distinct, _ := m.Counts()
	sampled := max(leastSample, min(mostSample, samplePerParameter*freeParameters(m)))
	if _, batches := m.(runtime.Batcher); !batches || distinct <= 2*sampled {
		return nil
	}
	return sample(all, sampled, seed, "rows")
}

// goesOn adds the way of another run, of which one began where the other ended.
func (a *attempt) goesOn(other *attempt) {
	a.res.Iterations += other.res.Iterations
	a.res.LossEvaluations += other.res.LossEvaluations
	a.res.GradientEvaluations += other.res.GradientEvaluations
}
