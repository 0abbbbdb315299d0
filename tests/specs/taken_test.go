package specs_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/spec"
	"github.com/sngdgen/sngdgen/tests/specs/specgen"
)

var rounds = flag.Int("rounds", 1, "how often each name that occurs in generated code is given to something in a spec")

// TestTaken: specs whose dimensions, variables, parameters, constants, definitions, latent variables, data and random numbers
// are called as something is in the generated code of the library, whatever it is, become packages without type errors.
func TestTaken(t *testing.T) {
	all := identifiers(t)
	if len(all) < 400 {
		t.Fatalf("%d names", len(all))
	}
	var left []string
	given := 0
	config := types.Config{Importer: exported(t)}
	for seed := uint64(5000); given < *rounds*len(all); seed++ {
		named := map[int]string{}
		text := specgen.Named(specgen.NewTape(seed), func(i int) string {
			if named[i] == "" {
				if len(left) == 0 {
					left = slices.Clone(all)
				}
				named[i], left = left[0], left[1:]
				given++
			}
			return named[i]
		})
		typeChecked(t, config, generate(fmt.Sprintf("seed%d", seed), text))
	}
}

// TestLetterCase: names of a spec that differ in the case of their first letter alone are names of two things in its package.
func TestLetterCase(t *testing.T) {
	config := types.Config{Importer: exported(t)}
	for seed := range uint64(120) {
		text := specgen.Named(specgen.NewTape(7200+seed), func(i int) string { return fmt.Sprintf("%cx%d", "qQ"[i%2], i/2%16) })
		typeChecked(t, config, generate(fmt.Sprintf("seed%d", 7200+seed), text))
	}
}

// typeChecked reports what is wrong with a package, type errors among it.
func typeChecked(t *testing.T, config types.Config, s *drawn) {
	t.Helper()
	for _, f := range s.files {
		if strings.HasSuffix(f.Name, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, f.Name, f.Data, parser.SkipObjectResolution)
		if err == nil {
			_, err = config.Check(s.name, files, []*ast.File{parsed}, nil)
		}
		if err != nil {
			s.fail("%v", err)
		}
	}
	if len(s.failure) > 0 {
		t.Errorf("%s: %s\n%s", s.name, strings.Join(s.failure, "\n"), s.text)
	}
}

// identifiers are the identifiers in the generated code of the library that specs may use as names: of those that differ in
// their numbers alone two.
func identifiers(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("../../generated/*/*.go")
	if err != nil || len(paths) == 0 {
		t.Fatal("no generated code", err)
	}
	found := map[string]bool{}
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && canBeNamed.MatchString(id.Name) && !coordinate.MatchString(id.Name) {
				found[id.Name] = !slices.Contains(spec.Reserved, id.Name)
			}
			return true
		})
	}
	alike := map[string]int{}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(found)), func(name string) bool {
		like := digits.ReplaceAllString(name, "0")
		alike[like]++
		return !found[name] || alike[like] > 2
	})
}

var (
	canBeNamed = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_]*[A-Za-z0-9])?$`)
	coordinate = regexp.MustCompile(`^(eta|m)[0-9]+$`)
	digits     = regexp.MustCompile(`[0-9]+`)
)

// exported imports packages of this module and of the standard library from what the compiler has written about them.
func exported(t *testing.T) types.Importer {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}",
		"github.com/sngdgen/sngdgen/runtime/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		files[path] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	})
}
