// Package derive assembles what a generated optimiser computes, as expressions: the objective as a function of the
// stepped coordinates, both of its gradients, the domain, and the same objective in unconstrained coordinates.
//
// # Evaluate once, pull back through the other map
//
// The standard parameters s of the surrogate are computed once, from the coordinates z that are stepped. The gradient
// of the objective with respect to s is pulled back twice: through s(z), which gives the ordinary gradient c = df/dz,
// and through s(dual), which gives the natural gradient v = df/d dual (So and Turner 2024, equations 4 and 5). In both
// results every occurrence of s(z) or of s(dual) is replaced by the symbols of s, and what remains of the dual
// coordinates by their values in terms of s. So no map is ever evaluated there and back again.
package derive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/rewrite"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Coord is one coordinate: a symbol and, for the report, what it is.
type Coord struct {
	Sym       *expr.Node
	Name      string
	Auxiliary bool
	Free      bool // of a mixture: one for each component but the last
}

// Def is a named intermediate value.
type Def struct {
	Name string
	Sym  *expr.Node // the symbol that stands for it in other expressions
	Node *expr.Node
}

// Condition is one requirement of the domain: Node in Range.
type Condition struct {
	Node  *expr.Node
	Range expr.Range
	// Definite asks for a positive definite matrix.
	Definite bool
	Block    string
	Text     string
}

// Surrogate is the objective in the stepped coordinates.
type Surrogate struct {
	Coords     []Coord
	Defs       []Def // standard parameters from the coordinates, in order of evaluation
	Theta      []Def // parameters of the target
	Loss       *expr.Node
	Natural    []*expr.Node // v = df/d dual; for auxiliary parameters c divided by the metric
	Covector   []*expr.Node // c = df/dz
	Conditions []Condition
	// Metrics are those of the auxiliary parameters, in their symbols and those of the standard ones; nil for the identity.
	Metrics []*expr.Node
	// Literal is f(g(s(z))) as written, without rewriting: what check compares derivatives with.
	Literal *expr.Node
	// LiteralDual is f(g(s(dual))) as written, in the symbols Dual, followed by the auxiliary parameters; nil where the dual coordinates
	// are means over the rows of the data, of which the standard parameters are no function in closed form.
	LiteralDual *expr.Node
	Dual        []*expr.Node
	// DualOf gives the dual coordinates in terms of the standard parameters; SteppedOf the stepped ones.
	DualOf, SteppedOf []*expr.Node
	// Raised are the coordinates that belong to all components of a mixture, nil for others, where the weights become RaisedWeights, and
	// the parameters stay; none where they depend on no weights.
	Raised        []*expr.Node
	RaisedWeights *expr.Node
	// ToDual gives the dual coordinates as they are computed, in terms of Defs and the stepped ones.
	ToDual []*expr.Node
}

// Result is everything derived for one problem.
type Result struct {
	Problem       *bind.Problem
	Family        *Family
	Surrogate     Surrogate
	Unconstrained Unconstrained
	Fisher        *Fisher
	Objective     *Objective // nil where there are unconstrained coordinates

	Variational *Variational // of a variational objective
	Limits      []*Limit     // of the target
	Penalty     *Penalty     // of the likelihood; nil where the target has none
	Report      *Report      // of an estimate; nil where the spec asks for no more than the parameters

	Responsibilities *expr.Node // of a mixture, in terms of Surrogate.Defs and the auxiliary parameters
	Finer            *expr.Node // the objective by finer rules for integrals and series, in the same symbols; nil where the density has none
	LogDensity       *expr.Node // of one row, in the symbols of the target's parameters
	Starts           []Start
	RandomStart      *Start
	Contained        []*Contained
	// Trace is what the rules did on the way to the natural gradient, without what they do for the rest.
	Trace []rewrite.Step
}

