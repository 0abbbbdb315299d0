package derive

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// entrywise is the expectation of a sum over the entries of a latent vector, each of which is a function of the entry, of latent numbers
// and of data: products as those of inTarget.products, for all entries at once. Everything that belongs to an entry is a vector of
// all latent variables, and the entries of others count 0.
type entrywise struct {
	*inTarget
	split  predictors // of numbers: the entry, and the latent numbers
	at     int        // of the latent vector
	data   []*expr.Node
	byData []*expr.Node // what stands for an entry of it
	known  map[*expr.Node]*expr.Node
}

// ofEntries is the expectation of a term that sums over the entries of a latent vector, nil where it is not known.
func (in *inTarget) ofEntries(n *expr.Node) *expr.Node {
	if h := in.eachRow(n); h != nil {
		split := predictors{g: in.g, latent: in.latent}
		return in.sumOver(split.terms(h), in.ofEntries)
	}
	if !expr.Depends(n, in.latent...) {
		return n
	}
	t := in.p.Target
	scalar, core := in.sumOfEntries(n)
	if !sumsEntries(core) || t.Mean == nil || t.Variance == nil || expr.Depends(scalar, in.vectors()...) {
		return nil
	}
	which := slices.IndexFunc(in.latent, func(z *expr.Node) bool { return z.Type.Rank > 0 && expr.Depends(core, z) })
	if which < 0 {
		return nil
	}
	e := &entrywise{inTarget: in, at: which, known: map[*expr.Node]*expr.Node{}}
	entry := in.g.Fresh("entry", expr.Scalar, expr.Unknown)
	a, b := in.operands(core)
	x, okX := e.entry(a, entry)
	y, okY := e.entry(b, entry)
	if !okX || !okY {
		return nil
	}
	e.split = predictors{g: in.g, latent: e.numbers(entry)}
	return e.sum(in.simplify(nil, in.g.Mul(scalar, x, y))[0], entry)
}

// sumOfEntries takes the factors of an inner product of latent vectors out.
func (in *inTarget) sumOfEntries(n *expr.Node) (factor, core *expr.Node) {
	switch {
	case n.Op == expr.Lin && len(n.Args) == 1 && n.Const == 0:
		factor, core = in.sumOfEntries(n.Args[0])
		return in.g.Scale(n.Coefs[0], factor), core
	case n.Op == expr.Prod:
		at := slices.IndexFunc(n.Args, func(a *expr.Node) bool { return sumsEntries(a) && expr.Depends(a, in.vectors()...) })
		if at >= 0 && n.Coefs[at] == 1 {
			return in.g.Prod(without(n.Coefs, at), without(n.Args, at)), n.Args[at]
		}
	}
	return in.g.Const(1), n
}

// sumsEntries reports whether a number is an inner product, of vectors or of matrices.
func sumsEntries(n *expr.Node) bool { return n.Op == expr.Dot || n.Op == expr.Inner }

// operands are the vectors or matrices of an inner product; that of a trace of a product are its first factor and the others.
func (in *inTarget) operands(n *expr.Node) (x, y *expr.Node) {
	x, y = n.Args[0], n.Args[1]
	if x.Op == expr.Eye && y.Op == expr.MatMul {
		return in.g.Transpose(y.Args[0]), in.g.MatMul(y.Args[1:]...)
	}
	return x, y
}

// vectors are the latent variables that are no numbers.
func (in *inTarget) vectors() (out []*expr.Node) {
	for _, z := range in.latent {
		if z.Type.Rank > 0 {
			out = append(out, z)
		}
	}
	return out
}

// numbers are the entry and the latent numbers.
func (e *entrywise) numbers(entry *expr.Node) []*expr.Node {
	out := []*expr.Node{entry}
	for _, z := range e.latent {
		if z.Type.Rank == 0 {
			out = append(out, z)
		}
	}
	return out
}

// entry is an entry of a vector that goes entry by entry.
func (e *entrywise) entry(n, entry *expr.Node) (*expr.Node, bool) {
	switch {
	case n.Type.Rank == 0:
		return n, !expr.Depends(n, e.vectors()...)
	case n == e.latent[e.at]:
		return entry, true
	case n.Op == expr.Ones:
		return e.g.Const(1), true
	case e.isData(n):
		if i := slices.Index(e.data, n); i >= 0 {
			return e.byData[i], true
		}
		e.data = append(e.data, n)
		e.byData = append(e.byData, e.g.Fresh("entry."+Plain(n.Name), expr.Scalar.Over(expr.Rows), n.Facts))
		return e.byData[len(e.byData)-1], true
	case n.Op != expr.Lin && n.Op != expr.Prod && n.Op != expr.Pow && !n.Op.Elementwise():
		return nil, false
	}
	args := make([]*expr.Node, len(n.Args))
	for i, a := range n.Args {
		var ok bool
		if args[i], ok = e.entry(a, entry); !ok {
			return nil, false
		}
	}
	return e.g.Entry(n, args), true
}

