package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/spec"
)

// Variational objectives. The rows of their formulas are draws; those of the model are rows of the data, and stay within it.

// withNoiseNames gives the random numbers of the draws the names that the spec gives them, unless these mean something else
// in the formulas of a step.
func withNoiseNames(d *derive.Result) *derive.Result {
	if d.Variational == nil {
		return d
	}
	g := d.Problem.Graph
	e := &explainer{d: d, p: d.Problem, g: g}
	used := e.names()
	for _, name := range e.modelNames() {
		used[name] = true
	}
	by := map[*expr.Node]*expr.Node{}
	for i, w := range d.Variational.Noise {
		name := derive.Plain(d.Problem.Target.Sample.Noise[i].Sym.Name)
		for used[name] {
			name = "noise_" + name
		}
		used[name] = true
		by[w.Sym] = g.Sym("explained."+name, w.Sym.Type, w.Sym.Facts)
	}
	out := *d
	v, s := *d.Variational, &out.Surrogate
	v.Noise = slices.Clone(v.Noise)
	for i := range v.Noise {
		v.Noise[i].Sym = by[v.Noise[i].Sym]
	}
	v.Drawn, v.Ratio = g.Substitute(v.Drawn, by), g.Substitute(v.Ratio, by)
	s.Natural, s.Covector = g.SubstituteAll(s.Natural, by), g.SubstituteAll(s.Covector, by)
	s.Loss, s.Literal, s.LiteralDual = g.Substitute(s.Loss, by), g.Substitute(s.Literal, by), g.Substitute(s.LiteralDual, by)
	out.Variational, out.Trace = &v, slices.Clone(d.Trace)
	for i := range out.Trace {
		t := &out.Trace[i]
		t.Before, t.After = g.Substitute(t.Before, by), g.Substitute(t.After, by)
	}
	return &out
}

// variational writes the model of the data, the approximation of its posterior, and the objective.
func (e *explainer) variational() {
	e.latentModel()
	e.approximation()
	e.sites()
	e.bound()
}

// latentModel writes the log joint density.
func (e *explainer) latentModel() {
	v := e.p.Variational
	e.f.heading("Model")
	e.f.text("Latent variables:")
	e.params(v.Latent)
	if len(v.Data) > 0 {
		if v.ByRow {
			e.f.text("Data. Those that are marked are given for each of the @ rows:", side{"n", "n"})
		} else {
			e.f.text("Data:")
		}
		e.modelData()
		e.support(v.Support)
	}
	switch {
	case v.External && v.Prior == nil:
		e.f.text("Its log-density, up to a constant, is a function in Go, which is given to New and gives its gradient too.")
		return
	case v.External:
		e.f.text("The log-likelihood, up to a constant, is a function in Go, which is given to New and gives its gradient too. The prior is")
	default:
		e.f.text("Log-density, up to terms that depend on the data alone:")
	}
	e.equations(e.modelTerms())
	if v.Scale != nil && v.ByRow && v.Likelihood != nil && v.Spec.LogJoint == nil {
		e.f.text("A batch of rows counts for all of them: its log-likelihood is multiplied by the weight of all rows " +
			"over its own.")
	}
}

func (e *explainer) modelData() {
	var out []equation
	for _, q := range e.p.Variational.Data {
		note := q.Kind.Name + ": " + q.Kind.Doc
		if e.p.Variational.ByRow && q.Sym.Type.Axes.Has(expr.Rows) {
			note += ", for each row"
		}
		out = append(out, equation{side: symbol(e.dataSymbol(q)), note: note})
	}
	e.f.equations(out)
}

// dataSymbol is what data are called in the formulas of the model.
func (e *explainer) dataSymbol(q bind.Param) *expr.Node {
	t := q.Sym.Type
	if !e.p.Variational.ByRow { // there is one row, of which nothing is said
		t.Axes = 0
	}
	return e.g.Sym("explained.data."+q.Name, t, q.Sym.Facts)
}

// ofModel writes formulas of the model with the names of the spec, on all rows of the data.
func (e *explainer) ofModel(nodes ...*expr.Node) []*expr.Node {
	v := e.p.Variational
	by := map[*expr.Node]*expr.Node{v.Scale: e.g.Const(1)}
	for _, q := range v.Data {
		by[q.Sym] = e.dataSymbol(q)
	}
	out := e.g.SubstituteAll(nodes, by)
	if !v.ByRow {
		out = e.g.SubstituteAll(out, map[*expr.Node]*expr.Node{e.g.Size(expr.Rows): e.g.Const(1)})
	}
	return out
}

