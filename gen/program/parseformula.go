package program

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
)

// formula reads a formula: a sum, a product, or one operand.
//
//	sum     = ["-"] term {("+"|"-") term}
//	term    = number ["*" atom] | product
//	product = power {"*" power} ["/" (power | "(" power "*" power {"*" power} ")")]
//	power   = atom ["^" number]
//	atom    = number | "(" formula ")" | function "(" [formula {"," formula}] ")" | place
func (r *reader) formula() (e Expr) {
	r.deeper(func() { e = r.sumOfTerms() })
	return e
}

func (r *reader) sumOfTerms() Expr {
	negative := r.take("-")
	first := r.term()
	if !negative && !r.peek().is("+") && !r.peek().is("-") {
		return first.whole()
	}
	if c, ok := first.operand.(Number); ok && negative && first.coef == 1 && !r.peek().is("+") && !r.peek().is("-") {
		return Number(math.Copysign(float64(c), -1))
	}
	out := &Apply{Op: expr.Lin}
	out.add(negative, first)
	for r.peek().is("+") || r.peek().is("-") {
		negative = r.next().is("-")
		t := r.term()
		if c, ok := t.operand.(Number); ok && c != 0 && t.coef == 1 && !r.peek().is("+") && !r.peek().is("-") {
			if out.Const = float64(c); negative {
				out.Const = -out.Const
			}
			continue
		}
		out.add(negative, t)
	}
	return out
}

// term is a multiple of an operand.
type term struct {
	coef    float64
	operand Expr
}

// whole is a term by itself.
func (t term) whole() Expr {
	if t.coef == 1 {
		return t.operand
	}
	return &Apply{Op: expr.Lin, Args: []Expr{t.operand}, Coefs: []float64{t.coef}}
}

// add adds a term to a sum. One in parentheses is there without them.
func (a *Apply) add(negative bool, t term) {
	if inner, ok := t.operand.(*Apply); ok && inner.Op == expr.Lin && inner.alone() {
		t.operand = inner.Args[0]
	}
	if negative {
		t.coef = -t.coef
	}
	a.Args, a.Coefs = append(a.Args, t.operand), append(a.Coefs, t.coef)
}

// alone reports whether a sum is one operand.
func (a *Apply) alone() bool { return len(a.Args) == 1 && a.Coefs[0] == 1 && a.Const == 0 }

// term reads a product, of which a number and one operand are a multiple.
func (r *reader) term() term {
	over, under := r.product()
	number, ok := over[0].base.(Number)
	switch {
	case len(over) == 1 && len(under) == 0 && over[0].power == 1:
		return term{1, over[0].base}
	case len(over) == 2 && len(under) == 0 && ok && over[0].power == 1 && over[1].power == 1:
		return term{float64(number), unwrap(over[1].base)}
	}
	if ok && number == 1 && len(over) == 1 && over[0].power == 1 {
		over = nil
	}
	out := &Apply{Op: expr.Prod}
	for _, p := range over {
		out.Args, out.Coefs = append(out.Args, unwrap(p.base)), append(out.Coefs, p.power)
	}
	for _, p := range under {
		out.Args, out.Coefs = append(out.Args, unwrap(p.base)), append(out.Coefs, -p.power)
	}
	return term{1, out}
}

// unwrap takes the parentheses from an operand: they are there because it is a sum or a product.
func unwrap(e Expr) Expr {
	if a, ok := e.(*Apply); ok && a.Op == expr.Lin && a.alone() {
		return a.Args[0]
	}
	return e
}

// power is a power of an operand.
type power struct {
	base  Expr
	power float64
}

func (r *reader) product() (over, under []power) {
	over = []power{r.power()}
	for r.take("*") {
		over = append(over, r.power())
	}
	if !r.take("/") {
		return over, nil
	}
	p := r.power()
	if a, ok := unwrap(p.base).(*Apply); ok && p.power == 1 && a.Op == expr.Prod && len(a.Args) > 1 && slices.Min(a.Coefs) > 0 {
		for i, c := range a.Coefs { // what several powers have in front of them in parentheses is no operand of its own
			under = append(under, power{a.Args[i], c})
		}
		return over, under
	}
	return over, []power{p}
}

