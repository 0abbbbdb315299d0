package derive

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// ofForm is the expectation of an inner product of two vectors that are affine in the variable x of the target, times the exponential of
// an affine number t: for the vectors u + B x and v + D x
//
//	E[exp(t) (u + B x)'(v + D x)] = exp(E t + Var(t)/2) ((u + B m)'(v + D m) + tr(B C D')),
//
// where C is the covariance of x, and m = E x + Cov(x, t) its mean under the weights exp(t). Nil for other terms.
func (in *inTarget) ofForm(n *expr.Node) *expr.Node {
	split := predictors{g: in.g, latent: in.latent}
	if h := in.eachRow(n); h != nil {
		return in.sumOver(split.terms(h), in.ofForm)
	}
	if !expr.Depends(n, in.latent...) {
		return n
	}
	scalar, core := in.sumOfEntries(n)
	p := split.factored(scalar)
	if core.Op != expr.Dot || p == nil || len(p.linear) > 0 || len(p.sums) > 0 || expr.Depends(p.function, in.latent...) || !in.weighs(p, in.latent) {
		return nil
	}
	length := core.Args[0].Type.Dims[0]
	x, okX := in.affineEntries(core.Args[0], length)
	y, okY := in.affineEntries(core.Args[1], length)
	if !okX || !okY {
		return nil
	}
	return in.form(&split, p, x, y, length)
}

// form is the expectation of a product without linear factors and an inner product of affine vectors, nil where moments are not known.
func (in *inTarget) form(split *predictors, p *product, x, y affineEntries, length expr.Dim) *expr.Node {
	g, t := in.g, in.p.Target
	if t.Mean == nil || t.Variance == nil {
		return nil
	}
	tilt, placed, ok := in.placedNumber(split, p.exponent)
	if !ok {
		return nil
	}
	variance := t.Variance
	if variance.Type.Rank < 2 {
		variance = g.DiagonalMatrix(variance)
	}
	tilting := g.MatMul(variance, placed)
	mean := func(x affineEntries) *expr.Node {
		return g.Add(g.Spread(x.at, expr.Vector(length)), g.MatMul(x.by, g.Add(t.Mean, tilting)))
	}
	weight := g.Mul(p.factor, p.function, g.Call(expOp, g.Add(tilt, g.Scale(0.5, g.Dot(placed, tilting)))))
	return g.Mul(weight, g.Add(g.Dot(mean(x), mean(y)), g.Inner(g.MatMul(x.by, variance), y.by)))
}

// sumOver is the sum over the rows of the expectations of terms of one, nil where one is not known.
func (in *inTarget) sumOver(terms []*expr.Node, expectation func(*expr.Node) *expr.Node) *expr.Node {
	sum := in.g.Const(0)
	for _, term := range terms {
		e := expectation(term)
		if e == nil {
			return nil
		}
		sum = in.g.Add(sum, e)
	}
	return in.g.Sum(expr.Rows, sum)
}

// affineProduct are the entries of a product of known matrices with an affine vector.
func (in *inTarget) affineProduct(n *expr.Node) (out affineEntries, ok bool) {
	last := len(n.Args) - 1
	matrices, v := n.Args[:last], n.Args[last]
	known := !slices.ContainsFunc(matrices, func(m *expr.Node) bool { return expr.Depends(m, in.latent...) || m.Type.Axes != 0 })
	if v.Type.Rank != 1 || !known {
		return out, false
	}
	length := v.Type.Dims[0]
	if out, ok = in.affineEntries(v, length); !ok {
		return out, false
	}
	times := func(x *expr.Node) *expr.Node { return in.g.MatMul(append(slices.Clone(matrices), x)...) }
	return affineEntries{times(in.g.Spread(out.at, expr.Vector(length))), times(out.by)}, true
}
