// Package curves makes training curves and Pareto frontiers of the runs of several methods, draws them, and says in numbers which
// method leads.
package curves

import (
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/tests/paper/grid"
)

// Curve is the mean loss of a method over the seeds, with twice its standard error.
type Curve struct {
	Method, Text string // Text is the setting
	X            []float64
	Mean, Error  []float64
	Each         [][]float64 // the losses of all runs, by points: in the order of the seeds, so that those of two methods are pairs
	Failed       int         // runs that ended early by a fault
}

// Against is what losses are drawn against.
type Against int

// Iterations and Seconds of the processor.
const (
	Iterations Against = iota
	Seconds
)

// Label names the axis.
func (a Against) Label() string {
	if a == Seconds {
		return "seconds of a processor"
	}
	return "iterations"
}

func (a Against) of(s grid.Sample) float64 {
	if a == Seconds {
		return s.Seconds
	}
	return float64(s.Step)
}

// points of a curve along time.
const points = 120

// Of makes the curve of a method with one setting. Along iterations it is known where the runs have samples; along time each run is at its
// last sample before, up to the end of the slowest.
func Of(r *grid.Result, a Against) Curve {
	c := Curve{Method: r.Method, Text: r.Text}
	for _, x := range r.Runs {
		if x.Fault != "" {
			c.Failed++
		}
	}
	for _, x := range abscissae(r, a) {
		losses := r.Over(func(s grid.Sample) bool { return a.of(s) <= x })
		mean, wide := grid.Spread(losses)
		if math.IsInf(mean, 0) || math.IsNaN(mean) {
			continue
		}
		c.X, c.Mean, c.Error, c.Each = append(c.X, x), append(c.Mean, mean), append(c.Error, wide), append(c.Each, losses)
	}
	return c
}

// abscissae are where the curve of a setting has points.
func abscissae(r *grid.Result, a Against) (out []float64) {
	if a == Iterations {
		for _, x := range r.Runs {
			for _, s := range x.Samples {
				out = append(out, float64(s.Step))
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	end, first := 0.0, math.Inf(1)
	for _, x := range r.Runs {
		end = max(end, x.Samples[len(x.Samples)-1].Seconds)
		for _, s := range x.Samples {
			if s.Seconds > 0 {
				first = min(first, s.Seconds)
			}
		}
	}
	if !(first < end) {
		return []float64{0, end}
	}
	// The start, and evenly on a logarithmic scale, as methods differ by orders of magnitude.
	out = append(out, 0)
	for i := range points - 1 {
		out = append(out, first*math.Pow(end/first, float64(i)/(points-1)))
	}
	return append(out, end) // exactly, as the last samples are there
}

// Frontier is the best that any setting of a method has reached on average at each place: the paper's Pareto frontiers.
func Frontier(rs []grid.Result, method string, a Against) Curve {
	out := Curve{Method: method, Text: "the best of all settings at each place"}
	var all []Curve
	for i := range rs {
		if rs[i].Method == method {
			c := Of(&rs[i], a)
			all = append(all, c)
			out.X = append(out.X, c.X...)
			out.Failed += c.Failed
		}
	}
	slices.Sort(out.X)
	out.X = slices.Compact(out.X)
	low, wide, each := math.Inf(1), 0.0, []float64(nil)
	for _, x := range out.X {
		for i := range all {
			if at := all[i].point(x); at >= 0 && all[i].Mean[at] < low {
				low, wide, each = all[i].Mean[at], all[i].Error[at], all[i].Each[at]
			}
		}
		out.Mean, out.Error, out.Each = append(out.Mean, low), append(out.Error, wide), append(out.Each, each)
	}
	return out
}

// point is the last point at or before a place; -1 where there is none.
func (c *Curve) point(x float64) int {
	i, ok := slices.BinarySearch(c.X, x)
	if !ok {
		i--
	}
	return i
}

// Low is the lowest mean of a curve; +Inf of one without points.
func (c *Curve) Low() float64 {
	if len(c.Mean) == 0 {
		return math.Inf(1)
	}
	return slices.Min(c.Mean)
}

// Reach is the first place at which the mean is at a level or below; +Inf where it never is.
func (c *Curve) Reach(level float64) float64 {
	for i, m := range c.Mean {
		if m <= level {
			return c.X[i]
		}
	}
	return math.Inf(1)
}

// Methods are the names of the methods of results, in their order.
func Methods(rs []grid.Result) (out []string) {
	for _, r := range rs {
		if !slices.Contains(out, r.Method) {
			out = append(out, r.Method)
		}
	}
	return out
}
