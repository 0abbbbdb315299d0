package derive

import (
	"github.com/sngdgen/sngdgen/expr"
)

// tiltedSum is a number sum_j c_j exp(l_j) a_j, of which the entries of l and a are affine in the latent variables: a linear predictor
// whose coefficients are normal numbers times exponentials of such, as those of a horseshoe are.
type tiltedSum struct {
	coefs    *expr.Node // c, a vector
	exponent *expr.Node // l, a vector or 0
	linear   *expr.Node // a, a vector or 1
}

// tilted takes an inner product apart; nil where it is of another kind.
func (p *predictors) tilted(n *expr.Node) *tiltedSum {
	if n.Op != expr.Dot {
		return nil
	}
	g := p.g
	out := &tiltedSum{coefs: g.Ones(expr.Vector(n.Args[0].Type.Dims[0])), exponent: g.Const(0), linear: g.Const(1)}
	if !p.tilting(out, n.Args[0], 1) || !p.tilting(out, n.Args[1], 1) {
		return nil
	}
	return out
}

// tilting takes a power of a factor into a sum; false where that is none any more.
func (p *predictors) tilting(to *tiltedSum, n *expr.Node, power float64) bool {
	g := p.g
	switch {
	case !expr.Depends(n, p.latent...):
		to.coefs = g.Mul(to.coefs, g.Prod([]float64{power}, []*expr.Node{n}))
	case n.Op == expr.Lin && len(n.Args) == 1 && n.Const == 0 && power == 1:
		to.coefs = g.Scale(n.Coefs[0], to.coefs)
		return p.tilting(to, n.Args[0], 1)
	case n.Op == expr.Prod:
		for i, a := range n.Args {
			if !p.tilting(to, a, power*n.Coefs[i]) {
				return false
			}
		}
	case n.Op == expOp:
		to.exponent = g.Add(to.exponent, g.Scale(power, n.Args[0]))
	case power == 1 && to.linear.Is(1):
		to.linear = n
	default:
		return false
	}
	return true
}

// affineEntries are the entries of a vector that is affine in the variable x of the target: at + by @ x, where by may be the number 0.
type affineEntries struct{ at, by *expr.Node }

// affineEntries takes a vector of a length apart, or a number that all entries are; ok is false where they are not affine.
func (in *inTarget) affineEntries(n *expr.Node, length expr.Dim) (out affineEntries, ok bool) {
	g := in.g
	if !expr.Depends(n, in.latent...) {
		return affineEntries{n, g.Const(0)}, true
	}
	for i, z := range in.latent {
		if n == z {
			return affineEntries{g.Const(0), in.selection(i, length)}, z.Type.Rank < 2
		}
	}
	split := predictors{g: g, latent: in.latent}
	switch {
	case n.Op == expr.Dot && n.Type.Axes == 0 && split.affine(n):
		mean, placed, ok := in.placedNumber(&split, n)
		return affineEntries{g.Sub(mean, in.g.Contract(placed, in.p.Target.Mean)), g.Outer(g.Ones(expr.Vector(length)), placed)}, ok
	case n.Op == expr.MatMul:
		return in.affineProduct(n)
	case n.Op == expr.Lin:
		out = affineEntries{g.Const(n.Const), g.Const(0)}
		for i, a := range n.Args {
			term, ok := in.affineEntries(a, length)
			if !ok {
				return out, false
			}
			out.at, out.by = g.Add(out.at, g.Scale(n.Coefs[i], term.at)), g.Add(out.by, g.Scale(n.Coefs[i], term.by))
		}
		return out, true
	case n.Op == expr.Prod:
		factor, varying := g.Const(1), (*expr.Node)(nil)
		for i, a := range n.Args {
			if !expr.Depends(a, in.latent...) {
				factor = g.Mul(factor, g.Prod(n.Coefs[i:i+1], n.Args[i:i+1]))
			} else if varying != nil || n.Coefs[i] != 1 {
				return out, false
			} else {
				varying = a
			}
		}
		if out, ok = in.affineEntries(varying, length); !ok || factor.Type.Axes != 0 {
			return out, false
		}
		return affineEntries{g.Mul(factor, out.at), in.scaled(factor, out.by)}, true
	}
	return out, false
}

// scaled multiplies the rows of a matrix by the entries of a vector or by a number.
func (in *inTarget) scaled(factor, by *expr.Node) *expr.Node {
	if factor.Type.Rank == 0 {
		return in.g.Mul(factor, by)
	}
	return in.g.MatMul(in.g.DiagonalMatrix(factor), by)
}

// selection is the matrix that takes a latent vector out of the variable of the target, or a latent number as many times as a length says.
func (in *inTarget) selection(i int, length expr.Dim) *expr.Node {
	g := in.g
	ones, first := g.Ones(expr.Vector(length)), g.Add(g.Const(1), in.before(i))
	if in.latent[i].Type.Rank == 0 {
		return g.Outer(ones, g.Unit(in.dim(), first))
	}
	at, step := g.Outer(ones, g.Iota(in.dim())), in.step(i)
	from := g.Add(in.before(i), g.Const(1-step))
	return g.Call(equalOp, at, g.Add(from, g.Scale(step, g.Outer(g.Iota(length), g.Ones(expr.Vector(in.dim()))))))
}

var equalOp, _ = expr.FunctionNamed("equal")

