// Package explain writes out how the code of a problem comes about, for somebody who knows statistics: the model, the
// surrogate, their composition, what each rule made of it, the gradients, the domain and the cost of a step. As text,
// formulas are in the language of the specs; as LaTeX, the result is a fragment that needs amsmath.
package explain

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/rewrite"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/methods"
)

// Explain writes the derivation of a problem.
func Explain(w io.Writer, d *derive.Result, latex bool) error {
	var f format = &textFormat{}
	if latex {
		f = &latexFormat{}
	}
	explainTo(f, d)
	_, err := io.WriteString(w, f.String())
	return err
}

// explainTo gives a derivation to a format, part by part.
func explainTo(f format, d *derive.Result) {
	d = withNoiseNames(d)
	e := &explainer{d: d, p: d.Problem, g: d.Problem.Graph, f: f, steps: d.Trace}
	e.write()
}

// explainer carries what is explained and how it is written.
type explainer struct {
	d     *derive.Result
	p     *bind.Problem
	g     *expr.Graph
	f     format
	steps []rewrite.Step
	shown []*expr.Node    // everything that has been written, for the list of functions
	taken map[string]bool // names of shorthand
}

func (e *explainer) write() {
	s := e.p.Spec
	e.f.title(s.Package, s.Doc)
	e.model()
	e.surrogate()
	e.theMap()
	e.composition()
	e.rules()
	e.gradients()
	e.domain()
	e.starts()
	e.penalty()
	e.limits()
	e.cost()
	e.functions()
	e.numbers()
}

// equation is a line of a list of formulas. Side is put before the relation, and may be empty; note after the formula.
type equation struct {
	side side
	node *expr.Node
	note string
}

// side is the left of an equation, in both formats.
type side struct{ text, latex string }

func symbol(n *expr.Node) side { return side{n.String(), n.LaTeX()} }

// derivative is the side df/dx.
func derivative(f string, x *expr.Node) side {
	return side{"d" + f + "/d" + x.String(), `\frac{\partial ` + f + `}{\partial ` + x.LaTeX() + `}`}
}

func (e *explainer) equations(list []equation) {
	for _, q := range list {
		e.shown = append(e.shown, q.node)
	}
	e.f.equations(list)
}

// params describes declared parameters: their types.
func (e *explainer) params(list []bind.Param) {
	var out []equation
	for _, p := range list {
		out = append(out, equation{side: symbol(p.Sym), note: p.Kind.Name + ": " + p.Kind.Doc})
	}
	e.f.equations(out)
}

func (e *explainer) model() {
	if e.p.Variational != nil {
		e.variational()
		return
	}
	t := e.p.Target
	e.f.heading("Model: " + t.Name)
	q := logDensity(t)
	if e.p.Mixture != nil {
		e.mixtureOf()
	} else {
		e.f.text(sentence(t.Doc))
		e.params(append(t.Observed(), t.Params...))
		e.support(t.Support)
		e.given(t)
		e.equations([]equation{{side: logDensity(t), node: t.LogPDF}})
	}
	e.f.text("The objective @ is the mean of @ over the @ rows of the data, each counted with its weight.",
		side{"f", "f"}, side{"-" + q.text, "-" + q.latex}, side{"n", "n"})
}

// support says which rows there is a density of.
func (e *explainer) support(list []bind.Condition) {
	if len(list) == 0 {
		return
	}
	var texts []string
	for _, c := range list {
		texts = append(texts, c.Text)
	}
	e.f.text(fmt.Sprintf("There is a density of rows with %s; data with others are refused.", strings.Join(texts, " and ")))
}

// given lists the columns of a row that a density is one given, and announces it.
func (e *explainer) given(t *bind.Density) {
	if len(t.Given) == 0 {
		e.f.text("Log-density of one observation:")
		return
	}
	e.f.text("Given in every row, and not modelled:")
	e.params(t.Given)
	e.f.text("Log-density of one observation given the rest of its row:")
}

