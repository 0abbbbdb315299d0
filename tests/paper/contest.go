package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/internal/page"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
	"github.com/sngdgen/sngdgen/tests/paper/internal/curves"
)

// contest is one experiment of a figure: all settings of all methods on the same data.
type contest struct {
	name, title string // name of panels and anchors
	loss        string // what is on the axis
	rs          []grid.Result
	checkpoints *grid.Checkpoints
	truth       float64 // loss of the distribution that the data are drawn from; NaN where that is not known
	above       float64 // the least loss there can be, above which losses are drawn; 0 where that is not known
	least       float64 // what is nearer to that is drawn there
}

// frontierOr chooses between the frontiers of all settings and the curves of the best ones.
func (c *contest) pairs(frontier bool) []curves.Pair {
	if frontier {
		return curves.Frontiers(c.rs)
	}
	return curves.Pairs(grid.Best(c.rs, c.checkpoints))
}

// duel are the methods that a claim says are ahead, and the others.
type duel struct{ ours, theirs []string }

// surrogate is the duel of most figures: SNGD against both Adams.
var surrogate = duel{[]string{"SNGD"}, []string{"Adam, covariance root", "Adam, precision root"}}

// tally counts comparisons along iterations and time, with differences of more than two standard errors.
type tally struct {
	ahead, level, behind int
	ends, higher         int // comparisons of the lowest means, and those in which ours is higher
}

// add counts an outcome.
func (t *tally) add(o curves.Outcome) {
	switch o {
	case curves.Ahead:
		t.ahead++
	case curves.Behind:
		t.behind++
	default:
		t.level++
	}
}

// of leads are two outcomes each, and an end.
func (t *tally) of(leads []curves.Lead) {
	for _, l := range leads {
		for _, d := range l.There {
			t.add(d.Outcome())
		}
		if t.ends++; l.Best.Outcome() == curves.Behind {
			t.higher++
		}
	}
}

// verdict of a claim of leadership: it holds where ours is ahead everywhere, and nowhere higher in the end.
func (t *tally) verdict() verdict {
	if t.ahead > 0 && t.higher > 0 {
		return partly
	}
	return wins(t.ahead, t.ahead+t.level+t.behind)
}

// sentence says the counts.
func (t *tally) sentence(ours string) string {
	return fmt.Sprintf("Where the other arrives near its lowest mean, in iterations and in time, %s is lower by more than two standard errors "+
		"(of differences in pairs of runs with the same seed) in %d of %d comparisons, level in %d, higher in %d. Its own lowest mean is "+
		"higher by more than that in %d of %d.", ours, t.ahead, t.ahead+t.level+t.behind, t.level, t.behind, t.higher, t.ends)
}

// contestFigure draws experiments along both axes, and compares.
func contestFigure(frontier bool, d duel, all ...*contest) *found {
	out := new(found)
	var t tally
	out.draw(frontier, all...)
	t.of(out.compare(d, frontier, all...))
	out.verdict, out.seen = t.verdict(), append(out.seen, t.sentence(strings.Join(d.ours, ", ")))
	return out
}

// draw adds the panels of experiments, the tables of their settings, and what is to be said of methods one by one.
func (f *found) draw(frontier bool, all ...*contest) {
	var edges, shortened []string
	for _, c := range all {
		pairs := c.pairs(frontier)
		f.panels = append(f.panels, c.view(frontier).Panels(pairs)...)
		for i := range pairs {
			if text := pairs[i][0].Rise(); text != "" {
				f.seen = append(f.seen, c.title+": "+text)
			}
		}
		if !frontier {
			edges = append(edges, c.edges()...)
		}
		shortened = append(shortened, c.shortened()...)
		f.tables = append(f.tables, settingsTable(c))
	}
	if len(edges) > 0 {
		f.seen = append(f.seen, "At an end of their grids, so that a wider one might have a better setting, are "+strings.Join(edges, "; ")+".")
	}
	if len(shortened) > 0 {
		f.seen = append(f.seen, "Steps that were taken back or halved, for each that was taken, so that real steps are shorter than the number says: "+
			strings.Join(shortened, "; ")+".")
	}
}

// view is how the panels of an experiment are drawn.
func (c *contest) view(frontier bool) curves.View {
	v := curves.View{Name: curvePanel + c.name, Title: c.title, Loss: c.loss, Above: math.NaN()}
	if c.above != 0 {
		v.Above, v.Least = c.above, c.least
	}
	if frontier {
		v.Name, v.Note = curvePanel+"frontier-"+c.name, "the best mean that any setting has reached"
	}
	if !math.IsNaN(c.truth) {
		v.Note = strings.TrimPrefix(v.Note+fmt.Sprintf("; the true parameters have the loss %.5g", c.truth), "; ")
	}
	return v
}

// compare writes a table of how far ahead the methods of a duel are, and this project's own against the first of them.
func (f *found) compare(d duel, frontier bool, all ...*contest) (leads []curves.Lead) {
	t := page.Table{Title: "Comparisons", Open: true, Head: append([]string{"experiment"}, curves.Head...),
		Note: "Where each method is at the loss that the other comes near to in the end, and what its losses are less those of the other, in pairs of runs " +
			"with the same seed, with two standard errors: where the other arrives, and at the lowest means of all settings."}
	for _, c := range all {
		pairs := c.pairs(frontier)
		claimed := c.leads(pairs, d)
		for _, l := range append(slices.Clone(claimed), c.leads(pairs, duel{ownMethods, d.ours[:1]})...) {
			t.Rows = append(t.Rows, append([]string{c.title}, l.Row()...))
		}
		leads = append(leads, claimed...)
	}
	f.tables = append([]page.Table{t}, f.tables...)
	if i, t := ratios(leads, curves.Iterations), ratios(leads, curves.Seconds); i != "" && t != "" {
		f.seen = append(f.seen, fmt.Sprintf("To come as near to their lowest means the others need %s times as many iterations and %s times as much time as %s.",
			i, t, strings.Join(d.ours, ", ")))
	}
	return leads
}

