package derive

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/spec"
)

// The variational objective is the negative evidence lower bound, -E[log p(y, z)] + E[log q(z)], of the target q (So and
// Turner 2024, section 2.1). Its rows are draws: the random numbers that q is drawn with are the data, and z is a function
// of them and of the parameters, through which gradients flow (Kingma and Welling 2014, Auto-encoding variational Bayes;
// Titsias and Lazaro-Gredilla 2014). Expectations that are known are not estimated: the entropy of q where the spec gives
// it, and those of polynomials of degree 2 in z, which is what Gaussian priors have for logarithms, and more (partly.go).
//
// Of a mixture every component has the same number of draws (stratified sampling), each of which counts with the weight of
// its component; the label of a draw says which one that is.
type elbo struct {
	share      *expr.Node // of a mixture: what a draw counts, 1 on average; nil for others
	drawn      *expr.Node // z, for every draw, in the parameters of the target and random numbers over the rows
	noise      []bind.Draw
	likelihood *expr.Node // of the model, opaque
	prior      *expr.Node // estimated with the draws, nil when there is none
	expected   *expr.Node // of what is known of the prior, or of the log joint density; nil where that is nothing
	knownTerms *Known     // of the log joint density of several latent variables; nil where all of it is estimated
	joint      *expr.Node // the log joint density, or the likelihood alone where the prior is not of the model
	opaque     *expr.Node // what of it is estimated
	entropy    *expr.Node // nil when it is estimated
	logQ       *expr.Node // at the draws
	// estimated are the terms of the log-density whose expectations are not known, in the variable of the target; known is the
	// expectation of the others.
	estimated, known *expr.Node
}

// newElbo takes the objective apart; nil for problems with other objectives.
func (d *deriver) newElbo() (*elbo, error) {
	v, t := d.p.Variational, d.p.Target
	if v == nil {
		return nil, nil
	}
	if t.Sample == nil {
		return nil, errors.New("a variational objective needs draws: " + t.Name + " has no sample")
	}
	e := &elbo{}
	by := map[*expr.Node]*expr.Node{}
	for _, w := range t.Sample.Noise {
		value, fixed, ok := d.reparameterised(w, by)
		if !ok {
			return nil, fmt.Errorf("draws of %s are no differentiable function of its parameters: %s", t.Name, w.Kind.Name)
		}
		by[w.Sym] = value
		e.noise = append(e.noise, fixed)
	}
	for _, s := range t.Sample.Values {
		by[s.Sym] = d.g.Substitute(s.Node, by)
		if Plain(s.Sym.Name) == t.Variable.Name {
			e.drawn = by[s.Sym]
		}
	}
	e.drawn = d.byPrecision(e.drawn, e.noise)
	if m := d.p.Mixture; m != nil {
		d.stratify(e, m)
	}
	logPDF := d.logPDF()
	e.logQ = d.atDraws(e, logPDF)
	e.estimated, e.known = logPDF, d.g.Const(0)
	if d.held() == nil { // along the path terms cancel draw by draw
		e.estimated, e.known = d.expectedTerms(logPDF)
	}
	e.entropy = t.Entropy
	if v.Likelihood != nil || v.External || v.Prior != nil && !v.Whole(t) {
		d.ofModel(e)
	}
	if v.Prior != nil && v.Whole(t) {
		z := v.Latent[0].Sym
		var estimated *expr.Node
		if e.expected, estimated = d.partlyKnownPrior(v.Prior, z); estimated != nil {
			e.prior = d.g.Substitute(estimated, map[*expr.Node]*expr.Node{z: e.drawn})
		}
	}
	return e, nil
}

// ofModel is what the draws are evaluated for.
func (d *deriver) ofModel(e *elbo) {
	v, terms := d.p.Variational, expr.AllTerms
	e.joint = d.jointOf(&v.Factors)
	e.opaque = e.joint
	if !v.Whole(d.p.Target) {
		e.knownTerms, e.opaque = d.partlyKnown(e.joint)
	}
	if e.knownTerms != nil {
		terms, e.expected = expr.EstimatedTerms, e.knownTerms.Expectation
	}
	e.likelihood = d.g.LogJoint(e.drawn, terms)
}

