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
	"github.com/sngdgen/sngdgen/tests/paper/grid"
	"github.com/sngdgen/sngdgen/tests/paper/internal/minibatch"
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
	for _, task := range minibatch.Tasks {
		make, _ := minibatch.Models(task.Name)
		m := make()
		if err := m.Resize([]int{d}); err != nil {
			t.Fatal(err)
		}
		z := slices.Repeat([]float64{math.NaN()}, grid.Dimension(m))
		if err := m.Start(z, m.Info().Starts, runtime.Stream(1, "start")); err != nil {
			t.Fatal(err)
		}
		theta := slices.Repeat([]float64{math.NaN()}, d*d+2*d+1)
		m.Theta(theta, z)
		for _, p := range m.Info().Parameters {
			x := theta[:p.Len(m)]
			theta = theta[len(x):]
			checkStart(t, task.Name+": "+p.Name, x, d)
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
	for _, task := range minibatch.Tasks {
		truth, err := task.Draw(d, runtime.Stream(3, "truth"))
		if err != nil {
			t.Fatal(err)
		}
		x := mat.NewDense(n, d, truth.Rows(n, d, runtime.Stream(3, "data")))
		var got mat.SymDense
		stat.CovarianceMatrix(&got, x, nil)
		nu := truth.Nu
		if truth.Uniform {
			checkCopula(t, x, truth.Parameters["R"])
			continue
		}
		// x - xi = y/sqrt(w), w ~ Gamma(nu/2, rate nu/2), y skew-normal with mean sqrt(2/pi) beta and E[y y'] = Omega.
		first, second := 1.0, 1.0
		if !math.IsInf(nu, 1) {
			a, _ := math.Lgamma((nu - 1) / 2)
			b, _ := math.Lgamma(nu / 2)
			first, second = math.Sqrt(nu/2)*math.Exp(a-b), nu/(nu-2)
		}
		omega := mat.NewSymDense(d, truth.Parameters["Omega"])
		eta := mat.NewVecDense(d, truth.Parameters["eta"])
		var delta mat.VecDense
		delta.MulVec(omega, eta)
		delta.ScaleVec(first*math.Sqrt(2/math.Pi)/math.Sqrt(1+mat.Dot(eta, &delta)), &delta)
		for i := range d {
			mean := stat.Mean(mat.Col(nil, i, x), nil)
			sd := math.Sqrt(got.At(i, i))
			if want := truth.Parameters["xi"][i] + delta.AtVec(i); !(math.Abs(mean-want) < 0.012*sd) {
				t.Errorf("%s: mean %d is %v, not %v", task.Name, i, mean, want)
			}
			for j := range d {
				want := second*omega.At(i, j) - delta.AtVec(i)*delta.AtVec(j)
				if !(math.Abs(got.At(i, j)-want) < 0.03*sd*math.Sqrt(got.At(j, j))) {
					t.Errorf("%s: covariance %d, %d is %v, not %v", task.Name, i, j, got.At(i, j), want)
				}
			}
		}
	}
}

// checkCopula: marginals are uniform, and Kendall's tau is 2/pi asin(R_ij) as for every elliptical distribution.
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
func harness(t *testing.T, change func(*minibatch.Config)) (*minibatch.Experiment, job, []grid.Result) {
	t.Helper()
	args := strings.Fields("-small -task skewnormal -d 3 -n 300 -held 300 -steps 10,50,100")
	jobs, _, err := choose(args, io.Discard, byHand)
	if err != nil {
		t.Fatal(err)
	}
	j := jobs[0]
	change(&j.Config)
	e, err := minibatch.Prepare(j.Task, j.Config, j.make, 1)
	if err != nil {
		t.Fatal(err)
	}
	rs, err := e.All(context.Background(), j.Above, func(s string) { t.Log(s) })
	if err != nil {
		t.Fatal(err)
	}
	return e, j, rs
}

// TestExperiment: everyone starts at the same loss and goes down towards that of the truth.
func TestExperiment(t *testing.T) {
	e, j, rs := harness(t, func(*minibatch.Config) {})
	if len(rs) != 4+2*2 {
		t.Fatalf("%d settings", len(rs))
	}
	for i := range rs {
		for seed, r := range rs[i].Runs {
			first, last := r.Samples[0], r.Samples[len(r.Samples)-1]
			if want := rs[0].Runs[seed].Samples[0].Loss; !(math.Abs(first.Loss-want) < 1e-9) {
				t.Errorf("%s starts at %v, the first at %v", rs[i].Method, first.Loss, want)
			}
			if last.Step != 100 || len(r.Samples) != 11 {
				t.Errorf("%s: %d samples up to step %d", rs[i].Method, len(r.Samples), last.Step)
			}
		}
	}
	for _, r := range grid.Best(rs, &e.Checkpoints) {
		for _, x := range r.Over(grid.UntilStep(100)) {
			if !(math.Abs(x-e.Truth) < 0.15) {
				t.Errorf("%s, %s ends at %v, the truth is at %v", r.Method, r.Text, x, e.Truth)
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
	_, _, rs := harness(t, func(c *minibatch.Config) {
		c.Steps, c.Seconds, c.Seeds = []int{10}, []float64{0.01, 0.05}, 1
		c.SNGD, c.Auxiliary, c.Adam = c.SNGD[:1], c.Auxiliary[:1], c.Adam[:1]
	})
	for _, r := range rs {
		last := r.Runs[0].Samples[len(r.Runs[0].Samples)-1]
		if last.Seconds < 0.05 || last.Step < 10 {
			t.Errorf("%s ends at %+v", r.Method, last)
		}
	}
}

// TestRepeats: two experiments agree to the bit.
func TestRepeats(t *testing.T) {
	few := func(c *minibatch.Config) {
		c.Seeds, c.Steps = 1, []int{20}
		c.SNGD, c.Auxiliary, c.Adam = c.SNGD[:1], c.Auxiliary[:1], c.Adam[:1]
	}
	_, _, a := harness(t, few)
	_, _, b := harness(t, few)
	for i := range a {
		for k, s := range a[i].Runs[0].Samples {
			if other := b[i].Runs[0].Samples[k]; s.Loss != other.Loss {
				t.Errorf("%s, step %d: %v, then %v", a[i].Method, s.Step, s.Loss, other.Loss)
			}
		}
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
	jobs, x, err := choose([]string{"-small"}, io.Discard, minibatch.Models)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		e, err := minibatch.Prepare(j.Task, j.Config, j.make, x.seed)
		if err != nil {
			t.Fatal(err)
		}
		rs, err := e.All(context.Background(), j.Above, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		_, section, ok := strings.Cut(string(written), "## "+j.Title+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		if got := grid.Table(rs, &j.Checkpoints); !ok || !near(got, section) {
			t.Errorf("SMALL.md differs from what is counted:\n%s\nwrite it again: go run ./tests/paper/synthetic -small", got)
		}
		b := grid.Best(rs, &j.Checkpoints)
		for _, adam := range b[1:] {
			if !(b[0].Score(&j.Checkpoints) < adam.Score(&j.Checkpoints)) {
				t.Errorf("%s: SNGD has the score %v, %s %v", j.Name, b[0].Score(&j.Checkpoints), adam.Method, adam.Score(&j.Checkpoints))
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

var _ minibatch.Contender = (*fitfixture.SkewNormal)(nil)