// ratios writes the least and the largest of leads, where both arrive in all of them.
func ratios(leads []curves.Lead, a curves.Against) string {
	least, most := math.Inf(1), 0.0
	for _, l := range leads {
		x := l.Ratio(a)
		if !(x > 0) || math.IsInf(x, 1) {
			return ""
		}
		least, most = min(least, x), max(most, x)
	}
	if len(leads) == 0 {
		return ""
	}
	return strings.TrimSuffix(short(least)+" to "+short(most), " to "+short(least))
}

// short writes two digits, or the whole part.
func short(x float64) string {
	if x >= 10 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2g", x)
}

// ownMethods are not the paper's.
var ownMethods = []string{"natural L-BFGS", "sample average"}

// leads compares all ours with all theirs that have run; the lowest means are those of all settings.
func (c *contest) leads(pairs []curves.Pair, d duel) (out []curves.Lead) {
	floor := math.NaN()
	if c.above != 0 {
		floor = c.above
	}
	for _, a := range pairs {
		for _, b := range pairs {
			if slices.Contains(d.ours, a[0].Method) && slices.Contains(d.theirs, b[0].Method) {
				l := curves.LeadOf(a, b, floor)
				ours, theirs := curves.Frontier(c.rs, l.Ours, curves.Iterations), curves.Frontier(c.rs, l.Theirs, curves.Iterations)
				l.Best = curves.Lowest(&ours, &theirs)
				out = append(out, l)
			}
		}
	}
	return out
}

// often is the part of the steps from which on their shortening is said.
const often = 0.1

// shortened names the methods whose best setting often steps out of the domain.
func (c *contest) shortened() (out []string) {
	for _, r := range grid.Best(c.rs, c.checkpoints) {
		if part := r.Backs() / c.steps(&r); part > often {
			out = append(out, fmt.Sprintf("%s, %s, %s, %.2g", c.title, r.Method, r.Text, part))
		}
	}
	return out
}

// steps is the mean number of steps of the runs of a setting.
func (c *contest) steps(r *grid.Result) float64 {
	n := 0
	for _, x := range r.Runs {
		n += x.Samples[len(x.Samples)-1].Step
	}
	return float64(max(n, 1)) / float64(len(r.Runs))
}

// edges names the methods whose best setting is at an end of their grid.
func (c *contest) edges() (out []string) {
	for _, best := range grid.Best(c.rs, c.checkpoints) {
		tried := map[int][]float64{} // by the place of the number in the text
		for _, r := range c.rs {
			if r.Method == best.Method && prefix(r.Text) == prefix(best.Text) {
				for i, x := range numbers(r.Text) {
					tried[i] = append(tried[i], x)
				}
			}
		}
		var ends []string
		for i, x := range numbers(best.Text) {
			low, high := slices.Min(tried[i]), slices.Max(tried[i])
			if low < high && (x == low || x == high) {
				ends = append(ends, fmt.Sprintf("%g of %g to %g", x, low, high))
			}
		}
		if len(ends) > 0 {
			out = append(out, fmt.Sprintf("%s, %s, %s (%s)", c.title, best.Method, best.Text, strings.Join(ends, ", ")))
		}
	}
	return out
}

// prefix is the part of a setting before its numbers that tells kinds of settings apart, as Adam's roots.
func prefix(text string) string {
	if i := strings.IndexAny(text, "0123456789"); i >= 0 {
		return text[:i]
	}
	return text
}

// numbers are those of a setting.
func numbers(text string) (out []float64) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		if x, err := strconv.ParseFloat(word, 64); err == nil {
			out = append(out, x)
		}
	}
	return out
}

// settingsTable lists all settings, those of the curves marked.
func settingsTable(c *contest) page.Table {
	best := grid.Best(c.rs, c.checkpoints)
	t := page.Table{Title: c.title + ": all settings", Head: []string{"method", "setting", "loss at the end", "lowest mean",
		"ms an iteration", "taken back", "failed runs"},
		Note: "Losses are means over the seeds with two standard errors; * marks the best setting by the paper's criterion. Taken back " +
			"are steps, and halvings of steps that would have left the domain, of each run on average."}
	for i := range c.rs {
		r := &c.rs[i]
		at := curves.Of(r, curves.Iterations)
		end := "failed"
		if n := len(at.Mean) - 1; n >= 0 && at.Failed == 0 {
			end = fmt.Sprintf("%.5g ± %.2g", at.Mean[n], at.Error[n])
		}
		text := r.Text
		if slices.ContainsFunc(best, func(b grid.Result) bool { return b.Method == r.Method && b.Text == r.Text }) {
			text += " *"
		}
		t.Rows = append(t.Rows, []string{r.Method, text, end, fmt.Sprintf("%.5g", at.Low()), fmt.Sprintf("%.3g", 1000*pace(r)),
			fmt.Sprintf("%.3g", r.Backs()), fmt.Sprint(at.Failed)})
	}
	return t
}

// pace is the mean time of an iteration in seconds.
func pace(r *grid.Result) float64 {
	time, steps := 0.0, 0
	for _, x := range r.Runs {
		last := x.Samples[len(x.Samples)-1]
		time, steps = time+last.Seconds, steps+last.Step
	}
	return time / float64(max(steps, 1))
}
