package grid

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// at returns the loss of the last sample that satisfies a condition, +Inf for a run that failed before.
func (r *Run) at(within func(Sample) bool) float64 {
	loss := math.Inf(1)
	for _, s := range r.Samples {
		if !within(s) {
			return loss
		}
		loss = finiteOrInf(s.Loss)
	}
	if r.Fault != "" {
		return math.Inf(1)
	}
	return loss
}

func finiteOrInf(x float64) float64 {
	if math.IsNaN(x) {
		return math.Inf(1)
	}
	return x
}

func UntilStep(k int) func(Sample) bool       { return func(s Sample) bool { return s.Step <= k } }
func UntilSecond(t float64) func(Sample) bool { return func(s Sample) bool { return s.Seconds <= t } }

// Over returns the losses of all runs.
func (r *Result) Over(within func(Sample) bool) []float64 {
	var out []float64
	for i := range r.Runs {
		out = append(out, r.Runs[i].at(within))
	}
	return out
}

// Score is the criterion of the paper for the best hyperparameters: the average, over the steps up to the last
// checkpoint, of the worst loss of all seeds.
func (r *Result) Score(c *Checkpoints) float64 {
	sum, n := 0.0, 0
	for k := 0; k <= slices.Max(c.Steps); k += c.Every {
		sum += slices.Max(r.Over(UntilStep(k)))
		n++
	}
	return sum / float64(n)
}

// Best returns the setting of each method with the best score, in the order of the methods.
func Best(rs []Result, c *Checkpoints) []Result {
	var out []Result
	for _, r := range rs {
		i := slices.IndexFunc(out, func(x Result) bool { return x.Method == r.Method })
		switch {
		case i < 0:
			out = append(out, r)
		case r.Score(c) < out[i].Score(c):
			out[i] = r
		}
	}
	return out
}

// Table writes a line for each Result: the mean over the seeds at the checkpoints.
func Table(rs []Result, c *Checkpoints) string {
	var b strings.Builder
	header(&b, c, "| method | setting |")
	for i := range rs {
		r := &rs[i]
		fmt.Fprintf(&b, "| %s | %s |", r.Method, r.Text)
		for _, k := range c.Steps {
			fmt.Fprintf(&b, " %s |", spread(r.Over(UntilStep(k))))
		}
		for _, t := range c.Seconds {
			fmt.Fprintf(&b, " %s |", spread(r.Over(UntilSecond(t))))
		}
		fmt.Fprintf(&b, " %s | %d |\n", r.pace(c), r.back())
	}
	return b.String()
}

// header writes the first two lines; without checkpoints of time nothing of the table depends on the machine.
func header(b *strings.Builder, c *Checkpoints, first string) {
	b.WriteString(first)
	columns := strings.Count(first, "|") - 1 + len(c.Steps) + len(c.Seconds) + 2
	for _, k := range c.Steps {
		fmt.Fprintf(b, " %d steps |", k)
	}
	for _, t := range c.Seconds {
		fmt.Fprintf(b, " %g s |", t)
	}
	b.WriteString(" ms/step | back |\n|" + strings.Repeat(" --- |", columns) + "\n")
}

// Frontier writes, for each method and checkpoint, the best mean over the seeds of any setting: the paper's Pareto
// Frontiers (appendix "Experiment results").
func Frontier(rs []Result, c *Checkpoints) string {
	var b strings.Builder
	b.WriteString("| method |")
	var within []func(Sample) bool
	for _, k := range c.Steps {
		fmt.Fprintf(&b, " %d steps |", k)
		within = append(within, UntilStep(k))
	}
	for _, t := range c.Seconds {
		fmt.Fprintf(&b, " %g s |", t)
		within = append(within, UntilSecond(t))
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", 1+len(within)) + "\n")
	for _, first := range Best(rs, c) {
		fmt.Fprintf(&b, "| %s |", first.Method)
		for _, w := range within {
			low := math.Inf(1)
			for i := range rs {
				if rs[i].Method == first.Method {
					low = min(low, mean(rs[i].Over(w)))
				}
			}
			fmt.Fprintf(&b, " %s |", Number(low))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// Spread is the mean with two standard errors, of which one number has none.
func Spread(x []float64) (mean, wide float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	if len(x) < 2 || math.IsInf(mean, 0) {
		return mean, 0
	}
	square := 0.0
	for _, v := range x {
		square += (v - mean) * (v - mean)
	}
	n := float64(len(x))
	return mean, 2 * math.Sqrt(square/(n-1)/n)
}

// spread writes both.
func spread(x []float64) string {
	m, wide := Spread(x)
	if len(x) < 2 || math.IsInf(m, 1) {
		return Number(m)
	}
	return fmt.Sprintf("%s ± %s", Number(m), Number(wide))
}

// Number writes a loss.
func Number(x float64) string {
	if math.IsInf(x, 1) {
		return "failed"
	}
	return fmt.Sprintf("%.3f", x)
}

// pace is the time of a step of the fastest run; it is left out where the table shall not depend on the machine.
func (r *Result) pace(c *Checkpoints) string {
	low := math.Inf(1)
	for _, x := range r.Runs {
		if last := x.Samples[len(x.Samples)-1]; last.Step > 0 {
			low = min(low, last.Seconds/float64(last.Step))
		}
	}
	if len(c.Seconds) == 0 || math.IsInf(low, 1) {
		return ""
	}
	return fmt.Sprintf("%.3g", 1000*low)
}

// Backs is how often a run went back on average: see Run.
func (r *Result) Backs() float64 { return float64(r.back()) / float64(max(len(r.Runs), 1)) }

// back is how often the runs went back: see Run.
func (r *Result) back() int {
	n := 0
	for _, x := range r.Runs {
		n += x.Back
	}
	return n
}
