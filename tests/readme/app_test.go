package readme_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// app is a module of a reader beside a clone of this one, without a network where what has been downloaded is enough.
type app struct {
	dir      string
	env      []string
	snippets []*block
}

// imported are the packages that Go code in the documents may name; posterior is generated from testdata/inputs.
var imported = map[string]string{
	"fmt":        "fmt",
	"runtime":    "github.com/sngdgen/sngdgen/runtime",
	"estimate":   "github.com/sngdgen/sngdgen/runtime/estimate",
	"baseline":   "github.com/sngdgen/sngdgen/runtime/baseline",
	"skewnormal": "github.com/sngdgen/sngdgen/generated/skewnormal",
	"ticks":      "example.com/app/ticks",
	"posterior":  "example.com/app/posterior",
}

// given are the variables that it may use without saying what they are.
var given = map[string]string{"ctx": "context.Context", "counts": "[]float64", "x": "[]float64", "dim": "int"}

func newApp(t *testing.T) *app {
	env := append(os.Environ(), "GOFLAGS=", "GOPROXY=off", "GOSUMDB=off", "GOWORK=off")
	return &app{dir: t.TempDir(), env: env}
}

// modules runs commands that make the module one that uses sngdgen. Where they ask for what needs a network, the tests of the
// modules that ours uses, they go on without; on a fresh machine they need more than was downloaded to run this test, and take it.
func (a *app) modules(t *testing.T, b *block, script string) {
	t.Helper()
	script = strings.ReplaceAll(script, "=../sngdgen", "="+absolute(t, root))
	online := fmt.Sprintf("GOPROXY='%s' GOSUMDB='%s' go mod tidy -e", goEnv(t, "GOPROXY"), goEnv(t, "GOSUMDB"))
	script = strings.ReplaceAll(script, "go mod tidy", "go mod tidy -e\ngo list tool || "+online)
	a.run(t, b, "go mod init example.com/app\n"+script)
}

func (a *app) run(t *testing.T, b *block, script string) {
	t.Helper()
	if _, err := execute(t, a.dir, a.env, "sh", "-ec", script); err != nil {
		t.Errorf("%v: %v\n%s", b, err, script)
	}
}

func (a *app) file(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(a.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// code runs a directive for go generate, and keeps other code for compile.
func (a *app) code(t *testing.T, b *block) {
	t.Helper()
	if text := strings.Join(b.lines, "\n"); strings.HasPrefix(text, "//go:generate ") {
		a.file(t, "main.go", "// Command app is a reader's.\npackage main\n\n"+text+"\n\nfunc main() {}\n")
		a.run(t, b, "go generate")
		a.run(t, b, "go test ./...")
		return
	}
	a.snippets = append(a.snippets, b)
}

// compile compiles what was kept, each piece as a function.
func (a *app) compile(t *testing.T) {
	t.Helper()
	if len(a.snippets) == 0 {
		return
	}
	spec := absolute(t, filepath.Join("testdata", "inputs", "posterior.yaml"))
	a.run(t, a.snippets[0], program(t)+" generate --out=. "+spec)
	for i, b := range a.snippets {
		text, err := function(b.lines)
		if err != nil {
			t.Errorf("%v: %v", b, err)
			continue
		}
		a.file(t, fmt.Sprintf("snippet%d/snippet.go", i), text)
		a.run(t, b, fmt.Sprintf("go vet ./snippet%d", i))
	}
}

// function makes a file of statements: a function with the variables that they use, in which bodies that are left out panic.
func function(lines []string) (string, error) {
	body := strings.ReplaceAll(strings.Join(lines, "\n"), "{ ... }", `{ panic("left out") }`)
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+body+"\n}", 0)
	if err != nil {
		return "", err
	}
	imports, params := map[string]string{"context": "context"}, []string{"_ context.Context"}
	for _, id := range f.Unresolved {
		path, isPackage := imported[id.Name]
		typ, isGiven := given[id.Name]
		switch param := id.Name + " " + typ; {
		case types.Universe.Lookup(id.Name) != nil:
		case isPackage:
			imports[id.Name] = path
		case !isGiven:
			return "", fmt.Errorf("what is %s?", id.Name)
		case !slices.Contains(params, param):
			params = append(params, param)
		}
	}
	var text strings.Builder
	text.WriteString("// Package snippet is from a document.\npackage snippet\n\nimport (\n")
	for name, path := range imports {
		fmt.Fprintf(&text, "%s %q\n", name, path)
	}
	fmt.Fprintf(&text, ")\n\nfunc _(%s) {\n%s\n", strings.Join(params, ", "), body)
	for _, name := range declared(f) {
		fmt.Fprintf(&text, "_ = %s\n", name)
	}
	return text.String() + "}\n", nil
}

// declared are the variables that the outermost statements declare.
func declared(f *ast.File) []string {
	var names []string
	for _, statement := range f.Decls[0].(*ast.FuncDecl).Body.List {
		assign, ok := statement.(*ast.AssignStmt)
		if !ok || assign.Tok != token.DEFINE {
			continue
		}
		for _, left := range assign.Lhs {
			if name := left.(*ast.Ident).Name; name != "_" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
