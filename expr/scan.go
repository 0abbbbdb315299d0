package expr

import "slices"

// A scan is a state that is carried along the rows of the data, in their order. Of its Lambda, Vars are the states in front of a row,
// Params what is the same for all rows, Rows the parts of a row; Eqs[0] is a number that a row has, and what follows are the states
// after it, in the order of Vars; Start are the states in front of the first row, in terms of Params. All of these are symbols that
// stand for nothing outside.
//
// Scan is the number of a row. Series is the sum of these, each with the weight of its row, which changes nothing of the states; with an
// index above 0 it is the derivative of that sum with respect to a parameter, which is computed backwards along the rows.
var (
	opScan   = &Op{Name: "scan", Arity: -1, Doc: "a number of a row, given a state that is carried along the rows", Cost: 100}
	opSeries = &Op{Name: "scan_sum", Arity: -1, Doc: "sum over the rows of what a scan gives them, or its derivative with respect to a parameter", Cost: 1000}
)

// The operations of scans.
var (
	Scan   = opScan
	Series = opSeries
)

func init() {
	opScan.factRule = func(*Node) (Range, bool) { return Real, false }
	opSeries.factRule = opScan.factRule
}

// Adjoint are the derivatives of a scan, in its own symbols and two kinds of new ones: Weight, that of the row, and Next, the
// cotangents of the states after it. Package diff makes it when it is first asked for.
type Adjoint struct {
	Weight *Node
	Next   []*Node
	// Params is what a row adds to the derivative with respect to each parameter, States the cotangents of the states in front of it.
	Params, States []*Node
	// AtStart is what the states at the start add, whose cotangents are Next.
	AtStart []*Node
}

// Scan returns the number of each row. The operands are the values of the parameters of fn, and then columns of the rows.
func (g *Graph) Scan(fn *Lambda, args []*Node) *Node {
	return g.intern(Node{Op: opScan, Args: g.scanned(fn, args), Fn: fn, Type: Scalar.Over(Rows)})
}

// series returns the sum of the numbers of all rows, or with an index above 0 its derivative with respect to a parameter.
func (g *Graph) series(fn *Lambda, args []*Node, index int) *Node {
	t := Scalar
	if index > 0 {
		t = fn.Params[index-1].Type
	}
	return g.intern(Node{Op: opSeries, Args: g.scanned(fn, args), Fn: fn, Index: index, Type: t})
}

// scanned are the operands of a scan in the shapes of what they stand for.
func (g *Graph) scanned(fn *Lambda, args []*Node) []*Node {
	out := slices.Clone(args)
	for i, p := range fn.Params {
		out[i] = g.Spread(args[i], p.Type)
	}
	return out
}

// SeriesDerivative returns the derivative of the sum of a scan, of which n is the sum or the number of a row, with respect to
// parameter i.
func (g *Graph) SeriesDerivative(n *Node, i int) *Node { return g.series(n.Fn, n.Args, i+1) }

// SeriesAll returns the sum of a scan, and its derivatives with respect to all parameters.
func (g *Graph) SeriesAll(n *Node) []*Node {
	out := make([]*Node, 1+len(n.Fn.Params))
	for i := range out {
		out[i] = g.series(n.Fn, n.Args, i)
	}
	return out
}

// OfScan reports whether a node is what a scan computes.
func (n *Node) OfScan() bool { return n.Op == opScan || n.Op == opSeries }

// ScanParams are the values of the parameters of a scan, ScanRows its columns.
func (n *Node) ScanParams() []*Node { return n.Args[:len(n.Fn.Params)] }

// ScanRows are the columns of a scan.
func (n *Node) ScanRows() []*Node { return n.Args[len(n.Fn.Params):] }

// AtFirst returns a number of each row for the first row of a series: scans give what they do at their start.
func (g *Graph) AtFirst(n *Node) *Node {
	by := map[*Node]*Node{}
	Walk(func(m *Node) {
		if m.Op == opScan {
			by[m] = g.scanStart(m)
		}
	}, n)
	return g.Substitute(n, by)
}

// scanStart is what a scan gives a row if it is the first of its series.
func (g *Graph) scanStart(n *Node) *Node {
	start := map[*Node]*Node{}
	for i, v := range n.Fn.Vars {
		start[v] = n.Fn.Start[i]
	}
	return g.Substitute(g.Substitute(n.Fn.Eqs[0], start), n.scanOutside())
}
