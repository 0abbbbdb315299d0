package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// reported is a run whose report says so much.
func reported(status string, converged bool, logLikelihood float64, rest string) *ran {
	exit := 1
	if converged {
		exit = 0
	}
	message := status
	if status == atInfinity {
		message = "the likelihood has no maximum; the supremum that was found is so much"
	}
	out := fmt.Sprintf(`{"message": %q, "status": %q, "converged": %v, "log_likelihood": %v, "parameters": {"mu": 0}, %s "seconds": 0}`, message, status, converged, logLikelihood, rest)
	return &ran{Exit: exit, Out: out, Seconds: 0.1}
}

func maximum(logLikelihood float64) *ran {
	return reported("gradient converged", true, logLikelihood, "")
}

func limitAt(logLikelihood any, abandoned bool) string {
	return fmt.Sprintf(`"limits": [{"name": "normal", "log_likelihood": %v, "abandoned": %v}],`, logLikelihood, abandoned)
}

// unknown is the same run, whose message says that the supremum is not known.
func unknown(r *ran) *ran {
	r.Out = strings.Replace(r.Out, "the supremum that was found is so much", "the supremum was not found", 1)
	return r
}

// shaped is the same run with these parameters.
func shaped(r *ran, parameters string) *ran {
	r.Out = strings.Replace(r.Out, `{"mu": 0}`, parameters, 1)
	return r
}

const (
	warned = `"warnings": ["the likelihood has no global maximum: as nu goes to infinity"],`
	higher = `"warnings": ["the likelihood has no global maximum: as nu of component 1 goes to infinity the log-likelihood comes to -9.9, which is 0.1 above this maximum"],`
	toEnd  = `"warnings": ["the likelihood has no global maximum: it grows without bound as sigma goes to 0 at 0, the value of 10 of 18 rows"],`
)

// ties is a file in which one value is frequent.
func ties(t *testing.T) *file {
	path := filepath.Join(t.TempDir(), "ties.csv")
	text := "x\n" + strings.Repeat("0\n", 10) + "1\n2\n3\n5\n8\n-1\n-2\n-4\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	names, rows, err := read(path)
	if err != nil {
		t.Fatal(err)
	}
	return describe("p-o-1-ties", path, names, rows)
}

