//go:build !overlay

package engines

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/spec"
	"github.com/sngdgen/sngdgen/tests/overlay"
)

// TestGeneratedModels generates the packages of the problems that are not compiled in, as `sngdgen generate NAME` does, compiles the tests
// of this package with them, and has those compared with the engine too.
func TestGeneratedModels(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles some packages")
	}
	lib, files := spec.Library(), map[string][]byte{}
	var imports, entries strings.Builder
	for _, name := range lib.Problems() {
		if slices.Contains(lib.Compiled(), name) {
			continue
		}
		generated, diags := gen.Generate(t.Context(), lib.Problem(name), gen.Options{Source: lib.Problem(name).Source.Name})
		if diags.HasErrors() {
			t.Fatal(diags.String())
		}
		for _, g := range generated {
			files[name+"/"+g.Name] = g.Data
		}
		fmt.Fprintf(&imports, "\t%q\n", overlay.Module+"/tests/engines/"+name)
		fmt.Fprintf(&entries, "\tmodels[%q] = func() runtime.Model { return new(%s.Model) }\n", name, name)
	}
	files["models_test.go"] = fmt.Appendf(nil, "package engines\n\nimport (\n%s\t%q\n)\n\nfunc init() {\n%s}\n", imports.String(),
		overlay.Module+"/runtime", entries.String())
	program, err := overlay.Compile(t.Context(), "tests/engines", files, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), program, "-test.v", "-test.run", "TestSameDigitsOfModels").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, name := range lib.Problems() {
		if !slices.Contains(lib.Compiled(), name) && !strings.Contains(string(out), "--- PASS: TestSameDigitsOfModels/"+name) {
			t.Errorf("%s has not been compared:\n%s", name, out)
		}
	}
}
