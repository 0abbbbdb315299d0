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

// contestFigure draws experiments along both axes, and compares.
func contestFigure(frontier bool, d duel, all ...*contest) *found {
	out := new(found)
	won, of := 0, 0
	for _, c := range all {
		pairs := c.pairs(frontier)
		for _, a := range []curves.Against{curves.Iterations, curves.Seconds} {
			v := curves.View{Name: curvePanel + c.name + "-" + suffix(a), Title: c.title, Against: a, Loss: c.loss,
				Above: math.NaN(), LogX: a == curves.Seconds}
			if c.above != 0 {
				v.Above, v.Least = c.above, c.least
			}
			if frontier {
				v.Name, v.Note = curvePanel+"frontier-"+c.name+"-"+suffix(a), "the best mean that any setting has reached"
			}
			if !math.IsNaN(c.truth) {
				v.Note = strings.TrimPrefix(v.Note+fmt.Sprintf("; the true parameters have the loss %.5g", c.truth), "; ")
			}
			out.panels = append(out.panels, v.Panel(curves.Along(pairs, a)))
		}
		for _, l := range c.leads(pairs, d) {
			out.seen = append(out.seen, c.title+": "+l.String())
			won, of = won+l.Won(), of+len(l.At)
		}
		for _, l := range c.leads(pairs, duel{ownMethods, d.ours[:1]}) {
			out.seen = append(out.seen, c.title+", beyond the paper: "+l.String())
		}
		for i := range pairs {
			if text := pairs[i][0].Rise(); text != "" {
				out.seen = append(out.seen, c.title+": "+text)
			}
		}
		if !frontier {
			out.seen = append(out.seen, c.edges()...)
		}
		out.tables = append(out.tables, settingsTable(c))
	}
	out.verdict = wins(won, of)
	out.seen = append(out.seen, fmt.Sprintf("Where the other ends, %s is ahead in %d of %d comparisons in "+
		"iterations and time.", strings.Join(d.ours, ", "), won, of))
	return out
}

// ownMethods are not the paper's.
var ownMethods = []string{"natural L-BFGS", "sample average"}

// leads compares all ours with all theirs that have run.
func (c *contest) leads(pairs []curves.Pair, d duel) (out []curves.Lead) {
	floor := math.NaN()
	if c.above != 0 {
		floor = c.above
	}
	for _, a := range pairs {
		for _, b := range pairs {
			if slices.Contains(d.ours, a[0].Method) && slices.Contains(d.theirs, b[0].Method) {
				out = append(out, curves.LeadOf(a, b, floor))
			}
		}
	}
	return out
}

// edges names the methods whose best setting is at an end of their grid: a wider one might have a better.
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
		for i, x := range numbers(best.Text) {
			low, high := slices.Min(tried[i]), slices.Max(tried[i])
			if low < high && (x == low || x == high) {
				out = append(out, fmt.Sprintf("%s: the best setting of %s, %s, is at an end of its grid from %g to %g.", c.title, best.Method, best.Text, low, high))
				break
			}
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
		"ms an iteration", "failed runs"},
		Note: "Losses are means over the seeds with two standard errors; * marks the best setting by the paper's criterion."}
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
			fmt.Sprint(at.Failed)})
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
