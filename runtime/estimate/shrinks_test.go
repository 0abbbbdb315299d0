package estimate_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/internal/librarytest"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// Numbers of different values in data of others.
var (
	// affairs are those of 601 readers of Psychology Today in a year (Fair, A theory of extramarital affairs, Journal of Political Economy 86, 1978; Affairs of
	// the R package AER 1.2.10).
	affairs = map[float64]float64{0: 451, 1: 34, 2: 17, 3: 19, 7: 42, 12: 38}
	// volumes are those of 307 bottles of Barolo in cl (barolo of the R package sn 2.1.0).
	volumes = map[float64]float64{50: 3, 75: 260, 150: 38, 300: 5, 500: 1}
	// heights are those of 235 singers in inches (singer of the R package lattice 0.20.45).
	heights = map[float64]float64{60: 5, 61: 8, 62: 14, 63: 13, 64: 15, 65: 30, 66: 29, 67: 14, 68: 18, 69: 14, 70: 23, 71: 15, 72: 16, 73: 5, 74: 6, 75: 8, 76: 2}
	// papers are the numbers of those in which 102 experiments with plants were published (Curtis and Wang 1998; dat.curtis1998 of the R package metadat).
	papers = map[float64]float64{44: 2, 121: 4, 159: 1, 183: 1, 209: 2, 210: 2, 290: 3, 468: 1, 470: 1, 503: 1, 505: 2, 506: 2, 510: 2, 550: 1, 553: 2, 582: 5, 596: 4,
		666: 2, 2003: 4, 2026: 2, 2037: 18, 2039: 2, 2045: 4, 2048: 6, 2110: 2, 2117: 4, 2217: 1, 2223: 18, 2224: 3}
	// answers are those of 2,791 people to whether they make friends easily, from 1 to 6 (E4 of bfi of the R package psych 2.2.9).
	answers = map[float64]float64{1: 140, 2: 262, 3: 271, 4: 450, 5: 942, 6: 726}
)

// occurring gives a problem of the library, of so many components where it is a mixture, values that occur so many times each.
func occurring(t *testing.T, problem string, values map[float64]float64, components ...int) runtime.Model {
	t.Helper()
	newModel, ok := generated.Lookup(problem)
	if !ok {
		t.Fatalf("the library has no problem %s", problem)
	}
	d := runtime.Data{Columns: 1}
	for _, x := range slices.Sorted(maps.Keys(values)) {
		d.Values, d.Weights = append(d.Values, x), append(d.Weights, values[x])
	}
	m := newModel()
	for _, k := range components {
		if err := estimate.SetComponents(m, k); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.SetData(d); err != nil {
		t.Fatal(err)
	}
	return m
}

// Of a sequence that is mostly zeros a state of a hidden Markov model contracts on them, of which entry of sigma says; one with a state that is narrow, but no
// narrower than numbers differ, has a maximum.
func TestStateOnEqualValues(t *testing.T) {
	// hermaphrodites are the logarithms of numbers of Hyalella in 132 samples of ditches (hya_herm of pyrifos, van den Brink and ter Braak 1999, in the R package vegan).
	hermaphrodites := make([]float64, 132)
	for i, x := range map[int]float64{20: 2.987, 40: 2.353, 53: 2.353, 65: 2.353, 68: 3.37, 70: 2.353, 72: 2.353, 74: 3.37, 77: 2.353, 99: 3.37} {
		hermaphrodites[i] = x
	}
	rng, narrow := runtime.Stream(1, "narrow"), make([]float64, 200)
	for i := range narrow {
		narrow[i] = 1e-4 * rng.NormFloat64()
		if i/20%2 == 1 {
			narrow[i] = 50 * rng.NormFloat64()
		}
	}
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{hermaphrodites, "grows without bound as sigma["},
		{narrow, ""},
	} {
		m := librarytest.Interpreted(t, "normalhmm")()
		if err := m.SetData(runtime.Data{Values: c.values, Columns: 1}); err != nil {
			t.Fatal(err)
		}
		rep, err := estimate.Find(t.Context(), m, estimate.Settings{Starts: 1})
		if err != nil {
			t.Fatal(err)
		}
		if rep.Status.Converged() != (c.want == "") || !strings.Contains(rep.Message, c.want) {
			t.Errorf("%v: %s, want %q", rep.Status, rep.Message, c.want)
		}
	}
}

