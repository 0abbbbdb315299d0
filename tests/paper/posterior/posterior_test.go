package main

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
	"github.com/sngdgen/sngdgen/tests/paper/internal/posteriors"
)

func few() posteriors.Config {
	return posteriors.Config{
		Checkpoints: grid.Checkpoints{Steps: []int{20, 300}, Every: 20}, Seeds: 2, Draws: 10, Eval: 500,
		SNGD: []float64{0.1}, Auxiliary: []float64{0.03}, MCEF: []float64{0.1}, Adam: []float64{0.03},
	}
}

// TestRaces: everyone starts at the same bound and ends near that of the others; two races agree to the bit.
func TestRaces(t *testing.T) {
	data := posteriors.StandIn(40, 4, runtime.Stream(1, "test"))
	for _, task := range posteriors.Tasks {
		c := few()
		rs, err := c.All(t.Context(), task, data, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{true: 4, false: 3}[task.MCEF != ""]; len(rs) != want {
			t.Fatalf("%s: %d settings", task.Name, len(rs))
		}
		ends := map[string]float64{}
		for _, r := range rs {
			for seed, x := range r.Runs {
				first, end := x.Samples[0], x.Samples[len(x.Samples)-1]
				// The draws of the additive form are others, of the same distribution.
				if want := rs[0].Runs[seed].Samples[0].Loss; !(math.Abs(first.Loss-want) <= 1e-9*want) && r.Method != "MCEF" {
					t.Errorf("%s, %s starts at %v, the first at %v", task.Name, r.Method, first.Loss, want)
				}
				if !(end.Loss < first.Loss) || end.Step != 300 || len(x.Samples) != 16 || x.Fault != "" {
					t.Errorf("%s, %s: %+v", task.Name, r.Method, x)
				}
				ends[r.Method] += end.Loss / float64(c.Seeds)
			}
		}
		for method, loss := range ends {
			if !(math.Abs(loss-ends["SNGD"]) < 1) {
				t.Errorf("%s: SNGD ends at %v, %s at %v", task.Name, ends["SNGD"], method, loss)
			}
		}
		again, err := c.Run(t.Context(), task, c.Settings(task)[0], data, 1)
		if err != nil || again.Samples[3].Loss != rs[0].Runs[1].Samples[3].Loss {
			t.Errorf("%s: another time %v, %v", task.Name, again, err)
		}
	}
}

// TestToy: by importance sampling from an approximation the evidence is the sum over the grid.
func TestToy(t *testing.T) {
	data := posteriors.ToyData(30)
	r, err := posteriors.NewReference(data, 100_000)
	if err != nil {
		t.Fatal(err)
	}
	a, err := posteriors.Approximate(t.Context(), "logisticskewmix", data, 1, fit())
	if err != nil {
		t.Fatal(err)
	}
	if a.ELBO.Ratios != estimate.RatiosReliable || !(math.Abs(float64(a.ELBO.LogEvidence)-r.Evidence) <= 0.03) || !(float64(a.ELBO.Mean) < r.Evidence) {
		t.Errorf("%+v, by the grid %v", a.ELBO, r.Evidence)
	}
	if mean, cov := r.Off(a); !(mean < 0.1 && cov < 0.5) {
		t.Errorf("off by %v and %v", mean, cov)
	}
}

func TestCovertype(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cover.csv")
	if err := os.WriteFile(path, []byte("y,a,b,c\n0,1,5,2\n1,1,6,2\n1,1,7,3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := posteriors.Covertype(path, 3, runtime.Stream(1, "test"))
	if err != nil || d.Columns != 3 || len(d.Values) != 9 { // a is constant
		t.Fatalf("%+v, %v", d, err)
	}
	sum := 0.0
	for i := 0; i < 9; i += 3 {
		sum += d.Values[i] * d.Values[i+2]
	}
	if sum != 13 {
		t.Errorf("the rows are %v", d.Values)
	}
	if _, err := posteriors.Covertype(path, 4, runtime.Stream(1, "test")); err == nil {
		t.Error("more rows than the file has")
	}
}

func TestCommand(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-steps x", "no number of steps"},
		{"-seeds 0", "-seeds must be positive"},
		{"-covertype none.csv -task skewt", "none.csv"},
	} {
		if err := command(t.Context(), strings.Fields(c.args), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v", c.args, err)
		}
	}
	var out, progress bytes.Buffer
	if err := command(t.Context(), strings.Fields("-data standin -task skewnormal -seeds 1 -steps 20"), &out, &progress); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## The paper's stand-in: skew-normal", "n = 100, d = 100, 1 seeds", "| MCEF | step", "| Adam, precision root |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, &out)
		}
	}
}
