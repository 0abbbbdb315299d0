package spec

import (
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// State is a value that is carried along the rows of the data: what it is in front of the first row, and what it is after a row, in terms
// of what it is in front of that.
type State struct {
	Param
	Start, Next *Formula
}

// Keys of a state.
var stateKeys = []string{"type", "start", "next"}

// states reads what is carried along the rows.
func (r *reader) states(n *yaml.Node, ns *names) []State {
	if n == nil {
		return nil
	}
	o := r.object(n, "state")
	if o == nil {
		return nil
	}
	var out []State
	for _, e := range o.entries {
		declared := ns.declare(e.key, e.span, "a state")
		inner := r.object(e.value, "state "+e.key)
		if inner == nil {
			continue
		}
		inner.only(stateKeys, nil)
		t, p, ok := r.typ(inner.get("type"), "type")
		s := State{Param: Param{e.key, e.span, t, p.whole()}, Start: r.optional(inner, "start"), Next: r.optional(inner, "next")}
		if ok && declared && s.Start != nil && s.Next != nil {
			out = append(out, s)
		}
	}
	return out
}

// series reads which column tells series apart, "" where none does.
func (r *reader) series(o *object, columns []Param) string {
	n := o.get("series")
	if n == nil {
		return ""
	}
	p, ok := r.text(n, "series", "a name")
	i := slices.IndexFunc(columns, func(q Param) bool { return q.Name == p.text })
	switch {
	case !ok:
	case !o.has("state"):
		r.diags.Errorf(o.keySpan("series"), msgSeriesWithoutState).WithHint("state: {s: {type: real, start: 0, next: s + x}}")
	case i < 0:
		r.diags.Errorf(p.whole(), msgNoSeries, p.text).WithHint("declare it: given: {%s: index(G)}", p.text)
	case !ofOneNumber(columns[i].Type):
		r.diags.Errorf(p.whole(), msgSeriesType, p.text)
	default:
		return p.text
	}
	return ""
}

// ofOneNumber reports whether a row has one number of a type, which for data has a first dimension n.
func ofOneNumber(t syntax.TypeExpr) bool {
	return t.Type().Form == types.Number || t.Kind == "vector" && t.Dims[0].Name == rowsName
}

// sequence reads which column tells series apart, and reports what a distribution with a state cannot have.
func (r *reader) sequence(d *Distribution, o *object) {
	d.Series = r.series(o, d.Given)
	if !o.has("state") {
		return
	}
	for _, key := range []string{"mean", "variance", "covariance", "entropy", "expectations", "limits"} {
		if o.has(key) {
			r.diags.Errorf(o.keySpan(key), msgOfSequence, d.Name, key).
				WithHint("what one row has depends on the rows in front of it, which nothing else knows")
		}
	}
}