// jointOf is the log joint density of the latent variables as the model has it: the prior of all of the variable of the target stands outside.
func (d *deriver) jointOf(of *bind.Factors) *expr.Node {
	var parts []*expr.Node
	if of.Likelihood != nil {
		parts = append(parts, of.Likelihood)
	}
	if of.Prior != nil && !d.p.Variational.Whole(d.p.Target) {
		parts = append(parts, of.Prior)
	}
	return d.simplify(nil, d.g.Add(parts...))[0]
}

// reparameterised is a random number of every draw as a function of its parameters and of one whose distribution is fixed.
// Gamma draws are quantiles, whose derivative in the shape is that of the implicit function (Figurnov, Mohamed and Mnih 2018).
func (d *deriver) reparameterised(w bind.Draw, by map[*expr.Node]*expr.Node) (value *expr.Node, fixed bind.Draw, ok bool) {
	g := d.g
	args := d.simplify(nil, g.SubstituteAll(g.SubstituteAll(w.Args, d.known()), by)...)
	row := func(kind string, facts expr.Facts) *expr.Node {
		fixed = bind.Draw{Kind: spec.Noise(kind), Sym: g.Sym("draw."+w.Sym.Name, w.Sym.Type.Over(expr.Rows), facts)}
		return fixed.Sym
	}
	if w.Kind.Shares { // entries that are not independent have no parameters by which they could be reparameterised
		return nil, fixed, false
	}
	free := slices.ContainsFunc(args, func(a *expr.Node) bool { _, number := a.IsConst(); return !number })
	if !free {
		s := row(w.Kind.Name, w.Sym.Facts)
		fixed.Args = args
		return s, fixed, true
	}
	if w.Kind.Value == "" {
		return nil, fixed, false
	}
	standard := spec.Noise(w.Kind.Fixed)
	facts := expr.In(expr.Range{Lo: standard.Lo, Hi: standard.Hi, LoOpen: standard.LoOpen, HiOpen: true})
	names := map[string]*expr.Node{"e": row(w.Kind.Fixed, facts)}
	for i, param := range w.Kind.Params {
		if names[param.Name] = g.Const(param.Default); i < len(args) {
			names[param.Name] = args[i]
		}
	}
	value = d.written(w.Kind.Value, "a random number", names)
	return value, fixed, value != nil
}

// written is the node of a formula of a table, nil if it has none.
func (d *deriver) written(formula, what string, names map[string]*expr.Node) *expr.Node {
	tree, errs := syntax.Parse(formula)
	if len(errs) > 0 {
		return nil
	}
	b := expr.Builder{G: d.g, Scope: expr.Scope{Names: names, What: what, Entrywise: true}}
	return b.Build(tree)
}

// known are the parameters of the target that the map sets to what nothing steps.
func (d *deriver) known() map[*expr.Node]*expr.Node {
	by := map[*expr.Node]*expr.Node{}
	for i, t := range d.p.Map {
		if d.p.Known(i) {
			by[t.Sym] = t.Node
		}
	}
	return by
}

// stratify makes the draws of the components draws of the mixture.
func (d *deriver) stratify(e *elbo, m *bind.Mixture) {
	g := d.g
	ofLabel := func(n *expr.Node) *expr.Node { return g.Sum(expr.Components, g.Mul(m.Own(g), n)) }
	e.drawn = ofLabel(e.drawn)
	e.share = g.Mul(g.Size(expr.Components), ofLabel(d.p.Target.Params[0].Sym))
}

// expectedPrior is the expectation of the prior under the target, nil where it is not known. That of a mixture is the mean
// of those of its components.
func (d *deriver) expectedPrior(prior, z *expr.Node) *expr.Node {
	t := d.p.Target
	if t.Component == nil {
		return d.expectation(t, prior, z)
	}
	e := d.expectation(t.Component, prior, z)
	if e == nil {
		return nil
	}
	return d.g.Sum(expr.Components, d.g.Mul(t.Params[0].Sym, e))
}

// partlyKnownPrior is the expectation of what is known of the prior of all of the variable of the target, and the rest; nil for what there
// is not. Along the path all is estimated: terms cancel draw by draw, where they are of the same draws.
func (d *deriver) partlyKnownPrior(prior, z *expr.Node) (expected, estimated *expr.Node) {
	if d.all || d.held() != nil {
		return nil, prior
	}
	if e := d.expectedPrior(prior, z); e != nil {
		return e, nil
	}
	known, estimated := d.split(prior, []*expr.Node{z}, d.ofPrior(z))
	if known == nil {
		return nil, prior
	}
	return known.Expectation, estimated
}

