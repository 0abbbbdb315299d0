package derive

import (
	"fmt"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/gen/bind"
)

// A family that is one given columns of the data is an exponential family in its parameters for the rows at hand: its log-partition is the
// mean over the rows of that of one row, and its mean parameters are means over the rows too. These have no inverse in closed form, and
// need none: steps are in natural parameters, along F^-1 df/d eta, where F, the derivative of the mean parameters, is known as a sum over
// the rows. Of several natural parameters F is taken apart into blocks, and each is eliminated with a factorisation of its own.

// logPartition is that of a family for all rows.
func logPartition(g *expr.Graph, f *bind.Family) *expr.Node {
	if !f.OfColumns {
		return f.LogPartition
	}
	return g.Div(g.Sum(expr.Rows, f.LogPartition), g.Size(expr.Rows))
}

// information is the derivative of the mean parameters with respect to the natural ones, block by block, in the standard parameters.
func information(g *expr.Graph, f *bind.Family, fam *Family) ([][]*expr.Node, error) {
	through := map[*expr.Node]*expr.Node{}
	for i, s := range fam.Std {
		through[s] = fam.Natural.ToStd[i]
	}
	blocks := make([][]*expr.Node, len(f.Eta))
	for i, m := range fam.Mean.OfStd {
		m = g.Substitute(m, through)
		for _, eta := range f.Eta {
			d, err := diff.Derivative(g, m, eta)
			if err != nil {
				return nil, fmt.Errorf("the Fisher information of %s: %w", f.Name, err)
			}
			d = g.Substitute(g.Substitute(d, fam.Natural.known(g, fam.Std)), fam.Natural.values())
			blocks[i] = append(blocks[i], ofData(g, d, fam.Std))
		}
	}
	return blocks, nil
}

// naturally is the natural gradient of a cotangent of the natural parameters: the solution of a linear system.
func (d *deriver) naturally(c []*expr.Node) []*expr.Node {
	f := d.fam.Information
	rest := make([]int, len(f))
	for i := range rest {
		rest[i] = i
	}
	s := &elimination{g: d.g, simplify: func(n *expr.Node) *expr.Node { return d.simplify(nil, n)[0] }, syms: d.fam.Natural.Syms}
	return s.solve(f, c, rest)
}

// elimination solves systems of blocks, numbers and vectors.
type elimination struct {
	g        *expr.Graph
	simplify func(*expr.Node) *expr.Node
	syms     []*expr.Node // of the shapes of the unknowns
}

// solve eliminates the longest of the unknowns first: what is left of the others is smaller.
func (e *elimination) solve(f [][]*expr.Node, c []*expr.Node, unknowns []int) []*expr.Node {
	out := make([]*expr.Node, len(f))
	k := unknowns[0]
	for _, i := range unknowns {
		if e.syms[i].Type.Rank > e.syms[k].Type.Rank {
			k = i
		}
	}
	if len(unknowns) == 1 {
		out[k] = e.divided(f[k][k], c[k], k)
		return out
	}
	var rest []int
	inner, right := make([][]*expr.Node, len(f)), make([]*expr.Node, len(f))
	for _, i := range unknowns {
		if i == k {
			continue
		}
		rest = append(rest, i)
		right[i] = e.g.Sub(c[i], e.product(i, k, f[i][k], -1, e.divided(f[k][k], c[k], k)))
		inner[i] = make([]*expr.Node, len(f))
		for _, j := range unknowns {
			if j != k {
				inner[i][j] = e.complement(f, i, j, k)
			}
		}
	}
	copy(out, e.solve(inner, right, rest))
	of := c[k]
	for _, j := range rest {
		of = e.g.Sub(of, e.product(k, j, f[k][j], -1, out[j]))
	}
	out[k] = e.divided(f[k][k], of, k)
	return out
}

// complement is an entry of the Schur complement of block k.
func (e *elimination) complement(f [][]*expr.Node, i, j, k int) *expr.Node {
	if f[i][k].Is(0) || f[k][j].Is(0) {
		return f[i][j]
	}
	s := e.simplify(e.g.Sub(f[i][j], e.product(i, k, f[i][k], j, e.dividedBlock(f[k][k], f[k][j], k))))
	if i == j {
		if s.Type.Rank == 2 {
			s.Facts.Structure |= expr.Symmetric | expr.PositiveDefinite
		} else {
			e.g.Assume(s, expr.Positive)
		}
	}
	return s
}

