package curves

import (
	"fmt"
	"math"
	"slices"
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

// Outcome of a comparison.
type Outcome int

// Ahead and Behind are differences of more than two standard errors.
const (
	Level Outcome = iota
	Ahead
	Behind
)

// Difference is what the losses of one method less those of another are on average, in pairs of runs with the same seed, with two standard
// errors. It is infinite where one of them has failed.
type Difference struct{ Mean, Error float64 }

// Less is the difference of two curves at a place: of their last points there or before.
func Less(ours, theirs *Curve, x float64) Difference {
	i, j := ours.point(x), theirs.point(x)
	switch {
	case i < 0 && j < 0:
		return Difference{Error: math.Inf(1)}
	case i < 0:
		return Difference{Mean: math.Inf(1)}
	case j < 0:
		return Difference{Mean: math.Inf(-1)}
	}
	var d []float64
	for seed, loss := range ours.Each[i] {
		if seed < len(theirs.Each[j]) {
			d = append(d, loss-theirs.Each[j][seed])
		}
	}
	mean, wide := grid.Spread(d)
	if len(d) < 2 {
		wide = math.Inf(1) // nothing is known of other seeds
	}
	return Difference{mean, wide}
}

// Outcome of the comparison.
func (d Difference) Outcome() Outcome {
	switch {
	case d.Mean < -d.Error:
		return Ahead
	case d.Mean > d.Error:
		return Behind
	}
	return Level
}

func (d Difference) String() string {
	if math.IsInf(d.Mean, 0) {
		return "one has failed"
	}
	if d.Error == 0 || math.IsInf(d.Error, 0) {
		return fmt.Sprintf("%+.4g\u00a0±\u00a0%g", d.Mean, d.Error)
	}
	digits := 2 - int(math.Ceil(math.Log10(d.Error))) // two of the error, and no more of the mean
	return fmt.Sprintf("%+.*f\u00a0±\u00a0%.*f", max(digits, 0), d.Mean, max(digits, 0), d.Error)
}

// Lead is how much sooner one method is where another one ends.
type Lead struct {
	Ours, Theirs string
	Level        float64    // near the lowest mean of theirs
	Lowest       float64    // mean of ours
	At           [2]float64 // where ours is at the level, along both axes; +Inf for never
	Other        [2]float64
	There        [2]Difference // where theirs is at the level
	Best         Difference    // of the points with the lowest means
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
		l.There[a] = Less(&ours[a], &theirs[a], l.Other[a])
	}
	l.Best = Lowest(&ours[0], &theirs[0])
	return l
}

// Lowest is the difference of two curves where each has its lowest mean.
func Lowest(ours, theirs *Curve) Difference {
	a, b := ours.lowest(), theirs.lowest()
	return Less(&a, &b, 0)
}

// lowest is the curve of the lowest mean alone.
func (c *Curve) lowest() Curve {
	if len(c.Mean) == 0 {
		return *c
	}
	i := slices.Index(c.Mean, c.Low())
	return Curve{X: []float64{0}, Mean: c.Mean[i : i+1], Error: c.Error[i : i+1], Each: c.Each[i : i+1]}
}

// Head has the names of the columns of Row.
var Head = []string{"method", "against", "at the loss", "after iterations", "other, times", "after seconds", "other, times", "less after as many iterations",
	"less after as much time", "less at the lowest means"}

// Row writes a Lead.
func (l Lead) Row() []string {
	if math.IsInf(l.Level, 1) {
		return []string{l.Ours, l.Theirs, "failed in all runs", "", "", "", "", "", "", ""}
	}
	return []string{l.Ours, l.Theirs, number(l.Level), count(l.At[0]), ratio(l.Ratio(Iterations)), seconds(l.At[1]),
		ratio(l.Ratio(Seconds)), l.There[0].String(), l.There[1].String(), l.Best.String()}
}

// Ratio is how many times longer the other takes; 0 where ours never arrives, NaN where neither takes any time.
func (l Lead) Ratio(a Against) float64 { return l.Other[a] / l.At[a] }

func ratio(x float64) string {
	if !(x > 0) {
		return ""
	}
	return fmt.Sprintf("%.3g", x)
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

// Counts are at how many distances a method is there before another one, together with it, and after it; where neither arrives they are
// level.
func (r Rungs) Counts(ours, theirs string) (ahead, level, behind int) {
	for i := range r.Distances {
		switch a, b := r.At[ours][i], r.At[theirs][i]; {
		case a < b:
			ahead++
		case a == b:
			level++
		default:
			behind++
		}
	}
	return ahead, level, behind
}
