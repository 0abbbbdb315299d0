package invariants

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"strconv"
	"strings"
	"testing"

	gopackages "golang.org/x/tools/go/packages"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/spec"
)

// parse reads a Go file; a fault is reported by the compiler anyway.
func parse(t *testing.T, file string) (*token.FileSet, *ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return fset, f
}

// runsModelTest reports whether a function of the file whose name begins with Test calls modeltest.Run.
func runsModelTest(file string) bool {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	found := false
	for _, d := range f.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(d.Name.Name, "Test") {
			continue
		}
		selections(f, d, module+"/runtime/modeltest", func(name string, n ast.Node) { found = found || name == "Run" || name == "RunVariational" })
	}
	return found
}

// selections calls f for every name that n takes from the package of an import path.
func selections(file *ast.File, n ast.Node, importPath string, f func(name string, n ast.Node)) {
	local := ""
	for _, spec := range file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil && p == importPath {
			local = path.Base(strings.TrimSuffix(p, "/v2"))
			if spec.Name != nil {
				local = spec.Name.Name
			}
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && local != "" && x.Name == local {
				f(s.Sel.Name, n)
			}
		}
		return true
	})
}

// generate returns the code of a problem.
func generate(t *testing.T, p *spec.Problem) string {
	t.Helper()
	files, diags := gen.Generate(t.Context(), p, gen.Options{})
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	return string(files[0].Data)
}

// imported loads the types of all that generated code may import.
func imported(t *testing.T) map[string]*types.Package {
	t.Helper()
	config := &gopackages.Config{Mode: gopackages.LoadTypes, Dir: root}
	all, err := gopackages.Load(config, "context", "errors", "fmt", "math", "math/rand/v2", module+"/runtime", module+"/runtime/special",
		module+"/runtime/solve", module+"/runtime/series", module+"/runtime/dense", module+"/runtime/random", module+"/runtime/estimate", module+"/runtime/support", module+"/runtime/types", module+"/runtime/grouping", module+"/runtime/workers")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*types.Package{}
	for _, p := range all {
		if p.Types == nil || len(p.Errors) > 0 {
			t.Fatal(p.PkgPath, p.Errors)
		}
		out[p.PkgPath] = p.Types
	}
	return out
}

// importer finds packages by their import path.
type importer map[string]*types.Package

// Import implements types.Importer.
func (i importer) Import(path string) (*types.Package, error) {
	if p := i[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("generated code imports %s", path)
}

// typeCheck checks a file as the compiler does, but without compiling it.
func typeCheck(t *testing.T, known importer, code string) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "generated.go", code, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v\n%s", err, code)
	}
	config := types.Config{Importer: known, Error: func(err error) { t.Error(err) }}
	if _, err := config.Check("generated", fset, []*ast.File{f}, nil); err != nil {
		t.Logf("the code is\n%s", code)
	}
}
