package spec

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/sngdgen/sngdgen/expr/syntax"
)

// noiseKinds gives the random numbers and how many parameters each takes.
var noiseKinds = []struct {
	name  string
	arity []int
	takes string
}{
	{"normal", []int{0}, "no parameters"},
	{"uniform", []int{0, 2}, "no parameters, or 2"},
	{"exponential", []int{0}, "no parameters"},
	{"gamma", []int{1, 2}, "1 or 2 parameters"},
	{"poisson", []int{1}, "1 parameter"},
}

// NoiseKinds lists the random numbers: the standard normal and exponential ones, uniform or uniform(a, b),
// gamma(shape) or gamma(shape, rate), and poisson(mean).
func NoiseKinds() []string {
	out := make([]string, len(noiseKinds))
	for i, k := range noiseKinds {
		out[i] = k.name
	}
	return out
}

// draws reads a mapping with the key noise and otherwise names with formulas. The mapping itself is returned too.
func (r *reader) draws(n *yaml.Node, what string) (*Draws, *object) {
	o := r.object(n, what)
	if o == nil {
		return nil, nil
	}
	d := &Draws{Span: o.span}
	var values []entry
	for _, e := range o.entries {
		if e.key != "noise" {
			values = append(values, e)
			continue
		}
		d.Noise = r.noise(e.value)
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
var shapePattern = regexp.MustCompile(`\s((?:vector|matrix|simplex|spd|corr|lower)\s*(?:\([^()]*\))?)$`)

// draw reads a random number: its kind, with parameters in parentheses where it takes some, and a shape.
func (r *reader) draw(n *yaml.Node, name string) (d Draw, ok bool) {
	whole, ok := r.exact(n, name+" in noise", "a random number")
	if !ok {
		return d, false
	}
	d.Span = whole.whole()
	head := whole
	if m := shapePattern.FindStringSubmatchIndex(whole.text); m != nil {
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
	for _, k := range noiseKinds {
		if k.name != d.Kind {
			continue
		}
		for _, n := range k.arity {
			if n == len(d.Args) {
				return true
			}
		}
		r.diags.Errorf(d.Span, msgDrawArgs, d.Kind, k.takes, len(d.Args))
		return false
	}
	r.diags.Errorf(d.Span, msgDrawKind, d.Kind).
		WithHint("%s", didYouMean(d.Kind, NoiseKinds())+fmt.Sprintf("known are %s", strings.Join(NoiseKinds(), ", ")))
	return false
}
