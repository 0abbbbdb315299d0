package explain

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
)

// What mixtures need besides the rest: the joint distribution of value and component, how its coordinates follow from
// those of one component, and the responsibilities, of which every gradient is made.

// mixtureOf explains the model of a mixture.
func (e *explainer) mixtureOf() {
	t := e.p.Target
	x, weights := list(declared(t.Observed())), symbol(t.Params[0].Sym)
	e.f.text(fmt.Sprintf("Every observation comes from one of %s components, which has been drawn with the "+
		"probabilities @. Each component: %s", e.p.Mixture.Components, t.Doc+"."), weights)
	e.params(append(t.Observed(), t.Params...))
	e.support(t.Support)
	if len(t.Given) > 0 {
		e.f.text("Given in every row, and not modelled:")
		e.params(t.Given)
	}
	e.f.text("Apart from @ and @, every component has its own. Log-density @ of one observation together with its "+
		"component, and log-density of one observation, where @ goes over the components:",
		x, weights, side{"l", "l"}, over(expr.LogSumExp))
	l := e.g.Sym("explained.l", t.Joint.Type, expr.Unknown)
	e.equations([]equation{
		{side: symbol(l), node: t.Joint},
		{side: logDensity(t), node: e.g.LogSumExp(expr.Components, l)},
	})
}

// over is the name of an operation over the components.
func over(op *expr.Op) side {
	axis := expr.Components.String()
	if op == expr.Sum {
		return side{op.Name + "_" + axis, `\sum_{` + axis + "}"}
	}
	return side{op.Name + "_" + axis, `\operatorname{` + op.Name + "}_{" + axis + "}"}
}

// mixtureModel explains the coordinates of a mixture model, of which those of a component have been explained.
func (e *explainer) mixtureModel() {
	m, fam, g := e.p.Mixture, e.d.Family, e.g
	rho, w := fam.Natural.Syms[0], fam.Mean.Syms[0]
	e.f.text("Value and component together are again an exponential family, the mixture model (So and Turner 2024, "+
		"appendix on EF mixture models). Its natural parameters are @, of all components but the last, and those of every "+
		"component:",
		symbol(rho))
	// A is long, and has just been written.
	a := g.Sym("explained.A", rho.Type, expr.Unknown)
	log, _ := expr.FunctionNamed("log")
	height := g.Sub(g.Call(log, m.Weights), a)
	natural := coordinates(fam.Natural)
	natural[0].node = g.Sub(height, g.Sum(expr.Components, g.Mul(m.Last, height)))
	e.equations(natural)
	e.f.text("where @ is 1 for the last component and 0 for the others, and @ goes over the components. Its mean "+
		"parameters are the weights @ of all components but the last and, of every component, the weight times the mean "+
		"parameters @:",
		symbol(m.Last), over(expr.Sum), symbol(w), meanParameters)
	e.equations(coordinates(fam.Mean))
	e.f.text("In formulas the last component has @ and @, too: they are 0. Standard parameters from natural ones:",
		symbol(rho), symbol(w))
	defs := definitions(fam.Natural.Defs)
	defs[len(defs)-1].node = g.Softmax(expr.Components, g.Add(rho, a))
	e.equations(defs)
	e.fromMean(e.p.Surrogate.Component)
}

// lateParts writes what depends on the responsibilities, with these first.
func (e *explainer) lateParts(n named) {
	if len(n.resp) == 0 {
		return
	}
	words := "then the responsibilities @, the probabilities of the components given an observation, and what depends " +
		"on them"
	math := []side{n.resp[0].side}
	if len(n.lasts) > 0 {
		words += "; @ are the derivatives with respect to the weights as if they did not have to sum to 1"
		math = append(math, n.lasts[0].side)
	}
	e.f.text(words+":", math...)
	e.equations(slices.Concat(n.resp, n.late, n.lasts))
}

// responsibilities gives a name to the probabilities of the components, given an observation, wherever they occur.
func (e *explainer) responsibilities(roots []*expr.Node, used map[string]bool) ([]equation, []*expr.Node) {
	var out []equation
	by := map[*expr.Node]*expr.Node{}
	expr.Walk(func(n *expr.Node) {
		if isResponsibility(n) {
			by[n] = e.fresh("resp", n, used)
			out = append(out, equation{side: symbol(by[n]), node: n})
		}
	}, roots...)
	return out, e.g.SubstituteAll(roots, by)
}

