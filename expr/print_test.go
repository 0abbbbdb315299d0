package expr_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/internal/exprtest"
)

func TestStringIsTheFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := exprtest.DrawWorld(t)
		n := w.Build(t, w.Tree(t, 5))
		if again := w.Parse(t, n.String()); again != n {
			t.Fatalf("%v is read as %v", n, again)
		}
	})
}

func TestString(t *testing.T) {
	for formula, want := range map[string]string{
		"-real":                          "-real",
		"1 - real":                       "1 - real",
		"-1 - real":                      "-real - 1",
		"unit - 2*real":                  "-2*real + unit",
		"real/(unit*positive)":           "real/(positive*unit)",
		"1/positive":                     "1/positive",
		"positive^-0.5":                  "1/sqrt(positive)",
		"2/real":                         "2/real",
		"2*(real*(1 + unit))":            "2*real*(unit + 1)",
		"-2*((1 + real)*(1 + unit))":     "-2*((real + 1)*(unit + 1))",
		"(real + 1)^2":                   "(real + 1)^2",
		"(-real)^unit":                   "(-real)^unit",
		"real^(1 + unit)":                "real^(unit + 1)",
		"(real^unit)^2":                  "(real^unit)^2",
		"sum(xreal*log(xpositive))/n":    "sum(xreal*log(xpositive))/n",
		"root(a, log(a) = real*unit)":    "root(a, log(a) + (-real*unit) = 0)",
		"root(a, a*(real + unit) = 1)":   "root(a, a*(real + unit) - 1 = 0)",
		"root(a, (real*unit)^a = 1)":     "root(a, (real*unit)^a - 1 = 0)",
		"root(a, sqrt(positive)^a = a)":  "root(a, -a + sqrt(positive)^a = 0)",
		"root(a, root(b, b = a*real)=1)": "root(a, root(b, b + (-a*real) = 0) - 1 = 0)",
		"max(xreal)/min(xpositive)":      "-max(xreal)/max(-xpositive)",
		"real*logsumexp(unit + kreal)":   "real*(unit + logsumexp(kreal))",
		"1 - softmax(kreal)^2*k":         "1 - k*softmax(kreal)^2",
	} {
		w := exprtest.NewWorld()
		if got := w.Parse(t, formula).String(); got != want {
			t.Errorf("%s is printed as %s, want %s", formula, got, want)
		}
	}
}

func TestLaTeX(t *testing.T) {
	for formula, want := range map[string]string{
		"real":                         `\mathrm{real}`,
		"sigma2^2":                     `\sigma_{2}^{2}`,
		"2*alpha - x/y":                `2 \, \alpha - \frac{x}{y}`,
		"1e-7*x":                       `1 \cdot 10^{-07} \, x`,
		"1e30^x":                       `\left(1 \cdot 10^{30}\right)^{x}`,
		"sqrt(1 + x^2)":                `\sqrt{x^{2} + 1}`,
		"x^(y + 1)":                    `x^{y + 1}`,
		"(x + 1)^3":                    `\left(x + 1\right)^{3}`,
		"exp(-x^2/2)":                  `\exp\left(-\frac{1}{2} \, x^{2}\right)`,
		"(1/3)^x":                      `\left(\frac{1}{3}\right)^{x}`,
		"0.1*x":                        `0.1 \, x`,
		"x + log(2*pi)/2":              `x + \frac{1}{2} \, \log\left(2 \, \pi\right)`,
		"pi^x":                         `\pi^{x}`,
		"lgamma(x)^2":                  `\log\Gamma\left(x\right)^{2}`,
		"lgamma_diff(x, sigma2)":       `\left[\log\Gamma\right]_{\sigma_{2}}^{\sigma_{2} + x}`,
		"digamma_diff(x, y)^2":         `\left(\left[\psi\right]_{y}^{y + x}\right)^{2}`,
		"polygamma(3, x)":              `\psi^{(3)}\left(x\right)`,
		"sum(xreal)":                   `\sum_{n} \mathrm{xreal}`,
		"sum(xreal)^2":                 `\left(\sum_{n} \mathrm{xreal}\right)^{2}`,
		"x*sum(xreal) + y":             `y + x \, \left(\sum_{n} \mathrm{xreal}\right)`,
		"sum(xreal^2)/n":               `\frac{\sum_{n} \mathrm{xreal}^{2}}{n}`,
		"sum(xreal)*sum(xunit)/n":      `\frac{\left(\sum_{n} \mathrm{xreal}\right) \, \left(\sum_{n} \mathrm{xunit}\right)}{n}`,
		"root(a, digamma(a) = log(x))": `\operatorname{root}_{a}\left(\psi\left(a\right) + \left(-\log\left(x\right)\right) = 0\right)`,
		"(x + 1)/(y + 2)":              `\frac{x + 1}{y + 2}`,
		"less(x, y)":                   `\left[x < y\right]`,
		"max(xreal)":                   `\operatorname{max}_{n}\left(\mathrm{xreal}\right)`,
		"logsumexp(x*kreal)^2":         `\operatorname{logsumexp}_{k}\left(\mathrm{kreal} \, x\right)^{2}`,
		"softmax(kreal - kunit)":       `\operatorname{softmax}_{k}\left(\mathrm{kreal} - \mathrm{kunit}\right)`,
		"abs(x)":                       `\left|x\right|`,
	} {
		w := exprtest.NewWorld()
		for _, name := range []string{"x", "y", "alpha", "sigma2"} {
			w.Names[name] = w.G.Sym(name, expr.Scalar, expr.In(expr.Positive))
		}
		if got := w.Parse(t, formula).LaTeX(); got != want {
			t.Errorf("%s is printed as\n%s, want\n%s", formula, got, want)
		}
	}
}

func TestLaTeXIsWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := exprtest.DrawWorld(t)
		n := w.Build(t, w.Tree(t, 5))
		if err := wellFormed(n.LaTeX()); err != nil {
			t.Fatalf("%v: %s: %v", n, n.LaTeX(), err)
		}
	})
}

// wellFormed checks that braces and \left ... \right are balanced and that nothing has two exponents.
func wellFormed(s string) error {
	depth, exponent := 0, map[int]bool{}
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
			exponent[depth] = false
		case '}':
			if depth--; depth < 0 {
				return fmt.Errorf("a brace is never opened")
			}
		case '^':
			if exponent[depth] {
				return fmt.Errorf("double exponent at %q", s[i:])
			}
			exponent[depth] = true
		default:
			exponent[depth] = false
		}
	}
	if depth != 0 || strings.Count(s, `\left`) != strings.Count(s, `\right`) {
		return fmt.Errorf("not balanced")
	}
	return nil
}