// ofPrior is the expectation of one term of the prior of all of the variable of the target, nil where it is not known.
func (d *deriver) ofPrior(z *expr.Node) func(term *expr.Node) *expr.Node {
	in := d.inTarget(&Exact{}, []side{{sym: z}})
	return func(term *expr.Node) *expr.Node {
		if e := d.expectedPrior(term, z); e != nil || d.p.Target.Component != nil || z.Type.Rank > 1 {
			return e
		}
		return in.inClosedForm(term)
	}
}

// mean is the mean over the draws.
func (d *deriver) mean(n *expr.Node) *expr.Node {
	if d.elbo != nil && d.elbo.share != nil {
		n = d.g.Mul(d.elbo.share, n)
	}
	return d.g.Div(d.g.Sum(expr.Rows, n), d.g.Size(expr.Rows))
}

// negativeELBO is the objective in the symbols of the target's parameters. Along the path derivative the parameters of the
// log-density itself are held: its score has expectation 0 (Roeder, Wu and Duvenaud 2017, Sticking the landing).
func (d *deriver) negativeELBO(e *elbo, held map[*expr.Node]*expr.Node) *expr.Node {
	var terms []*expr.Node
	if e.likelihood != nil {
		terms = append(terms, d.mean(e.likelihood))
	}
	if e.prior != nil {
		terms = append(terms, d.mean(e.prior))
	}
	if e.expected != nil {
		terms = append(terms, e.expected)
	}
	switch {
	case held != nil:
		terms = append(terms, d.g.Neg(d.mean(d.atDraws(e, d.g.Substitute(d.logPDF(), held)))))
	case e.entropy != nil:
		terms = append(terms, e.entropy)
	default:
		terms = append(terms, d.g.Neg(d.mean(d.atDraws(e, e.estimated))), d.g.Neg(e.known))
	}
	return d.g.Neg(d.g.Add(terms...))
}

// atDraws is a function of the variable of the target at every draw.
func (d *deriver) atDraws(e *elbo, n *expr.Node) *expr.Node {
	return d.g.Substitute(n, map[*expr.Node]*expr.Node{d.p.Target.Variable.Sym: e.drawn})
}

// byPrecision draws with the factor of the precision where that is what the coordinates give: with L L' = inv(A), inv(L)' e
// is chol(A) Q e for a rotation Q, and a spherical e is distributed as Q e. So one factor serves the domain, the densities
// and the draws, and A needs none.
func (d *deriver) byPrecision(n *expr.Node, noise []bind.Draw) *expr.Node {
	g := d.g
	by := map[*expr.Node]*expr.Node{}
	for _, w := range noise {
		l := onlyFactor(n, w.Sym)
		if l == nil || !w.Kind.Spherical || len(w.Args) > 0 || !d.givenByInverse(l.Args[0]) {
			continue
		}
		by[g.MatMul(l, w.Sym)] = g.MatMul(g.Inv(g.Transpose(g.Cholesky(g.Inv(l.Args[0])))), w.Sym)
	}
	return g.Substitute(n, by)
}

// onlyFactor is the Cholesky factor that a vector is multiplied with wherever it occurs in a value, nil where there is none
// or more than one.
func onlyFactor(n, v *expr.Node) (l *expr.Node) {
	other := false
	expr.Walk(func(a *expr.Node) {
		if !slices.Contains(a.Args, v) {
			return
		}
		factor := a.Args[0]
		if a.Op != expr.MatMul || len(a.Args) != 2 || factor.Op != expr.Chol || l != nil && l != factor {
			other = true
		}
		l = factor
	}, n)
	if other {
		return nil
	}
	return l
}

// givenByInverse reports whether a matrix in the parameters of the target is a multiple of an inverse when it is written in
// the coordinates.
func (d *deriver) givenByInverse(a *expr.Node) bool {
	stepped, _ := d.coordinates()
	by := map[*expr.Node]*expr.Node{}
	for _, def := range stepped.Defs {
		by[def.Sym] = def.Node
	}
	_, core := d.g.Bare(d.g.Substitute(d.g.Substitute(a, d.byMap()), by))
	return core.Op == expr.Inv
}

