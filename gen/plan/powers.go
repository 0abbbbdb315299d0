package plan

import (
	"math"

	"github.com/sngdgen/sngdgen/expr"
)

// powers makes powers of one positive base whose exponents differ by a small whole number one power: x^(a - 1) is x^a/x. And the
// logarithm of a product with data is that of the data, which are the same at every step, and that of the rest, which is the same for
// all rows.
func (p *planner) powers() {
	w := powerWriter{g: p.k.Graph, base: map[*expr.Node]*expr.Node{}, memo: map[*expr.Node]*expr.Node{}}
	if p.k.Rows != nil && p.k.Rows.Fixed != nil {
		w.data = &regrouper{g: p.k.Graph, rows: p.k.Rows, constant: map[*expr.Node]bool{}}
	}
	w.find(p.definedRoots())
	p.everywhere(w.in)
}

type powerWriter struct {
	g    *expr.Graph
	base map[*expr.Node]*expr.Node // of a power the one that it is a multiple of
	data *regrouper                // tells what depends on the data alone; nil where nothing is kept of that
	memo map[*expr.Node]*expr.Node
}

// exponent is that of a power but for a constant that is added.
func (w *powerWriter) exponent(n *expr.Node) (varying *expr.Node, constant float64) {
	e := n.Args[1]
	if e.Op != expr.Lin || e.Const == 0 {
		return e, 0
	}
	return w.g.Lin(0, e.Coefs, e.Args), e.Const
}

// find finds powers that are multiples of others: of those that have a base and the varying part of the exponent in common, the one
// without a constant, or else the first.
func (w *powerWriter) find(roots []*expr.Node) {
	first := map[pair]*expr.Node{}
	visit := func(which func(constant float64) bool) {
		expr.Walk(func(n *expr.Node) {
			if n.Op != expr.Pow || !n.Args[0].Positive() {
				return
			}
			e, constant := w.exponent(n)
			if key := (pair{n.Args[0], e}); first[key] == nil && which(constant) {
				first[key] = n
			}
		}, roots...)
	}
	visit(func(constant float64) bool { return constant == 0 })
	visit(func(float64) bool { return true })
	expr.Walk(func(n *expr.Node) {
		if n.Op != expr.Pow || !n.Args[0].Positive() {
			return
		}
		e, constant := w.exponent(n)
		other := first[pair{n.Args[0], e}]
		_, of := w.exponent(other)
		if d := constant - of; d != 0 && d == math.Trunc(d) && math.Abs(d) <= maxProduct {
			w.base[n] = other
		}
	}, roots...)
}

func (w *powerWriter) in(n *expr.Node) *expr.Node {
	if m, ok := w.memo[n]; ok || len(n.Args) == 0 {
		if ok {
			return m
		}
		return n
	}
	if other := w.base[n]; other != nil {
		_, constant := w.exponent(n)
		_, of := w.exponent(other)
		x := w.in(n.Args[0])
		w.memo[n] = w.g.Prod([]float64{1, constant - of}, []*expr.Node{w.in(other), x})
		return w.memo[n]
	}
	args, changed := make([]*expr.Node, len(n.Args)), false
	for i, a := range n.Args {
		args[i] = w.in(a)
		changed = changed || args[i] != a
	}
	m := n
	if changed {
		m = w.g.Rebuild(n, args)
	}
	if w.data != nil {
		m = w.logarithm(m)
	}
	w.memo[n] = m
	return m
}

// logarithm is a logarithm of data times numbers that do not vary over the rows as a sum of two.
func (w *powerWriter) logarithm(n *expr.Node) *expr.Node {
	if n.Op.Name != "log" || n.Args[0].Op != expr.Prod || !n.Type.Axes.Has(expr.Rows) || n.Type.Rank > 0 {
		return n
	}
	var data, rest []*expr.Node
	var dataPowers, restPowers []float64
	for i, a := range n.Args[0].Args {
		switch {
		case !a.Positive():
			return n
		case !a.Type.Axes.Has(expr.Rows):
			rest, restPowers = append(rest, a), append(restPowers, n.Args[0].Coefs[i])
		case w.data.isData(a):
			data, dataPowers = append(data, a), append(dataPowers, n.Args[0].Coefs[i])
		default:
			return n
		}
	}
	if len(data) == 0 || len(rest) == 0 {
		return n
	}
	log := func(powers []float64, factors []*expr.Node) *expr.Node {
		return w.g.Call(n.Op, w.g.Prod(powers, factors))
	}
	return w.g.Add(log(dataPowers, data), log(restPowers, rest))
}
