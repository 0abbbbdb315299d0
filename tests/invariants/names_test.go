package invariants

import (
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/sngdgen/sngdgen/spec"
)

// The engine is every Go file outside generated/ and tests, but for test fixtures.
var (
	engine   = []string{".", "expr/...", "gen/...", "runtime/...", "spec", "internal/...", "cmd/..."}
	fixtures = []string{"internal/fitfixture"}
)

// Why a word that is also a name of the library may stand in engine code.
const (
	greek   = "a Greek letter"
	prose   = "part of a term or of an example in a text for people: nothing depends on it"
	noise   = "a kind of random number that the language offers under noise:"
	sampler = "the function that draws such random numbers, used by type, not by family"
	upright = "what MathML calls letters that are upright"
	maths   = "mathematics: the gamma function, the standard normal distribution and that of Student, Bernoulli numbers, the double exponential rule"
)

// exceptions say where words mean something else. A word is looked for in identifiers (in newGamma is gamma; in lgamma
// there is not) and in strings, whatever its case and underscores. Comments are searched for names of several words, which are
// no mathematics: normal, gamma and the like are.
var exceptions = []struct{ files, words, reason string }{
	{"expr/functions.go", "beta exponential gamma normal", prose},
	{"expr/op.go", "normal", maths},
	{"expr/print.go", "beta gamma", greek},
	{"expr/syntax/token.go", "beta gamma", greek},
	{"expr/syntax/token.go", "normal", prose},
	{"expr/syntax/parse.go", "normal", prose},
	{"expr/syntax/types.go", "normal", noise},
	{"gen/bind/problem.go", "beta", prose},
	{"gen/check/draw.go", "beta binomial exponential gamma normal poisson", noise},
	{"gen/check/draw.go", "bernoulli", sampler},
	{"gen/check/limit.go", "normal", sampler},
	{"gen/check/importance.go", "gamma normal", sampler},
	{"gen/derive/intarget.go", "normal", maths},
	{"gen/derive/partly.go", "normal", maths},
	{"gen/derive/products.go", "normal", maths},
	{"gen/derive/tilted.go", "normal", maths},
	{"gen/derive/sites.go", "normal", prose},
	{"gen/emit/exact.go", "normal", maths},
	{"gen/engine/special.go", "gamma", maths},
	{"gen/engine/starts.go", "beta binomial exponential gamma normal poisson", noise},
	{"gen/explain/...", "exponential", prose},
	{"gen/explain/functions.go", "normal", maths},
	{"gen/explain/sites.go", "normal", prose},
	{"gen/program/interpret/native.go", "gamma", maths},
	{"internal/figure/regression.go", "normal", maths},
	{"internal/mathml/mathml.go", "normal", upright},
	{"internal/mathml/symbols.go", "normal", upright},
	{"internal/mathml/symbols.go", "beta gamma", greek},
	{"internal/reference/reference.go", "gamma normal", noise},
	{"runtime/ep/...", "normal", maths},
	{"runtime/estimate/summary.go", "normal", maths},
	{"runtime/estimate/marginals.go", "normal", maths},
	{"runtime/estimate/resample.go", "gamma", sampler},
	{"runtime/estimate/versus.go", "normal", maths},
	{"runtime/lbfgs.go", "gamma", greek},
	{"runtime/baseline/fisher.go", "exponential", maths},
	{"runtime/random/...", "bernoulli beta binomial exponential gamma normal poisson", sampler},
	{"runtime/special/...", "bernoulli beta gamma normal studentt", maths},
	{"gen/derive/tied.go", "exponential", prose},
	{"spec/noise.go", "beta binomial exponential gamma normal poisson", noise},
	{"spec/messages.go", "gamma normal", prose},
	{"spec/problem.go", "exponential", prose},
	{"runtime/vector/prepared.go", "gamma", maths},
}

// excepted returns the index of the exception for a word, or -1.
func excepted(file, name string) int {
	for i, e := range exceptions {
		if match(e.files, file) && slices.Contains(strings.Fields(e.words), name) {
			return i
		}
	}
	return -1
}

