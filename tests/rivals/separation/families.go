package main

import (
	"fmt"
	"slices"
	"strings"
)

// family is a distribution of which cases are regressions.
type family struct {
	name   string // of its sets
	spec   string // of sngdgen, where that has another name: of its library, or a file
	called string // the regression
	// coefficients are the parameters that have a predictor, with how many coefficients each, in the order in which directions have them.
	coefficients func(e *example) []block
	conditions   func(e *example, row int) []condition
	shape        bool // it has another parameter, which may have no estimate where coefficients have
	categories   bool // the response has levels 1, 2, ... of which each occurs
	positive     bool // the response is not 0
	parts        bool // the first parameter is of what is not 0 alone, and the other has a predictor too
	glm          bool // glm of R says something of it
	// inflated is whether a row of 0 has another explanation, so that it may be on the wrong side of a direction: then the conditions are enough for there to be no maximum, and not needed.
	inflated bool
	// sides is between which ends a censored response lies. Scale is what is said of a scale that goes to 0, where it has one.
	sides func(e *example, row int) ends
	scale string
}

// ends are those of the interval that a response lies in: whether there are a lower and an upper one, and whether they are the same.
type ends struct{ lower, upper, exact bool }

// asked reports whether R fits it.
func (f *family) asked() bool { return f.glm || f.sides != nil }

// fitted is what sngdgen fits.
func (f *family) fitted() string {
	if f.spec != "" {
		return f.spec
	}
	return f.name
}

// block is a parameter with so many coefficients.
type block struct {
	parameter string
	count     int
}

// condition is what a direction d must fulfil in a row so that the likelihood of it never falls: of'd >= 0, or of'd = 0. Where it is above 0 the row is separated by it. One that is soft is of a row that has another explanation.
type condition struct {
	of          []float64
	fixed, soft bool
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
	{name: "probit", spec: specs + "probit.yaml", called: "probit", coefficients: one("eta"), conditions: binary},
	{name: "binomial", called: "binomial", coefficients: one("p"), conditions: successes},
	{name: "beta_binomial", called: "beta-binomial", coefficients: one("mu"), conditions: successes, shape: true},
	{name: "ordinal", called: "ordinal", coefficients: cutPoints, conditions: between, categories: true},
	{name: "cumulative_probit", spec: specs + "cumulativeprobit.yaml", called: "cumulative probit", coefficients: cutPoints, conditions: between, categories: true},
	{name: "multinomial", called: "multinomial", coefficients: againstLast, conditions: aboveOthers, categories: true},
	{name: "poisson", called: "Poisson", coefficients: one("lambda"), conditions: counts(0), glm: true},
	{name: "negative_binomial_mean", called: "negative binomial", coefficients: one("mu"), conditions: counts(0), shape: true},
	{name: "zero_inflated_poisson", called: "zero-inflated Poisson", coefficients: one("lambda"), conditions: softened(counts(0)), shape: true, inflated: true},
	{name: "zero_inflated_negative_binomial", called: "zero-inflated negative binomial", coefficients: one("mu"), conditions: softened(counts(0)), shape: true, inflated: true},
	{name: "zero_inflated_poisson_parts", spec: "zero_inflated_poisson", called: "zero-inflated Poisson, both parts", coefficients: two("lambda", "p"), conditions: inflation, parts: true, inflated: true},
	{name: "zero_inflated_negative_binomial_parts", spec: "zero_inflated_negative_binomial", called: "zero-inflated negative binomial, both parts", coefficients: two("mu", "p"), conditions: inflation, parts: true, inflated: true,
		shape: true},
	{name: "zero_truncated_poisson", called: "zero-truncated Poisson", coefficients: one("lambda"), conditions: counts(1), positive: true},
	{name: "hurdle_poisson", called: "hurdle Poisson", coefficients: two("lambda", "p"), conditions: hurdle(counts(1)), parts: true},
	{name: "exponential_survival", spec: specs + "exponentialsurvival.yaml", called: "exponential survival", coefficients: one("scale"), conditions: censored(survives), sides: survives},
	{name: "weibull_survival", called: "Weibull survival", coefficients: one("scale"), conditions: censored(survives), sides: survives, shape: true, scale: "k goes to infinity"},
	{name: "log_normal_survival", called: "log-normal survival", coefficients: one("mu"), conditions: censored(survives), sides: survives, shape: true, scale: "sigma goes to 0"},
	{name: "log_logistic_survival", called: "log-logistic survival", coefficients: one("mu"), conditions: censored(survives), sides: survives, shape: true, scale: "sigma goes to 0"},
	{name: "tobit", called: "tobit", coefficients: one("mu"), conditions: censored(above0), sides: above0, shape: true, scale: "sigma goes to 0"},
	{name: "interval_normal", spec: specs + "intervalnormal.yaml", called: "interval-censored normal", coefficients: one("mu"), conditions: censored(within), sides: within, shape: true, scale: "sigma goes to 0"},
	{name: "interval_weibull", spec: specs + "intervalweibull.yaml", called: "interval-censored Weibull", coefficients: one("scale"), conditions: censored(within), sides: within, shape: true, scale: "k goes to infinity"},
	{name: "hurdle_gamma", called: "hurdle gamma", coefficients: two("mu", "p"), conditions: hurdle(held), parts: true, shape: true},
}

