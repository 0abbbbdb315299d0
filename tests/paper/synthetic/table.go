package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// at returns the loss of the last sample that satisfies a condition, +Inf for a run that failed before.
func (r *run) at(within func(sample) bool) float64 {
	loss := math.Inf(1)
	for _, s := range r.samples {
		if !within(s) {
			return loss
		}
		loss = finiteOrInf(s.loss)
	}
	if r.fault != "" {
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

func untilStep(k int) func(sample) bool       { return func(s sample) bool { return s.step <= k } }
func untilSecond(t float64) func(sample) bool { return func(s sample) bool { return s.seconds <= t } }

// over returns the losses of all runs.
func (r *result) over(within func(sample) bool) []float64 {
	var out []float64
	for i := range r.runs {
		out = append(out, r.runs[i].at(within))
	}
	return out
}

// score is the criterion of the paper for the best hyperparameters: the average, over the steps up to the last
// checkpoint, of the worst loss of all seeds.
func (r *result) score(c *config) float64 {
	sum, n := 0.0, 0
	for k := 0; k <= slices.Max(c.steps); k += c.every {
		sum += slices.Max(r.over(untilStep(k)))
		n++
	}
	return sum / float64(n)
}

// best returns the setting of each method with the best score, in the order of the methods.
func best(rs []result, c *config) []result {
	var out []result
	for _, r := range rs {
		i := slices.IndexFunc(out, func(x result) bool { return x.method == r.method })
		switch {
		case i < 0:
			out = append(out, r)
		case r.score(c) < out[i].score(c):
			out[i] = r
		}
	}
	return out
}

// table writes a line for each result: the mean over the seeds at the checkpoints.
func table(rs []result, c *config) string {
	var b strings.Builder
	header(&b, c, "| method | setting |")
	for i := range rs {
		r := &rs[i]
		fmt.Fprintf(&b, "| %s | %s |", r.method, r.text)
		for _, k := range c.steps {
			fmt.Fprintf(&b, " %s |", spread(r.over(untilStep(k))))
		}
		for _, t := range c.seconds {
			fmt.Fprintf(&b, " %s |", spread(r.over(untilSecond(t))))
		}
		fmt.Fprintf(&b, " %s | %d |\n", r.pace(c), r.rollBacks())
	}
	return b.String()
}

// header writes the first two lines; without checkpoints of time nothing of the table depends on the machine.
func header(b *strings.Builder, c *config, first string) {
	b.WriteString(first)
	columns := strings.Count(first, "|") - 1 + len(c.steps) + len(c.seconds) + 2
	for _, k := range c.steps {
		fmt.Fprintf(b, " %d steps |", k)
	}
	for _, t := range c.seconds {
		fmt.Fprintf(b, " %g s |", t)
	}
	b.WriteString(" ms/step | back |\n|" + strings.Repeat(" --- |", columns) + "\n")
}

// frontier writes, for each method and checkpoint, the best mean over the seeds of any setting: the paper's Pareto
// frontiers (appendix "Experiment results").
func frontier(rs []result, c *config) string {
	var b strings.Builder
	b.WriteString("| method |")
	var within []func(sample) bool
	for _, k := range c.steps {
		fmt.Fprintf(&b, " %d steps |", k)
		within = append(within, untilStep(k))
	}
	for _, t := range c.seconds {
		fmt.Fprintf(&b, " %g s |", t)
		within = append(within, untilSecond(t))
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", 1+len(within)) + "\n")
	for _, first := range best(rs, c) {
		fmt.Fprintf(&b, "| %s |", first.method)
		for _, w := range within {
			low := math.Inf(1)
			for i := range rs {
				if rs[i].method == first.method {
					low = min(low, mean(rs[i].over(w)))
				}
			}
			fmt.Fprintf(&b, " %s |", number(low))
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

// spread writes the mean and two standard errors.
func spread(x []float64) string {
	m, square := mean(x), 0.0
	for _, v := range x {
		square += (v - m) * (v - m)
	}
	n := float64(len(x))
	if n < 2 || math.IsInf(m, 1) {
		return number(m)
	}
	return fmt.Sprintf("%s ± %s", number(m), number(2*math.Sqrt(square/(n-1)/n)))
}

func number(x float64) string {
	if math.IsInf(x, 1) {
		return "failed"
	}
	return fmt.Sprintf("%.3f", x)
}

// pace is the time of a step of the fastest run; it is left out where the table shall not depend on the machine.
func (r *result) pace(c *config) string {
	low := math.Inf(1)
	for _, x := range r.runs {
		if last := x.samples[len(x.samples)-1]; last.step > 0 {
			low = min(low, last.seconds/float64(last.step))
		}
	}
	if len(c.seconds) == 0 || math.IsInf(low, 1) {
		return ""
	}
	return fmt.Sprintf("%.3g", 1000*low)
}

func (r *result) rollBacks() int {
	n := 0
	for _, x := range r.runs {
		n += x.rollBacks
	}
	return n
}
