package invariants

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// houseWords are words of our own that were replaced by those of the field, with what to write.
var houseWords = map[string]string{
	"turned":   "transposed",
	"law":      "distribution, prepared distribution",
	"laws":     "distributions",
	"carry":    "spill",
	"carried":  "spilled",
	"settle":   "finish, resolve",
	"settled":  "finished, resolved, converged",
	"vain":     "no progress",
	"stall":    "stagnation",
	"hold":     "freeze, keep",
	"still":    "unchanged, no steps",
	"laboured": "exhausted",
	"drowned":  "below rounding",
}

// TestPackageComments: every package says what it is for. The comment of one that is only tests is in its tests.
func TestPackageComments(t *testing.T) {
	for _, p := range packages(t) {
		comments := 0
		files := p.files()
		if len(files) == 0 {
			files = p.paths(slices.Concat(p.TestGoFiles, p.XTestGoFiles))
		}
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly)
			if err != nil {
				t.Fatal(err)
			}
			if f.Doc != nil && len(strings.Fields(f.Doc.Text())) > 3 {
				comments++
			}
		}
		if comments == 0 {
			t.Errorf("%s: no file says in a package comment what the package is for", p.name())
		}
	}
}

// TestWords: identifiers are made of the field's words.
func TestWords(t *testing.T) {
	for _, p := range packages(t) {
		for _, file := range slices.Concat(p.files(), p.paths(p.TestGoFiles), p.paths(p.XTestGoFiles)) {
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			ast.Inspect(f, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok || seen[id.Name] {
					return true
				}
				seen[id.Name] = true
				if word, instead := houseWord(id.Name); word != "" {
					at := fset.Position(id.Pos())
					t.Errorf("%s:%d: %s: for %q write %s", filepath.Join(p.name(), filepath.Base(file)), at.Line, id.Name, word, instead)
				}
				return true
			})
		}
	}
}

// houseWord returns the first word of an identifier that is in the list, and what to write for it.
func houseWord(name string) (word, instead string) {
	for _, w := range camelWords(name) {
		if instead, ok := houseWords[w]; ok {
			return w, instead
		}
	}
	return "", ""
}

// camelWords are the words of an identifier in small letters.
func camelWords(name string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = nil
		}
	}
	letters := []rune(name)
	for i, r := range letters {
		// A word begins at a capital after a small letter, and at the last of several capitals before a small one.
		begins := unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1]))
		if begins || !unicode.IsLetter(r) {
			end()
		}
		if unicode.IsLetter(r) {
			word = append(word, r)
		}
	}
	end()
	return words
}

func TestCamelWords(t *testing.T) {
	for name, want := range map[string]string{
		"stallIterations": "stall iterations", "wasHeld": "was held", "TLaw": "t law", "lawful": "lawful", "heldOut": "held out",
		"CDFLaw2still": "cdf law still", "settle_now": "settle now", "x": "x", "_": "",
	} {
		if got := strings.Join(camelWords(name), " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{"holdBlock": "hold", "threshold": "", "lawful": "", "TLaw": "law", "Instill": ""} {
		if got, _ := houseWord(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