// Where so many rows are equal that a Student's t distribution contracts on them, it is said of which, and no supremum is named, as there is none. Normal
// and skew-normal distributions have no such point.
func TestEqualValues(t *testing.T) {
	for _, c := range []struct {
		values map[float64]float64
		where  string
	}{
		{affairs, "at 0, the value of 451 of 601 rows"},
		{volumes, "at 75, the value of 260 of 307 rows"},
	} {
		for problem, scale := range map[string]string{"studentt": "sigma", "skewt": "Omega", "normal": "", "skewnormal": ""} {
			rep, err := estimate.Find(t.Context(), occurring(t, problem, c.values), estimate.Settings{})
			if err != nil {
				t.Errorf("%s: %v", problem, err)
				continue
			}
			want := fmt.Sprintf("it grows without bound as %s goes to 0 %s", scale, c.where)
			says := strings.Contains(rep.Message, want)
			if says != (scale != "") || says && (rep.Status != runtime.AtInfinity || len(rep.Limits) > 0) {
				t.Errorf("%s: %v: %s, %d limits", problem, rep.Status, rep.Message, len(rep.Limits))
			}
		}
	}
}

// Where a run ends on the way to infinity, no supremum is claimed that ties exceed: it is said at which value. A limit, which has a bound of its own here, is none,
// nor are densities without heavy tails; without ties nothing is said, although the likelihood has no bound at a single row either.
func TestTies(t *testing.T) {
	untied := map[float64]float64{}
	for x := range heights {
		untied[x] = 1
	}
	for problem, scale := range map[string]string{"studentt": "sigma", "skewt": "Omega", "skewnormal": "", "normal": ""} {
		for _, values := range []map[float64]float64{heights, untied} {
			rep, err := estimate.Find(t.Context(), occurring(t, problem, values), estimate.Settings{})
			if err != nil {
				t.Fatal(problem, err)
			}
			want := fmt.Sprintf(", and it grows without bound as %s goes to 0 at 65, the value of 30 of 235 rows", scale)
			if tied := len(values) < int(rep.N); strings.Contains(rep.Message, want) != (tied && scale != "") || !tied && strings.Contains(rep.Message, "without bound") {
				t.Errorf("%s, %v rows: %s", problem, rep.N, rep.Message)
			}
			for _, l := range rep.Limits {
				if l.Unbounded != "" {
					t.Errorf("%s, %s: %s", problem, l.Name, l.Unbounded)
				}
			}
		}
	}
}

// TestTiesAndMaximum: beside a maximum there is a warning where a point on the way along which the likelihood grows without bound is higher, as by the density written out; where none is before the
// digits end, nothing is said, although the likelihood has no bound.
func TestTiesAndMaximum(t *testing.T) {
	for _, c := range []struct {
		values map[float64]float64
		at, nu float64 // nu below what the rows with that value weigh, divided by the others
		where  string
		higher bool
	}{
		{intervals, 10, 0.05, "at 10, the value of 50 of 188 rows", true},
		{saturations, 84, 0.02, "", false},
	} {
		rep, err := estimate.Find(t.Context(), occurring(t, "studentt", c.values), estimate.Settings{})
		if err != nil || !rep.Converged {
			t.Errorf("%v: %+v", err, rep)
			continue
		}
		const sigma = 1e-10
		a, _ := math.Lgamma((c.nu + 1) / 2)
		b, _ := math.Lgamma(c.nu / 2)
		there := 0.0
		for x, n := range c.values {
			u := (x - c.at) / sigma
			there += n * (a - b - math.Log(c.nu*math.Pi)/2 - math.Log(sigma) - (c.nu+1)/2*math.Log1p(u*u/c.nu))
		}
		if higher := there > float64(rep.LogLikelihood); higher != c.higher {
			t.Errorf("%v there, %v at the maximum", there, rep.LogLikelihood)
		}
		warnings := strings.Join(rep.Warnings, "\n")
		if said := strings.Contains(warnings, "no global maximum: it grows without bound as sigma goes to 0 "+c.where); said != c.higher {
			t.Errorf("%q, and %v there is above the maximum: %v", warnings, there, c.higher)
		}
	}
}

