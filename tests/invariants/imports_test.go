package invariants

import (
	"slices"
	"testing"
)

// rules say what the packages of the module may import apart from the standard library; tests are free. The first rule
// that matches a package is its rule. A package without one is an error: a new package needs its rule.
var rules = []struct {
	pkg     string
	own     []string // packages of this module
	foreign []string // packages of other modules
	why     string
}{
	{".", nil, nil, "it only embeds sources"},
	{"cmd/...", []string{".", "gen/...", "generated", "internal/...", "runtime/...", "spec"},
		[]string{"github.com/alecthomas/kong", "github.com/schollz/progressbar/v3", "golang.org/x/term"}, "the command is on top of everything"},

	{"gen/program", []string{"expr"}, nil, "the language of programs: it knows neither who writes them nor who prints them"},
	{"gen/program/verify", []string{"expr", "gen/program"}, nil, "it sees programs, not what they came from"},
	{"gen/program/interpret", []string{"expr", "gen/program", "runtime/dense", "runtime/special", "runtime/ranges"}, nil, "it runs programs, without printing them"},
	{"gen/program/wording", []string{"expr"}, nil, "it knows operations and names"},
	{"gen/program/pass", []string{"expr", "gen/program", "gen/program/wording"}, nil, "it changes programs, and knows no more than they say"},
	{"gen/program/stages", []string{"expr", "gen/program"}, nil, "it cuts programs, and knows no more than they say"},
	{"gen/plan", []string{"expr", "gen/program", "gen/program/pass", "gen/program/wording"}, nil, "expressions in, programs out"},
	{"gen/bind", []string{"expr/...", "spec", "internal/diag", "runtime/types"}, []string{"gonum.org/v1/gonum/mat"}, "the front: formulas get their meaning"},
	{"gen/derive", []string{"expr/...", "spec", "gen/bind", "runtime/types"}, nil, "mathematics: it knows nothing of programs"},
	{"gen/methods", []string{"gen/bind", "gen/derive", "gen/plan", "gen/program", "gen/program/pass", "gen/program/stages", "gen/program/verify", "gen/program/wording", "expr/...", "runtime", "runtime/ranges", "runtime/types"}, nil,
		"it says which functions a package has; what a package says of itself has the types that it has at run time"},
	{"gen/emit", []string{"gen/bind", "gen/derive", "gen/methods", "gen/plan", "gen/program", "gen/program/wording", "expr", "runtime", "runtime/types"}, []string{"github.com/dave/jennifer/jen"},
		"the only package that prints Go, and no more than it is given"},
	{"gen/engine", []string{"expr", "gen", "internal/diag", "gen/bind", "gen/derive", "gen/methods", "gen/plan", "gen/program", "gen/program/interpret", "gen/program/pass", "runtime", "runtime/support",
		"runtime/dense", "runtime/vector", "runtime/solve", "runtime/series", "runtime/special", "runtime/random", "runtime/ranges", "runtime/grouping", "runtime/workers", "spec"}, nil, "it runs programs in the place of generated code, with what that links"},
	{"gen/fit", []string{"gen", "gen/engine", "internal/diag", "runtime", "runtime/estimate", "spec"}, nil,
		"it puts the generator, the engine and estimation together, for who has a spec as text"},
	{"gen/...", []string{"gen/...", "expr/...", "spec", "internal/diag", "runtime/random", "runtime/psis", "runtime/types", "runtime/grouping"}, []string{"gonum.org/v1/gonum/..."},
		"the generator knows the language and the graph, and of the runtime only random numbers and importance sampling"},

	{"expr/syntax/...", []string{"expr/syntax", "internal/diag", "runtime/types"}, nil, "formulas are text with places"},
	{"expr/...", []string{"expr/...", "runtime/special", "runtime/types"}, []string{"gonum.org/v1/gonum/..."}, "the graph does not know what it is for"},
	{"spec", []string{"expr/syntax", "internal/diag", "runtime/types"}, []string{"go.yaml.in/yaml/v4/..."}, "the only package that reads the YAML of users"},

	{"generated", []string{"generated/...", "runtime"}, nil, "a list"},
	{"generated/...", []string{"runtime", "runtime/support", "runtime/estimate", "runtime/special", "runtime/solve", "runtime/series", "runtime/ep", "runtime/dense", "runtime/random", "runtime/types", "runtime/grouping", "runtime/workers"}, nil,
		"generated code links the runtime and nothing else"},

	{"runtime", []string{"runtime/psis", "runtime/types", "runtime/vector", "runtime/workers"}, nil, "the loop needs kernels and workers, and nothing of a model"},
	{"runtime/types", nil, nil, "a table, for everybody"},
	{"runtime/grouping", nil, nil, "a table, for everybody"},
	{"runtime/ranges", nil, nil, "rows and sums, for who runs programs and who writes them"},
	{"runtime/workers", nil, nil, "goroutines, whatever they do"},
	{"runtime/psis", nil, nil, "functions of numbers"},
	{"runtime/special", []string{"runtime/vector/..."}, nil, "functions of numbers, and of slices of them"},
	{"runtime/solve", nil, nil, "functions of numbers"},
	{"runtime/series", nil, nil, "numbers of one row at a time"},
	{"runtime/vector/environment", []string{"runtime/vector"}, nil, "it asks for a variable"},
	{"runtime/vector", nil, []string{"golang.org/x/sys/cpu"}, "loops in assembly, which ask what the processor has"},
	{"runtime/dense", []string{"runtime/vector/...", "runtime/special"}, []string{"gonum.org/v1/gonum/blas", "gonum.org/v1/gonum/blas/gonum"},
		"linear algebra on slices; no LAPACK, which calls what allocates"},
	{"runtime/...", []string{"runtime/..."}, []string{"gonum.org/v1/gonum/..."}, "users link it: nothing of the generator"},

	{"internal/picture", nil, []string{"gonum.org/v1/plot/...", "golang.org/x/image/font/...", "golang.org/x/image/math/fixed", "codeberg.org/go-pdf/fpdf"},
		"the only package that knows a library for drawing; it draws numbers, wherever they come from"},
	{"internal/figure", []string{"internal/picture", "runtime", "runtime/estimate", "runtime/psis", "runtime/types"}, nil,
		"pictures of fits, without files, flags and specs"},
	{"internal/page", []string{"internal/picture"}, nil, "a page of texts and pictures, wherever they come from"},
	{"internal/mathml", nil, nil, "formulas, wherever they come from"},
	{"internal/studio", []string{"gen/...", "internal/diag", "internal/figure", "internal/mathml", "internal/picture", "internal/record", "internal/regression", "internal/table", "runtime", "runtime/estimate",
		"runtime/types", "spec"}, nil, "questions and answers, without a server, files and the libraries of pictures: browsers load it"},
	{"internal/studio/page", []string{"docs"}, nil, "files"},
	{"internal/studio/server", []string{"internal/studio", "internal/studio/page"}, nil, "the only package that listens to a network"},
	{"internal/studio/wasm", []string{"internal/studio"}, nil, "browsers load it"},
	{"internal/studio/static", []string{"internal/studio/page"}, nil, "it writes files"},
	{"docs", nil, nil, "data"},
	{"internal/diag", nil, nil, "everyone reports faults"},
	{"internal/exprtest", []string{"expr/...", "runtime/types"}, []string{"pgregory.net/rapid", "gonum.org/v1/gonum/..."}, "random formulas, for tests"},
	{"internal/console", nil, nil, "it runs programs of tests"},
	{"internal/processes", []string{"runtime"}, nil, "processes that are goroutines, for tests"},
	{"internal/testseed", nil, []string{"pgregory.net/rapid"}, "it makes property tests repeatable"},
	{"internal/allocfree", nil, []string{"golang.org/x/tools/go/..."}, "an analyser of any package"},
	{"internal/regression", []string{"expr/syntax", "internal/diag", "runtime/estimate", "runtime/types", "spec"}, nil, "it writes specs, whose starts a fit of the distribution by itself gives"},
	{"internal/record", []string{"expr", "gen", "internal/diag", "internal/regression", "internal/table", "runtime/types", "spec"}, nil, "from columns to the rows of a model"},
	{"internal/disk", nil, []string{"golang.org/x/sys/unix"}, "numbers in files"},
	{"internal/table", []string{"internal/diag", "internal/disk", "runtime", "runtime/types"}, []string{"golang.org/x/text/encoding/..."}, "data files"},
	{"internal/fresh", []string{"gen", "spec"}, nil, "it generates, for tests"},
	{"internal/librarytest", []string{"gen", "gen/engine", "generated", "runtime", "runtime/estimate", "runtime/modeltest", "spec"}, nil, "models of the library, for tests"},
	{"internal/fitfixture", []string{"runtime/..."}, []string{"gonum.org/v1/gonum/..."}, "problems for tests"},
	{"internal/build/worker", []string{"internal/disk", "runtime/..."}, nil, "it is compiled with the specs of users"},
	{"internal/build", []string{"internal/build/worker", "internal/disk", "runtime"}, nil, "it runs the Go tool"},
	{"internal/genlibrary", []string{"gen", "internal/reference"}, nil, "it writes files"},
	{"internal/gallery", []string{"gen", "gen/explain", "spec"}, []string{"go.yaml.in/yaml/v4"}, "it writes files from a table; what fits print it has from the command"},
	{"internal/reference", []string{"expr/...", "spec", "runtime/types"}, nil, "it describes the language"},

	{"tests/...", []string{"gen/...", "expr/...", "spec", "generated/...", "runtime/...", "internal/...", "tests/..."},
		[]string{"gonum.org/v1/...", "pgregory.net/rapid"}, "tests, which nothing else imports"},
}

