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
	families, n := map[string]string{}, map[string]int{}
	for _, s := range list {
		families[s.Name] = s.Family
	}
	for _, a := range known.Answers {
		name, _, _ := strings.Cut(a.Name, "-")
		if !a.Proved || families[name] == "" {
			t.Errorf("%s: not proved, or of no set", a.Name)
		}
		n[families[name]]++
		n[families[name]+" "+a.Kind]++
	}
	if n["bernoulli"] < 100 || n["poisson"] < 30 {
		t.Errorf("%d logistic regressions and %d of counts, want 100 and 30", n["bernoulli"], n["poisson"])
	}
	for _, kind := range []string{"bernoulli complete", "bernoulli quasi-complete", "bernoulli none", "poisson complete", "poisson quasi-complete", "poisson none"} {
		if n[kind] == 0 {
			t.Errorf("no case is %s", kind)
		}
	}
}

func TestWrite(t *testing.T) {
	e := *strict
	e.Name, e.File, e.report, e.set = "s-01", "folder/s-01.csv", said("gradient converged", false), &set{Name: "s", Object: "o", Package: "P", Family: "bernoulli", Response: "r"}
	outcomes := []*outcome{judge(&e, &answer{Kind: complete, Separated: []int{0, 1, 2, 3}, Margin: 0.5, Proved: true})}
	for _, c := range []struct{ got, want string }{
		{summary(outcomes), "| logistic | 1 | 1 | 0 | 0 | 0 | 1 |"},
		{byKind(outcomes), "| logistic | complete | 0 | 0 | 1 |"},
		{borders(outcomes), "Not proved: none. The narrowest margin: s-01, 0.5."},
		{losses(outcomes), "| s-01 | 4 | complete | not said to be separated, but gradient converged | agrees | no | `sngdgen fit bernoulli s-01.csv --formula 'y ~ x'` |"},
		{losses(outcomes), "Where rows are separated 1 fits say that they have converged, and 0 that"},
		{byWarning(outcomes), "| logistic | complete | 1 | 0 |"},
		{bySet(outcomes), "| s | o of P | r | logistic | 1 | 1 | 0 | 0 | 0 | 1 |"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%q is not in\n%s", c.want, c.got)
		}
	}
}
