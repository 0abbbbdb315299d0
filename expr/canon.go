package expr

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// Sums and products have one spelling each: a linear combination Lin (constant + sum of coefficient times operand) and a
// product of constant powers Prod. Negation, subtraction, scaling, division, squares and square roots are all written
// with these two, operands sorted and merged, so that cancellation happens by construction.

// Lin returns constant + sum_i coefs[i]*args[i].
func (g *Graph) Lin(constant float64, coefs []float64, args []*Node) *Node {
	shape := mustBroadcast(opLin, args)
	acc := g.newTerms()
	defer g.done(acc)
	for i, a := range args {
		constant += acc.addScaled(coefs[i], a)
	}
	acc.finish()
	if shape.Rank > 0 {
		return g.shapedLin(constant, acc, shape)
	}
	return g.lin(constant, acc)
}

// lin is the node of a sum of merged terms.
func (g *Graph) lin(constant float64, acc *terms) *Node {
	switch {
	case len(acc.args) == 0:
		return g.Const(constant)
	case len(acc.args) == 1 && constant == 0 && acc.coefs[0] == 1:
		return acc.args[0]
	}
	return g.internTerms(opLin, constant, acc)
}

// mustBroadcast is the type of a sum or a product of its operands. Axes of operands that have cancelled leave no trace in
// the type of the node, since equal nodes must have equal types; the shape stays.
func mustBroadcast(op *Op, args []*Node) Type {
	t, err := broadcast(args)
	if err != nil {
		panic("expr: " + op.Name + ": " + err.Error())
	}
	return t
}

// Add returns the sum of its operands.
func (g *Graph) Add(args ...*Node) *Node { return g.Lin(0, ones(len(args)), args) }

// Sub returns a - b.
func (g *Graph) Sub(a, b *Node) *Node { return g.Lin(0, []float64{1, -1}, []*Node{a, b}) }

// Scale returns c*a.
func (g *Graph) Scale(c float64, a *Node) *Node { return g.Lin(0, []float64{c}, []*Node{a}) }

// Neg returns -a.
func (g *Graph) Neg(a *Node) *Node { return g.Scale(-1, a) }

// terms collects pairs of a number and an operand, merging equal operands.
type terms struct {
	index   map[term]int // of all terms, once there are many
	args    []*Node
	coefs   []float64
	divides []bool
}

// term is an operand; one that divides is kept apart where merging it could hide a division by zero.
type term struct {
	operand *Node
	divides bool
}

// newTerms returns an empty collection, in memory of one that is done with: sums and products are built all the time, most of them of
// terms whose node is there already.
func (g *Graph) newTerms() *terms {
	last := len(g.spare) - 1
	if last < 0 {
		return &terms{}
	}
	t := g.spare[last]
	g.spare = g.spare[:last]
	t.index, t.args, t.coefs, t.divides = nil, t.args[:0], t.coefs[:0], t.divides[:0]
	return t
}

// done gives a collection back.
func (g *Graph) done(t *terms) { g.spare = append(g.spare, t) }

// fewTerms is how many terms are found as fast one by one as by an index.
const fewTerms = 16

func (t *terms) add(c float64, a term) {
	if i := t.find(a); i >= 0 {
		t.coefs[i] += c
		return
	}
	if t.index != nil {
		t.index[a] = len(t.args)
	}
	t.args, t.coefs, t.divides = append(t.args, a.operand), append(t.coefs, c), append(t.divides, a.divides)
	if t.index == nil && len(t.args) > fewTerms {
		t.index = make(map[term]int, 2*len(t.args))
		for i, b := range t.args {
			t.index[term{b, t.divides[i]}] = i
		}
	}
}

// find is the place of a term, -1 when it is new.
func (t *terms) find(a term) int {
	if t.index != nil {
		if i, ok := t.index[a]; ok {
			return i
		}
		return -1
	}
	for i, b := range t.args {
		if b == a.operand && t.divides[i] == a.divides {
			return i
		}
	}
	return -1
}

// addScaled adds c*a, flattening a linear combination; it returns what that adds to the constant.
func (t *terms) addScaled(c float64, a *Node) float64 {
	switch a.Op {
	case opConst:
		return c * a.Const
	case opLin:
		for i, b := range a.Args {
			t.add(c*a.Coefs[i], term{operand: b})
		}
		return c * a.Const
	}
	t.add(c, term{operand: a})
	return 0
}