func TestImports(t *testing.T) {
	for _, p := range packages(t) {
		i := rule(p.name())
		if i < 0 {
			t.Errorf("%s has no row in the table: say what it may import", p.name())
			continue
		}
		r := rules[i]
		for _, path := range p.Imports {
			if own := local(path); own != "" && !matchAny(r.own, own) || own == "" && !standard(path) && !matchAny(r.foreign, path) {
				t.Errorf("%s imports %s, but may import %v and %v only: %s", p.name(), path, r.own, r.foreign, r.why)
			}
		}
	}
}

func rule(name string) int {
	for i, r := range rules {
		if match(r.pkg, name) {
			return i
		}
	}
	return -1
}

// ofLoop is what the loop links of this project.
var ofLoop = []string{"runtime/psis", "runtime/types", "runtime/vector", "runtime/workers"}

// TestLinked asks the same of everything that is linked in, not only of what is imported directly.
func TestLinked(t *testing.T) {
	for _, p := range packages(t) {
		for _, path := range p.Deps {
			own := local(path)
			switch {
			case p.name() == "runtime" && !standard(path) && !slices.Contains(ofLoop, own) && path != "golang.org/x/sys/cpu":
				t.Errorf("%s links %s", p.name(), path)
			case match("generated/...", p.name()) && p.name() != "generated" && own != "" && !match("runtime/...", own):
				t.Errorf("%s links %s", p.name(), path)
			case match("runtime/...", p.name()) && own != "" && !match("runtime/...", own):
				t.Errorf("%s links %s", p.name(), path)
			}
		}
	}
}