// Start gives the stepped coordinates in terms of the data and of draws.
type Start struct {
	Groups string // of a mixture: how the rows are grouped
	Noise  []bind.Draw
	Values []Def        // standard and auxiliary parameters, in order of evaluation
	Coords []*expr.Node // in terms of the symbols of Values
}

// deriver carries the graph and the trace of the rules.
type deriver struct {
	p     *bind.Problem
	g     *expr.Graph
	fam   *Family
	elbo  *elbo // of a variational objective
	trace []rewrite.Step
	all   bool // estimate all terms of a log joint density
}

// Options change what is derived.
type Options struct {
	EstimateAll bool // estimate all terms of a log joint density by draws
}

// Derive derives everything the generated package computes.
func Derive(p *bind.Problem) (*Result, error) { return Options{}.Derive(p) }

// Derive is the function of the same name, with these options.
func (o Options) Derive(p *bind.Problem) (*Result, error) {
	for _, c := range p.Constants { // the first nodes come first: x - mu, not -mu + x
		for _, q := range p.Target.Observed() {
			if c.Sym.Type.SameCore(q.Sym.Type) {
				p.Graph.Call(expr.Difference, q.Sym, c.Sym)
			}
		}
	}
	fam, err := NewFamily(p.Graph, p.Surrogate)
	if err != nil {
		return nil, err
	}
	d := &deriver{p: p, g: p.Graph, fam: fam, all: o.EstimateAll}
	out := &Result{Problem: p, Family: fam}
	if d.elbo, err = d.newElbo(); err != nil {
		return nil, err
	}
	if out.Surrogate, err = d.surrogate(); err != nil {
		return nil, err
	}
	out.Trace = d.steps(out.Surrogate.Defs)
	if d.elbo != nil {
		if out.Variational, err = d.variational(); err != nil {
			return nil, err
		}
		out.Variational.Exact = d.exactBound()
		if out.Variational.Sites, err = d.sites(&out.Surrogate); err != nil {
			return nil, err
		}
	}
	if p.Scalar() { // these know numbers only
		if out.Unconstrained, err = d.unconstrained(); err != nil {
			return nil, err
		}
		if out.Fisher, err = d.fisher(&out.Surrogate, &out.Unconstrained); err != nil {
			return nil, err
		}
	} else if out.Objective, err = d.objective(); err != nil {
		return nil, err
	}
	out.LogDensity = d.stabilise(d.logPDF())[0]
	out.Finer = d.finer()
	if p.Mixture != nil {
		out.Responsibilities = d.responsibilities()
	}
	for _, s := range p.Starts {
		out.Starts = append(out.Starts, d.start(s, &out.Surrogate))
	}
	if p.RandomStart != nil {
		s := d.start(*p.RandomStart, &out.Surrogate)
		out.RandomStart = &s
	}
	out.Contained = d.contained(&out.Surrogate)
	if out.Penalty, err = d.penalty(); err != nil {
		return nil, err
	}
	if out.Report, err = d.report(); err != nil {
		return nil, err
	}
	out.Limits, err = d.limits()
	return out, err
}

// simplify applies the rules that hold in exact arithmetic.
func (d *deriver) simplify(identities []identity, nodes ...*expr.Node) []*expr.Node {
	return d.rewrite(rewrite.New(d.g, rewrite.Rules(rewrite.Exact, rewrite.Algebraic)), identities, nodes)
}

// stabilise applies the rules for floating point and collects factors, last.
func (d *deriver) stabilise(nodes ...*expr.Node) []*expr.Node {
	w := rewrite.New(d.g, rewrite.Rules(rewrite.Algebraic, rewrite.Stabilising))
	w.Collect = true
	return d.rewrite(w, nil, nodes)
}

func (d *deriver) rewrite(w *rewrite.Rewriter, identities []identity, nodes []*expr.Node) []*expr.Node {
	for _, id := range identities {
		if id.left != nil {
			w.AddNeighbours(id.name, id.left, id.right, id.after)
		} else {
			w.AddIdentity(id.name, id.before, id.after)
		}
	}
	out := w.Apply(nodes...)
	d.trace = append(d.trace, w.Trace...)
	return out
}