// expectedTerms splits a log-density into terms that have to be estimated with draws, and the expectation of the others.
// Both are 0 where there are none.
func (d *deriver) expectedTerms(logPDF *expr.Node) (estimated, known *expr.Node) {
	t := d.p.Target
	x := d.g.Sym("expected."+t.Variable.Name, expr.Type{Rank: t.Variable.Sym.Type.Rank, Dims: t.Variable.Sym.Type.Dims}, expr.Unknown)
	known = d.g.Const(0)
	estimated = known
	for _, term := range d.g.Terms(logPDF) {
		e := d.expectation(t, d.g.Substitute(term, map[*expr.Node]*expr.Node{t.Variable.Sym: x}), x)
		if e == nil {
			estimated = d.g.Add(estimated, term)
		} else {
			known = d.g.Add(known, e)
		}
	}
	return estimated, d.simplify(nil, known)[0]
}

// held are symbols for the parameters of the target where they do not vary; nil for estimators without.
func (d *deriver) held() map[*expr.Node]*expr.Node {
	if v := d.p.Variational; v == nil || v.Spec.Estimator != spec.EstimatorPath {
		return nil
	}
	by := map[*expr.Node]*expr.Node{}
	for _, q := range d.p.Target.Params {
		by[q.Sym] = d.g.Sym("held."+q.Name, q.Sym.Type, q.Sym.Facts)
	}
	return by
}

// expectation is the expectation of what the spec gives it of, and of a polynomial of degree 2 in a vector, in terms of the mean
// and the covariance of the target: E[a'z] = a'm, E[z'A z] = m'A m + tr(A C), E[z^2] = m^2 + diag(C). Nil where a term is of
// another kind, or the spec does not give the moments.
func (d *deriver) expectation(q *bind.Density, n, z *expr.Node) *expr.Node {
	if n.Type.Axes.Has(expr.Components) || (q.Mean == nil || q.Variance == nil) && len(q.Expectations) == 0 {
		return nil
	}
	g := d.g
	if e := d.given(q, n, z); e != nil {
		return e
	}
	switch {
	case !expr.Depends(n, z):
		return n
	case n == z:
		return q.Mean
	case n.Op == expr.Lin:
		parts := make([]*expr.Node, len(n.Args))
		for i, a := range n.Args {
			if parts[i] = d.expectation(q, a, z); parts[i] == nil {
				return nil
			}
		}
		return g.Lin(n.Const, n.Coefs, parts)
	case n.Op == expr.Prod:
		return d.expectationOfProduct(q, n, z)
	case n.Op == expr.Dot:
		return d.expectationOfDot(q, n, z)
	case n.Op == expr.MatMul:
		return d.expectationOfMatMul(q, n, z)
	case n.Op == expr.Sum && n.Axis == expr.Rows:
		if e := d.expectation(q, n.Args[0], z); e != nil {
			return g.Sum(n.Axis, e)
		}
	case n.Op == expr.Outer:
		return d.expectationOfOuter(q, n, z)
	}
	return nil
}

// given is an expectation that the spec gives, nil where it does not.
func (d *deriver) given(q *bind.Density, n, z *expr.Node) *expr.Node {
	for _, e := range q.Expectations {
		of := d.simplify(nil, d.g.Substitute(e.Of, map[*expr.Node]*expr.Node{q.Variable.Sym: z}))[0]
		if n == of {
			return e.Is
		}
	}
	return nil
}

// expectationOfOuter is that of u v' for u = p z + a and v = r z + b: E[u] E[v]' + p r C.
func (d *deriver) expectationOfOuter(q *bind.Density, n, z *expr.Node) *expr.Node {
	p, okU := d.slope(n.Args[0], z)
	r, okV := d.slope(n.Args[1], z)
	if !okU || !okV {
		return nil
	}
	u, v := d.expectation(q, n.Args[0], z), d.expectation(q, n.Args[1], z)
	return d.g.Add(d.g.Outer(u, v), d.g.Mul(d.g.Mul(p, r), q.Variance))
}

