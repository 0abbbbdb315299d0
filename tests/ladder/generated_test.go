//go:build !overlay

package ladder

import (
	"bytes"
	"context"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/spec"
	"github.com/sngdgen/sngdgen/tests/overlay"
)

// TestGenerated generates the packages of models.yaml, compiles the tests of this package with them, and the emitted tests of each,
// and runs them.
func TestGenerated(t *testing.T) {
	f, diags := spec.LoadFile("models.yaml")
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	files := map[string][]byte{}
	for _, p := range f.Problems {
		generated, diags := gen.Generate(context.Background(), p, gen.Options{})
		if diags.HasErrors() {
			t.Fatal(diags.String())
		}
		for _, g := range generated {
			files[p.Package+"/"+g.Name] = g.Data
		}
	}
	for _, p := range f.Problems {
		run(t, "tests/ladder/"+p.Package, below(files, p.Package))
	}
	run(t, "tests/ladder", files)
}

// below are the files of one package, by their names in it.
func below(files map[string][]byte, pkg string) map[string][]byte {
	out := map[string][]byte{}
	for name, data := range files {
		if rest, ok := strings.CutPrefix(name, pkg+"/"); ok {
			out[rest] = data
		}
	}
	return out
}

// run compiles the tests of a package, and runs them.
func run(t *testing.T, pkg string, files map[string][]byte) {
	t.Run(path.Base(pkg), func(t *testing.T) {
		program, err := overlay.Compile(t.Context(), pkg, files, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), program, "-test.v").CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		if n := bytes.Count(out, []byte("--- PASS: Test")); n == 0 {
			t.Errorf("no tests were run:\n%s", out)
		}
	})
}
