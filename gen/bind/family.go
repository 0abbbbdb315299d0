package bind

import (
	"fmt"
	"maps"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/spec"
)

// meanPrefix keeps apart the mean parameters as they are bound, of which nothing is known before the mean map is derived.
const meanPrefix = "bound."

// family binds an exponential family, with the names that its own file sees.
func (b *binder) family(f *spec.Family, prefix string, x *Param) (out *Family) {
	b.within(f, func() { out = b.familyHere(f, prefix, x) })
	return out
}

// familyHere binds an exponential family. Its symbols carry the prefix, so that a surrogate and a target of the same family
// keep apart; x is the symbol of the variable.
func (b *binder) familyHere(f *spec.Family, prefix string, x *Param) *Family {
	out := &Family{Name: f.Name, Doc: f.Doc}
	if x == nil {
		p := b.param(f.Variable, b.variablePrefix(prefix), expr.Rows) // a parameter of the problem may have its name
		x = &p
	}
	out.Variable = *x
	for _, q := range f.Given {
		out.Given = append(out.Given, b.givenOf(f, q, prefix))
	}
	out.OfColumns = f.OfColumns()
	out.Params = b.parameters(b.called(f.Parameters), prefix)
	std := map[string]*expr.Node{}
	for i, q := range f.Parameters {
		std[q.Name] = out.Params[i].Sym
	}
	out.Where = b.assume(f.Where, std)
	constants := b.familyConstants(f)
	var about map[*expr.Node]*expr.Node
	if isDensity := prefix != ""; isDensity && f != b.cancelling {
		about = b.aboutItself(f, prefix, std, constants)
	}
	if !b.familyFormulas(f, out, std, constants) {
		return nil
	}
	for i, n := range out.Natural {
		facts := expr.Facts{Range: n.Facts.Range, Structure: n.Facts.Structure}
		out.Eta = append(out.Eta, b.g.Sym(fmt.Sprintf("%seta%d", prefix, b.factor.before+i+1), n.Type, facts))
		facts = expr.Facts{Range: expr.Real, Structure: n.Facts.Structure & expr.Symmetric}
		out.M = append(out.M, b.g.Sym(fmt.Sprintf("%s%sm%d", prefix, meanPrefix, b.factor.before+i+1), n.Type, facts))
	}
	what := "family " + f.Name
	sym := func(name string, _ *expr.Node) *expr.Node { return std[name] }
	out.FromNatural = b.inverse(f, f.FromNatural, "from_natural of "+what, out.Eta, std, constants, sym)
	if len(f.FromMean) > 0 {
		out.FromMean = b.inverse(f, f.FromMean, "from_mean of "+what, out.M, std, constants, sym)
	}
	if len(f.NewtonStart) > 0 {
		out.NewtonStart = b.inverse(f, f.NewtonStart, "newton_start of "+what, out.M, std, constants, sym)
	}
	if len(out.Params) > 0 && out.FromNatural == nil || anyNil(out.FromNatural) || anyNil(out.FromMean) || anyNil(out.NewtonStart) {
		return nil
	}
	out.substitute(b.g, about)
	if len(f.Given) > 0 && !out.OfColumns {
		names := copyNames(std)
		maps.Copy(names, constants)
		out.Sample = b.draws(f.Sample.Noise, f.Sample.Values, "sample of "+what, names, b.drawn(prefix, out.Variable))
	}
	return out
}

// assume binds the conditions on the parameters and makes facts of them, before anything is built of what they compare: a
// formula is used inside its domain only, and the domain is guarded by the conditions themselves.
func (b *binder) assume(where []*spec.Formula, params map[string]*expr.Node) []Condition {
	conditions := b.conditions(where, params)
	for _, c := range conditions {
		b.g.Assume(c.Node, c.Range)
	}
	return conditions
}

// familyConstants are the constants of a family: what the problem sets them to, or the values of the family.
func (b *binder) familyConstants(f *spec.Family) map[string]*expr.Node {
	out := map[string]*expr.Node{}
	for _, c := range f.Constants {
		if set, ok := b.constants[c.Name]; ok {
			out[c.Name] = set
		} else {
			out[c.Name] = b.constant(c, "constants of family "+f.Name)
		}
	}
	return out
}

// constant binds the value that a family gives a constant. A number stands for a vector or a matrix with that number in
// every entry.
func (b *binder) constant(c spec.Constant, what string) *expr.Node {
	t := b.constantType(c)
	n := b.build(c.Formula, what, nil, expr.Unknown)
	if n != nil && n.Type.Rank == 0 {
		return b.g.Spread(n, t)
	}
	return b.shaped(n, t, c.Formula, c.Name)
}

// constantType is the shape that a constant is declared to have: a number unless the family says otherwise.
func (b *binder) constantType(c spec.Constant) expr.Type {
	if c.Type.Kind == "" {
		return expr.Scalar
	}
	_, t := b.declared(spec.Param{Name: c.Name, NameSpan: c.NameSpan, Type: c.Type, TypeSpan: c.TypeSpan})
	return t
}

// constantTypes are the shapes of the constants of a family.
func (b *binder) constantTypes(f *spec.Family) map[string]expr.Type {
	out := map[string]expr.Type{}
	for _, c := range f.Constants {
		out[c.Name] = b.constantType(c)
	}
	return out
}