// declared are the symbols of declarations.
func declared(params []bind.Param) []*expr.Node {
	out := make([]*expr.Node, len(params))
	for i, q := range params {
		out[i] = q.Sym
	}
	return out
}

// logDensity is what stands to the left of its formula.
func logDensity(t *bind.Density) side {
	about := list(declared(t.Observed()))
	if len(t.Given) > 0 {
		names := list(declared(t.Given))
		about = side{about.text + " | " + names.text, about.latex + ` \mid ` + names.latex}
	}
	return side{"log q(" + about.text + ")", `\log q(` + about.latex + `)`}
}

// meanParameters is what they are.
var meanParameters = side{"m = E[t(x)] = dA/deta", `m = \operatorname{E}[t(x)] = \partial A/\partial \eta`}

func (e *explainer) surrogate() {
	s, fam := e.p.Surrogate, e.d.Family
	e.f.heading("Surrogate: " + s.Name)
	if e.p.Mixture != nil {
		e.f.text("Each component: " + s.Doc + ".")
		e.params(s.Params)
		e.constants()
		e.family(s.Component, "A component is an")
		e.mixtureModel()
		return
	}
	e.f.text(sentence(s.Doc))
	if len(s.Params) == 0 { // nothing but auxiliary parameters
		e.constants()
		return
	}
	e.params(s.Params)
	e.constants()
	e.family(s, "An")
	e.f.text("Mean parameters, derived as @:", meanParameters)
	e.equations(coordinates(fam.Mean))
	e.f.text("Standard parameters from natural ones:")
	e.equations(definitions(fam.Natural.Defs))
	if s.OfColumns {
		e.information()
		return
	}
	e.fromMean(s)
}

func (e *explainer) constants() {
	if len(e.p.Constants) == 0 {
		return
	}
	e.f.text("Constants, computed once from the data:")
	var list []equation
	for _, c := range e.p.Constants {
		list = append(list, equation{side: symbol(c.Sym), node: c.Node})
	}
	e.equations(list)
}

// family writes what a spec gives of a family. The first words say what is one.
func (e *explainer) family(s *bind.Family, first string) {
	parts := []side{{"t", "t"}, {"eta", `\eta`}, {"A", "A"}}
	if s.OfColumns {
		e.f.text(first+" exponential family in @ given @, columns of the data, of which the spec gives, for one row, the statistics @, the natural "+
			"parameters @ and the log-partition @. For the rows at hand it is one in its parameters, with the means over the rows for statistics and "+
			"log-partition:",
			append([]side{symbol(s.Variable.Sym), list(declared(s.Given))}, parts...)...)
	} else if len(s.Given) == 0 {
		e.f.text(first+" exponential family with density @, of which the spec gives the statistics @, the natural "+
			"parameters @ and the log-partition @:",
			append([]side{{"h(x) exp(eta . t(x) - A(eta))", `h(x) \exp(\eta \cdot t(x) - A(\eta))`}}, parts...)...)
	} else {
		given := make([]*expr.Node, len(s.Given))
		for i, q := range s.Given {
			given[i] = q.Sym
		}
		e.f.text(first+" exponential family in @ given @, of which the spec gives the statistics @, the natural parameters @, "+
			"and @, the mean over what is given of the conditional log-partition. Its gradient is the mean of the statistics, and "+
			"its Hessian the Fisher information of all variables together (Lin, Khan and Schmidt 2019):",
			append([]side{symbol(s.Variable.Sym), list(given)}, parts...)...)
	}
	equations := numbered("t", `t`, s.Statistics)
	for i, n := range s.Natural {
		equations = append(equations, equation{side: symbol(s.Eta[i]), node: n})
	}
	equations = append(equations, equation{side: side{"A", "A"}, node: s.LogPartition})
	if !s.LogBase.Is(0) {
		equations = append(equations, equation{side: side{"log h", `\log h`}, node: s.LogBase})
	}
	e.equations(equations)
}