// sum is the sum over the entries of the expectation of a function of one.
func (e *entrywise) sum(h, entry *expr.Node) *expr.Node {
	each := e.g.Const(0)
	for _, term := range e.split.multiplied(h) {
		known := e.product(&e.split, term, e)
		if known == nil {
			return nil
		}
		each = e.g.Add(each, known)
	}
	for i, x := range e.data {
		parts := make([]*expr.Node, len(e.latent))
		parts[e.at] = x
		e.known[e.byData[i]] = e.stacked(parts, 1)
	}
	each = e.g.Substitute(each, e.known)
	if each.Type.Rank == 0 {
		return e.g.Mul(e.length(e.latent[e.at]), each)
	}
	return e.g.Dot(e.mask(e.at), each)
}

// standing is a symbol that stands for a vector where numbers are multiplied.
func (e *entrywise) standing(name string, facts expr.Facts, of *expr.Node) *expr.Node {
	for sym, known := range e.known {
		if known == of {
			return sym
		}
	}
	sym := e.g.Fresh(name, expr.Scalar, facts)
	e.known[sym] = of
	return sym
}

// numberMoments are the mean of a number that is affine in an entry and in latent numbers, and its coefficients.
func (e *entrywise) numberMoments(split *predictors, n *expr.Node) (mean *expr.Node, slopes []*expr.Node, ok bool) {
	g, numbers := e.g, split.latent
	if !expr.Depends(n, numbers...) {
		return n, make([]*expr.Node, len(numbers)), true
	}
	if !split.affine(n) {
		return nil, nil, false
	}
	mean, slopes, ok = e.predictorMoments(split.slopes(n))
	return g.Add(split.atZero(n), mean), slopes, ok
}

// predictorMoments are the mean of a sum of multiples of the entry and of latent numbers, and these multiples.
func (e *entrywise) predictorMoments(coefs []*expr.Node) (mean *expr.Node, slopes []*expr.Node, ok bool) {
	mean = e.g.Const(0)
	for i, c := range coefs {
		if c != nil {
			mean = e.g.Add(mean, e.g.Mul(c, e.meanOf(e.split.latent, i)))
		}
	}
	return mean, coefs, true
}

// meanOf is the mean of the entry, or of a latent number.
func (e *entrywise) meanOf(numbers []*expr.Node, i int) *expr.Node {
	m := e.p.Target.Mean
	if i == 0 {
		return e.standing("means", expr.Unknown, m)
	}
	return e.standing("mean", expr.Unknown, e.g.Dot(m, e.unit(numbers[i])))
}

// unit is the vector of all latent variables that is 1 at a number.
func (e *entrywise) unit(number *expr.Node) *expr.Node {
	return e.g.Unit(e.dim(), e.g.Add(e.g.Const(1), e.before(slices.Index(e.latent, number))))
}

// covariance is that of two numbers by their coefficients.
func (e *entrywise) covariance(x, y []*expr.Node) *expr.Node {
	g, sum := e.g, e.g.Const(0)
	for i, a := range x {
		for j, b := range y {
			if a != nil && b != nil {
				sum = g.Add(sum, g.Mul(a, b, e.covarianceOf(e.split.latent, i, j)))
			}
		}
	}
	return sum
}

func (e *entrywise) covarianceOf(numbers []*expr.Node, i, j int) *expr.Node {
	g, c := e.g, e.p.Target.Variance
	column := func(k int) *expr.Node {
		if c.Type.Rank == 1 {
			return g.Mul(c, e.unit(numbers[k]))
		}
		return g.MatMul(c, e.unit(numbers[k]))
	}
	switch {
	case i == 0 && j == 0 && c.Type.Rank == 1:
		return e.standing("variances", expr.In(expr.Positive), c)
	case i == 0 && j == 0:
		return e.standing("variances", expr.In(expr.Positive), g.Diagonal(c))
	case i == 0:
		return e.standing("covariances", expr.Unknown, column(j))
	case j == 0:
		return e.standing("covariances", expr.Unknown, column(i))
	}
	return e.standing("covariance", expr.Unknown, g.Dot(e.unit(numbers[i]), column(j)))
}
