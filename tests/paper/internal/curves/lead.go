package curves

import (
	"fmt"
	"math"
	"strings"

	"github.com/sngdgen/sngdgen/tests/paper/grid"
)

// Pair is a method along iterations and along time.
type Pair [2]Curve

// Pairs are those of settings, one of each method.
func Pairs(rs []grid.Result) (out []Pair) {
	for i := range rs {
		out = append(out, Pair{Of(&rs[i], Iterations), Of(&rs[i], Seconds)})
	}
	return out
}

// Frontiers are those of all methods of a grid.
func Frontiers(rs []grid.Result) (out []Pair) {
	for _, m := range Methods(rs) {
		out = append(out, Pair{Frontier(rs, m, Iterations), Frontier(rs, m, Seconds)})
	}
	return out
}

// Along takes one axis of all pairs.
func Along(pairs []Pair, a Against) (out []Curve) {
	for _, p := range pairs {
		out = append(out, p[a])
	}
	return out
}

// Lead is how much sooner one method is where another one ends.
type Lead struct {
	Ours, Theirs string
	Level        float64    // near the lowest mean of theirs
	Lowest       float64    // of ours
	At           [2]float64 // where ours is at the level, along both axes; +Inf for never
	Other        [2]float64
}

// But is the part of the way down that does not count for a Lead: the last noise. Where the least loss there can be is known it is Near, a
// part of the distance from that.
const (
	But  = 0.01
	Near = 0.1
)

// LeadOf compares two methods; floor is the least loss there can be, NaN where that is not known.
func LeadOf(ours, theirs Pair, floor float64) Lead {
	l := Lead{Ours: ours[0].Method, Theirs: theirs[0].Method, Level: math.Inf(1), Lowest: ours[0].Low()}
	if low := theirs[0].Low(); len(theirs[0].Mean) > 0 {
		l.Level = low + But*(theirs[0].Mean[0]-low)
		if !math.IsNaN(floor) {
			l.Level = low + Near*math.Max(low-floor, 0)
		}
	}
	for a := range l.At {
		l.At[a], l.Other[a] = ours[a].Reach(l.Level), theirs[a].Reach(l.Level)
	}
	return l
}

// Won counts along how many of the two axes ours is first.
func (l Lead) Won() int {
	n := 0
	for a := range l.At {
		if l.At[a] < l.Other[a] {
			n++
		}
	}
	return n
}

// String says it in numbers.
func (l Lead) String() string {
	if math.IsInf(l.Level, 1) {
		return fmt.Sprintf("%s has failed in all runs.", l.Theirs)
	}
	if math.IsInf(l.At[0], 1) {
		return fmt.Sprintf("%s does not reach %s, where %s arrives after %s iterations; its own lowest mean is %s.",
			l.Ours, number(l.Level), l.Theirs, count(l.Other[0]), number(l.Lowest))
	}
	return fmt.Sprintf("%s is at %s after %s iterations and %s s, %s after %s iterations and %s s: %s, %s.",
		l.Ours, number(l.Level), count(l.At[0]), seconds(l.At[1]), l.Theirs, count(l.Other[0]), seconds(l.Other[1]),
		times(l.Other[0], l.At[0], "fewer", "more", "iterations"), times(l.Other[1], l.At[1], "less", "more", "time"))
}

// times says how many times fewer, or less, of something ours needs.
func times(theirs, ours float64, less, more, what string) string {
	switch {
	case math.IsInf(ours, 1) || math.IsInf(theirs, 1):
		return "no comparison in " + what
	case theirs == ours:
		return "the same " + what
	case ours == 0 || theirs == 0:
		return "from the start in " + what
	case theirs > ours:
		return fmt.Sprintf("%.3g times %s %s", theirs/ours, less, what)
	}
	return fmt.Sprintf("%.3g times %s %s", ours/theirs, more, what)
}

// Rise says where a curve has its lowest point, if it ends clearly above that; "" if it does not.
func (c *Curve) Rise() string {
	n := len(c.Mean) - 1
	if n < 1 {
		return ""
	}
	low := c.Low()
	if c.Mean[n]-low <= 5*But*(c.Mean[0]-low) {
		return ""
	}
	return fmt.Sprintf("%s is lowest at %s, after %s iterations, and at %s "+
		"in the end.", c.Method, number(low), count(c.Reach(low)), number(c.Mean[n]))
}

func count(x float64) string {
	if math.IsInf(x, 1) {
		return "never"
	}
	return fmt.Sprintf("%g", x)
}

func seconds(x float64) string {
	if math.IsInf(x, 1) {
		return "never"
	}
	return fmt.Sprintf("%.3g", x)
}

func number(x float64) string { return fmt.Sprintf("%.5g", x) }

// Rungs are distances from an optimum with the iterations, or the seconds, after which each method is there on average.
type Rungs struct {
	Against   Against
	Distances []float64
	At        map[string][]float64 // by method
}

// RungsOf counts.
func RungsOf(pairs []Pair, a Against, optimum float64, distances ...float64) Rungs {
	r := Rungs{Against: a, Distances: distances, At: map[string][]float64{}}
	for _, c := range Along(pairs, a) {
		for _, d := range distances {
			r.At[c.Method] = append(r.At[c.Method], c.Reach(optimum+d))
		}
	}
	return r
}

// Sentences say after how many iterations each method is there, in the order of names, one distance a sentence.
func (r Rungs) Sentences(names []string) (out []string) {
	what, unit := "Iterations", count
	if r.Against == Seconds {
		what, unit = "Seconds", seconds
	}
	for i, d := range r.Distances {
		var words []string
		for _, name := range names {
			words = append(words, fmt.Sprintf("%s %s", name, unit(r.At[name][i])))
		}
		out = append(out, fmt.Sprintf("%s until the mean over the starts is within %.0e of the "+
			"optimum: %s.", what, d, strings.Join(words, ", ")))
	}
	return out
}

// Won counts at how many distances a method is there before, or together with, another one; both never there is no win.
func (r Rungs) Won(ours, theirs string) int {
	n := 0
	for i := range r.Distances {
		if a, b := r.At[ours][i], r.At[theirs][i]; a <= b && !math.IsInf(a, 1) {
			n++
		}
	}
	return n
}
