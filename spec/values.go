package spec

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/diag"
)

// exact reads a scalar whose bytes must be found in the file: a formula or a type.
func (r *reader) exact(n *yaml.Node, what, noun string) (place, bool) {
	p, ok := r.text(n, what, noun)
	if !ok {
		return p, false
	}
	switch {
	case n.Style&yaml.FoldedStyle != 0:
		at := r.src.Offset(n.Line, n.Column)
		r.diags.Errorf(diag.Span{Source: r.src, Start: at, End: at + 1}, msgFolded, what).
			WithHint("use | instead of > : formulas may go on over several lines")
		return p, false
	case n.Style&yaml.DoubleQuotedStyle != 0 && escaped(r.src.Text[p.at[0]:]):
		r.diags.Errorf(p.whole(), msgEscape, what).WithHint("write it without quotes, or after |")
		return p, false
	}
	return p, true
}

// escaped reports whether a double-quoted text holds a backslash before its end.
func escaped(text []byte) bool {
	i := bytes.IndexAny(text, `"\`)
	return i >= 0 && text[i] == '\\'
}

// parse parses the text at a place and reports faults. It returns nil after a fault.
func (r *reader) parse(p place) *Formula {
	e, errs := syntax.Parse(p.text)
	for _, err := range errs {
		r.diags.Errorf(p.span(err.Start, err.End), "%s", err.Msg).WithHint("%s", err.Hint)
	}
	if len(errs) > 0 {
		return nil
	}
	return &Formula{Text: p.text, Expr: e, File: p.src, at: p.at}
}

// condition reads a formula that may be a comparison.
func (r *reader) condition(n *yaml.Node, what string) *Formula {
	p, ok := r.exact(n, what, "a formula")
	if !ok {
		return nil
	}
	return r.parse(p)
}

// formula reads a formula that is a value.
func (r *reader) formula(n *yaml.Node, what string) *Formula {
	return r.value(r.condition(n, what), what)
}

// value passes on a formula unless it is a comparison.
func (r *reader) value(f *Formula, what string) *Formula {
	if f == nil {
		return nil
	}
	if _, ok := f.Expr.(*syntax.Compare); ok {
		r.diags.Errorf(f.Whole(), msgComparison, what)
		return nil
	}
	return f
}

// formulas reads a list of formulas with the given method.
func (r *reader) formulas(n *yaml.Node, what string, read func(*yaml.Node, string) *Formula) []*Formula {
	var out []*Formula
	for _, item := range r.list(n, what) {
		if f := read(item, "an item of "+what); f != nil {
			out = append(out, f)
		}
	}
	return out
}

// bindings reads a mapping from names to formulas. A name is checked by itself only; those of let and sample are
// declared by the caller.
func (r *reader) bindings(n *yaml.Node, what string) []Binding {
	if n == nil {
		return nil
	}
	o := r.object(n, what)
	if o == nil {
		return nil
	}
	if len(n.Content) == 0 {
		r.diags.Errorf(o.span, msgEmpty, what)
	}
	return r.entries(o.entries, what)
}

// entries reads entries of a mapping as names with formulas.
func (r *reader) entries(entries []entry, what string) []Binding {
	var out []Binding
	for _, e := range entries {
		if !r.checkName(e.key, e.span) {
			continue
		}
		read := r.formula
		if what == "let" { // y > 0 is 1 or 0, and may have a name
			read = r.condition
		}
		if f := read(e.value, e.key+" in "+what); f != nil {
			out = append(out, Binding{e.key, e.span, f})
		}
	}
	return out
}

// typ reads a type.
func (r *reader) typ(n *yaml.Node, what string) (t syntax.TypeExpr, p place, ok bool) {
	if p, ok = r.exact(n, what, "a type"); !ok {
		return t, p, false
	}
	t, errs := syntax.ParseType(p.text)
	for _, err := range errs {
		r.diags.Errorf(p.span(err.Start, err.End), "%s", err.Msg).WithHint("%s", err.Hint)
	}
	if Noise(t.Elem) != nil {
		r.diags.Errorf(p.whole(), msgNoiseType, t.String(), what).WithHint("such vectors stand under noise")
		return t, p, false
	}
	return t, p, len(errs) == 0
}

// params reads a mapping from names to types and declares the names.
func (r *reader) params(n *yaml.Node, what, each string, ns *names) []Param {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.MappingNode && !r.broken[n] && !isNull(n) {
		r.diags.Errorf(r.span(n), msgWrongKind, what, "a mapping", describe(n)).
			WithHint("write names with their types: %s: {a: real, b: positive}", what)
		return nil
	}
	o := r.object(n, what)
	if o == nil {
		return nil
	}
	if len(n.Content) == 0 {
		r.diags.Errorf(o.span, msgEmpty, what)
	}
	var out []Param
	for _, e := range o.entries {
		declared := ns.declare(e.key, e.span, each)
		if t, p, ok := r.typ(e.value, e.key); ok && declared {
			out = append(out, Param{e.key, e.span, t, p.whole()})
		}
	}
	return out
}

// variable reads the declaration of the one variable of a family.
func (r *reader) variable(o *object, ns *names) Param {
	n := o.get("variable")
	ps := r.params(n, "variable", "the variable", ns)
	if n != nil && n.Kind == yaml.MappingNode && len(n.Content) > 2 {
		r.diags.Errorf(r.span(n), msgOneVariable, o.what, len(n.Content)/2).
			WithHint("several numbers that are observed together are one vector")
	}
	if len(ps) == 0 {
		return Param{}
	}
	return ps[0]
}

// observed reads the declarations of the variables of a distribution, the first of them apart. Several are columns of the data: a
// number or a vector each.
func (r *reader) observed(o *object, ns *names) (first Param, beside []Param) {
	n, each := o.get("variable"), "the variable"
	if n != nil && len(n.Content) > 2 { // a key and a value each
		each = "a variable"
	}
	ps := r.params(n, "variable", each, ns)
	if len(ps) > 1 {
		ps = r.columns(ps, msgBesideType, "what is observed together is a number or a vector for each row, such as count or vector(d)")
	}
	if len(ps) == 0 {
		return Param{}, nil
	}
	return ps[0], ps[1:]
}

// let reads local definitions and declares their names.
func (r *reader) let(o *object, ns *names) []Binding {
	return r.declared(o, "let", "a definition under let", ns)
}

// declared reads the mapping from names to formulas that a key has, and declares the names.
func (r *reader) declared(o *object, key, each string, ns *names) []Binding {
	var out []Binding
	for _, b := range r.bindings(o.get(key), key) {
		if ns.declare(b.Name, b.NameSpan, each) {
			out = append(out, b)
		}
	}
	return out
}

// doc reads the doc of a document.
func (r *reader) doc(o *object) string {
	p, _ := r.text(o.get("doc"), "doc", "a text")
	return cleanDoc(p.text)
}

// name reads the name of a definition.
func (r *reader) name(o *object, key string) (name string, p place) {
	p, ok := r.text(o.get(key), key, "a name")
	if !ok || !r.checkDefinition(p) {
		return "", p
	}
	return p.text, p
}

// checkDefinition checks the name of a family or a distribution. No such name is reserved.
func (r *reader) checkDefinition(p place) bool {
	if isName(p.text) {
		return true
	}
	r.diags.Errorf(p.whole(), msgBadName, clip(p.text)).
		WithHint("a name is a letter followed by letters, digits and _, at most 64 of them")
	return false
}

// clip shortens a text that is quoted in a message.
func clip(s string) string {
	const limit = 60
	if runes := []rune(strings.ToValidUTF8(s, "?")); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return s
}