// TestTiesAmongOthers: that it grows without bound is said too where a run ends so near that values near those that are equal, as 2039 is here, are as dense until the scale is small.
func TestTiesAmongOthers(t *testing.T) {
	for _, sigma := range []float64{3e-3, 3e-4} {
		const want = "sigma goes to 0 at 2037, the value of 18 of 102 rows"
		if got := estimate.Shrinks(occurring(t, "studentt", papers), []float64{2037, sigma, 0.1}); got != want {
			t.Errorf("at sigma %v: %q", sigma, got)
		}
	}
	rep, err := estimate.Find(t.Context(), occurring(t, "studentt", papers), estimate.Settings{})
	if err != nil || !strings.Contains(rep.Message, "it grows without bound as sigma goes to 0 at 2037, the value of 18 of 102 rows") {
		t.Errorf("%v: %s", err, rep.Message)
	}
}

// TestNearlyAllTied: at the maximum of a normal distribution of which nearly all rows are equal the likelihood falls as evenly, as the scale grows, as it would if it
// had come from nowhere, and is contracted at no row.
func TestNearlyAllTied(t *testing.T) {
	for _, problem := range []string{"normal", "skewnormal"} {
		rep, err := estimate.Find(t.Context(), occurring(t, problem, map[float64]float64{0: 100, 1: 3}), estimate.Settings{})
		if err != nil || strings.Contains(rep.Message, "without bound") || problem == "normal" && !rep.Converged {
			t.Errorf("%s: %v, %+v", problem, err, rep)
		}
	}
}

