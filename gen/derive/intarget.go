package derive

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
)

// Stacked are vectors for the rows of the data that are made of parts, one after the other, as latent variables lie in the variable
// of the target.
type Stacked struct {
	Sym *expr.Node
	// Parts has one for each latent variable, in its shape: a number that is known, data, or nil for what is Else everywhere.
	Parts []*expr.Node
	Else  float64
}

// inTarget are the expectations of functions of the latent variables, which are parts of the variable of the target.
type inTarget struct {
	*deriver
	x      *Exact
	sides  []side
	latent []*expr.Node // the symbols of the sides
	whole  bool         // there is one latent variable, which is all of it
}

func (d *deriver) inTarget(x *Exact, sides []side) *inTarget {
	return &inTarget{d, x, sides, syms(sides), d.p.Variational.Whole(d.p.Target)}
}

// before is how many numbers lie in front of the first entry of a side.
func (in *inTarget) before(i int) *expr.Node {
	s, sum := &in.sides[i], in.g.Const(0)
	latents := in.latents()
	for _, z := range latents[:s.of] {
		sum = in.g.Add(sum, in.length(z))
	}
	switch {
	case s.unit == nil:
		return sum
	case s.rows:
		return in.g.Add(sum, in.g.Scale(float64(s.at), in.length(s.sym)))
	}
	return in.g.Add(sum, in.g.Const(float64(s.at)))
}

// step is how far apart the entries of a side lie.
func (in *inTarget) step(i int) float64 {
	s := &in.sides[i]
	if s.unit == nil || s.rows {
		return 1
	}
	return float64(s.unit.Type.Dims[0].Size)
}

// length is the number of entries.
func (in *inTarget) length(z *expr.Node) *expr.Node {
	n := in.g.Const(1)
	for _, d := range z.Type.Dims[:z.Type.Rank] {
		n = in.g.Mul(n, in.g.DimNode(d))
	}
	return n
}

// dim is the length of the variable of the target.
func (in *inTarget) dim() expr.Dim { return in.p.Target.Variable.Sym.Type.Dims[0] }

// place makes a vector of all latent variables of one number or vector for each, nil where it cannot.
func (in *inTarget) place(coefs []*expr.Node) *expr.Node {
	if in.whole {
		return coefs[0]
	}
	g, sum := in.g, in.g.Const(0)
	byRow, numbers := make([]*expr.Node, len(coefs)), true // what varies over the rows; whether all others are numbers that are known
	for i, c := range coefs {
		switch {
		case c == nil:
		case in.latent[i].Type.Rank == 0 && c.Type.Axes == 0:
			_, known := c.IsConst()
			numbers = numbers && known
			sum = g.Add(sum, g.Mul(c, g.Unit(in.dim(), g.Add(g.Const(1), in.before(i)))))
		case in.alike(c):
			numbers = false
			scalar, _ := g.Bare(c)
			sum = g.Add(sum, g.Mul(scalar, in.mask(i)))
		case c.Type.Rank != in.latent[i].Type.Rank || expr.Find(func(n *expr.Node) bool { return n.Axis != 0 }, c):
			return nil
		case c.Type.Rank == 1 && c.Type.Axes == 0:
			numbers = false
			sum = g.Add(sum, g.MatMul(g.Transpose(in.selection(i, c.Type.Dims[0])), c))
		case !c.Type.Axes.Has(expr.Rows):
			return nil
		default:
			var picked *expr.Node
			if byRow[i], picked = in.picked(i, c); picked != nil {
				sum, numbers = g.Add(sum, picked), false
			}
		}
	}
	if in.rowsName() {
		for i, c := range byRow {
			if c != nil && c.Type.Rank == 1 && in.ofData(c) {
				sum, numbers = g.Add(sum, g.MatMul(g.Transpose(in.selection(i, c.Type.Dims[0])), c)), false
				byRow[i] = nil
			}
		}
	}
	switch stacked := slices.ContainsFunc(byRow, func(c *expr.Node) bool { return c != nil }); {
	case !stacked:
		return sum
	case numbers:
		return in.stacked(coefs, 0)
	}
	return g.Add(sum, in.stacked(byRow, 0))
}

