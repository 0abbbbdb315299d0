package spec

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files; look at every change")

// TestBad compares what is said about each faulty file with its golden file.
func TestBad(t *testing.T) {
	t.Chdir(filepath.Join("testdata", "bad")) // so that messages name files as users do
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(name, ".yaml"), func(t *testing.T) {
			f, diags := LoadFile(name)
			if f != nil || !diags.HasErrors() {
				t.Error("no error")
			}
			// What the library holds is no matter of these files.
			got := regexp.MustCompile(`(known|families) are .*`).ReplaceAllString(diags.String(), "$1 are ...")
			checkGolden(t, strings.TrimSuffix(name, ".yaml")+".golden", got)
		})
	}
}

func checkGolden(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// generated are faults that no text file in a repository should hold, with what is said about each.
var generated = []struct {
	name, text, want string
	resolve          func(string) ([]byte, error)
}{
	{name: "not utf-8", text: "family: m\xffine\n",
		want: "f.yaml:1:10: the file is not UTF-8 text\n   1 | family: m\ufffdine\n     |          ^\n"},
	{name: "carriage return", text: "family: mine\rdoc: x\n",
		want: "f.yaml:1:13: unusual line break \"\\r\"\n   1 | family: mine\ufffddoc: x\n     |             ^\nhint: end lines with \"\\n\"\n"},
	{name: "line separator", text: "family: mi\u2028ne\n",
		want: "f.yaml:1:11: unusual line break \"\\u2028\"\n   1 | family: mi\ufffdne\n     |           ^\n"},
	{name: "too large", text: strings.Repeat("a\n", MaxFile),
		want: "f.yaml:1:1: file of 524288 bytes is too large\n   1 | a\n     | ^\nhint: at most 262144 are read\n"},
	{name: "long line", text: "a: b\n" + strings.Repeat("a ", maxLine),
		want: "f.yaml:2:1: line of 32768 bytes is too long\n   2 | " + strings.Repeat("a ", 26) + "a…\n     | ^\n" +
			"hint: at most 16384 are read; formulas may go on over several lines after |\n"},
	{name: "too many values", text: "a:\n" + strings.Repeat("- b\n", maxNodes),
		want: "f.yaml:1:1: the file holds more than 20000 keys and values\n   1 | a:\n     | ^\n"},
	{name: "too many imports", text: "import: [x/0.yaml]\n",
		want: strings.Repeat("x/", maxImports) + "63.yaml:1:10: more than 64 files are imported\n" +
			"   1 | import: [x/64.yaml]\n     |          ^^^^^^^^^\n",
		resolve: endlessImports},
	{name: "no imports", text: "import: [x.yaml]\n",
		want: "f.yaml:1:10: cannot import \"x.yaml\"\n   1 | import: [x.yaml]\n     |          ^^^^^^\n" +
			"hint: an import is a path relative to the importing file, with / between its parts\n"},
}

// endlessImports is a file system in which every file imports another one.
func endlessImports(name string) ([]byte, error) {
	n, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(name), ".yaml"))
	return []byte("import: [x/" + strconv.Itoa(n+1) + ".yaml]\n"), err
}

func TestGenerated(t *testing.T) {
	for _, test := range generated {
		t.Run(test.name, func(t *testing.T) {
			_, diags := Parse("f.yaml", []byte(test.text), test.resolve)
			if got := diags.String(); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// TestMessagesAreCovered checks that each message of this package is seen in a golden file or above.
func TestMessagesAreCovered(t *testing.T) {
	goldens, err := filepath.Glob(filepath.Join("testdata", "bad", "*.golden"))
	if err != nil {
		t.Fatal(err)
	}
	var seen strings.Builder
	for _, g := range goldens {
		text, err := os.ReadFile(g)
		if err != nil {
			t.Fatal(err)
		}
		seen.Write(text)
	}
	for _, g := range generated {
		seen.WriteString(g.want)
	}
	for name, format := range messages(t) {
		pattern := regexp.QuoteMeta(format)
		pattern = regexp.MustCompile(`%[a-z]`).ReplaceAllString(pattern, ".+")
		if !regexp.MustCompile(`(?m): ` + pattern + `$`).MatchString(seen.String()) {
			t.Errorf("no golden file shows %s: %q", name, format)
		}
	}
}

// messages returns the constants of messages.go, and checks that no other file words an error by itself.
func messages(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "messages.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			out[v.Names[0].Name] = text
		}
		return true
	})
	return out
}

// TestNoMessageElsewhere checks that errors are worded in messages.go only: the format of a diagnostic is one of its
// constants, or passes on what package syntax says.
func TestNoMessageElsewhere(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 2 || strings.HasSuffix(name, "_test.go") {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "Errorf" && f.Sel.Name != "Warningf" && f.Sel.Name != "Notef" {
				return true
			}
			if lit, ok := call.Args[1].(*ast.BasicLit); ok && lit.Value != `"%s"` {
				t.Errorf("%v: message %s", fset.Position(n.Pos()), lit.Value)
			}
			return true
		})
	}
}

func TestLoadFileThatIsMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	_, diags := LoadFile("missing.yaml")
	if got := diags.String(); got != "cannot read missing.yaml: no such file or directory\n" {
		t.Errorf("got %q", got)
	}
	if err := os.Mkdir("dir.yaml", 0o755); err != nil {
		t.Fatal(err)
	}
	_, diags = LoadFile("dir.yaml")
	if got := diags.String(); got != "dir.yaml is not a regular file\n" {
		t.Errorf("got %q", got)
	}
}
