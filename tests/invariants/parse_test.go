package invariants

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"
	"testing"
)

// parse reads a Go file; a fault is reported by the compiler anyway.
func parse(t *testing.T, file string) (*token.FileSet, *ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
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
		selections(f, d, module+"/runtime/modeltest", func(name string, n ast.Node) { found = found || name == "Run" })
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