// finish drops terms with coefficient 0 and sorts the others.
func (t *terms) finish() {
	n := 0
	for i, c := range t.coefs {
		if c != 0 {
			t.args[n], t.coefs[n], t.divides[n] = t.args[i], c, t.divides[i]
			n++
		}
	}
	t.index, t.args, t.coefs, t.divides = nil, t.args[:n], t.coefs[:n], t.divides[:n]
	sort.Sort(t)
}

// Len, Less and Swap sort terms by operand, then by coefficient.
func (t *terms) Len() int { return len(t.args) }

func (t *terms) Less(i, j int) bool {
	return cmp.Or(t.args[i].ID-t.args[j].ID, cmp.Compare(t.coefs[i], t.coefs[j])) < 0
}

func (t *terms) Swap(i, j int) {
	t.args[i], t.args[j] = t.args[j], t.args[i]
	t.coefs[i], t.coefs[j] = t.coefs[j], t.coefs[i]
	t.divides[i], t.divides[j] = t.divides[j], t.divides[i]
}

// Prod returns the product of args[i]^exps[i].
func (g *Graph) Prod(exps []float64, args []*Node) *Node {
	shape := mustBroadcast(opProd, args)
	p := product{coef: 1, terms: g.newTerms()}
	defer g.done(p.terms)
	for i, a := range args {
		p.multiply(g, exps[i], a)
	}
	p.terms.finish()
	if p.coef == 0 {
		return g.Const(0)
	}
	if n := g.absorbed(p.terms); n != nil {
		return g.Scale(p.coef, g.Spread(n, shape))
	}
	if shape.Rank > 0 && !p.terms.shaped() {
		p.terms.add(1, term{operand: g.Ones(shape)})
		p.terms.finish()
	}
	if !p.simple() {
		return g.Scale(p.coef, g.Prod(p.terms.coefs, p.terms.args))
	}
	var n *Node
	switch {
	case len(p.terms.args) == 0:
		return g.Const(p.coef)
	case len(p.terms.args) == 1 && p.terms.coefs[0] == 1:
		n = p.terms.args[0]
	default:
		n = g.power(p.terms)
	}
	return g.Scale(p.coef, n)
}

// power is the node of a product of powers in canonical form.
func (g *Graph) power(t *terms) *Node { return g.tabled(g.internTerms(opProd, 0, t)) }

// product is a product under construction: a number times powers.
type product struct {
	coef  float64
	terms *terms
}

// multiply multiplies by a^e, as far as that never gives a value where there was none: x^2*x^-1 becomes x only where x
// is known not to be 0, and fractional powers are merged or taken apart only where the base is known to be nonnegative.
func (p *product) multiply(g *Graph, e float64, a *Node) {
	switch {
	case e == 0 || isOnes(a):
	case a.Op == opConst:
		p.coef *= math.Pow(a.Const, e)
	case scaled(e, a):
		p.coef *= math.Pow(a.Coefs[0], e)
		p.multiply(g, e, a.Args[0])
	case splits(e, a):
		for i, b := range a.Args {
			p.multiply(g, e*a.Coefs[i], b)
		}
	case flips(e, a):
		// Keep the sign outside, so that x - y and y - x are one base.
		p.coef *= math.Pow(-1, e)
		p.power(g, e, g.Neg(a))
	default:
		p.power(g, e, a)
	}
}

// power multiplies by a^e. A fractional power of what may be negative is an operand of its own, so that all other
// exponents of a product are whole or belong to nonnegative operands, and whole powers of a product may be taken apart.
func (p *product) power(g *Graph, e float64, a *Node) {
	if (a.Op == equalOp || a.Op == lessOp) && e > 0 { // 0 or 1
		if p.terms.find(term{operand: a}) < 0 {
			p.terms.add(1, term{operand: a})
		}
		return
	}
	if !whole(e) && !a.Nonnegative() {
		if n, ok := g.number(a); ok {
			a = n
		}
		e, a = math.Copysign(1, e), g.power(&terms{args: []*Node{a}, coefs: []float64{math.Abs(e)}})
	}
	p.terms.add(e, term{a, e < 0 && !a.Nonzero()})
}

// opaque reports whether a product is a fractional power of what may be negative.
func opaque(a *Node) bool {
	return len(a.Args) == 1 && !whole(a.Coefs[0]) && !a.Args[0].Nonnegative()
}

// simple reports whether no power of the product can be taken apart: merging sqrt(x^2)*sqrt(x^2) makes one that can.
func (p *product) simple() bool {
	for i, a := range p.terms.args {
		if e := p.terms.coefs[i]; scaled(e, a) || splits(e, a) || flips(e, a) {
			return false
		}
	}
	return true
}

func whole(e float64) bool { return e == math.Trunc(e) }

