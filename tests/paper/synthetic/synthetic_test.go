package main

import (
	"bytes"
	"context"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/internal/fresh"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/dense"
)

// byHand finds the model that is written by hand.
func byHand(name string) (func() runtime.Model, bool) {
	return func() runtime.Model { return new(fitfixture.SkewNormal) }, name == "skewnormal"
}

// TestFresh: the packages are what the generator writes from models.yaml now.
func TestFresh(t *testing.T) { fresh.Check(t, "models.yaml") }

// TestStart: the models start where the paper does, with the identity, vectors of size 0.01 and nu = 50; R = corr(I +
// W'W) with entries of W of size 0.01 has correlations of size 0.01^2 sqrt(d).
func TestStart(t *testing.T) {
	const d = 40
	for _, task := range tasks {
		make, _ := models(task.name)
		m := make()
		if err := m.Resize([]int{d}); err != nil {
			t.Fatal(err)
		}
		z := slices.Repeat([]float64{math.NaN()}, dimension(m))
		if err := m.Start(z, m.Info().Starts, runtime.Stream(1, "start")); err != nil {
			t.Fatal(err)
		}
		theta := slices.Repeat([]float64{math.NaN()}, d*d+2*d+1)
		m.Theta(theta, z)
		for _, p := range m.Info().Parameters {
			x := theta[:p.Len(m)]
			theta = theta[len(x):]
			checkStart(t, task.name+": "+p.Name, x, d)
		}
	}
}

// checkStart tells parameters apart by their lengths.
func checkStart(t *testing.T, name string, x []float64, d int) {
	t.Helper()
	sd := 0.01
	switch len(x) {
	case 1:
		if !(math.Abs(x[0]-50) <= 1e-12) {
			t.Errorf("%s starts at %v", name, x)
		}
		return
	case d * d:
		sd = 0.01 * 0.01 * math.Sqrt(float64(d))
		if name != "tcopula: R" {
			sd = 0
		}
		x = offDiagonal(t, name, x, d)
	}
	if got := math.Sqrt(dense.Dot(x, x) / float64(len(x))); math.Abs(got-sd) > 0.3*sd {
		t.Errorf("%s starts with entries of size %v, not %v", name, got, sd)
	}
}

// offDiagonal returns the entries off a diagonal that must be 1.
func offDiagonal(t *testing.T, name string, x []float64, d int) []float64 {
	t.Helper()
	var rest []float64
	for i, v := range x {
		switch {
		case i%(d+1) != 0:
			rest = append(rest, v)
		case math.Abs(v-1) > 1e-14:
			t.Errorf("%s starts with %v on its diagonal", name, v)
		}
	}
	return rest
}

// TestTruth compares moments of draws with their formulas. At nu = 10 fourth moments exist: the tolerances are five
// standard errors and more.
func TestTruth(t *testing.T) {
	const d, n = 3, 200_000
	for _, task := range tasks {
		law, err := task.draw(d, runtime.Stream(3, "truth"))
		if err != nil {
			t.Fatal(err)
		}
		x := mat.NewDense(n, d, law.rows(n, d, runtime.Stream(3, "data")))
		var got mat.SymDense
		stat.CovarianceMatrix(&got, x, nil)
		nu := law.nu
		if law.uniform {
			checkCopula(t, x, law.parameters["R"])
			continue
		}
		// x - xi = y/sqrt(w), w ~ Gamma(nu/2, rate nu/2), y skew-normal with mean sqrt(2/pi) beta and E[y y'] = Omega.
		first, second := 1.0, 1.0
		if !math.IsInf(nu, 1) {
			a, _ := math.Lgamma((nu - 1) / 2)
			b, _ := math.Lgamma(nu / 2)
			first, second = math.Sqrt(nu/2)*math.Exp(a-b), nu/(nu-2)
		}
		omega := mat.NewSymDense(d, law.parameters["Omega"])
		eta := mat.NewVecDense(d, law.parameters["eta"])
		var delta mat.VecDense
		delta.MulVec(omega, eta)
		delta.ScaleVec(first*math.Sqrt(2/math.Pi)/math.Sqrt(1+mat.Dot(eta, &delta)), &delta)
		for i := range d {
			mean := stat.Mean(mat.Col(nil, i, x), nil)
			sd := math.Sqrt(got.At(i, i))
			if want := law.parameters["xi"][i] + delta.AtVec(i); !(math.Abs(mean-want) < 0.012*sd) {
				t.Errorf("%s: mean %d is %v, not %v", task.name, i, mean, want)
			}
			for j := range d {
				want := second*omega.At(i, j) - delta.AtVec(i)*delta.AtVec(j)
				if !(math.Abs(got.At(i, j)-want) < 0.03*sd*math.Sqrt(got.At(j, j))) {
					t.Errorf("%s: covariance %d, %d is %v, not %v", task.name, i, j, got.At(i, j), want)
				}
			}
		}
	}
}