// expectationOfMatMul is that of a product of fixed matrices with a vector.
func (d *deriver) expectationOfMatMul(q *bind.Density, n, z *expr.Node) *expr.Node {
	matrices, v := n.Args[:len(n.Args)-1], n.Args[len(n.Args)-1]
	if slices.ContainsFunc(matrices, func(a *expr.Node) bool { return expr.Depends(a, z) }) {
		return nil
	}
	if e := d.expectation(q, v, z); e != nil {
		return d.g.MatMul(append(slices.Clone(matrices), e)...)
	}
	return nil
}

// expectationOfProduct takes factors that do not depend on z out; of a square of entries the diagonal of the second moment.
func (d *deriver) expectationOfProduct(q *bind.Density, n, z *expr.Node) *expr.Node {
	g := d.g
	if len(n.Args) == 1 && n.Coefs[0] == 2 {
		return d.expectationOfSquare(q, n.Args[0], z)
	}
	var free, bound []*expr.Node
	var freeExps, boundExps []float64
	for i, a := range n.Args {
		if expr.Depends(a, z) {
			bound, boundExps = append(bound, a), append(boundExps, n.Coefs[i])
		} else {
			free, freeExps = append(free, a), append(freeExps, n.Coefs[i])
		}
	}
	if len(free) == 0 {
		return nil
	}
	if e := d.expectation(q, g.Prod(boundExps, bound), z); e != nil {
		return g.Mul(g.Prod(freeExps, free), e)
	}
	return nil
}

// expectationOfSquare is that of the squares of the entries of a + p z with a number p, or of the square of a number a + b'z.
func (d *deriver) expectationOfSquare(q *bind.Density, n, z *expr.Node) *expr.Node {
	g, m, c := d.g, q.Mean, q.Variance
	if m == nil || c == nil || n.Type.Axes != 0 {
		return nil
	}
	if n.Type.Rank > 0 {
		if !n.Type.SameCore(z.Type) {
			return nil
		}
		return d.expectationOfSquares(q, n, z)
	}
	slope, err := diff.Gradient(g, n, []*expr.Node{z})
	if err != nil || expr.Depends(slope[0], z) {
		return nil
	}
	mean := g.Prod([]float64{2}, []*expr.Node{g.Substitute(n, map[*expr.Node]*expr.Node{z: m})})
	if c.Type.Rank == 2 {
		return g.Add(mean, g.Dot(slope[0], g.MatMul(c, slope[0])))
	}
	return g.Add(mean, g.Mul(g.Mul(slope[0], slope[0]), c))
}

// expectationOfSquares is that of the squares of the entries of u = p z + a: E[u]^2 + p^2 diag(C). About the mean of z nothing is left
// but the variances.
func (d *deriver) expectationOfSquares(q *bind.Density, n, z *expr.Node) *expr.Node {
	g := d.g
	p, ok := d.slope(n, z)
	if !ok {
		return nil
	}
	c, u := q.Variance, g.Substitute(n, map[*expr.Node]*expr.Node{z: q.Mean})
	if c.Type.Rank == 2 {
		c = g.Diagonal(c)
	}
	return g.Add(g.Mul(u, u), g.Mul(g.Mul(p, p), c))
}

// expectationOfDot is that of u'A v for u = p z + a and v = q z + b, with numbers p and q: E[u]'A E[v] + p q tr(A C).
func (d *deriver) expectationOfDot(q *bind.Density, n, z *expr.Node) *expr.Node {
	g := d.g
	x, y, between := n.Args[0], n.Args[1], []*expr.Node(nil)
	if !expr.Depends(x, z) {
		x, y = y, x
	}
	if !expr.Depends(y, z) {
		if e := d.expectation(q, x, z); e != nil {
			return g.Dot(e, y)
		}
		return nil
	}
	if y.Op == expr.MatMul {
		last := len(y.Args) - 1
		between, y = y.Args[:last], y.Args[last]
	}
	p, okX := d.slope(x, z)
	r, okY := d.slope(y, z)
	if !okX || !okY || slices.ContainsFunc(between, func(a *expr.Node) bool { return expr.Depends(a, z) }) {
		return nil
	}
	ex, ey := d.expectation(q, x, z), d.expectation(q, y, z)
	if ex == nil || ey == nil || q.Variance == nil {
		return nil
	}
	a := g.Identity(z.Type.Dims[0])
	if len(between) > 0 {
		ey, a = g.MatMul(append(slices.Clone(between), ey)...), g.MatMul(between...)
	}
	return g.Add(g.Dot(ex, ey), g.Mul(g.Mul(p, r), d.traceOfProduct(a, q.Variance)))
}

