package syntax

import (
	"strings"
	"testing"
)

func TestParseType(t *testing.T) {
	for _, text := range []string{
		"real", "positive", "unit", "count", "binary", "simplex(k)", "vector(d)", "vector(3)", "matrix(n, d)", "spd(d)",
		"corr(2)", "lower(d)", "binary vector(n)", "normal vector(d)", "count vector(n)",
	} {
		typ, errs := ParseType(" " + text + " ")
		if len(errs) > 0 {
			t.Errorf("%q: %v", text, errs)
			continue
		}
		if typ.String() != text {
			t.Errorf("%q: got %q", text, typ)
		}
		if start, end := typ.Span(); start != 1 || end != 1+len(text) {
			t.Errorf("%q: span %d to %d", text, start, end)
		}
		if typ.IsScalar() != !strings.Contains(text, "(") {
			t.Errorf("%q: scalar is %v", text, typ.IsScalar())
		}
	}
}

func TestParseTypeErrors(t *testing.T) {
	forms := "types are real, positive, unit, count, binary, index(m), simplex(k), vector(d), matrix(n, d), spd(d), corr(d), lower(d)"
	tests := []struct{ text, msg, hint string }{
		{"", "expected a type, not the end of the type", forms},
		{"3", "expected a type, not number 3", forms},
		{"reel", `unknown type "reel"`, `did you mean "real"? ` + forms},
		{"string", `unknown type "string"`, forms},
		{"vector", "vector takes 1 dimension, not 0: write vector(d)", ""},
		{"matrix(n)", "matrix takes 2 dimensions, not 1: write matrix(n, d)", ""},
		{"real(d)", "real takes no dimension, not 1: write real", ""},
		{"vector(0)", "expected a dimension, not number 0", "a dimension is a symbol or a positive integer"},
		{"vector(1.5)", "expected a dimension, not number 1.5", "a dimension is a symbol or a positive integer"},
		{"vector()", `expected a dimension, not ")"`, "a dimension is a symbol or a positive integer"},
		{"vector(d + 1)", `expected "," or ")", not "+"`, "a dimension is a symbol or a positive integer"},
		{"vector(d", `"(" is never closed`, ""},
		{"vector(d) x", `unexpected "x" after the type`, ""},
		{"nromal vector(d)", `unknown kind of element "nromal"`,
			`did you mean "normal"? vectors are of ` + strings.Join(ElemKinds(), ", ")},
		{"frog vector(d)", `unknown kind of element "frog"`, "vectors are of " + strings.Join(ElemKinds(), ", ")},
		{"binary spd(d)", "only a vector takes a kind of element, spd does not", ""},
		{"vector(d²)", `unexpected "²"`, "use ^2"},
		{strings.Repeat("x", 2000), "type of 2000 bytes is too long", ""},
	}
	for _, test := range tests {
		_, errs := ParseType(test.text)
		if len(errs) != 1 || errs[0].Msg != test.msg || errs[0].Hint != test.hint {
			t.Errorf("%q:\n got %+v\nwant %q, hint %q", test.text, errs, test.msg, test.hint)
		}
	}
}

func FuzzParseType(f *testing.F) {
	for _, s := range []string{"real", "matrix(n, d)", "binary vector(n)", "vector(((", "x y z", "vector(d, 3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		typ, errs := ParseType(text)
		if len(errs) > 0 {
			return
		}
		again, errs := ParseType(typ.String())
		if len(errs) > 0 || again.String() != typ.String() {
			t.Fatalf("%q becomes %q, then %q with %v", text, typ, again, errs)
		}
	})
}
