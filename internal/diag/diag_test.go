package diag

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sngdgen/sngdgen/internal/testseed"
)

func source(text string) *Source { return NewSource("negbin.yaml", []byte(text)) }

// at returns the span of the first occurrence of part in the source.
func at(s *Source, part string) Span {
	i := strings.Index(string(s.Text), part)
	return Span{s, i, i + len(part)}
}

func TestRender(t *testing.T) {
	src := source("package: negbin\nmap: {r: alhpa/(1 - beta), s: beta}\n")
	var l List
	l.Errorf(at(src, "alhpa"), "unknown name %q in map", "alhpa").
		WithHint("did you mean %q? surrogate gamma has alpha, beta", "alpha")
	l.Warningf(at(src, "negbin"), "short name")
	want := `negbin.yaml:1:10: warning: short name
   1 | package: negbin
     |          ^^^^^^
negbin.yaml:2:10: unknown name "alhpa" in map
   2 | map: {r: alhpa/(1 - beta), s: beta}
     |          ^^^^^
hint: did you mean "alpha"? surrogate gamma has alpha, beta
`
	if got := l.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRenderAlignment(t *testing.T) {
	tests := []struct{ name, text, part, want string }{
		{"utf-8", "a: µ + é*x", "x", "f:1:10: m\n   1 | a: µ + é*x\n     |          ^\n"},
		{"tab", "\ta:\tx + y", "y", "f:1:9: m\n   1 | \ta:\tx + y\n     | \t  \t    ^\n"},
		{"wide", "a: 漢字 x", "x", "f:1:7: m\n   1 | a: 漢字 x\n     |         ^\n"},
		{"combining", "e\u0301 x", "x", "f:1:4: m\n   1 | e\u0301 x\n     |   ^\n"},
		{"control", "a\x1b[31m x", "x", "f:1:8: m\n   1 | a\ufffd[31m x\n     |        ^\n"},
		{"crlf", "a: x\r\nb: y\r\n", "y", "f:2:4: m\n   2 | b: y\n     |    ^\n"},
		{"two lines", "ab\ncd", "b\nc", "f:1:2: m\n   1 | ab\n     |  ^\n"},
		{"empty", "ab", "", "f:1:1: m\n   1 | ab\n     | ^\n"},
		{"invalid", "a\xff x", "x", "f:1:4: m\n   1 | a\ufffd x\n     |    ^\n"},
	}
	for _, test := range tests {
		s := NewSource("f", []byte(test.text))
		var l List
		l.Errorf(at(s, test.part), "m")
		if got := l.String(); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

func TestRenderLongLine(t *testing.T) {
	s := NewSource("f", []byte(strings.Repeat("a", 5000)+"X"+strings.Repeat("b", 5000)))
	var l List
	l.Errorf(at(s, "X"), "m")
	lines := strings.Split(l.String(), "\n")
	excerpt, caret := []rune(lines[1]), []rune(lines[2])
	if len(excerpt) > maxExcerpt || excerpt[len(caret)-1] != 'X' || caret[len(caret)-1] != '^' {
		t.Errorf("got\n%s", l.String())
	}
	l.Errorf(Span{s, 0, len(s.Text)}, "whole line")
	for _, line := range strings.Split(l.String(), "\n") {
		if len([]rune(line)) > maxExcerpt {
			t.Errorf("line of %d runes", len([]rune(line)))
		}
	}
}

func TestRenderWithoutPlace(t *testing.T) {
	var l List
	l.Errorf(Span{}, "no file %q", "a\nb")
	l.Errorf(Span{Source: NewSource("empty.yaml", nil)}, "empty")
	want := "no file \"a\\nb\"\nempty.yaml:1:1: empty\n"
	if got := l.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestListSortsAndDeduplicates(t *testing.T) {
	a, b := NewSource("a", []byte("xyz")), NewSource("b", []byte("xyz"))
	var l, other List
	l.Errorf(Span{b, 0, 1}, "3")
	l.Errorf(Span{a, 1, 2}, "2")
	l.Errorf(Span{a, 1, 2}, "2")
	l.Notef(Span{a, 0, 1}, "1")
	other.Errorf(Span{a, 1, 2}, "2")
	l.Append(other)
	var got []string
	for _, d := range l.All() {
		got = append(got, d.Severity.String()+" "+d.Message)
	}
	if s := strings.Join(got, ", "); s != "note 1, error 2, error 3" {
		t.Errorf("got %s", s)
	}
}

func TestErr(t *testing.T) {
	var l List
	l.Warningf(Span{}, "w")
	if l.HasErrors() || l.Err() != nil {
		t.Error("a warning is no error")
	}
	l.Errorf(Span{}, "100%% wrong")
	var e *ListError
	if !l.HasErrors() || !errors.As(l.Err(), &e) || e.Error() != "100%% wrong\nwarning: w" {
		t.Errorf("got %v", l.Err())
	}
}

func TestListIsBounded(t *testing.T) {
	var l List
	for i := range MaxDiagnostics + 10 {
		l.Warningf(Span{}, "%d", i)
	}
	l.Errorf(Span{}, "error")
	if l.Len() != MaxDiagnostics || !l.HasErrors() || !strings.HasSuffix(l.String(), "and 11 more\n") {
		t.Errorf("%d diagnostics, errors: %v", l.Len(), l.HasErrors())
	}
}

func TestPositionAndOffset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOf(rapid.SampledFrom([]rune("aé漢\n\t ð"))).Draw(t, "text")
		s := source(string(text))
		for offset := range string(text) {
			line, column := s.Position(offset)
			if got := s.Offset(line, column); got != offset {
				t.Fatalf("offset %d is %d:%d is offset %d", offset, line, column, got)
			}
			if !strings.HasPrefix(string(s.Text[offset:]), string([]rune(s.Line(line) + "\n")[column-1:][:1])) {
				t.Fatalf("offset %d is not column %d of %q", offset, column, s.Line(line))
			}
		}
	})
}

// TestWeirdSpans renders spans that no text has; none may panic.
func TestWeirdSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := NewSource(rapid.String().Draw(t, "name"), rapid.SliceOf(rapid.Byte()).Draw(t, "text"))
		span := Span{s, rapid.IntRange(-3, 40).Draw(t, "start"), rapid.IntRange(-3, 40).Draw(t, "end")}
		d := &Diagnostic{Span: span, Message: rapid.String().Draw(t, "message"), Hint: rapid.String().Draw(t, "hint")}
		_, _ = span.Text(), s.Offset(span.Start, span.End)
		if lines := strings.Count(d.String(), "\n"); lines > 4 {
			t.Fatalf("%d lines:\n%s", lines, d.String())
		}
	})
}

