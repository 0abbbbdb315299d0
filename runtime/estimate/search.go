package estimate

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// Mixtures have many maxima, and where a run ends depends on where it starts. The search makes many starts of different
// kinds, runs from each a few steps, runs the best to their ends, and then moves components: two that overlap become one,
// and another becomes two (Ueda, Nakano, Ghahramani and Hinton, SMEM algorithm for mixture models, Neural Computation 12,
// 2000). Short runs before long ones are those of Biernacki, Celeux and Govaert (Computational Statistics & Data Analysis
// 41, 2003). All of its limits are numbers of operations, so that the outcome depends on nothing but data and seed.
type search struct {
	model   runtime.Model
	mixture runtime.Grouped
	r       *Settings
	white   *principal
	rows    []int     // on which the search runs; nil for all
	work    float64   // operations that a gradient on these rows takes
	found   []attempt // runs that came to their ends
	starts  int       // so far
}

const (
	// searchRows are as many rows as the search looks at: of more it takes a sample, and the best of what it finds runs to
	// its end on all.
	searchRows = 8192
	// Short runs end after so many steps, or when five of them gain less than this part of the loss.
	shortSteps     = 30
	shortTolerance = 1e-4
	// The numbers of starts, of runs to the end and of moved components are such that each stage takes about so many
	// operations, a few tenths of a second, within limits.
	stageWork              = 4e8
	leastStarts, allStarts = 10, 60
	leastLong, mostLong    = 2, 10
	leastMoves, mostMoves  = 4, 40
	longSteps              = 100 // about what a run to the end takes
	// Components move until so many rounds in a row, or rounds altogether, lead nowhere.
	fruitlessRounds, moveRounds = 2, 12
)

// newSearch returns nil where there is nothing to search for: one component, starts that the caller counts, methods of
// other coordinates, and models that cannot start from groups.
func newSearch(m runtime.Model, r *Settings) *search {
	mix, ok := m.(runtime.Grouped)
	o, shows := m.(runtime.Observed)
	if !ok || !shows || mix.Components() < 2 || m.Info().Starts == 0 || r.Starts > 0 || r.unconstrained() || r.stochastic() {
		return nil
	}
	s := &search{model: m, mixture: mix, r: r}
	data := o.Observations()
	rows := len(data.Weights)
	if _, batches := m.(runtime.Batcher); batches && rows > searchRows {
		all, _, _ := m.Counts()
		s.rows = runtime.Stream(r.Seed, "rows").Perm(all)[:searchRows]
		slices.Sort(s.rows)
		rows = searchRows
	}
	s.white = newPrincipal(s.clone().(runtime.Observed).Observations())
	d := float64(max(data.Columns, 1))
	s.work = float64(rows) * float64(mix.Components()) * (d*d + d + 30)
	return s
}

// clone returns a model of the rows that the search looks at.
func (s *search) clone() runtime.Model {
	c := s.model.Clone()
	if s.rows != nil {
		c.(runtime.Batcher).Batch(s.rows)
	}
	return c
}

// times returns how many runs of so many steps a stage affords.
func (s *search) times(steps float64, least, most int) int {
	return int(math.Max(float64(least), math.Min(float64(most), stageWork/(steps*s.work))))
}

// run returns the runs that came to their ends.
func (s *search) run(ctx context.Context) (runs []attempt, warnings []string) {
	first := s.short(ctx, s.points(s.times(shortSteps, leastStarts, allStarts)))
	if !anyRan(first) {
		return first, nil
	}
	s.long(ctx, first, s.times(longSteps, leastLong, mostLong))
	for round, fruitless := 0, 0; round < moveRounds && fruitless < fruitlessRounds && ctx.Err() == nil; round++ {
		if fruitless++; s.move(ctx, round) {
			fruitless = 0
		}
	}
	if s.rows != nil {
		s.finish(ctx)
	}
	return s.found, nil
}

// short runs a few steps from each start.
func (s *search) short(ctx context.Context, starts []start) []attempt {
	few := *s.r
	few.MaxIterations, few.lossTolerance = shortSteps, shortTolerance
	if s.r.MaxIterations > 0 {
		few.MaxIterations = min(shortSteps, s.r.MaxIterations)
	}
	runs := runAll(ctx, s.clone, &few, starts)
	for i := range runs {
		runs[i].start += s.starts
	}
	s.starts += len(starts)
	return runs
}

