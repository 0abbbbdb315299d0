package main

import (
	"fmt"
	"slices"
	"strings"
)

// table writes rows in Markdown.
func table(rows []row) string {
	var b strings.Builder
	b.WriteString("| method | coordinates | line search | within 1e-6, mean | within 1e-6, total | gradients | losses | ten digits |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", r.name, r.coordinates, r.search,
			r.spread(meanOf), r.spread(totalOf), r.spread(gradientsOf), r.spread(lossesOf), r.spread(digitsOf))
	}
	return b.String()
}

// curves writes the distance from the optimum after each of the first iterations, averaged over the starts: the curves
// of the paper's figure. A run that has ended stays where it is.
func curves(rows []row) string {
	const length = 9
	var b strings.Builder
	b.WriteString("| method | line search |")
	for k := range length {
		fmt.Fprintf(&b, " %d |", k)
	}
	b.WriteString("\n| --- | --- |" + strings.Repeat(" --- |", length) + "\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s |", r.name, r.search)
		for k := range length {
			fmt.Fprintf(&b, " %.0e |", r.average(k))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// average is the mean distance from the optimum after k iterations. Below the rounding of the loss it counts as that.
func (r row) average(k int) float64 {
	sum := 0.0
	for _, x := range r.races {
		sum += max(x.off[min(k, len(x.off)-1)], 1e-15)
	}
	return sum / float64(len(r.races))
}

func meanOf(r *race) int      { return r.mean }
func totalOf(r *race) int     { return r.total }
func gradientsOf(r *race) int { return r.gradients }
func lossesOf(r *race) int    { return r.loss }
func digitsOf(r *race) int    { return r.digits }

// counts returns a count of every race in order of size.
func (r row) counts(of func(*race) int) []int {
	var out []int
	for _, x := range r.races {
		out = append(out, of(x))
	}
	slices.Sort(out)
	return out
}

// median returns the median of a count over the starts; the mean of the two in the middle, never when the larger of
// them is.
func (r row) median(of func(*race) int) float64 {
	x := r.counts(of)
	low, high := x[(len(x)-1)/2], x[len(x)/2]
	if high == never {
		return never
	}
	return float64(low+high) / 2
}

// spread writes the median, and the least and greatest count.
func (r row) spread(of func(*race) int) string {
	x := r.counts(of)
	if x[0] == x[len(x)-1] {
		return count(float64(x[0]))
	}
	return fmt.Sprintf("%s (%s to %s)", count(r.median(of)), count(float64(x[0])), count(float64(x[len(x)-1])))
}

func count(x float64) string {
	if x >= never {
		return "never"
	}
	return fmt.Sprintf("%g", x)
}
