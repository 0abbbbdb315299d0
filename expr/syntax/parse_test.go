package syntax

import (
	"fmt"
	"strings"
	"testing"
)

// sexpr writes a tree with all its structure, for comparison in tests.
func sexpr(e Expr) string {
	switch e := e.(type) {
	case *Number:
		return fmt.Sprint(e.Value)
	case *Name:
		return e.Name
	case *Unary:
		return "(" + string(rune(e.Op)) + " " + sexpr(e.X) + ")"
	case *Binary:
		return "(" + string(rune(e.Op)) + " " + sexpr(e.X) + " " + sexpr(e.Y) + ")"
	case *Compare:
		return "(" + e.Op + " " + sexpr(e.X) + " " + sexpr(e.Y) + ")"
	case *Call:
		s := "[" + e.Fun
		for _, a := range e.Args {
			s += " " + sexpr(a)
		}
		if e.Params != nil {
			s += " ;"
		}
		for _, a := range e.Params {
			s += " " + sexpr(a)
		}
		return s + "]"
	case *Index:
		return "(index " + sexpr(e.X) + sexprs(e.Subs) + ")"
	case *Slice:
		return "(slice " + sexpr(e.From) + " " + sexpr(e.To) + ")"
	case *In:
		return "(in " + e.Name.Name + " " + sexpr(e.Over) + ")"
	case *List:
		return "(list" + sexprs(e.Items) + ")"
	}
	return fmt.Sprintf("?%T", e)
}

func sexprs(list []Expr) string {
	s := ""
	for _, e := range list {
		s += " " + sexpr(e)
	}
	return s
}

func TestParse(t *testing.T) {
	tests := []struct{ text, want string }{
		{"1", "1"}, {".5", "0.5"}, {"2.", "2"}, {"1e-3", "0.001"}, {"1.5E+2", "150"},
		{"a + b - c", "(- (+ a b) c)"},
		{"a - (b - c)", "(- a (- b c))"},
		{"a*b/c@d", "(@ (/ (* a b) c) d)"},
		{"a + b*c", "(+ a (* b c))"}, {"sum(j in 1:d + 1, x[j])", "[sum (in j (slice 1 (+ d 1))) (index x j)]"},
		{"f(in, j)", "[f in j]"},
		{"-a*b", "(* (- a) b)"},
		{"a*-b*c", "(* (* a (- b)) c)"},
		{"a - -b", "(- a (- b))"},
		{"--a", "(- (- a))"},
		{"-2^2", "(- (^ 2 2))"},
		{"2^-1", "(^ 2 (- 1))"},
		{"2^-x^2*3", "(* (^ 2 (- (^ x 2))) 3)"},
		{"a^b^c", "(^ a (^ b c))"},
		{"(a^b)^c", "(^ (^ a b) c)"},
		{"A'", "(' A)"},
		{"A^b'", "(^ A (' b))"},
		{"-A' @ B''", "(@ (- (' A)) (' (' B)))"},
		{"2*A'@b", "(@ (* 2 (' A)) b)"},
		{"2.*b", ""}, // an error: see TestParseErrors
		{"a < b", "(< a b)"}, {"a<=b", "(<= a b)"}, {"a>b", "(> a b)"}, {"a>=b", "(>= a b)"},
		{"a + 1 = b*2", "(= (+ a 1) (* b 2))"},
		{"f()", "[f]"},
		{"f (a)", "[f a]"},
		{"x[2]", "(index x 2)"},
		{"A'[i + 1, 2:j]^2", "(^ (index (' A) (+ i 1) (slice 2 j)) 2)"},
		{"[1, -x, f(y)]", "(list 1 (- x) [f y])"},
		{"[a, b][1]", "(index (list a b) 1)"},
		{"f(a, b + c)", "[f a (+ b c)]"},
		{"f(a; p, q)", "[f a ; p q]"},
		{"student_t.logpdf(x; mu, Sigma, nu)", "[student_t.logpdf x ; mu Sigma nu]"},
		{"root(a, digamma(a) - log(a) = m1 - log(m2))",
			"[root a (= (- [digamma a] [log a]) (- m1 [log m2]))]"},
		{"((a))", "a"},
		{"a\n\t+ b", "(+ a b)"},
	}
	for _, test := range tests {
		if test.want == "" {
			continue
		}
		e, errs := Parse(test.text)
		if len(errs) > 0 {
			t.Errorf("%q: %v", test.text, errs)
			continue
		}
		if got := sexpr(e); got != test.want {
			t.Errorf("%q: got %s, want %s", test.text, got, test.want)
		}
	}
}

