package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/sngdgen/sngdgen/expr/syntax"
)

// draws reads a mapping with the key noise and otherwise names with formulas. The mapping itself is returned too, from
// which the caller reads the other keys.
func (r *reader) draws(n *yaml.Node, what string, other ...string) (*Draws, *object) {
	o := r.object(n, what)
	if o == nil {
		return nil, nil
	}
	d := &Draws{Span: o.span}
	var values []entry
	for _, e := range o.entries {
		switch {
		case e.key == "noise":
			d.Noise = r.noise(e.value)
		case !slices.Contains(other, e.key):
			values = append(values, e)
		}
	}
	if len(values) == 0 {
		r.diags.Errorf(o.span, msgEmpty, what)
	}
	d.Values = r.entries(values, what)
	ns := r.names()
	for _, w := range d.Noise {
		ns.used[w.Name] = "a random number"
	}
	for _, v := range d.Values {
		ns.declare(v.Name, v.NameSpan, "a value")
	}
	return d, o
}

// noise reads a mapping from names to random numbers.
func (r *reader) noise(n *yaml.Node) []Draw {
	o := r.object(n, "noise")
	if o == nil {
		return nil
	}
	if len(n.Content) == 0 {
		r.diags.Errorf(o.span, msgEmpty, "noise")
	}
	var out []Draw
	for _, e := range o.entries {
		good := r.checkName(e.key, e.span)
		if d, ok := r.draw(e.value, e.key); ok && good {
			d.Name, d.NameSpan = e.key, e.span
			out = append(out, d)
		}
	}
	return out
}

// shapePattern finds the type after a random number: "vector(d)" in "normal vector(d)".
var shapePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\s((?:vector|matrix|simplex|spd|corr|lower)\s*(?:\([^()]*\))?)$`)
})

// draw reads a random number: its kind, with parameters in parentheses where it takes some, and a shape.
func (r *reader) draw(n *yaml.Node, name string) (d Draw, ok bool) {
	whole, ok := r.exact(n, name+" in noise", "a random number")
	if !ok {
		return d, false
	}
	d.Span = whole.whole()
	head := whole
	if m := shapePattern().FindStringSubmatchIndex(whole.text); m != nil {
		if d.Shape, ok = r.shape(whole.part(m[2], m[3])); !ok {
			return d, false
		}
		head = whole.part(0, m[0]).trim()
	}
	f := r.parse(head)
	if f == nil {
		return d, false
	}
	switch e := f.Expr.(type) {
	case *syntax.Name:
		d.Kind = e.Name
	case *syntax.Call:
		d.Kind = e.Fun
		if e.Params != nil {
			r.diags.Errorf(f.Span(e), msgDrawForm)
			return d, false
		}
		d.Args, ok = r.args(head, e.Args)
	default:
		r.diags.Errorf(f.Whole(), msgDrawForm)
		return d, false
	}
	return d, ok && r.checkKind(d)
}

// shape reads the type after a random number.
func (r *reader) shape(p place) (syntax.TypeExpr, bool) {
	t, errs := syntax.ParseType(p.text)
	for _, err := range errs {
		r.diags.Errorf(p.span(err.Start, err.End), "%s", err.Msg).WithHint("%s", err.Hint)
	}
	return t, len(errs) == 0
}

// args makes a formula of each argument of a call.
func (r *reader) args(p place, args []syntax.Expr) (out []*Formula, ok bool) {
	for _, a := range args {
		start, end := a.Span()
		arg := r.value(r.parse(p.part(start, end)), "a parameter")
		if arg == nil {
			return nil, false
		}
		out = append(out, arg)
	}
	return out, true
}

// checkKind checks the kind of a random number and how many parameters it has.
func (r *reader) checkKind(d Draw) bool {
	k := Noise(d.Kind)
	switch {
	case k == nil:
		r.diags.Errorf(d.Span, msgDrawKind, d.Kind).
			WithHint("%s", didYouMean(d.Kind, noiseNames())+fmt.Sprintf("known are %s", strings.Join(noiseNames(), ", ")))
	case !slices.Contains(k.Arity, len(d.Args)):
		r.diags.Errorf(d.Span, msgDrawArgs, d.Kind, k.takes(), len(d.Args))
	default:
		return true
	}
	return false
}
