package main

import (
	"bytes"
	"context"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/internal/table"
)

// named returns the methods with names, and with a line search.
func named(t *testing.T, titles ...string) []method {
	t.Helper()
	var out []method
	for _, title := range titles {
		i := slices.IndexFunc(methods, func(f method) bool { return f.title() == title })
		if i < 0 {
			t.Fatalf("no method %s", title)
		}
		out = append(out, methods[i])
	}
	return out
}

// TestAdmissions: from random starts all methods begin at the same loss, none ends below the best known, BFGS ends there
// from one of the first starts, and so does natural L-BFGS from the default start.
func TestAdmissions(t *testing.T) {
	const file = "../../../../shared/data/covid_england.csv" // of others: it may be missing
	if _, err := os.Stat(file); err != nil {
		t.Skip("the admissions are not here")
	}
	data, err := table.ReadFile(file, nil, table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	chosen := named(t, "BFGS, softmax, log, logit, gonum", "SNGD, mean, exact", "natural L-BFGS, natural, Wolfe")
	rows, err := fromStarts(context.Background(), chosen, data.Values, 3, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	reached := false
	for _, r := range rows {
		for i, x := range r.races {
			if first := rows[0].races[i].moments[0].loss; !(math.Abs(x.moments[0].loss-first) <= 1e-9) {
				t.Errorf("%s, start %d: begins at %v, not %v", r.title(), i, x.moments[0].loss, first)
			}
			if !(x.last().loss >= bestKnown-1e-11) {
				t.Errorf("%s, start %d: ends at %.13f, below the best known", r.title(), i, x.last().loss)
			}
			reached = reached || r.name == "BFGS" && x.converged && x.last().loss <= bestKnown+sameLoss
		}
	}
	if !reached {
		t.Error("BFGS does not find the best optimum")
	}
	text, err := formula(context.Background(), data.Values)
	if err != nil || !strings.Contains(text, ": 7.5221921462, ") {
		t.Errorf("%s (%v)", text, err)
	}
}

// TestCounts: the methods begin at the same loss and never rise; in the early phase SNGD is ahead of gradient descent; and
// the lowest loss found is not above that of the truth.
func TestCounts(t *testing.T) {
	const k, n = 3, 300
	chosen := named(t, "SNGD, mean, exact", "natural L-BFGS, mean, Wolfe", "GD, softmax, log, logit, exact")
	for seed := range 2 {
		s, err := draw(k, n, uint64(seed))
		if err != nil {
			t.Fatal(err)
		}
		c, err := contend(context.Background(), chosen, s, k, seed, 50)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range c.races {
			if !(math.Abs(r.moments[0].loss-c.races[0].moments[0].loss) <= 1e-9) {
				t.Errorf("%s begins at %v, the first at %v", chosen[i].title(), r.moments[0].loss, c.races[0].moments[0].loss)
			}
			for j, m := range r.moments[1:] {
				if !(m.loss <= r.moments[j].loss+1e-11) || m.seconds < r.moments[j].seconds || m.evaluations <= r.moments[j].evaluations {
					t.Errorf("%s: %+v comes after %+v", chosen[i].title(), m, r.moments[j])
				}
			}
		}
		for _, j := range []int{1, 3, 10} {
			if sngd, gd := c.races[0].at(j).loss, c.races[2].at(j).loss; !(sngd < gd) {
				t.Errorf("seed %d, iteration %d: SNGD is at %v, GD at %v", seed, j, sngd, gd)
			}
		}
		m, err := methods[0].problem(s.x, k)
		if err != nil {
			t.Fatal(err)
		}
		truth := m.(objective).ThetaGradient(make([]float64, len(s.theta)), s.theta)
		if !(c.best < truth) {
			t.Errorf("seed %d: the lowest loss is %v, that of the truth %v", seed, c.best, truth)
		}
	}
}

// TestDraw: the counts have the mean and the variance of the mixture.
func TestDraw(t *testing.T) {
	const k, n = 10, 40_000
	s, err := draw(k, n, 3)
	if err != nil {
		t.Fatal(err)
	}
	mean, square := 0.0, 0.0 // of the mixture
	for c := range k {
		mu := s.theta[k+c] * (1 - s.theta[2*k+c]) / s.theta[2*k+c]
		if !(mu > 5 && mu < 5000) {
			t.Errorf("a component has the mean %v", mu)
		}
		mean, square = mean+mu/k, square+(9*mu+mu*mu)/k
	}
	first, second := 0.0, 0.0
	for _, x := range s.x {
		first, second = first+x/n, second+x*x/n
	}
	if sd := math.Sqrt(square - mean*mean); !(math.Abs(first-mean) <= 5*sd/math.Sqrt(n)) || !(math.Abs(second/square-1) <= 0.05) {
		t.Errorf("the moments are %v and %v, not %v and %v", first, second, mean, square)
	}
}

// TestPart: the draws of a skew component have the mean xi + sqrt(2/pi) beta and the covariance Omega - (2/pi) beta beta',
// as its parameters say.
func TestPart(t *testing.T) {
	const d, n = 3, 200_000
	rng := rand.New(rand.NewPCG(51, 1))
	p, err := newPart(d, true, rng)
	if err != nil {
		t.Fatal(err)
	}
	x, mean, second := make([]float64, d), make([]float64, d), make([]float64, d*d)
	for range n {
		p.draw(x, rng)
		for i := range d {
			mean[i] += (x[i] - p.xi[i]) / n
			for j := range d {
				second[i*d+j] += (x[i] - p.xi[i]) * (x[j] - p.xi[j]) / n
			}
		}
	}
	// Omega eta/sqrt(1 + eta' Omega eta), once more.
	beta, norm := make([]float64, d), 1.0
	for i := range d {
		for j := range d {
			beta[i] += p.omega[i*d+j] * p.eta[j]
		}
		norm += beta[i] * p.eta[i]
	}
	if skew := math.Sqrt(norm - 1); !(math.Abs(skew-slant) <= 1e-9) {
		t.Errorf("the slant is %v, not %v", skew, slant)
	}
	for i := range d {
		sd := math.Sqrt(p.omega[i*d+i])
		if want := math.Sqrt(2/math.Pi) * beta[i] / math.Sqrt(norm); !(math.Abs(mean[i]-want) <= 5*sd/math.Sqrt(n)) {
			t.Errorf("mean %d is off xi by %v, not %v", i, mean[i], want)
		}
		for j := range d { // about xi, the second moments are Omega
			if got, want := second[i*d+j], p.omega[i*d+j]; !(math.Abs(got-want) <= 0.02*sd*math.Sqrt(p.omega[j*d+j])) {
				t.Errorf("second moment %d, %d is %v, not %v", i, j, got, want)
			}
		}
	}
}

// TestVectors: the best of a few starts has a likelihood above that of the truth, by no more than what so many parameters
// gain on average by being fitted, half a unit each, and some.
func TestVectors(t *testing.T) {
	const d, n = 2, 1500
	for _, s := range subjects {
		all, err := fits(context.Background(), s, vectorMethods[:1], d, n, 2, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range all {
			low, free := math.Inf(1), float64(len(o.races[0].theta)-1-threefold*d*(d-1)/2)
			for _, r := range o.races {
				low = min(low, r.last().loss)
			}
			if gain := n * (o.truth - low); !(gain > 0) || !(gain < free) {
				t.Errorf("%s, %s: the log-likelihood is %.1f above that of the truth, with %v parameters", s.name, o.title(), gain, free)
			}
		}
	}
}

// TestEndings and the tables after it, on runs by hand.
func TestEndings(t *testing.T) {
	of := func(converged bool, fault string, s float64, losses ...float64) *race {
		r := &race{converged: converged, fault: fault, theta: []float64{1, 2, s}}
		for i, x := range losses {
			r.moments = append(r.moments, moment{x, 0.5 * float64(i), 2 * i})
		}
		return r
	}
	rows := []row{{method{name: "A", coordinates: "c", search: "s"}, []*race{
		of(true, "", 0.5, 5, 2, 1.0000001, 1),
		of(true, "", 0.5, 5, 1.5, 1.25),
		of(true, "", 0.5, 5, 4, 3, 1.25),
		of(false, "", 0.5, 5, 4, 1.2, 1.1999999),
		of(false, "stuck", 0.5, 5, 1.3),
		of(false, "stuck", 1, 5, 1.4),
	}}}
	want := `| method | coordinates | line search | at 1.0000000000 | iterations | evaluations | ms | other ends |
| --- | --- | --- | --- | --- | --- | --- | --- |
| A | c | s | 1 of 6 | 2 (1 to 3) | 4 | 1e+03 | 1.200 (unfinished), 1.2500000 × 2, 1.3000000 (failed), 1.400 (Poisson) |
`
	if got := endings(rows, 1); got != want {
		t.Errorf("the table is\n%s\nnot\n%s", got, want)
	}
	one := []*contest{
		{races: []*race{rows[0].races[0]}, best: 1},
		{races: []*race{rows[0].races[1]}, best: 1},
		{races: []*race{rows[0].races[2]}, best: 1.25},
	}
	want = `| method | coordinates | line search | 1 | 3 | 10 | 30 | 100 | 300 | 1000 | best | ms/iteration | ms |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| A | c | s | 1e+00 | 0 | 0 | 0 | 0 | 0 | 0 | 2 of 3 | 5e+02 | 1.5e+03 |
`
	if got := gaps([]method{rows[0].method}, one); got != want {
		t.Errorf("the table is\n%s\nnot\n%s", got, want)
	}
	all := []outcome{{subject{name: "p"}, 2, 1.5, 1000, row{method{name: "A"}, rows[0].races[2:4]}}}
	want = `| problem | d | method | truth | best | gain of each start | iterations | ms |
| --- | --- | --- | --- | --- | --- | --- | --- |
| p | 2 | A | 1.500000 | 1.200000 | 250.0, 300.0* | 3 (3 to 3) | 1.5e+03 |
`
	if got := aboveTruth(all); got != want {
		t.Errorf("the table is\n%s\nnot\n%s", got, want)
	}
}

func TestCommand(t *testing.T) {
	for args, want := range map[string]string{
		"-task none":                     `no task "none"`,
		"-seeds -1":                      "must not be negative",
		"-data main.go -task admissions": "main.go",
	} {
		err := command(context.Background(), strings.Fields(args), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", args, err)
		}
	}
	var out bytes.Buffer
	if err := command(context.Background(), []string{"-task", "admissions", "-data", "missing.csv"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "The data are not here.\n") || strings.Count(text, "Left out.\n") != 2 {
		t.Errorf("the report is\n%s", text)
	}
}

// TestWritten: TABLE.md is the output of the program with the notes as they are.
func TestWritten(t *testing.T) {
	written, err := os.ReadFile("TABLE.md")
	if err != nil {
		t.Fatal(err)
	}
	rest := string(written)
	for _, part := range strings.Split(strings.ReplaceAll(notes, "%%", "%"), "%s") {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			t.Fatalf("TABLE.md lacks what notes.md says:\n%s\nwrite it again: go run ./tests/paper/mixture > tests/paper/mixture/TABLE.md", part)
		}
		rest = after
	}
	for _, f := range append([]method{onGrid}, methods...) {
		if line := "| " + strings.Join([]string{f.name, f.coordinates, f.search}, " | ") + " |"; !strings.Contains(string(written), line) {
			t.Errorf("TABLE.md lacks a line that begins with %s", line)
		}
	}
}