// rowsName reports whether rows name entries of latent variables, as groups do. There may be many more of these than a row has coefficients, so that vectors
// for all of them are made for a block of rows at a time, of what the rows have: in stacked ones a row would have all.
func (in *inTarget) rowsName() bool {
	return slices.ContainsFunc(in.p.Variational.Data, func(q bind.Param) bool { return q.Kind.Facts.Index != expr.Dim{} })
}

// ofData reports whether a vector is data of the rows, or a multiple of these.
func (in *inTarget) ofData(n *expr.Node) bool {
	_, core := in.g.Bare(n)
	return in.isData(core)
}

// picked takes terms out of coefficients for the entries of a side that are numbers for one entry, which an index in the row names: as a vector of all
// latent variables they are such a number for one entry too. What is left may be nil.
func (in *inTarget) picked(i int, c *expr.Node) (rest, picked *expr.Node) {
	g := in.g
	rest, picked = nil, nil
	for _, term := range g.Terms(c) {
		scalar, core := g.Bare(term)
		index, ok := core.UnitOf()
		if !ok || index.Facts.Index != in.latent[i].Type.Dims[0] || index.Facts.Beyond > 0 { // what names no entry would name another variable's
			if rest == nil {
				rest = g.Const(0)
			}
			rest = g.Add(rest, term)
			continue
		}
		if picked == nil {
			picked = g.Const(0)
		}
		at := g.Add(in.before(i), g.Const(1-in.step(i)), g.Scale(in.step(i), index))
		picked = g.Add(picked, g.Mul(scalar, g.Unit(in.dim(), at)))
	}
	return rest, picked
}

// alike reports whether all entries of a vector are the same number.
func (in *inTarget) alike(n *expr.Node) bool {
	_, core := in.g.Bare(n)
	return n.Type.Rank == 1 && core.Op == expr.Ones && n.Type.Axes == 0
}

// mask is 1 where the entries of a latent vector lie, and 0 elsewhere.
func (in *inTarget) mask(i int) *expr.Node {
	g, from := in.g, in.before(i)
	if in.step(i) != 1 {
		length := in.latent[i].Type.Dims[0]
		return g.MatMul(g.Transpose(in.selection(i, length)), g.Ones(expr.Vector(length)))
	}
	to := g.Add(from, in.length(in.latent[i]))
	at := g.Iota(in.dim())
	return g.Mul(g.Call(lessOp, from, at), g.Call(lessOp, at, g.Add(to, g.Const(1))))
}

var lessOp, _ = expr.FunctionNamed("less")

// stacked is the vector that is made of parts, one for each side.
func (in *inTarget) stacked(parts []*expr.Node, otherwise float64) *expr.Node {
	parts = in.ofLatents(parts, otherwise)
	for _, s := range in.x.Stacked {
		if slices.Equal(s.Parts, parts) && s.Else == otherwise {
			return s.Sym
		}
	}
	sym := in.g.Fresh("stacked", expr.Vector(in.dim()).Over(expr.Rows), expr.Unknown)
	in.x.Stacked = append(in.x.Stacked, Stacked{sym, slices.Clone(parts), otherwise})
	return sym
}

// ofLatents puts parts for sides together to those for latent variables. Other sides of a matrix of which there are some are otherwise
// everywhere.
func (in *inTarget) ofLatents(parts []*expr.Node, otherwise float64) []*expr.Node {
	known := map[int]bool{}
	for i, c := range parts {
		known[in.sides[i].of] = known[in.sides[i].of] || c != nil
	}
	all := slices.Clone(parts)
	for i, s := range in.sides {
		if all[i] == nil && otherwise != 0 && known[s.of] {
			all[i] = in.g.Scale(otherwise, in.g.Ones(s.sym.Type))
		}
	}
	return together(in.g, in.sides, all, len(in.latents()))
}

