package specs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/tests/specs/specgen"
)

// TestReserved: whatever emitted code declares is named after the spec or reserved, so that no name of a spec can be that of
// something else. The names of these specs are such as nothing else has.
func TestReserved(t *testing.T) {
	known, members := map[string]bool{}, map[string]bool{}
	for seed := range uint64(60) {
		text := specgen.Named(specgen.NewTape(seed), func(i int) string { return fmt.Sprintf("q%dqx", i) })
		s := generate("reserved", text)
		if len(s.failure) > 0 {
			t.Fatalf("%v\n%s", s.failure, text)
		}
		for _, f := range s.files {
			for _, name := range declared(t, f.Data) {
				if !known[name] && !ofSpec.MatchString(name) && !planned(name) && !plan.Reserved(name) {
					t.Errorf("%s is declared in emitted code, but specs may use it too:\n%s", name, text)
				}
				known[name] = true
			}
			for _, name := range membersOf(t, f.Data) {
				if !ofSpec.MatchString(name) && plan.DimName(expr.Dim{Name: name}) == name {
					t.Errorf("%s is a field or a method of the model, but dimensions may be called so too:\n%s", name, text)
				}
				members[name] = true
			}
		}
	}
	if len(known) < 100 || len(members) < 100 {
		t.Errorf("%d names, %d fields and methods", len(known), len(members))
	}
}

// ofSpec matches names that are one of a spec, or made of some, as SigmaMu and muDotMu: of these specs, of the families of the
// library in them, and of the coordinates, which no spec may use. Made names are planned next to those of the spec, which take
// precedence.
var ofSpec = regexp.MustCompile(`(?i)qx|^((mu|sigma|sigma2|e|a|d|eta[0-9]+|m[0-9]+)(Dot)?)+_?([0-9]*|_[0-9]+)s?$|^_$`)

// planned reports whether a name is made of a formula: of names of a spec, those of emitted code, functions, and the words between them.
func planned(name string) bool {
	name = strings.TrimSuffix(name, "s") // of all components
	parts := word.FindAllString(name, -1)
	for _, part := range parts {
		part = strings.ToLower(part[:1]) + part[1:]
		if !between[strings.TrimRight(part, "0123456789")] && !ofSpec.MatchString(part) && !plan.Reserved(part) {
			return false
		}
	}
	return len(parts) > 1 && strings.Join(parts, "") == name
}

var word = regexp.MustCompile(`[A-Za-z][a-z]*[0-9]*`)

// between are the words of functions, and those that say how operands are put together.
var between = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range []string{"minus", "twice", "half", "one", "less", "over", "plus", "squared", "cubed", "dot", "inv", "logDet", "det", "diag", "t", "draw", "joint", "gradient", "value"} {
		words[w] = true
	}
	for _, op := range expr.Functions {
		for _, w := range strings.Split(op.Name, "_") {
			words[w], words[w+"s"] = true, true
		}
	}
	return words
}()

// declared are the names that a file declares for itself, or in a function in which there are names of the spec too.
func declared(t *testing.T, src []byte) []string {
	f, err := parser.ParseFile(token.NewFileSet(), "drawn.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					out = append(out, idents(s.Names...)...)
				case *ast.TypeSpec:
					out = append(out, s.Name.Name)
				case *ast.ImportSpec:
					out = append(out, path.Base(strings.TrimSuffix(strings.Trim(s.Path.Value, `"`), "/v2")))
				}
			}
		case *ast.FuncDecl:
			if d.Recv == nil {
				out = append(out, d.Name.Name)
			}
			if own := inside(d); slices.ContainsFunc(own, ofSpec.MatchString) {
				out = append(out, own...)
			}
		}
	}
	return out
}

// membersOf are the fields and the methods of the model.
func membersOf(t *testing.T, src []byte) (out []string) {
	f, err := parser.ParseFile(token.NewFileSet(), "drawn.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				out = append(out, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok && s.Name.Name == "Model" {
					for _, field := range s.Type.(*ast.StructType).Fields.List {
						out = append(out, idents(field.Names...)...)
					}
				}
			}
		}
	}
	return out
}

// inside are the names that a function declares.
func inside(d *ast.FuncDecl) (out []string) {
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				out = append(out, idents(n.Lhs...)...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				out = append(out, idents(n.Key, n.Value)...)
			}
		case *ast.ValueSpec:
			out = append(out, idents(n.Names...)...)
		case *ast.Field:
			out = append(out, idents(n.Names...)...)
		}
		return true
	})
	return out
}

func idents[T ast.Expr](list ...T) (out []string) {
	for _, e := range list {
		if id, ok := ast.Expr(e).(*ast.Ident); ok {
			out = append(out, id.Name)
		}
	}
	return out
}
