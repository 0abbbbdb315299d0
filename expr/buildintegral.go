package expr

import (
	"math"

	"github.com/sngdgen/sngdgen/expr/syntax"
)

// An Approximation is an integral or a series, which is the sum of finitely many terms: known values of a rule times the integrand at its
// nodes, or the first terms. Its derivatives are those of this sum, digit for digit, so that an optimiser sees the derivative of what it
// minimises; they are the integrals of derivatives, and what limits contribute, as far as the rule is exact.
type Approximation struct {
	What       string // integral or series
	Start, End int    // of its text
	Terms      *Node  // a vector
	// Finer makes the terms of a rule with more nodes, whose difference is the estimate of the error.
	Finer func() *Node
}

// A rule is a change of variables in which an integral is that of a function over the whole line that vanishes quickly at both ends, where
// equal weights are best: that of Takahasi and Mori (1974), in which it vanishes as exp(-exp|v|). It knows no place where integrands have to
// be smooth but the inside: ends may be singularities, or infinite. Nodes are v = k*step; they end where less than the share small of an
// interval, or of a line with scale 1, is left.
type rule struct {
	place        func(v float64) (u, du float64)
	step         float64
	small, large float64 // of u, where nodes end
}

// quadrature has the rules: for (0, 1), (0, inf) and (-inf, inf), and finer ones. With infinite ends, nodes are spread over all scales,
// and there have to be more.
var quadrature = map[string][2]rule{
	"interval": {{unitPlace, 1.0 / 8, 1e-32, 1 - 0x1p-50}, {unitPlace, 1.0 / 16, 1e-40, 1 - 0x1p-52}},
	"half":     {{halfPlace, 1.0 / 16, 1e-17, 1e16}, {halfPlace, 1.0 / 32, 1e-25, 1e24}},
	"line":     {{linePlace, 1.0 / 16, -1e16, 1e16}, {linePlace, 1.0 / 32, -1e24, 1e24}},
}

func unitPlace(v float64) (u, du float64) {
	e := math.Exp(-math.Pi * math.Abs(math.Sinh(v)))
	u = 1 / (1 + e)
	if v < 0 {
		u = e / (1 + e)
	}
	return u, math.Pi * math.Cosh(v) * e / ((1 + e) * (1 + e))
}

func halfPlace(v float64) (u, du float64) {
	u = math.Exp(math.Pi / 2 * math.Sinh(v))
	return u, u * math.Pi / 2 * math.Cosh(v)
}

func linePlace(v float64) (u, du float64) {
	w := math.Pi / 2 * math.Sinh(v)
	return math.Sinh(w), math.Cosh(w) * math.Pi / 2 * math.Cosh(v)
}

// nodes are the nodes and weights, in their order.
func (r rule) nodes() (at, weights []float64) {
	first, last := 0, 0
	for u, _ := r.place(float64(first) * r.step); u > r.small; u, _ = r.place(float64(first) * r.step) {
		first--
	}
	for u, _ := r.place(float64(last) * r.step); u < r.large; u, _ = r.place(float64(last) * r.step) {
		last++
	}
	for k := first + 1; k < last; k++ {
		u, du := r.place(float64(k) * r.step)
		at, weights = append(at, u), append(weights, r.step*du)
	}
	return at, weights
}

// integral builds integral(u in (a, b), f).
func (b *Builder) integral(e *syntax.Call) *Node {
	const form = "write integral(u in (a, b), f), with inf or -inf for an infinite end"
	if len(e.Args) < 2 || len(e.Args) > 3 || !isIn(e.Args[0]) {
		return b.Fail(e, form, "an integral takes a name in an interval, a function of it, and optionally how many times as many nodes")
	}
	in := e.Args[0].(*syntax.In)
	over, ok := in.Over.(*syntax.Interval)
	if !ok {
		return b.Fail(in, form, "an integral goes over an interval")
	}
	times, ok := b.times(e.Args[2:])
	if !ok || b.isTaken(in.Name) {
		return nil
	}
	lo, loInf := b.end(over.Lo, -1)
	hi, hiInf := b.end(over.Hi, 1)
	if !loInf && lo == nil || !hiInf && hi == nil {
		return nil
	}
	facts := Facts{Range: Real}
	if !loInf {
		facts.Range.Lo = lo.Facts.Range.Lo
	}
	if !hiInf {
		facts.Range.Hi = hi.Facts.Range.Hi
	}
	if facts.Range.Empty() {
		return b.Fail(over, "", "the interval is empty")
	}
	u := b.G.Fresh(in.Name.Name, Scalar, facts)
	f := b.termOf(e.Args[1], in.Name.Name, u, "integral")
	if f == nil {
		return nil
	}
	terms := func(level int) *Node {
		at, weights := b.nodesOf(lo, hi, level, times)
		w := &widener{g: b.G, j: u, length: at.Type.Dims[0], at: at, known: map[*Node]*Node{}}
		if values := w.of(f); values != nil {
			return b.G.Mul(weights, values)
		}
		return nil
	}
	return b.approximation("integral", e, terms)
}