// isData reports whether a value is data of the rows as they are.
func (in *inTarget) isData(n *expr.Node) bool {
	return slices.ContainsFunc(in.p.Variational.Data, func(q bind.Param) bool { return q.Sym == n })
}

// slopes are the derivatives of a linear number, with coefficients for every latent variable, by the random numbers of the target,
// nil for those that it does not depend on, and the number where these are 0: its mean. The target has to be an affine function of
// independent numbers whose linear combinations are all normal.
func (in *inTarget) slopes(coefs []*expr.Node) (mean *expr.Node, slopes []*expr.Node, ok bool) {
	placed := in.place(coefs)
	if placed == nil {
		return nil, nil, false
	}
	return in.slopesOf(placed)
}

// slopesOf are those of the inner product of a vector with the variable of the target.
func (in *inTarget) slopesOf(placed *expr.Node) (mean *expr.Node, slopes []*expr.Node, ok bool) {
	t, g := in.p.Target, in.g
	var numbers []*expr.Node
	for _, w := range t.Sample.Noise {
		if len(w.Args) > 0 || !w.Kind.Combines {
			return nil, nil, false
		}
		numbers = append(numbers, w.Sym)
	}
	at := slices.IndexFunc(t.Sample.Values, func(v bind.Def) bool { return Plain(v.Sym.Name) == t.Variable.Name })
	if at < 0 {
		return nil, nil, false
	}
	by := map[*expr.Node]*expr.Node{}
	for _, v := range t.Sample.Values {
		by[v.Sym] = g.Substitute(v.Node, by)
	}
	s := in.g.Contract(placed, by[t.Sample.Values[at].Sym])
	affine := predictors{g: g, latent: numbers}
	if slopes = affine.slopes(s); slopes == nil {
		return nil, nil, false
	}
	return affine.atZero(s), slopes, true
}

// jointlyNormal reports whether all linear functions of the variable of the target are normal.
func (in *inTarget) jointlyNormal() bool {
	x := in.p.Target.Variable.Sym.Type
	_, _, ok := in.slopesOf(in.g.Sym("any.direction", expr.Type{Rank: x.Rank, Dims: x.Dims}, expr.Unknown))
	return ok
}

// moments are the mean and the variance of a predictor under the target.
func (in *inTarget) moments(coefs []*expr.Node) (mean, variance *expr.Node, ok bool) {
	mean, slopes, ok := in.slopes(coefs)
	if !ok {
		return nil, nil, false
	}
	return mean, in.covariance(slopes, slopes), true
}

// predictorMoments are those of slopes.
func (in *inTarget) predictorMoments(coefs []*expr.Node) (mean *expr.Node, slopes []*expr.Node, ok bool) {
	return in.slopes(coefs)
}

// covariance is that of two linear numbers, by their slopes.
func (in *inTarget) covariance(x, y []*expr.Node) *expr.Node {
	sum := in.g.Const(0)
	for i, a := range x {
		if a != nil && y[i] != nil {
			sum = in.g.Add(sum, in.g.Contract(a, y[i]))
		}
	}
	return in.simplify(nil, sum)[0]
}

// expectation is that of a term which sees the latent variables through more than one number, nil where it is not known.
func (in *inTarget) expectation(n *expr.Node) *expr.Node {
	if !expr.Depends(n, in.latent...) {
		return n
	}
	if in.whole {
		return in.deriver.expectation(in.p.Target, n, in.latent[0])
	}
	if e := in.products(n); e != nil {
		return e
	}
	if e := in.ofEntries(n); e != nil {
		return e
	}
	if e := in.conditional(n); e != nil {
		return e
	}
	if e := in.ofForm(n); e != nil {
		return e
	}
	return in.termByTerm(n)
}

