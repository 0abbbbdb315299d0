package invariants

import (
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/spec"
)

// pinned is a problem of the library with all dimensions of a length.
func pinned(t *testing.T, name string, size int) []gen.File {
	t.Helper()
	p := *spec.Library().Problem(name)
	for _, dim := range []string{"d", "k"} {
		p.Dimensions = []spec.Dimension{{Name: dim, Size: size}}
		files, diags := gen.Generate(t.Context(), &p, gen.Options{})
		if !diags.HasErrors() {
			return files
		}
		if f := p.TargetFamily; f != nil && f.Variable.Type.Kind == "simplex" && size == 1 {
			return nil // the number 1
		}
		if !strings.Contains(diags.String(), "there is no dimension") {
			t.Fatalf("%s with %s = %d: %s", name, dim, size, diags.String())
		}
	}
	return nil
}

// TestPinned generates all compiled-in problems with vectors for lengths that are known. The code of short ones has no loops over
// entries; the emitted tests of a few are run.
func TestPinned(t *testing.T) {
	run := map[string]int{"skewnormal": 2, "tcopulanat": 3, "skewtnat": 1, "categorical": 3, "mvnormal": 4}
	for _, name := range spec.Library().Compiled() {
		if spec.Library().Problem(name).Objective != spec.ObjectiveMLE {
			continue
		}
		for _, size := range []int{1, 2, 3, 4} {
			files := pinned(t, name, size)
			if files == nil { // numbers only
				continue
			}
			loops := strings.Contains(string(files[0].Data), "for j := range")
			if loops != (size > 3 && strings.Contains(string(files[0].Data), "[i*4+j]")) {
				t.Errorf("%s of length %d: loops over entries: %v", name, size, loops)
			}
			if run[name] == size && !testing.Short() {
				t.Run(name, func(t *testing.T) { runEmitted(t, files) })
			}
		}
	}
}