// modelTerms are the factors of the joint density as they are given.
func (e *explainer) modelTerms() []equation {
	v := e.p.Variational
	z, y := e.paramNames(v.Latent), e.paramNames(v.Data)
	prior, likelihood, joint := "("+z.text+")", "("+y.text+" | "+z.text+")", "("+y.text+", "+z.text+")"
	latexPrior, latexLikelihood, latexJoint := "("+z.latex+")", "("+y.latex+` \mid `+z.latex+")", "("+y.latex+", "+z.latex+")"
	if y.text == "" {
		likelihood, joint, latexLikelihood, latexJoint = prior, prior, latexPrior, latexPrior
	}
	var out []equation
	add := func(n *expr.Node, text, latex string) {
		if n != nil {
			out = append(out, equation{side: side{"log p" + text, `\log p` + latex}, node: e.ofModel(n)[0]})
		}
	}
	if v.Spec.LogJoint != nil {
		add(v.Likelihood, joint, latexJoint)
		return out
	}
	add(v.Likelihood, likelihood, latexLikelihood)
	add(v.Prior, prior, latexPrior)
	return out
}

// modelNames are those of the latent variables and of the data.
func (e *explainer) modelNames() []string {
	var out []string
	for _, q := range slices.Concat(e.p.Variational.Latent, e.p.Variational.Data) {
		out = append(out, q.Name)
	}
	return out
}

// paramNames are names with commas between them.
func (e *explainer) paramNames(params []bind.Param) side {
	var syms []*expr.Node
	for _, q := range params {
		syms = append(syms, e.dataSymbol(q))
	}
	return list(syms)
}

// approximation writes the target, and how it is drawn from.
func (e *explainer) approximation() {
	t, v := e.p.Target, e.d.Variational
	x := t.Variable.Sym
	e.f.heading("Approximation q: " + t.Name)
	e.f.text(sentence(t.Doc))
	e.params(append([]bind.Param{t.Variable}, t.Params...))
	e.f.text("Its variable @ is "+e.latentWords()+". Log-density:", symbol(x))
	e.equations([]equation{{side: side{"log q(" + x.String() + ")", `\log q(` + x.LaTeX() + `)`}, node: t.LogPDF}})
	e.f.text("Draws, as a function of random numbers whose distribution has no parameters, in the parameters of the surrogate:")
	e.equations([]equation{{side: symbol(x), node: e.ofOwnComponent(v.Drawn)}})
	var noise []equation
	for _, w := range v.Noise {
		noise = append(noise, equation{side: symbol(w.Sym), note: noiseWords(w)})
	}
	e.f.text("where")
	e.f.equations(noise)
	e.stratified()
}

// ofOwnComponent writes the draw of a component without the sum that takes it from those of all components.
func (e *explainer) ofOwnComponent(drawn *expr.Node) *expr.Node {
	if e.p.Mixture == nil {
		return drawn
	}
	by := map[*expr.Node]*expr.Node{}
	expr.Walk(func(n *expr.Node) {
		if n.Op == expr.Sum && n.Axis == expr.Components {
			by[n] = e.g.Substitute(n.Args[0], map[*expr.Node]*expr.Node{e.p.Mixture.Own(e.g): e.g.Const(1)})
		}
	}, drawn)
	return e.g.Substitute(drawn, by)
}

// stratified says how a mixture is drawn from.
func (e *explainer) stratified() {
	if e.p.Mixture == nil {
		return
	}
	e.f.text("This is a draw of one component. Every component has as many draws as any other (stratified sampling), and a "+
		"draw counts with the weight of its component, times the number of components. In formulas @ is 1 for the component "+
		"that a draw is of, and 0 for the others.", symbol(e.p.Mixture.Own(e.g)))
}

// latentWords says what the variable of the target is in the model.
func (e *explainer) latentWords() string {
	names := make([]string, len(e.p.Variational.Latent))
	for i, q := range e.p.Variational.Latent {
		names[i] = q.Name
	}
	switch {
	case len(names) == 1:
		return names[0] + " of the model"
	default:
		return strings.Join(names, ", ") + " of the model, one after the other"
	}
}

