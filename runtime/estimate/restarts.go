package estimate

import (
	"context"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// runOthers runs from the starts after those of runs, up to what these have found. Of many rows the random ones run on a sample first, where most of
// their way costs little, whatever it leads to; from there they run on all, one of those that came to the same point.
func runOthers(ctx context.Context, m runtime.Model, r *Settings, runs []attempt, starts []start) []attempt {
	others, first := *r, len(runs)
	others.known = reachable(ctx, m, r, runs)
	on := runSampled(ctx, m, r, starts, first)
	var left []start
	var numbers []int // of what is left
	for i, from := range starts {
		a := on[i]
		switch {
		case a == nil:
		case a.end != nil:
			continue
		default:
			from = func(_ runtime.Model, z []float64) error { copy(z, a.res.Z); return nil }
		}
		left, numbers = append(left, from), append(numbers, i)
	}
	more := runAll(ctx, m.Clone, &others, left)
	for i := range more {
		a := &more[i]
		index := numbers[a.start]
		if a.number(index + first); on[index] != nil && a.res != nil {
			a.goesOn(on[index])
		}
	}
	return follow(more, on, first)
}

// follow adds the runs that were ended on a sample, where they came to the end of another one, to those that went on from there.
func follow(more []attempt, on map[int]*attempt, first int) []attempt {
	for i := range len(more) { // the others are added behind
		leader := more[i]
		if leader.res == nil || on[leader.start-first] == nil {
			continue
		}
		for _, a := range on {
			if a.end == on[leader.start-first] {
				a.end = &leader
				a.takeEnd()
				more = append(more, *a)
			}
		}
	}
	slices.SortFunc(more, func(a, b attempt) int { return a.start - b.start })
	return more
}

// runSampled runs from those of the starts that are random on a sample of the rows, and returns the runs that came to an end there, by the index of their
// start; where one came to the end of another, it says so. The first of the starts has the number first.
func runSampled(ctx context.Context, m runtime.Model, r *Settings, starts []start, first int) map[int]*attempt {
	random := max(0, m.Info().Starts-first)
	if !m.Info().RandomStart || random >= len(starts) || r.unconstrained() || r.stochastic() || r.MaxIterations > 0 {
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
	few.lossTolerance = sampleTolerance
	runs := runAll(ctx, clone, &few, starts[random:])
	ends, part, at := map[int]*attempt{}, clone(), make([]float64, dimension(m))
	var leaders []*attempt
	for _, a := range ranked(runs) { // by their losses
		index := a.start + random
		a.number(index + first)
		if a.far != "" || a.err != nil || !a.res.Status.Converged() && a.res.Status != runtime.EvaluationLimit {
			continue
		}
		ends[index] = a
		same := slices.IndexFunc(leaders, func(b *attempt) bool { return comesTo(part, at, a.res.Z, a.res.Loss, b.res, float64(len(rows))) })
		if same < 0 {
			leaders = append(leaders, a)
			continue
		}
		a.end = leaders[same]
	}
	return ends
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

// goesOn adds the way of a run before, from whose end this one began.
func (a *attempt) goesOn(before *attempt) {
	a.res.Iterations += before.res.Iterations
	a.res.LossEvaluations += before.res.LossEvaluations
	a.res.GradientEvaluations += before.res.GradientEvaluations
}
