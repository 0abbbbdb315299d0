package derive

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/gen/bind"
)

// Exact is the negative evidence lower bound without draws, where all of its expectations are known: in closed form, or as
// integrals over one standard normal number, which quadrature computes. Its rows are those of the data.
//
// A linear function of z = m + A e, with e of independent normal numbers, is normal, of which a part of the log joint density that
// sees z through one linear predictor needs no more than mean and variance (for generalised linear models so Kuss and Rasmussen,
// Assessing approximate inference for binary Gaussian process classification, JMLR 6, 2005, and Challis and Barber, Gaussian
// Kullback-Leibler approximate inference, JMLR 14, 2013). So the bound is a function of the parameters with exact gradients.
type Exact struct {
	Loss              *expr.Node
	Natural, Covector []*expr.Node // as in Surrogate
	// Joint is the expectation of the log joint density, in the parameters of the target; Closed is whether it takes no quadrature.
	Joint  *expr.Node
	Closed bool
	// Stacked are the coefficients of predictors in all latent variables together, computed once for a data set.
	Stacked []Stacked
}

// leastVariance keeps the derivative by the variance of a predictor finite where that is 0, as in rows of zeros: there it is 0, as
// what it is multiplied with.
const leastVariance = 1e-200

// exactBound derives the bound without draws; nil where some of its expectations are known from draws only.
func (d *deriver) exactBound() *Exact {
	v, e, t := d.p.Variational, d.elbo, d.p.Target
	alone := e.likelihood == nil // the prior, of which nothing is estimated in another way
	// Metrics may be by draws.
	informed := slices.ContainsFunc(d.p.Auxiliary, func(a bind.Auxiliary) bool { return a.Information != nil })
	if v.External || v.Packed() || d.held() != nil || t.Component != nil || t.Variable.Sym.Type.Rank > 1 || alone || informed {
		return nil
	}
	minusLogQ := e.entropy
	if minusLogQ == nil {
		if !e.estimated.Is(0) {
			return nil
		}
		minusLogQ = d.g.Neg(e.known)
	}
	out := &Exact{}
	joint := d.g.Const(0)
	for _, part := range []*expr.Node{v.Likelihood, v.Prior} {
		if part != nil {
			joint = d.g.Add(joint, part)
		}
	}
	known := d.expectedJoint(d.simplify(nil, joint)[0], out)
	if known == nil {
		return nil
	}
	out.Joint = known
	out.Closed = !expr.Find(func(n *expr.Node) bool { return n.Op == expr.Expectation }, out.Joint)
	loss := d.simplify(nil, d.g.Substitute(d.g.Neg(d.g.Add(minusLogQ, out.Joint)), d.byMap()))[0]
	var err error
	if out.Loss, out.Covector, out.Natural, err = d.gradients(loss, nil); err != nil {
		return nil
	}
	return out
}

// expectedJoint is the expectation of the log joint density, nil where that of a term is not known.
func (d *deriver) expectedJoint(joint *expr.Node, x *Exact) *expr.Node {
	sides := d.sides()
	in := d.inTarget(x, sides)
	seen, rest := Predictors(d.g, d.bySide(joint, sides), in.latent)
	sum := d.g.Const(0)
	for _, term := range d.g.Terms(rest) {
		known := in.expectation(term)
		if known == nil {
			return nil
		}
		sum = d.g.Add(sum, known)
	}
	for _, p := range seen {
		known, ok := in.expectationOf(p)
		if !ok {
			return nil
		}
		sum = d.g.Add(sum, known)
	}
	return sum
}

// expectationOf is the expectation of a part that sees one linear predictor; ok is false where its distribution is not known.
func (in *inTarget) expectationOf(p Predictor) (known *expr.Node, ok bool) {
	d := in.deriver
	if e := in.ofSum(p); e != nil {
		return e, true
	}
	mean, variance, ok := in.moments(p.Coefs)
	if !ok {
		return nil, false
	}
	var inner, factors []*expr.Node
	known = d.g.Const(0)
	for _, term := range d.g.Terms(p.H) {
		if e := d.closed(term, p.S, mean, variance); e != nil {
			known = d.g.Add(known, e)
			continue
		}
		factor, core := withoutFactors(d.g, term, p.S)
		inner, factors = append(inner, core), append(factors, factor)
	}
	for i, e := range d.integrals(inner, p.S, mean, variance) {
		known = d.g.Add(known, d.g.Mul(factors[i], e))
	}
	if p.ByRow {
		known = d.g.Sum(expr.Rows, known)
	}
	return known, true
}

// closed is the expectation of a function of a normal number where it is known in closed form: of polynomials of degree 2, and of
// exponentials and absolute values of linear ones. Nil where it is not.
func (d *deriver) closed(h, s, mean, variance *expr.Node) *expr.Node {
	if e, ok := d.absolute(h, s, mean, d.deviation(variance)); ok {
		return e[0]
	}
	if e := d.ofExp(h, s, mean, variance); e != nil {
		return e
	}
	return d.ofSecondDegree(h, s, mean, variance)
}

