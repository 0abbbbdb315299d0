package rewrite

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// neighbours is a fact about the product of two factors: left @ right is product.
type neighbours struct {
	name                 string
	left, right, product *expr.Node
}

// AddNeighbours adds a rule for two neighbours in products of matrices, of which the last may be a vector: wherever left @ right
// stands, also in a longer product, an inner product or a trace, product may stand. Of symmetric matrices the transpose holds too.
func (w *Rewriter) AddNeighbours(name string, left, right, product *expr.Node) {
	w.joins = append(w.joins, neighbours{name, left, right, product})
	if right.Type.Rank == 2 && left != right && symmetric(left) && symmetric(right) {
		w.joins = append(w.joins, neighbours{name, right, left, w.G.Transpose(product)})
	}
}

func symmetric(n *expr.Node) bool { return n.Facts.Structure&expr.Symmetric != 0 }

// joined applies the first rule for neighbours that fits a node; nil where none does.
func (w *Rewriter) joined(n *expr.Node) (name string, m *expr.Node) {
	if len(w.joins) == 0 {
		return "", nil
	}
	switch n.Op {
	case expr.MatMul:
		for i := range len(n.Args) - 1 {
			if j := w.join(n.Args[i], n.Args[i+1]); j != nil {
				return j.name, w.G.MatMul(slices.Concat(n.Args[:i], []*expr.Node{j.product}, n.Args[i+2:])...)
			}
		}
	case expr.Dot: // x' A ... y begins with A' x
		if x, y := n.Args[0], n.Args[1]; y.Op == expr.MatMul && symmetric(y.Args[0]) {
			if j := w.join(y.Args[0], x); j != nil {
				return j.name, w.G.Dot(j.product, w.G.MatMul(y.Args[1:]...))
			}
		}
	case expr.Inner:
		if a, b := n.Args[0], n.Args[1]; symmetric(a) {
			if j := w.join(a, b); j != nil {
				return j.name, w.G.Inner(w.G.Identity(n.Args[0].Type.Dims[0]), j.product)
			}
		}
	}
	return "", nil
}

// known is a multiple of a product with all rules for neighbours applied: what multiplying out is for.
func (w *Rewriter) known(n *expr.Node) *expr.Node {
	for {
		s, core := w.G.Bare(n)
		_, m := w.joined(core)
		if m == nil {
			return n
		}
		n = w.G.Mul(s, m)
	}
}

// join is the rule for two neighbours, nil where there is none.
func (w *Rewriter) join(a, b *expr.Node) *neighbours {
	for i := range w.joins {
		if j := &w.joins[i]; j.left == a && j.right == b {
			return j
		}
	}
	return nil
}