func TestSuggest(t *testing.T) {
	names := []string{"alpha", "beta", "Sigma", "mu", "m", "log_partition", "log_base_measure"}
	tests := []struct{ name, want string }{
		{"alhpa", "alpha"}, {"alph", "alpha"}, {"aplhas", "alpha"}, {"bta", "beta"}, {"sigma", "Sigma"}, {"MU", "mu"},
		{"nu", "mu"}, {"M", "m"}, {"n", ""}, {"gamma", ""}, {"logpartition", "log_partition"},
		{"log_base_mesure", "log_base_measure"}, {"", ""}, {"alpha", ""}, {strings.Repeat("alpha", 100), ""},
	}
	for _, test := range tests {
		if got := Suggest(test.name, names); got != test.want {
			t.Errorf("%q: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"ab", "ba", 1}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"aé", "éa", 1}}
	for _, test := range tests {
		if got := distance([]rune(test.a), []rune(test.b)); got != test.want {
			t.Errorf("%q, %q: got %d", test.a, test.b, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(rapid.SampledFrom([]rune("abc")), 0, 8).Draw(t, "a")
		b := rapid.SliceOfN(rapid.SampledFrom([]rune("abc")), 0, 8).Draw(t, "b")
		if d := distance(a, b); d != distance(b, a) || (d == 0) != (string(a) == string(b)) {
			t.Fatalf("%q, %q: %d", string(a), string(b), d)
		}
	})
}

func ExampleList() {
	src := NewSource("negbin.yaml", []byte("map: {r: alhpa/(1 - beta), s: beta}"))
	var l List
	l.Errorf(Span{src, 9, 14}, "unknown name %q in map", "alhpa").WithHint("did you mean %q?", "alpha")
	fmt.Print(l.String())
	// Output:
	// negbin.yaml:1:10: unknown name "alhpa" in map
	//    1 | map: {r: alhpa/(1 - beta), s: beta}
	//      |          ^^^^^
	// hint: did you mean "alpha"?
}
