package syntax

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Dim is a dimension in a type: a symbol, or a positive integer.
type Dim struct {
	span
	Name string // empty for an integer
	Size int    // zero for a symbol
}

// String returns the dimension as written.
func (d Dim) String() string {
	if d.Name != "" {
		return d.Name
	}
	return strconv.Itoa(d.Size)
}

// TypeExpr is a type as a declaration writes it: real, vector(d), binary vector(n).
type TypeExpr struct {
	span
	Kind string // one of Kinds
	Elem string // of a vector: one of ElemKinds, or empty for real
	Of   Dim    // of an index, or a vector of them: the length of what they number
	Plus int    // what is added to that: index(J + 1)
	Dims []Dim
	// Bounds are those of real(a, b), of a number or of the elements of a vector; nil where there are none.
	Bounds *Bounds
	// Atoms are numbers that have a probability of their own, besides real ones: positive or 0.
	Atoms []float64
}

// Bounds are the ends between which real numbers lie.
type Bounds struct{ Lo, Hi float64 }

// String returns the type in its usual spelling.
func (t TypeExpr) String() string {
	if len(t.Atoms) > 0 {
		return t.Type().Entry.Name
	}
	var b strings.Builder
	of := ""
	if t.Of != (Dim{}) {
		of = "(" + t.Of.String() + ")"
		if t.Plus > 0 {
			of = fmt.Sprintf("(%v + %d)", t.Of, t.Plus)
		}
	}
	switch {
	case t.Bounds != nil && t.Kind == types.Real.Name:
		return t.Bounds.entry().Name
	case t.Bounds != nil:
		b.WriteString(t.Bounds.entry().Name + " ")
	case t.Elem != "":
		b.WriteString(t.Elem + of + " ")
		of = ""
	}
	b.WriteString(t.Kind + of)
	for i, d := range t.Dims {
		b.WriteString([]string{"(", ", "}[min(i, 1)] + d.String())
	}
	if len(t.Dims) > 0 {
		b.WriteByte(')')
	}
	return b.String()
}

// Lengthy returns all dimensions of the type: those of its shape, and that of what an index numbers.
func (t TypeExpr) Lengthy() []Dim {
	if t.Of == (Dim{}) {
		return t.Dims
	}
	return append(slices.Clone(t.Dims), t.Of)
}

// entry is what numbers between the bounds are.
func (b *Bounds) entry() *types.Entry { return types.Between(b.Lo, b.Hi) }

// IsScalar reports whether the type has no dimensions.
func (t TypeExpr) IsScalar() bool { return len(t.Dims) == 0 }

// typeForm is a kind of types, and how it is written.
type typeForm struct {
	kind, form string
	dims       int
}

// typeForms lists the kinds of types in the order in which they are listed to users: those of the table.
func typeForms() []typeForm {
	var out []typeForm
	for _, e := range types.Entries {
		form := typeForm{kind: e.Name, form: e.Name}
		if e.Numbers {
			form.form, form.dims = e.Name+"(m)", 1
		}
		out = append(out, form)
	}
	for _, f := range types.Forms[1:] {
		out = append(out, typeForm{f.Name, f.Of(types.Real).Written(f.Lengths...), len(f.Lengths)})
	}
	return out
}

// ElemKinds lists what the elements of a vector may be declared to be: entries of the table, and random numbers.
func ElemKinds() []string {
	var out []string
	for _, e := range types.Entries {
		out = append(out, e.Name)
	}
	return append(out, "normal", "uniform")
}

// Kinds lists the kinds of types.
func Kinds() []string {
	var names []string
	for _, f := range typeForms() {
		names = append(names, f.kind)
	}
	return names
}

// Lengths returns the dimensions as written.
func (t TypeExpr) Lengths() []string {
	var out []string
	for _, d := range t.Dims {
		out = append(out, d.String())
	}
	return out
}

// Type returns the type of the table. What the elements of random numbers are is none of it: they are real.
func (t TypeExpr) Type() types.Type {
	if e := types.EntryNamed(t.Kind); e != nil {
		if t.Bounds != nil {
			e = t.Bounds.entry()
		}
		return types.Number.Of(e.With(t.Atoms...))
	}
	form, entry := types.FormNamed(t.Kind), types.EntryNamed(t.Elem)
	if form == nil { // a declaration without a type
		form = types.Number
	}
	if t.Bounds != nil {
		entry = t.Bounds.entry()
	}
	return form.Of(cmp.Or(form.Entries, entry, types.Real))
}

