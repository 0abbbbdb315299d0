package check

import (
	"fmt"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/rewrite"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/spec"
)

const (
	mapPoints  = 20
	mapDecades = 2
	// mapTolerance is the relative error that a parameter may have after a round trip; looseTolerance where the
	// coordinates come back to coordTolerance, and so the parameter is only ill-conditioned.
	mapTolerance   = 1e-6
	looseTolerance = 1e-3
	coordTolerance = 1e-9
)

// families checks the densities of the surrogate and of the target, and the maps of the surrogate.
func (c *checker) families() {
	s := c.p.Spec
	proper := true
	for _, own := range c.ofSurrogate() {
		c.mass(own)
		proper = proper && !c.improper[own.what]
	}
	t := density{
		logPDF: c.ofOneRow(c.p.Target.LogPDF), known: c.one, about: c.atLengths(c.p.Target.Observed()), params: singles(c.targetVariables()), given: c.p.Target.Given,
		support: c.p.Target.Support,
	}
	if s.TargetFamily != nil {
		t.what, t.span, t.part = "family "+s.TargetFamily.Name, s.TargetFamily.LogPartition.Whole(), "log_partition (or what it belongs to)"
	} else {
		t.what, t.span, t.part = "distribution "+s.TargetDist.Name, s.TargetDist.LogPDF.Whole(), "logpdf"
	}
	if s.TargetFamily != s.Surrogate { // else it has been looked at
		c.mass(t)
	}
	if c.p.Mixture != nil && !c.improper[t.what] {
		t.what, t.known, t.params = c.p.Target.Name, c.known, c.targetVariables()
		c.mass(t)
	}
	c.maps(proper)
}

// ofSurrogate are the densities of the families of the surrogate, but of those that are none of their own, with what they draw themselves.
func (c *checker) ofSurrogate() []density {
	factors, specs := c.oneFamily().Factors, c.p.Spec.Surrogate.AllFactors()
	if factors == nil {
		factors = []*bind.Family{c.oneFamily()}
	}
	var out []density
	for i, fam := range factors {
		own := density{
			what: "family " + fam.Name, span: specs[i].Family.LogPartition.Whole(), logPDF: c.familyLogPDF(fam), known: c.one,
			about: []bind.Param{fam.Variable}, params: variables(fam.Params), part: "log_partition (or what it belongs to)",
		}
		if fam.OfColumns {
			own.given = c.p.Target.Given
		}
		if fam.Given == nil || fam.OfColumns {
			out = append(out, own)
		}
	}
	return out
}

// familyLogPDF is log h(x) + eta . t(x) - A.
func (c *checker) familyLogPDF(f *bind.Family) *expr.Node {
	terms := []*expr.Node{f.LogBase, c.g.Neg(f.LogPartition)}
	for i, eta := range f.Natural {
		terms = append(terms, c.product(eta, f.Statistics[i]))
	}
	return c.g.Add(terms...)
}

// product is the inner product of two values of one shape.
func (c *checker) product(x, y *expr.Node) *expr.Node {
	switch x.Type.Rank {
	case 1:
		return c.g.Dot(x, y)
	case 2:
		return c.g.Inner(x, y)
	}
	return c.g.Mul(x, y)
}

// maps checks that both inverse maps of the surrogate undo the maps from the standard parameters. The mean map is the
// derivative of the log-partition through from_natural, so a fault there is looked for first.
func (c *checker) maps(proper bool) {
	fam, err := c.oneCoords()
	if err != nil {
		c.diags.Errorf(c.p.Spec.Surrogate.NameSpan, "%v", err)
		c.sound = false
		return
	}
	if len(c.oneFamily().Params) == 0 { // there is no surrogate
		return
	}
	hint := ""
	if !proper {
		hint = "the density is wrong too, and the mean map is derived from it: mend that first"
	}
	c.sound = c.roundTrip(fam.Natural, "from_natural", "natural", c.p.Spec.Surrogate.FromNatural, "")
	if !c.sound || c.p.Surrogate.OfColumns { // whose mean map has no inverse here
		return
	}
	c.sound = c.roundTrip(fam.Mean, "from_mean", "the mean map", c.p.Spec.Surrogate.FromMean, hint)
	if one := c.oneFamily(); c.sound && one.Given != nil {
		c.meanOfStatistics(one, fam)
	}
	if c.sound && c.p.Mixture != nil {
		c.sound = c.joint()
	}
}

