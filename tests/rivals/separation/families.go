package main

import (
	"fmt"
	"slices"
	"strings"
)

// family is a distribution of which cases are regressions.
type family struct {
	name   string // of sngdgen
	called string // the regression
	// coefficients are the parameters that have a predictor, with how many coefficients each, in the order in which directions have them.
	coefficients func(e *example) []block
	conditions   func(e *example, row int) []condition
	shape        bool // it has another parameter, which may have no estimate where coefficients have
	categories   bool // the response has levels 1, 2, ... of which each occurs
	positive     bool // the response is not 0
	trials       bool // the response is a number of successes, in so many trials
	parts        bool // the first parameter is of what is not 0 alone, and the other has a predictor too
	glm          bool // glm of R says something of it
	// inflated is whether a row of 0 has another explanation, so that it may be on the wrong side of a direction: then the conditions are enough for there to be no maximum, and not needed.
	inflated bool
}

// block is a parameter with so many coefficients.
type block struct {
	parameter string
	count     int
}

// condition is what a direction d must fulfil in a row so that the likelihood of it never falls: of'd >= 0, or of'd = 0. Where it is above 0 the row is separated by it.
type condition struct {
	of    []float64
	fixed bool
}

func (e *example) family() *family {
	i := slices.IndexFunc(families, func(f *family) bool { return f.name == e.Family })
	return families[i]
}

// levels is how many categories the response has.
func (e *example) levels() int { return int(slices.Max(e.y)) }

// one is a single predictor of a parameter.
func one(parameter string) func(e *example) []block {
	return func(e *example) []block { return []block{{parameter, len(e.x[0])}} }
}

var families = []*family{
	{name: "bernoulli", called: "logistic", coefficients: one("p"), conditions: binary, glm: true},
	{name: "binomial", called: "binomial", coefficients: one("p"), conditions: successes, trials: true},
	{name: "beta_binomial", called: "beta-binomial", coefficients: one("mu"), conditions: successes, trials: true, shape: true},
	{name: "ordinal", called: "ordinal", coefficients: cutPoints, conditions: between, categories: true},
	{name: "multinomial", called: "multinomial", coefficients: againstLast, conditions: aboveOthers, categories: true},
	{name: "poisson", called: "Poisson", coefficients: one("lambda"), conditions: counts(0), glm: true},
	{name: "negative_binomial_mean", called: "negative binomial", coefficients: one("mu"), conditions: counts(0), shape: true},
	{name: "zero_inflated_poisson", called: "zero-inflated Poisson", coefficients: one("lambda"), conditions: counts(0), shape: true, inflated: true},
	{name: "zero_inflated_negative_binomial", called: "zero-inflated negative binomial", coefficients: one("mu"), conditions: counts(0), shape: true, inflated: true},
	{name: "zero_truncated_poisson", called: "zero-truncated Poisson", coefficients: one("lambda"), conditions: counts(1), positive: true},
	{name: "hurdle_poisson", called: "hurdle Poisson", coefficients: twoParts, conditions: hurdle, parts: true},
}

// times is a multiple of x, with zeros in front and behind.
func times(x []float64, by float64, front, behind int) []float64 {
	out := make([]float64, front+len(x)+behind)
	for i, v := range x {
		out[front+i] = by * v
	}
	return out
}

// sign is 1 where something is so, else -1.
func sign(so bool) float64 {
	if so {
		return 1
	}
	return -1
}

func binary(e *example, row int) []condition {
	return []condition{{of: times(e.x[row], sign(e.y[row] == 1), 0, 0)}}
}

// successes: where there are both successes and failures a probability of 0 or 1 has likelihood 0.
func successes(e *example, row int) []condition {
	y, trials := e.y[row], e.trials[row]
	return []condition{{times(e.x[row], sign(y == trials), 0, 0), 0 < y && y < trials}}
}

// counts are those of a distribution of which a count has probability 1 where the mean goes to its least, and others 0.
func counts(least float64) func(e *example, row int) []condition {
	return func(e *example, row int) []condition {
		return []condition{{times(e.x[row], sign(e.y[row] != least), 0, 0), e.y[row] != least}}
	}
}

func twoParts(e *example) []block { return []block{{"lambda", len(e.x[0])}, {"p", len(e.x[0])}} }

// hurdle: a logistic regression for what is 0, and where it is not one of counts from 1.
func hurdle(e *example, row int) []condition {
	x, zero := e.x[row], e.y[row] == 0
	out := []condition{{of: times(x, sign(zero), len(x), 0)}}
	if zero {
		return out
	}
	for _, c := range counts(1)(e, row) {
		out = append(out, condition{times(c.of, 1, 0, len(x)), c.fixed})
	}
	return out
}

func cutPoints(e *example) []block {
	return []block{{"c", e.levels() - 1}, {"beta", len(e.Columns)}}
}

// between: the predictor is below the cut point above a level, and above the one below it.
func between(e *example, row int) (out []condition) {
	cuts, y := e.levels()-1, int(e.y[row])
	if y <= cuts {
		c := times(e.x[row][1:], -1, cuts, 0)
		c[y-1] = 1
		out = append(out, condition{of: c})
	}
	if y > 1 {
		c := times(e.x[row][1:], 1, cuts, 0)
		c[y-2] = -1
		out = append(out, condition{of: c})
	}
	return out
}

func againstLast(e *example) []block { return []block{{"B", (e.levels() - 1) * len(e.x[0])}} }

// aboveOthers: the predictor of a category is above that of each other; that of the last is 0.
func aboveOthers(e *example, row int) (out []condition) {
	p, y, levels := len(e.x[row]), int(e.y[row]), e.levels()
	for other := 1; other <= levels; other++ {
		if other == y {
			continue
		}
		c := make([]float64, (levels-1)*p)
		for j, v := range e.x[row] {
			if y < levels {
				c[(y-1)*p+j] = v
			}
			if other < levels {
				c[(other-1)*p+j] = -v
			}
		}
		out = append(out, condition{of: c})
	}
	return out
}

// arguments are those of sngdgen fit.
func (e *example) arguments() []string {
	formula := "y ~ " + strings.Join(e.Columns, " + ")
	if f := e.family(); f.parts {
		formula += fmt.Sprintf("; %s ~ %s", f.coefficients(e)[1].parameter, strings.Join(e.Columns, " + "))
	}
	return []string{e.Family, e.File, "--formula", formula}
}