// ofExp is the expectation of an exponential of a linear function of a normal number, nil for others.
func (d *deriver) ofExp(h, s, mean, variance *expr.Node) *expr.Node {
	g := d.g
	factor, core := withoutFactors(g, h, s)
	if core.Op != expOp {
		return nil
	}
	slope, err := derivative(g, core.Args[0], s)
	if err != nil || expr.Depends(slope, s) {
		return nil
	}
	atMean := g.Substitute(core.Args[0], map[*expr.Node]*expr.Node{s: mean})
	return g.Mul(factor, g.Call(expOp, g.Add(atMean, g.Scale(0.5, g.Mul(slope, slope, variance)))))
}

// ofSecondDegree is the expectation of a polynomial of degree 2 in a number, nil for others.
func (d *deriver) ofSecondDegree(h, s, mean, variance *expr.Node) *expr.Node {
	g := d.g
	slope, err := derivative(g, h, s)
	if err != nil {
		return nil
	}
	curvature, err := derivative(g, d.simplify(nil, slope)[0], s)
	if err != nil || expr.Depends(curvature, s) || d.jumps(h, s) {
		return nil
	}
	return g.Add(g.Substitute(h, map[*expr.Node]*expr.Node{s: mean}), g.Scale(0.5, g.Mul(curvature, variance)))
}

var expOp, _ = expr.FunctionNamed("exp")

// jumps reports whether a function is no polynomial though its second derivative, where it has one, does not vary: abs(s) is not.
func (d *deriver) jumps(h, s *expr.Node) bool {
	return expr.Find(func(n *expr.Node) bool { return n.Op.Elementwise() && expr.Depends(n, s) }, h)
}

// derivative is that of one row by a number that varies over the rows.
func derivative(g *expr.Graph, h, s *expr.Node) (*expr.Node, error) {
	out, err := diff.Gradient(g, h, []*expr.Node{s})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// withoutFactors takes the factors out that do not depend on s.
func withoutFactors(g *expr.Graph, n, s *expr.Node) (factor, core *expr.Node) {
	switch {
	case n.Op == expr.Lin && len(n.Args) == 1 && n.Const == 0:
		factor, core = withoutFactors(g, n.Args[0], s)
		return g.Scale(n.Coefs[0], factor), core
	case n.Op == expr.Prod:
		factor, core = g.Const(1), g.Const(1)
		for i, a := range n.Args {
			power := g.Prod(n.Coefs[i:i+1], n.Args[i:i+1])
			if expr.Depends(a, s) {
				core = g.Mul(core, power)
			} else {
				factor = g.Mul(factor, power)
			}
		}
		return factor, core
	}
	return g.Const(1), n
}

// integrals are the expectations of functions of a normal number as integrals over a standard normal one.
func (d *deriver) integrals(functions []*expr.Node, s, mean, variance *expr.Node) []*expr.Node {
	if len(functions) == 0 {
		return nil
	}
	return d.overStandard(functions, s, mean, d.deviation(variance))
}

// overStandard are the expectations of functions of a normal number s, and of the standard normal one that it is made of.
func (d *deriver) overStandard(functions []*expr.Node, s, mean, deviation *expr.Node) []*expr.Node {
	g, t := d.g, d.standard("t")
	// The mean and the deviation are parameters by themselves, whatever they stand beside.
	location, scale := g.Fresh("mean", mean.Type, expr.Unknown), g.Fresh("deviation", deviation.Type, expr.In(expr.Positive))
	at := g.SubstituteAll(functions, map[*expr.Node]*expr.Node{s: g.Add(location, g.Mul(scale, t))})
	fn, args := g.Lift([]*expr.Node{t}, at, nil, nil)
	return g.Expectations(fn, g.SubstituteAll(args, map[*expr.Node]*expr.Node{location: mean, scale: deviation}))
}

// withPowers are the expectations of a function of a normal number, of it times the standard normal one that the number is made of, and
// of it times its square.
func (d *deriver) withPowers(h, s, mean, deviation *expr.Node) [3]*expr.Node {
	if e, ok := d.absolute(h, s, mean, deviation); ok {
		return e
	}
	t := d.standard("t")
	return [3]*expr.Node(d.overStandard([]*expr.Node{h, d.g.Mul(h, t), d.g.Mul(h, t, t)}, s, mean, deviation))
}

// standard is a standard normal number over which integrals are taken.
func (d *deriver) standard(name string) *expr.Node {
	return d.g.Sym("standard."+d.free(name), expr.Scalar, expr.Unknown)
}

// deviation is the root of a variance.
func (d *deriver) deviation(variance *expr.Node) *expr.Node {
	return d.g.Prod([]float64{0.5}, []*expr.Node{d.g.Call(maxOp, variance, d.g.Const(leastVariance))})
}

// free is a name that nothing of the model or the target has.
func (d *deriver) free(name string) string {
	used := func(q bind.Param) bool { return q.Name == name }
	v, t := d.p.Variational, d.p.Target
	for slices.ContainsFunc(slices.Concat(v.Latent, v.Data, t.Params), used) {
		name += "_"
	}
	return name
}

var maxOp, _ = expr.FunctionNamed("max")
