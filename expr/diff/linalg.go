package diff

import "github.com/sngdgen/sngdgen/expr"

// Adjoints of linear algebra: with C the cotangent of the value, what each operand receives (Giles 2008, Collected matrix
// derivative results for forward and reverse mode algorithmic differentiation, section 2). Cotangents have the shape of
// what they belong to: df = <C, dA> with the sum of the products of entries.

// linalgPullback returns the cotangents of the operands; ok is false for other operations.
func linalgPullback(g *expr.Graph, n, c *expr.Node) (out []*expr.Node, ok bool) {
	a := n.Args
	switch n.Op {
	case expr.MatMul:
		return matMulPullback(g, n, c), true
	case expr.Transpose:
		return []*expr.Node{g.Transpose(c)}, true
	case expr.Dot, expr.Inner:
		return []*expr.Node{g.Mul(c, a[1]), g.Mul(c, a[0])}, true
	case expr.Outer:
		return []*expr.Node{g.MatMul(c, a[1]), g.MatMul(g.Transpose(c), a[0])}, true
	case expr.Inv: // d inv(A) = -inv(A) dA inv(A)
		t := g.Transpose(n)
		return []*expr.Node{g.Neg(g.MatMul(t, c, t))}, true
	case expr.LogDet: // d logdet(A) = tr(inv(A) dA)
		return []*expr.Node{g.Mul(c, g.Transpose(g.Inv(a[0])))}, true
	case expr.Diag:
		return []*expr.Node{g.DiagonalMatrix(c)}, true
	case expr.DiagMat:
		return []*expr.Node{g.Diagonal(c)}, true
	case expr.Chol:
		return []*expr.Node{cholPullback(g, n, c)}, true
	case expr.LowerHalf:
		return []*expr.Node{g.LowerHalf(c)}, true
	case expr.Cumulative:
		return []*expr.Node{g.RemainingSum(g.Spread(c, n.Type))}, true
	case expr.Remaining:
		return []*expr.Node{g.CumulativeSum(g.Spread(c, n.Type))}, true
	case expr.EntryLogSumExp:
		return []*expr.Node{g.Mul(c, g.EntrySoftmax(n))}, true
	case expr.Eye, expr.Ones, expr.Iota, expr.Table:
		return nil, true
	}
	return nil, false
}

// matMulPullback: for A in L A R the cotangent is L' C R'.
func matMulPullback(g *expr.Graph, n, c *expr.Node) []*expr.Node {
	out := make([]*expr.Node, len(n.Args))
	last := len(n.Args) - 1
	for i := range n.Args {
		left := c
		for _, l := range n.Args[:i] {
			left = g.MatMul(g.Transpose(l), left)
		}
		right := n.Args[i+1:]
		switch {
		case len(right) == 0:
			out[i] = left
		case n.Args[last].Type.Rank == 1:
			out[i] = g.Outer(left, g.MatMul(right...))
		default:
			out[i] = g.MatMul(left, g.Transpose(g.MatMul(right...)))
		}
	}
	return out
}

// linalgPush is the tangent of an operation of linear algebra; tangents of operands that do not vary are nil.
func linalgPush(g *expr.Graph, n *expr.Node, t []*expr.Node) (out *expr.Node, ok bool) {
	with := func(i int) []*expr.Node {
		args := append([]*expr.Node(nil), n.Args...)
		args[i] = t[i]
		return args
	}
	if !n.IsLinalg() {
		return nil, false
	}
	var terms []*expr.Node
	for i := range n.Args {
		if t[i] == nil || t[i].Is(0) {
			continue
		}
		switch n.Op {
		case expr.MatMul, expr.Transpose, expr.Dot, expr.Inner, expr.Outer, expr.Diag, expr.DiagMat,
			expr.LowerHalf, expr.Cumulative, expr.Remaining: // linear in each
			terms = append(terms, g.Rebuild(n, with(i)))
		case expr.Inv:
			terms = append(terms, g.Neg(g.MatMul(n, t[i], n)))
		case expr.Chol:
			terms = append(terms, cholPush(g, n, t[i]))
		case expr.EntryLogSumExp:
			terms = append(terms, g.Dot(g.EntrySoftmax(n), g.Spread(t[i], n.Args[i].Type)))
		case expr.LogDet:
			terms = append(terms, g.Inner(g.Transpose(g.Inv(n.Args[0])), t[i]))
		}
	}
	return g.Add(terms...), true
}

// broadcastShare is what a number among the operands of an elementwise operation on vectors or matrices receives: the
// inner product of the cotangent with the partial derivative, which is one for every entry.
func broadcastShare(g *expr.Graph, n, c, partial *expr.Node) *expr.Node {
	if partial = g.Spread(partial, n.Type); partial.Facts.Overflows {
		return g.Contract(g.Ones(n.Type), g.Chain(c, partial))
	}
	return g.Contract(c, partial)
}

// cholPullback is the cotangent of A = L L' for that of L: inv(L') lower_half(L' C) inv(L), symmetrised (I. Murray 2016,
// Differentiation of the Cholesky decomposition, section 3).
func cholPullback(g *expr.Graph, l, c *expr.Node) *expr.Node {
	t := g.Transpose(l)
	return g.Symmetrised(g.MatMul(g.Inv(t), g.LowerHalf(g.MatMul(t, c)), g.Inv(l)))
}

// cholPush is the differential of L: L lower_half(inv(L) dA inv(L)').
func cholPush(g *expr.Graph, l, t *expr.Node) *expr.Node {
	return g.MatMul(l, g.LowerHalf(g.MatMul(g.Inv(l), t, g.Inv(g.Transpose(l)))))
}
