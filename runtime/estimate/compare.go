package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// Comparison has the fits of mixtures of several numbers of components, in ascending order of these.
type Comparison struct {
	Fits     []Numbered `json:"fits"`
	Warnings []string   `json:"warnings,omitempty"`
}

// Numbered is the fit of one number of components.
type Numbered struct {
	Components int     `json:"components"`
	Report     *Report `json:"report"`          // nil where there was nothing to report
	Error      string  `json:"error,omitempty"` // why
	// Best has the criteria, of aic, bic and icl, by which this number is the best of those whose fit converged.
	Best []string `json:"best,omitempty"`

	groups []int // of the rows, by the component that explains each best
}

// Complete reports whether all fits came to the ends they were meant to have.
func (c *Comparison) Complete() bool {
	return !slices.ContainsFunc(c.Fits, func(n Numbered) bool { return !n.complete() })
}

func (n *Numbered) complete() bool { return n.Report != nil && n.Report.Complete() }

// Compare fits a mixture with each of several numbers of components, and says which is the best by AIC, BIC and ICL. The fit of
// one number also starts from that of the number before, with a component split, and from that of the next, with two merged,
// so that the likelihood rises with the number of components; where it does not, there is a warning. The model has its data
// and is left with the last number. Settings may be nil. The error says that nothing could be fitted, or that the context
// ended, when there is a comparison all the same.
func Compare(ctx context.Context, m runtime.Model, counts []int, s *Settings) (*Comparison, error) {
	var r Settings
	if s != nil {
		r = *s
	}
	r.perRow = &perRow{room: r.Room}
	if len(counts) == 0 {
		return nil, errors.New("no numbers of components to compare")
	}
	if othersOf(m) != nil {
		return nil, errors.New("a comparison of numbers of components " + errAllRows.Error())
	}
	c := new(Comparison)
	if err := r.withCheckpoint(m, func() { c.all(ctx, m, counts, r) }); err != nil {
		return nil, err
	}
	c.markBest()
	c.warnFalls()
	return c, ctx.Err()
}

// all fits each number of components, and some again.
func (c *Comparison) all(ctx context.Context, m runtime.Model, counts []int, r Settings) {
	for _, k := range slices.Compact(slices.Sorted(slices.Values(counts))) {
		c.fit(ctx, m, k, r)
		if ctx.Err() != nil {
			break
		}
	}
	for i := len(c.Fits) - 2; i >= 0 && ctx.Err() == nil; i-- {
		c.improve(ctx, m, i, r)
	}
}

// fit adds the fit of k components.
func (c *Comparison) fit(ctx context.Context, m runtime.Model, k int, r Settings) {
	out := Numbered{Components: k}
	r.Components = k
	if last := len(c.Fits) - 1; last >= 0 {
		r.seeds = seedsBySplitting(m, c.Fits[last].groups, c.Fits[last].Components, k)
	}
	out.run(ctx, m, r)
	c.Fits = append(c.Fits, out)
}

// run fits, and keeps the groups of the rows.
func (n *Numbered) run(ctx context.Context, m runtime.Model, r Settings) {
	rep, best, err := find(ctx, m, r)
	if err != nil {
		n.Error = err.Error()
		return
	}
	n.Report = rep
	if best.posterior != nil {
		n.groups = best.posterior.largest(-1)
	}
}

// improve fits a number of components again where the fit of the next number, with components merged, leads to a better one.
func (c *Comparison) improve(ctx context.Context, m runtime.Model, i int, r Settings) {
	n, next := &c.Fits[i], &c.Fits[i+1]
	if n.Report == nil || next.Components != n.Components+1 {
		return
	}
	r.Components = n.Components
	r.seeds = seedsByMerging(next.groups, next.Components)
	if len(r.seeds) == 0 || SetComponents(m, n.Components) != nil || r.fill(m) != nil {
		return
	}
	search := newSearch(m, &r)
	if search == nil {
		return
	}
	low := float64(n.Report.Loss)
	if n.complete() {
		low -= sameLoss * (1 + math.Abs(low))
	} else {
		low = math.Inf(1)
	}
	if runs := search.short(ctx, search.seeded()); search.long(ctx, runs, leastLong) < low {
		again := Numbered{Components: n.Components}
		if again.run(ctx, m, r); again.complete() && (!n.complete() || again.Report.Loss < n.Report.Loss) {
			*n = again
		}
	}
}

// mostSeeds are as many groups as one number of components hands on to another.
const mostSeeds = 12

// seedsBySplitting splits components until there are k: each in turn, and as long as that is not enough the largest.
func seedsBySplitting(m runtime.Model, groups []int, from, k int) (seeds [][]int) {
	o, ok := m.(runtime.Observed)
	if !ok || groups == nil {
		return nil
	}
	d := weighted(o)
	if len(d.Weights) != len(groups) {
		return nil
	}
	p := newPrincipal(d)
	for c := range min(from, mostSeeds) {
		seed, of := slices.Clone(groups), c
		for count := from; count < k; count++ {
			if !p.split(seed, of, count, nil) {
				break
			}
			of = mostCommon(seed, count+1)
		}
		if complete(seed, k) {
			seeds = append(seeds, seed)
		}
	}
	return seeds
}

func mostCommon(groups []int, k int) int {
	sizes := make([]int, k)
	for _, g := range groups {
		sizes[g]++
	}
	return slices.Index(sizes, slices.Max(sizes))
}

// seedsByMerging merges each pair of k components, as far as there are not too many.
func seedsByMerging(groups []int, k int) (seeds [][]int) {
	if groups == nil {
		return nil
	}
	for a := range k {
		for b := range a {
			if len(seeds) == mostSeeds {
				return seeds
			}
			seed := slices.Clone(groups)
			for i, g := range seed {
				switch {
				case g == a:
					seed[i] = b
				case g > a:
					seed[i] = g - 1
				}
			}
			if complete(seed, k-1) {
				seeds = append(seeds, seed)
			}
		}
	}
	return seeds
}

// criteria are what numbers of components are chosen by; the smallest is the best.
var criteria = []struct {
	name string
	of   func(*Report) Number
}{
	{"aic", func(r *Report) Number { return r.AIC }},
	{"bic", func(r *Report) Number { return r.BIC }},
	{"icl", func(r *Report) Number {
		if r.ICL == 0 {
			return Number(math.NaN())
		}
		return r.ICL
	}},
}

// markBest marks the best fits among those that came to the end they were meant to have.
func (c *Comparison) markBest() {
	for _, by := range criteria {
		best := -1
		for i := range c.Fits {
			n := &c.Fits[i]
			if n.complete() && !math.IsNaN(float64(by.of(n.Report))) && (best < 0 || by.of(n.Report) < by.of(c.Fits[best].Report)) {
				best = i
			}
		}
		if best >= 0 {
			c.Fits[best].Best = append(c.Fits[best].Best, by.name)
		}
	}
}

// falls is how much of the total log-likelihood more components may cost before there is a warning.
const falls = 1e-6

// warnFalls names the numbers of components at which the likelihood falls: there a higher one was not found.
func (c *Comparison) warnFalls() {
	last := -1
	for i := range c.Fits {
		if !c.Fits[i].complete() {
			continue
		}
		if last >= 0 {
			if a, b := c.Fits[last].Report.LogLikelihood, c.Fits[i].Report.LogLikelihood; b < a-falls {
				c.Warnings = append(c.Warnings, fmt.Sprintf("the log-likelihood of %d components, %.7g, is below that of %d, %.7g: "+
					"the best of them was not found", c.Fits[i].Components, b, c.Fits[last].Components, a))
			}
		}
		last = i
	}
}
