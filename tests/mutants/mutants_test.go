package mutants

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every mistake can be made, and the test that finds it exists; whether it does takes minutes, and a program of its own.
func TestPlaces(t *testing.T) {
	list, err := List()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 25 {
		t.Errorf("only %d mutants", len(list))
	}
	for _, m := range list {
		source, err := os.ReadFile(filepath.Join("../..", m.File))
		if err != nil {
			t.Fatal(err)
		}
		made, err := m.Made(string(source))
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), m.File, made, 0); err != nil {
			t.Errorf("%s: %v", m.After, err)
		}
		files, _ := filepath.Glob(filepath.Join("../..", m.Package, "*_test.go"))
		found := false
		test, part, _ := strings.Cut(m.By, "/")
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(text), "func "+test+"(")
		}
		if part != "" {
			_, err := os.Stat(filepath.Join("../..", m.Package, "testdata/script", part+".txtar"))
			found = found && err == nil
		}
		if !found {
			t.Errorf("%s has no test %s", m.Package, m.By)
		}
	}
}