// difference takes u - sum_k(last*u) apart, up to a factor: what is written as this is a derivative with respect to
// weights of which the last is not free. It returns nil where a formula is something else.
func (e *explainer) difference(n *expr.Node) (u *expr.Node, factor float64) {
	g := e.g
	for i, a := range n.Args {
		if n.Op != expr.Lin || a.Op != expr.Sum || a.Axis != expr.Components {
			continue
		}
		factor := -n.Coefs[i]
		u := g.Scale(1/factor, g.Add(n, g.Scale(factor, a)))
		if g.Sum(expr.Components, g.Mul(e.p.Mixture.Last, u)) == a {
			return u, factor
		}
	}
	return nil, 0
}

// lasts gives names to the derivatives with respect to all weights, of which those with respect to free ones are
// differences. It returns what the names stand for, too.
func (e *explainer) lasts(roots []*expr.Node, used map[string]bool) (out []equation, differences []*expr.Node) {
	differences = slices.Clone(roots)
	if e.p.Mixture == nil {
		return nil, differences
	}
	for i, n := range roots {
		if u, factor := e.difference(n); u != nil {
			sym := e.fresh("all", u, used)
			out = append(out, equation{side: symbol(sym), node: u})
			last := e.g.Sum(expr.Components, e.g.Mul(e.p.Mixture.Last, sym))
			differences[i] = e.g.Scale(factor, e.g.Sub(sym, last))
		}
	}
	return out, differences
}

// needed is how many definitions, from the first one on, are there for other formulas: all that these use, and what
// that is made of.
func needed(list, by []equation) int {
	used := map[string]bool{}
	use := func(n *expr.Node) {
		expr.Walk(func(n *expr.Node) { used[n.String()] = used[n.String()] || n.IsSym() }, n)
	}
	for _, q := range by {
		use(q.node)
	}
	first := 0
	for i, q := range slices.Backward(list) {
		if used[q.side.text] {
			use(q.node)
			first = max(first, i+1)
		}
	}
	return first
}

// isResponsibility tells the softmax over the components that every row has from the one that gives the weights.
func isResponsibility(n *expr.Node) bool {
	return n.Op == expr.Softmax && n.Axis == expr.Components && n.Type.Axes.Has(expr.Rows)
}

// free says which derivatives there are not for every component of a mixture.
func (e *explainer) free(c derive.Coords) (words string, math []side) {
	if e.p.Mixture == nil {
		return "", nil
	}
	return ", @ of all components but the last", []side{derivative("f", c.Syms[0])}
}

// groups explains how the components of a start are told apart.
func (e *explainer) groups(how string) {
	division := map[string]string{
		bind.GroupsSlices:   "slices of the sorted data of equal weight, as nearly as can be",
		bind.GroupsClusters: "the clusters that k-means finds",
	}[how]
	blend := "Where a start does not lie in the domain, a fifth of all rows, then half and more, is mixed into each group."
	if how == bind.GroupsClusters {
		blend = "A twentieth of all rows is mixed into each group, so that small ones have covariance matrices too; more " +
			"where a start does not lie in the domain."
	}
	e.f.text("The rows are divided into groups, one for each component: " + division + ". Each component starts from " +
		"its own group, with the share of the group as its weight: what follows is for the rows of one group, with n the " +
		"sum of their weights. " + blend)
}

// ofGroup writes formulas over the rows of a group as if these were all: where the rows that belong to other groups are
// not told apart, nothing is said of groups.
func (e *explainer) ofGroup(values []derive.Def) []equation {
	m, g := e.p.Mixture, e.g
	by := map[*expr.Node]*expr.Node{m.Own(g): g.Const(1), m.Blend: g.Const(0)}
	var out []equation
	for _, v := range values {
		if v.Sym != m.Weights {
			out = append(out, equation{side: symbol(v.Sym), node: g.Substitute(v.Node, by)})
		}
	}
	return out
}

// vectors reports whether there is anything but numbers, one or one for each component.
func (e *explainer) vectors() bool {
	all := slices.Concat(e.p.Target.Params, e.p.Surrogate.Params, e.p.Target.Record())
	for _, a := range e.p.Auxiliary {
		all = append(all, a.Param)
	}
	return slices.ContainsFunc(all, func(q bind.Param) bool { return q.Sym.Type.Rank > 0 })
}
