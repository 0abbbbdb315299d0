package derive

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// A log joint density of which some terms have known expectations is estimated by draws of the others alone (Rao and Blackwell's
// argument; for variational inference Ranganath, Gerrish and Blei, Black box variational inference, AISTATS 2014): polynomials of degree 2 in
// the latent variables, as normal priors are, by means and covariances; with exponentials where the latent variables are jointly normal.
//
// What is known has to be a function of the parameters of the target alone: the rows of the objective are draws, and there are no others in
// it, so that what sees the data is estimated. Integrals by quadrature are not taken, as one costs more than the draws of a term that is not
// of the rows.

// Known is what of a log joint density needs no draws.
type Known struct {
	Terms       *expr.Node // in the latent variables
	Expectation *expr.Node // in the parameters of the target
}

// partlyKnown splits the log joint density of several latent variables; nil where no term has a known expectation, and where all
// of them have, which is what the bound without draws is for.
func (d *deriver) partlyKnown(joint *expr.Node) (known *Known, estimated *expr.Node) {
	v, t := d.p.Variational, d.p.Target
	if d.all || v.External || d.held() != nil || t.Component != nil || t.Variable.Sym.Type.Rank != 1 {
		return nil, joint
	}
	if v.Packed() {
		return nil, joint // where entries lie in the variable of the target is not their place one after the other
	}
	sides := d.sides()
	in := d.inTarget(&Exact{}, sides)
	known, estimated = d.split(d.bySide(joint, sides), in.latent, in.inClosedForm)
	if known == nil || !expr.Depends(estimated, in.latent...) {
		return nil, joint
	}
	known.Terms = d.fromSides(known.Terms, sides)
	return known, d.fromSides(estimated, sides)
}

// latents are the symbols of the latent variables.
func (d *deriver) latents() []*expr.Node {
	return symsOf(d.p.Variational.Latent)
}

// split sorts the terms of a log-density by whether their expectations are known; nil where none that depends on the latent variables
// is.
func (d *deriver) split(density *expr.Node, latent []*expr.Node, expectation func(*expr.Node) *expr.Node) (known *Known, estimated *expr.Node) {
	g := d.g
	known, estimated = &Known{g.Const(0), g.Const(0)}, g.Const(0)
	p := predictors{g: g, latent: latent}
	take := func(term *expr.Node) bool {
		e := expectation(term)
		if e == nil || !d.ofTarget(e) {
			return false
		}
		known.Terms, known.Expectation = g.Add(known.Terms, term), g.Add(known.Expectation, e)
		return true
	}
	for _, term := range g.Terms(density) {
		if take(term) {
			continue
		}
		rest, parts := g.Const(0), p.terms(term)
		for _, part := range parts {
			if len(parts) == 1 || !take(part) {
				rest = g.Add(rest, part)
			}
		}
		estimated = g.Add(estimated, rest)
	}
	if !expr.Depends(known.Terms, latent...) {
		return nil, density
	}
	known.Expectation = d.simplify(nil, known.Expectation)[0]
	return known, estimated
}

// ofTarget reports whether an expectation is a function of the parameters of the target and of lengths alone, without integrals.
func (d *deriver) ofTarget(e *expr.Node) bool {
	v := d.p.Variational
	outside := []*expr.Node{v.Scale, d.g.Size(expr.Rows)}
	for _, q := range slices.Concat(v.Data, v.Latent) {
		outside = append(outside, q.Sym)
	}
	return !expr.Find(func(n *expr.Node) bool {
		return n.Op == expr.Expectation || n.Axis.Has(expr.Rows) || n.Type.Axes.Has(expr.Rows) || slices.Contains(outside, n)
	}, e)
}

// inClosedForm is the expectation of one term, nil where it is not known in closed form.
func (in *inTarget) inClosedForm(term *expr.Node) *expr.Node {
	if !expr.Depends(term, in.latent...) {
		return term
	}
	seen, _ := Predictors(in.g, term, in.latent)
	if len(seen) == 0 {
		return in.expectation(term)
	}
	if p := seen[0]; !p.ByRow {
		return in.ofPredictor(p)
	}
	return nil
}

// ofPredictor is the expectation of a function of a linear predictor, nil where it is not known in closed form: of all numbers in which it
// is quadratic, by its mean and variance; of exponentials and absolute values where it is normal.
func (in *inTarget) ofPredictor(p Predictor) *expr.Node {
	mean, variance, normal := in.moments(p.Coefs)
	if !normal {
		var ok bool
		if mean, variance, ok = in.givenMoments(p.Coefs); !ok {
			return nil
		}
	}
	sum := in.g.Const(0)
	for _, term := range in.g.Terms(p.H) {
		e := in.ofSecondDegree(term, p.S, mean, variance)
		if e == nil && normal {
			e = in.closed(term, p.S, mean, variance)
		}
		if e == nil {
			return nil
		}
		sum = in.g.Add(sum, e)
	}
	return sum
}

// givenMoments are the mean and the variance of a predictor by those that the spec gives of the target.
func (in *inTarget) givenMoments(coefs []*expr.Node) (mean, variance *expr.Node, ok bool) {
	t, placed := in.p.Target, in.place(coefs)
	if t.Mean == nil || t.Variance == nil || placed == nil {
		return nil, nil, false
	}
	if t.Variance.Type.Rank < 2 {
		return in.g.Contract(placed, t.Mean), in.g.Contract(placed, in.g.Mul(t.Variance, placed)), true
	}
	return in.g.Contract(placed, t.Mean), in.g.Dot(placed, in.g.MatMul(t.Variance, placed)), true
}
