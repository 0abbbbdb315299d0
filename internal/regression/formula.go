// Package regression makes a spec of a formula such as y ~ age + sex; sigma ~ age and a distribution: the same distribution with linear
// predictors in the place of parameters, of which coefficients are estimated.
package regression

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Equation is one part of a formula.
type Equation struct {
	// Left is the response in the first equation, whose right is the predictor of the first parameter, and a parameter in others.
	Left string
	// Terms are those of the linear predictor, the intercept first where there is one: "1", and products of columns, as "sex:age".
	Terms []string
	// Offsets are terms without a coefficient.
	Offsets []string
}

// Parse reads equations of the form LEFT ~ TERM + TERM, with semicolons between them, as R writes models (Wilkinson and Rogers 1973):
// an intercept is part of every predictor unless 0 or - 1 takes it out, and a*b is a + b + a:b.
func Parse(text string) ([]Equation, error) {
	var out []Equation
	for _, part := range Split(text, ';') {
		left, right, ok := strings.Cut(part, "~")
		left = strings.TrimSpace(left)
		switch {
		case !ok || left == "" || strings.Contains(right, "~"):
			return nil, fmt.Errorf("%q is no formula: write RESPONSE ~ TERM + TERM, and after a semicolon PARAMETER ~ TERM + TERM", strings.TrimSpace(part))
		case slices.ContainsFunc(out, func(e Equation) bool { return e.Left == left }):
			return nil, fmt.Errorf("%s is on the left twice", left)
		case strings.HasPrefix(left, "cbind(") || strings.HasPrefix(left, "Surv("):
			return nil, fmt.Errorf("%s: the response is one column; what a distribution is given besides is said by --data, as in --data trials=n or "+
				"--data event=died", left)
		case len(out) > 0 && strings.Contains(left, "("):
			return nil, fmt.Errorf("%s is no parameter: the name of one stands left of ~, and its predictor is that of its unconstrained coordinate", left)
		}
		terms, offsets, err := predictor(right)
		if err != nil {
			return nil, fmt.Errorf("%s ~%s: %w", left, strings.TrimRight(right, " "), err)
		}
		out = append(out, Equation{left, terms, offsets})
	}
	return out, nil
}

// withoutIntercept is at the end of a predictor that has none, as is a term 0.
var withoutIntercept = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s*-\s*1\s*$`) })

// predictor reads the right of an equation.
func predictor(text string) (terms, offsets []string, err error) {
	terms = []string{"1"}
	if cut := withoutIntercept().ReplaceAllString(text, ""); cut != text {
		terms, text = nil, cut
	}
	for _, piece := range Split(text, '+') {
		piece = strings.TrimSpace(piece)
		if inner, ok := strings.CutPrefix(piece, "offset("); ok && strings.HasSuffix(inner, ")") {
			offsets = append(offsets, strings.TrimSuffix(inner, ")"))
			continue
		}
		switch piece {
		case "":
			return nil, nil, errors.New("a term is missing beside +")
		case "0":
			terms = slices.DeleteFunc(terms, func(t string) bool { return t == "1" })
		case "1":
		default:
			if err := checkTerm(piece); err != nil {
				return nil, nil, err
			}
			more, err := Crossed(piece)
			if err != nil {
				return nil, nil, err
			}
			for _, t := range more {
				if !slices.Contains(terms, t) {
					terms = append(terms, t)
				}
			}
		}
	}
	if len(terms) == 0 {
		return nil, nil, errors.New("nothing is left of the predictor")
	}
	return terms, offsets, nil
}

// functionNamed reports whether a term has a function of this name, which no name ends with.
func functionNamed(term, name string) bool {
	at := strings.Index(term, name+"(")
	return at == 0 || at > 0 && !regexp.MustCompile(`[\w.]`).MatchString(term[at-1:at])
}

// unknown are functions of R's formulas that terms do not have.
var unknown = []string{"poly", "ns", "bs", "s", "scale", "offset"}

// checkTerm refuses what a term of R may be, but not one here.
func checkTerm(term string) error {
	for _, of := range unknown {
		if strings.Contains(term, of+"(") && functionNamed(term, of) {
			return fmt.Errorf("%s: no %s here; terms may have I(x^2), log(x), log2, log10, log1p, exp, expm1, sqrt, abs, and offset(log(x)) stands by itself",
				term, of)
		}
	}
	if strings.Contains(term, "|") && (strings.HasPrefix(term, "(") || strings.HasPrefix(strings.TrimSpace(term), "1 ")) {
		return fmt.Errorf("%s: effects of groups are no terms: models with groups are written as specs; sngdgen list has some", term)
	}
	if strings.HasPrefix(term, "(") || strings.Contains(term, ")^") {
		return fmt.Errorf("%s: write the terms out, a*b for a + b + a:b", term)
	}
	return nil
}

// mostCrossed is how many factors a product of all may have: it stands for two to this power of terms.
const mostCrossed = 8

// Crossed expands a*b*c into all products of some of the factors: a, b, a:b, c, a:c and so on. A star at either end is that of a pattern of names.
func Crossed(term string) ([]string, error) {
	factors := Split(term, '*')
	if n := len(factors); n > 1 && strings.TrimSpace(factors[n-1]) == "" {
		factors = factors[:n-1]
		factors[n-2] += "*"
	}
	if len(factors) > 1 && strings.TrimSpace(factors[0]) == "" {
		factors = factors[1:]
		factors[0] = "*" + factors[0]
	}
	if len(factors) > mostCrossed {
		return nil, fmt.Errorf("more than %d factors in %s", mostCrossed, term)
	}
	var out []string
	for _, factor := range factors {
		factor = strings.TrimSpace(factor)
		if strings.Trim(factor, "* ") == "" && term != "*" {
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
