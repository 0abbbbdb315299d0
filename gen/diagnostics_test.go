package gen_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/spec"
)

var update = flag.Bool("update", false, "write the golden files; look at every change")

// TestBad compares what is said about the formulas of each faulty file with its golden file.
func TestBad(t *testing.T) {
	t.Chdir(filepath.Join("bind", "testdata", "bad")) // so that messages name files as users do
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(name, ".yaml"), func(t *testing.T) {
			checkGolden(t, strings.TrimSuffix(name, ".yaml")+".golden", findings(t, name))
		})
	}
}

// findings generates every problem of a file and returns all that is said.
func findings(t *testing.T, name string) string {
	f, diags := spec.LoadFile(name)
	if f == nil {
		return diags.String()
	}
	for _, p := range f.Problems {
		files, found := gen.Generate(t.Context(), p, gen.Options{})
		if len(files) > 0 || !found.HasErrors() {
			t.Errorf("%s: no error", p.Package)
		}
		diags.Append(found)
	}
	return diags.String()
}

func checkGolden(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// FuzzGenerate: whatever a spec says, generating ends with files or with diagnostics, and in Go that parses.
func FuzzGenerate(f *testing.F) {
	for _, pattern := range []string{"bind/testdata/bad/*.yaml", "derive/testdata/*.yaml", "../spec/library/problems/*.yaml", "../spec/library/families/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatal(pattern, err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, _ := spec.Parse("fuzz.yaml", []byte(text), func(string) ([]byte, error) { return nil, os.ErrNotExist })
		if file == nil {
			return
		}
		for _, p := range file.Problems {
			files, diags := gen.Generate(t.Context(), p, gen.Options{Budget: 500_000}) // the fuzzer waits 10 s, and instruments
			if (len(files) > 0) == diags.HasErrors() {
				t.Errorf("%d files with\n%s", len(files), diags.String())
			}
		}
	})
}