// specs is where those are that the library has not.
const specs = "tests/rivals/separation/"

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
	y, all := e.y[row], e.beside[trials][row]
	return []condition{{of: times(e.x[row], sign(y == all), 0, 0), fixed: 0 < y && y < all}}
}

// counts are those of a distribution of which a count has probability 1 where the mean goes to its least, and others 0.
func counts(least float64) func(e *example, row int) []condition {
	return func(e *example, row int) []condition {
		return []condition{{of: times(e.x[row], sign(e.y[row] != least), 0, 0), fixed: e.y[row] != least}}
	}
}

// held: the density of a positive number falls wherever its mean goes.
func held(e *example, row int) []condition { return []condition{{of: e.x[row], fixed: true}} }

// censored: what is observed exactly has a density, which falls wherever the predictor goes; of what lies above an end the probability rises with the predictor, and of what lies below one with its negative.
// These are the conditions where the scale stays as it is; oracle.py says of those with it.
func censored(sides func(e *example, row int) ends) func(e *example, row int) []condition {
	return func(e *example, row int) (out []condition) {
		x, lies := e.x[row], sides(e, row)
		if lies.exact {
			return held(e, row)
		}
		if lies.lower {
			out = append(out, condition{of: x})
		}
		if lies.upper {
			out = append(out, condition{of: times(x, -1, 0, 0)})
		}
		return out
	}
}

// survives: a time that has not ended by an event lies above what there is of it.
func survives(e *example, row int) ends {
	return ends{lower: true, upper: e.beside[event][row] == 1, exact: e.beside[event][row] == 1}
}

// above0: what is seen as 0 lies below it.
func above0(e *example, row int) ends {
	return ends{lower: e.y[row] > 0, upper: true, exact: e.y[row] > 0}
}

// Kinds of observations: at y, above it, below it, or between it and another end.
const (
	isExact = 1 + iota
	isAbove
	isBelow
	isBetween
)

func within(e *example, row int) ends {
	k := e.beside[kind][row]
	return ends{lower: k != isBelow, upper: k != isAbove, exact: k == isExact}
}

// bounds reports whether some row bounds a scale: a density, or an interval with two ends, falls as it grows; or all are censored on one side, so that none is needed. Between these the likelihood may be
// highest where a scale is infinite, of which directions say nothing.
func (e *example) bounds() bool {
	above, below := false, false
	for row := range e.y {
		lies := e.family().sides(e, row)
		if lies.lower && lies.upper {
			return true
		}
		above, below = above || lies.lower, below || lies.upper
	}
	return above != below
}

// observed reports whether some response is observed exactly: it has a density then, which has no bound where a scale goes to 0.
func (e *example) observed() bool {
	return slices.ContainsFunc(series(len(e.y)), func(row int) bool { return e.family().sides(e, row).exact })
}

// softened are conditions of which those that are not equalities are soft.
func softened(conditions func(e *example, row int) []condition) func(e *example, row int) []condition {
	return func(e *example, row int) []condition {
		out := conditions(e, row)
		for i := range out {
			out[i].soft = !out[i].fixed
		}
		return out
	}
}

// two are predictors of two parameters.
func two(first, second string) func(e *example) []block {
	return func(e *example) []block { return []block{{first, len(e.x[0])}, {second, len(e.x[0])}} }
}

// hurdle: a logistic regression for what is 0, and where it is not one of others.
func hurdle(others func(e *example, row int) []condition) func(e *example, row int) []condition {
	return func(e *example, row int) []condition {
		x, zero := e.x[row], e.y[row] == 0
		out := []condition{{of: times(x, sign(zero), len(x), 0)}}
		if zero {
			return out
		}
		for _, c := range others(e, row) {
			out = append(out, condition{of: times(c.of, 1, 0, len(x)), fixed: c.fixed})
		}
		return out
	}
}

// inflation: a count above 0 says that there was no other explanation; a 0 is the surer the surer that is, and the smaller the mean.
func inflation(e *example, row int) []condition {
	x, zero := e.x[row], e.y[row] == 0
	return []condition{
		{of: times(x, sign(zero), len(x), 0), soft: zero},
		{of: times(x, sign(!zero), 0, len(x)), fixed: !zero, soft: zero},
	}
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
	formula, f := "y ~ "+strings.Join(e.Columns, " + "), e.family()
	if f.parts {
		formula += fmt.Sprintf("; %s ~ %s", f.coefficients(e)[1].parameter, strings.Join(e.Columns, " + "))
	}
	return []string{f.fitted(), e.File, "--formula", formula}
}