// libraryNames lists the families, distributions and problems of the library as they are compared.
func libraryNames() []string {
	lib := spec.Library()
	names := slices.Concat(lib.Families(), lib.Distributions(), lib.Problems())
	for i, n := range names {
		names[i] = fold(n)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// compounds lists the names of the library that have several words.
var compounds = sync.OnceValue(func() (names []string) {
	lib := spec.Library()
	for _, n := range slices.Concat(lib.Families(), lib.Distributions()) {
		if strings.Contains(n, "_") {
			names = append(names, fold(n))
		}
	}
	return names
})

func fold(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }

// TestNoNames: no family, distribution or problem of the library is named in engine code.
func TestNoNames(t *testing.T) {
	names := libraryNames()
	used := map[string]bool{}
	for _, p := range packages(t) {
		if !matchAny(engine, p.name()) || matchAny(fixtures, p.name()) {
			continue
		}
		for _, path := range p.files() {
			file := filepath.ToSlash(filepath.Join(p.name(), filepath.Base(path)))
			mentions(t, path, names, func(name string, at token.Position) {
				i := excepted(file, name)
				if i < 0 {
					t.Errorf("%s:%d names %q, which only YAML may; if it means something else, say so in the list of exceptions", file, at.Line, name)
					return
				}
				used[exceptions[i].files+": "+name] = true
			})
		}
	}
	for _, e := range exceptions {
		for _, name := range strings.Fields(e.words) {
			if !used[e.files+": "+name] {
				t.Errorf("the exception for %q in %s is not needed any more", name, e.files)
			}
		}
	}
}

// mentions calls f for each name that stands in an identifier or a string of a file.
func mentions(t *testing.T, path string, names []string, f func(name string, at token.Position)) {
	fset, file := parse(t, path)
	for _, group := range file.Comments {
		for _, name := range inWords(group.Text(), compounds()) {
			f(name, fset.Position(group.Pos()))
		}
	}
	imports := map[ast.Node]bool{}
	for _, spec := range file.Imports {
		imports[spec.Path] = true
	}
	ast.Inspect(file, func(n ast.Node) bool {
		var found []string
		switch n := n.(type) {
		case *ast.Ident:
			found = inIdentifier(n.Name, names)
		case *ast.BasicLit:
			if n.Kind == token.STRING && !imports[n] {
				found = inString(n.Value, names)
			}
		}
		for _, name := range found {
			f(name, fset.Position(n.Pos()))
		}
		return true
	})
}

// camel finds the words of an identifier: newStudentT5 is new, Student, T, 5. Capitals in a row are words of one letter.
var camel = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]|[0-9]+`)

// inIdentifier returns the names that are a run of words of an identifier.
func inIdentifier(id string, names []string) []string {
	words := camel.FindAllString(id, -1)
	found := map[string]bool{}
	for i := range words {
		for j := i + 1; j <= len(words); j++ {
			if w := fold(strings.Join(words[i:j], "")); slices.Contains(names, w) {
				found[w] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// word finds the words of a text. Those of the language may hold underscores.
var word = regexp.MustCompile(`[\pL_][\pL\pN_]*`)

// inString returns the names that are words of a string literal, or two words in a row.
func inString(literal string, names []string) []string {
	text, err := strconv.Unquote(literal)
	if err != nil {
		return nil
	}
	return inWords(text, names)
}

// inWords returns the names that are words of a text, or two words in a row.
func inWords(text string, names []string) []string {
	words := word.FindAllString(text, -1)
	found := map[string]bool{}
	for i, w := range words {
		for _, candidate := range []string{w, w + words[min(i+1, len(words)-1)]} {
			if slices.Contains(names, fold(candidate)) {
				found[fold(candidate)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func TestMentions(t *testing.T) {
	names := []string{"gamma", "negativebinomial", "studentt", "studentt5"}
	for id, want := range map[string]string{
		"gamma": "gamma", "newGamma": "gamma", "Gamma2": "gamma", "lgamma": "", "Lgamma": "", "lgammaDiff": "", "digamma": "",
		"NegativeBinomial": "negativebinomial", "isNegativeBinomialFamily": "negativebinomial", "StudentT": "studentt", "studentT5": "studentt studentt5",
		"negative_binomial": "negativebinomial", "GAMMA": "gamma", "gamma_": "gamma",
	} {
		if got := strings.Join(inIdentifier(id, names), " "); got != want {
			t.Errorf("identifier %s: %q, want %q", id, got, want)
		}
	}
	for text, want := range map[string]string{
		"lgamma(x)": "", "gamma": "gamma", "a gamma, or": "gamma", "negative binomial": "negativebinomial",
		"student_t.logpdf": "studentt", "negative": "", "log gamma_diff": "",
	} {
		if got := strings.Join(inString(strconv.Quote(text), names), " "); got != want {
			t.Errorf("string %q: %q, want %q", text, got, want)
		}
	}
}