// atStart binds what at_start of a family says of a constant.
func (b *binder) atStart(f *spec.Family, c spec.Binding, std map[string]*expr.Node) *expr.Node {
	what := "at_start of family " + f.Name
	return b.shaped(b.build(c.Formula, what, std, expr.Unknown), b.constantTypes(f)[c.Name], c.Formula, c.Name)
}

// aboutItself sets the constants of a family that is used as a density, and not set by the problem, from its own
// parameters, as at_start says: the density does not depend on them, and about its own mean a normal density is the
// square of a difference, not the difference of squares. A target that is fitted to data by a surrogate of the same family
// is left about the constants of the surrogate, so that their statistics cancel. The formulas are bound with symbols for the
// constants, since a difference that cancels has no shape left; what the symbols stand for is returned.
func (b *binder) aboutItself(
	f *spec.Family, prefix string, std, constants map[string]*expr.Node,
) map[*expr.Node]*expr.Node {
	about := map[*expr.Node]*expr.Node{}
	for _, c := range f.AtStart {
		n := b.atStart(f, c, std)
		if _, set := b.constants[c.Name]; set || n == nil {
			continue
		}
		constants[c.Name] = b.g.Sym(prefix+"constant."+c.Name, core(n.Type), expr.Unknown)
		about[constants[c.Name]] = n
	}
	return about
}

// substitute replaces symbols in the formulas of the density.
func (f *Family) substitute(g *expr.Graph, by map[*expr.Node]*expr.Node) {
	if len(by) == 0 {
		return
	}
	f.Statistics, f.Natural = g.SubstituteAll(f.Statistics, by), g.SubstituteAll(f.Natural, by)
	f.LogPartition, f.LogBase = g.Substitute(f.LogPartition, by), g.Substitute(f.LogBase, by)
}

func (b *binder) familyFormulas(f *spec.Family, out *Family, params, constants map[string]*expr.Node) bool {
	what := "family " + f.Name
	std := copyNames(params)
	maps.Copy(std, constants)
	if out.OfColumns { // the formulas are those of one row
		for i, q := range f.Given {
			std[q.Name] = out.Given[i].Sym
		}
	}
	std = b.let(f.Let, "let of "+what, std)
	ok := true
	add := func(list *[]*expr.Node, fm *spec.Formula, part string, names map[string]*expr.Node) {
		n := b.build(fm, part+" of "+what, names, expr.Unknown)
		ok = ok && n != nil
		*list = append(*list, n)
	}
	onlyX := copyNames(constants)
	onlyX[f.Variable.Name] = out.Variable.Sym
	for i, q := range f.Given {
		onlyX[q.Name] = out.Given[i].Sym
	}
	for _, s := range f.Statistics {
		add(&out.Statistics, s, "statistics", onlyX)
	}
	for _, s := range f.Natural {
		add(&out.Natural, s, "natural", std)
	}
	if out.LogPartition = b.number(f.LogPartition, "log_partition of "+what, std); out.LogPartition == nil {
		ok = false
	}
	out.LogBase = b.g.Const(0)
	if f.LogBaseMeasure != nil {
		if out.LogBase = b.number(f.LogBaseMeasure, "log_base_measure of "+what, onlyX); out.LogBase == nil {
			ok = false
		}
	}
	if ok && len(out.Natural) != len(out.Statistics) {
		b.diags.Errorf(f.NameSpan, "family %s has %d statistics but %d natural parameters", f.Name, len(out.Statistics), len(out.Natural))
		return false
	}
	if ok && len(out.Natural) != len(f.Parameters) {
		b.diags.Errorf(f.NameSpan, "family %s has %d natural parameters but %d standard ones: it must be minimal", f.Name, len(out.Natural), len(f.Parameters))
		return false
	}
	for i := range out.Natural {
		if ok && b.shaped(out.Natural[i], out.Statistics[i].Type, f.Natural[i], "the natural parameter of this statistic") == nil {
			return false
		}
	}
	return ok
}

// inverse binds definitions of all standard parameters in terms of other coordinates.
func (b *binder) inverse(
	f *spec.Family, bindings []spec.Binding, what string, coords []*expr.Node, std, constants map[string]*expr.Node, sym symbols,
) []Def {
	names := copyNames(constants)
	for i, c := range coords { // the family counts its own
		name := strings.TrimRight(c.Name[strings.LastIndexByte(c.Name, '.')+1:], "0123456789")
		names[fmt.Sprint(name, i+1)] = c
	}
	given := map[string]bool{}
	for _, x := range bindings {
		if std[x.Name] == nil {
			b.diags.Errorf(x.NameSpan, "%s defines %q, which is not a parameter", what, x.Name)
			return nil
		}
		given[x.Name] = true
	}
	for _, p := range f.Parameters {
		if !given[p.Name] {
			b.diags.Errorf(p.NameSpan, "%s does not define %q", what, p.Name).
				WithHint("it gives each standard parameter in terms of %s", strings.Join(coordNames(coords), ", "))
			return nil
		}
	}
	return b.defs(bindings, what, names, sym)
}

func coordNames(coords []*expr.Node) []string {
	var out []string
	for _, c := range coords {
		out = append(out, strings.TrimPrefix(c.Name, meanPrefix))
	}
	return out
}

// logPDF is the log-density of a family: log h(x) + eta . t(x) - A.
func (f *Family) logPDF(g *expr.Graph) *expr.Node {
	terms := []*expr.Node{f.LogBase, g.Neg(f.LogPartition)}
	for i, eta := range f.Natural {
		terms = append(terms, g.Contract(eta, f.Statistics[i]))
	}
	return g.Add(terms...)
}
