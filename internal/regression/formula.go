// Package regression makes a spec of a formula such as y ~ age + sex; sigma ~ age and a distribution: the same distribution with linear
// predictors in the place of parameters, of which coefficients are estimated.
package regression

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Equation is one part of a formula.
type Equation struct {
	// Left is the response in the first equation, whose right is the predictor of the first parameter, and a parameter in others.
	Left string
	// Terms are those of the linear predictor, the intercept first where there is one: "1", and products of columns, as "sex:age".
	Terms []string
}

// Parse reads equations of the form LEFT ~ TERM + TERM, with semicolons between them, as R writes models (Wilkinson and Rogers 1973):
// an intercept is part of every predictor unless 0 or - 1 takes it out, and a*b is a + b + a:b.
func Parse(text string) ([]Equation, error) {
	var out []Equation
	for part := range strings.SplitSeq(text, ";") {
		left, right, ok := strings.Cut(part, "~")
		left = strings.TrimSpace(left)
		switch {
		case !ok || left == "" || strings.Contains(right, "~"):
			return nil, fmt.Errorf("%q is no formula: write RESPONSE ~ TERM + TERM, and after a semicolon PARAMETER ~ TERM + TERM", strings.TrimSpace(part))
		case slices.ContainsFunc(out, func(e Equation) bool { return e.Left == left }):
			return nil, fmt.Errorf("%s is on the left twice", left)
		case transformed.MatchString(left):
			return nil, fmt.Errorf("%s is a function of columns: add its values to the file as a column, and what a distribution is given by --data",
				left)
		}
		terms, err := predictor(right)
		if err != nil {
			return nil, fmt.Errorf("%s ~%s: %w", left, strings.TrimRight(right, " "), err)
		}
		out = append(out, Equation{left, terms})
	}
	return out, nil
}

// withoutIntercept is at the end of a predictor that has none, as is a term 0.
var withoutIntercept = regexp.MustCompile(`\s*-\s*1\s*$`)

// predictor reads the right of an equation.
func predictor(text string) ([]string, error) {
	terms := []string{"1"}
	if cut := withoutIntercept.ReplaceAllString(text, ""); cut != text {
		terms, text = nil, cut
	}
	for piece := range strings.SplitSeq(text, "+") {
		switch piece = strings.TrimSpace(piece); piece {
		case "":
			return nil, errors.New("a term is missing beside +")
		case ".":
			return nil, errors.New(". for all other columns is not known here: name them, or write a range as 2-5 or a pattern as lab*")
		case "0":
			terms = slices.DeleteFunc(terms, func(t string) bool { return t == "1" })
		case "1":
		default:
			more, err := crossed(piece)
			if err != nil {
				return nil, err
			}
			for _, t := range more {
				if !slices.Contains(terms, t) {
					terms = append(terms, t)
				}
			}
		}
	}
	if len(terms) == 0 {
		return nil, errors.New("nothing is left of the predictor")
	}
	return terms, nil
}

// transformed matches a function of a column, which is not computed here.
var transformed = regexp.MustCompile(`^(\w+)\(`)

// mostCrossed is how many factors a product of all may have: it stands for two to this power of terms.
const mostCrossed = 8

// crossed expands a*b*c into all products of some of the factors: a, b, a:b, c, a:c and so on. A star at the end is that of a pattern.
func crossed(term string) ([]string, error) {
	if m := transformed.FindStringSubmatch(term); m != nil && m[1] == "offset" {
		return nil, fmt.Errorf("%s is a term without a coefficient, which formulas do not have: write it into the spec that --spec-to makes", term)
	} else if m != nil && m[1] != "factor" {
		return nil, fmt.Errorf("%s is a function of columns: add its values to the file as a column", term)
	}
	body, pattern := strings.CutSuffix(term, "*")
	factors := strings.Split(body, "*")
	if pattern {
		factors[len(factors)-1] += "*"
	}
	if len(factors) > mostCrossed {
		return nil, fmt.Errorf("more than %d factors in %s", mostCrossed, term)
	}
	var out []string
	for _, factor := range factors {
		factor = strings.TrimSpace(factor)
		if strings.Trim(factor, "*") == "" {
			return nil, errors.New("a name is missing beside *")
		}
		products := []string{factor}
		for _, t := range out {
			products = append(products, t+":"+factor)
		}
		out = append(out, products...)
	}
	return out, nil
}