// identity is a fact of one problem, used as a rule: before is after, or the product of left and right is.
type identity struct {
	name                       string
	before, left, right, after *expr.Node
}

// logPDF is the log-density of one row in the symbols of theta, simplified before anything is differentiated.
func (d *deriver) logPDF() *expr.Node {
	return d.simplify(nil, d.p.Target.LogPDF)[0]
}

// meanNLL is the objective: the mean negative log-likelihood of the rows, the mean of every term by itself.
func (d *deriver) meanNLL(logPDF *expr.Node) *expr.Node {
	n := d.g.Size(expr.Rows)
	sum := d.g.Sum(expr.Rows, logPDF)
	if sum.Op != expr.Lin {
		return d.g.Neg(d.g.Div(sum, n))
	}
	terms := []*expr.Node{d.g.Div(d.g.Const(-sum.Const), n)}
	for i, a := range sum.Args {
		terms = append(terms, d.g.Scale(-sum.Coefs[i], d.g.Div(a, n)))
	}
	return d.g.Add(terms...)
}

// objectiveOf is the objective in the symbols of the target's parameters, with those of the log-density held fixed where given.
func (d *deriver) objectiveOf(held map[*expr.Node]*expr.Node) *expr.Node {
	if d.elbo != nil {
		return d.negativeELBO(d.elbo, held)
	}
	return d.meanNLL(d.located(d.logPDF()))
}

// throughMap is the objective in the standard parameters of the surrogate, with those of the log-density held fixed where given.
func (d *deriver) throughMap(held map[*expr.Node]*expr.Node) *expr.Node {
	if d.elbo != nil {
		return d.g.Substitute(d.negativeELBO(d.elbo, held), d.byMap())
	}
	return d.meanNLL(d.inDifferences(d.g.Substitute(d.logPDF(), d.byMap())))
}

// literalObjective is the objective as it is written.
func (d *deriver) literalObjective() *expr.Node {
	if d.elbo != nil {
		return d.negativeELBO(d.elbo, nil)
	}
	return d.meanNLL(d.p.Target.LogPDF)
}

// released puts the parameters of the target in the place of those that were held while the objective was differentiated.
func (d *deriver) released(loss *expr.Node, cot []*expr.Node, held map[*expr.Node]*expr.Node) (*expr.Node, []*expr.Node) {
	if held == nil {
		return loss, cot
	}
	by := map[*expr.Node]*expr.Node{}
	for _, t := range d.p.Map {
		by[held[t.Sym]] = t.Node
	}
	return d.simplify(nil, d.g.Substitute(loss, by))[0], d.g.SubstituteAll(cot, by)
}

// byMap substitutes the parameters of the target by the map.
func (d *deriver) byMap() map[*expr.Node]*expr.Node {
	by := map[*expr.Node]*expr.Node{}
	for _, t := range d.p.Map {
		by[t.Sym] = t.Node
	}
	return by
}

func (d *deriver) surrogate() (Surrogate, error) {
	var s Surrogate
	held := d.held()
	loss := d.simplify(nil, d.throughMap(held))[0]
	identities := roundTrips(d.g, d.steppedCentred())
	var err error
	if s.Loss, s.Covector, s.Natural, err = d.gradients(loss, held); err != nil {
		return s, err
	}
	if s.Metrics, err = d.metrics(); err != nil {
		return s, err
	}
	lists := d.byMoments(identities, s.Covector, s.Natural, []*expr.Node{s.Loss})
	s.Covector, s.Natural, s.Loss = lists[0], lists[1], lists[2][0]
	for _, t := range d.p.Map {
		s.Theta = append(s.Theta, Def{Name: Plain(t.Sym.Name), Sym: t.Sym, Node: d.finish(identities, []*expr.Node{t.Node})[0]})
	}
	d.describe(&s)
	return s, nil
}

