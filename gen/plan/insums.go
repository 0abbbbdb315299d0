package plan

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// inSums takes matrices into sums of outer products over draws: A sum(w x y') B' is the sum of w (A x) (B y)', without products of matrices, where A x and B y are
// there for every draw already. It pays if the sum itself is needed no more then: its products with vectors are sums of vectors. Of the rows of data there are too
// many for that.
func (p *planner) inSums() {
	if p.k.Rows == nil || p.k.Rows.Fixed != nil {
		return
	}
	s := outerSums{g: p.k.Graph, there: map[*expr.Node]bool{}, uses: map[*expr.Node]*sumUses{}, symbols: map[*expr.Node]*expr.Node{}}
	roots := p.definedRoots()
	expr.Walk(s.note, roots...)
	for _, n := range roots {
		if u := s.uses[n]; u != nil {
			u.otherwise = true
		}
	}
	by := map[*expr.Node]*expr.Node{}
	for _, sum := range s.sums {
		s.replace(by, sum)
	}
	if len(by) == 0 {
		return
	}
	p.everywhere(func(n *expr.Node) *expr.Node { return s.g.Substitute(n, by) })
	for _, n := range s.products {
		p.k.Defs = append(p.k.Defs, Def{Sym: s.symbols[n], Node: n})
	}
}

// outerSums are sums of outer products over rows, and what is done with them.
type outerSums struct {
	g        *expr.Graph
	there    map[*expr.Node]bool // what is computed
	sums     []*expr.Node        // in the order in which they are found
	uses     map[*expr.Node]*sumUses
	products []*expr.Node // of matrices and a vector of every row that are in sums now
	// symbols stand for these, as formulas have what does not vary over the rows in front of a sum.
	symbols map[*expr.Node]*expr.Node
}

// sumUses are products that a sum is a factor of, and whether it is needed otherwise.
type sumUses struct {
	products  []*expr.Node
	otherwise bool
}

// note notes a node, of which the operands have been noted.
func (s *outerSums) note(n *expr.Node) {
	s.there[n] = true
	if _, outer := s.terms(n); outer != nil {
		s.sums = append(s.sums, n)
		s.uses[n] = new(sumUses)
	}
	for _, a := range n.Args {
		switch u := s.uses[a]; {
		case u == nil:
		case n.Op == expr.MatMul:
			u.products = append(u.products, n)
		default:
			u.otherwise = true
		}
	}
}

// terms are the weight and the outer product of a sum of such, nil of other nodes.
func (s *outerSums) terms(n *expr.Node) (weight, outer *expr.Node) {
	if n.Op != expr.Sum || n.Axis != expr.Rows || n.Type.Rank != 2 {
		return nil, nil
	}
	weight, outer = s.g.Bare(n.Args[0])
	if outer.Op != expr.Outer {
		return nil, nil
	}
	return weight, outer
}

// replace notes what takes the place of products with a sum, if all of them can be had without it and one of them is a matrix, so that as many outer products are
// summed up as before.
func (s *outerSums) replace(by map[*expr.Node]*expr.Node, sum *expr.Node) {
	matrices, inside := 0, map[*expr.Node]*expr.Node{}
	for _, n := range s.uses[sum].products {
		if n.Type.Rank == 2 {
			matrices++
		}
		if inside[n] = s.inside(n, sum); inside[n] == nil {
			return
		}
	}
	if s.uses[sum].otherwise || matrices != 1 {
		return
	}
	for n, m := range inside {
		by[n] = m
	}
}

// inside is a product with a sum of outer products as a sum; nil where that takes products with rows that are not there.
func (s *outerSums) inside(n, sum *expr.Node) *expr.Node {
	weight, outer := s.terms(sum)
	at := slices.Index(n.Args, sum)
	left := s.product(n.Args[:at], outer.Args[0])
	if left == nil || slices.Contains(n.Args[at+1:], sum) {
		return nil
	}
	if n.Type.Rank == 1 {
		return s.g.Sum(expr.Rows, s.g.Mul(weight, left, s.g.Dot(outer.Args[1], s.g.MatMul(n.Args[at+1:]...))))
	}
	var matrices []*expr.Node
	for _, a := range slices.Backward(n.Args[at+1:]) {
		matrices = append(matrices, s.g.Transpose(a))
	}
	right := s.product(matrices, outer.Args[1])
	if right == nil {
		return nil
	}
	return s.g.Sum(expr.Rows, s.g.Mul(weight, s.g.Outer(left, right)))
}

// product stands for the product of matrices and a vector of every row; nil where it is not there, or has an inverse in it: a form in an inverse is had by one
// triangular solve, which is half of the product.
func (s *outerSums) product(matrices []*expr.Node, x *expr.Node) *expr.Node {
	if len(matrices) == 0 {
		return x
	}
	scale, n := s.g.Bare(s.g.MatMul(append(slices.Clone(matrices), x)...))
	if !s.there[n] || slices.ContainsFunc(matrices, func(a *expr.Node) bool { return a.Op == expr.Inv }) {
		return nil
	}
	if s.symbols[n] == nil {
		s.symbols[n] = s.g.Fresh("t", n.Type, n.Facts)
		s.products = append(s.products, n)
	}
	return s.g.Mul(scale, s.symbols[n])
}
