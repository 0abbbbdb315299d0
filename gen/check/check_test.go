package check_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/spec"
)

var update = flag.Bool("update", false, "write the golden files; look at every change")

// TestLibrary checks every problem of the library: there is nothing to warn of.
func TestLibrary(t *testing.T) {
	lib := spec.Library()
	for _, name := range slices.Concat(lib.ProblemsOf(spec.ObjectiveMLE), lib.ProblemsOf(spec.ObjectiveVI), lib.ProblemsOf(spec.ObjectiveEP)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			found := gen.Check(t.Context(), lib.Problem(name), gen.Options{})
			t.Logf("%v\n%s", time.Since(start), found.String())
			for _, d := range found.All() {
				if d.Severity != diag.Note {
					t.Error(d)
				}
			}
		})
	}
}

// TestGood checks specs with which nothing is wrong, although they are less usual than those of the library.
func TestGood(t *testing.T) {
	files, err := filepath.Glob("testdata/good/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, name := range files {
		f, diags := spec.LoadFile(name)
		if diags.HasErrors() {
			t.Error(diags.String())
			continue
		}
		for _, p := range f.Problems {
			found := gen.Check(t.Context(), p, gen.Options{})
			for _, d := range found.All() {
				if d.Severity != diag.Note {
					t.Error(d)
				}
			}
		}
	}
}

// TestBad compares what is found in specs that are wrong, each in one way, with golden files.
func TestBad(t *testing.T) {
	t.Chdir(filepath.Join("testdata", "bad")) // so that findings name files as users do
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(name, ".yaml"), func(t *testing.T) {
			f, diags := spec.LoadFile(name)
			if diags.HasErrors() {
				t.Fatal(diags.String())
			}
			for _, p := range f.Problems {
				diags.Append(gen.Check(t.Context(), p, gen.Options{}))
			}
			golden(t, strings.TrimSuffix(name, ".yaml")+".golden", diags.String())
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