// roundTrip goes from standard parameters to coordinates and back: by the rules, and at points. In a mixture that is a
// matter of one component.
func (c *checker) roundTrip(m derive.Coords, name, forth string, given []spec.Binding, hint string) bool {
	what := fmt.Sprintf("%s of %s", name, c.oneFamily().Name)
	if len(given) == 0 {
		what = fmt.Sprintf("the generated inverse of the mean map of %s", c.oneFamily().Name)
	}
	rng := c.stream(name)
	for range mapPoints {
		p, ok := c.insideAlone(rng, c.declared(), mapDecades)
		if !ok {
			continue
		}
		t := c.trip(m, p)
		if len(given) == 0 && !t.defined() { // the interpreter's Newton is no match for the emitted one
			continue
		}
		c.looked[name]++
		if i := t.wrong(); i >= 0 {
			e := t.worst(i)
			f := c.diags.Errorf(c.defSpan(m, i), "%s does not undo %s: %s = %.9g becomes %.9g at %v",
				what, forth, e.label(c.single[i].name), e.of(t.start[i]), e.of(t.back[i]), t.from)
			if hint != "" {
				f.WithHint("%s", hint)
			}
			return false
		}
	}
	looked := c.looked[name]
	switch {
	case !c.last:
	case looked == 0 && len(given) == 0: // it holds by construction, if Newton's method converges
		c.diags.Notef(diag.Span{}, "%s: the interpreter could not follow %s", c.p.Spec.Package, what)
	case looked == 0:
		c.diags.Warningf(c.p.Spec.Surrogate.NameSpan, "%s could not be verified", what)
	default:
		c.diags.Notef(diag.Span{}, "%s: %s undoes %s%s", c.p.Spec.Package, what, forth, c.certainty(m, nil, looked))
	}
	return true
}

// certainty says in what sense an inverse map is right that is so at all points that have been looked at.
func (c *checker) certainty(m derive.Coords, equal [][2]*expr.Node, looked int) string {
	switch {
	case !c.proved(m, equal):
		return fmt.Sprintf(" at %d points", looked)
	case solved(m):
		return fmt.Sprintf(": proved, and at %d points the root is the right one", looked)
	}
	return ": proved"
}

// defSpan is the place of the definition of a standard parameter.
func (c *checker) defSpan(m derive.Coords, i int) diag.Span {
	for _, d := range m.Defs {
		if d.Sym == c.single[i].sym && !d.Span.IsZero() {
			return d.Span
		}
	}
	return c.p.Spec.Surrogate.NameSpan
}

// trip is a round trip: standard parameters, coordinates, standard parameters, coordinates.
type trip struct {
	from               point
	start, back        []eval.Value
	coords, coordsBack []eval.Value
}

func (c *checker) trip(m derive.Coords, p point) trip {
	n := len(m.ToStd)
	p.vars, p.values = p.vars[:n], p.values[:n]
	t := trip{from: p, start: p.values}
	t.coords = c.coordinates(m, p.env())
	env := point{known: p.known}.env()
	for i, sym := range m.Syms {
		env.Symbols[sym.Name] = t.coords[i]
	}
	t.back = c.values(m.ToStd, env)
	t.coordsBack = c.coordinates(m, point{vars: p.vars, values: t.back, known: p.known}.env())
	return t
}

// defined reports whether all parameters came back as numbers.
func (t trip) defined() bool {
	return !slices.ContainsFunc(t.back, func(v eval.Value) bool { return !allFinite(numbers(v)) })
}

// wrong is the first parameter that does not come back, -1 when all do.
func (t trip) wrong() int {
	same := true
	for i, v := range t.coords {
		same = same && near(v, t.coordsBack[i], coordTolerance)
	}
	for i, v := range t.start {
		if !near(v, t.back[i], mapTolerance) && !(same && near(v, t.back[i], looseTolerance) && misshapen(t.back[i], t.from.vars[i].kind) == "") {
			return i
		}
	}
	return -1
}