// slope is the number p of p z + a, where a does not depend on z.
func (d *deriver) slope(n, z *expr.Node) (*expr.Node, bool) {
	g := d.g
	p := g.Const(0)
	for _, term := range g.Terms(n) {
		scalar, core := g.Bare(term)
		switch {
		case core == z && !expr.Depends(scalar, z):
			p = g.Add(p, scalar)
		case expr.Depends(term, z):
			return nil, false
		}
	}
	return p, true
}

// traceOfProduct is tr(A C), term by term of C, as a term may cancel with A.
func (d *deriver) traceOfProduct(a, c *expr.Node) *expr.Node {
	g := d.g
	sum := g.Const(0)
	for _, term := range g.Terms(c) {
		scalar, core := g.Bare(term)
		t := g.Inner(g.Transpose(a), core)
		if s, product := g.Bare(g.MatMul(a, core)); product.Op == expr.Eye {
			t = g.Mul(s, g.DimNode(a.Type.Dims[0]))
		}
		sum = g.Add(sum, g.Mul(scalar, t))
	}
	return sum
}

// Variational is what a variational problem needs besides its objective.
type Variational struct {
	Noise []bind.Draw // random numbers of every draw
	Drawn *expr.Node  // the latent variables of every draw, in the parameters of the surrogate
	// Latents are the same, LogQ is log q, and Ratio the log joint density less log q, as they are computed from the coordinates. KnownRatio is the last
	// in terms of KnownLatents and KnownLogQ, symbols of what every draw has of the others.
	Latents, LogQ, Ratio, KnownRatio, KnownLatents, KnownLogQ *expr.Node
	// FinerRatio is KnownRatio by finer rules for the integrals and series of the log joint density; nil where it has none.
	FinerRatio *expr.Node
	// Estimated are the terms of the log-density of the target that are averaged over the draws, in its variable; Known is the
	// expectation of the others.
	Estimated, Known *expr.Node
	Model            *LatentModel     // nil where the objective has no draws of a model
	KnownTerms       *Known           // what of the log joint density the objective needs no draws for; nil where that is nothing
	Predictive       *bind.Predictive // how data are drawn, nil where the spec does not say
	// Reported is what reports show: the latent variables as they are declared, and further quantities. There is none where they are
	// the variable of the target as it is.
	Reported []bind.Quantity
	Exact    *Exact // nil where some expectations are known from draws only
	Sites    *Sites // of expectation propagation; nil where the problem has none
}

// LatentModel is the log joint density as a function of the latent variables, with its gradient by each of them.
type LatentModel struct {
	Latent, Data []bind.Param
	ByRow        bool
	Scale        *expr.Node
	LogJoint     *expr.Node   // nil of a function in Go
	Gradient     []*expr.Node // nil with it
	// Estimated are the terms that the objective estimates by draws, with their gradient; nil where it estimates all of them.
	Estimated         *expr.Node
	EstimatedGradient []*expr.Node
	// Finer is the log joint density by finer rules for its integrals and series; nil where it has none.
	Finer *expr.Node
	// Parted are the same terms with linear predictors apart, for those of which there are any.
	Parted map[expr.Terms]*Parted
}

// Of are the value and the gradient of some terms of the log joint density; there is no gradient by finer rules.
func (m *LatentModel) Of(terms expr.Terms) (value *expr.Node, gradient []*expr.Node) {
	switch terms {
	case expr.EstimatedTerms:
		return m.Estimated, m.EstimatedGradient
	case expr.FinerTerms:
		return m.Finer, nil
	}
	return m.LogJoint, m.Gradient
}