// scaled reports whether the coefficient of c*x leaves the power a^e.
func scaled(e float64, a *Node) bool {
	return a.Op == opLin && len(a.Args) == 1 && a.Const == 0 && (whole(e) || a.Coefs[0] > 0)
}

// splits reports whether the power a^e of a product is the product of powers.
func splits(e float64, a *Node) bool {
	return a.Op == opProd && (whole(e) && !opaque(a) || allNonnegative(a.Args))
}

// flips reports whether the sign of a sum leaves the power a^e.
func flips(e float64, a *Node) bool { return a.Op == opLin && whole(e) && prefersNegated(a) }

// Mul returns the product of its operands.
func (g *Graph) Mul(args ...*Node) *Node { return g.Prod(ones(len(args)), args) }

// Div returns a/b.
func (g *Graph) Div(a, b *Node) *Node { return g.Prod([]float64{1, -1}, []*Node{a, b}) }

// Pow returns x^y: a product of constant powers where y is a number, otherwise an operation of its own.
func (g *Graph) Pow(x, y *Node) *Node {
	if e, ok := y.IsConst(); ok {
		return g.Prod([]float64{e}, []*Node{x})
	}
	t := mustBroadcast(opPow, []*Node{x, y})
	if t.Rank > 0 {
		args, all := g.unspread([]*Node{x, y})
		if all || args[1] != y {
			return g.Spread(g.Pow(args[0], args[1]), t)
		}
		x = args[0]
	}
	if x.Is(1) {
		return g.Spread(x, t)
	}
	return g.tabled(g.intern(Node{Op: opPow, Args: []*Node{x, y}, Type: t}))
}

// Sum returns the sum of x over an axis; over the rows every row counts with its weight. A value without the axis is
// the same in every row: its sum is the value times the size of the axis. The canonical form sums products only: a sum
// of sums is taken apart and what does not vary leaves the sum, so that what depends on the data alone can be computed
// once for a data set. (One loop computes all sums of one stage anyway.)
func (g *Graph) Sum(axis Axes, x *Node) *Node {
	if !x.Type.Axes.Has(axis) {
		return g.Mul(g.Size(axis), x)
	}
	switch x.Op {
	case opSum:
		if axis == Components && x.Type.Rank == 0 { // the sum over the rows stands outside
			return g.Sum(x.Axis, g.Sum(axis, x.Args[0]))
		}
	case opSoftmax:
		if x.Axis == axis {
			return g.Const(1)
		}
	case opScan:
		return g.series(x.Fn, x.Args, 0)
	case opLin:
		parts := make([]*Node, len(x.Args))
		for i, a := range x.Args {
			parts[i] = g.Sum(axis, a)
		}
		return g.Add(g.Scale(x.Const, g.Size(axis)), g.Lin(0, x.Coefs, parts))
	case opProd:
		if outside, inside := g.split(axis, x); outside != nil {
			return g.Mul(outside, g.Sum(axis, inside))
		}
		if m := g.sumAttained(axis, x); m != nil {
			return m
		}
	}
	if axis == Rows { // the components of a mixture are few: sums of numbers stay sums of numbers
		if m := g.sumLinear(axis, x); m != nil {
			return m
		}
	}
	if t := g.transposedOuter(x); t != nil {
		s := g.intern(Node{Op: opSum, Args: []*Node{t}, Axis: axis, Type: t.Type.without(axis)})
		return g.intern(Node{Op: Transpose, Args: []*Node{s}, Type: x.Type.without(axis)})
	}
	return g.intern(Node{Op: opSum, Args: []*Node{x}, Axis: axis, Type: x.Type.without(axis)})
}

// sumAttained multiplies out a sum among the factors of which terms are 0 in all rows but one, as the derivative of a maximum over the rows is; nil where there is none.
// What these are multiplied with is often known only after another pass over the rows, and leaves the sum like this; no digits are lost, as in all other rows there
// is nothing that could cancel.
func (g *Graph) sumAttained(axis Axes, x *Node) *Node {
	attained := func(n *Node) bool { return n.attained(axis) }
	for i, a := range x.Args {
		if a.Op != opLin || x.Coefs[i] != 1 || !slices.ContainsFunc(a.Args, attained) {
			continue
		}
		var parts []*Node
		factors, rest := g.factorsBut(x, i), []*Node{g.Const(a.Const)}
		for j, t := range a.Args {
			if term := g.Scale(a.Coefs[j], t); attained(t) {
				parts = append(parts, g.Sum(axis, g.Mul(factors, term)))
			} else {
				rest = append(rest, term)
			}
		}
		return g.Add(append(parts, g.Sum(axis, g.Mul(factors, g.Add(rest...))))...)
	}
	return nil
}

