// Package fresh is for tests of packages that are generated from a spec next to them and checked in.
package fresh

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/spec"
)

// Check fails the test for every file that differs from what the generator writes from a spec now. The packages lie in the
// folder of the spec.
func Check(t *testing.T, path string) {
	t.Helper()
	file, diags := spec.LoadFile(path)
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	for _, p := range file.Problems {
		files, diags := gen.Generate(context.Background(), p, gen.Options{Source: path})
		if diags.HasErrors() {
			t.Fatal(diags.String())
		}
		for _, f := range files {
			got, err := os.ReadFile(filepath.Join(filepath.Dir(path), p.Package, filepath.FromSlash(f.Name)))
			if err != nil || !bytes.Equal(got, f.Data) {
				t.Errorf("%s/%s differs from what the generator writes (%v): run go generate", p.Package, f.Name, err)
			}
		}
	}
}