// Every check finds what it is for, and nothing else.
func TestJudge(t *testing.T) {
	above := -9.0
	for _, test := range []struct {
		name    string
		family  string
		run     *ran
		inner   *ran // of the normal distribution on the same file
		refined *refined
		before  *ran
		want    check // none when empty
	}{
		{name: "a maximum", run: maximum(-10), inner: maximum(-11), refined: &refined{There: -10, Near: 1e-6}},
		{name: "SciPy climbs", run: maximum(-10), refined: &refined{There: -10, Near: 0.1}, want: notLocal},
		{name: "SciPy climbs further out", run: maximum(-10), refined: &refined{There: -10, Far: 0.1}, want: higherOut},
		{
			name: "SciPy climbs to a limit that was named", run: reported("gradient converged", true, -10, warned+limitAt(-9.5, false)),
			refined: &refined{There: -10, Far: 0.4},
		},
		{name: "SciPy climbs elsewhere", run: maximum(-10), refined: &refined{There: -10, Elsewhere: &above}, want: elsewhere},
		{name: "SciPy climbs above a supremum", run: reported(atInfinity, false, -10, limitAt(-9.5, false)), refined: &refined{Elsewhere: &above}, want: elsewhere},
		{name: "SciPy has another density", run: maximum(-10), refined: &refined{There: -10.1}, want: densities},
		{name: "SciPy has no density", run: maximum(-10), refined: &refined{Unknown: true}},
		{name: "SciPy fails", run: maximum(-10), refined: &refined{Fault: "ValueError"}, want: faults},
		{name: "below the normal distribution", run: maximum(-10), inner: maximum(-9.9), want: belowNested},
		{
			name: "below the normal distribution, as the report says", run: reported("gradient converged", true, -10, warned+limitAt(-9.9, false)),
			inner: maximum(-9.9),
		},
		{name: "below the normal distribution, as a warning says", run: reported("gradient converged", true, -10, higher), inner: maximum(-9.9)},
		{name: "below the normal distribution, and a warning", run: reported("gradient converged", true, -10, higher), inner: maximum(-9.8), want: belowNested},
		{name: "a supremum below the normal distribution", run: reported(atInfinity, false, -10, limitAt(-10, false)), inner: maximum(-9.9), want: belowNested},
		{name: "below the normal distribution on its way", run: maximum(-10), inner: reported(atInfinity, false, -9.9, ""), want: belowNested},
		{name: "a supremum", run: reported(atInfinity, false, -10, limitAt(-9.9999, false)), inner: maximum(-9.9999)},
		{name: "a supremum below the run", run: reported(atInfinity, false, -10, limitAt(-10.1, false)), want: supremumLow},
		{name: "a supremum that was given up", run: reported(atInfinity, false, -10, limitAt(-10.1, true)), want: notFound},
		{name: "a supremum that was not found", run: reported(atInfinity, false, -10, limitAt("null", false)), want: notFound},
		{name: "a supremum that the report does not know", run: unknown(reported(atInfinity, false, -10, limitAt(-10.1, false))), want: notFound},
		{name: "a collapsed component", run: reported("collapsed", false, -10, "")},
		{name: "a limit above, but no warning", run: reported("precision reached", true, -10, limitAt(-9, false)), want: silent},
		{name: "a supremum on equal values", family: "studentt", run: reported(atInfinity, false, -10, limitAt(-10, false)), want: unbounded},
		{name: "a maximum below a supremum on equal values", family: "studentt", run: reported("gradient converged", true, -10, warned+limitAt(-9.5, false)), want: unbounded},
		{name: "a maximum on equal values, with a warning", family: "studentt", run: reported("gradient converged", true, -10, toEnd+limitAt(-9.5, false))},
		{name: "a normal tail on equal values", family: "skewnormal", run: reported(atInfinity, false, -10, limitAt(-10, false))},
		{name: "a maximum on equal values", family: "studentt", run: maximum(-10), want: silent},
		{name: "a maximum above equal values", family: "studentt", run: maximum(300)},
		{name: "far out in a component", run: shaped(maximum(-10), `{"r": [2, 3e12]}`), want: farOut},
		{name: "not far out", run: shaped(maximum(-10), `{"r": [2, 3e5], "Sigma": [[3e12]]}`)},
		{name: "failed", run: reported("failed", false, -10, ""), want: noVerdict},
		{name: "the time limit", run: &ran{Exit: -1, TimedOut: true}, want: faults},
		{name: "a panic", run: &ran{Exit: 2, Faults: "panic: index out of range\n\ngoroutine 1"}, want: faults},
		{name: "another exit code", run: &ran{Exit: 2, Faults: "usage"}, want: faults},
		{name: "nothing", run: &ran{}, want: faults},
		{name: "NaN", run: &ran{Out: `{"log_likelihood": NaN}`}, want: faults},
		{name: "an exit code that is not the status's", run: &ran{Exit: 1, Out: maximum(-10).Out}, want: faults},
		{name: "no likelihood", run: &ran{Out: `{"converged": true, "log_likelihood": null}`}, want: faults},
		{name: "as before", run: maximum(-10), before: maximum(-10.00000001)},
		{name: "lower than before", run: maximum(-10), before: maximum(-9.9), want: differs},
		{name: "another status", run: maximum(-10), before: reported("failed", false, -10, ""), want: differs},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := ties(t)
			family := test.family
			if family == "" {
				family = "skewt"
				f.Path = tiesless(t)
			}
			j, inner := &job{Family: family, file: f}, &job{Family: "normal", file: f}
			s := &sweep{options: &options{}, jobs: []*job{j}, said: map[string]*ran{j.Key(): test.run}, refined: map[string]*refined{}}
			if test.inner != nil {
				s.jobs = append(s.jobs, inner)
				s.said[inner.Key()] = test.inner
			}
			if test.refined != nil {
				s.refined[j.Key()] = test.refined
			}
			if test.before != nil {
				s.base, s.before = "base", map[string]*ran{j.Key(): test.before}
			}
			found := s.judge()
			if test.want == (check{}) {
				if len(found) > 0 {
					t.Errorf("found %v", found)
				}
				return
			}
			if len(found) != 1 || found[0].Check != test.want || found[0].Job != j {
				t.Errorf("found %v, want %s", found, test.want.Name)
			}
		})
	}
}

