package expr

import (
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime/special"
)

// where(c, x) is x where c is not 0, and 0 elsewhere, whatever x is there: also where x has no value. A product c*x is not, as 0*log(0)
// is NaN. Its derivative is a product, of where(c, 1) and the derivative of x, which may have no value either. So the canonical form of
// products is what makes it safe: a factor where(c, x) takes in all other factors that may not be finite, and leaves out those that are.
// What is finite wherever symbols are, as c*(y - mu)^2, is an ordinary product, of which sums over the rows are taken apart as always.

var whereOp = &Op{Name: "where", Arity: 2, Doc: "y where x is not 0, and 0 elsewhere, whatever y is there; where(x, y, z) is z there",
	Domain: []Range{UnitClosed, Real}, Range: Real,
	Eval: func(x []float64) float64 { return special.Where(x[0], x[1]) }, Binary: special.Where, Partials: []string{"0", "where(x, 1)"},
	factRule: func(n *Node) (Range, bool) { return n.Args[1].Facts.Range.hull(Point(0)), n.Args[1].Facts.Integer },
	Go:       "special.Where", LaTeX: `\left[#1\right]\left(#2\right)`, Cost: 1}

// IsWhere reports whether an operation is that of Where.
func IsWhere(o *Op) bool { return o == whereOp }

// Where returns x where c is not 0, and 0 elsewhere.
func (g *Graph) Where(c, x *Node) *Node {
	t := mustBroadcast(whereOp, []*Node{c, x})
	if v, ok := c.IsConst(); ok {
		if v == 0 {
			x = g.Const(0)
		}
		return g.Spread(x, t)
	}
	switch {
	case x.Is(1):
	case !x.wildOver(c.Type):
		return g.Mul(x, g.Where(c, g.Const(1)))
	case scaled(1, x):
		return g.Scale(x.Coefs[0], g.Where(c, x.Args[0]))
	case x.Op == whereOp:
		return g.Where(g.both(c, x.Args[0]), x.Args[1])
	case x.Op == opProd:
		if outside, inside := x.tame(c.Type); len(outside) > 0 {
			return g.Mul(g.factors(x, outside), g.Where(c, g.factors(x, inside)))
		}
	}
	return g.call(whereOp, []*Node{c, x}, t)
}

// Conditional returns the condition of a where, and its value where that holds.
func (n *Node) Conditional() (c, x *Node, ok bool) {
	if n.Op != whereOp {
		return nil, nil, false
	}
	return n.Args[0], n.Args[1], true
}

// WhereElse returns x where c is not 0, and y elsewhere.
func (g *Graph) WhereElse(c, x, y *Node) *Node {
	return g.Add(g.Where(c, x), g.Where(g.not(c), y))
}

// not is 1 where c is 0, and 0 elsewhere.
func (g *Graph) not(c *Node) *Node {
	if c.isCondition() {
		return g.Sub(g.Const(1), c)
	}
	return g.Call(equalOp, c, g.Const(0))
}

// isCondition reports whether a number is known to be 0 or 1.
func (n *Node) isCondition() bool { return n.Facts.Integer && n.Facts.Range.Within(UnitClosed) }

// both is not 0 where neither of two conditions is.
func (g *Graph) both(a, b *Node) *Node {
	var all []*Node
	for _, c := range []*Node{a, b} {
		if c.Op == opProd && !slices.ContainsFunc(c.Coefs, func(e float64) bool { return e != 1 }) {
			all = append(all, c.Args...)
		} else {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b *Node) int { return a.ID - b.ID })
	return g.Mul(slices.Compact(all)...)
}

// tame splits the factors of a product, by their places, into those that are finite wherever symbols are, or do not vary with the
// condition, and the others.
func (n *Node) tame(condition Type) (outside, inside []int) {
	for i, a := range n.Args {
		if wildPower(n.Coefs[i], a) && sharesAxis(a, condition) {
			inside = append(inside, i)
		} else {
			outside = append(outside, i)
		}
	}
	return outside, inside
}

// factors is the product of some factors of a product.
func (g *Graph) factors(n *Node, places []int) *Node {
	exps, args := make([]float64, len(places)), make([]*Node, len(places))
	for i, k := range places {
		exps[i], args[i] = n.Coefs[k], n.Args[k]
	}
	return g.Prod(exps, args)
}

// absorbed returns the product of merged terms in which where(c, x) and factors that may not be finite meet; nil when none do.
func (g *Graph) absorbed(t *terms) *Node {
	if !g.conditional {
		return nil
	}
	var conditions []*Node
	gates, sum := 0, -1
	for i, a := range t.args {
		switch {
		case isGate(t.coefs[i], a):
			conditions = append(conditions, a.Args[0])
			gates++
		case t.coefs[i] == 1 && isSumOfGates(a):
			sum = i
		}
	}
	if gates > 0 {
		return g.joined(t, conditions)
	}
	if sum >= 0 {
		return g.distributed(t, sum)
	}
	return nil
}