// noiseWords describes random numbers.
func noiseWords(w bind.Draw) string {
	args := make([]string, len(w.Args))
	for i, a := range w.Args {
		args[i] = a.String()
	}
	words := w.Kind.Name
	if len(args) > 0 {
		words += "(" + strings.Join(args, ", ") + ")"
	}
	if w.Sym.Type.Rank > 0 {
		words += ", every entry by itself"
	}
	return words
}

// bound writes the objective and how it is estimated.
func (e *explainer) bound() {
	v, x := e.p.Variational, e.p.Target.Variable.Sym
	e.f.heading("Objective")
	z, y := e.paramNames(v.Latent), e.paramNames(v.Data)
	joint := side{strings.TrimPrefix(y.text+", "+z.text, ", "), strings.TrimPrefix(y.latex+", "+z.latex, ", ")}
	e.f.text("The objective @ is the negative evidence lower bound, @, with expectations over @ (So and Turner 2024, section "+
		"2.1). It differs from the Kullback-Leibler divergence of @ from the posterior by a constant.",
		side{"f", "f"},
		side{"-E[log p(" + joint.text + ")] + E[log q(" + x.String() + ")]",
			`-\operatorname{E}[\log p(` + joint.latex + `)] + \operatorname{E}[\log q(` + x.LaTeX() + `)]`},
		side{"q", "q"}, side{"q", "q"})
	pairs := ""
	if v.Spec.Antithetic {
		pairs = ", in pairs of opposite random numbers"
	}
	e.f.text(fmt.Sprintf("Every step takes %d draws%s, unless the options say otherwise. In the formulas that follow the rows "+
		"are the draws, and @ is their number. Gradients are those of the means over the draws, through the draws "+
		"(Kingma and Welling 2014).", v.Spec.Draws, pairs), side{"n", "n"})
	if v.Spec.Estimator == spec.EstimatorPath {
		e.f.text("Of @ the path derivative is taken: the parameters of its formula are held fixed while gradients are taken, as their "+
			"score has expectation 0 (Roeder, Wu and Duvenaud 2017).", side{"log q", `\log q`})
	}
	e.closedForms()
	e.knownTerms()
	e.opaque()
	e.withoutDraws()
}

// withoutDraws writes the expectations of a bound that is known without draws.
func (e *explainer) withoutDraws() {
	x := e.d.Variational.Exact
	if x == nil {
		return
	}
	how := "in closed form"
	if !x.Closed {
		how += ", or by quadrature over the one number, linear in the latent variables, that the density of a row sees"
	}
	e.f.text("The bound is known without draws, too: its expectations are taken " + how + ". Unless draws are asked for, it is " +
		"maximised as such, with exact gradients, which are derived in the same way. The rows of this formula are those of the data.")
	y, z := e.paramNames(e.p.Variational.Data), e.paramNames(e.p.Variational.Latent)
	joint := side{"E[log p(" + y.text + ", " + z.text + ")]", `\operatorname{E}[\log p(` + y.latex + ", " + z.latex + `)]`}
	e.equations([]equation{{side: joint, node: e.ofModel(x.Joint)[0]}})
}

// closedForms writes which expectations need no draws.
func (e *explainer) closedForms() {
	v, t := e.p.Variational, e.p.Target
	quadratic := v.Prior != nil && v.Whole(e.p.Target)
	path := v.Spec.Estimator == spec.EstimatorPath
	if t.Entropy == nil || path {
		e.estimated(path)
		if t.Component != nil {
			t = t.Component
		}
		if quadratic && t.Mean != nil && t.Variance != nil {
			e.f.text("The expectation of a prior that is quadratic follows from means and covariances, without draws.")
		}
		return
	}
	list := []equation{{side: side{"-E[log q]", `-\operatorname{E}[\log q]`}, node: t.Entropy}}
	words := "The entropy of @ is known, and needs no draws:"
	if prior := e.expectedPrior(); quadratic && prior != nil {
		z := e.paramNames(v.Latent)
		words = "The entropy of @ and the expectation of the prior are known, and need no draws:"
		list = append(list, equation{
			side: side{"E[log p(" + z.text + ")]", `\operatorname{E}[\log p(` + z.latex + `)]`}, node: prior,
		})
	}
	e.f.text(words, side{"q", "q"})
	e.equations(list)
}