// divided is the inverse of a block applied to a number or a vector.
func (e *elimination) divided(block, c *expr.Node, k int) *expr.Node {
	switch {
	case c.Is(0):
		return c
	case e.syms[k].Type.Rank == 0:
		return e.g.Div(c, block)
	}
	return e.g.MatMul(e.g.Inv(block), c)
}

// dividedBlock is the inverse of block k applied to what stands beside it.
func (e *elimination) dividedBlock(block, beside *expr.Node, k int) *expr.Node {
	return e.simplify(e.divided(block, beside, k))
}

// product is block (i, k) times block (k, j), or times a value of block k where j is -1. A block between a number and a vector is a vector.
func (e *elimination) product(i, k int, a *expr.Node, j int, b *expr.Node) *expr.Node {
	right := 0
	if j >= 0 {
		right = e.syms[j].Type.Rank
	}
	switch left, inner := e.syms[i].Type.Rank, e.syms[k].Type.Rank; {
	case a.Is(0) || b.Is(0):
		return e.g.Const(0)
	case inner == 0 && left+right == 2:
		return e.g.Outer(a, b)
	case inner == 0:
		return e.g.Mul(a, b)
	case left+right == 0:
		return e.g.Dot(a, b)
	case left == 0:
		return e.g.MatMul(e.g.Transpose(b), a)
	}
	return e.g.MatMul(a, b)
}

// ofData takes what does not vary out of sums over the rows where it stands in inner products with columns, so that sums of the data alone
// are left, which are computed once for a data set: sum(x*dot(x, b)) = sum(outer(x, x)) @ b, and sum(dot(x, b)^2) = dot(b, sum(outer(x, x)) @ b).
func ofData(g *expr.Graph, n *expr.Node, params []*expr.Node) *expr.Node {
	if len(n.Args) == 0 {
		return n
	}
	args := make([]*expr.Node, len(n.Args))
	for i, a := range n.Args {
		args[i] = ofData(g, a, params)
	}
	n = g.Rebuild(n, args)
	if n.Op != expr.Sum || n.Axis != expr.Rows || n.Args[0].Op != expr.Prod {
		return n
	}
	if out := quadratic(g, n.Args[0], params); out != nil {
		return out
	}
	return n
}

// quadratic is a sum over the rows of a product with two columns in it, at least one in an inner product with what does not vary; nil where
// something else of the product depends on the parameters.
func quadratic(g *expr.Graph, product *expr.Node, params []*expr.Node) *expr.Node {
	var columns, fixed []*expr.Node // the columns, and what they are multiplied with: nil where it is the vector of the sum
	var rest []*expr.Node
	for i, a := range product.Args {
		x, b := inner(a, params)
		switch k := product.Coefs[i]; {
		case x != nil && (k == 1 || k == 2):
			for range int(k) {
				columns, fixed = append(columns, x), append(fixed, b)
			}
		case a.Type.Rank == 1 && k == 1 && !expr.Depends(a, params...):
			columns, fixed = append(columns, a), append(fixed, nil)
		case expr.Depends(a, params...) || a.Type.Rank > 0:
			return nil
		default:
			rest = append(rest, g.Prod([]float64{k}, []*expr.Node{a}))
		}
	}
	if len(columns) != 2 || fixed[0] == nil && fixed[1] == nil {
		return nil
	}
	if fixed[0] == nil {
		columns[0], columns[1], fixed[0], fixed[1] = columns[1], columns[0], fixed[1], nil
	}
	second := g.Sum(expr.Rows, g.Mul(append(rest, g.Outer(columns[1], columns[0]))...))
	if fixed[1] == nil {
		return g.MatMul(second, fixed[0])
	}
	return g.Dot(fixed[1], g.MatMul(second, fixed[0]))
}

// inner takes an inner product of a column and what does not vary over the rows apart, where that depends on the parameters.
func inner(n *expr.Node, params []*expr.Node) (x, b *expr.Node) {
	if n.Op != expr.Dot {
		return nil, nil
	}
	for i, a := range n.Args {
		other := n.Args[1-i]
		if a.Type.Axes.Has(expr.Rows) && !expr.Depends(a, params...) && !other.Type.Axes.Has(expr.Rows) {
			return a, other
		}
	}
	return nil, nil
}