// joined puts the factors of a product that may not be finite into the one where(c, x) that its conditions make.
func (g *Graph) joined(t *terms, conditions []*Node) *Node {
	c := conditions[0]
	for _, other := range conditions[1:] {
		c = g.both(c, other)
	}
	var in, out []*Node
	var inExps, outExps []float64
	changed := len(conditions) > 1
	for i, a := range t.args {
		e := t.coefs[i]
		switch {
		case isGate(e, a):
			in, inExps = append(in, a.Args[1]), append(inExps, e)
			changed = changed || e != 1
		case wildPower(e, a) && sharesAxis(a, c.Type):
			in, inExps = append(in, a), append(inExps, e)
			changed = true
		default:
			out, outExps = append(out, a), append(outExps, e)
		}
	}
	if !changed {
		return nil
	}
	return g.Mul(g.Prod(outExps, out), g.Where(c, g.Prod(inExps, in)))
}

// distributed multiplies out a sum whose terms are all where(c, x), where a factor may not be finite: what the cotangents of a value that
// is used twice add up to.
func (g *Graph) distributed(t *terms, sum int) *Node {
	var in, out []*Node
	var inExps, outExps []float64
	for i, a := range t.args {
		switch e := t.coefs[i]; {
		case i == sum:
		case wildPower(e, a) && sharesAxis(a, t.args[sum].Type):
			in, inExps = append(in, a), append(inExps, e)
		default:
			out, outExps = append(out, a), append(outExps, e)
		}
	}
	if len(in) == 0 {
		return nil
	}
	rest := g.Prod(inExps, in)
	parts := make([]*Node, len(t.args[sum].Args))
	for k, a := range t.args[sum].Args {
		parts[k] = g.Mul(a, rest)
	}
	return g.Mul(g.Prod(outExps, out), g.Lin(0, t.args[sum].Coefs, parts))
}

// isGate reports whether a power is where(c, x)^e, which is where(c, x^e).
func isGate(e float64, a *Node) bool {
	return a.Op == whereOp && e > 0 && (whole(e) || a.Args[1].Nonnegative())
}

// isSumOfGates reports whether every term of a sum has a factor where(c, x).
func isSumOfGates(a *Node) bool {
	if a.Op != opLin || a.Const != 0 {
		return false
	}
	return !slices.ContainsFunc(a.Args, func(b *Node) bool {
		if b.Op != opProd {
			return !isGate(1, b)
		}
		for i, f := range b.Args {
			if isGate(b.Coefs[i], f) {
				return false
			}
		}
		return true
	})
}

// wildOver reports whether a value may not be finite in some places along the axes or in some entries of a condition and be so in others. What
// does not vary along them is in the same way in all.
func (n *Node) wildOver(condition Type) bool { return n.Facts.Wild && sharesAxis(n, condition) }

func sharesAxis(n *Node, condition Type) bool {
	return condition.Axes == 0 && condition.Rank == 0 || n.Type.Axes&condition.Axes != 0 || n.Type.Rank > 0 && condition.Rank > 0
}

// wildPower reports whether a power may not be finite.
func wildPower(e float64, a *Node) bool { return a.Facts.Wild || e < 0 || !whole(e) }

// isWild reports whether a value may not be finite where symbols are finite, but for overflow of sums and products of these.
func isWild(n *Node) bool {
	if slices.ContainsFunc(n.Args, func(a *Node) bool { return a.Facts.Wild }) {
		return true
	}
	switch n.Op {
	case opProd:
		return slices.ContainsFunc(n.Coefs, func(e float64) bool { return e < 0 || !whole(e) })
	case opPow, opRoot, opScan, opSeries, opExpectation, opLogJoint, opLogJointGradient, Inv, LogDet, Chol:
		return true
	}
	return n.Op.Elementwise() && !n.Op.finite()
}

// finite reports whether a function is finite for all finite numbers: one that is bounded and defined for all, or one of few others.
func (o *Op) finite() bool {
	if o.Own != nil {
		return false
	}
	for _, d := range o.Domain {
		if d != Real && d != UnitClosed {
			return false
		}
	}
	return !math.IsInf(o.Range.Lo, 0) && !math.IsInf(o.Range.Hi, 0) ||
		slices.Contains([]string{"abs", "min", "max", "difference", "softplus", "log_sigmoid", "logaddexp", "asinh", "where"}, o.Name)
}