// knownTerms writes which terms of the log joint density need no draws.
func (e *explainer) knownTerms() {
	k, m := e.d.Variational.KnownTerms, e.d.Variational.Model
	if k == nil {
		return
	}
	e.f.text("Of the log joint density these terms have expectations that are known, and need no draws; the others, @, are estimated:",
		side{"estimated", `\text{estimated}`})
	e.equations([]equation{
		{side: side{"known", `\text{known}`}, node: e.ofModel(k.Terms)[0]},
		{side: side{"E[known]", `\operatorname{E}[\text{known}]`}, node: k.Expectation},
		{side: side{"estimated", `\text{estimated}`}, node: e.ofModel(m.Estimated)[0]},
	})
}

// estimated says what of the log-density of q is averaged over the draws.
func (e *explainer) estimated(path bool) {
	v, q, logQ := e.d.Variational, side{"q", "q"}, side{"log q", `\log q`}
	if path || v.Known.Is(0) {
		e.f.text("The entropy of @ is not taken in closed form: @ is averaged over the draws, too.", q, logQ)
		return
	}
	e.f.text("The entropy of @ is taken in closed form in part: of @ the first of these two is averaged over the draws, and the "+
		"second is the expectation of the rest.", q, logQ)
	e.equations([]equation{
		{side: side{"estimated", `\text{estimated}`}, node: v.Estimated},
		{side: side{"known", `\text{known}`}, node: v.Known},
	})
}

// expectedPrior is what the objective has besides the entropy and the model, nil where something of it varies over the draws.
func (e *explainer) expectedPrior() *expr.Node {
	o := e.d.Objective
	if o == nil {
		return nil
	}
	by := map[*expr.Node]*expr.Node{}
	expr.Walk(func(n *expr.Node) {
		if n.OfModel() {
			by[n] = e.g.Const(0)
		}
	}, o.Loss)
	rest := e.g.Neg(e.g.Add(e.g.Substitute(o.Loss, by), e.p.Target.Entropy))
	varies := false
	expr.Walk(func(n *expr.Node) { varies = varies || n.Type.Axes.Has(expr.Rows) }, rest)
	if varies {
		return nil
	}
	return rest
}

// opaque writes what is evaluated draw by draw, and its gradient.
func (e *explainer) opaque() {
	m, v := e.d.Variational.Model, e.p.Variational
	if m == nil {
		return
	}
	what, name, gradient := "the log joint density", "log_joint", m.Gradient
	if m.Estimated != nil {
		what, name, gradient = "what is estimated of the log joint density", "estimated", m.EstimatedGradient
	}
	if v.Prior != nil && v.Whole(e.p.Target) {
		what = "the log-likelihood"
	}
	end := ":"
	if v.External {
		end = "."
	}
	e.f.text("Where @ stands in formulas it is "+what+" of the model at a draw, and @ its gradient by the latent variables"+end,
		operator(name), operator(name+"_gradient"))
	if v.External {
		return
	}
	short := e.newShorthand()
	for _, name := range e.modelNames() {
		e.taken[name] = true
	}
	var list []equation
	for i, n := range e.ofModel(gradient...) {
		list = append(list, equation{side: derivative(name, m.Latent[i].Sym), node: n})
		list[i].side.latex = `\frac{\partial ` + operator(name).latex + `}{\partial ` + m.Latent[i].Sym.LaTeX() + "}"
	}
	e.abbreviated(short, list)
}

// operator is the name of a function of the latent variables.
func operator(name string) side {
	return side{name, `\operatorname{` + strings.ReplaceAll(name, "_", `\_`) + `}`}
}

// budgetOfDraws writes what a step costs besides the model.
func (e *explainer) budgetOfDraws(s *methods.Package) {
	e.f.text("What grows with the cube of a dimension, or with its square for each draw; the rows are the draws. Everything else " +
		"is of the order of the draws and of the coordinates, but for the model.")
	e.f.items(budgets(s))
	if e.d.Variational.Model == nil {
		return
	}
	of := "once"
	if e.p.Variational.ByRow {
		of = "in one pass over the rows of the data or of a batch"
	}
	e.f.text("To this the model comes: for every draw of a step its gradient, and its value where that is asked for too, " + of + ".")
}
