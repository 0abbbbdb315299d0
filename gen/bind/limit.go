package bind

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/spec"
)

// Limit is a limit of the target: a distribution with parameters of its own. Parameters that the map sets to numbers are
// numbers in its formulas.
type Limit struct {
	Spec   *spec.Limit
	Params []Param // those that are estimated
	// LogPDF is that of one row. It may depend on all rows, through summaries.
	LogPDF *expr.Node
	// Path gives the parameters of the target, in their order, in terms of Params and Scale: as Scale goes to infinity the
	// target tends to the limit.
	Path        []Def
	From        []Def // Params in terms of the parameters of the target, the way back; nil where the spec does not say it
	Scale       *expr.Node
	Starts      []Draws
	RandomStart *Draws
}

// limits binds the limits of the target that the problem has: those of which the map estimates all parameters that leave
// their domain. The likelihood of a mixture is not that of its components, and no more has a posterior the limits of what
// approximates it.
func (b *binder) limits(p *spec.Problem, out *Problem) []*Limit {
	if p.TargetDist == nil || out.Mixture != nil || out.Variational != nil || b.diags.HasErrors() {
		return nil
	}
	var list []*Limit
	d := p.TargetDist
	b.within(d, func() {
		for i := range d.Limits {
			if l := b.limit(&d.Limits[i], d, out); l != nil {
				list = append(list, l)
			}
		}
	})
	return list
}

// limit binds one limit; nil where it does not apply, or is faulty.
func (b *binder) limit(s *spec.Limit, d *spec.Distribution, out *Problem) *Limit {
	prefix := "limit." + s.Name + "."
	l := &Limit{Spec: s, Scale: b.g.Sym(prefix+spec.LimitScale, expr.Scalar, expr.In(expr.Positive))}
	l.Params = b.limitParameters(s, prefix)
	path := b.pathOf(s, out.Target)
	if path == nil || len(l.Params) < len(s.Parameters) {
		return nil
	}
	known, applies := b.knownInLimit(out, path, l)
	b.reductions = true
	defer func() { b.reductions = false }()
	what := "limit " + s.Name
	data := nameMap(out.Target.Record())
	data[expr.Rows.String()] = b.count()
	names := nameMap(l.Params)
	for name, n := range data {
		names[name] = n
	}
	names = b.let(s.Let, "let of "+what, names)
	b.inLet = true // one row is what the density is of
	l.LogPDF = b.number(s.LogPDF, "logpdf of "+what, names)
	b.inLet = false
	atScale := copyNames(names)
	atScale[spec.LimitScale] = l.Scale
	for _, t := range out.Target.Params {
		x := path[t.Name]
		n := b.shaped(b.build(x.Formula, "path of "+what, atScale, t.Sym.Facts), t.Sym.Type, x.Formula, t.Name)
		l.Path = append(l.Path, Def{Name: t.Name, Sym: t.Sym, Node: n, Span: x.Formula.Whole()})
	}
	b.ended(s, l)
	l.From = b.limitFrom(s, l, out.Target, data)
	b.inStart = true
	for _, start := range s.Starts {
		l.Starts = append(l.Starts, *b.limitStart(start, "start of "+what, data, l.Params))
	}
	if s.RandomStart != nil {
		l.RandomStart = b.limitStart(*s.RandomStart, randomStart, data, l.Params)
	}
	b.inStart = false
	if b.diags.HasErrors() || !applies {
		return nil
	}
	l.substitute(b.g, known)
	return l
}

// limitParameters binds the parameters of a limit, whose dimensions are those of the target.
func (b *binder) limitParameters(s *spec.Limit, prefix string) []Param {
	var known []spec.Param
	for _, p := range s.Parameters {
		for _, dim := range p.Type.Dims {
			if _, ok := b.dims[dim.Name]; !ok && dim.Name != "" {
				b.diags.Errorf(p.TypeSpan, "unknown dimension %q", dim.Name).WithHint("a limit has the dimensions of its distribution")
				return nil
			}
		}
		known = append(known, p)
	}
	return b.parameters(known, prefix)
}

// pathOf are the formulas of the path by parameter of the target, nil after a fault: each has one.
func (b *binder) pathOf(s *spec.Limit, target *Density) map[string]spec.Binding {
	names := paramNames(target.Params)
	given := map[string]spec.Binding{}
	ok := true
	known := func(name string) bool { return slices.Contains(names, name) }
	for _, x := range s.Path {
		if given[x.Name] = x; !known(x.Name) {
			b.diags.Errorf(x.NameSpan, "distribution %s has no parameter %q", target.Name, x.Name).WithHint("%s", didYouMean(x.Name, names))
			ok = false
		}
	}
	for _, e := range s.When {
		if !known(e.Name) {
			b.diags.Errorf(e.NameSpan, "distribution %s has no parameter %q", target.Name, e.Name).WithHint("%s", didYouMean(e.Name, names))
			ok = false
		}
	}
	for _, name := range names {
		if _, there := given[name]; !there && len(s.Path) > 0 {
			b.diags.Errorf(s.NameSpan, "the path of limit %s does not say what %q is", s.Name, name).
				WithHint("path has a formula for each parameter of %s", target.Name)
			ok = false
		}
	}
	if !ok {
		return nil
	}
	return given
}

