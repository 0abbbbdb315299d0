package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/tests/rivals"
)

// said is a report that names a direction, or none.
func said(status string, complete bool, direction ...float64) *report {
	r := &report{Status: status, Converged: status == "gradient converged"}
	if direction != nil {
		numbers := make([]any, len(direction))
		for i, x := range direction {
			numbers[i] = x
		}
		r.Separation = &separation{complete, map[string]any{"p": numbers}}
	}
	return r
}

// Four rows of a binary response that x separates at 2.5, completely, or but for two rows at 2; and counts, all of 0 where the second predictor is 1.
var (
	strict = &example{Family: "bernoulli", Columns: []string{"x"}, y: []float64{0, 0, 1, 1}, x: [][]float64{{1, 1}, {1, 2}, {1, 3}, {1, 4}}}
	touch  = &example{Family: "bernoulli", Columns: []string{"x"}, y: []float64{0, 0, 1, 1}, x: [][]float64{{1, 1}, {1, 2}, {1, 2}, {1, 4}}}
	mixed  = &example{Family: "bernoulli", Columns: []string{"x"}, y: []float64{0, 1, 0, 1}, x: [][]float64{{1, 1}, {1, 2}, {1, 3}, {1, 4}}}
	zeros  = &example{Family: "poisson", Columns: []string{"x", "g"}, y: []float64{1, 2, 0, 0, 0}, x: [][]float64{{1, 1, 0}, {1, 2, 0}, {1, 3, 0}, {1, 1, 1}, {1, 2, 1}}}
)

