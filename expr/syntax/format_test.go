package syntax

import (
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sngdgen/sngdgen/internal/testseed"
)

func TestFormat(t *testing.T) {
	tests := []struct{ text, want string }{
		{"( a )", "a"},
		{"a+(b+c)", "a + (b + c)"},
		{"(a+b)+c", "a + b + c"},
		{"((a*b))/(c*d)", "a*b/(c*d)"},
		{"-(a*b)", "-(a*b)"},
		{"(-a)*b", "-a*b"},
		{"a*(-b)", "a*-b"},
		{"-(a^2)", "-a^2"},
		{"(-a)^2", "(-a)^2"},
		{"a^(-b)", "a^-b"},
		{"a^(b^c)", "a^b^c"},
		{"(a^b)^c", "(a^b)^c"},
		{"(a^b)'", "(a^b)'"},
		{"a^(b')", "a^b'"},
		{"(-a)'", "(-a)'"},
		{"-(a')", "-a'"},
		{"2.*  b*1.", ""},
		{"2. * b", "2*b"},
		{"2. '", "2'"},
		{"root( a ,f( a )=b ; c)", "root(a, f(a) = b; c)"},
		{"a<-(b)", ""},
		{"a< -(b)", "a < -b"},
		{"inv(-2*eta2)@x", "inv(-2*eta2) @ x"},
	}
	for _, test := range tests {
		e, errs := Parse(test.text)
		if test.want == "" {
			if len(errs) == 0 {
				t.Errorf("%q: no error", test.text)
			}
			continue
		}
		if len(errs) > 0 {
			t.Errorf("%q: %v", test.text, errs)
			continue
		}
		if got := Format(e); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
	if got := Format(nil); got != "" {
		t.Errorf("nil: got %q", got)
	}
}

// genExpr draws a tree; a comparison may stand at its top.
func genExpr(depth int, compare bool) *rapid.Generator[Expr] {
	return rapid.Custom(func(t *rapid.T) Expr {
		if compare && rapid.IntRange(0, 3).Draw(t, "compare") == 0 {
			op := rapid.SampledFrom([]string{"<", "<=", ">", ">=", "="}).Draw(t, "op")
			return Cmp(op, genExpr(depth-1, false).Draw(t, "x"), genExpr(depth-1, false).Draw(t, "y"))
		}
		form := 0
		if depth > 0 {
			form = rapid.IntRange(0, 7).Draw(t, "form")
		}
		sub := genExpr(depth-1, false)
		switch form {
		case 1:
			return Neg(sub.Draw(t, "x"))
		case 2:
			return Transpose(sub.Draw(t, "x"))
		case 3, 4:
			return Bin(rapid.SampledFrom([]byte("+-*/^@")).Draw(t, "op"), sub.Draw(t, "x"), sub.Draw(t, "y"))
		case 5:
			c := Fn(rapid.SampledFrom([]string{"f", "g", "normal.logpdf"}).Draw(t, "fun"))
			c.Args = rapid.SliceOfN(genExpr(depth-1, true), 0, 3).Draw(t, "args")
			if rapid.IntRange(0, 3).Draw(t, "in") == 0 {
				over := rapid.SampledFrom([]Expr{&Slice{From: sub.Draw(t, "from"), To: sub.Draw(t, "to")},
					&Interval{Lo: sub.Draw(t, "lo"), Hi: sub.Draw(t, "hi")}, &Onward{From: sub.Draw(t, "from")}}).Draw(t, "over")
				c.Args = append([]Expr{&In{Name: Var("j"), Over: over}}, c.Args...)
			}
			c.Params = rapid.SliceOfN(sub, 0, 2).Draw(t, "params")
			if len(c.Args) == 0 {
				c.Params = nil
			}
			return c
		}
		if form == 6 {
			n := &Index{X: sub.Draw(t, "x")}
			for range rapid.IntRange(1, 2).Draw(t, "subscripts") {
				if rapid.Bool().Draw(t, "slice") {
					n.Subs = append(n.Subs, &Slice{From: sub.Draw(t, "from"), To: sub.Draw(t, "to")})
				} else {
					n.Subs = append(n.Subs, sub.Draw(t, "subscript"))
				}
			}
			return n
		}
		if form == 7 {
			return &List{Items: rapid.SliceOfN(sub, 1, 3).Draw(t, "items")}
		}
		if rapid.Bool().Draw(t, "number") {
			return Num(rapid.Float64Range(0, 1e300).Draw(t, "value"))
		}
		return Var(rapid.StringMatching(`[A-Za-z_][A-Za-z0-9_]{0,3}`).Draw(t, "name"))
	})
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := genExpr(5, true).Draw(t, "e")
		checkStable(t, e)
	})
}

// checkStable checks that formatting and parsing a tree gives it back, and the same text again.
func checkStable(t interface{ Fatalf(string, ...any) }, e Expr) {
	text := Format(e)
	again, errs := Parse(text)
	if len(errs) > 0 {
		t.Fatalf("%q does not parse: %v", text, errs)
	}
	if !Equal(e, again) {
		t.Fatalf("%q parses to %s, not %s", text, sexpr(again), sexpr(e))
	}
	if second := Format(again); second != text {
		t.Fatalf("formatted %q, then %q", text, second)
	}
}

func TestEqual(t *testing.T) {
	texts := []string{"a", "b", "1", "-a", "a'", "a + b", "a - b", "a*b", "a < b", "a <= b", "f(a)", "g(a)", "f(a, b)", "f(a; b)", "a[1]", "a[2]", "b[1]", "a[1, 2]",
		"a[1:2]", "[a]", "[a, b]", "f(j in 1:2)", "f(i in 1:2)", "f(j in 1:3)"}
	for i, x := range texts {
		for j, y := range texts {
			a, _ := Parse(x)
			b, _ := Parse(y)
			if got := Equal(a, b); got != (i == j) {
				t.Errorf("Equal(%s, %s) = %v", x, y, got)
			}
		}
	}
	if !Equal(nil, nil) || Equal(nil, Var("a")) || Equal(Var("a"), nil) {
		t.Error("nil is equal to nil only")
	}
}

func TestWalkPrunes(t *testing.T) {
	e, _ := Parse("f(a; b) + g(c = d)' < -h(e)")
	n := 0
	Walk(e, func(e Expr) bool {
		n++
		_, call := e.(*Call)
		return !call
	})
	if n != 7 { // <, +, f, ', g, -, h
		t.Errorf("visited %d nodes", n)
	}
}

func FuzzParse(f *testing.F) {
	seeds := []string{
		"lgamma(x + r) - lgamma(r) - lgamma(x + 1) + x*log(1 - s) + r*log(s)",
		"root(a, digamma(a) - log(a) = m1 - log(m2))",
		"student_t.logpdf(x; mu, Sigma, nu)", "-A' @ B^-2^x", "1.5e-3 .5 2. 1e999", "a ** b == c && d",
		"α + xβ − ²", "((((", "))))", "f(a; b; c)", "2x(3)(4)", "a.b.c(.d)", "\xff\x00", "f(a = b, c < d = e)", "2.*'",
	}
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > MaxText/8 { // formatting may add spaces and pass the limit
			return
		}
		e, errs := Parse(text)
		if (e == nil) == (len(errs) == 0) {
			t.Fatalf("tree %v with errors %v", e, errs)
		}
		for _, err := range errs {
			if err.Start < 0 || err.End < err.Start || err.End > len(text) || err.Msg == "" {
				t.Fatalf("error outside the text: %+v", err)
			}
		}
		if e != nil {
			checkStable(t, e)
		}
	})
}