// limitFrom binds the way back from the target to the limit.
func (b *binder) limitFrom(s *spec.Limit, l *Limit, target *Density, data map[string]*expr.Node) (defs []Def) {
	if s.From == nil {
		return nil
	}
	what := "from of limit " + s.Name
	names, own := nameMap(target.Params), paramNames(l.Params)
	for name, n := range data {
		names[name] = n
	}
	for _, x := range s.From {
		if !slices.Contains(own, x.Name) {
			b.diags.Errorf(x.NameSpan, "%s sets %q, which is no parameter of the limit", what, x.Name).WithHint("%s", didYouMean(x.Name, own))
		}
	}
	for _, q := range l.Params {
		i := slices.IndexFunc(s.From, func(x spec.Binding) bool { return x.Name == q.Name })
		if i < 0 {
			b.diags.Errorf(s.From[0].NameSpan, "%s does not set %q", what, q.Name)
			continue
		}
		f := s.From[i].Formula
		n := b.shaped(b.build(f, what, names, q.Sym.Facts), q.Sym.Type, f, q.Name)
		defs = append(defs, Def{Name: q.Name, Sym: q.Sym, Node: n, Span: f.Whole()})
	}
	return defs
}

// ended checks that what leaves its domain depends on the scale, and does not end inside.
func (b *binder) ended(s *spec.Limit, l *Limit) {
	for _, e := range s.When {
		i := slices.IndexFunc(l.Path, func(d Def) bool { return d.Name == e.Name })
		if n := l.Path[i].Node; n != nil && !expr.Depends(n, l.Scale) {
			b.diags.Errorf(l.Path[i].Span, "%q goes to %s, but its path does not depend on %s", e.Name, e.To(), spec.LimitScale).
				WithHint("%s is the number that goes to infinity", spec.LimitScale)
		}
		if l.Path[i].Sym.Type.Rank == 2 { // the range is that of entries
			continue
		}
		r := l.Path[i].Sym.Facts.Range
		if inside := r.Contains(e.Value) && !math.IsInf(e.Value, 0); inside {
			b.diags.Errorf(e.Span, "%s = %s is no limit: %q is a parameter that may have this value", e.Name, e.To(), e.Name)
		} else if e.Value < r.Lo || e.Value > r.Hi {
			b.diags.Errorf(e.Span, "%q cannot go to %s: it lies in %v", e.Name, e.To(), r)
		}
	}
}

// knownInLimit finds the parameters of the limit that are known because the map sets parameters of the target to numbers:
// those that the path gives as they are. Where another one is set to a number the limit is out of reach.
func (b *binder) knownInLimit(out *Problem, path map[string]spec.Binding, l *Limit) (known map[*expr.Node]*expr.Node, applies bool) {
	known, applies = map[*expr.Node]*expr.Node{}, true
	own := nameMap(l.Params)
	for _, t := range out.Map {
		if t.Node == nil || t.Node.Op != expr.Const {
			continue
		}
		name := t.Sym.Name[strings.LastIndexByte(t.Sym.Name, '.')+1:]
		same, ok := exprOf(path[name].Formula).(*syntax.Name)
		if !ok || own[same.Name] == nil {
			applies = false
			continue
		}
		known[own[same.Name]] = t.Node
	}
	return known, applies
}

// limitStart binds a starting point of a limit: a value for each of its parameters, and what several of these have in common.
func (b *binder) limitStart(s spec.Start, what string, data map[string]*expr.Node, params []Param) *Draws {
	own, locals := nameMap(params), map[string]*expr.Node{}
	d := b.draws(s.Noise, s.Values, what, data, func(name string, n *expr.Node) *expr.Node {
		if own[name] != nil {
			return own[name]
		}
		if locals[name] == nil && n != nil {
			locals[name] = b.g.Sym(fmt.Sprintf("%s.%d.%s", what, s.Span.Start, name), n.Type, n.Facts)
		}
		return locals[name]
	})
	given := map[string]bool{}
	for _, v := range s.Values {
		if own[v.Name] == nil && !used(locals[v.Name], d.Values) {
			b.diags.Errorf(v.NameSpan, "%s sets %q, which is no parameter of the limit", what, v.Name).
				WithHint("%s", didYouMean(v.Name, paramNames(params)))
		}
		given[v.Name] = true
	}
	for _, p := range params {
		if !given[p.Name] {
			b.diags.Errorf(s.Span, "%s does not set %q", what, p.Name)
		}
	}
	return d
}

// substitute puts numbers in the place of known parameters.
func (l *Limit) substitute(g *expr.Graph, known map[*expr.Node]*expr.Node) {
	if len(known) == 0 {
		return
	}
	isKnown := func(sym *expr.Node) bool { return known[sym] != nil }
	l.Params = slices.DeleteFunc(l.Params, func(p Param) bool { return isKnown(p.Sym) })
	l.From = slices.DeleteFunc(l.From, func(d Def) bool { return isKnown(d.Sym) })
	l.LogPDF = g.Substitute(l.LogPDF, known)
	for i := range l.Path {
		l.Path[i].Node = g.Substitute(l.Path[i].Node, known)
	}
	starts := l.Starts
	if l.RandomStart != nil {
		starts = append(starts, *l.RandomStart)
	}
	for i := range starts {
		starts[i].Values = slices.DeleteFunc(starts[i].Values, func(d Def) bool { return isKnown(d.Sym) })
		for j := range starts[i].Values {
			starts[i].Values[j].Node = g.Substitute(starts[i].Values[j].Node, known)
		}
	}
	if l.RandomStart != nil {
		*l.RandomStart = starts[len(starts)-1]
		l.Starts = starts[:len(starts)-1]
	}
}

func paramNames(ps []Param) []string {
	var out []string
	for _, p := range ps {
		out = append(out, p.Name)
	}
	return out
}
