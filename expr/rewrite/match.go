package rewrite

import (
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// bindings say what the names of a pattern stand for.
type bindings map[string]*expr.Node

func (b bindings) with(name string, n *expr.Node) bindings {
	out := make(bindings, len(b)+1)
	for k, v := range b {
		out[k] = v
	}
	out[name] = n
	return out
}

// matcher matches patterns with nodes of a graph. Matching may succeed in several ways: every way is passed to a
// continuation, until one returns true.
type matcher struct {
	g *expr.Graph
	// literal patterns are nodes of the graph itself: their symbols match only themselves.
	literal bool
}

type yield func(bindings) bool

// match calls k for the ways in which the whole of n matches the pattern.
func (m matcher) match(p, n *expr.Node, b bindings, k yield) bool {
	if m.literal && p == n {
		return k(b)
	}
	switch p.Op {
	case expr.Sym:
		return m.variable(p, n, b, k)
	case expr.Const:
		return n.Is(p.Const) && k(b)
	case expr.Lin, expr.Prod:
		return m.whole(p, n, b, k)
	}
	if p.Op != n.Op || p.Axis != n.Axis || p.Fn != n.Fn || p.Index != n.Index {
		return false
	}
	return m.operands(p.Args, n.Args, b, k)
}

func (m matcher) variable(p, n *expr.Node, b bindings, k yield) bool {
	if m.literal || isSize(p) {
		return p.Name == n.Name && n.IsSym() && k(b)
	}
	if old, ok := b[p.Name]; ok {
		return old == n && k(b)
	}
	return k(b.with(p.Name, n))
}

// isSize reports whether p is the size of an axis, which stands for itself in patterns.
func isSize(p *expr.Node) bool { return p.Name == expr.Rows.String() }

func (m matcher) operands(ps, ns []*expr.Node, b bindings, k yield) bool {
	if len(ps) == 0 {
		return k(b)
	}
	return m.match(ps[0], ns[0], b, func(b bindings) bool { return m.operands(ps[1:], ns[1:], b, k) })
}

// part calls k for the ways in which the pattern, a sum or a product, matches part of n; rest is what is left of n, and
// scale the factor (of a sum) by which the pattern was found.
func (m matcher) part(p, n *expr.Node, k func(b bindings, rest *expr.Node, scale float64) bool) bool {
	if p.Op != n.Op {
		return false
	}
	if p.Op == expr.Prod {
		return m.collect(p, n, 1, true, bindings{}, k)
	}
	for _, scale := range m.scales(p, n) {
		if m.collect(p, n, scale, true, bindings{}, k) {
			return true
		}
	}
	return false
}

// scales lists the factors at which a sum could contain the pattern: ratios of the coefficients of the first term of the
// pattern and of the terms that may match it.
func (m matcher) scales(p, n *expr.Node) []float64 {
	first := p.Args[0]
	any := first.IsSym() && !m.literal
	var out []float64
	for i, c := range n.Coefs {
		if s := c / p.Coefs[0]; (any || n.Args[i].Op == first.Op) && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// whole matches all of n with a sum or product: one name of the pattern takes what the others leave.
func (m matcher) whole(p, n *expr.Node, b bindings, k yield) bool {
	if p.Op != n.Op {
		return false
	}
	return m.collect(p, n, 1, false, b, func(b bindings, rest *expr.Node, _ float64) bool { return k(b) })
}

// collect matches the terms of p with terms of n, hardest first, and names that are left with the remainder.
func (m matcher) collect(p, n *expr.Node, scale float64, partial bool, b bindings, k func(bindings, *expr.Node, float64) bool) bool {
	if p.Op == expr.Lin && p.Const != 0 && n.Const != scale*p.Const {
		return false // a pattern with a constant needs that very constant
	}
	c := collector{matcher: m, p: p, n: n, scale: scale, partial: partial, k: k}
	var free []int // names of the pattern, matched last
	for i, a := range p.Args {
		if a.IsSym() && !m.literal {
			free = append(free, i)
		} else {
			c.hard = append(c.hard, i)
		}
	}
	slices.SortStableFunc(c.hard, func(i, j int) int { return size(p.Args[i]) - size(p.Args[j]) })
	c.free = free
	c.used = make([]bool, len(n.Args))
	return c.matchHard(0, b)
}

func size(n *expr.Node) int {
	count := 0
	expr.Walk(func(*expr.Node) { count++ }, n)
	return count
}

type collector struct {
	matcher
	p, n       *expr.Node
	scale      float64
	partial    bool
	hard, free []int
	used       []bool
	k          func(bindings, *expr.Node, float64) bool
}

// coefficient is what a term of n must carry to match term i of the pattern.
func (c *collector) coefficient(i int) float64 { return c.scale * c.p.Coefs[i] }

func (c *collector) matchHard(at int, b bindings) bool {
	if at == len(c.hard) {
		return c.matchFree(c.free, b)
	}
	i := c.hard[at]
	for j, a := range c.n.Args {
		if c.used[j] || c.n.Coefs[j] != c.coefficient(i) {
			continue
		}
		c.used[j] = true
		if c.match(c.p.Args[i], a, b, func(b bindings) bool { return c.matchHard(at+1, b) }) {
			return true
		}
		c.used[j] = false
	}
	return false
}

// matchFree matches the names of the pattern: those already bound must be contained in what is left; of the others, all
// but the last take one term each, and the last takes the remainder.
func (c *collector) matchFree(free []int, b bindings) bool {
	if len(free) == 0 {
		return c.finish(c.rest(), b)
	}
	for at, i := range free {
		if bound, ok := b[c.p.Args[i].Name]; ok {
			return c.takeBound(bound, c.coefficient(i), func() bool { return c.matchFree(without(free, at), b) })
		}
	}
	i := free[0]
	if len(free) == 1 {
		rest := c.unraised(c.rest(), c.coefficient(i))
		if rest == nil {
			return false
		}
		return c.match(c.p.Args[i], rest, b, func(b bindings) bool { return c.finish(nil, b) })
	}
	for j, a := range c.n.Args {
		if c.used[j] {
			continue
		}
		c.used[j] = true
		one := c.term(j, a)
		if c.coefficient(i) == 1 && c.match(c.p.Args[i], one, b, func(b bindings) bool { return c.matchFree(free[1:], b) }) {
			return true
		}
		c.used[j] = false
	}
	return false
}

// unraised is what a lone name with an exponent stands for: in log(x^2) it is the square root of the operand. All powers
// must be whole multiples of the exponent, or x^-1 would find y/z to be (z/y)^-1, without end; and just the exponent
// where that is a fraction, or sqrt(x) would find y to be sqrt(y^2). In a sum, a name that is subtracted stands for what
// is subtracted: all other terms.
func (c *collector) unraised(rest *expr.Node, e float64) *expr.Node {
	switch {
	case rest == nil || e == 1:
		return rest
	case c.p.Op == expr.Lin && e == -1 && subtracted(rest):
		return c.g.Neg(rest)
	case c.p.Op != expr.Prod || rest.Op != expr.Prod:
		return nil
	}
	exps := slices.Clone(rest.Coefs)
	for i := range exps {
		if exps[i] /= e; exps[i] < 1 || exps[i] != math.Trunc(exps[i]) || math.Abs(e) < 1 && exps[i] != 1 {
			return nil
		}
	}
	return c.g.Prod(exps, rest.Args)
}

// subtracted reports whether all terms of a sum are subtracted.
func subtracted(n *expr.Node) bool {
	return n.Op == expr.Lin && n.Const <= 0 && !slices.ContainsFunc(n.Coefs, func(c float64) bool { return c > 0 })
}

func without(x []int, at int) []int {
	return append(slices.Clone(x[:at]), x[at+1:]...)
}

// term is one term of n with its coefficient.
func (c *collector) term(j int, a *expr.Node) *expr.Node {
	if c.p.Op == expr.Prod {
		return c.g.Prod([]float64{c.n.Coefs[j]}, []*expr.Node{a})
	}
	return c.g.Scale(c.n.Coefs[j], a)
}

// takeBound marks the terms of a bound name as used, if they are all there.
func (c *collector) takeBound(bound *expr.Node, coef float64, then func() bool) bool {
	args, coefs := []*expr.Node{bound}, []float64{1}
	if bound.Op == c.p.Op {
		if bound.Const != 0 {
			return false
		}
		args, coefs = bound.Args, bound.Coefs
	}
	var taken []int
	for i, a := range args {
		for j, d := range c.n.Args {
			if d == a && !c.used[j] && c.n.Coefs[j] == coef*coefs[i] {
				c.used[j] = true
				taken = append(taken, j)
				break
			}
		}
	}
	if len(taken) == len(args) && then() {
		return true
	}
	for _, j := range taken {
		c.used[j] = false
	}
	return false
}

// rest is what is left of n, nil when nothing is.
func (c *collector) rest() *expr.Node {
	var args []*expr.Node
	var coefs []float64
	for j, a := range c.n.Args {
		if !c.used[j] {
			args, coefs = append(args, a), append(coefs, c.n.Coefs[j])
		}
	}
	if c.p.Op == expr.Prod {
		if len(args) == 0 {
			return nil
		}
		return c.g.Prod(coefs, args)
	}
	left := c.n.Const - c.scale*c.p.Const
	if len(args) == 0 && left == 0 {
		return nil
	}
	return c.g.Lin(left, coefs, args)
}

// finish accepts a match: a whole match leaves nothing.
func (c *collector) finish(rest *expr.Node, b bindings) bool {
	if !c.partial && rest != nil {
		return false
	}
	return c.k(b, rest, c.scale)
}
