package estimate

import (
	"cmp"
	"context"
	"encoding/binary"
	"hash/fnv"
	"iter"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// Mixtures have many maxima, and where a run ends depends on where it starts. The search makes many starts of different
// kinds, runs from each a few steps, runs the best to their ends, and then moves components: two that overlap become one,
// and another becomes two (Ueda, Nakano, Ghahramani and Hinton, SMEM algorithm for mixture models, Neural Computation 12,
// 2000), or one goes to a spot of rows that the others explain badly, or to a random place: see moves.go. Short runs before long ones are
// those of Biernacki, Celeux and Govaert (Computational Statistics & Data Analysis 41, 2003). All of its limits are numbers of
// operations, so that the outcome depends on nothing but data and seed.
type search struct {
	model   runtime.Model
	mixture runtime.Grouped
	r       *Settings
	white   *principal
	rows    []int // on which the search runs; nil for all
	// gathered are all rows, where processes have some each and the search is to look at all.
	gathered []int
	work     float64         // operations that a gradient on these rows takes
	found    []attempt       // runs that came to their ends
	starts   int             // so far
	tried    map[uint64]bool // groups that a run has started from
	visits   map[int]int     // how often components have moved from the end of a run, by its number
}

const (
	// Of more than twice as many rows the search looks at a sample, of so many for each free parameter within limits; the best of
	// what it finds runs to its end on all: the work is better spent on more starts, as the points to start from are about the
	// same on a sample, while most starts lead nowhere on any number of rows.
	leastSample, mostSample = 2048, 8192
	samplePerParameter      = 16
	// Short runs end after so many steps, or when five of them gain less than this part of the loss. The first ones are natural
	// steps, those of EM for mixtures of a family by itself, at one evaluation each: far from an optimum the second derivatives
	// that other methods build up are of no use. Then those that are at one point are known, and the better three quarters go on,
	// with so many evaluations for each step.
	firstSteps     = 12
	shortSteps     = 30
	shortTolerance = 1e-4
	leastFirst     = 5
	perStep        = 2
	// On a sample runs to the end stop when five steps gain less than this part of the loss: they go on on all rows.
	sampleTolerance = 1e-7
	// The numbers of starts, of runs to the end and of moved components are such that each stage takes about so many
	// operations, one or two tenths of a second, within limits.
	stageWork              = 6e8
	leastStarts, allStarts = 10, 50
	batchStarts            = 20 // of which one at least must lead to somewhere new, or there are no more
	leastLong, mostLong    = 2, 10
	leastFull, mostFull    = 2, 5
	fullStages             = 4   // runs on all rows, from where those on a sample ended, may take so many times as much
	longSteps              = 100 // about what a run to the end takes
	// As long as no run ends soundly there are more starts, and more runs to the end, up to so many times as many.
	longRounds  = 3
	pointRounds = 2
)

// newSearch returns nil where there is nothing to search for: one component, starts that the caller counts, methods of
// other coordinates, and models that cannot start from groups.
func newSearch(m runtime.Model, r *Settings) *search {
	mix, ok := m.(runtime.Grouped)
	_, shows := m.(runtime.Observed)
	if !ok || !shows || mix.Components() < 2 || m.Info().Starts == 0 || r.Starts > 0 || r.unconstrained() || r.stochastic() {
		return nil
	}
	s := &search{model: m, mixture: mix, r: r, tried: map[uint64]bool{}, visits: map[int]int{}}
	all, rows, _ := m.Counts()
	if s.rows = sampleOfSearch(m, r.Seed); s.rows != nil {
		rows = len(s.rows)
	} else if divided(m) {
		s.gathered = sample(all, all, r.Seed, "rows")
	}
	searched := weighted(s.clone().(runtime.Observed))
	values, columns, given := rowsOf(m, searched)
	s.white, r.facts = newPrincipal(searched), new(facts)
	r.facts.find(values, searched.Weights, columns, given, r.perRow)
	s.measure(rows)
	return s
}

// measure notes about how many operations a gradient on so many rows takes.
func (s *search) measure(rows int) {
	each := 10.0
	if d := float64(s.model.Info().RowLen(s.model)); d > 1 {
		each = d*d + d + 30
	}
	s.work = float64(rows) * float64(s.mixture.Components()) * each
}

// clone returns a model of the rows that the search looks at.
func (s *search) clone() runtime.Model {
	c := s.model.Clone()
	switch {
	case s.rows != nil:
		c.(runtime.Batcher).Batch(s.rows)
	case s.gathered != nil:
		c.(runtime.Batcher).Batch(s.gathered)
	}
	return c
}

// times returns how many runs of so many steps a stage affords.
func (s *search) times(steps float64, least, most int) int {
	return int(math.Max(float64(least), math.Min(float64(most), stageWork/(steps*s.work))))
}

// run returns the runs that came to their ends.
func (s *search) run(ctx context.Context) (runs []attempt, warnings []string) {
	var first []*attempt
	for range pointRounds { // on data with many ties nearly all components collapse
		points, number := s.points(s.times(shortSteps, leastStarts, allStarts)), s.starts
		if first = s.batches(ctx, points); len(first) == 0 && len(s.found) == 0 {
			// In all of those that went on a component collapsed: not all starts did.
			runs = s.steps(ctx, s.r, points, shortSteps)
			for i := range runs {
				runs[i].start += number
			}
			first = s.distinct(ranked(runs))
		}
		if s.long(ctx, first, s.times(longSteps, leastLong, mostLong)); s.best() != nil || !anyRan(runs) && len(first) == 0 {
			break
		}
	}
	switch {
	case len(s.found) > 0:
	case len(first) > 0: // there was no time for a run to its end
		return s.interrupted(ctx, first[0]), nil
	default: // no start is inside the domain, or in all of them a component collapses at once
		return runs, nil
	}
	s.moveOn(ctx)
	if ctx.Err() != nil {
		warnings = append(warnings, "stopped before the search for starts had ended")
	}
	if s.rows != nil {
		s.finish(ctx)
	}
	s.drawBack(ctx)
	return s.found, warnings
}

// batches makes short runs from some of the starts after the other, until these lead nowhere new: nearly all mixtures of two
// components that are apart have one maximum worth the name, which all starts find.
func (s *search) batches(ctx context.Context, starts []start) (order []*attempt) {
	for len(starts) > 0 && ctx.Err() == nil {
		n, known := min(len(starts), batchStarts), len(order)
		runs := s.short(ctx, starts[:n])
		s.learn(runs)
		order = append(order, runs...)
		sortByLoss(order)
		if order = s.distinct(order); len(order) == known && known > 0 {
			break
		}
		starts = starts[n:]
	}
	return order
}

// short runs a few steps from each start, and returns the runs by their losses. Halfway, points at which others are already
// are left out for the first time, and the better three quarters of the others go on.
func (s *search) short(ctx context.Context, starts []start) []*attempt {
	first := *s.r
	if s.r.Method == "nlbfgs" && s.r.LineSearch == "" {
		first.Method, first.LineSearch = "sngd", "backtracking"
	}
	runs := s.steps(ctx, &first, starts, firstSteps)
	for i := range runs {
		runs[i].number(runs[i].start + s.starts)
	}
	s.starts += len(starts)
	order := s.distinct(ranked(runs))
	order = order[:min(len(order), max(leastFirst, (3*len(order)+3)/4))]
	rest := s.resume(ctx, order, func(starts []start) []attempt {
		further := *s.r
		further.maxEvaluations = perStep * (shortSteps - firstSteps)
		return s.steps(ctx, &further, starts, shortSteps-firstSteps)
	})
	return s.distinct(ranked(rest))
}

// steps runs so many steps from each start.
func (s *search) steps(ctx context.Context, r *Settings, starts []start, count int) []attempt {
	few := *r
	few.MaxIterations, few.lossTolerance, few.unguarded = count, shortTolerance, true
	if s.r.MaxIterations > 0 {
		few.MaxIterations = min(count, s.r.MaxIterations)
	}
	runs := runAll(ctx, s.clone, &few, starts)
	look := s.clone()
	for i := range runs {
		a := &runs[i]
		if a.res == nil || a.status == runtime.Collapsed {
			continue
		}
		if a.posterior = newPosterior(look, s.r, a.res.Z, a.theta); a.posterior != nil {
			a.countRows(look)
			a.posterior = nil // as large as the data
		}
	}
	return runs
}

// resume runs from the ends of other runs, whose numbers these keep.
func (s *search) resume(ctx context.Context, from []*attempt, run func([]start) []attempt) []attempt {
	var starts []start
	for _, a := range from {
		z := slices.Clone(a.res.Z)
		starts = append(starts, func(_ runtime.Model, dst []float64) error { copy(dst, z); return nil })
	}
	runs := run(starts)
	for i := range runs {
		before := from[runs[i].start]
		runs[i].number(before.start)
		if runs[i].res != nil { // the way from the start is that of both
			runs[i].goesOn(before)
		}
	}
	return runs
}

// distinct leaves out runs that are where one of a lower loss is, up to what a few more steps move.
func (s *search) distinct(order []*attempt) (kept []*attempt) {
	for _, a := range order {
		if !slices.ContainsFunc(kept, func(b *attempt) bool { return s.same(b, a) }) {
			kept = append(kept, a)
		}
	}
	return kept
}

// same reports whether two runs are at one point, up to what a few more steps move.
func (s *search) same(a, b *attempt) bool {
	return math.Abs(a.res.Loss-b.res.Loss) <= nearlyAlike*(1+math.Abs(a.res.Loss)) && alikeMixtures(s.model, a.theta, b.theta, nearParameters)
}

// long runs the first of some short runs to their ends and keeps them, then up to twice as many others as long as none ends
// soundly. It returns the lowest loss of those that do.
func (s *search) long(ctx context.Context, order []*attempt, count int) float64 {
	best, bounded := math.Inf(1), s.r.bounded()
	if s.rows != nil {
		bounded.lossTolerance = sampleTolerance
	}
	for range longRounds {
		if len(order) == 0 || !math.IsInf(best, 1) || ctx.Err() != nil {
			break
		}
		n := min(count, len(order))
		runs := s.resume(ctx, order[:n], func(starts []start) []attempt { return runAll(ctx, s.clone, bounded, starts) })
		order = order[n:]
		look := s.clone()
		var ends []*attempt
		for i := range runs {
			if runs[i].look(look, s.r); runs[i].ended() && !runs[i].thin {
				best = math.Min(best, runs[i].res.Loss)
				ends = append(ends, &runs[i])
			}
		}
		s.learn(ends)
		s.found = append(s.found, runs...)
	}
	return best
}

// learn adds the components of some runs to the spots that those of others may move to.
func (s *search) learn(runs []*attempt) {
	if s.white == nil {
		return
	}
	look := s.clone()
	for _, a := range runs {
		if a.thin {
			continue
		}
		if p := newPosterior(look, s.r, a.res.Z, a.theta); p != nil {
			s.white.addSpots(p, s.r.Seed)
		}
	}
}

// Runs are about to end at one optimum if their losses do not differ by more than nearlyAlike, relative to 1+|loss|, and their
// parameters by more than nearParameters, relative to the largest entry.
const (
	nearlyAlike    = 1e-4
	nearParameters = 1e-2
)

// ranked returns the runs that led somewhere, by their losses.
func ranked(runs []attempt) (order []*attempt) {
	for i := range runs {
		if a := &runs[i]; a.res != nil && a.status != runtime.Collapsed {
			order = append(order, a)
		}
	}
	sortByLoss(order)
	return order
}

// best returns the run of the lowest loss among those that ended soundly, nil if there is none.
func (s *search) best() *attempt {
	order := ranked(s.found)
	i := slices.IndexFunc(order, func(a *attempt) bool { return a.ended() })
	if i < 0 {
		return nil
	}
	return order[i]
}

// untried reports whether each of the components has a row, and no run has started from these groups, in whatever order; from
// now on one has.
func (s *search) untried(groups []int) bool {
	k := s.mixture.Components()
	if !complete(groups, k) {
		return false
	}
	names, code, next := make([]uint64, k), make([]byte, 0, len(groups)), uint64(0)
	for _, g := range groups {
		if names[g] == 0 {
			next++
			names[g] = next
		}
		code = binary.AppendUvarint(code, names[g])
	}
	hash := fnv.New64a()
	hash.Write(code)
	key := hash.Sum64()
	if s.tried[key] {
		return false
	}
	s.tried[key] = true
	return true
}

// interrupted is a run that was to go on, had there been time, as one on all rows.
func (s *search) interrupted(ctx context.Context, a *attempt) []attempt {
	all := s.model.Clone()
	a.res.Loss = all.Loss(a.res.Z)
	a.posterior, a.looked = nil, false
	a.reject(runtime.Cancelled, ctx.Err().Error())
	s.r.facts = new(facts)
	return []attempt{*a}
}

// finish runs the best points that were found on a sample of the rows to their ends on all.
func (s *search) finish(ctx context.Context) {
	if order := ranked(s.found); ctx.Err() != nil && len(order) > 0 {
		s.found = s.interrupted(ctx, order[0])
		return
	}
	sample := s.found
	s.found, s.rows, s.white, s.r.facts = nil, nil, nil, new(facts) // of other rows
	order := slices.DeleteFunc(ranked(sample), func(a *attempt) bool { return !a.ended() })
	if len(order) == 0 {
		order = ranked(sample)
	}
	order = s.distinct(order)
	_, rows, _ := s.model.Counts()
	s.measure(rows)
	order = order[:min(len(order), s.times(longSteps/fullStages, leastFull, mostFull))]
	s.long(ctx, order, len(order))
}

// fromGroups is a start from groups of rows; of several formulas each has its turn.
func (s *search) fromGroups(groups []int, turn int) start {
	labels := make([]float64, len(groups))
	for i, g := range groups {
		labels[i] = float64(g)
	}
	formula := turn % s.model.Info().Starts
	return func(m runtime.Model, z []float64) error { return m.(runtime.Grouped).StartGroups(z, labels, formula) }
}

// points returns starts of different kinds: the formulas of the spec, groups of rows, each kind having its turn, and the random
// ones of the spec.
func (s *search) points(count int) []start {
	info, k := s.model.Info(), s.mixture.Components()
	var starts []start
	if s.starts == 0 {
		starts = append(fromStarts(s.r, info.Starts), s.seeded()...)
	}
	kinds := make([]func() (start, bool), 0, len(groupings)+1)
	for _, kind := range groupings {
		next, stop := iter.Pull(func(yield func([]int) bool) { kind(s.white, k, s.r.Seed, yield) })
		defer stop()
		turn := 0
		kinds = append(kinds, func() (start, bool) {
			groups, ok := s.fresh(next)
			turn++
			return s.fromGroups(groups, turn-1), ok
		})
	}
	if info.RandomStart {
		random := info.Starts + s.starts - 1
		kinds = append(kinds, func() (start, bool) {
			random++
			return startOf(s.r, random), true
		})
	}
	for i := 0; len(starts) < count && len(kinds) > 0; i++ {
		if from, ok := kinds[i%len(kinds)](); ok {
			starts = append(starts, from)
		} else {
			kinds = slices.Delete(kinds, i%len(kinds), i%len(kinds)+1)
		}
	}
	return starts
}

// fresh returns the next groups that no run has started from, unless several others come before them.
func (s *search) fresh(next func() ([]int, bool)) ([]int, bool) {
	for range sameGroups {
		groups, ok := next()
		if !ok || s.untried(groups) {
			return groups, ok
		}
	}
	return nil, false
}

// sameGroups is after how many groups that are known already a kind has no more to offer.
const sameGroups = 4

// seeded are starts from groups that the caller of the fit knows.
func (s *search) seeded() (starts []start) {
	for _, groups := range s.r.seeds {
		seed := groups
		if s.rows != nil {
			if seed = make([]int, len(s.rows)); len(groups) <= s.rows[len(s.rows)-1] {
				return nil // equal rows are merged: groups are not those of the rows of a sample
			}
			for i, row := range s.rows {
				seed[i] = groups[row]
			}
		}
		if complete(seed, s.mixture.Components()) {
			starts = append(starts, s.fromGroups(seed, len(starts)))
		}
	}
	return starts
}

// overlaps are pairs of components by how much they overlap, the most first.
func (p *posterior) overlaps() (pairs [][2]int) {
	inner, r := make([]float64, p.k*p.k), p.shares()
	for i, w := range p.weights {
		for a := range p.k {
			for b := range a + 1 {
				inner[a*p.k+b] += w * r[i*p.k+a] * r[i*p.k+b]
			}
		}
	}
	cosine := func(a, b int) float64 {
		return inner[a*p.k+b] / math.Sqrt(inner[a*p.k+a]*inner[b*p.k+b])
	}
	for a := range p.k {
		for b := range a {
			pairs = append(pairs, [2]int{a, b})
		}
	}
	slices.SortStableFunc(pairs, func(x, y [2]int) int { return cmp.Compare(cosine(y[0], y[1]), cosine(x[0], x[1])) })
	return pairs
}

// largest returns for each row the component that explains it best, without one of them; -1 stands for none.
func (p *posterior) largest(without int) []int {
	out, all := make([]int, len(p.weights)), p.shares()
	for i := range out {
		best := math.Inf(-1)
		for c, r := range all[i*p.k : (i+1)*p.k] {
			if c != without && r > best {
				out[i], best = c, r
			}
		}
	}
	return out
}
