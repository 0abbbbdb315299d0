package main

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/tests/rivals"
)

// notes is the text around the tables, whose places are at %s.
//
//go:embed notes.md
var notes string

// write prints the report.
func write(out io.Writer, o *options, known *rivals.Answers[*answer], outcomes []*outcome) error {
	var ways []string
	for _, m := range o.methods {
		ways = append(ways, fmt.Sprintf("*%s* is `sngdgen fit %s`", m.Name, strings.Join(append([]string{"SPEC DATA --json"}, m.Flags...), " ")))
	}
	_, err := fmt.Fprintf(out, notes, strings.Join(ways, ", "), o.seeds, o.draws, known.Software(), moved(outcomes), raced(outcomes), truths(outcomes))
	return err
}

// moved compares moments.
func moved(outcomes []*outcome) string {
	var b strings.Builder
	b.WriteString("| model | d | fit | error of means, rms | largest | of | error of std. deviations, rms | largest | of | k-hat | verdict |\n" +
		"| --- | ---: | --- | ---: | ---: | --- | ---: | ---: | --- | --- | --- |\n")
	for _, c := range outcomes {
		fmt.Fprintf(&b, "| %s | %d | %s |", c.Model, c.D, c.method)
		for _, part := range []func(*fit) spread{func(f *fit) spread { return f.of.mean }, func(f *fit) spread { return f.of.sd }} {
			worst, rms := c.worst(part)
			if worst == nil {
				b.WriteString(" - | - | - |")
				continue
			}
			fmt.Fprintf(&b, " %.3f | %+.3f | %s |", rms, worst.most, worst.where)
		}
		fmt.Fprintf(&b, " %s | %s |\n", c.kHats(), strings.ReplaceAll(c.verdicts(), "|", "/"))
	}
	return b.String()
}

// worst is the largest error of all fits, with the root mean square of those of all.
func (c *outcome) worst(part func(*fit) spread) (worst *spread, rms float64) {
	n := 0
	for _, f := range c.fits {
		if f.fault != "" {
			continue
		}
		s := part(f)
		if worst == nil || math.Abs(s.most) > math.Abs(worst.most) {
			worst = &s
		}
		n++
		rms += s.rms * s.rms
	}
	return worst, math.Sqrt(rms / float64(n))
}

// kHats are the least and the largest k-hat.
func (c *outcome) kHats() string {
	least, most := math.Inf(1), math.Inf(-1)
	for _, f := range c.fits {
		if k := f.ELBO.KHat; k != nil {
			least, most = min(least, *k), max(most, *k)
		}
	}
	switch {
	case least > most:
		return "-"
	case least == most:
		return fmt.Sprintf("%.2f", least)
	}
	return fmt.Sprintf("%.2f to %.2f", least, most)
}

// raced compares bounds.
func raced(outcomes []*outcome) string {
	var b strings.Builder
	b.WriteString("| model | fit | time | bound | error | behind | NumPyro at that time, behind | NumPyro's best | behind | after | it compiles |\n" +
		"| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, c := range outcomes {
		best := highest(outcomes, c.Model)
		fmt.Fprintf(&b, "| %s | %s |", c.Model, c.method)
		times, bounds, margin := c.bounds()
		if len(bounds) == 0 {
			b.WriteString(" - | - | - | - | - |")
		} else {
			time, mean := median(times), average(bounds)
			fmt.Fprintf(&b, " %s | %.3f | %.3f | %.3f |", seconds(time), mean, margin, best-mean)
			if theirs, _, ok := c.theirs(time); ok {
				fmt.Fprintf(&b, " %.3f |", best-theirs)
			} else {
				b.WriteString(" - |")
			}
		}
		theirs, after, ok := c.theirs(math.Inf(1))
		if !ok {
			b.WriteString(" - | - | - | - |\n")
			continue
		}
		compiling := math.Inf(1)
		for _, s := range c.SVI {
			compiling = min(compiling, s.CompileSeconds)
		}
		fmt.Fprintf(&b, " %.3f | %.3f | %s | %s |\n", theirs, best-theirs, seconds(after), seconds(compiling))
	}
	return b.String()
}

// bounds are the times and bounds of the fits, with the largest standard error of the bounds.
func (c *outcome) bounds() (times, bounds []float64, margin float64) {
	for _, f := range c.fits {
		if f.fault == "" {
			times, bounds, margin = append(times, f.time()), append(bounds, f.ELBO.Mean), max(margin, f.ELBO.Error)
		}
	}
	return times, bounds, margin
}

// theirs is the highest bound that NumPyro has within a time, and after how long: of each setting the median over the seeds of
// what they last had, and of these the highest. There is none where no setting has got to its first bound.
func (c *outcome) theirs(time float64) (highest, after float64, ok bool) {
	highest = math.Inf(-1)
	for _, s := range c.SVI {
		var bounds, times []float64
		for _, run := range s.Runs {
			i := slices.IndexFunc(run.Course, func(b bound) bool { return b.Seconds > time })
			if i < 0 {
				i = len(run.Course)
			}
			if i > 0 {
				bounds, times = append(bounds, run.Course[i-1].Bound), append(times, run.Course[i-1].Seconds)
			}
		}
		if len(bounds) < len(s.Runs) || len(bounds) == 0 {
			continue
		}
		if middle := median(bounds); middle > highest {
			highest, after, ok = middle, median(times), true
		}
	}
	return highest, after, ok
}

// highest is the highest bound that is known of the normal approximations of a model.
func highest(outcomes []*outcome, model string) float64 {
	best := math.Inf(-1)
	for _, c := range outcomes {
		if c.Model != model {
			continue
		}
		for _, s := range c.SVI {
			for _, run := range s.Runs {
				for _, b := range run.Course {
					best = max(best, b.Bound)
				}
			}
		}
		for _, f := range c.fits {
			if f.fault == "" {
				best = max(best, f.ELBO.Mean)
			}
		}
	}
	return best
}

// truths says where the truth is from.
func truths(outcomes []*outcome) string {
	var b strings.Builder
	b.WriteString("| model | d | truth | draws of 4 chains | R-hat | ESS, bulk | tail | error of means | of std. deviations | divergent | seconds |\n" +
		"| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	seen := map[string]bool{}
	for _, c := range outcomes {
		if seen[c.Model] {
			continue
		}
		seen[c.Model] = true
		what := "NUTS"
		if c.Exact != nil {
			what = "exact"
		}
		n := c.NUTS
		if n == nil {
			fmt.Fprintf(&b, "| %s | %d | %s | - | - | - | - | - | - | - | - |\n", c.Model, c.D, what)
			continue
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %d | %.4f | %.0f | %.0f | %.4f | %.4f | %d | %.0f |\n", c.Model, c.D, what, n.Chains*n.Draws, n.RHat,
			n.ESSBulk, n.ESSTail, n.ErrorOfMeans, n.ErrorOfSDs, n.Divergent, n.Seconds)
	}
	return b.String()
}

func average(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

func median(x []float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	return sorted[len(sorted)/2]
}

func seconds(x float64) string {
	if x < 1 {
		return fmt.Sprintf("%.3g ms", 1000*x)
	}
	return fmt.Sprintf("%.3g s", x)
}
