package functions

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/engine"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
	"github.com/sngdgen/sngdgen/tests/overlay"
)

func problems(t *testing.T) []*spec.Problem {
	t.Helper()
	f, diags := spec.LoadFile("models.yaml")
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	return f.Problems
}

// TestGenerated generates the packages of models.yaml, and runs their emitted tests, which compare gradients with differences.
func TestGenerated(t *testing.T) {
	for _, p := range problems(t) {
		t.Run(p.Package, func(t *testing.T) {
			generated, diags := gen.Generate(context.Background(), p, gen.Options{})
			if diags.HasErrors() {
				t.Fatal(diags.String())
			}
			files, code := map[string][]byte{}, ""
			for _, g := range generated {
				files[g.Name] = g.Data
				code += string(g.Data)
			}
			for _, call := range []string{"bessel.J0(", "bessel.J(1", "bessel.J(2"} {
				if p.Package == "wave" && !strings.Contains(code, call) {
					t.Errorf("no call %s", call)
				}
			}
			program, err := overlay.Compile(t.Context(), "tests/functions/"+p.Package, files, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if out, err := exec.CommandContext(t.Context(), program, "-test.v").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}

// Where nothing is compiled with the user's package, a function of it is an error with its place.
func TestFunctionInGoAlone(t *testing.T) {
	p := problems(t)[0]
	_, diags, unsupported := engine.Interpreted(t.Context(), p, gen.Options{})
	if want := engine.Unsupported(""); diags.HasErrors() || !errors.As(unsupported, &want) || !strings.Contains(unsupported.Error(), "bessel.J") {
		t.Errorf("%v, %v", diags.String(), unsupported)
	}
	_, diags = gen.Generate(t.Context(), p, gen.Options{Alone: true})
	if got := diags.String(); !strings.Contains(got, "models.yaml:5:5: j0 is a function in Go") && !strings.Contains(got, "models.yaml:10:5: bessel is a function in Go") {
		t.Error(got)
	}
	if diags := gen.Check(t.Context(), p, gen.Options{}); diags.HasErrors() || !strings.Contains(diags.String(), "j0 is a function in Go, without a value here") {
		t.Error(diags.String())
	}
}

// A density by an integral has the same fit as its closed form, interpreted.
func TestIntegralInFit(t *testing.T) {
	data, rng := runtime.Data{}, rand.New(rand.NewPCG(3, 4))
	for range 200 {
		data.Values = append(data.Values, 3+rng.NormFloat64()+1.5*rng.ExpFloat64())
	}
	var fits []*estimate.Report
	for _, p := range problems(t) {
		if p.Package == "wave" {
			continue
		}
		build, diags, unsupported := engine.Interpreted(t.Context(), p, gen.Options{})
		if diags.HasErrors() || unsupported != nil {
			t.Fatal(diags.String(), unsupported)
		}
		m := build()
		if err := m.SetData(data); err != nil {
			t.Fatal(err)
		}
		report, err := estimate.Fit(t.Context(), m, nil)
		if err != nil {
			t.Fatal(err)
		}
		fits = append(fits, report)
	}
	if a, b := float64(fits[0].LogLikelihood), float64(fits[1].LogLikelihood); !(math.Abs(a-b) <= 1e-9*math.Abs(b)) {
		t.Errorf("log-likelihoods %v and %v", a, b)
	}
}