// TestParseErrors gives the fault, and in "^" the bytes it points to, for each message of the lexer and the parser.
func TestParseErrors(t *testing.T) {
	tests := []struct {
		text string
		want string // errors as start-end:message, separated by " | "
	}{
		{"", "0-0:empty formula"},
		{"  ", "0-2:empty formula"},
		{"a +", `3-3:expected a number, a name or a parenthesis, not the end of the formula`},
		{"a + * b", `4-5:expected a number, a name or a parenthesis, not "*"`},
		{"f(a, )", `5-6:expected a number, a name or a parenthesis, not ")"`},
		{"f(a +, b *)", `5-6:expected a number, a name or a parenthesis, not "," | 10-11:expected a number, a name or a parenthesis, not ")"`},
		{"f(; a)", `2-3:expected a number, a name or a parenthesis, not ";"`},
		{"f(a; )", `5-6:expected a number, a name or a parenthesis, not ")"`},
		{"f(a; b; c)", `6-7:a call has one semicolon only`},
		{"f(a; b = 2)", `7-8:unexpected "=" after a parameter`},
		{"(a", `0-1:"(" is never closed`},
		{"f(a, (b)", `1-2:"(" is never closed`},
		{"a)", `1-2:")" has no opening parenthesis`},
		{"a) + (b", `1-2:")" has no opening parenthesis | 3-4:unexpected "+" | 5-6:"(" is never closed`},
		{"a, b", `1-2:unexpected "," outside a call`},
		{"a; b", `1-2:unexpected ";" outside a call`},
		{"(a, b)", `2-3:unexpected "," outside a call`},
		{"2 x", `2-3:missing operator before "x"`},
		{"2x + 3y", `1-2:missing operator before "x" | 6-7:missing operator before "y"`},
		{"(a)(b)", `3-4:missing operator before "("`},
		{"a 2", `2-3:missing operator before number 2`},
		{"+a", `0-1:there is no prefix +`},
		{"a = b = c", `6-7:a formula has one comparison only`},
		{"a.b + 1", `0-3:dotted name "a.b" stands only in a call`},
		{"a.b.c(x)", `0-5:name "a.b.c" has more than one dot`},
		{"1.2.3", `0-5:malformed number "1.2.3"`},
		{"1e999", `0-5:number 1e999 is out of range`},
		{"1e-999", `0-6:number 1e-999 is out of range`},
		{"a ** b == c", `2-4:unknown operator "**" | 7-9:unknown operator "=="`},
		{"2.*b", `1-3:unknown operator ".*"`},
		{"a && b", `2-4:unknown operator "&&"`},
		{"x]", `1-2:"]" has no opening bracket`},
		{"x[1", `1-2:"[" is never closed`},
		{"x[]", `2-3:expected a number, a name or a parenthesis, not "]"`},
		{"x[1:]", `4-5:expected a number, a name or a parenthesis, not "]"`},
		{"x[1)", `1-2:"[" is never closed | 3-4:expected an operator, "," or "]", not ")"`},
		{"a:b", `1-2:unexpected ":" outside an index`},
		{"α + xβ", `0-2:unexpected letter in "α" | 5-8:unexpected letter in "xβ"`},
		{"naïve", `0-6:unexpected letter in "naïve"`},
		{"a − b", `2-5:unknown operator "−" (U+2212)`},
		{"x²", `1-3:unexpected "²"`},
		{"a \x01 b", `2-3:unexpected character '\x01'`},
		{"\xff", `0-1:the text is not UTF-8`},
		{"f(a [ b, c)", `1-2:"(" is never closed | 4-5:"[" is never closed | 10-11:expected an operator, "," or "]", not ")"`},
		{"sum(j in d, x)", `10-11:expected a range, not ","`},
		{"sum(j in 1:, x)", `11-12:expected a number, a name or a parenthesis, not ","`},
		{"sum(j 1:d, x)", `6-7:missing operator before number 1 | 7-8:expected an operator, "," or ")", not ":"`},
		{"f(a, 'b')", `5-6:expected a number, a name or a parenthesis, not "'"`},
	}
	for _, test := range tests {
		e, errs := Parse(test.text)
		if e != nil {
			t.Errorf("%q: a tree although there are errors", test.text)
		}
		var got []string
		for _, err := range errs {
			got = append(got, fmt.Sprintf("%d-%d:%s", err.Start, err.End, err.Msg))
		}
		if s := strings.Join(got, " | "); s != test.want {
			t.Errorf("%q:\n got %s\nwant %s", test.text, s, test.want)
		}
	}
}