// ParseType reads a type.
func ParseType(text string) (TypeExpr, []Error) {
	if len(text) > 1000 {
		return TypeExpr{}, []Error{{Start: 0, End: len(text), Msg: fmt.Sprintf("type of %d bytes is too long", len(text))}}
	}
	p := &parser{text: text, what: "type"}
	p.tokens = lex(text, &p.errs)
	t := p.typeExpr()
	if len(p.errs) > 0 {
		return TypeExpr{}, p.sorted()
	}
	return t, nil
}

// typeExpr reads [element kind] kind [(dimensions)] and the end of the text. Real numbers may have bounds in parentheses, before the
// kind of a vector or alone.
func (p *parser) typeExpr() TypeExpr {
	var t TypeExpr
	start := p.peek().start
	elem := p.peek()
	if p.text[elem.start:elem.end] == types.Real.Name && len(p.tokens) > 1 && p.tokens[1].kind == '(' {
		p.next()
		if t.Bounds = p.bounds(); p.peek().kind == tokName && !p.isOr() {
			t.Elem = types.Real.Name
		} else {
			t.Kind = types.Real.Name
			return p.endOfType(t, start)
		}
	} else if len(p.tokens) > 1 && elem.kind == tokName && p.tokens[1].kind == tokName && p.text[p.tokens[1].start:p.tokens[1].end] != "or" {
		p.next()
		t.Elem = p.text[elem.start:elem.end]
	}
	kind := p.peek()
	form, dims, ok := p.typeKind(kind)
	if ok {
		t.Kind = p.text[kind.start:kind.end]
		p.elemKind(elem, t)
	}
	if p.peek().kind == '(' {
		t.Dims, t.Plus = p.dims(ok && numbers(t.Kind))
	}
	if ok && len(p.errs) == 0 && p.peek().kind == tokName && numbers(t.Kind) && len(t.Dims) == 1 { // index(m) vector(n)
		vector := p.peek()
		if form, dims, ok = p.typeKind(vector); ok {
			t.Elem, t.Of, t.Kind, t.Dims = t.Kind, t.Dims[0], p.text[vector.start:vector.end], nil
			p.elemKind(kind, t)
			kind = vector
		}
		if p.peek().kind == '(' {
			t.Dims, _ = p.dims(false)
		}
	}
	if ok && len(p.errs) == 0 && len(t.Dims) != dims {
		p.fail(token{start: kind.start, end: max(p.end(), kind.end)}, "", "%s takes %s, not %d: write %s",
			t.Kind, plural(dims, "dimension"), len(t.Dims), form)
	}
	switch {
	case numbers(t.Kind) && len(t.Dims) == 1:
		t.Of, t.Dims = t.Dims[0], nil
	case numbers(t.Elem) && t.Of == (Dim{}) && len(p.errs) == 0:
		p.fail(elem, "", "%s takes 1 dimension: write %s(m) %s", t.Elem, t.Elem, t.Kind)
	}
	return p.endOfType(t, start)
}

func (p *parser) endOfType(t TypeExpr, start int) TypeExpr {
	for p.isOr() {
		p.atom(&t)
	}
	t.span = p.from(start)
	if p.peek().kind != tokEOF {
		p.fail(p.peek(), "", "unexpected %s after the type", p.describe(p.peek()))
	}
	return t
}

// isOr reports whether a number that has a probability of its own comes next.
func (p *parser) isOr() bool {
	t := p.peek()
	return t.kind == tokName && p.text[t.start:t.end] == "or"
}

// atom reads one such number.
func (p *parser) atom(t *TypeExpr) {
	or := p.next()
	x, ok := p.bound()
	switch e := types.EntryNamed(t.Kind); {
	case !ok || len(p.errs) > 0:
	case math.IsInf(x, 0):
		p.fail(or, "", "infinity is no value")
	case e == nil || e.Integer:
		p.fail(or, "write positive or 0, unit or 0 or 1, real(0, 10) or 10", "only a real number has values with a probability of their own besides others, not %s", t.Kind)
	default:
		t.Atoms = append(t.Atoms, x)
	}
}

// numbers reports whether a kind is what numbers the entries of a length.
func numbers(kind string) bool {
	e := types.EntryNamed(kind)
	return e != nil && e.Numbers
}

// boundsHint says how bounds are written.
const boundsHint = "write real(a, b) with two numbers, the first the smaller one; infinity and -infinity stand for no bound"