// TestScaleOfTies: that the likelihood has no bound is so: along the way on which it is said it exceeds what the report has come to.
func TestScaleOfTies(t *testing.T) {
	rep, err := estimate.Find(t.Context(), occurring(t, "studentt", heights), estimate.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	const nu, tied, all = 0.05, 30.0, 235.0 // below 30/205
	density := func(x, sigma float64) float64 {
		a, _ := math.Lgamma((nu + 1) / 2)
		b, _ := math.Lgamma(nu / 2)
		return a - b - math.Log(nu*math.Pi)/2 - math.Log(sigma) - (nu+1)/2*math.Log1p(x*x/(nu*sigma*sigma))
	}
	last := math.Inf(-1)
	for sigma := 1e-10; sigma > 1e-60; sigma /= 1e10 {
		sum := 0.0
		for x, n := range heights {
			sum += n * density(x-65, sigma)
		}
		if !(sum > last+(tied-nu*(all-tied))*math.Log(1e9)) {
			t.Fatalf("sigma %v: %v, and %v before", sigma, sum, last)
		}
		last = sum
	}
	if !(last > float64(rep.LogLikelihood)) {
		t.Errorf("%v, and the report has %v", last, rep.LogLikelihood)
	}
}

// A run that has ended far out, for want of digits, has come to no maximum if the likelihood is higher still further out.
func TestFarOut(t *testing.T) {
	rep, err := estimate.Find(t.Context(), occurring(t, "skewt", answers), estimate.Settings{})
	if err != nil || rep.Status != runtime.AtInfinity {
		t.Errorf("%v, %v: %s", err, rep.Status, rep.Message)
	}
}

// TestRisesOut: of a vector that goes to infinity the likelihood is higher the farther out it is, by less each time; at one that is far too small it is higher at all
// multiples too, but by more each time, and there is a maximum.
func TestRisesOut(t *testing.T) {
	m := occurring(t, "skewnormal", answers)
	_, _, n := m.Counts()
	for want, theta := range map[string][]float64{
		"":                                   {1e-3, 9, 0}, // xi is too small
		"the length of eta goes to infinity": {6, 3, -1.5},
	} {
		if got := estimate.RisesOut(m, theta, n); got != want {
			t.Errorf("at %v: %q, want %q", theta, got, want)
		}
	}
}

// TestFlatOut: a number from which on the likelihood does not fall any more, in no digit, is no estimate; one from which it falls is, however little, and so may be
// one from which it falls either way; of one from which it falls neither way the data say nothing. These are the ranks of weights of fish in two samples (smokedfish
// of the R package fitdistrplus 1.1.8), of which a t copula is best where it is a Gaussian one.
func TestFlatOut(t *testing.T) {
	newModel, _ := generated.Lookup("tcopula")
	m := newModel()
	const low = 10.5 / 22
	d := runtime.Data{Columns: 2, Values: []float64{low, 2. / 22, low, 10.25 / 22, low, 19.5 / 22, 21. / 22, 19.5 / 22, 21.5 / 22, 17. / 22}, Weights: []float64{7, 26, 8, 1, 1}}
	if err := m.SetData(d); err != nil {
		t.Fatal(err)
	}
	corners := newModel() // with more in the corners than a Gaussian copula has
	if err := corners.SetData(runtime.Data{Columns: 2, Values: []float64{0.01, 0.99, 0.01, 0.01, 0.99, 0.99, 0.5, 0.5, 0.3, 0.6, 0.7, 0.4}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		m    runtime.Model
		nu   float64
		want string
	}{{m, 1e14, "nu goes to infinity"}, {m, 1e9, "nu goes to infinity"}, {m, 1e-3, ""}, {m, 1e50, "nu goes to infinity"}, {corners, 1, ""}, {corners, 1e9, ""}} {
		_, _, n := c.m.Counts()
		if got := estimate.FlatOut(c.m, []float64{1, 0.64126, 0.64126, 1, c.nu}, n); got != c.want {
			t.Errorf("%v rows at %v: %q, want %q", n, c.nu, got, c.want)
		}
	}
	rep, err := estimate.Find(t.Context(), m, estimate.Settings{Starts: 34})
	if err != nil || rep.Status != runtime.AtInfinity {
		t.Errorf("%v, %v: %s", err, rep.Status, rep.Message)
	}
}

// TestFallsEvenly: no more factors of e are asked for than tell whether the likelihood falls by the same amount for each of them, and from which on it may.
func TestFallsEvenly(t *testing.T) {
	const from, end = 3, 3 + estimate.EvenFolds
	for _, c := range []struct {
		what  string
		fall  func(t int) float64 // from t to t+1
		want  bool
		next  int
		first int // factor that is asked for
	}{
		{"even", func(int) float64 { return 2 }, true, from + 1, from},
		{"uneven at first", func(t int) float64 { return 2 + float64(from/t) }, false, from + 1, from},
		{"uneven at last", func(t int) float64 { return 2 + float64(t/(end-1)) }, false, end - 1, end - 2},
		{"uneven", func(t int) float64 { return 1 + float64((t-from)*(t-from)) }, false, end - 1, end - 2},
		{"flat", func(int) float64 { return 0 }, false, end, end - 1},
		{"rising", func(int) float64 { return -2 }, false, end, end - 1},
		{"without an end", func(t int) float64 { return math.NaN() }, false, end, end - 1},
	} {
		first := end
		next, got := estimate.FallsEvenly(func(t int) float64 {
			first = min(first, t)
			sum := 1.0
			for s := range t {
				if s >= from {
					sum += c.fall(s)
				}
			}
			return sum
		}, from)
		if got != c.want || next != c.next || first != c.first {
			t.Errorf("%s: %v back to factor %d, next from %d; want %v back to %d, next from %d", c.what, got, first, next, c.want, c.first, c.next)
		}
	}
}

// handedness is how strongly people prefer their right hand, by a score of their genes and from 1 to 8 (Claridge, G., 1972; R's package boot, claridge).
var handedness = []float64{13, 1, 18, 1, 20, 3, 21, 1, 21, 1, 24, 1, 24, 1, 27, 1, 28, 1, 28, 2, 28, 1, 28, 2, 28, 1, 28, 4, 28, 1, 28, 1, 29, 1, 29, 1, 29, 1, 29, 2,
	29, 2, 29, 1, 29, 1, 30, 1, 30, 1, 30, 2, 30, 1, 31, 1, 31, 1, 31, 1, 31, 1, 31, 2, 33, 6, 33, 1, 34, 1, 41, 4, 44, 8}

// TestContractsOnPlane: of two columns one has the same value in most rows, so that a density with heavy tails contracts on these, which are not equal.
func TestContractsOnPlane(t *testing.T) {
	rep, err := estimate.Find(t.Context(), library(t, "mvstudentt", handedness, 2), estimate.Settings{})
	const want = "it grows without bound as Sigma becomes singular at 26 of 37 rows, in which x[2] is 1"
	if err != nil || rep.Status != runtime.AtInfinity || !strings.Contains(rep.Message, want) {
		t.Errorf("%v, %v: %s", err, rep.Status, rep.Message)
	}
	const nu = 0.1 // below 26/11
	last := float64(rep.LogLikelihood)
	for sd := 1e-20; sd > 1e-120; sd /= 1e20 {
		a, _ := math.Lgamma(nu/2 + 1)
		b, _ := math.Lgamma(nu / 2)
		sum := 0.0
		for i := 0; i < len(handedness); i += 2 {
			x, y := (handedness[i]-29)/2, (handedness[i+1]-1)/sd
			sum += a - b - math.Log(nu*math.Pi) - math.Log(2*sd) - (nu/2+1)*math.Log1p((x*x+y*y)/nu)
		}
		if !(sum > last) {
			t.Fatalf("%v where the deviation of the second column is %v, and %v before", sum, sd, last)
		}
		last = sum
	}
	// With few rows in the plane there is a maximum: the data without 21 of these.
	var few []float64
	for i := 0; i < len(handedness); i += 2 {
		if handedness[i+1] > 1 || len(few) < 10 {
			few = append(few, handedness[i:i+2]...)
		}
	}
	if rep, err = estimate.Find(t.Context(), library(t, "mvnormal", few, 2), estimate.Settings{}); err != nil || !rep.Converged {
		t.Errorf("%v: %s", err, rep.Message)
	}
}

// ratings are those of two inhalers, of which 286 people have one after the other, from 1, which is easy, to 4 (Ezzet and Whitehead, A random effects model for ordinal responses
// from a crossover trial, Statistics in Medicine 10, 1991; inhaler of the R package brms 2.18.0).
const ratings = "11111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111" +
	"11111111111111111111111111111111222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222333333333344444" +
	"11111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111222222222222222222222" +
	"22222222222222222222222222233344111111111111111111111111111111111111111111111111111222222222222222222222222222222222222222222334111111122311123"

// rated are the rows of a person and a rating, with the first of those that were rated 1 alone, so many.
func rated(ones int) (x []float64) {
	for i, c := range ratings {
		if c == '1' {
			ones--
		}
		if c != '1' || ones >= 0 {
			x = append(x, float64(i%286+1), float64(c-'0'))
		}
	}
	return x
}

// TestTiesInColumn: a density with heavy tails contracts on the rows that have the same value in one of two columns where these are more than the others. There is a warning beside
// the maximum that was found, and along a way on which all rows but those are lost the likelihood is higher than all that is named. It is not said of normal tails, nor where
// those rows are fewer.
func TestTiesInColumn(t *testing.T) {
	const where, ones = "Omega becomes singular at 358 of 572 rows, in which x[2] is 1", 358
	m := library(t, "skewt", rated(ones), 2)
	rep, err := estimate.Find(t.Context(), m, estimate.Settings{})
	if err != nil || !rep.Converged || !strings.Contains(strings.Join(rep.Warnings, "\n"), "no global maximum: it grows without bound as "+where) {
		t.Errorf("%v, %+v", err, rep)
	}
	named := rep.LogLikelihood
	for _, l := range rep.Limits {
		named = max(named, l.LogLikelihood)
	}
	const nu = 0.135 // below 358/214 - 1
	a, _ := math.Lgamma(nu/2 + 1)
	b, _ := math.Lgamma(nu / 2)
	last := float64(named)
	for sd := 1e-5; sd > 1e-100; sd /= 1e5 {
		sum := 0.0
		for x := rated(ones); len(x) > 0; x = x[2:] {
			u, v := (x[0]-143.5)/82, (x[1]-1)/sd
			sum += a - b - math.Log(nu*math.Pi) - math.Log(82*sd) - (nu/2+1)*math.Log1p((u*u+v*v)/nu)
		}
		if !(sum > last) {
			t.Fatalf("%v where the deviation of the second column is %v, and %v before", sum, sd, last)
		}
		last = sum
	}
	// Where no limit is above the maximum there is a warning if a point on the way is, and none if none is.
	for ones, warned := range map[int]bool{ones: true, 200: false} {
		rep, err := estimate.Find(t.Context(), library(t, "mvstudentt", rated(ones), 2), estimate.Settings{})
		if err != nil || !rep.Converged || strings.Contains(strings.Join(rep.Warnings, "\n"), "no global maximum: it grows without bound as Sigma becomes singular") != warned {
			t.Errorf("%d ones: %v, %+v", ones, err, rep)
		}
	}
	for _, c := range []struct {
		problem string
		ones    int
		want    string
	}{{"skewt", ones, where}, {"mvstudentt", ones, strings.ReplaceAll(where, "Omega", "Sigma")}, {"skewnormal", ones, ""}, {"mvnormal", ones, ""},
		{"skewt", 200, "Omega goes to 0 at values that 2 of 414 rows have"}} { // of nu below 4/412, and all that can be said
		if got, _ := estimate.ShrinksOnto(library(t, c.problem, rated(c.ones), 2), math.Inf(-1)); got != c.want {
			t.Errorf("%s, %d ones: %q, want %q", c.problem, c.ones, got, c.want)
		}
	}
}

// theophylline is the hours since a dose and the concentration in the serum of six people (66 rows of Theoph of R's package datasets; Boeckmann, Sheiner and Beal 1994).
var theophylline = []float64{
	0, 0, 0.35, 1.89, 0.6, 4.6, 1.07, 8.6, 2.13, 8.38, 3.5, 7.54, 5.02, 6.88, 7.02, 5.78, 9.02, 5.33, 11.98, 4.19, 24.65, 1.15, 0, 0, 0.3, 2.02, 0.52,
	5.63, 1, 11.4, 2.02, 9.33, 3.5, 8.74, 5.02, 7.56, 7.02, 7.09, 9.1, 5.9, 12, 4.37, 24.35, 1.57, 0, 0, 0.27, 1.29, 0.58, 3.08, 1.15, 6.44, 2.03, 6.32,
	3.57, 5.53, 5, 4.94, 7, 4.02, 9.22, 3.46, 12.1, 2.78, 23.85, 0.92, 0, 0.15, 0.25, 0.85, 0.5, 2.35, 1.02, 5.02, 2.02, 6.58, 3.48, 7.09, 5, 6.66, 6.98,
	5.25, 9, 4.39, 12.05, 3.53, 24.22, 1.15, 0, 0, 0.25, 3.05, 0.52, 3.05, 0.98, 7.31, 2.02, 7.56, 3.53, 6.59, 5.05, 5.88, 7.15, 4.73, 9.07, 4.57, 12.1,
	3, 24.12, 1.25, 0, 0, 0.3, 7.37, 0.63, 9.03, 1.05, 7.14, 2.02, 6.33, 3.53, 5.66, 5.02, 5.67, 7.17, 4.24, 8.8, 4.11, 11.6, 3.16, 24.43, 1.12,
}

// TestHeavyComponentOnTies: a component with heavy tails that has contracted on equal rows has collapsed, although it explains others too, and no run there is one to a maximum. Without
// the rows that are equal there is no such component. That the likelihood has no bound is so: it exceeds what the report has.
func TestHeavyComponentOnTies(t *testing.T) {
	newModel, _ := generated.Lookup("mvstudenttmix")
	fit := func(values []float64) (*estimate.Report, error) {
		return estimate.FindOn(t.Context(), newModel(), runtime.Data{Values: values, Columns: 2}, estimate.Settings{Components: 2})
	}
	rep, err := fit(theophylline)
	const want = "it grows without bound as Sigma of component 2 goes to 0 at values that 5 of 66 rows have"
	if err != nil || rep.Status != runtime.Collapsed || !strings.Contains(rep.Message, want) {
		t.Errorf("%v, %v: %s", err, rep.Status, rep.Message)
	}
	density := func(x, y, mx, my, sx, sy, nu float64) float64 {
		u, v := (x-mx)/sx, (y-my)/sy
		return math.Pow(1+(u*u+v*v)/nu, -nu/2-1) / (2 * math.Pi * sx * sy)
	}
	last := math.Inf(-1)
	for scale := 1e-8; scale > 1e-60; scale /= 1e8 {
		sum := 0.0
		for i := 0; i < len(theophylline); i += 2 {
			x, y := theophylline[i], theophylline[i+1]
			sum += math.Log(0.79*density(x, y, 6.4, 5.6, 5.3, 1.8, 4.4) + 0.21*density(x, y, 0, 0, 0.15*scale, scale, 0.06))
		}
		if !(sum > last+9*math.Log(1e8)) { // 5 rows in two dimensions, and less than one for the tails
			t.Fatalf("scale %v: %v, and %v before", scale, sum, last)
		}
		last = sum
	}
	if !(last > float64(rep.LogLikelihood)) {
		t.Errorf("%v, and the report has %v", last, rep.LogLikelihood)
	}
	var different []float64
	for i := 0; i < len(theophylline); i += 2 {
		if theophylline[i] > 0 || theophylline[i+1] > 0 {
			different = append(different, theophylline[i:i+2]...)
		}
	}
	rep, err = fit(different)
	if err != nil || rep.Status == runtime.Collapsed || strings.Contains(strings.Join(rep.Warnings, ""), "Sigma of component") {
		t.Errorf("%v, %v: %s %s", err, rep.Status, rep.Message, rep.Warnings)
	}
}

// TestNarrowComponent: a component that has gone to one value has collapsed; a narrow one far from others has a maximum, although the likelihood falls as evenly where its scale grows.
func TestNarrowComponent(t *testing.T) {
	for _, c := range []struct {
		spread float64
		want   string
	}{{0, "sigma2 of component 2 goes to 0 at 10000, the value of 10 of 50 rows"}, {1e-6, ""}} {
		values, second := map[float64]float64{0: 12}, 0.0
		for i := range 28 {
			values[math.Sin(float64(i+1))] = 1
		}
		for i := range 10 {
			x := c.spread * (float64(i) - 4.5)
			values[1e4+x]++
			second += x * x / 10
		}
		if c.spread == 0 {
			second = 1e-12
		}
		if got := estimate.Collapses(occurring(t, "normalmix", values, 2), []float64{0.8, 0.2, 0, 1e4, 0.4, second}); got != c.want {
			t.Errorf("spread over %v: %q, want %q", c.spread, got, c.want)
		}
	}
}