// long runs the best of some short runs to their ends, leaving out those that are about to end where a better one does, and
// keeps them. It returns the lowest loss of those that end soundly.
func (s *search) long(ctx context.Context, short []attempt, count int) float64 {
	order := ranked(short)
	var starts []start
	var from []int
	last := math.NaN()
	for _, a := range order {
		if len(starts) == count {
			break
		}
		if math.Abs(a.res.Loss-last) <= nearlyAlike*(1+math.Abs(last)) {
			continue
		}
		last = a.res.Loss
		z := slices.Clone(a.res.Z)
		starts = append(starts, func(_ runtime.Model, dst []float64) error { copy(dst, z); return nil })
		from = append(from, a.start)
	}
	runs := runAll(ctx, s.clone, s.r, starts)
	best := math.Inf(1)
	look := s.clone()
	for i := range runs {
		runs[i].start = from[runs[i].start]
		if runs[i].look(look, s.r); runs[i].ended() {
			best = math.Min(best, runs[i].res.Loss)
		}
	}
	s.found = append(s.found, runs...)
	return best
}

// nearlyAlike is the difference of losses of short runs, relative to 1+|loss|, up to which they are about to end at one optimum.
const nearlyAlike = 1e-7

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

// move tries to move components of the best point, and reports whether that has led to a better one.
func (s *search) move(ctx context.Context, round int) bool {
	best := s.best()
	if best == nil {
		return false
	}
	look := s.clone()
	p := newPosterior(look, s.r, best.res.Z, best.theta)
	if p == nil {
		return false
	}
	var starts []start
	for _, groups := range s.white.moved(p, s.times(shortSteps, leastMoves, mostMoves), runtime.Stream(s.r.Seed, "moves", uint64(round))) {
		starts = append(starts, s.fromGroups(groups, len(starts)))
	}
	loss := best.res.Loss
	runs := s.short(ctx, starts)
	promising := slices.DeleteFunc(runs, func(a attempt) bool {
		return a.res == nil || a.status == runtime.Collapsed || a.res.Loss > loss+shortTolerance*(1+math.Abs(loss))*shortSteps
	})
	return len(promising) > 0 &&
		s.long(ctx, promising, leastLong) < loss-sameLoss*(1+math.Abs(loss))
}

// finish runs the best points that were found on a sample of the rows to their ends on all.
func (s *search) finish(ctx context.Context) {
	sample := s.found
	s.found, s.rows = nil, nil
	order := slices.DeleteFunc(ranked(sample), func(a *attempt) bool { return !a.ended() })
	if len(order) == 0 {
		order = ranked(sample)
	}
	var tops []attempt
	for _, a := range order[:min(len(order), leastLong)] {
		tops = append(tops, *a)
	}
	s.long(ctx, tops, 1)
	if s.best() == nil && len(tops) > 1 {
		s.long(ctx, tops[1:], 1)
	}
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

// points returns starts of different kinds: the formulas of the spec, its random ones, and groups of rows.
func (s *search) points(count int) []start {
	info, k := s.model.Info(), s.mixture.Components()
	starts := fromStarts(s.r, info.Starts)
	starts = append(starts, s.seeded()...)
	for i := 0; len(starts) < count; i++ {
		if kind := i % (len(groupings) + 1); kind < len(groupings) {
			if groups := groupings[kind](s.white, k, i/(len(groupings)+1), s.r.Seed); groups != nil {
				starts = append(starts, s.fromGroups(groups, i/(len(groupings)+1)))
			}
		} else if info.RandomStart {
			starts = append(starts, startOf(s.r, info.Starts+i))
		}
		if i > 100*count {
			break
		}
	}
	return starts
}

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
	inner := make([]float64, p.k*p.k)
	for i, w := range p.weights {
		for a := range p.k {
			for b := range a + 1 {
				inner[a*p.k+b] += w * p.r[i*p.k+a] * p.r[i*p.k+b]
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
	out := make([]int, len(p.weights))
	for i := range out {
		best := math.Inf(-1)
		for c, r := range p.r[i*p.k : (i+1)*p.k] {
			if c != without && r > best {
				out[i], best = c, r
			}
		}
	}
	return out
}
