package main

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// The kinds of separation.
const (
	none     = "none"
	quasi    = "quasi-complete"
	complete = "complete"
)

// atInfinity is the status of a fit of rows that are separated.
const atInfinity = "estimate at infinity"

var kinds = []string{complete, quasi, none}

// report is what sngdgen fit --json says.
type report struct {
	Status     string      `json:"status"`
	Converged  bool        `json:"converged"`
	Separation *separation `json:"separation"`
}

// separation is where coefficients go, by the parameters that they are of.
type separation struct {
	Complete  bool                 `json:"complete"`
	Direction map[string][]float64 `json:"direction"`
}

func (r *report) kind() string {
	switch {
	case r.Separation == nil:
		return none
	case r.Separation.Complete:
		return complete
	}
	return quasi
}

// direction is that of the coefficients, which are the only parameters; nil where there is none.
func (r *report) direction() []float64 {
	if r.Separation == nil || len(r.Separation.Direction) != 1 {
		return nil
	}
	for _, d := range r.Separation.Direction {
		return d
	}
	return nil
}

// support are the coefficients that grow.
func (e *example) support() []int {
	out := []int{}
	for i, x := range e.report.direction() {
		if x != 0 {
			out = append(out, i)
		}
	}
	return out
}

// tolerance is how far a row may be on the wrong side, or off the plane, relative to the sum of the sizes of the terms of its inner product with the direction.
const tolerance = 1e-6

// margin is s x'd relative to the sizes of its terms, where d is the direction: above tolerance the row is separated, below minus tolerance it is on the wrong side.
// A row with a count that is not 0 must be in the plane.
func (e *example) margin(row int, d []float64) float64 {
	sum, size := 0.0, 0.0
	for j, x := range e.x[row] {
		sum += x * d[j]
		size += math.Abs(x * d[j])
	}
	switch {
	case size == 0:
		return 0
	case e.Family == "bernoulli" && e.y[row] == 0, e.Family == "poisson" && e.y[row] == 0:
		return -sum / size
	case e.Family == "poisson":
		return -math.Abs(sum) / size
	}
	return sum / size
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
	kind := e.report.kind()
	switch {
	case kind != theirs.Kind && kind == none:
		fault("not said to be separated, but %s", e.report.Status)
	case kind != theirs.Kind:
		fault("said to be %s", kind)
	case kind == none && !e.report.Converged:
		fault("not separated, but %s", e.report.Status)
	case kind != none && e.report.Status != atInfinity:
		fault("separated, but %s", e.report.Status)
	}
	if kind == none {
		return o
	}
	d := e.report.direction()
	if len(d) != len(e.Columns)+1 {
		fault("a direction of %d coefficients in place of %d", len(d), len(e.Columns)+1)
		return o
	}
	var away []int
	wrong, worst := 0, 0.0
	for i := range e.x {
		m := e.margin(i, d)
		switch worst = min(worst, m); {
		case m < -tolerance:
			wrong++
		case m > tolerance:
			away = append(away, i)
		}
	}
	switch {
	case wrong > 0:
		fault("%d rows are on the wrong side of the direction, by %.2g", wrong, -worst)
	case !slices.Equal(away, theirs.Separated):
		fault("the direction separates %d rows, where %d can be", len(away), len(theirs.Separated))
		if !slices.Equal(theirs.Support, e.Support) {
			fault("whether its coefficients are enough was not asked")
		} else if !theirs.Enough {
			fault("coefficients of direction 0 cannot be finite")
		}
	}
	return o
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