// information writes the blocks of the Fisher information of a family given columns of the data.
func (e *explainer) information() {
	e.f.text("The mean parameters need no inverse. Their derivative, the Fisher information of the surrogate for the rows at hand, block by block:")
	var list []equation
	for i, row := range e.d.Family.Information {
		for j, n := range row[:i+1] {
			list = append(list, equation{side: side{fmt.Sprintf("F%d%d", i+1, j+1), fmt.Sprintf("F_{%d%d}", i+1, j+1)}, node: n})
		}
	}
	e.equations(list)
}

// fromMean writes the standard parameters in terms of the mean parameters, of which the spec gives those of a family.
func (e *explainer) fromMean(s *bind.Family) {
	if len(s.FromMean) == 0 {
		e.f.text("Standard parameters from mean ones, by Newton's method on @, which is generated:",
			side{"A(eta) - eta . m", `A(\eta) - \eta \cdot m`})
	} else {
		e.f.text("Standard parameters from mean ones:")
	}
	e.equations(definitions(e.d.Family.Mean.Defs))
}

func numbered(text, latex string, nodes []*expr.Node) []equation {
	var out []equation
	for i, n := range nodes {
		out = append(out, equation{side: side{fmt.Sprint(text, i+1), fmt.Sprintf("%s_{%d}", latex, i+1)}, node: n})
	}
	return out
}

func coordinates(c derive.Coords) []equation {
	var out []equation
	for i, sym := range c.Syms {
		out = append(out, equation{side: symbol(sym), node: c.OfStd[i]})
	}
	return out
}

func definitions(defs []bind.Def) []equation {
	var out []equation
	for _, d := range defs {
		out = append(out, equation{side: symbol(d.Sym), node: d.Node})
	}
	return out
}

func (e *explainer) theMap() {
	e.f.heading("Map g")
	text, defs := "The parameters of %s, on the left, in terms of those of %s:", e.p.Map
	if e.p.Mixture != nil {
		text, defs = "The weights are the same. The other parameters of %s, on the left, in terms of those of %s, for every "+
			"component:", defs[1:]
	}
	e.f.text(fmt.Sprintf(text, e.p.Target.Name, e.p.Surrogate.Name))
	e.equations(definitions(defs))
	if len(e.p.Auxiliary) == 0 {
		return
	}
	e.f.text("Auxiliary parameters are optimised along with the surrogate; their gradient is divided by the metric, " +
		"multiplied by its inverse where it is a matrix:")
	var list []equation
	for _, a := range e.p.Auxiliary {
		q := equation{side: symbol(a.Sym), note: a.Kind.Name}
		if a.Metric != nil {
			q.note += ", metric " + a.Metric.String()
		}
		list = append(list, q)
	}
	e.f.equations(list)
	if e.p.Mixture != nil {
		e.f.text("Of the auxiliary parameters too every component has its own. The metric of a component has the weight " +
			"as a factor, as the Fisher information of value and component does.")
	}
}

// stepped and dual are the two systems of coordinates by their role.
func (e *explainer) stepped() (stepped, dual derive.Coords) {
	if e.p.Spec.Step == bind.Natural {
		return e.d.Family.Natural, e.d.Family.Mean
	}
	return e.d.Family.Mean, e.d.Family.Natural
}