func (r *reader) power() power {
	p := power{r.atom(), 1}
	if r.take("^") {
		p.power = r.constant()
	}
	return p
}

// constant reads a number without a sign.
func (r *reader) constant() float64 {
	t := r.next()
	x, err := strconv.ParseFloat(t.text, 64)
	if t.kind != digits && !t.is("Inf") && !t.is("NaN") || err != nil {
		r.fail(t, "a number belongs here, not %v", t)
	}
	return x
}

// atom reads an operand. Parentheses that stand around a sum or a product are kept as a sum of one operand.
func (r *reader) atom() Expr {
	t := r.peek()
	switch {
	case t.kind == digits || t.is("Inf") || t.is("NaN"):
		return Number(r.constant())
	case t.is("("):
		r.next()
		inner := r.formula()
		r.want(")")
		if !grouped(inner) {
			return inner
		}
		return &Apply{Op: expr.Lin, Args: []Expr{inner}, Coefs: []float64{1}}
	case t.kind != word:
		r.fail(t, "a formula belongs here, not %v", t)
	case r.after(1).is("("):
		if given(t.text) {
			return Ref{Place: r.givenText()}
		}
		r.at += 2
		prepared, name := "", t.text
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			prepared, name = name[:i], name[i+1:]
		}
		r.at--
		r.want("(")
		return r.applied(t, name, prepared)
	case r.after(1).is("<") && (t.is(expr.Root.Name) || t.is(expr.Expectation.Name)):
		return r.solution()
	}
	return r.ref()
}

// given reports whether a function is something that the program is given.
func given(name string) bool {
	return slices.Contains([]string{"length", "draws", "component", "last"}, name)
}

// applied reads the operands of a function.
func (r *reader) applied(t token, name, prepared string) Expr {
	if name == expr.Pow.Name {
		return &Apply{Op: expr.Pow, Args: r.operands()}
	}
	if _, ok := expr.FunctionNamed(name); !ok {
		r.fail(t, "there is no function %q", name)
	}
	return r.application(name, prepared)
}

// application reads the operands of a function of the table, but for one that it has been prepared for.
func (r *reader) application(name, prepared string) *Apply {
	op, _ := expr.FunctionNamed(name)
	a := &Apply{Op: op, Args: r.operands()}
	if prepared != "" {
		a.Prepared = r.place(prepared)
		if p, ok := expr.Preparation(op); ok && p.Operand <= len(a.Args) {
			a.Args = slices.Insert(a.Args, p.Operand, Expr(nil))
		}
	}
	return a
}

// operands reads formulas up to the end of the parentheses.
func (r *reader) operands() []Expr {
	var out []Expr
	if !r.peek().is(")") {
		out = list(r, r.formula)
	}
	r.want(")")
	return out
}

// solution reads what solves an equation in a formula.
func (r *reader) solution() Expr {
	a := &Apply{Op: expr.Root}
	if r.next().is(expr.Expectation.Name) {
		a.Op = expr.Expectation
	}
	a.Fn = &expr.Lambda{Vars: []*expr.Node{r.symbol(r.unknownName(), nil)}}
	r.want("(")
	a.Args = r.operands()
	return a
}

// ref reads a number at a place, or an entry: subscripts are indices of loops or numbers, the latter of what is not declared
// entries of slices that are given.
func (r *reader) ref() Ref {
	t := r.peek()
	if t.kind != word {
		r.fail(t, "the name of a place belongs here, not %v", t)
	}
	if !strings.Contains(t.text, ".") && (r.known(t.text) || !r.after(1).is("[") || r.subscripted(1)) {
		r.next()
		return r.subscripts(r.place(t.text))
	}
	return r.subscripts(r.givenText())
}

// subscripted reports whether so many tokens on there are subscripts of an array, not a part of a slice.
func (r *reader) subscripted(n int) bool {
	t := r.after(n + 1)
	return t.is("@") || r.after(n+2).is(",") || (t.is("i") || t.is("j") || t.is("row") || t.is("component") || t.is("here")) && r.after(n+2).is("]")
}

func (r *reader) subscripts(p *Place) Ref {
	ref := Ref{Place: p}
	if r.take("[") {
		ref.At = list(r, r.index)
		r.want("]")
	}
	return ref
}