// checkCopula: marginals are uniform, and Kendall's tau is 2/pi asin(R_ij) as for every elliptical law.
func checkCopula(t *testing.T, x *mat.Dense, r []float64) {
	t.Helper()
	n, d := x.Dims()
	for i := range d {
		mean, sd := stat.MeanStdDev(mat.Col(nil, i, x), nil)
		if !(math.Abs(mean-0.5) <= 0.004 && math.Abs(sd-1/math.Sqrt(12)) <= 0.003) {
			t.Errorf("marginal %d has mean %v and standard deviation %v", i, mean, sd)
		}
		for j := range i {
			tau := 0.0
			for k := 0; k+1 < n; k += 2 { // independent pairs
				a := (x.At(k, i) - x.At(k+1, i)) * (x.At(k, j) - x.At(k+1, j))
				tau += math.Copysign(2/float64(n), a)
			}
			if want := 2 / math.Pi * math.Asin(r[i*d+j]); math.Abs(tau-want) > 0.016 {
				t.Errorf("tau %d, %d is %v, not %v", i, j, tau, want)
			}
		}
	}
}

// harness runs the small experiment on the model by hand.
func harness(t *testing.T, change func(*config)) (*experiment, job, []result) {
	t.Helper()
	args := strings.Fields("-small -task skewnormal -d 3 -n 300 -held 300 -steps 10,50,100")
	jobs, _, err := choose(args, io.Discard, byHand)
	if err != nil {
		t.Fatal(err)
	}
	j := jobs[0]
	change(&j.config)
	e, err := prepare(j.task, j.config, j.make, 1)
	if err != nil {
		t.Fatal(err)
	}
	rs, err := e.all(context.Background(), j.above, func(s string) { t.Log(s) })
	if err != nil {
		t.Fatal(err)
	}
	return e, j, rs
}