// attained reports whether a value is 0 in all rows of the axis but one.
func (n *Node) attained(axis Axes) bool {
	if n.Op != opProd {
		return n.Op == opAttained && n.Axis == axis
	}
	for i, a := range n.Args {
		if n.Coefs[i] > 0 && a.attained(axis) {
			return true
		}
	}
	return false
}

// transposedOuter is the transpose of an outer product whose factors are not in order, so that a sum of them and the sum of
// their transposes are one; nil for anything else.
func (g *Graph) transposedOuter(x *Node) *Node {
	if _, core := g.Bare(x); core.Op != Outer || !older(core.Args[1], core.Args[0]) {
		return nil
	}
	return g.Transpose(x)
}

// split separates the factors of a product that do not vary over the axis; nil when all do.
func (g *Graph) split(axis Axes, x *Node) (outside, inside *Node) {
	var out, in []*Node
	var outExps, inExps []float64
	for i, a := range x.Args {
		if a.Type.Axes.Has(axis) {
			in, inExps = append(in, a), append(inExps, x.Coefs[i])
		} else {
			out, outExps = append(out, a), append(outExps, x.Coefs[i])
		}
	}
	if len(out) == 0 {
		return nil, x
	}
	return g.Prod(outExps, out), g.Prod(inExps, in)
}

// Size returns the size of an axis: the total weight of the rows, the number of components or of draws. The number of
// components is a name that no dimension has.
func (g *Graph) Size(axis Axes) *Node {
	if axis == Rows {
		return g.Sym(axis.String(), Scalar, In(Positive))
	}
	name := axis.String()
	if axis == Components && g.components != "" {
		name = g.components
	}
	return g.Sym("size."+name, Scalar, Facts{Range: Positive, Integer: true})
}

// Call applies an elementwise function of the table; constants are folded.
func (g *Graph) Call(op *Op, args ...*Node) *Node {
	if len(args) != op.Arity {
		panic("expr: " + op.Name + ": wrong number of operands")
	}
	if op == whereOp {
		return g.Where(args[0], args[1])
	}
	return g.call(op, args, mustBroadcast(op, args))
}

// call is the node of a function of operands in canonical form.
func (g *Graph) call(op *Op, args []*Node, t Type) *Node {
	if t.Rank > 0 {
		numbers, all := g.unspread(args)
		if all {
			return g.Spread(g.Call(op, numbers...), t)
		}
		args = numbers
	}
	if v, ok := foldConst(op, args); ok {
		return g.Const(v)
	}
	return g.tabled(g.intern(Node{Op: op, Args: slices.Clone(args), Type: t}))
}

func foldConst(op *Op, args []*Node) (float64, bool) {
	x := make([]float64, len(args))
	for i, a := range args {
		v, ok := a.IsConst()
		if !ok {
			return 0, false
		}
		x[i] = v
	}
	v := op.Eval(x)
	return v, !math.IsNaN(v) && !math.IsInf(v, 0)
}

// Roots returns the solution of the equations: one node for each unknown. The operands are the values of the
// parameters of fn, in their order.
func (g *Graph) Roots(fn *Lambda, args []*Node) []*Node {
	out := make([]*Node, len(fn.Vars))
	for i := range out {
		out[i] = g.root(fn, args, i)
	}
	return out
}

func (g *Graph) root(fn *Lambda, args []*Node, index int) *Node {
	t, err := broadcast(args)
	if fn.Shaped() { // the unknowns have shapes of their own
		t, err = fn.Vars[index].Type, nil
		for _, a := range args {
			t = t.Over(a.Type.Axes)
		}
	}
	if err != nil {
		panic("expr: root: " + err.Error())
	}
	return g.intern(Node{Op: opRoot, Args: slices.Clone(args), Fn: fn, Index: index, Type: t})
}

// manyOnes are what ones takes, as nobody writes to them.
var manyOnes = newOnes(64)

func ones(n int) []float64 {
	if n <= len(manyOnes) {
		return manyOnes[:n:n]
	}
	return newOnes(n)
}

func newOnes(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// prefersNegated decides between a linear combination and its negative: the positive one of the two where that is
// known, otherwise the one whose first coefficient is positive.
func prefersNegated(a *Node) bool {
	if a.Nonnegative() {
		return false
	}
	return a.Facts.Range.Within(Nonpositive) || a.Coefs[0] < 0
}

func allNonnegative(args []*Node) bool {
	return !slices.ContainsFunc(args, func(a *Node) bool { return !a.Nonnegative() })
}