// gradients differentiate a loss in the standard parameters of the surrogate and the auxiliary ones, and return it with its
// covector and its natural gradient. Round trips wait until the loss is differentiated: they trade the standard parameters
// for coordinates.
func (d *deriver) gradients(loss *expr.Node, held map[*expr.Node]*expr.Node) (f *expr.Node, covector, natural []*expr.Node, err error) {
	stepped, dual := d.coordinates()
	stepped, dual = d.centred(stepped), d.centred(dual)
	std := d.fam.centring.std(d.fam.Std)
	identities := roundTrips(d.g, stepped)
	cot, err := diff.Gradient(d.g, loss, slices.Concat(std, d.auxSyms()))
	if err != nil {
		return nil, nil, nil, err
	}
	loss, cot = d.released(loss, cot, held)
	cot = d.exact(identities, cot)
	cs, ca := cot[:len(std)], cot[len(std):]
	c, err := d.pullback(stepped, cs, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	v, err := d.dualPullback(stepped, dual, cs)
	if err != nil {
		return nil, nil, nil, err
	}
	metrics, err := d.metrics()
	if err != nil {
		return nil, nil, nil, err
	}
	va := slices.Clone(ca)
	for i, metric := range metrics {
		if metric != nil {
			va[i] = d.byMetric(ca[i], metric)
		}
	}
	for i, a := range d.p.Auxiliary {
		ca[i], va[i] = d.inPlaces(a, ca[i]), d.inPlaces(a, va[i])
	}
	covector = stepped.contracted(d.g, d.finish(identities, append(c, ca...)))
	natural = dual.contracted(d.g, d.finish(identities, append(v, va...)))
	return d.finish(identities, []*expr.Node{loss})[0], covector, natural, nil
}

// dualPullback is the gradient with respect to the dual coordinates, from the cotangents of the standard parameters. Where these are no
// function of them in closed form it is that with respect to the stepped ones, in the standard parameters, through the information.
func (d *deriver) dualPullback(stepped, dual Coords, cot []*expr.Node) ([]*expr.Node, error) {
	if d.fam.Information == nil {
		return d.pullback(dual, cot, dual.values())
	}
	c, err := d.pullback(stepped, cot, stepped.values())
	return d.naturally(c), err
}

// steppedCentred are the coordinates that are stepped, in differences to the origins.
func (d *deriver) steppedCentred() Coords {
	stepped, _ := d.coordinates()
	return d.centred(stepped)
}

// coordinates are those that are stepped, and their duals.
func (d *deriver) coordinates() (stepped, dual Coords) {
	if d.p.Spec.Step == bind.Natural {
		return d.fam.Natural, d.fam.Mean
	}
	return d.fam.Mean, d.fam.Natural
}

// inPlaces keeps of a cotangent what belongs to entries of a matrix that are stepped: formulas do not look at others of a vector.
func (d *deriver) inPlaces(a bind.Auxiliary, c *expr.Node) *expr.Node {
	if a.Places != types.Below || c.Is(0) {
		return c
	}
	return d.g.Sub(d.g.LowerHalf(c), d.g.DiagonalMatrix(d.g.Scale(0.5, d.g.Diagonal(c))))
}

// metrics are those of the auxiliary parameters. The Fisher information of an approximation is the mean over its draws of what the scores
// make: the derivatives of log q by the parameter where a draw stays as it is, with the other parameters where they are.
func (d *deriver) metrics() ([]*expr.Node, error) {
	out := make([]*expr.Node, len(d.p.Auxiliary))
	for i, a := range d.p.Auxiliary {
		if out[i] = a.Metric; a.Information == nil {
			continue
		}
		logQ := d.g.Substitute(d.logPDF(), d.byMap())
		own := d.g.Sym("own."+a.Name, a.Sym.Type.Over(expr.Rows), a.Sym.Facts) // of every draw, as a gradient sums over what draws share
		score, err := diff.Gradient(d.g, d.g.Substitute(logQ, map[*expr.Node]*expr.Node{a.Sym: own}), []*expr.Node{own})
		if err != nil {
			return nil, err
		}
		s := d.simplify(nil, d.g.Substitute(score[0], map[*expr.Node]*expr.Node{own: a.Sym}))[0]
		s = d.g.Substitute(s, map[*expr.Node]*expr.Node{d.p.Target.Variable.Sym: d.g.Substitute(d.elbo.drawn, d.byMap())})
		square := d.g.Mul(s, s)
		if s.Type.Rank == 1 {
			square = d.g.Outer(s, s)
		}
		out[i] = d.g.Substitute(a.Metric, map[*expr.Node]*expr.Node{a.Information: d.mean(square)})
	}
	return out, nil
}

// byMetric is the inverse of a metric, a number or a matrix, applied to a covector.
func (d *deriver) byMetric(c, metric *expr.Node) *expr.Node {
	if metric.Type.Rank == 2 {
		return d.g.MatMul(d.g.Inv(metric), c)
	}
	return d.g.Div(c, metric)
}

// finish simplifies with the identities of the problem, then makes stable.
func (d *deriver) finish(identities []identity, nodes []*expr.Node) []*expr.Node {
	return d.stabilise(d.exact(identities, nodes)...)
}

// exact simplifies with the identities of the problem, with differences to constants of the family in one piece: as the
// coordinates that they are, if they are, or else as symbols.
func (d *deriver) exact(identities []identity, nodes []*expr.Node) []*expr.Node {
	nodes = d.g.SubstituteAll(nodes, d.fam.centring.in)
	by := map[*expr.Node]*expr.Node{}
	for _, id := range identities {
		difference, ok := d.fam.centring.out[id.before]
		if !ok {
			continue
		}
		by[id.before] = id.after
		step := rewrite.Step{Rule: id.name, Before: difference, After: id.after}
		occurs := slices.ContainsFunc(nodes, func(n *expr.Node) bool { return expr.Depends(n, id.before) })
		if occurs && !slices.Contains(d.trace, step) {
			d.trace = append(d.trace, step)
		}
	}
	others := slices.Clone(identities)
	for i, id := range others {
		switch {
		case id.left != nil:
			others[i].left, others[i].right, others[i].after = d.g.Substitute(id.left, by), d.g.Substitute(id.right, by), d.g.Substitute(id.after, by)
		case by[id.before] == nil:
			others[i].before = d.g.Substitute(id.before, by)
		}
	}
	return d.simplify(others, d.g.SubstituteAll(nodes, by)...)
}

// roundTrips are the identities value(s) = coordinate: computing a coordinate from standard parameters that were
// computed from it gives it back.
func roundTrips(g *expr.Graph, c Coords) []identity {
	var out []identity
	values, syms := c.OfStd, c.Syms
	if c.joint != nil {
		values, syms = c.joint.trips(g, c)
	}
	for i, sym := range syms {
		name := "RoundTrip:" + Plain(c.Syms[len(c.Syms)-len(syms)+i].Name)
		out = append(out, identity{name: name, before: values[i], after: sym})
		if s, core := g.Bare(values[i]); core != values[i] && len(core.Args) > 0 { // with -inv(Sigma)/2 also inv(Sigma)
			out = append(out, identity{name: name, before: core, after: g.Div(sym, s)})
		}
	}
	return append(out, multiplied(g, out)...)
}

// multiplied are identities about inverses, multiplied with what they are inverses of: where inv(S) is M, S @ M is the identity
// matrix and S @ chol(M) is inv(chol(M)'), and where inv(S) @ v is u, M @ v is u too and S @ u is v. With the natural parameters of a normal distribution these are
// inv(eta2) = -2 Sigma, eta2 @ mu = -eta1/2 and Sigma @ eta1 = mu.
func multiplied(g *expr.Graph, identities []identity) []identity {
	var out []identity
	product := func(name string, left, right, after *expr.Node) { // numbers leave the factors
		sl, left := g.Bare(left)
		sr, right := g.Bare(right)
		_, of, _ := strings.Cut(name, ":")
		out = append(out, identity{name: "Definition:" + of, left: left, right: right, after: g.Div(after, g.Mul(sl, sr))})
	}
	inverses := map[*expr.Node]*expr.Node{}
	for _, id := range identities {
		if id.before.Op == expr.Inv {
			s := id.before.Args[0]
			inverses[s] = id.after
			product(id.name, s, id.after, g.Identity(s.Type.Dims[0]))
			l := g.Cholesky(id.after)
			product(id.name, s, l, g.Inv(g.Transpose(l)))
			product(id.name, g.Transpose(l), s, g.Inv(l))
		}
	}
	for _, id := range identities {
		if n := id.before; n.Op == expr.MatMul && len(n.Args) == 2 && n.Args[0].Op == expr.Inv {
			s, v := n.Args[0].Args[0], n.Args[1]
			product(id.name, s, id.after, v)
			if m := inverses[s]; m != nil {
				product(id.name, m, v, id.after)
			}
		}
	}
	return out
}

// definitions are the identities that do not give what they are computed from the name of what is computed.
func definitions(identities []identity) []identity {
	return slices.DeleteFunc(slices.Clone(identities), func(id identity) bool { return id.left != nil })
}

func (d *deriver) auxSyms() []*expr.Node {
	var out []*expr.Node
	for _, a := range d.p.Auxiliary {
		out = append(out, a.Sym)
	}
	return out
}

// pullback pulls the cotangents of the standard parameters back through s(coordinates), and writes the result in terms
// of the standard parameters: see the package comment. values replaces what remains of the coordinates; the stepped ones
// are at hand and stay.
func (d *deriver) pullback(c Coords, cot []*expr.Node, values map[*expr.Node]*expr.Node) ([]*expr.Node, error) {
	if j := c.joint; j != nil {
		own, err := d.pullback(j.component, cot[1:], j.component.values())
		if err != nil {
			return nil, err
		}
		return j.pullback(d.g, c, cot[0], cot[1:], own), nil
	}
	out, err := diff.Pullback(d.g, c.ToStd, cot, c.Syms)
	if err != nil {
		return nil, fmt.Errorf("pull-back through the %s parameters: %w", c.Name, err)
	}
	std := d.fam.centring.std(d.fam.Std)
	std = std[len(std)-len(c.ToStd):] // of one component, the weights stand before them
	return d.g.SubstituteAll(d.g.SubstituteAll(out, c.known(d.g, std)), values), nil
}

// describe fills in what is not differentiated.
func (d *deriver) describe(s *Surrogate) {
	stepped, dual := d.coordinates()
	for i, sym := range stepped.Syms {
		coord := Coord{Sym: sym, Name: Plain(sym.Name)}
		if coord.Free = i == 0 && stepped.joint != nil; coord.Free && stepped.Name == bind.Mean {
			coord.Name = Plain(d.p.Mixture.Weights.Name)
		}
		s.Coords = append(s.Coords, coord)
		s.DualOf, s.SteppedOf = append(s.DualOf, dual.OfStd[i]), append(s.SteppedOf, stepped.OfStd[i])
	}
	for _, a := range d.p.Auxiliary {
		s.Coords = append(s.Coords, Coord{Sym: a.Sym, Name: a.Name, Auxiliary: true})
	}
	d.raised(s, stepped)
	identities := roundTrips(d.g, d.centred(stepped))
	for _, def := range stepped.Defs {
		s.Defs = append(s.Defs, d.defined(identities, def)...)
	}
	s.ToDual = d.finish(identities, d.centred(dual).OfStd)
	literal := d.g.Substitute(d.literalObjective(), d.byMap())
	through := func(c Coords) map[*expr.Node]*expr.Node {
		return composition(d.fam.Std, c.ToStd)
	}
	s.Literal, s.Dual = d.g.Substitute(literal, through(stepped)), dual.Syms
	if len(dual.ToStd) > 0 || len(d.fam.Std) == 0 {
		s.LiteralDual = d.g.Substitute(literal, through(dual))
	}
	d.conditions(s)
}

// conditions lists the domain: the ranges of the coordinates (necessary ones, cheap to check), the declared types of the standard parameters, the conditions of the spec, and the types
// of the target's parameters. Facts may prove the last in exact arithmetic; they are checked all the same, because
// floating point overflows.
func (d *deriver) conditions(s *Surrogate) {
	add := func(n *expr.Node, r expr.Range, block, text string) {
		s.Conditions = append(s.Conditions, Condition{Node: n, Range: r, Block: block, Text: text})
	}
	declared := func(n *expr.Node, k expr.Kind, name string) {
		s.Conditions = append(s.Conditions, d.declared(n, k, name)...)
	}
	for _, c := range s.Coords {
		if r := c.Sym.Facts.Range; !c.Auxiliary && r != expr.Real {
			add(c.Sym, r, c.Name, rangeText(c.Name, r))
		}
	}
	for _, p := range d.p.Surrogate.Params {
		declared(p.Sym, p.Kind, p.Name)
	}
	for _, a := range d.p.Auxiliary {
		declared(a.Sym, a.Kind, a.Name)
	}
	for _, w := range d.p.Where {
		add(w.Node, w.Range, w.Block, w.Text)
	}
	for i, t := range d.p.Map {
		kind := d.p.Target.Params[i].Kind
		definite := kind.Structure&t.Node.Facts.Structure&expr.PositiveDefinite != 0
		if scale, core := d.g.Bare(t.Node); definite && d.ofSurrogate(core) && !scale.Is(1) { // whose entries need not be made
			name := "the factor of " + Plain(t.Sym.Name)
			add(scale, expr.Positive, Plain(t.Sym.Name), rangeText(name, expr.Positive))
			continue
		}
		if definite { // by the way it is made of one that is looked at
			kind.Facts = expr.In(expr.Real)
		}
		if t.Node.Cost() > 0 || !t.Node.Facts.Range.Within(kind.Range) {
			declared(s.Theta[i].Node, kind, Plain(t.Sym.Name))
		}
	}
}

// ofSurrogate reports whether a node is a parameter of the surrogate.
func (d *deriver) ofSurrogate(n *expr.Node) bool {
	return slices.ContainsFunc(d.p.Surrogate.Params, func(p bind.Param) bool { return p.Sym == n })
}

// rangeText is a range as a condition on a name.
func rangeText(name string, r expr.Range) string {
	switch r {
	case expr.Real:
		return name + " finite"
	case expr.Positive:
		return name + " > 0"
	case expr.Negative:
		return name + " < 0"
	case expr.Nonnegative:
		return name + " >= 0"
	case expr.Nonpositive:
		return name + " <= 0"
	case expr.Unit:
		return "0 < " + name + " < 1"
	}
	return name + " in " + r.String()
}

// Plain is the name of a symbol without the prefix that keeps it apart from others.
func Plain(name string) string {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '.' {
			return name[i+1:]
		}
	}
	return name
}

func (d *deriver) start(s bind.Start, sur *Surrogate) Start {
	out := Start{Groups: s.Groups, Noise: s.Noise}
	out.Values = d.startValues(s.Values)
	out.Coords = d.finish(nil, sur.SteppedOf)
	for _, a := range d.p.Auxiliary {
		out.Coords = append(out.Coords, a.Sym)
	}
	return out
}