// mostTimes is how many times as many nodes a formula may ask for.
const mostTimes = 32

// times reads how many times as many nodes there are to be.
func (b *Builder) times(of []syntax.Expr) (int, bool) {
	if len(of) == 0 {
		return 1, true
	}
	n := b.Build(of[0])
	if n == nil {
		return 0, false
	}
	v, known := n.IsConst()
	if !known || v != math.Trunc(v) || v < 1 || v > mostTimes {
		b.Fail(of[0], "", "how many times as many nodes is a whole number from 1 to %d", mostTimes)
		return 0, false
	}
	return int(v), true
}

// end builds an end of an interval; infinite says that there is none.
func (b *Builder) end(e syntax.Expr, sign float64) (n *Node, infinite bool) {
	of := e
	if minus, ok := e.(*syntax.Unary); ok && minus.Op == '-' && sign < 0 {
		of = minus.X
	}
	if name, ok := of.(*syntax.Name); ok && name.Name == "inf" && (of != e) == (sign < 0) && b.Scope.Names["inf"] == nil {
		return nil, true
	}
	if n = b.Build(e); n != nil && n.Type.Rank > 0 {
		return b.Fail(e, "", "the end of an interval is a number, this is a %v", n.Type), false
	}
	return n, false
}

// nodesOf are the nodes of a rule between two ends, nil for an infinite one, and the weights.
func (b *Builder) nodesOf(lo, hi *Node, level, times int) (at, weights *Node) {
	kind, g := "interval", b.G
	switch {
	case lo == nil && hi == nil:
		kind = "line"
	case lo == nil || hi == nil:
		kind = "half"
	}
	r := quadrature[kind][level]
	r.step /= float64(times)
	u, w := r.nodes()
	at, weights = g.Table(u), g.Table(w)
	switch {
	case lo == nil && hi == nil:
		return at, weights
	case lo == nil:
		return g.Sub(hi, at), weights
	case hi == nil:
		return g.Add(lo, at), weights
	}
	return g.Add(lo, g.Mul(g.Sub(hi, lo), at)), g.Mul(g.Sub(hi, lo), weights)
}

// termsOfSeries are how many terms of a series are added up, and how many by the finer rule.
var termsOfSeries = [2]int{200, 1000}

// series builds series(k from 0, f): the sum of its first terms.
func (b *Builder) series(e *syntax.Call) *Node {
	const form = "write series(k from 0, f)"
	if len(e.Args) != 2 || !isIn(e.Args[0]) {
		return b.Fail(e, form, "a series takes a name from a whole number on, and a function of it")
	}
	in := e.Args[0].(*syntax.In)
	over, ok := in.Over.(*syntax.Onward)
	if !ok {
		return b.Fail(in, form, "a series begins at a whole number")
	}
	if b.isTaken(in.Name) {
		return nil
	}
	first := b.Build(over.From)
	if first == nil {
		return nil
	}
	from, known := first.IsConst()
	if !known || from != math.Trunc(from) || math.Abs(from) > 1e6 {
		return b.Fail(over, "such as series(k from 0, f)", "a series begins at a whole number")
	}
	k := b.G.Fresh(in.Name.Name, Scalar, Facts{Range: Range{Lo: from, Hi: math.Inf(1), HiOpen: true}, Integer: true})
	f := b.termOf(e.Args[1], in.Name.Name, k, "series")
	if f == nil {
		return nil
	}
	terms := func(level int) *Node {
		length := Dim{Size: termsOfSeries[level]}
		w := &widener{g: b.G, j: k, from: int(from), length: length, known: map[*Node]*Node{}}
		if values := w.of(f); values != nil {
			return b.G.Spread(values, Vector(length))
		}
		return nil
	}
	return b.approximation("series", e, terms)
}

// approximation is the sum of the terms at the level that the builder is asked for, which it notes.
func (b *Builder) approximation(what string, e *syntax.Call, terms func(level int) *Node) *Node {
	level := 0
	if b.Finer {
		level = 1
	}
	own := terms(level)
	if own == nil {
		return b.Fail(e.Args[1], "", "there is no loop for the terms of this %s: it is made of sums, products, powers and functions of numbers", what)
	}
	start, end := e.Span()
	b.Approximations = append(b.Approximations, Approximation{What: what, Start: start, End: end, Terms: own, Finer: func() *Node { return terms(1) }})
	return b.G.Total(own)
}