// worst is the entry of a parameter that comes back worst.
func (t trip) worst(k int) entry {
	out, most := entry{sym: t.from.vars[k].sym}, -1.0
	r, c := matrix(component(t.start[k], 0)).Dims()
	for i := range r {
		for j := range c {
			e := entry{sym: out.sym, i: i, j: j}
			if off := math.Abs(e.of(t.start[k]) - e.of(t.back[k])); math.IsNaN(off) || off > most {
				out, most = e, off
			}
			if math.IsNaN(most) {
				return out
			}
		}
	}
	return out
}

// near compares two values relative to the largest entry, and below 1e-3 to that, component by component.
func near(a, b eval.Value, tolerance float64) bool {
	for k := range parts(a) {
		if !nearOne(component(a, k), component(b, k), tolerance) {
			return false
		}
	}
	return true
}

func nearOne(a, b eval.Value, tolerance float64) bool {
	x, y := numbers(a), numbers(b)
	size, off := 1e-3, 0.0
	for i := range x {
		if off = math.Max(off, math.Abs(x[i]-y[i])); math.IsNaN(off) {
			return false
		}
		size = math.Max(size, math.Max(math.Abs(x[i]), math.Abs(y[i])))
	}
	return off <= tolerance*size
}

// proved reports whether the rules turn every round trip into the parameter itself. Where a parameter is the solution of
// an equation, it is enough that the parameter solves it: that there is one solution only is left to the points. What is
// known besides is that the left sides are the right ones.
func (c *checker) proved(m derive.Coords, equal [][2]*expr.Node) bool {
	w := rewrite.New(c.g, rewrite.Rules(rewrite.Exact, rewrite.Algebraic))
	for _, e := range equal {
		w.AddIdentity("known", e[0], e[1])
	}
	by := map[*expr.Node]*expr.Node{}
	for i, sym := range m.Syms {
		by[sym] = m.OfStd[i]
	}
	for _, d := range m.Defs {
		if d.Node.Op == expr.Root {
			if !c.solves(w, d, by) {
				return false
			}
			by[d.Sym] = d.Sym
			continue
		}
		if w.Apply(c.logsApart(c.g.Substitute(d.Node, by)))[0] != d.Sym {
			return false
		}
		by[d.Sym] = d.Sym
	}
	return true
}

// solves reports whether a parameter is a solution of the one equation that defines it.
func (c *checker) solves(w *rewrite.Rewriter, d bind.Def, by map[*expr.Node]*expr.Node) bool {
	fn := d.Node.Fn
	if len(fn.Vars) != 1 {
		return false
	}
	at := map[*expr.Node]*expr.Node{fn.Vars[0]: d.Sym}
	for i, p := range fn.Params {
		at[p] = c.g.Substitute(d.Node.Args[i], by)
	}
	return w.Apply(c.logsApart(c.g.Substitute(fn.Eqs[0], at)))[0].Is(0)
}

// solved reports whether some parameter is the solution of an equation.
func solved(m derive.Coords) bool {
	return slices.ContainsFunc(m.Defs, func(d bind.Def) bool { return d.Node.Op == expr.Root })
}

// logsApart writes logarithms of products as sums, so that terms can cancel: what proofs need, and code does not.
func (c *checker) logsApart(n *expr.Node) *expr.Node {
	log, _ := expr.FunctionNamed("log")
	by := map[*expr.Node]*expr.Node{}
	expr.Walk(func(m *expr.Node) {
		if m.Op != log || m.Args[0].Op != expr.Prod {
			return
		}
		sum := c.g.Const(0)
		for i, a := range m.Args[0].Args {
			if !a.Positive() {
				return
			}
			sum = c.g.Add(sum, c.g.Scale(m.Args[0].Coefs[i], c.g.Call(log, a)))
		}
		by[m] = sum
	}, n)
	return c.g.Substitute(n, by)
}

// ofOneRow is a log-density of a row by itself: of a sequence that of the first.
func (c *checker) ofOneRow(logPDF *expr.Node) *expr.Node { return c.g.AtFirst(logPDF) }