func TestJudge(t *testing.T) {
	const infinity, stands = "estimate at infinity", "gradient converged"
	all := &answer{Kind: complete, Separated: []int{0, 1, 2, 3}, Enough: true}
	some := &answer{Kind: quasi, Separated: []int{0, 3}, Enough: true}
	two := &answer{Kind: quasi, Separated: []int{3, 4}, Enough: true}
	overlap := &answer{Kind: none, Enough: true}
	for name, c := range map[string]struct {
		of     *example
		report *report
		theirs *answer
		want   string // in what is wrong; nothing where all is right
	}{
		"complete":                  {strict, said(infinity, true, -1, 0.4), all, ""},
		"to digits":                 {touch, said(infinity, false, -1, 0.5+1e-8), some, ""},
		"quasi-complete":            {touch, said(infinity, false, -1, 0.5), some, ""},
		"none":                      {mixed, said(stands, false), overlap, ""},
		"zeros":                     {zeros, said(infinity, false, 0, 0, -1), two, ""},
		"not seen":                  {strict, said(stands, false), all, "not said to be separated, but gradient converged"},
		"no direction":              {strict, said(infinity, false), all, "not said to be separated, but estimate at infinity"},
		"seen where there is none":  {mixed, said(infinity, false, -1, 0.5), overlap, "said to be quasi-complete"},
		"not converged":             {mixed, said(infinity, false), overlap, "not separated, but estimate at infinity"},
		"kind":                      {strict, said(infinity, false, -1, 0.4), all, "said to be quasi-complete"},
		"status":                    {strict, said(stands, true, -1, 0.4), all, "separated, but gradient converged"},
		"wrong side":                {strict, said(infinity, true, 1, -0.4), all, "4 rows are on the wrong side of the direction, by 0.43"},
		"a row is lost":             {touch, said(infinity, false, -1, 0.51), some, "1 rows are on the wrong side"},
		"a count above 0 may not":   {zeros, said(infinity, false, -1, 0, -1), two, "2 rows are on the wrong side of the direction, by 1"},
		"a row of 0 rises":          {zeros, said(infinity, false, 0, 0, 1), two, "2 rows are on the wrong side"},
		"a row is left in it":       {strict, said(infinity, true, -1, 0.5), all, "the direction separates 3 rows, where 4 can be"},
		"coefficients of other fit": {strict, said(infinity, true, -1, 0.5), &answer{Kind: complete, Separated: []int{0, 1, 2, 3}}, "was not asked"},
		"length":                    {zeros, said(infinity, false, 0, -1), two, "a direction of 2 coefficients in place of 3"},
	} {
		e := *c.of
		if e.report = c.report; e.report.Separation != nil {
			d := e.report.Separation.Direction
			e.report.Separation.Direction = map[string]any{e.family().coefficients(&e)[0].parameter: d["p"]}
		}
		e.Support = e.support()
		if c.theirs.Enough {
			c.theirs.Support = e.Support
		}
		got := strings.Join(judge(&e, c.theirs).faults, "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	e := *strict
	e.report = said(infinity, true, -1, 0.5)
	e.Support = e.support()
	if got := judge(&e, &answer{Kind: complete, Separated: []int{0, 1, 2, 3}, Support: e.Support}); !slices.Contains(got.faults, "coefficients of direction 0 cannot be finite") {
		t.Errorf("coefficients that are not enough: %q", got.faults)
	}
}

// Cases have columns that are independent, and fewer than rows; the same seed draws the same.
func TestDraw(t *testing.T) {
	s := &set{Name: "s", Family: "bernoulli", rows: []int{5, 8}}
	data := &rivals.Data{Columns: []string{"y", "a", "twice", "constant", "b"}}
	rng := runtime.Stream(1, "cases")
	for i := range 20 {
		a := rng.NormFloat64()
		data.Rows = append(data.Rows, []float64{float64(i % 2), a, 2*a + 1, 3, rng.NormFloat64()})
	}
	one, two := runtime.Stream(2, "draw"), runtime.Stream(2, "draw")
	for i := range 10 {
		e, again := s.draw(data, one, i), s.draw(data, two, i)
		if !slices.Equal(e.Columns, again.Columns) || !slices.EqualFunc(e.x, again.x, slices.Equal) {
			t.Errorf("%s differs from run to run", e.Name)
		}
		if slices.Contains(e.Columns, "constant") || slices.Contains(e.Columns, "a") && slices.Contains(e.Columns, "twice") {
			t.Errorf("%s has columns that others determine: %v", e.Name, e.Columns)
		}
		if want := s.rows[i%2]; len(e.x) != want || len(e.y) != want || len(e.x[0]) != 1+len(e.Columns) {
			t.Errorf("%s: %d rows of %d numbers, want %d", e.Name, len(e.x), len(e.x[0]), want)
		}
	}
}

// Columns less their means, and the intercept as it is.
func TestCentred(t *testing.T) {
	if got, want := strict.centred().x, [][]float64{{1, -1.5}, {1, -0.5}, {1, 0.5}, {1, 1.5}}; !slices.EqualFunc(got, want, slices.Equal) || strict.x[0][1] != 1 {
		t.Errorf("%v, want %v", got, want)
	}
}

// The committed answers are of all sets, all proved, and of all kinds.
func TestOracle(t *testing.T) {
	known, err := rivals.Load[*answer]("oracle.json")
	if err != nil {
		t.Fatal(err)
	}
	list, err := sets()
	if err != nil {
		t.Fatal(err)
	}
	of, n := map[string]string{}, map[string]int{}
	for _, s := range list {
		of[s.Name] = s.Family
	}
	for _, a := range known.Answers {
		name, _, _ := strings.Cut(a.Name, "-")
		if !a.Proved || of[name] == "" {
			t.Errorf("%s: not proved, or of no set", a.Name)
		}
		n[of[name]]++
		n[of[name]+" "+a.Kind]++
	}
	for _, f := range families {
		if n[f.name] < 40 || n[f.name+" "+quasi] == 0 || n[f.name+" "+none] == 0 {
			t.Errorf("%d cases of %s, %d of them quasi-complete and %d none: want 40, and some of both", n[f.name], f.name, n[f.name+" "+quasi], n[f.name+" "+none])
		}
	}
	for _, f := range families {
		if f.scale != "" && n[f.name+" "+shrinks] == 0 {
			t.Errorf("no scale of %s goes to 0", f.name)
		}
	}
	for _, name := range []string{"bernoulli", "ordinal", "multinomial", "poisson"} {
		if n[name+" "+complete] == 0 {
			t.Errorf("no case of %s is complete", name)
		}
	}
}

func TestWrite(t *testing.T) {
	e := *strict
	e.Name, e.File, e.report, e.set = "s-01", "folder/s-01.csv", said("gradient converged", false), &set{Name: "s", Object: "o", Package: "P", Family: "bernoulli", Response: "r"}
	outcomes := []*outcome{judge(&e, &answer{Kind: complete, Separated: []int{0, 1, 2, 3}, Margin: 0.5, Proved: true})}
	for _, c := range []struct{ got, want string }{
		{summary(outcomes), "| logistic | 1 | 1 | 0 | 0 | 0 | 0 | 1 |"},
		{byKind(outcomes), "| logistic | complete | 0 | 0 | 0 | 1 |"},
		{borders(outcomes), "Not proved: none. The narrowest margin: s-01, 0.5."},
		{losses(outcomes), "| s-01 | 4 | complete | not said to be separated, but gradient converged | agrees | no | `sngdgen fit bernoulli s-01.csv --formula 'y ~ x'` |"},
		{losses(outcomes), "Where rows are separated 1 fits say that they have converged, and 0 that"},
		{byWarning(outcomes), "| logistic | complete | 1 | 0 |"},
		{bySet(outcomes), "| s | o of P | r | logistic | 1 | 1 | 0 | 0 | 0 | 0 | 1 |"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%q is not in\n%s", c.want, c.got)
		}
	}
}

// Estimates of survreg: one that is the same, one that is lower, none, and one of a case without a maximum.
func TestSurvreg(t *testing.T) {
	of := func(kind string, likelihood *float64) *outcome {
		e := *strict
		e.Family, e.report = "tobit", &report{Status: "gradient converged", Converged: true, Likelihood: -3, Parameters: map[string]any{"mu": []any{1.0, 2.0}}, Errors: map[string]any{"mu": []any{0.5, 0.25}}}
		return &outcome{example: &e, theirs: &answer{Kind: kind, Likelihood: likelihood, Coefficients: []float64{1, 2.5}, Warnings: []string{"Ran out of iterations"}}}
	}
	same, lower := -3+1e-8, -4.0
	got := bySurvreg([]*outcome{of(none, &same), of(none, &lower), of(none, nil), of(quasi, &lower)})
	for _, want := range []string{"| tobit | 3 | 1 | 1 | 1 | 0 | 1e-08 | 2 |", "| tobit | quasi-complete | 1 | 1 |", "| tobit | none | 3 | 3 |"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// The conditions of rows, written down by hand.
func TestConditions(t *testing.T) {
	x := [][]float64{{1, 5}}
	for name, c := range map[string]struct {
		of   example
		want []condition
	}{
		"a middle level lies between two cuts": {example{Family: "ordinal", Columns: []string{"x"}, y: []float64{2, 3}, x: [][]float64{{1, 5}, {1, 6}}},
			[]condition{{of: []float64{0, 1, -5}}, {of: []float64{-1, 0, 5}}}},
		"the first level lies below one": {example{Family: "ordinal", Columns: []string{"x"}, y: []float64{1, 3}, x: [][]float64{{1, 5}, {1, 6}}},
			[]condition{{of: []float64{1, 0, -5}}}},
		"a category is above the others, of which the last has no coefficients": {example{Family: "multinomial", Columns: []string{"x"}, y: []float64{1, 3}, x: [][]float64{{1, 5}, {1, 6}}},
			[]condition{{of: []float64{1, 5, -1, -5}}, {of: []float64{1, 5, 0, 0}}}},
		"the last category": {example{Family: "multinomial", Columns: []string{"x"}, y: []float64{3}, x: x},
			[]condition{{of: []float64{-1, -5, 0, 0}}, {of: []float64{0, 0, -1, -5}}}},
		"some successes":                  {example{Family: "binomial", y: []float64{2}, beside: map[string][]float64{trials: {3}}, x: x}, []condition{{of: []float64{-1, -5}, fixed: true}}},
		"all are successes":               {example{Family: "beta_binomial", y: []float64{3}, beside: map[string][]float64{trials: {3}}, x: x}, []condition{{of: []float64{1, 5}}}},
		"none is":                         {example{Family: "binomial", y: []float64{0}, beside: map[string][]float64{trials: {3}}, x: x}, []condition{{of: []float64{-1, -5}}}},
		"the least count":                 {example{Family: "zero_truncated_poisson", y: []float64{1}, x: x}, []condition{{of: []float64{-1, -5}}}},
		"a count that is not the least":   {example{Family: "zero_truncated_poisson", y: []float64{2}, x: x}, []condition{{of: []float64{1, 5}, fixed: true}}},
		"no count":                        {example{Family: "hurdle_poisson", y: []float64{0}, x: x}, []condition{{of: []float64{0, 0, 1, 5}}}},
		"the least count behind a hurdle": {example{Family: "hurdle_poisson", y: []float64{1}, x: x}, []condition{{of: []float64{0, 0, -1, -5}}, {of: []float64{-1, -5, 0, 0}}}},
		"a positive number behind it":     {example{Family: "hurdle_gamma", y: []float64{0.5}, x: x}, []condition{{of: []float64{0, 0, -1, -5}}, {of: []float64{1, 5, 0, 0}, fixed: true}}},
		"a 0 of two kinds": {example{Family: "zero_inflated_poisson_parts", y: []float64{0}, x: x},
			[]condition{{of: []float64{0, 0, 1, 5}, soft: true}, {of: []float64{-1, -5, 0, 0}, soft: true}}},
		"a count of one kind":     {example{Family: "zero_inflated_poisson_parts", y: []float64{2}, x: x}, []condition{{of: []float64{0, 0, -1, -5}}, {of: []float64{1, 5, 0, 0}, fixed: true}}},
		"a 0 of one predictor":    {example{Family: "zero_inflated_poisson", y: []float64{0}, x: x}, []condition{{of: []float64{-1, -5}, soft: true}}},
		"a time that is censored": {example{Family: "weibull_survival", y: []float64{7}, beside: map[string][]float64{event: {0}}, x: x}, []condition{{of: []float64{1, 5}}}},
		"one that is not":         {example{Family: "exponential_survival", y: []float64{7}, beside: map[string][]float64{event: {1}}, x: x}, []condition{{of: []float64{1, 5}, fixed: true}}},
		"seen as 0":               {example{Family: "tobit", y: []float64{0}, x: x}, []condition{{of: []float64{-1, -5}}}},
		"seen as it is":           {example{Family: "tobit", y: []float64{7}, x: x}, []condition{{of: []float64{1, 5}, fixed: true}}},
		"between two ends": {example{Family: "interval_normal", y: []float64{7}, beside: map[string][]float64{kind: {isBetween}}, x: x},
			[]condition{{of: []float64{1, 5}}, {of: []float64{-1, -5}}}},
		"below one":               {example{Family: "interval_weibull", y: []float64{7}, beside: map[string][]float64{kind: {isBelow}}, x: x}, []condition{{of: []float64{-1, -5}}}},
		"another count behind it": {example{Family: "hurdle_poisson", y: []float64{4}, x: x}, []condition{{of: []float64{0, 0, -1, -5}}, {of: []float64{1, 5, 0, 0}, fixed: true}}},
	} {
		got := c.of.family().conditions(&c.of, 0)
		if !slices.EqualFunc(got, c.want, func(a, b condition) bool {
			return a.fixed == b.fixed && a.soft == b.soft && slices.EqualFunc(a.of, b.of, func(x, y float64) bool { return x == y })
		}) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// What is said of a scale that goes to 0, where a plane has all in it that is observed.
func TestShrinks(t *testing.T) {
	const evenly, slowly = "it grows without bound as sigma goes to 0", "it still rises, ever more slowly, as sigma goes to 0"
	for _, c := range []struct {
		y             []float64
		message, kind string
		want          string
	}{
		{[]float64{0, 0, 1, 2}, evenly, shrinks, ""},
		{[]float64{0, 0, 1, 2}, slowly, shrinks, "has a bound"},
		{[]float64{0, 0, 0, 0}, slowly, shrinks, ""},
		{[]float64{0, 0, 1, 2}, evenly, none, "said to be scale to 0"},
		{[]float64{0, 0, 1, 2}, "it grows without bound as nu goes to 0", shrinks, "not said to be separated"},
	} {
		e := *strict
		e.Family, e.y, e.report = "tobit", c.y, &report{Status: atInfinity, Message: c.message}
		if got := strings.Join(judge(&e, &answer{Kind: c.kind}).faults, "; "); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%v, %s: %q, want %q", c.y, c.message, got, c.want)
		}
	}
}

// Cases with ends on one side only have no scale that is bounded, unless all have the same one.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		kinds []float64
		want  bool
	}{
		{[]float64{isAbove, isAbove}, true},
		{[]float64{isBelow, isBelow}, true},
		{[]float64{isAbove, isBelow}, false},
		{[]float64{isAbove, isBelow, isBetween}, true},
		{[]float64{isExact, isAbove}, true},
	} {
		e := &example{Family: "interval_normal", y: make([]float64, len(c.kinds)), beside: map[string][]float64{kind: c.kinds}}
		if got := e.bounds(); got != c.want {
			t.Errorf("%v: %v", c.kinds, got)
		}
	}
}

// A row of 0 may be on the wrong side where zeros are inflated; a row that is not 0 must be in the plane.
func TestInflated(t *testing.T) {
	e := *zeros
	e.Family, e.report = "zero_inflated_poisson", said("estimate at infinity", false, 0, 0, -1)
	for _, c := range []struct {
		direction []any
		want      string
	}{
		{[]any{0.0, 0.0, -1.0}, ""},
		{[]any{-3.0, 1.5, 1.0}, "1 rows are on the wrong side"},
		{[]any{0.0, 0.0, 1.0}, "the direction separates nothing"},
	} {
		e.report.Separation.Direction = map[string]any{"lambda": c.direction, "p": 0.0}
		e.Support = e.support()
		for _, kind := range []string{quasi, none} {
			if got := strings.Join(judge(&e, &answer{Kind: kind}).faults, "; "); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("%v, %s: %q, want %q", c.direction, kind, got, c.want)
			}
		}
	}
	e.report.Separation.Direction = map[string]any{"lambda": []any{0.0, 0.0, -1.0}, "p": 1.0}
	if got := strings.Join(judge(&e, &answer{Kind: quasi}).faults, "; "); !strings.Contains(got, "a direction of 0 coefficients") {
		t.Errorf("another parameter grows: %q", got)
	}
}

// Another parameter may have no estimate, which is no matter of separation; coefficients have one.
func TestSound(t *testing.T) {
	for _, c := range []struct {
		family, message string
		want            bool
	}{
		{"negative_binomial_mean", "the likelihood has no maximum: it still rises, ever more slowly, as r goes to infinity", true},
		{"negative_binomial_mean", "the likelihood has no maximum: it still rises, ever more slowly, as the length of mu goes to infinity", false},
		{"poisson", "the likelihood has no maximum: it still rises, ever more slowly, as r goes to infinity", false},
	} {
		e := &example{Family: c.family, x: [][]float64{{1, 2}}, report: &report{Status: atInfinity, Message: c.message}}
		if got := e.sound(); got != c.want {
			t.Errorf("%s: %s: %v", c.family, c.message, got)
		}
	}
}