// placedNumber is the mean of a number that is affine in the latent variables, and its coefficients as a vector of all of them.
func (in *inTarget) placedNumber(split *predictors, n *expr.Node) (mean, placed *expr.Node, ok bool) {
	if !expr.Depends(n, in.latent...) {
		return n, in.g.Const(0), true
	}
	scale, coefs, ok := split.scaledSlopes(n)
	if !ok {
		return nil, nil, false
	}
	if placed = in.place(coefs); placed == nil {
		return nil, nil, false
	}
	placed = in.g.Mul(scale, placed)
	return in.g.Add(split.atZero(n), in.g.Contract(placed, in.p.Target.Mean)), placed, true
}

// tiltedMoments are what expectations of a tilted sum need, where the whole is weighted with exp(t) for a number t: weights and means of
// the entries, and what the exponents and the linear parts have to do with the variable x of the target.
type tiltedMoments struct {
	coefs    *expr.Node // c
	weights  *expr.Node // exp(E l_j + Var(l_j)/2 + Cov(l_j, t))
	means    *expr.Node // E a_j + Cov(a_j, t + l_j)
	exponent *expr.Node // Cov(l_j, x), a matrix or the number 0
	linear   *expr.Node // Cov(a_j, x)
	l, a     *expr.Node // the coefficients of x in l and a, so too
}

// tiltedProduct is the expectation of a factor, exp(t), and a product of tilted sums and of an affine number, two at most: with jointly
// normal numbers
//
//	E[exp(t + l_j + k_i) a_j b_i] = exp(E[t + l_j + k_i] + Var(t + l_j + k_i)/2) (E' a_j E' b_i + Cov(a_j, b_i)),
//
// where E' are the means under the weights, E a_j + Cov(a_j, t + l_j + k_i).
func (in *inTarget) tiltedProduct(split *predictors, p *product) *expr.Node {
	g, t := in.g, in.p.Target
	if t.Mean == nil || t.Variance == nil || !in.jointlyNormal() || expr.Depends(p.function, in.latent...) {
		return nil
	}
	variance := t.Variance
	if variance.Type.Rank < 2 {
		variance = g.DiagonalMatrix(variance)
	}
	tilt, placed, ok := in.placedNumber(split, p.exponent)
	if !ok {
		return nil
	}
	tilting := g.MatMul(variance, placed) // Cov(x, t)
	factor := g.Mul(p.factor, p.function, g.Call(expOp, g.Add(tilt, g.Scale(0.5, g.Dot(placed, tilting)))))
	sums := make([]*tiltedMoments, len(p.sums))
	for i, s := range p.sums {
		if sums[i] = in.tiltedMoments(s, variance, tilting); sums[i] == nil {
			return nil
		}
	}
	first := sums[0]
	switch {
	case len(sums) == 2:
		return g.Mul(factor, g.Dot(first.coefs, g.MatMul(in.secondMoments(first, sums[1]), sums[1].coefs)))
	case len(p.linear) == 1:
		mean, of, ok := in.placedNumber(split, p.linear[0])
		if !ok {
			return nil
		}
		means := g.Add(mean, g.Dot(of, tilting), g.MatMul(first.exponent, of))
		return g.Mul(factor, g.Dot(first.coefs, g.Mul(first.weights, g.Add(g.Mul(means, first.means), g.MatMul(first.linear, of)))))
	}
	return g.Mul(factor, g.Dot(first.coefs, g.Mul(first.weights, first.means)))
}

// tiltedMoments prepares a sum; nil where its parts are not affine.
func (in *inTarget) tiltedMoments(s *tiltedSum, variance, tilting *expr.Node) *tiltedMoments {
	g, length := in.g, s.coefs.Type.Dims[0]
	l, okL := in.affineEntries(s.exponent, length)
	a, okA := in.affineEntries(s.linear, length)
	if !okL || !okA {
		return nil
	}
	spread := func(n *expr.Node) *expr.Node { return g.Spread(n, expr.Vector(length)) }
	mean := func(x affineEntries) *expr.Node { return g.Add(spread(x.at), g.MatMul(x.by, in.p.Target.Mean)) }
	out := &tiltedMoments{coefs: s.coefs, l: l.by, a: a.by, exponent: g.MatMul(l.by, variance), linear: g.MatMul(a.by, variance)}
	out.weights = g.Call(expOp, g.Add(mean(l), g.Scale(0.5, g.Diagonal(g.MatMul(out.exponent, g.Transpose(l.by)))), g.MatMul(l.by, tilting)))
	out.means = g.Add(mean(a), g.Diagonal(g.MatMul(out.linear, g.Transpose(l.by))), g.MatMul(a.by, tilting))
	return out
}

// secondMoments is the matrix of the expectations of exp(l_j + k_i) a_j b_i under the weight exp(t), but for that of the weight.
func (in *inTarget) secondMoments(x, y *tiltedMoments) *expr.Node {
	g := in.g
	down, across := g.Ones(expr.Vector(x.coefs.Type.Dims[0])), g.Ones(expr.Vector(y.coefs.Type.Dims[0]))
	between := func(covariance, by *expr.Node) *expr.Node { return g.MatMul(covariance, g.Transpose(by)) }
	means := g.Mul(g.Add(g.Outer(x.means, across), between(x.linear, y.l)), g.Add(g.Outer(down, y.means), between(x.exponent, y.a)))
	tilt := g.Call(expOp, between(x.exponent, y.l))
	return g.Mul(g.Outer(x.weights, y.weights), tilt, g.Add(means, between(x.linear, y.a)))
}
