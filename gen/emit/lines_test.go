package emit_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sngdgen/sngdgen/gen/emit"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/verify"
	"github.com/sngdgen/sngdgen/spec"
)

// What is printed can be read: no function has more than 150 lines, no line more than 120 columns, a tab being four.
func TestLines(t *testing.T) {
	const mostLines, mostColumns = 150, 120
	for _, name := range spec.Library().Compiled() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := derived(t, name)
			p, err := methods.Of(d, methods.Options{Source: name})
			if err != nil {
				t.Fatal(err)
			}
			files, err := emit.Emit(d, p, name)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				set := token.NewFileSet()
				file, err := parser.ParseFile(set, f.Name, f.Data, 0)
				if err != nil {
					t.Fatal(err)
				}
				ast.Inspect(file, func(n ast.Node) bool {
					if fn, ok := n.(*ast.FuncDecl); ok {
						if lines := set.Position(fn.End()).Line - set.Position(fn.Type.Pos()).Line + 1; lines > mostLines {
							t.Errorf("%s has %d lines", fn.Name.Name, lines)
						}
					}
					return true
				})
				for i, line := range strings.Split(string(f.Data), "\n") {
					if columns := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")); columns > mostColumns {
						t.Errorf("%s:%d has %d columns", f.Name, i+1, columns)
					}
				}
			}
		})
	}
}

// Programs of the library have no fault when they are cut into stages, and their texts read back.
func TestStagesVerify(t *testing.T) {
	stages := 0
	names := spec.Library().Problems()
	if testing.Short() {
		names = spec.Library().Compiled()
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			p, err := methods.Of(derived(t, name), methods.Options{})
			if err != nil {
				t.Fatal(err)
			}
			stages += len(p.CutStages())
			for _, of := range p.Functions {
				for _, s := range of.Steps {
					cut := s.Printed()
					if err := verify.Program(cut); err != nil {
						t.Errorf("%s: %v\nin\n%v", cut.Name, err, cut)
					}
					if cut == s.Program {
						continue
					}
					read, err := program.Parse(cut.String())
					if err != nil {
						t.Fatalf("%v\nin\n%v", err, cut)
					}
					if again := read.String(); again != cut.String() {
						t.Errorf("%s reads back as\n%s\nnot\n%v", cut.Name, again, cut)
					}
				}
			}
		})
	}
	if stages < 100 {
		t.Errorf("%d stages", stages)
	}
}