// tiesless is a file without equal values.
func tiesless(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "different.csv")
	if err := os.WriteFile(path, []byte("x\n1\n2\n3\n5\n8\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// The point that is named on equal values has the likelihood that is said.
func TestContracted(t *testing.T) {
	_, rows, err := read(ties(t).Path)
	if err != nil {
		t.Fatal(err)
	}
	p := contractedAbove(rows, 0)
	if p == nil {
		t.Fatal("no point")
	}
	spread := math.Sqrt(stat.Variance(slices.Concat(rows...), nil))
	sum := 0.0
	for _, row := range rows {
		sum += distuv.StudentsT{Mu: 0, Sigma: p.scale * spread, Nu: p.nu}.LogProb(row[0])
	}
	if p.equal != 10 || math.Abs(sum-p.logLikelihood) > 1e-8*math.Abs(sum) {
		t.Errorf("%v, by gonum %v", p, sum)
	}
}

// Of vectors the likelihood rises on equal rows, and on an entry that more than half of the rows have in common.
func TestContractedVectors(t *testing.T) {
	equalRows := [][]float64{{1, 2}, {1, 2}, {1, 2}, {1, 2}, {3, 1}, {2, 5}, {7, 4}}
	equalEntries := [][]float64{{1, 2}, {1, 3}, {1, 7}, {1, 4}, {1, 9}, {2, 5}, {7, 4}}
	fewer := [][]float64{{1, 2}, {1, 3}, {1, 7}, {4, 4}, {3, 9}, {2, 5}, {7, 4}}
	for _, test := range []struct {
		rows  [][]float64
		equal int
		rises bool
	}{{equalRows, 4, true}, {equalEntries, 5, true}, {fewer, 0, false}} {
		if p := contractedAbove(test.rows, 20); (p != nil) != test.rises || p != nil && p.equal != test.equal {
			t.Errorf("%v: %v", test.rows, p)
		}
	}
}

// Packages take turns, and what a package comes with does not depend on others.
func TestInTurns(t *testing.T) {
	order := func(names ...string) string {
		var files []*file
		for _, n := range names {
			files = append(files, &file{Name: n})
		}
		var out []string
		for _, f := range inTurns(files) {
			out = append(out, f.Name)
		}
		return strings.Join(out, " ")
	}
	both := order("a-o-1-x", "a-o-1-y", "a-o-1-z", "b-o-1-x")
	if first := strings.Fields(both)[:2]; !strings.Contains(strings.Join(first, " "), "b-o-1-x") {
		t.Errorf("b comes after the first file of a: %s", both)
	}
	if alone := order("a-o-1-x", "a-o-1-y", "a-o-1-z"); strings.Join(strings.Fields(strings.ReplaceAll(both, "b-o-1-x", "")), " ") != alone {
		t.Errorf("%s, without b %s", both, alone)
	}
}

// Jobs are those whose domain the data are in, of the files after those that are skipped.
func TestList(t *testing.T) {
	files := []*file{
		describe("p-o-1-x", "x.csv", []string{"x"}, [][]float64{{0}, {1}, {2}, {2}}),
		describe("p-o-u2", "u.csv", []string{"u", "v"}, [][]float64{{0.2, 0.4}, {0.6, 0.8}}),
		describe("p-o-4", "y.csv", []string{"a", "b", "c", "d"}, [][]float64{{-1, 2, 3, 4}}),
	}
	run := map[string]string{}
	for _, j := range list(files, 0, 1) {
		run[j.Key()] = strings.Join(j.arguments("FILE"), " ")
	}
	for key, want := range map[string]string{
		"studentt@p-o-1-x": "fit studentt FILE", "negbinmix3@p-o-1-x": "fit negbinmix FILE --components 3", "poisson~1@p-o-1-x": "fit poisson FILE --formula x ~ 1",
		"tcopula@p-o-u2": "fit tcopula FILE", "normal~x@p-o-4": "fit normal FILE --formula a ~ b + c + d", "gamma@p-o-1-x": "",
	} {
		if run[key] != want {
			t.Errorf("%s: %q, want %q", key, run[key], want)
		}
	}
	if jobs := list(files, 1, 1); len(jobs) != 0 {
		t.Errorf("%d jobs are left", len(jobs))
	}
}

// Families that contain one another are fitted to the same files.
func TestContained(t *testing.T) {
	together := map[string]map[string]bool{} // of a kind of file, what is fitted to the first ones
	for _, p := range plans {
		f := &file{Name: "p-o-" + p.shape, Names: make([]string, 4), low: 0.5, high: 0.5}
		if p.takes(&file{low: 1, high: 3, whole: true}) {
			f.low, f.high, f.whole = 1, 3, true
		}
		for _, j := range list([]*file{f}, 0, 1) {
			if together[p.shape] == nil {
				together[p.shape] = map[string]bool{}
			}
			together[p.shape][j.Label()] = true
		}
	}
	for outer, families := range contained {
		for _, family := range families {
			met := false
			for _, labels := range together {
				met = met || labels[outer] && labels[family]
			}
			if !met {
				t.Errorf("%s contains %s, but they are never fitted to one file", outer, family)
			}
		}
	}
}

// The table has every finding, and no path of the machine.
func TestWrite(t *testing.T) {
	f := ties(t)
	j := &job{Family: "studentt", file: f}
	s := &sweep{options: &options{data: t.TempDir()}, jobs: []*job{j}, said: map[string]*ran{
		j.Key(): {Exit: 1, Faults: "error: " + f.Path + ": a | b"},
	}}
	var b strings.Builder
	if err := s.write(&b); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"| faults | 1 |", `refused: error: ties.csv: a \| b`, "| studentt | 1 | 1 |"} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("no %q in\n%s", part, &b)
		}
	}
	if strings.Contains(b.String(), filepath.Dir(f.Path)) {
		t.Error("a path of the machine")
	}
}
