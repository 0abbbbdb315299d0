package check

import (
	"math"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// domainPoints is how many points of the domain the map is looked at.
const domainPoints = 200

// domain checks that the declared domain has points, and that the map sends all of them to parameters of the target. It
// returns false when there is no point from which to check anything else.
func (c *checker) domain() bool {
	rng := c.stream("domain")
	var points []point
	for range domainPoints {
		p, ok := c.inside(rng, c.declared(), 1)
		if !ok {
			break
		}
		points = append(points, p)
	}
	if len(points) == 0 {
		c.diags.Errorf(c.whereSpan(), "no point of the domain was found in %d draws%s", maxTries, c.lengthsText()).
			WithHint("the conditions under where may contradict each other")
		return false
	}
	c.leaves(points)
	if _, ok := c.inside(rng, c.d.Surrogate.Conditions, 1); !ok {
		c.diags.Errorf(c.p.Spec.MapSpan, "no point of the domain was found that the map sends to parameters of %s, in %d draws%s",
			c.targetName(), maxTries, c.lengthsText())
		return false
	}
	return true
}

func (c *checker) whereSpan() diag.Span {
	if len(c.p.Where) > 0 {
		return c.p.Where[0].Span
	}
	return c.p.Spec.MapSpan
}

// leaves warns of parameters of the target that the map sends outside their type. It is no error: the generated code
// makes a condition of the domain of it. But the domain may then be of a shape that nobody has thought about, and the
// paper's results are about maps into the parameters of the target (appendix on validity). Diagonals and sums that must
// be 1 are no condition of the domain: there it is an error.
func (c *checker) leaves(points []point) {
	needs := make([]need, len(c.p.Map))
	for i, t := range c.p.Map {
		needs[i] = need{c, t.Node, c.p.Target.Params[i].Kind}
	}
	common := commonHint(needs, points)
	for i, t := range c.p.Map {
		if c.leavesForm(t, needs[i], points[0]) {
			continue
		}
		bad, count := -1, 0
		for k, p := range points {
			if !needs[i].met(p) {
				bad, count = k, count+1
			}
		}
		if count == 0 {
			continue
		}
		hint := common
		if hint == "" {
			hint = strings.Join(needs[i].conditions(), ", ")
		}
		at, name := c.culprit(points[bad], func(p point) bool { return !needs[i].met(p) }), derive.Plain(t.Sym.Name)
		f := c.diags.Warningf(t.Span, "the map leaves the parameters of %s: %s = %s at %v, but %s is %s (so at %d of %d points)",
			c.targetName(), name, text(c.valueOf(t.Node, at.env()), 6), at, name, c.p.Target.Params[i].Kind.Name, count, len(points))
		if hint != "" {
			f.WithHint("add `where: [%s]`; as it is, the generated code takes the type of %s as a condition of the domain", hint, name)
		}
	}
}

// leavesForm reports a value of the wrong form.
func (c *checker) leavesForm(t bind.Def, n need, at point) bool {
	form := func(p point) string { return misshapen(c.valueOf(t.Node, p.env()), n.kind) }
	at = c.culprit(at, func(p point) bool { return form(p) != "" })
	what := form(at)
	if what == "" {
		return false
	}
	name := derive.Plain(t.Sym.Name)
	f := c.diags.Errorf(t.Span, "the map leaves the parameters of %s: %s is %s, but %s at %v",
		c.targetName(), name, n.kind.Name, what, at)
	if n.kind.Structure&expr.UnitDiagonal != 0 {
		f.WithHint("corr(A) is the correlation matrix of a covariance matrix A")
	} else {
		f.WithHint("%s must be positive numbers of sum 1, such as p/total(p)", name)
	}
	return true
}

// need is what a parameter of the target asks of the map.
type need struct {
	c    *checker
	node *expr.Node
	kind expr.Kind
}

func (n need) met(p point) bool {
	r, f := n.kind.Range, n.node.Facts
	if n.node.Type.Rank == 0 && f.Range.Within(r) && r != expr.Real { // proved: only rounding can reach an end
		return true
	}
	return ofKind(n.c.valueOf(n.node, p.env()), n.kind)
}

// conditions spells the need as conditions of the language, as far as the facts do not grant them: those of the type, or
// else those under which the functions in the formula have values.
func (n need) conditions() []string {
	if out := n.ends(); len(out) > 0 {
		return out
	}
	var out []string
	expr.Walk(func(m *expr.Node) {
		if _, _, ok := m.Conditional(); ok {
			return
		}
		for i, a := range m.Args {
			if m.Op.Elementwise() {
				out = append(out, need{n.c, a, numberIn(m.Op.Domain[i])}.ends()...)
			}
		}
	}, n.node)
	return out
}

// ends compares the node with those ends of its range that the facts do not keep it from.
func (n need) ends() []string {
	if n.node.Type.Rank > 0 { // conditions are about numbers
		return nil
	}
	var out []string
	have := n.node.Facts.Range
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	if lo := n.kind.Range.Lo; !math.IsInf(lo, 0) && !(expr.Range{Lo: have.Lo, LoOpen: have.LoOpen, Hi: lo, HiOpen: true}).Empty() {
		out = append(out, n.node.String()+" > "+number(lo))
	}
	if hi := n.kind.Range.Hi; !math.IsInf(hi, 0) && !(expr.Range{Lo: hi, LoOpen: true, Hi: have.Hi, HiOpen: have.HiOpen}).Empty() {
		out = append(out, n.node.String()+" < "+number(hi))
	}
	return out
}

// commonHint is the shortest need of one parameter that at all points grants those of all others; empty when there is
// none. For r = alpha/(1 - beta) and s = beta it is beta < 1.
func commonHint(needs []need, points []point) string {
	best := ""
	for _, n := range needs {
		text := strings.Join(n.conditions(), ", ")
		if text == "" || best != "" && len(text) >= len(best) {
			continue
		}
		if n.grants(needs, points) {
			best = text
		}
	}
	return best
}

// grants reports whether all needs are met where this one is, and that it is somewhere.
func (n need) grants(needs []need, points []point) bool {
	some := false
	for _, p := range points {
		if !n.met(p) {
			continue
		}
		some = true
		for _, other := range needs {
			if !other.met(p) {
				return false
			}
		}
	}
	return some
}

// numberIn is what numbers of a range are.
func numberIn(r expr.Range) expr.Kind {
	k := expr.KindOf(types.Number.Of(types.Real))
	k.Facts = expr.In(r)
	return k
}
