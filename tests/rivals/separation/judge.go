package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
)

// The kinds of separation.
const (
	none     = "none"
	quasi    = "quasi-complete"
	complete = "complete"
	shrinks  = "scale to 0" // where a scale goes to 0 the likelihood has no bound, or that of a probability
)

// atInfinity is the status of a fit of rows that are separated.
const atInfinity = "estimate at infinity"

var kinds = []string{complete, quasi, shrinks, none}

// report is what sngdgen fit --json says.
type report struct {
	Status     string      `json:"status"`
	Converged  bool        `json:"converged"`
	Message    string      `json:"message"`
	Separation *separation `json:"separation"`

	Likelihood float64        `json:"log_likelihood"`
	Parameters map[string]any `json:"parameters"`
	Errors     map[string]any `json:"standard_errors"`
}

// separation is where coefficients go, by the parameters that they are of.
type separation struct {
	Complete  bool           `json:"complete"`
	Direction map[string]any `json:"direction"` // a number, numbers, or rows of them
}

func (e *example) kind() string {
	r, scale := e.report, e.family().scale
	switch {
	case r.Separation != nil && r.Separation.Complete:
		return complete
	case scale != "" && r.Status == atInfinity && strings.Contains(r.Message, scale):
		return shrinks
	case r.Separation == nil:
		return none
	}
	return quasi
}

// direction is that of the coefficients, one parameter after the other; nil where there is none, or where something else grows.
func (e *example) direction() (out []float64) {
	if e.report.Separation == nil {
		return nil
	}
	rest := maps.Clone(e.report.Separation.Direction)
	for _, b := range e.family().coefficients(e) {
		out = append(out, flat(rest[b.parameter])...)
		delete(rest, b.parameter)
	}
	for _, other := range rest {
		if slices.ContainsFunc(flat(other), func(x float64) bool { return x != 0 }) {
			return nil
		}
	}
	return out
}

// flat are the numbers of a value of a report.
func flat(value any) (out []float64) {
	switch v := value.(type) {
	case float64:
		return []float64{v}
	case []any:
		for _, w := range v {
			out = append(out, flat(w)...)
		}
	}
	return out
}

// support are the coefficients that grow.
func (e *example) support() []int {
	out := []int{}
	for i, x := range e.direction() {
		if x != 0 {
			out = append(out, i)
		}
	}
	return out
}

// tolerance is how far a row may be on the wrong side, or off the plane, relative to the sum of the sizes of the terms of its inner product with the direction.
const tolerance = 1e-6

// margin is of'd relative to the sizes of its terms, where d is the direction: above tolerance the row is separated, below minus tolerance it is on the wrong side. That of an
// equality is never above 0.
func (c *condition) margin(d []float64) float64 {
	sum, size := 0.0, 0.0
	for j, x := range c.of {
		sum += x * d[j]
		size += math.Abs(x * d[j])
	}
	switch {
	case size == 0:
		return 0
	case c.fixed:
		return -math.Abs(sum) / size
	}
	return sum / size
}

// length is how many coefficients there are.
func (e *example) length() (n int) {
	for _, b := range e.family().coefficients(e) {
		n += b.count
	}
	return n
}

// sound reports whether the coefficients have an estimate, by what is said of a fit: another parameter may have none, which is no matter of separation.
func (e *example) sound() bool {
	if e.report.Converged {
		return true
	}
	if !e.family().shape || e.report.Status != atInfinity {
		return false
	}
	return !slices.ContainsFunc(e.family().coefficients(e), func(b block) bool { return strings.Contains(e.report.Message, "length of "+b.parameter+" ") })
}

// outcome is what is wrong with what sngdgen says of a case; nothing where it agrees.
type outcome struct {
	*example
	theirs *answer
	faults []string
	// centred is what is wrong with what sngdgen says where the columns of a case that is lost have their means subtracted, which changes no kind and no row.
	centred []string
}

// judge compares with linear programming.
func judge(e *example, theirs *answer) *outcome {
	o := &outcome{example: e, theirs: theirs}
	fault := func(format string, arguments ...any) { o.faults = append(o.faults, fmt.Sprintf(format, arguments...)) }
	kind, inflated := e.kind(), e.family().inflated
	switch {
	case kind == quasi && theirs.Kind == none && inflated: // the direction says whether it can be so
	case kind != theirs.Kind && kind == none:
		fault("not said to be separated, but %s", e.report.Status)
	case kind != theirs.Kind:
		fault("said to be %s", kind)
	case kind == none && !e.sound():
		fault("not separated, but %s", e.report.Status)
	case kind == shrinks && strings.Contains(e.report.Message, "without bound") != e.observed():
		fault("the likelihood has a bound where no response is observed, and else none")
	case kind != none && e.report.Status != atInfinity:
		fault("separated, but %s", e.report.Status)
	}
	if kind == none || kind == shrinks {
		return o
	}
	d := e.direction()
	if len(d) != e.length() {
		fault("a direction of %d coefficients in place of %d", len(d), e.length())
		return o
	}
	away, wrong, worst := e.sides(d)
	switch {
	case wrong > 0:
		fault("%d rows are on the wrong side of the direction, by %.2g", wrong, -worst)
	case inflated && len(away) == 0:
		fault("the direction separates nothing")
	case !inflated && !slices.Equal(away, theirs.Separated):
		fault("the direction separates %d rows, where %d can be", len(away), len(theirs.Separated))
		if !slices.Equal(theirs.Support, e.Support) {
			fault("whether its coefficients are enough was not asked")
		} else if !theirs.Enough {
			fault("coefficients of direction 0 cannot be finite")
		}
	}
	return o
}

// sides are the conditions that a direction fulfils strictly, how many are on the wrong side that may not be, and how far.
func (e *example) sides(d []float64) (away []int, wrong int, worst float64) {
	i := 0
	for row := range e.x {
		for _, c := range e.family().conditions(e, row) {
			switch m := c.margin(d); {
			case m < -tolerance && !c.soft:
				wrong++
				worst = min(worst, m)
			case m > tolerance:
				away = append(away, i)
			}
			i++
		}
	}
	return away, wrong, worst
}

func judgeAll(chosen []*example, known *answers, progress io.Writer) []*outcome {
	var out []*outcome
	for _, e := range chosen {
		theirs := answerTo(e, known)
		if theirs == nil {
			fmt.Fprintf(progress, "%s: no answer of the others for these data\n", e.Name)
			continue
		}
		out = append(out, judge(e, theirs))
	}
	return out
}
