package invariants

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
)

// library returns what the generator writes now, by path below generated/.
func library(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := gen.Library()
	if err != nil {
		t.Fatal(err)
	}
	return byName(files)
}

func byName(files []gen.File) map[string][]byte {
	out := map[string][]byte{}
	for _, f := range files {
		out[f.Name] = f.Data
	}
	return out
}

// TestFresh: generated/ holds what the generator writes now, byte for byte, and nothing else.
func TestFresh(t *testing.T) {
	want := library(t)
	dir := filepath.Join(root, "generated")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		got, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		data, ok := want[filepath.ToSlash(name)]
		delete(want, filepath.ToSlash(name))
		switch {
		case !ok:
			t.Errorf("generated/%s is not written by the generator", name)
		case !bytes.Equal(got, data):
			t.Errorf("generated/%s differs from what the generator writes in line %d: run go generate", name, line(got, data))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range want {
		t.Errorf("generated/%s is missing", name)
	}
}

// line is the number of the first line in which two texts differ.
func line(a, b []byte) int {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return bytes.Count(a[:i], []byte("\n")) + 1
}

// TestCarriesTests: every generated package has a test that runs modeltest, and so measures its allocations.
func TestCarriesTests(t *testing.T) {
	found := 0
	for _, p := range packages(t) {
		if !match("generated/...", p.name()) || p.name() == "generated" {
			continue
		}
		found++
		if !slices.ContainsFunc(p.paths(p.TestGoFiles), runsModelTest) {
			t.Errorf("%s has no test that calls modeltest.Run", p.name())
		}
	}
	if found == 0 {
		t.Error("no generated package found")
	}
}