// variational derives the model and what is computed for every draw.
func (d *deriver) variational() (*Variational, error) {
	v, e := d.p.Variational, d.elbo
	out := &Variational{Noise: e.noise, Estimated: e.estimated, Known: e.known}
	stepped, _ := d.coordinates()
	identities := definitions(roundTrips(d.g, d.centred(stepped))) // densities share the products that draws are made of
	inCoordinates := func(n *expr.Node) *expr.Node {
		return d.finish(identities, d.simplify(nil, d.g.Substitute(n, d.byMap())))[0]
	}
	out.Drawn = d.stabilise(d.simplify(nil, d.g.Substitute(e.drawn, d.byMap()))...)[0]
	out.Latents = inCoordinates(e.drawn)
	ratio := func(drawn, logQ, prior *expr.Node, of expr.Terms) *expr.Node {
		terms := []*expr.Node{d.g.Neg(logQ)}
		if e.likelihood != nil {
			terms = append(terms, d.g.LogJoint(drawn, of))
		}
		if prior != nil && v.Whole(d.p.Target) {
			terms = append(terms, d.g.Substitute(prior, map[*expr.Node]*expr.Node{v.Latent[0].Sym: drawn}))
		}
		return inCoordinates(d.g.Add(terms...))
	}
	logQ := d.simplify(nil, d.g.Substitute(e.logQ, d.byMap()))[0]
	out.LogQ, out.Ratio = inCoordinates(logQ), ratio(e.drawn, logQ, v.Prior, expr.AllTerms)
	out.KnownLatents = d.g.Fresh("latents", e.drawn.Type, expr.Unknown)
	out.KnownLogQ = d.g.Fresh("logq", expr.Scalar.Over(expr.Rows), expr.Unknown)
	out.KnownRatio = ratio(out.KnownLatents, out.KnownLogQ, v.Prior, expr.AllTerms)
	if v.Finer != nil {
		out.FinerRatio = ratio(out.KnownLatents, out.KnownLogQ, v.Finer.Prior, d.finerTerms())
	}
	out.Reported = d.quantities(v.Reported)
	if e.likelihood == nil {
		return out, nil
	}
	out.Predictive = d.predictive(v.Predictive)
	m := &LatentModel{Latent: v.Latent, Data: v.Data, ByRow: v.ByRow, Scale: v.Scale, Parted: map[expr.Terms]*Parted{}}
	out.Model = m
	if v.External {
		return out, nil
	}
	var err error
	if m.Gradient, err = d.byLatents(e.joint); err != nil {
		return nil, err
	}
	m.LogJoint = d.stabilise(e.joint)[0]
	if d.finerTerms() == expr.FinerTerms {
		m.Finer = d.stabilise(d.jointOf(v.Finer))[0]
	}
	if m.Parted[expr.AllTerms], err = d.parted(e.joint); err != nil {
		return nil, err
	}
	if k := e.knownTerms; k != nil {
		if m.Parted[expr.EstimatedTerms], err = d.parted(e.opaque); err != nil {
			return nil, err
		}
		if m.EstimatedGradient, err = d.byLatents(e.opaque); err != nil {
			return nil, err
		}
		m.Estimated, out.KnownTerms = d.stabilise(e.opaque)[0], k
	}
	return out, nil
}

// finerTerms are those of a model by finer rules: its own where it is a function in Go.
func (d *deriver) finerTerms() expr.Terms {
	if v := d.p.Variational; v.External || v.Finer == nil {
		return expr.AllTerms
	}
	return expr.FinerTerms
}

// byLatents is the gradient of a function of the latent variables.
func (d *deriver) byLatents(f *expr.Node) ([]*expr.Node, error) {
	gradient, err := diff.Gradient(d.g, f, d.latents())
	if err != nil {
		return nil, err
	}
	return d.stabilise(d.simplify(nil, gradient...)...), nil
}

// quantities simplifies what reports show.
func (d *deriver) quantities(list []bind.Quantity) []bind.Quantity {
	out := slices.Clone(list)
	for i, q := range list {
		out[i].Node = d.stabilise(d.simplify(nil, q.Node)...)[0]
	}
	return out
}

// predictive simplifies how data are drawn.
func (d *deriver) predictive(p *bind.Predictive) *bind.Predictive {
	if p == nil {
		return nil
	}
	out := &bind.Predictive{Noise: slices.Clone(p.Noise), Data: p.Data, Values: d.stabilise(d.simplify(nil, p.Values...)...)}
	for i, w := range out.Noise {
		out.Noise[i].Args = d.stabilise(d.simplify(nil, w.Args...)...)
	}
	return out
}