// TestExperiment: everyone starts at the same loss and goes down towards that of the truth.
func TestExperiment(t *testing.T) {
	e, j, rs := harness(t, func(*config) {})
	if len(rs) != 4+2*2 {
		t.Fatalf("%d settings", len(rs))
	}
	for i := range rs {
		for seed, r := range rs[i].runs {
			first, last := r.samples[0], r.samples[len(r.samples)-1]
			if want := rs[0].runs[seed].samples[0].loss; !(math.Abs(first.loss-want) < 1e-9) {
				t.Errorf("%s starts at %v, the first at %v", rs[i].method, first.loss, want)
			}
			if last.step != 100 || len(r.samples) != 11 {
				t.Errorf("%s: %d samples up to step %d", rs[i].method, len(r.samples), last.step)
			}
		}
	}
	for _, r := range best(rs, &e.config) {
		for _, x := range r.over(untilStep(100)) {
			if !(math.Abs(x-e.truth) < 0.15) {
				t.Errorf("%s, %s ends at %v, the truth is at %v", r.method, r.text, x, e.truth)
			}
		}
	}
	text := section(j, e, rs)
	for _, want := range []string{
		"## Skew-normal\n", "| SNGD, mean | step 0.1, auxiliary rate 0.", "| Adam, precision root | rate 0.01 |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
}

// TestTime: a run goes on until the last of both kinds of checkpoints.
func TestTime(t *testing.T) {
	_, _, rs := harness(t, func(c *config) {
		c.steps, c.seconds, c.seeds = []int{10}, []float64{0.01, 0.05}, 1
		c.sngd, c.auxiliary, c.adam = c.sngd[:1], c.auxiliary[:1], c.adam[:1]
	})
	for _, r := range rs {
		last := r.runs[0].samples[len(r.runs[0].samples)-1]
		if last.seconds < 0.05 || last.step < 10 {
			t.Errorf("%s ends at %+v", r.method, last)
		}
	}
}

// TestRepeats: two experiments agree to the bit.
func TestRepeats(t *testing.T) {
	few := func(c *config) {
		c.seeds, c.steps = 1, []int{20}
		c.sngd, c.auxiliary, c.adam = c.sngd[:1], c.auxiliary[:1], c.adam[:1]
	}
	_, _, a := harness(t, few)
	_, _, b := harness(t, few)
	for i := range a {
		for k, s := range a[i].runs[0].samples {
			if other := b[i].runs[0].samples[k]; s.loss != other.loss {
				t.Errorf("%s, step %d: %v, then %v", a[i].method, s.step, s.loss, other.loss)
			}
		}
	}
}

// TestTable on runs by hand.
func TestTable(t *testing.T) {
	c := &config{steps: []int{10, 20}, seconds: []float64{1}, every: 10}
	of := func(losses ...float64) run {
		var r run
		for i, x := range losses {
			r.samples = append(r.samples, sample{10 * i, 0.6 * float64(i), x})
		}
		return r
	}
	failed := of(5)
	failed.fault = "out of the domain"
	rs := []result{
		{setting{method: "A", text: "fast"}, []run{of(5, 2, 2), of(5, 4, 2)}},
		{setting{method: "A", text: "slow"}, []run{of(5, 3.5, 1), of(5, 3.5, 1)}},
		{setting{method: "B", text: "broken"}, []run{failed, of(5, math.NaN(), 1)}},
	}
	if s := rs[0].score(c); math.Abs(s-(5+4+2)/3.0) > 1e-15 {
		t.Errorf("the score is %v", s)
	}
	if b := best(rs, c); len(b) != 2 || b[0].text != "slow" || !math.IsInf(b[1].score(c), 1) {
		t.Errorf("the best are %v", b)
	}
	want := `| method | setting | 10 steps | 20 steps | 1 s | ms/step | back |
| --- | --- | --- | --- | --- | --- | --- |
| A | fast | 3.000 ± 2.000 | 2.000 ± 0.000 | 3.000 ± 2.000 | 60 | 0 |
| A | slow | 3.500 ± 0.000 | 1.000 ± 0.000 | 3.500 ± 0.000 | 60 | 0 |
| B | broken | failed | failed | failed | 60 | 0 |
`
	if got := table(rs, c); got != want {
		t.Errorf("the table is\n%s\nnot\n%s", got, want)
	}
	want = `| method | 10 steps | 20 steps | 1 s |
| --- | --- | --- | --- |
| A | 3.000 | 1.000 | 3.000 |
| B | failed | failed | failed |
`
	if got := frontier(rs, c); got != want {
		t.Errorf("the frontier is\n%s\nnot\n%s", got, want)
	}
}

func TestCommand(t *testing.T) {
	args := func(s string) []string { return strings.Fields(s) }
	for _, c := range []struct{ args, want string }{
		{"-small -task tcopula", "no generated package tcopula"},
		{"-small -task none", `no task "none"`},
		{"-small -steps=", "-steps must not be empty"},
		{"-sngd 1,x", "invalid value"},
	} {
		err := command(context.Background(), args(c.args), io.Discard, io.Discard, byHand)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v", c.args, err)
		}
	}
	var out, progress bytes.Buffer
	few := "-small -task skewnormal -d 2 -n 60 -held 20 -seeds 1 -steps 10 -seconds 0.001 " +
		"-sngd 0.1 -auxiliary 0.01 -adam 0.1"
	if err := command(context.Background(), args(few), &out, &progress, byHand); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "d = 2, n = 60, 20 held-out rows") || strings.Count(progress.String(), "\n") != 3 {
		t.Errorf("the report is\n%s\nthe progress\n%s", &out, &progress)
	}
}

// TestSmall: SMALL.md is what the program prints, but for the last digit, and in it SNGD leads over Adam.
func TestSmall(t *testing.T) {
	written, err := os.ReadFile("SMALL.md")
	if err != nil {
		t.Fatal(err)
	}
	jobs, x, err := choose([]string{"-small"}, io.Discard, models)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		e, err := prepare(j.task, j.config, j.make, x.seed)
		if err != nil {
			t.Fatal(err)
		}
		rs, err := e.all(context.Background(), j.above, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		_, section, ok := strings.Cut(string(written), "## "+j.title+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		if got := table(rs, &j.config); !ok || !near(got, section) {
			t.Errorf("SMALL.md differs from what is counted:\n%s\nwrite it again: go run ./tests/paper/synthetic -small", got)
		}
		b := best(rs, &j.config)
		for _, adam := range b[1:] {
			if !(b[0].score(&j.config) < adam.score(&j.config)) {
				t.Errorf("%s: SNGD has the score %v, %s %v", j.name, b[0].score(&j.config), adam.method, adam.score(&j.config))
			}
		}
	}
}

// near reports whether every line of a table is in a text, with numbers that may differ by two in the last digit.
func near(table, text string) bool {
	lines := strings.Split(text, "\n")
	for _, line := range strings.Split(strings.TrimSpace(table), "\n") {
		if !slices.ContainsFunc(lines, func(other string) bool { return sameLine(line, other) }) {
			return false
		}
	}
	return true
}

func sameLine(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	return slices.EqualFunc(x, y, func(v, w string) bool {
		p, errP := number64(v)
		q, errQ := number64(w)
		return v == w || errP == nil && errQ == nil && math.Abs(p-q) < 0.0025
	})
}

var _ contender = (*fitfixture.SkewNormal)(nil)