func (r *reader) index() Index {
	if r.take("@") {
		return By(r.ref())
	}
	t := r.peek()
	loop, ok := map[string]Loop{"i": I, "j": J, "row": Row, "component": Component, "here": Here}[t.text]
	if ok && t.kind == word {
		r.next()
		return Over(loop)
	}
	return At(r.whole())
}

// givenText reads what the program is given, as Given.String writes it.
func (r *reader) givenText() *Place {
	t := r.next()
	g := &Given{}
	switch {
	case t.kind != word:
		r.fail(t, "something that is given belongs here, not %v", t)
	case given(t.text) && r.peek().is("("):
		g.Kind = map[string]Kind{"length": LengthOf, "draws": DrawsOf, "component": NumberOf, "last": LastOf}[t.text]
		if r.next(); g.Kind != NumberOf {
			g.Dim = r.dim()
		}
		r.want(")")
	default:
		owner, name, dotted := strings.Cut(t.text, ".")
		if g = Argument(t.text); dotted {
			g = Field(owner, name)
		}
		r.partText(g)
	}
	name := g.String()
	p := r.given[name]
	if p == nil {
		p = &Place{Name: name, Given: g, Shape: g.Shape()}
		r.given[name] = p
	}
	return p
}

// partText reads subscripts that are numbers, and the part of a slice that is meant.
func (r *reader) partText(g *Given) {
	for r.peek().is("[") && !r.subscripted(0) && g.Part == nil {
		if r.after(1).kind == digits && r.after(2).is("]") {
			r.next()
			g.At = append(g.At, r.whole())
			r.want("]")
			continue
		}
		r.next()
		p := &Part{From: r.lengthText()}
		if r.take(":") {
			r.typeText(p)
		}
		r.want("]")
		g.Part = p
	}
}

// lengthText reads a sum of products of lengths.
func (r *reader) lengthText() Length {
	var out Length
	sign := 1
	for {
		if r.take("-") {
			sign = -sign
		}
		times, dims := sign, []expr.Dim{}
		for {
			if d := r.dim(); d.Name == "" {
				times *= d.Size
			} else {
				dims = append(dims, d)
			}
			if !r.take("*") {
				break
			}
		}
		out = out.Plus(times, dims...)
		switch sign = 1; {
		case r.take("+"):
		case r.peek().is("-"):
		default:
			return out
		}
	}
}

// typeText reads what lies in a part, and whose it is.
func (r *reader) typeText(p *Part) {
	for owner, text := range owners {
		if words := strings.FieldsFunc(text, func(c rune) bool { return c == ' ' || c == '\'' }); len(words) > 0 &&
			r.takeAll(words[0], words[1], "'", words[2]) {
			p.Of = Owner(owner)
		}
	}
	p.Components = r.program.Components
	p.Free = r.take("free")
	if r.peek().is("]") {
		return
	}
	if t := r.peek(); !t.is("scalar") && !t.is("vector") && !t.is("matrix") || r.after(1).is("of") || r.after(1).is("-") {
		p.Components = r.dim()
		if p.Free = r.take("-"); p.Free && r.whole() != 1 {
			r.fail(t, "components are all, or all but one")
		}
		r.want("of")
		p.Type.Axes = expr.Components
	}
	if p.Of == OwnComponent {
		p.Type.Axes = expr.Components
	}
	switch t := r.next(); {
	case t.is("scalar"):
	case t.is("vector") || t.is("matrix"):
		r.want("(")
		dims := list(r, r.dim)
		if r.want(")"); t.is("vector") != (len(dims) == 1) || len(dims) > 2 {
			r.fail(t, "%v has %d lengths", t, len(dims))
		}
		p.Type.Rank = copy(p.Type.Dims[:], dims)
	default:
		r.fail(t, "a type belongs here, not %v", t)
	}
}

// rangeText reads a range.
func (r *reader) rangeText() expr.Range {
	end := func() float64 {
		negative := r.take("-")
		if !negative {
			r.take("+")
		}
		x := r.constant()
		if negative {
			x = -x
		}
		return x
	}
	var out expr.Range
	if out.LoOpen = r.take("("); !out.LoOpen {
		r.want("[")
	}
	out.Lo = end()
	r.want(",")
	out.Hi = end()
	if out.HiOpen = r.take(")"); !out.HiOpen {
		r.want("]")
	}
	return out
}
