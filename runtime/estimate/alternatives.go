package estimate

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/penalty"
)

// Alternative is another optimum of a mixture than the one that was chosen, which a reader may prefer: of about the same
// likelihood with more rows in its smallest component, or of a higher one with too few.
type Alternative struct {
	// Kind is BetterSupported or Higher.
	Kind          string `json:"kind"`
	Optimum       int    `json:"optimum"` // its place in Optima, from 0
	LogLikelihood Number `json:"log_likelihood"`
	// Rows is how many observations the component explains that explains the fewest.
	Rows Number `json:"rows"`
}

// The kinds of alternatives.
const (
	// BetterSupported is the best optimum of which each component explains at least 3(d+1) rows of d numbers, where one of the chosen
	// does not, and has less to show for it than the parameters of one component in log-likelihood: what AIC asks of a
	// component.
	BetterSupported = "better supported"
	// Higher is the highest optimum that was not chosen as a component explains fewer rows than a density needs, or few within a
	// thousandth of the spread of all.
	Higher = "higher"
)

// alternatives finds them among the runs, and looks at their curvature: they are maxima as much as the chosen one.
func alternatives(ctx context.Context, m runtime.Model, r *Settings, runs []attempt, best *attempt) (found map[string]*attempt) {
	if componentsOf(m) < 2 || best.posterior == nil || !best.ended() || bounded(m) {
		return nil
	}
	var order []*attempt
	for i := range runs {
		if a := &runs[i]; a.ended() && a.posterior != nil {
			order = append(order, a)
		}
	}
	slices.SortStableFunc(order, func(a, b *attempt) int { return cmp.Compare(a.res.Loss, b.res.Loss) })
	_, _, n := m.Counts()
	price := price(m) / n
	found = map[string]*attempt{}
	first := func(kind string, fits func(a *attempt) bool) {
		for _, a := range order {
			if fits(a) {
				if a.judge(ctx, m, r); a.ended() {
					found[kind] = a
					return
				}
			}
		}
	}
	if !best.wellSupported() {
		first(BetterSupported, func(a *attempt) bool {
			return a.wellSupported() && a.res.Loss > best.res.Loss && a.res.Loss-best.res.Loss < price
		})
	}
	if !best.thin {
		first(Higher, func(a *attempt) bool {
			return a.thin && best.res.Loss-a.res.Loss > sameLoss*(1+math.Abs(best.res.Loss))
		})
	}
	return found
}

// wellSupported reports whether each component explains enough rows.
func (a *attempt) wellSupported() bool {
	return slices.Min(a.posterior.sizes()) >= float64(wellSupported*(a.posterior.columns+1))
}

// nameAlternatives puts them into a report, which has the optima.
func (rep *Report) nameAlternatives(m runtime.Model, r *Settings, found map[string]*attempt) {
	for _, kind := range []string{BetterSupported, Higher} {
		a := found[kind]
		if a == nil {
			continue
		}
		k := slices.IndexFunc(rep.Optima, func(o Optimum) bool { return slices.Contains(o.Starts, a.start) })
		if k < 0 {
			continue
		}
		all := a.posterior.ofAll(m, r, a)
		if all == nil {
			continue
		}
		subtracted := penalty.Value(m, permuted(m, a.theta, a.order))
		rep.Alternatives = append(rep.Alternatives, Alternative{Kind: kind, Optimum: k,
			LogLikelihood: Number(-rep.N*a.res.Loss + subtracted), Rows: Number(slices.Min(all.sizes()))})
	}
}
