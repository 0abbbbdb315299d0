package derive_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/spec"
)

// library is where the library's files are.
const library = "../../spec/library"

// texts are the files below a directory, by name.
func texts(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(library, dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal(dir, err)
	}
	out := map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(name), ".yaml")] = string(text)
	}
	return out
}

// multivariate are the specs of the problems with vectors and matrices that are no mixtures, by package.
func multivariate(t *testing.T) map[string]*spec.Problem {
	t.Helper()
	var all []string
	for _, dir := range []string{"families", "targets", "problems"} {
		for _, text := range texts(t, dir) {
			all = append(all, text)
		}
	}
	f, diags := spec.Parse("library", []byte(strings.Join(all, "\n---\n")), nil)
	if f == nil {
		t.Fatal(diags.String())
	}
	out := map[string]*spec.Problem{}
	for _, p := range f.Problems {
		if b, diags := bind.Bind(p); b == nil {
			t.Fatal(diags.String())
		} else if !b.Scalar() && b.Mixture == nil && b.Variational == nil && (p.TargetDist == nil || len(p.TargetDist.States) == 0) { // sequences: tests/rivals/sequences
			out[p.Package] = p
		}
	}
	return out
}

// derived derives a problem.
func derived(t *testing.T, p *spec.Problem) *derive.Result {
	t.Helper()
	b, diags := bind.Bind(p)
	if b == nil {
		t.Fatal(diags.String())
	}
	d, err := derive.Derive(b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
