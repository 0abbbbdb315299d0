package syntax

import (
	"math"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime/types"
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

// allTypes is the hint that lists the table of types.
func allTypes() string {
	var names []string
	for _, e := range types.Entries {
		switch {
		case e.Numbers:
			names = append(names, e.Name+"(m)")
		case e == types.Real:
			names = append(names, e.Name, e.Name+"(a, b)")
		default:
			names = append(names, e.Name)
		}
	}
	for _, f := range types.Forms {
		if f != types.Number {
			names = append(names, f.Name+"("+strings.Join(f.Lengths, ", ")+")")
		}
	}
	return "types are " + strings.Join(names, ", ")
}

func TestParseTypeErrors(t *testing.T) {
	forms := allTypes()
	tests := []struct{ text, msg, hint string }{
		{"", "expected a type, not the end of the type", forms},
		{"3", "expected a type, not number 3", forms},
		{"reel", `unknown type "reel"`, `did you mean "real"? ` + forms},
		{"string", `unknown type "string"`, forms},
		{"vector", "vector takes 1 dimension, not 0: write vector(d)", ""},
		{"matrix(n)", "matrix takes 2 dimensions, not 1: write matrix(n, d)", ""},
		{"positive(d)", "positive takes no dimension, not 1: write positive", ""},
		{"real(d)", `expected a bound, not "d"`, boundsHint},
		{"real(1, 1)", "there is no number between 1 and 1", boundsHint},
		{"real(infinity, 3)", "there is no number between infinity and 3", boundsHint},
		{"real(1)", `expected ",", not ")"`, boundsHint},
		{"real(1, 2", `expected ")", not the end of the type`, boundsHint},
		{"real(1, 2, 3)", `expected ")", not ","`, boundsHint},
		{"real(1, 2) frog", `unknown type "frog"`, forms},
		{"real(1, 2) spd(d)", "only a vector takes a kind of element, spd does not", ""},
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

// TestBounds: bounds are those of numbers, and of the elements of vectors.
func TestBounds(t *testing.T) {
	for text, want := range map[string]types.Type{
		"real(-1, 2.5)": types.Number.Of(types.Between(-1, 2.5)), "real(0, 1) vector(d)": types.Vector.Of(types.Between(0, 1)),
		"real(-0, infinity)": types.Number.Of(types.Between(0, math.Inf(1))), "real(-infinity, infinity)": types.Number.Of(types.Real),
		"real vector(d)": types.Vector.Of(types.Real), "ordered(3)": types.Ordered.Of(types.Real),
	} {
		typ, errs := ParseType(text)
		if len(errs) > 0 || typ.Type() != want {
			t.Errorf("%s is %v: %v", text, typ.Type(), errs)
		}
	}
}

func FuzzParseType(f *testing.F) {
	for _, s := range []string{"real", "matrix(n, d)", "binary vector(n)", "vector(((", "real(-1, 2.5e-3) vector(d)", "real(-infinity, 3)", "ordered(3)", "x y z", "vector(d, 3"} {
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
