package functions

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/engine"
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
