package expr

import "slices"

// Broadcasting. An elementwise operation takes vectors or matrices of one shape, and numbers, which count for every
// entry: in 1 + x and in t_quantile(u, nu) the vector decides the shape. The canonical form keeps numbers as numbers
// where something else has the shape; where nothing has (x/x, x - x + 1), the value is a number times Ones, so that a
// shape is never lost. The one exception is 0, which is of any shape.

// Ones is the vector of ones; the matrix of ones is the outer product of two.
var Ones = &Op{Name: "ones", Arity: -1, Doc: "vector of ones"}

// Ones returns the vector or the matrix of ones that has the shape of a type; the number 1 for a scalar.
func (g *Graph) Ones(t Type) *Node {
	switch t.Rank {
	case 0:
		return g.Const(1)
	case 1:
		return g.intern(Node{Op: Ones, Name: t.Dims[0].String(), Type: Vector(t.Dims[0])})
	}
	args := []*Node{g.Ones(Vector(t.Dims[0])), g.Ones(Vector(t.Dims[1]))}
	return g.intern(Node{Op: Outer, Args: args, Type: Matrix(t.Dims[0], t.Dims[1])})
}

// Spread returns n in the shape of a type: a number becomes a multiple of Ones. 0 has every shape.
func (g *Graph) Spread(n *Node, t Type) *Node {
	if n.Type.Rank > 0 || t.Rank == 0 || n.Is(0) {
		return n
	}
	return g.Mul(n, g.Ones(t))
}

// isOnes reports whether every entry is 1 by the way n is written.
func isOnes(n *Node) bool {
	return n.Op == Ones || n.Op == Outer && isOnes(n.Args[0]) && isOnes(n.Args[1])
}

// number returns the number of which n is a multiple of Ones; ok is false for other vectors and matrices. A number is
// itself.
func (g *Graph) number(n *Node) (s *Node, ok bool) {
	switch {
	case n.Type.Rank == 0:
		return n, true
	case isOnes(n):
		return g.Const(1), true
	case n.Op == opLin && len(n.Args) == 1 && n.Const == 0:
		if s, ok = g.number(n.Args[0]); ok {
			return g.Scale(n.Coefs[0], s), true
		}
	case n.Op == opProd:
		for _, a := range n.Args {
			if isOnes(a) {
				s, _ := g.bareProd(n)
				return s, true
			}
		}
	}
	return nil, false
}

// unspread replaces multiples of Ones by their numbers. all reports whether nothing with a shape is left.
func (g *Graph) unspread(args []*Node) (out []*Node, all bool) {
	all = true
	for i, a := range args {
		if a.Type.Rank == 0 {
			continue
		}
		s, ok := g.number(a)
		if !ok {
			all = false
			continue
		}
		if out == nil {
			out = append([]*Node(nil), args...)
		}
		out[i] = s
	}
	if out == nil {
		out = args
	}
	return out, all
}

// shapedLin makes a sum of merged terms of which some are, or were, vectors or matrices.
func (g *Graph) shapedLin(constant float64, acc *terms, shape Type) *Node {
	switch {
	case constant == 0 && len(acc.args) == 0:
		return g.Const(0)
	case constant == 0 && len(acc.args) == 1 && acc.shaped():
		return g.lin(constant, acc)
	}
	args, all := g.unspread(acc.args)
	switch {
	case all:
		return g.Spread(g.Lin(constant, acc.coefs, args), shape)
	case !slices.Equal(args, acc.args): // numbers merge once more
		return g.Lin(constant, acc.coefs, args)
	}
	if sum := g.mergeDiagonals(constant, acc, shape); sum != nil {
		return sum
	}
	return g.lin(constant, acc)
}

// shaped reports whether some term is a vector or a matrix.
func (t *terms) shaped() bool {
	return slices.ContainsFunc(t.args, func(a *Node) bool { return a.Type.Rank > 0 })
}

// mergeDiagonals is the sum with one diagonal matrix for all among its terms; nil when there is nothing to merge.
func (g *Graph) mergeDiagonals(constant float64, acc *terms, shape Type) *Node {
	if shape.Rank != 2 {
		return nil
	}
	var rest, entries []*Node
	found := false
	for i, a := range acc.args {
		s, core := g.Bare(a)
		switch core.Op {
		case DiagMat:
			found = true
			entries = append(entries, g.Mul(g.Const(acc.coefs[i]), s, core.Args[0]))
		case Eye:
			entries = append(entries, g.Mul(g.Const(acc.coefs[i]), s, g.Ones(Vector(shape.Dims[0]))))
		default:
			rest = append(rest, g.Scale(acc.coefs[i], a))
		}
	}
	if !found || len(entries) < 2 {
		return nil
	}
	merged := append(rest, g.DiagonalMatrix(g.Add(entries...)))
	return g.Lin(constant, ones(len(merged)), merged)
}
