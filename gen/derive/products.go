package derive

import (
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// products is the expectation of a product of linear numbers, four at most, with exponentials of linear numbers: with a, b, ... and l
// jointly normal
//
//	E[exp(l)] = exp(E l + Var(l)/2),
//
// and weighted so, a, b, ... are normal with the same covariances and means E a + Cov(a, l), E b + Cov(b, l), ...
func (in *inTarget) products(n *expr.Node) *expr.Node {
	g := in.g
	split := predictors{g: g, latent: in.latent}
	h, byRow := split.ofRow(n)
	if h == nil {
		return nil
	}
	sum := g.Const(0)
	for _, term := range split.multiplied(in.simplify(nil, h)[0]) {
		e := in.product(&split, term, in)
		if e == nil {
			return nil
		}
		sum = g.Add(sum, e)
	}
	if byRow {
		return g.Sum(expr.Rows, sum)
	}
	return sum
}

// multiplied are the terms of a number, with sums that are not linear in the latent variables, and their squares, multiplied out.
func (p *predictors) multiplied(n *expr.Node) []*expr.Node {
	var out []*expr.Node
	for _, term := range p.terms(n) {
		scalar, at := term, -1
		if term.Op == expr.Lin && len(term.Args) == 1 && term.Const == 0 {
			scalar = term.Args[0]
		}
		if scalar.Op == expr.Prod {
			at = slices.IndexFunc(scalar.Args, func(a *expr.Node) bool {
				return a.Op == expr.Lin && expr.Depends(a, p.latent...) && !p.affine(a) && !p.ofOne(a)
			})
		}
		if at < 0 || scalar.Coefs[at] != 1 && scalar.Coefs[at] != 2 || len(out) > mostProducts {
			out = append(out, term)
			continue
		}
		sum := scalar.Args[at]
		rest := p.g.Substitute(term, map[*expr.Node]*expr.Node{scalar: p.g.Prod(without(scalar.Coefs, at), without(scalar.Args, at))})
		for _, a := range p.g.Terms(sum) {
			if scalar.Coefs[at] == 1 {
				out = append(out, p.multiplied(p.g.Mul(rest, a))...)
				continue
			}
			for _, b := range p.g.Terms(sum) {
				out = append(out, p.multiplied(p.g.Mul(rest, a, b))...)
			}
		}
	}
	return out
}

const (
	// mostProducts bounds what is multiplied out.
	mostProducts = 200
	// mostLinear bounds the linear numbers in a product: of the square of a product of two there are four.
	mostLinear = 4
)

// numberMoments knows means and covariances of numbers that are affine in the latent variables of a split, by their coefficients.
type numberMoments interface {
	numberMoments(split *predictors, n *expr.Node) (mean *expr.Node, slopes []*expr.Node, ok bool)
	// predictorMoments are those of a number with so many times each of the latent variables of a split.
	predictorMoments(coefs []*expr.Node) (mean *expr.Node, slopes []*expr.Node, ok bool)
	covariance(x, y []*expr.Node) *expr.Node
}

// ofOne reports whether a number is a function of one linear predictor.
func (p *predictors) ofOne(n *expr.Node) bool {
	alone := predictors{g: p.g, latent: p.latent}
	return alone.take(n, false)
}

// product is a product of numbers that are affine in the latent variables, of tilted sums, an exponential of one, and a function of one.
type product struct {
	factor, exponent, function *expr.Node
	linear                     []*expr.Node
	sums                       []*tiltedSum
}

// factored takes a product apart; nil where a factor is of no such kind.
func (p *predictors) factored(n *expr.Node) *product {
	g := p.g
	out := &product{factor: g.Const(1), exponent: g.Const(0), function: g.Const(1)}
	var take func(n *expr.Node, power float64)
	take = func(n *expr.Node, power float64) {
		switch {
		case !expr.Depends(n, p.latent...):
			out.factor = g.Mul(out.factor, g.Prod([]float64{power}, []*expr.Node{n}))
		case n.Op == expr.Lin && len(n.Args) == 1 && n.Const == 0:
			out.factor = g.Mul(out.factor, g.Const(math.Pow(n.Coefs[0], power)))
			take(n.Args[0], power)
		case n.Op == expr.Prod:
			for i, a := range n.Args {
				take(a, power*n.Coefs[i])
			}
		case n.Op == expOp:
			out.exponent = g.Add(out.exponent, g.Scale(power, n.Args[0]))
		case p.affine(n) && power >= 1 && power <= mostLinear && power == math.Trunc(power):
			for range int(power) {
				out.linear = append(out.linear, n)
			}
		default:
			if sum := p.tilted(n); sum != nil && (power == 1 || power == 2) {
				out.sums = append(out.sums, slices.Repeat([]*tiltedSum{sum}, int(power))...)
				return
			}
			out.function = g.Mul(out.function, g.Prod([]float64{power}, []*expr.Node{n}))
		}
	}
	if take(n, 1); len(out.linear) > mostLinear || len(out.sums) > 0 && len(out.linear)+len(out.sums) > 2 {
		return nil
	}
	return out
}

// weighs reports whether expectations under the exponential of a product are known.
func (in *inTarget) weighs(p *product, latent []*expr.Node) bool {
	return !expr.Depends(p.exponent, latent...) || in.jointlyNormal()
}

// product is the expectation of one product of one row.
func (in *inTarget) product(split *predictors, term *expr.Node, by numberMoments) *expr.Node {
	g, p := in.g, split.factored(term)
	if p == nil || !in.weighs(p, split.latent) {
		return nil
	}
	if len(p.sums) > 0 {
		if by != numberMoments(in) {
			return nil
		}
		return in.tiltedProduct(split, p)
	}
	tilt, slopes, ok := by.numberMoments(split, p.exponent)
	if !ok {
		return nil
	}
	weight := g.Mul(p.factor, g.Call(expOp, g.Add(tilt, g.Scale(0.5, by.covariance(slopes, slopes)))))
	var means []*expr.Node
	var of [][]*expr.Node
	for _, a := range p.linear {
		mean, own, ok := by.numberMoments(split, a)
		if !ok {
			return nil
		}
		means, of = append(means, g.Add(mean, by.covariance(own, slopes))), append(of, own)
	}
	if !expr.Depends(p.function, split.latent...) {
		return g.Mul(weight, p.function, mixedMoment(g, by, means, of))
	}
	if e := in.weighted(split, by, p.function, slopes, means, of); e != nil {
		return g.Mul(weight, e)
	}
	return nil
}

// mixedMoment is the mean of a product of normal numbers with these means and slopes (Isserlis, Biometrika 12, 1918): that of the first
// times that of the others, and its covariance with each of these times that of the rest.
func mixedMoment(g *expr.Graph, by numberMoments, means []*expr.Node, of [][]*expr.Node) *expr.Node {
	if len(means) == 0 {
		return g.Const(1)
	}
	sum := g.Mul(means[0], mixedMoment(g, by, means[1:], of[1:]))
	for j := 1; j < len(means); j++ {
		sum = g.Add(sum, g.Mul(by.covariance(of[0], of[j]), mixedMoment(g, by, without(means[1:], j-1), without(of[1:], j-1))))
	}
	return sum
}

// weighted is the expectation of f(s) a b for linear numbers s, a and b, of which the latter have these means and covariance: with
// s = E s + sd t they are E a + Cov(a, s)/sd t and so on plus what does not depend on t.
func (in *inTarget) weighted(split *predictors, by numberMoments, f *expr.Node, tilt, means []*expr.Node, of [][]*expr.Node) *expr.Node {
	if len(means) > 2 {
		return nil
	}
	g := in.g
	together := g.Const(0)
	if len(means) == 2 {
		together = by.covariance(of[0], of[1])
	}
	for len(means) < 2 { // 1, which has nothing to do with s
		means, of = append(means, g.Const(1)), append(of, nil)
	}
	alone := predictors{g: g, latent: split.latent}
	if !alone.take(f, f.Type.Axes.Has(expr.Rows)) {
		return nil
	}
	s := alone.seen[0]
	mean, slopes, ok := by.predictorMoments(s.Coefs)
	if !ok {
		return nil
	}
	deviation := in.deviation(by.covariance(slopes, slopes))
	with := []*expr.Node{g.Const(0), g.Const(0)}
	for i, own := range of {
		if own != nil {
			with[i] = g.Div(by.covariance(own, slopes), deviation)
		}
	}
	e := in.withPowers(s.H, s.S, g.Add(mean, by.covariance(slopes, tilt)), deviation)
	both := g.Mul(with...)
	return g.Add(g.Mul(e[0], g.Add(g.Mul(means...), together, g.Neg(both))),
		g.Mul(e[1], g.Add(g.Mul(means[0], with[1]), g.Mul(means[1], with[0]))), g.Mul(e[2], both))
}