// termByTerm is the expectation of a product with a sum of numbers that are of no use together, as of the squares of several vectors
// times one exponential: that of each term, nil where one is not known.
func (in *inTarget) termByTerm(n *expr.Node) *expr.Node {
	split := predictors{g: in.g, latent: in.latent}
	terms := split.multiplied(n)
	if len(terms) < 2 {
		return nil
	}
	sum := in.g.Const(0)
	for _, term := range terms {
		e := in.expectation(term)
		if e == nil {
			return nil
		}
		sum = in.g.Add(sum, e)
	}
	return sum
}

// numberMoments are the mean of a number that is affine in the latent variables, and its slopes by the random numbers of the target.
func (in *inTarget) numberMoments(split *predictors, n *expr.Node) (mean *expr.Node, slopes []*expr.Node, ok bool) {
	if !expr.Depends(n, in.latent...) {
		return n, make([]*expr.Node, len(in.p.Target.Sample.Noise)), true
	}
	scale, coefs, ok := split.scaledSlopes(n)
	if !ok {
		return nil, nil, false
	}
	mean, slopes, ok = in.slopes(coefs)
	for i, s := range slopes {
		if s != nil {
			slopes[i] = in.g.Mul(scale, s)
		}
	}
	if !ok {
		return nil, nil, false
	}
	return in.g.Add(in.g.Mul(scale, mean), split.atZero(n)), slopes, true
}

// ofSum is the expectation of a linear function of a number whose coefficients are sums over the rows: the sum of the means of what
// the rows see. Nil for others.
func (in *inTarget) ofSum(p Predictor) *expr.Node {
	if p.ByRow || in.whole || !in.linearIn(p.H, p.S) {
		return nil
	}
	g, scale := in.g, in.p.Variational.Scale
	slope, err := derivative(g, p.H, p.S)
	if err != nil || expr.Depends(slope, p.S) {
		return nil
	}
	parts, factor := make([]*expr.Node, len(p.Coefs)), g.Const(1)
	for i, c := range p.Coefs {
		if c == nil {
			continue
		}
		if expr.Depends(c, scale) { // that of a batch is no constant of the data
			one := g.Substitute(c, map[*expr.Node]*expr.Node{scale: g.Const(1)})
			if g.Mul(scale, one) != c {
				return nil
			}
			c, factor = one, scale
		} else if factor == scale {
			return nil
		}
		if parts[i] = in.eachRow(c); parts[i] == nil {
			return nil
		}
	}
	mean, _, ok := in.slopes(parts)
	if !ok {
		return nil
	}
	atZero := g.Substitute(p.H, map[*expr.Node]*expr.Node{p.S: g.Const(0)})
	return g.Add(atZero, g.Mul(slope, factor, g.Sum(expr.Rows, mean)))
}

// eachRow is what a value sums over the rows, nil where it is no such sum.
func (in *inTarget) eachRow(n *expr.Node) *expr.Node {
	sums := func(a *expr.Node) bool { return a.Axis == expr.Rows }
	at := -1
	switch {
	case n.Op == expr.Sum && n.Axis == expr.Rows:
		return n.Args[0]
	case n.Op == expr.Lin && n.Const == 0:
		args := make([]*expr.Node, len(n.Args))
		for i, a := range n.Args {
			if args[i] = in.eachRow(a); args[i] == nil {
				return nil
			}
		}
		return in.g.Lin(0, n.Coefs, args)
	case n.Op == expr.Prod || n.Op == expr.Dot:
		for i, a := range n.Args {
			if expr.Find(sums, a) {
				if at >= 0 {
					return nil
				}
				at = i
			}
		}
	}
	if at < 0 || n.Op == expr.Prod && n.Coefs[at] != 1 {
		return nil
	}
	args := slices.Clone(n.Args)
	if args[at] = in.eachRow(args[at]); args[at] == nil {
		return nil
	}
	return in.g.Rebuild(n, args)
}
