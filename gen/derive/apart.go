package derive

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// A latent matrix with few columns, or few rows, is that many latent vectors where expectations are taken: entries that rows of the data
// name, A[g, 2], are then entries of vectors, and what is known of vectors is known of it. In the variable of the target entries of a
// matrix lie row by row.

// mostSides is the largest number of columns, or of rows, that stand as vectors by themselves.
const mostSides = 16

// side is a latent variable, or one column or row of a latent matrix.
type side struct {
	sym  *expr.Node
	of   int        // which of the latent variables
	unit *expr.Node // of a matrix, the vector that takes it out; nil for what is whole
	rows bool       // it is a row
	at   int        // which column or row it is, from 0
}

// sides are the latent variables with matrices taken apart.
func (d *deriver) sides() (out []side) {
	for i, z := range d.latents() {
		dims := z.Type.Dims
		short := func(k int) bool { return dims[k].Name == "" && dims[k].Size <= mostSides }
		switch {
		case z.Type.Rank < 2 || d.p.Variational.Packed() || d.p.Target.Variable.Sym.Type.Rank != 1 || !short(0) && !short(1):
			out = append(out, side{sym: z, of: i})
		case short(1):
			out = append(out, d.sidesOf(i, z, "column", dims[0], dims[1], false)...)
		default:
			out = append(out, d.sidesOf(i, z, "row", dims[1], dims[0], true)...)
		}
	}
	return out
}

// sidesOf are the sides of a matrix: so many vectors of a length.
func (d *deriver) sidesOf(of int, z *expr.Node, word string, length, count expr.Dim, rows bool) (out []side) {
	for k := range count.Size {
		unit := d.g.Unit(count, d.g.Const(float64(k+1)))
		sym := d.g.Sym(word+"."+unit.String()+"."+z.Name, expr.Vector(length), expr.Unknown)
		out = append(out, side{sym, of, unit, rows, k})
	}
	return out
}

// syms are the symbols of sides.
func syms(sides []side) []*expr.Node {
	out := make([]*expr.Node, len(sides))
	for i, s := range sides {
		out[i] = s.sym
	}
	return out
}

// matrix is a matrix of which a vector is that side, and all other entries are 0.
func (s *side) matrix(g *expr.Graph, v *expr.Node) *expr.Node {
	switch {
	case s.unit == nil:
		return v
	case s.rows:
		return g.Outer(s.unit, v)
	}
	return g.Outer(v, s.unit)
}

// together puts values for sides together to those for latent variables, nil where all are; others are 0.
func together(g *expr.Graph, sides []side, values []*expr.Node, latents int) []*expr.Node {
	out := make([]*expr.Node, latents)
	for i := range sides {
		s := &sides[i]
		if values[i] == nil {
			continue
		}
		if out[s.of] == nil {
			out[s.of] = g.Const(0)
		}
		out[s.of] = g.Add(out[s.of], s.matrix(g, values[i]))
	}
	return out
}

// bySide is a function of the latent variables as one of their sides.
func (d *deriver) bySide(n *expr.Node, sides []side) *expr.Node {
	latent := d.latents()
	a := &apart{g: d.g, latent: latent, sides: syms(sides), memo: map[*expr.Node]*expr.Node{}}
	for i, whole := range together(d.g, sides, a.sides, len(latent)) {
		if whole != latent[i] {
			a.memo[latent[i]] = whole
		}
	}
	a.sides = slices.DeleteFunc(a.sides, func(s *expr.Node) bool { return slices.Contains(latent, s) })
	return a.of(n)
}

// distributed has inner products of the rows with sums of latent variables as sums of inner products with each.
func (d *deriver) distributed(n *expr.Node) *expr.Node {
	return (&apart{g: d.g, latent: d.latents(), each: true, memo: map[*expr.Node]*expr.Node{}}).of(n)
}

// fromSides is a function of sides as one of the latent variables.
func (d *deriver) fromSides(n *expr.Node, sides []side) *expr.Node {
	by := map[*expr.Node]*expr.Node{}
	for i, z := range d.latents() {
		for _, s := range sides {
			switch {
			case s.of != i || s.unit == nil:
			case s.rows:
				by[s.sym] = d.g.MatMul(d.g.Transpose(z), s.unit)
			default:
				by[s.sym] = d.g.MatMul(z, s.unit)
			}
		}
	}
	return d.g.Substitute(n, by)
}

// apart writes functions of latent variables so that each stands by itself: of matrices as functions of their sides, where products with
// sums of outer products are multiplied out, so that what takes a side out finds it; and inner products with vectors of the rows as such
// of one latent vector each.
type apart struct {
	g      *expr.Graph
	latent []*expr.Node
	sides  []*expr.Node // of matrices
	// each is whether inner products of the rows have one latent vector each. Otherwise what is linear in all latent variables together
	// stays one number.
	each bool
	memo map[*expr.Node]*expr.Node
}

func (a *apart) of(n *expr.Node) *expr.Node {
	if m := a.memo[n]; m != nil {
		return m
	}
	if !expr.Depends(n, a.latent...) {
		return n
	}
	args := make([]*expr.Node, len(n.Args))
	for i, x := range n.Args {
		args[i] = a.of(x)
	}
	out := n
	switch n.Op {
	case expr.MatMul:
		out = a.product(args...)
	case expr.Inner:
		out = a.inner(args[0], args[1])
	case expr.Dot:
		out = a.dot(args[0], args[1])
	default:
		if !slices.Equal(args, n.Args) {
			out = a.g.Rebuild(n, args)
		}
	}
	a.memo[n] = out
	return out
}

