package methods

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/plan"
)

// kept is a number of every row that the data alone decide, and the symbol that stands for it where it is read from memory.
type kept struct{ node, sym *expr.Node }

// cheapPiece is the cost up to which such a number is computed again whenever it is needed.
const cheapPiece = 4

// keepPieces has a kernel over the data read what they alone decide from memory, where it costs something: for every evaluation, and for every draw,
// it is the same.
func (f *Package) keepPieces(k *plan.Kernel) {
	by := map[*expr.Node]*expr.Node{}
	for _, list := range [][]plan.Output{k.Outputs, k.Stores} {
		for _, o := range list {
			f.findPieces(o.Node, by, map[*expr.Node]bool{})
		}
	}
	if len(by) == 0 {
		return
	}
	var nodes []*expr.Node
	for _, o := range slices.Concat(k.Outputs, k.Stores) {
		nodes = append(nodes, o.Node)
	}
	nodes = f.stable(f.d.Problem.Graph.SubstituteAll(nodes, by)...)
	for i := range k.Outputs {
		k.Outputs[i].Node = nodes[i]
	}
	for i := range k.Stores {
		k.Stores[i].Node = nodes[len(k.Outputs)+i]
	}
	for _, p := range f.kept {
		if by[p.node] != nil {
			k.Rows.Columns[p.sym] = PieceField(slices.Index(f.Pieces(), p.node))
		}
	}
}

// findPieces collects the largest parts of a formula that are worth being kept.
func (f *Package) findPieces(n *expr.Node, by map[*expr.Node]*expr.Node, seen map[*expr.Node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	if n.Type.Rank == 0 && n.Type.Axes == expr.Rows && f.ofRowAlone(n) && expr.TotalCost(n) > cheapPiece {
		by[n] = f.keptSymbol(n)
		return
	}
	for _, a := range n.Args {
		f.findPieces(a, by, seen)
	}
}

// ofRowAlone reports whether the data of one row, and lengths, are all that a formula depends on.
func (f *Package) ofRowAlone(n *expr.Node) bool {
	return !expr.Find(func(m *expr.Node) bool {
		switch {
		case m.Op == expr.Sym:
			return !slices.ContainsFunc(f.DataParams(), func(q bind.Param) bool { return q.Sym == m }) && !slices.ContainsFunc(f.Dims, func(d expr.Dim) bool { return f.d.Problem.Graph.DimNode(d) == m })
		case m.Op == expr.Const || m.Op == expr.Lin || m.Op == expr.Prod || m.Op == expr.Pow || m.Op == expr.Dot || m.Op == expr.Ones ||
			m.Op.Elementwise():
			return false
		}
		return true
	}, n)
}

// keptSymbol is the symbol that stands for a number that is kept.
func (f *Package) keptSymbol(n *expr.Node) *expr.Node {
	for _, p := range f.kept {
		if p.node == n {
			return p.sym
		}
	}
	s := f.d.Problem.Graph.Fresh("piece", n.Type, n.Facts)
	f.kept = append(f.kept, kept{n, s})
	return s
}
