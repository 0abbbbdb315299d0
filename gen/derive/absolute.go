package derive

import (
	"math"

	"github.com/sngdgen/sngdgen/expr"
)

// absolute are the expectations of f(s), f(s) t and f(s) t^2 for a normal number s = mean + deviation*t, with t a standard normal
// one, where f is the absolute value of a linear function or a multiple of it: quadrature converges slowly over its kink. With
// m + c*t the linear function, erf the error function and phi the standard normal density,
//
//	E f = m erf(m/(|c| sqrt 2)) + 2|c| phi(m/c), E f t = c E f' = c erf(m/(|c| sqrt 2)), E f t^2 = E f + c^2 E f'' = E f + 2|c| phi(m/c)
//
// (the first is the mean of a folded normal number: Leone, Nelson and Nottingham, Technometrics 3, 1961; the others are Stein's
// identity). ok is false for other functions.
func (d *deriver) absolute(h, s, mean, deviation *expr.Node) (e [3]*expr.Node, ok bool) {
	g := d.g
	factor, core := withoutFactors(g, h, s)
	if core.Op != absOp {
		return e, false
	}
	slope, err := derivative(g, core.Args[0], s)
	if err != nil || expr.Depends(slope, s) {
		return e, false
	}
	m, c := g.Substitute(core.Args[0], map[*expr.Node]*expr.Node{s: mean}), g.Mul(slope, deviation)
	size := g.Mul(g.Call(absOp, slope), deviation)
	if !slope.Nonzero() {
		size = g.Call(maxOp, size, g.Const(math.Sqrt(leastVariance)))
	}
	signs := g.Call(erfOp, g.Scale(math.Sqrt2/2, g.Div(m, size)))
	peak := g.Scale(math.Sqrt(2/math.Pi), g.Mul(size, g.Call(expOp, g.Scale(-0.5, g.Prod([]float64{2, -2}, []*expr.Node{m, size})))))
	e[0] = g.Add(g.Mul(m, signs), peak)
	e[1], e[2] = g.Mul(c, signs), g.Add(e[0], peak)
	for i := range e {
		e[i] = g.Mul(factor, e[i])
	}
	return e, true
}

var erfOp, _ = expr.FunctionNamed("erf")