func (e *explainer) composition() {
	e.f.heading("Composition")
	if len(e.p.Surrogate.Params) == 0 {
		e.f.text("Steps are taken in the auxiliary parameters. The objective as a function of them, as written and before any rule:")
		e.abbreviated(e.newShorthand(), []equation{{side: side{"f", "f"}, node: e.d.Surrogate.LiteralDual}})
		return
	}
	stepped, dual := e.stepped()
	if e.p.Surrogate.OfColumns {
		e.f.text(fmt.Sprintf("Steps are taken in the %s parameters. The gradient with respect to the %s parameters, which is the natural gradient, is "+
			"the solution @ of @, with the gradient @ with respect to the former.", stepped.Name, dual.Name), side{"v", "v"}, side{"F v = c", "F v = c"}, side{"c", "c"})
		return
	}
	ofDual := list(dual.Syms)
	canonical := "sums and products are in canonical order"
	if !e.p.Scalar() {
		canonical += ", without inverses of inverses"
	}
	literal := side{"f(g(s(" + ofDual.text + ")))", "f(g(s(" + ofDual.latex + ")))"}
	e.f.text(fmt.Sprintf("Steps are taken in the %s parameters, along the gradient with respect to the %s parameters, "+
		"which is the natural gradient. The objective as a function of the %s parameters, @, as written and before any "+
		"rule (%s):", stepped.Name, dual.Name, dual.Name, canonical), literal)
	e.abbreviated(e.newShorthand(), []equation{{side: side{"f", "f"}, node: e.d.Surrogate.LiteralDual}})
	e.f.text(fmt.Sprintf("It is never computed like this. The standard parameters @ are computed once, from the %s "+
		"parameters; the gradient with respect to @ is pulled back through @, and what remains is written in terms "+
		"of @.", stepped.Name),
		side{"s", "s"}, side{"s", "s"}, side{"s(" + ofDual.text + ")", "s(" + ofDual.latex + ")"}, side{"s", "s"})
}

// list is symbols with commas between them.
func list(nodes []*expr.Node) side {
	var text, latex []string
	for _, n := range nodes {
		text, latex = append(text, n.String()), append(latex, n.LaTeX())
	}
	return side{strings.Join(text, ", "), strings.Join(latex, ", ")}
}

func (e *explainer) domain() {
	e.f.heading("Domain")
	e.f.text("A step never leaves the set where" + e.forComponents())
	var list []equation
	for _, c := range e.d.Surrogate.Conditions {
		if s := symbol(c.Node); c.Definite {
			s = side{s.text + " is positive definite", s.latex + ` \text{ is positive definite}`}
			list = append(list, equation{side: s})
			continue
		}
		list = append(list, equation{side: condition(c.Node, c.Range)})
	}
	e.f.equations(list)
}

// condition is an inequality, or two.
func condition(n *expr.Node, r expr.Range) side {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	relation := func(open bool, text, latex string) side {
		if open {
			return side{" " + text + " ", " " + text + " "}
		}
		return side{" " + text + "= ", ` \` + latex + " "}
	}
	s := symbol(n)
	lo, hi := !math.IsInf(r.Lo, 0), !math.IsInf(r.Hi, 0)
	switch {
	case !lo && !hi:
		return side{s.text + " is finite", s.latex + ` \text{ is finite}`}
	case !hi:
		l := relation(r.LoOpen, ">", "ge")
		return side{s.text + l.text + number(r.Lo), s.latex + l.latex + number(r.Lo)}
	}
	l := relation(r.HiOpen, "<", "le")
	s = side{s.text + l.text + number(r.Hi), s.latex + l.latex + number(r.Hi)}
	if lo {
		l = relation(r.LoOpen, "<", "le")
		s = side{number(r.Lo) + l.text + s.text, number(r.Lo) + l.latex + s.latex}
	}
	return s
}

func (e *explainer) starts() {
	all := e.d.Starts
	if len(all) == 0 {
		return
	}
	e.f.heading("Start")
	short := e.newShorthand()
	for i, s := range all {
		if e.p.Mixture != nil {
			if i == 0 {
				e.groups(s.Groups)
			}
			e.abbreviated(short, e.ofGroup(s.Values))
			continue
		}
		var list []equation
		for _, v := range s.Values {
			list = append(list, equation{side: symbol(v.Sym), node: v.Node})
		}
		e.abbreviated(short, list)
	}
}

// forComponents says that a list is for every component of a mixture.
func (e *explainer) forComponents() string {
	if e.p.Mixture == nil {
		return ""
	}
	return ", for every component,"
}

// summary is what the generated code costs.
func (e *explainer) summary() *methods.Package { return methods.Objective(e.d) }

func sentence(doc string) string {
	if doc == "" {
		return ""
	}
	return strings.ToUpper(doc[:1]) + strings.TrimSuffix(doc[1:], ".") + "."
}
