package expr

import (
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/expr/syntax"
)

// Table is a vector of numbers that are known: the nodes and weights of a quadrature, a contrast. Functions and products of tables are
// tables.
var Table = &Op{Name: "table", Arity: -1, Doc: "the vector of some numbers"}

// Table returns the vector of some finite numbers.
func (g *Graph) Table(values []float64) *Node {
	t := Vector(Dim{Size: len(values)})
	if first := values[0]; !slices.ContainsFunc(values, func(v float64) bool { return v != first }) {
		return g.Spread(g.Const(first), t)
	}
	own := make([]float64, len(values))
	for i, v := range values {
		own[i] = v + 0 // never -0
	}
	return g.intern(Node{Op: Table, Coefs: own, Type: t})
}

// totalOf is the sum of the entries of a table.
func totalOf(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum
}

// tabled returns the table that an operation by entries is, or the node itself.
func (g *Graph) tabled(n *Node) *Node {
	if n.Type.Rank != 1 || n.Type.Axes != 0 || n.Type.Dims[0].Size > syntax.MaxNodes {
		return n
	}
	values, tables, ok := n.tableOf()
	if !ok || tables == 0 || slices.ContainsFunc(values, func(v float64) bool { return !finite(v) }) {
		return n
	}
	return g.Table(values)
}

// tableOf returns the entries of what is made of tables, ranges and numbers, of which a number has one, and how many tables there are.
func (n *Node) tableOf() (values []float64, tables int, ok bool) {
	switch {
	case n.Op == opConst:
		return []float64{n.Const}, 0, true
	case n.Op == Table:
		return n.Coefs, 1, true
	case n.Op == Iota && n.Type.Dims[0].Name == "":
		values = make([]float64, n.Type.Dims[0].Size)
		for i := range values {
			values[i] = float64(i + 1)
		}
		return values, 0, true
	case n.Op != opLin && n.Op != opProd && n.Op != opPow && !n.Op.Elementwise():
		return nil, 0, false
	}
	args, size := make([][]float64, len(n.Args)), 1
	for k, a := range n.Args {
		more := 0
		if args[k], more, ok = a.tableOf(); !ok {
			return nil, 0, false
		}
		size, tables = max(size, len(args[k])), tables+more
	}
	values, x := make([]float64, size), make([]float64, len(args))
	for i := range values {
		for k, a := range args {
			x[k] = a[i%len(a)]
		}
		values[i] = n.entryValue(x)
	}
	return values, tables, true
}

// entryValue is the value of a sum, a product or a function of numbers.
func (n *Node) entryValue(x []float64) float64 {
	switch n.Op {
	case opLin:
		sum := n.Const
		for k, v := range x {
			sum += n.Coefs[k] * v
		}
		return sum
	case opProd:
		product := 1.0
		for k, v := range x {
			product *= math.Pow(v, n.Coefs[k])
		}
		return product
	case opPow:
		return math.Pow(x[0], x[1])
	}
	return n.Op.Eval(x)
}
