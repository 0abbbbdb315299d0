package invariants

import (
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// Packages with property tests draw the same inputs in every run: a test that fails once in a thousand runs stops a build that has
// nothing to do with it.
func TestSeeds(t *testing.T) {
	for _, p := range packages(t) {
		var imports []string
		for _, name := range slices.Concat(p.paths(p.TestGoFiles), p.paths(p.XTestGoFiles)) {
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range f.Imports {
				path, err := strconv.Unquote(i.Path.Value)
				if err != nil {
					t.Fatal(err)
				}
				imports = append(imports, path)
			}
		}
		if slices.Contains(imports, "pgregory.net/rapid") && !slices.Contains(imports, module+"/internal/testseed") {
			t.Errorf("the tests of %s draw inputs with a seed of their own: import internal/testseed", p.name())
		}
	}
}