func TestHints(t *testing.T) {
	tests := []struct{ text, hint string }{
		{"a ** b", "use ^ for powers"},
		{"α", "write alpha"},
		{"Σ_x + 1", "write Sigma_x"},
		{"2x", "write 2*x"},
		{"a * ", `"*" needs an operand on its right`},
		{"A.b", "write A.b(...)"},
		{"naïve", "names are made of a-z, A-Z, 0-9 and _"},
	}
	for _, test := range tests {
		_, errs := Parse(test.text)
		if len(errs) != 1 || errs[0].Hint != test.hint {
			t.Errorf("%q: got %+v, want hint %q", test.text, errs, test.hint)
		}
	}
}

// TestForeign makes sure that every entry of the table of foreign spellings is found, and hints where it says so.
func TestForeign(t *testing.T) {
	for spelling, f := range foreign {
		_, errs := Parse("a " + spelling + " b")
		if len(errs) == 0 || errs[0].Msg != f.msg || errs[0].Hint != f.hint || errs[0].Start != 2 {
			t.Errorf("%q: got %+v, want %q", spelling, errs, f.msg)
		}
	}
}

func TestSpans(t *testing.T) {
	text := "-(a + bc)*f (x; y') ^ 2"
	want := map[string]bool{
		"-(a + bc)*f (x; y') ^ 2": true, "-(a + bc)": true, "a + bc": true, "a": true, "bc": true,
		"f (x; y') ^ 2": true, "f (x; y')": true, "x": true, "y'": true, "y": true, "2": true,
	}
	e, errs := Parse(text)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	Walk(e, func(e Expr) bool {
		start, end := e.Span()
		if !want[text[start:end]] {
			t.Errorf("%T covers %q", e, text[start:end])
		}
		delete(want, text[start:end])
		if c, ok := e.(*Call); ok && text[c.FunStart:c.FunStart+len(c.Fun)] != "f" {
			t.Errorf("function name at %d", c.FunStart)
		}
		return true
	})
	if len(want) > 0 {
		t.Errorf("no node covers %v", want)
	}
}

// TestLimits gives formulas that would exhaust the stack, or the reader.
func TestLimits(t *testing.T) {
	n := MaxText / 4
	tests := map[string]string{
		"parentheses": strings.Repeat("(", n) + "a" + strings.Repeat(")", n),
		"open":        strings.Repeat("(", n),
		"calls":       strings.Repeat("f(", n),
		"signs":       strings.Repeat("-", n) + "a",
		"powers":      strings.Repeat("a^", n) + "a",
		"sum":         strings.Repeat("a+", n) + "a",
		"transposes":  "a" + strings.Repeat("'", n),
		"arguments":   "f(" + strings.Repeat("a,", n) + "a)",
		"long":        strings.Repeat("a+", MaxText) + "a",
	}
	for name, text := range tests {
		e, errs := Parse(text)
		if e != nil || len(errs) != 1 {
			t.Errorf("%s: %d errors, want one", name, len(errs))
		}
	}
	deep := strings.Repeat("(", MaxDepth-1) + "a" + strings.Repeat(")", MaxDepth-1)
	if _, errs := Parse(deep); len(errs) > 0 {
		t.Errorf("nesting just below the limit: %v", errs)
	}
}
