package emit

import (
	"go/format"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// lex returns the tokens of Go without comments, and the words of its comments.
func lex(t *testing.T, source string) (tokens, words []string) {
	t.Helper()
	var s scanner.Scanner
	f := token.NewFileSet().AddFile("", -1, len(source))
	s.Init(f, []byte(source), func(at token.Position, message string) { t.Fatal(at, message) }, scanner.ScanComments)
	for {
		switch _, tok, text := s.Scan(); tok {
		case token.EOF:
			return tokens, words
		case token.COMMENT:
			words = append(words, strings.Fields(strings.TrimLeft(text, "/"))...)
		default:
			tokens = append(tokens, tok.String()+text)
		}
	}
}

// Breaking lines changes no token and no word.
func TestWrap(t *testing.T) {
	long := strings.Repeat("wort ", 40)
	sum := strings.Repeat("first(alpha, beta-1)*second + ", 12) + "-third"
	const source = `// Code generated from a file with a name that is so long that the line of the header would have to be broken if it were not the header itself. DO NOT EDIT.

package p

// About LONG
// goes on here.
//
//	formula = SUM
//
// End LONG
type m struct {
	field float64 // a field LONG
}

func f(alpha, beta, second, third float64) float64 {
	if alpha > 0 {
		return SUM
	}
	return g("a text is not broken: LONG", first(alpha, beta), first(beta, alpha), first(second, third), first(alpha, third))
}
`
	plain, err := format.Source([]byte(strings.NewReplacer("LONG", long, "SUM", sum).Replace(source)))
	if err != nil {
		t.Fatal(err)
	}
	wrapped, err := format.Source(wrap(plain))
	if err != nil {
		t.Fatalf("%v\n%s", err, wrap(plain))
	}
	tokens, words := lex(t, string(plain))
	again, same := lex(t, string(wrapped))
	if !slices.Equal(tokens, again) || !slices.Equal(words, same) {
		t.Errorf("other tokens or words:\n%s", wrapped)
	}
	for i, line := range strings.Split(string(wrapped), "\n") {
		if columns(line) > width && i > 0 && !strings.Contains(line, "a text is not broken") {
			t.Errorf("line %d has %d columns: %s", i+1, columns(line), line)
		}
	}
	for _, want := range []string{"wort goes on here.\n", "\n// End wort", "// a field wort", "\n\tfield float64\n", " +\n\t\t\tfirst("} {
		if !strings.Contains(string(wrapped), want) {
			t.Errorf("no %q in\n%s", want, wrapped)
		}
	}
}