// product is a product of matrices, of which sums in which there are sides are multiplied out.
func (a *apart) product(args ...*expr.Node) *expr.Node {
	at := slices.IndexFunc(args, func(x *expr.Node) bool {
		return x.Op == expr.Lin && x.Const == 0 && expr.Depends(x, a.sides...) && (x.Type.Rank == 2 || a.listed(x))
	})
	if at < 0 {
		return a.g.MatMul(args...)
	}
	sum, args := args[at], slices.Clone(args)
	terms := a.g.Terms(sum)
	for i, term := range terms {
		args[at] = term
		if len(terms) == 1 {
			return a.g.MatMul(args...)
		}
		terms[i] = a.product(args...)
	}
	return a.g.Add(terms...)
}

// inner is the sum of the products of the entries of two matrices: the sum of the inner products of their columns, or of their rows.
func (a *apart) inner(x, y *expr.Node) *expr.Node {
	g, dims := a.g, x.Type.Dims
	if !expr.Depends(x, a.sides...) && !expr.Depends(y, a.sides...) {
		return g.Inner(x, y)
	}
	if dims[1].Name != "" || dims[1].Size > mostSides {
		if dims[0].Name != "" || dims[0].Size > mostSides {
			return a.innerOfTerms(x, y)
		}
		x, y, dims[1] = g.Transpose(x), g.Transpose(y), dims[0]
	}
	sum := g.Const(0)
	for k := range dims[1].Size {
		unit := g.Unit(dims[1], g.Const(float64(k+1)))
		sum = g.Add(sum, a.dot(a.product(x, unit), a.product(y, unit)))
	}
	return sum
}

// innerOfTerms is an inner product of matrices without a short side, of sums that of each term.
func (a *apart) innerOfTerms(x, y *expr.Node) *expr.Node {
	sum := a.g.Const(0)
	for _, s := range a.g.Terms(x) {
		for _, t := range a.g.Terms(y) {
			sum = a.g.Add(sum, a.g.Inner(s, t))
		}
	}
	return sum
}

// dot is an inner product; of vectors whose entries are listed it is the sum of their products.
func (a *apart) dot(x, y *expr.Node) *expr.Node {
	if x.Type.Rank == 0 || y.Type.Rank == 0 || !a.listed(x) && !a.listed(y) {
		return a.termByTerm(x, y)
	}
	d, sum := x.Type.Dims[0], a.g.Const(0)
	for k := range d.Size {
		unit := a.g.Unit(d, a.g.Const(float64(k+1)))
		sum = a.g.Add(sum, a.g.Mul(a.entry(x, unit), a.entry(y, unit)))
	}
	return sum
}

// termByTerm is an inner product; of a vector of the rows with a sum that of the terms.
func (a *apart) termByTerm(x, y *expr.Node) *expr.Node {
	fixed := func(v *expr.Node) bool { return v.Type.Axes.Has(expr.Rows) && !a.varies(v) }
	if fixed(y) {
		x, y = y, x
	}
	if y.Op != expr.Lin || !a.varies(y) || !fixed(x) {
		return a.g.Dot(x, y)
	}
	linear := predictors{g: a.g, latent: slices.Concat(a.latent, a.sides)}
	sum, together := a.g.Const(0), a.g.Const(0)
	for _, term := range a.g.Terms(y) {
		number := a.g.Dot(x, a.g.Spread(term, expr.Vector(x.Type.Dims[0])))
		if !a.each && linear.affine(number) {
			together = a.g.Add(together, term)
		} else {
			sum = a.g.Add(sum, number)
		}
	}
	if together.Is(0) {
		return sum
	}
	return a.g.Add(sum, a.g.Dot(x, a.g.Spread(together, expr.Vector(x.Type.Dims[0]))))
}

// varies reports whether a value depends on latent variables.
func (a *apart) varies(n *expr.Node) bool {
	return expr.Depends(n, a.latent...) || expr.Depends(n, a.sides...)
}

// entry is the entry of a vector that a unit vector takes out.
func (a *apart) entry(v, unit *expr.Node) *expr.Node {
	scalar, v := a.g.Bare(v)
	if v.Op != expr.MatMul {
		return a.g.Mul(scalar, a.g.Dot(v, unit))
	}
	last := len(v.Args) - 1
	of := []*expr.Node{}
	for _, m := range slices.Backward(v.Args[:last]) {
		of = append(of, a.g.Transpose(m))
	}
	return a.g.Mul(scalar, a.dot(a.product(append(of, unit)...), v.Args[last]))
}

// listed reports whether a short vector is written entry by entry, in terms of entries of sides.
func (a *apart) listed(v *expr.Node) bool {
	if v.Type.Rank != 1 || v.Type.Dims[0].Name != "" || v.Type.Dims[0].Size > mostSides || !expr.Depends(v, a.sides...) {
		return false
	}
	if slices.Contains(a.sides, v) {
		return false
	}
	return expr.Find(func(n *expr.Node) bool {
		_, unit := n.UnitOf()
		return unit && n.Type.Axes == 0 && n.Type.Dims[0] == v.Type.Dims[0]
	}, v)
}
