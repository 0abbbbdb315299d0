package regression_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/internal/regression"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"y ~ age + sex":                  "y: 1 age sex",
		"y~age;sigma~1":                  "y: 1 age | sigma: 1",
		"y ~ 0 + age":                    "y: age",
		"y ~ age - 1":                    "y: age",
		"y ~ 1 + age + age":              "y: 1 age",
		"y ~ wool*tension":               "y: 1 wool tension wool:tension",
		"y ~ a*b*c":                      "y: 1 a b a:b c a:c b:c a:b:c",
		"y ~ a*b*c*d*e*f*g*h*i":          "error y ~ a*b*c*d*e*f*g*h*i: more than 8 factors in a*b*c*d*e*f*g*h*i",
		"y ~ a:b + factor(group)":        "y: 1 a:b factor(group)",
		"y ~ lab*":                       "y: 1 lab*",
		"y ~ x*lab*":                     "y: 1 x lab* x:lab*",
		"y ~ 3-7":                        "y: 1 3-7",
		"y":                              `error "y" is no formula`,
		"y ~ a ~ b":                      `error "y ~ a ~ b" is no formula`,
		"y ~ a; y ~ b":                   "error y is on the left twice",
		"y ~":                            "error y ~: a term is missing beside +",
		"y ~ a + + b":                    "error y ~ a + + b: a term is missing beside +",
		"y ~ a**b":                       "error y ~ a**b: a name is missing beside *",
		"y ~ 0":                          "error y ~ 0: nothing is left of the predictor",
		"y ~ log(a)":                     "y: 1 log(a)",
		"y ~ a; sigma ~ I(age^2)":        "y: 1 a | sigma: 1 I(age^2)",
		"y ~ I(a + b*c)*log(a*b)":        "y: 1 I(a + b*c) log(a*b) I(a + b*c):log(a*b)",
		"y ~ a + offset(b)":              "y: 1 a - b",
		"y ~ offset(log(n)) + offset(b)": "y: 1 - log(n) - b",
		"log(y) ~ a":                     "log(y): 1 a",
		"cbind(y, n - y) ~ a":            "error cbind(y, n - y): the response is one column; what a distribution is given besides is said by --data",
		"Surv(t, d) ~ a":                 "error Surv(t, d): the response is one column",
		"y ~ a; log(sigma) ~ a":          "error log(sigma) is no parameter",
		"y ~ poly(a, 2)":                 "error y ~ poly(a, 2): poly(a, 2): no poly here; terms may have I(x^2)",
		"y ~ s(a)":                       "error y ~ s(a): s(a): no s here",
		"y ~ bands(a)":                   "y: 1 bands(a)",
		"y ~ (a + b)^2":                  "error y ~ (a + b)^2: (a + b)^2: write the terms out",
		"y ~ a*offset(b)":                "error y ~ a*offset(b): a*offset(b): no offset here",
		"y ~ .":                          "y: 1 .",
		"y ~ a..d - 1":                   "y: a..d",
		"":                               `error "" is no formula`,
		"y ~ a;":                         `error "" is no formula`,
		" ~ a":                           `error "~ a" is no formula`,
		"y ~ factor(a)*factor(b)":        "y: 1 factor(a) factor(b) factor(a):factor(b)",
		"y ~ a -1; sigma ~ b - 1 ":       "y: a | sigma: b",
	} {
		var got []string
		equations, err := regression.Parse(text)
		for _, e := range equations {
			one := fmt.Sprintf("%s: %s", e.Left, strings.Join(e.Terms, " "))
			for _, o := range e.Offsets {
				one += " - " + o
			}
			got = append(got, one)
		}
		line := strings.Join(got, " | ")
		if err != nil {
			line = "error " + err.Error()
		}
		if line != want && !(err != nil && strings.HasPrefix(line, want)) {
			t.Errorf("%q: %s, want %s", text, line, want)
		}
	}
}

// FuzzParse: no text is a fault, and no term is empty.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"y ~ a*b + factor(c):d; s ~ 0 + x*", "y ~ - 1", "~;~", "y ~ ****", "y ~ a:*"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		equations, err := regression.Parse(text)
		if err != nil {
			return
		}
		for _, e := range equations {
			if e.Left == "" || len(e.Terms) == 0 {
				t.Errorf("%q: %+v", text, e)
			}
			for _, term := range e.Terms {
				if term == "" {
					t.Errorf("%q: %+v", text, e)
				}
			}
		}
	})
}
