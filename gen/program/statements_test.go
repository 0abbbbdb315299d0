package program_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// switches are the functions that go through statements, by file: each has a case for every one.
var switches = map[string][]string{
	"walk.go":                {"Declares", "mentions", "Formulas"},
	"text.go":                {"statement"},
	"verify/verify.go":       {"statement"},
	"interpret/interpret.go": {"statement"},
	"../emit/kernel.go":      {"stmt"},
	"../engine/compile.go":   {"statement"},
}

// Whoever goes through statements knows all of them.
func TestStatements(t *testing.T) {
	all := statements(t)
	if len(all) < 10 {
		t.Fatalf("found only %v", all)
	}
	for file, functions := range switches {
		for _, name := range functions {
			known := cases(t, file, name)
			for _, s := range all {
				if !slices.Contains(known, s) {
					t.Errorf("%s: %s has no case for %s", file, name, s)
				}
			}
		}
	}
}

// statements are the types with a method stmt.
func statements(t *testing.T) []string {
	var out []string
	for _, d := range parsed(t, "stmt.go").Decls {
		f, ok := d.(*ast.FuncDecl)
		if ok && f.Name.Name == "stmt" {
			out = append(out, f.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name)
		}
	}
	return out
}

// cases are the types of the cases of switches over types in a function.
func cases(t *testing.T, file, name string) []string {
	var out []string
	for _, d := range parsed(t, file).Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != name {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			c, ok := n.(*ast.CaseClause)
			if !ok {
				return true
			}
			for _, e := range c.List {
				if star, ok := e.(*ast.StarExpr); ok {
					switch x := star.X.(type) {
					case *ast.Ident:
						out = append(out, x.Name)
					case *ast.SelectorExpr:
						out = append(out, x.Sel.Name)
					}
				}
			}
			return true
		})
	}
	if len(out) == 0 {
		t.Fatalf("%s has no function %s that looks at statements", file, strings.TrimSpace(name))
	}
	return out
}

func parsed(t *testing.T, file string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.FromSlash(file), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