// bounds reads the bounds of real numbers. After a fault, which it reports, the result may be nil.
func (p *parser) bounds() *Bounds {
	open := p.next()
	lo, ok := p.bound()
	if ok {
		if ok = p.peek().kind == ','; !ok {
			p.fail(p.peek(), boundsHint, `expected ",", not %s`, p.describe(p.peek()))
		} else {
			p.next()
		}
	}
	hi := math.Inf(1)
	if ok {
		hi, ok = p.bound()
	}
	switch {
	case !ok:
	case p.peek().kind != ')':
		p.fail(p.peek(), boundsHint, `expected ")", not %s`, p.describe(p.peek()))
	default:
		p.next()
		if lo < hi {
			return &Bounds{lo, hi}
		}
		p.fail(token{start: open.start, end: p.end()}, boundsHint, "there is no number between %s and %s", types.End(lo), types.End(hi))
		return nil
	}
	p.skip(')')
	p.next()
	return nil
}

// bound reads one bound.
func (p *parser) bound() (x float64, ok bool) {
	sign := 1.0
	if p.peek().kind == '-' {
		p.next()
		sign = -1
	}
	switch t := p.peek(); {
	case t.kind == tokNumber && !math.IsInf(t.value, 0):
		p.next()
		return sign*t.value + 0, true // never -0
	case t.kind == tokName && p.text[t.start:t.end] == types.Infinity:
		p.next()
		return math.Inf(int(sign)), true
	}
	p.fail(p.peek(), boundsHint, "expected a bound, not %s", p.describe(p.peek()))
	return 0, false
}

// typeKind reads the kind of a type and returns how it is written.
func (p *parser) typeKind(t token) (form string, dims int, ok bool) {
	if t.kind != tokName {
		p.fail(t, "types are "+formList(), "expected a type, not %s", p.describe(t))
		return "", 0, false
	}
	p.next()
	text := p.text[t.start:t.end]
	for _, f := range typeForms() {
		if f.kind == text {
			return f.form, f.dims, true
		}
	}
	hint := "types are " + formList()
	if s := diag.Suggest(text, Kinds()); s != "" {
		hint = fmt.Sprintf("did you mean %q? %s", s, hint)
	}
	p.fail(t, hint, "unknown type %q", clip(text))
	return "", 0, false
}

// elemKind checks the word in front of a type.
func (p *parser) elemKind(elem token, t TypeExpr) {
	switch {
	case t.Elem == "":
	case !slices.Contains(ElemKinds(), t.Elem):
		hint := "vectors are of " + strings.Join(ElemKinds(), ", ")
		if s := diag.Suggest(t.Elem, ElemKinds()); s != "" {
			hint = fmt.Sprintf("did you mean %q? %s", s, hint)
		}
		p.fail(elem, hint, "unknown kind of element %q", clip(t.Elem))
	case t.Kind != "vector":
		p.fail(elem, "", "only a vector takes a kind of element, %s does not", t.Kind)
	}
}

// formList returns how the types are written.
func formList() string {
	var forms []string
	for _, f := range typeForms() {
		if forms = append(forms, f.form); f.kind == types.Real.Name {
			forms = append(forms, "real(a, b)")
		}
	}
	return strings.Join(forms, ", ")
}

// plural returns a count with its noun.
func plural(n int, noun string) string {
	switch n {
	case 0:
		return "no " + noun
	case 1:
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// dims reads dimensions in parentheses, and what is added to the last where that may be.
func (p *parser) dims(sum bool) (list []Dim, plus int) {
	open := p.next()
	dims := []Dim{p.dim()}
	for p.peek().kind == ',' {
		p.next()
		dims = append(dims, p.dim())
	}
	if sum && p.peek().kind == '+' {
		p.next()
		plus = p.dim().Size
	}
	switch t := p.peek(); {
	case t.kind == ')':
		p.next()
		return dims, plus
	case t.kind == tokEOF:
		p.fail(open, "", `"(" is never closed`)
	default:
		p.fail(t, "a dimension is a symbol or a positive integer", `expected "," or ")", not %s`, p.describe(t))
	}
	p.skip(')')
	p.next()
	return dims, plus
}

// dim reads a dimension.
func (p *parser) dim() Dim {
	t := p.peek()
	text := p.text[t.start:t.end]
	at := span{t.start, t.end}
	switch {
	case t.kind == tokName && !strings.Contains(text, "."):
		p.next()
		return Dim{span: at, Name: text}
	case t.kind == tokNumber && t.value >= 1 && t.value <= math.MaxInt32 && t.value == math.Trunc(t.value):
		p.next()
		return Dim{span: at, Size: int(t.value)}
	}
	p.fail(t, "a dimension is a symbol or a positive integer", "expected a dimension, not %s", p.describe(t))
	if t.kind != ')' && t.kind != ',' {
		p.next()
	}
	return Dim{span: at}
}
