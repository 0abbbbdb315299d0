package bind

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/chart"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/spec"
)

// Bind binds a problem. The result is nil when the list has errors.
func Bind(p *spec.Problem) (*Problem, diag.List) { return In(expr.NewGraph(), p, &Places{}) }

// In is Bind in a graph of the caller, who may have bounded it, and remembers in places where formulas are.
func In(g *expr.Graph, p *spec.Problem, places *Places) (*Problem, diag.List) {
	var diags diag.List
	b := &binder{g: g, places: places, diags: &diags, names: formNames(p), cancelling: cancelling(p), dims: map[string]*expr.Node{}}
	out := &Problem{Spec: p, Graph: b.g}
	b.pinned = map[string]expr.Dim{}
	for _, d := range p.Dimensions {
		b.pinned[d.Name] = expr.Dim{Size: d.Size}
	}
	b.ownFunctions(p)
	out.Functions = b.functions
	b.unifyLatent(p)
	b.dimNames = dimensionNames(p)
	b.setConstants(p, out)
	out.Mixture = b.mixture(p)
	b.shared = map[string]bool{}
	for _, s := range p.Shared {
		b.shared[s.Name] = true
	}
	out.Target = b.target(p)
	if out.Target != nil {
		b.record = out.Target.Record()
	}
	out.Surrogate = b.surrogateFamily(p.Surrogate, p.SurrogateRefSpan)
	if out.Mixture != nil && out.Target != nil && out.Target.Ordered() {
		b.diags.Errorf(p.SurrogateRefSpan, "%s has a state that is carried along the rows: there are no mixtures of sequences", out.Target.Name).
			WithHint("a hidden Markov model has its components in its state")
		return nil, diags
	}
	if out.Mixture != nil {
		out.Target = b.mixtureDensity(out.Mixture, out.Target)
		out.Surrogate = b.mixtureModel(out.Mixture, out.Surrogate)
	}
	if out.Target == nil || out.Surrogate == nil || diags.HasErrors() {
		return nil, diags
	}
	b.goNames(out.Target.Params)
	b.checkShared(p, out)
	b.refine(p, out)
	b.auxiliary(p, out)
	b.gmap(p, out)
	b.tie(out)
	b.metrics(p, out)
	b.where(p, out)
	b.within(p, func() { out.Variational = b.variational(p, out) })
	out.Reported = b.quantities(p, out)
	b.knownDimensions(p)
	b.starts(p, out)
	b.constantsAtStart(p, out)
	b.contained(p, out)
	out.Limits = b.limits(p, out)
	out.InGo, out.Approximations = b.inGo, b.approximations
	if diags.HasErrors() {
		return nil, diags
	}
	return out, diags
}

// cancelling is the surrogate where statistics of the data cancel with those of a target of the same family. The log-density of the target
// of a posterior is evaluated at its own draws, which no statistics of the surrogate meet.
func cancelling(p *spec.Problem) *spec.Family {
	if p.VI != nil {
		return nil
	}
	return p.Surrogate
}

// formNames is what names mean in the map, the starts and the like: where the problem has these from an approximation, what they
// mean there.
func formNames(p *spec.Problem) distributions {
	if p.Approximation != nil {
		return p.Approximation
	}
	return p
}

// knownDimensions reports dimensions that a problem gives a length and that nothing has: neither its distributions nor the
// data and latent variables of a variational objective.
func (b *binder) knownDimensions(p *spec.Problem) {
	for _, d := range p.Dimensions {
		if b.dims[d.Name] == nil {
			b.diags.Errorf(d.NameSpan, "there is no dimension %q", d.Name).
				WithHint("dimensions here: %s", strings.Join(slices.Sorted(maps.Keys(b.dims)), ", "))
		}
	}
}

// BindFamily binds a family alone, as surrogate and as target of itself.
func BindFamily(f *spec.Family) (*expr.Graph, *Family, diag.List) {
	var diags diag.List
	b := &binder{g: expr.NewGraph(), places: &Places{}, diags: &diags, dims: map[string]*expr.Node{}}
	fam := b.family(f, "", nil)
	return b.g, fam, diags
}

// setConstants binds what the problem sets the constants of its families to: symbols for numbers that depend on the
// data alone, and others as they are. They hold for the surrogate and for a target that is a family.
func (b *binder) setConstants(p *spec.Problem, out *Problem) {
	defaults, types := map[string]*expr.Node{}, map[string]expr.Type{}
	for _, f := range []*spec.Family{p.Surrogate, p.TargetFamily} {
		if f != nil {
			maps.Copy(defaults, b.familyConstants(f))
			maps.Copy(types, b.constantTypes(f))
		}
	}
	names := map[string]*expr.Node{}
	for _, q := range p.Record() {
		x := b.variable(q, targetPrefix)
		names[x.Name] = x.Sym
	}
	names[expr.Rows.String()] = b.g.Size(expr.Rows)
	b.constants, b.reductions = map[string]*expr.Node{}, true
	for _, c := range p.Constants {
		if defaults[c.Name] == nil {
			b.diags.Errorf(c.NameSpan, "surrogate %s has no constant %q", p.Surrogate.Name, c.Name)
			continue
		}
		node := b.shaped(b.build(c.Formula, "constant "+c.Name, names, expr.Unknown), types[c.Name], c.Formula, c.Name)
		if node != nil && !expr.Depends(node, slices.Collect(maps.Values(names))...) {
			b.constants[c.Name] = node
			continue
		}
		s := b.g.Sym("constant."+c.Name, types[c.Name], expr.Unknown)
		b.constants[c.Name] = s
		out.Constants = append(out.Constants, Constant{Def{Sym: s, Node: node, Span: c.NameSpan}, defaults[c.Name]})
	}
	b.reductions = false
	for _, c := range atStart(p) {
		switch {
		case defaults[c.Name] == nil:
			b.diags.Errorf(c.NameSpan, "family %s has no constant %q", p.Surrogate.Name, c.Name)
		case b.constants[c.Name] == nil:
			s := b.g.Sym("constant."+c.Name, types[c.Name], expr.Unknown)
			b.constants[c.Name] = s
			out.Constants = append(out.Constants, Constant{Def{Sym: s, Span: c.NameSpan}, defaults[c.Name]})
		}
	}
}

// atStart are the constants of the surrogate that follow from the first start, where that is a formula of the data.
func atStart(p *spec.Problem) []spec.Binding {
	if len(p.Starts) == 0 || len(p.Starts[0].Noise) > 0 || p.VI != nil { // there are no data to take moments of
		return nil
	}
	return p.Surrogate.AtStart
}

// constantsAtStart binds the constants that setConstants has left open.
func (b *binder) constantsAtStart(p *spec.Problem, out *Problem) {
	if b.diags.HasErrors() || len(out.Starts) == 0 {
		return
	}
	by := map[*expr.Node]*expr.Node{}
	first := out.Starts[0].Values
	if out.Mixture != nil {
		first = out.Whole.Values
	}
	for _, v := range first { // in order of evaluation
		by[v.Sym] = b.g.Substitute(v.Node, by)
	}
	names := nameMap(out.Surrogate.Params)
	for _, c := range atStart(p) {
		for i := range out.Constants {
			k := &out.Constants[i]
			if k.Node != nil || k.Sym != b.constants[c.Name] {
				continue
			}
			b.within(p.Surrogate, func() {
				if n := b.atStart(p.Surrogate, c, names); n != nil {
					k.Node = b.g.Substitute(n, by)
				}
			})
		}
	}
}

// refine narrows the ranges of standard parameters by conditions such as beta < 1, before any formula uses them.
func (b *binder) refine(p *spec.Problem, out *Problem) {
	for _, f := range p.Surrogate.AllFactors() {
		b.narrow(f.Family.Where, f.Called, out)
	}
	b.narrow(p.Where, func(name string) string { return name }, out)
}

// narrow narrows the ranges of the parameters that conditions compare with numbers.
func (b *binder) narrow(where []*spec.Formula, called func(string) string, out *Problem) {
	for _, f := range where {
		c, ok := exprOf(f).(*syntax.Compare)
		if !ok {
			continue
		}
		name, nameLeft := c.X.(*syntax.Name)
		number, numberRight := constant(c.Y)
		if !nameLeft || !numberRight {
			continue
		}
		r, ok := compareRange(c.Op, number)
		s := nameMap(out.Surrogate.Params)[called(name.Name)]
		if !ok || s == nil {
			continue
		}
		before := s.Facts.Range
		if s.Facts.Range = before.Intersect(r); s.Facts.Range.Empty() {
			b.diags.Errorf(f.Whole(), "no value of %s satisfies this: it lies in %v", name.Name, before)
		}
	}
}

// goNames reports parameters that would have the same name in Go, where the fields of a struct start in upper case.
func (b *binder) goNames(ps []Param) {
	seen := map[string]string{}
	for _, p := range ps {
		name := strings.ToUpper(p.Name[:1]) + p.Name[1:]
		if other, ok := seen[name]; ok {
			b.diags.Errorf(p.Span, "parameters %q and %q would both be %s in Go", other, p.Name, name)
		}
		seen[name] = p.Name
	}
}

// constant returns the value of a number, possibly with a sign.
func constant(e syntax.Expr) (float64, bool) {
	switch e := e.(type) {
	case *syntax.Number:
		return e.Value, true
	case *syntax.Unary:
		v, ok := constant(e.X)
		return -v, ok && e.Op == '-'
	}
	return 0, false
}

// compareRange is the set of numbers x with x op v.
func compareRange(op string, v float64) (expr.Range, bool) {
	r := expr.Real
	switch op {
	case "<":
		r.Hi = v
	case "<=":
		r.Hi, r.HiOpen = v, false
	case ">":
		r.Lo = v
	case ">=":
		r.Lo, r.LoOpen = v, false
	default:
		return r, false
	}
	return r, true
}

func (b *binder) auxiliary(p *spec.Problem, out *Problem) {
	std := nameMap(out.Surrogate.Params)
	taken := map[string]bool{}
	for _, a := range p.Auxiliary {
		taken[a.Name] = true
	}
	for i, a := range p.Auxiliary {
		if std[a.Name] != nil {
			b.diags.Errorf(a.NameSpan, "auxiliary parameter %q has the name of a parameter of the surrogate", a.Name)
			continue
		}
		q := b.param(spec.Param{Name: a.Name, NameSpan: a.NameSpan, Type: a.Type, TypeSpan: a.TypeSpan}, "", b.axesOf(a.Name))
		switch of := q.Kind.Type; {
		case !chart.Has(of):
			b.diags.Errorf(a.TypeSpan, "%s: a parameter cannot be a %s", a.Name, q.Kind.Name)
			continue
		case chart.Trivial(of):
			out.Auxiliary = append(out.Auxiliary, Auxiliary{Param: q, Of: i})
		default:
			coords, value, _ := b.charted(q, "", func(name string) bool { return taken[name] || std[name] != nil })
			for k, c := range coords {
				out.Auxiliary = append(out.Auxiliary, Auxiliary{Param: c, Places: of.Coordinates()[k].Places, Of: i})
			}
			q.Sym = value
		}
		out.Declared = append(out.Declared, q)
	}
}

// axesOf are the axes of an auxiliary parameter.
func (b *binder) axesOf(name string) expr.Axes {
	if b.shared[name] {
		return 0
	}
	return b.axes
}

// charted makes the coordinates of a declared value, under names that are not taken, and returns the value in terms of them, with the
// logarithm of its Jacobian determinant.
func (b *binder) charted(q Param, prefix string, taken func(name string) bool) (coords []Param, value, jacobian *expr.Node) {
	var syms []*expr.Node
	of := q.Kind.Type
	for _, c := range of.Coordinates() {
		name := "free_" + q.Name
		if c.Rank < of.Form.Rank {
			name = "diagonal_" + q.Name
		}
		for taken(name) {
			name += "_"
		}
		shape, facts := chart.Shape(c, q.Sym.Type)
		kind := realKind(shape)
		kind.Facts = facts
		sym := b.g.Sym(prefix+name, shape, facts)
		syms, coords = append(syms, sym), append(coords, Param{Name: name, Kind: kind, Sym: sym, Span: q.Span})
	}
	c := chart.Of(b.g, of, q.Sym.Type, syms)
	b.g.Assume(c.Value, q.Kind.Range)
	return coords, c.Value, c.LogJacobian
}

// metrics binds the metrics of the auxiliary parameters. They see the parameters of the target, too, through the map, where no
// parameter of the domain has the same name, and all rows of the data, where neither has.
func (b *binder) metrics(p *spec.Problem, out *Problem) {
	names := nameMap(out.Target.Record())
	if p.VI != nil { // whose draws are no data
		names = map[string]*expr.Node{}
	}
	b.reductions = true
	defer func() { b.reductions = false }()
	for i, t := range out.Map {
		if t.Node != nil {
			names[out.Target.Params[i].Name] = t.Node
		}
	}
	maps.Copy(names, out.domainNames())
	for i := range out.Auxiliary {
		a := p.Auxiliary[out.Auxiliary[i].Of]
		if a.Metric == nil {
			continue
		}
		own, information := b.withInformation(out, i, names)
		out.Auxiliary[i].Metric = b.ofAllRows(out, a, b.inCoordinates(out, i, b.metric(a, out.Auxiliary[i].Sym.Type, own)))
		if m := out.Auxiliary[i].Metric; m != nil && information != nil && expr.Depends(m, information) {
			out.Auxiliary[i].Information = information
		}
	}
	for i := range out.Auxiliary {
		if out.Auxiliary[i].Sym.Type.Axes.Has(expr.Components) {
			out.Auxiliary[i].Metric = b.perComponent(out.Mixture, out.Auxiliary[i].Metric)
		}
	}
}

// informationName is what metrics call the Fisher information of an approximation about the auxiliary parameter.
const informationName = "information"

// withInformation are the names that a metric may use with that of the Fisher information, and its symbol: nil where there are no draws
// to take it from, where components or declared types stand between parameter and coordinate, or where the name is taken.
func (b *binder) withInformation(out *Problem, i int, names map[string]*expr.Node) (own map[string]*expr.Node, information *expr.Node) {
	a := out.Auxiliary[i]
	trivial := chart.Trivial(out.Spec.Auxiliary[a.Of].Type.Type())
	if t := a.Sym.Type; out.Spec.VI == nil || !trivial || t.Axes != 0 || t.Rank > 1 || names[informationName] != nil {
		return names, nil
	}
	shape, facts := expr.Scalar, expr.In(expr.Range{Lo: 0, Hi: math.Inf(1), HiOpen: true})
	if a.Sym.Type.Rank == 1 {
		shape, facts = expr.Matrix(a.Sym.Type.Dims[0], a.Sym.Type.Dims[0]), expr.Facts{Range: expr.Real, Structure: expr.Symmetric}
	}
	own = maps.Clone(names)
	information = b.g.Sym(informationName+"."+a.Name, shape, facts)
	own[informationName] = information
	return own, information
}

// inCoordinates is a metric of an auxiliary parameter in that of its coordinates, of which every entry has one of its own: J'M J with
// the derivatives J of the entries.
func (b *binder) inCoordinates(out *Problem, i int, metric *expr.Node) *expr.Node {
	a := out.Auxiliary[i]
	s := out.Spec.Auxiliary[a.Of]
	of := s.Type.Type()
	switch {
	case metric == nil || chart.Trivial(of):
		return metric
	case of.Form.Chart != nil:
		b.diags.Errorf(s.Metric.Whole(), "%s is %s, and has no metric here", s.Name, s.Type.String()).
			WithHint("a metric is for numbers and vectors whose entries vary by themselves: leave it out")
		return nil
	}
	slope := chart.Slope(b.g, of, a.Sym)
	switch {
	case metric.Type.Rank == 2:
		d := b.g.DiagonalMatrix(b.g.Spread(slope, a.Sym.Type))
		return b.g.MatMul(d, metric, d)
	case a.Sym.Type.Rank == 1:
		return b.g.Mul(metric, b.g.DiagonalMatrix(b.g.Spread(b.g.Prod([]float64{2}, []*expr.Node{slope}), a.Sym.Type)))
	}
	return b.g.Mul(metric, b.g.Prod([]float64{2}, []*expr.Node{slope}))
}

// ofAllRows makes constants of what a metric takes from the data: it is that of all rows, also where the objective is that of a
// batch, which may have too few for a matrix.
func (b *binder) ofAllRows(out *Problem, a spec.Auxiliary, metric *expr.Node) *expr.Node {
	var data, stepped []*expr.Node
	for _, q := range out.Target.Record() {
		data = append(data, q.Sym)
	}
	for _, s := range out.domainNames() {
		stepped = append(stepped, s)
	}
	by := map[*expr.Node]*expr.Node{}
	var visit func(n *expr.Node)
	visit = func(n *expr.Node) {
		switch {
		case by[n] != nil || !expr.Depends(n, data...):
		case n.Type.Axes == 0 && !expr.Depends(n, stepped...):
			name := fmt.Sprintf("metric%d", len(out.Constants)+1)
			by[n] = b.g.Sym("constant."+name, n.Type, n.Facts)
			out.Constants = append(out.Constants, Constant{Def{Name: name, Sym: by[n], Node: n, Span: a.NameSpan}, b.g.Const(1)})
		default:
			for _, arg := range n.Args {
				visit(arg)
			}
		}
	}
	if metric == nil || out.Spec.VI != nil {
		return metric
	}
	visit(metric)
	return b.g.Substitute(metric, by)
}

// metric binds the metric of an auxiliary parameter: a number, or for a vector a matrix.
func (b *binder) metric(a spec.Auxiliary, t expr.Type, names map[string]*expr.Node) *expr.Node {
	what := "metric of " + a.Name
	n := b.build(a.Metric, what, names, expr.Unknown)
	if n != nil && n.Type.Axes.Has(expr.Rows) {
		b.diags.Errorf(a.Metric.Whole(), "the %s varies over the rows of the data", what).WithHint("take its mean, as in mean(outer(x, x))")
		return nil
	}
	if n != nil && n.Type.Rank == 2 && t.Rank == 1 {
		return b.shaped(n, expr.Matrix(t.Dims[0], t.Dims[0]), a.Metric, what)
	}
	return b.shaped(n, expr.Scalar, a.Metric, what)
}

// domainNames are the names a map may use: standard parameters of the surrogate and auxiliary parameters.
func (p *Problem) domainNames() map[string]*expr.Node {
	names := nameMap(p.Surrogate.Params)
	for _, a := range p.Declared {
		names[a.Name] = a.Sym
	}
	return names
}

// gmap binds the map g. Parameters of the target that it leaves out map from the parameter of the same name.
func (b *binder) gmap(p *spec.Problem, out *Problem) {
	names := out.domainNames()
	if out.Mixture != nil { // a map is that of a component, whatever its weight
		delete(names, weightsName)
	}
	given := map[string]spec.Binding{}
	targets := nameMap(out.Target.Params)
	var list []string
	for _, t := range out.Target.Params {
		list = append(list, t.Name)
	}
	for _, x := range p.Map {
		if b.noWeights(x, "the weights of the mixture model are those of the mixture") {
			continue
		}
		if targets[x.Name] == nil {
			d := b.diags.Errorf(x.NameSpan, "target %s has no parameter %q", out.Target.Name, x.Name)
			d.WithHint("%s", didYouMean(x.Name, list))
			continue
		}
		given[x.Name] = x
	}
	for _, t := range out.Target.Params {
		x, ok := given[t.Name]
		if out.Mixture != nil && t.Name == weightsName {
			out.Map = append(out.Map, Def{Sym: t.Sym, Node: out.Mixture.Weights, Span: p.MapSpan})
			continue
		}
		if !ok {
			b.diags.Errorf(p.MapSpan, "the map does not say what %q of target %s is", t.Name, out.Target.Name)
			continue
		}
		n := b.shaped(b.build(x.Formula, "map", names, t.Sym.Facts), t.Sym.Type, x.Formula, t.Name)
		out.Map = append(out.Map, Def{Sym: t.Sym, Node: n, Span: x.Formula.Whole()})
		if what, hint := amorphous(t.Kind, n); what != "" {
			b.diags.Errorf(x.Formula.Whole(), msgForm, t.Name, t.Kind.Name, what).WithHint("%s", hint)
		}
		if n != nil && n.Facts.Range.Intersect(t.Sym.Facts.Range).Empty() {
			b.diags.Errorf(x.Formula.Whole(), "%s is %s, but this lies in %v", t.Name, t.Kind.Name, n.Facts.Range)
		}
	}
}

func didYouMean(name string, list []string) string {
	hint := ""
	if s := diag.Suggest(name, list); s != "" {
		hint = "did you mean \"" + s + "\"? "
	}
	for i, n := range list {
		if i > 0 {
			hint += ", "
		} else {
			hint += "it has "
		}
		hint += n
	}
	return hint
}

// where collects the conditions of the domain: those of the family, then those of the problem.
func (b *binder) where(p *spec.Problem, out *Problem) {
	out.Where = append(slices.Clone(out.Surrogate.Where), b.conditions(p.Where, out.domainNames())...)
}

func (b *binder) conditions(where []*spec.Formula, names map[string]*expr.Node) []Condition {
	var out []Condition
	for _, f := range where {
		if c, ok := b.condition(f, "where", names); ok {
			out = append(out, c)
		}
	}
	return out
}

// condition binds one condition of the domain, or of the support of a distribution.
func (b *binder) condition(f *spec.Formula, what string, names map[string]*expr.Node) (Condition, bool) {
	c, ok := exprOf(f).(*syntax.Compare)
	if !ok {
		b.diags.Errorf(f.Whole(), "a condition compares two values").WithHint("for example beta < 1")
		return Condition{}, false
	}
	r, ok := compareRange(c.Op, 0)
	if !ok {
		b.diags.Errorf(f.Whole(), "a condition is an inequality: <, <=, > or >=")
		return Condition{}, false
	}
	x, y := b.number(sub(f, c.X), what, names), b.number(sub(f, c.Y), what, names)
	if x == nil || y == nil {
		return Condition{}, false
	}
	out := Condition{Node: b.g.Sub(x, y), Range: r, Block: "where", Text: syntax.Format(c), Span: f.Whole()}
	if v, ok := y.IsConst(); ok { // compare the value itself
		out.Node = x
		out.Range, _ = compareRange(c.Op, v)
	}
	return out, true
}

// sub is the part of a formula below one node.
func sub(f *spec.Formula, e syntax.Expr) *spec.Formula {
	g := *f
	g.Expr = e
	return &g
}

func (b *binder) starts(p *spec.Problem, out *Problem) {
	b.reductions, b.inStart = true, true
	defer func() { b.reductions, b.inStart = false, false }()
	values := func(s spec.Start, what string) Start {
		data := nameMap(out.Target.Record())
		data[expr.Rows.String()] = b.count()
		return Start{Draws: *b.startValues(out, s, what, data)}
	}
	bind := func(s spec.Start, what string) Start {
		return b.grouped(out.Mixture, s, func() Start { return values(s, what) })
	}
	b.usualGroups = spec.GroupsSlices
	if len(out.Target.Beside) > 0 || out.Target.Variable.Sym.Type.Rank > 0 {
		b.usualGroups = spec.GroupsClusters
	}
	for _, s := range p.Starts {
		out.Starts = append(out.Starts, bind(s, "start"))
	}
	if p.RandomStart != nil {
		s := bind(*p.RandomStart, randomStart)
		out.RandomStart = &s
	}
	if out.Mixture != nil && len(atStart(p)) > 0 && !b.diags.HasErrors() { // their constants are one for all components
		out.Whole = values(p.Starts[0], "start")
	}
}

// startValues binds what a start sets: the parameters of the surrogate and the auxiliary ones, in terms of what the formulas see.
func (b *binder) startValues(out *Problem, s spec.Start, what string, names map[string]*expr.Node) *Draws {
	domain := nameMap(out.Surrogate.Params)
	delete(domain, weightsName)
	constrained := map[string]int{} // auxiliary parameters that are values in terms of coordinates, which a start sets through them
	for i, q := range out.Declared {
		if chart.Trivial(q.Kind.Type) {
			domain[q.Name] = q.Sym
		} else {
			constrained[q.Name] = i
		}
	}
	locals := map[string]*expr.Node{} // names that stand for what several formulas have in common
	d := b.draws(s.Noise, s.Values, what, names, func(name string, n *expr.Node) *expr.Node {
		if domain[name] != nil {
			return domain[name]
		}
		if locals[name] == nil && n != nil {
			locals[name] = b.g.Sym(fmt.Sprintf("%s%d.%s", what, len(out.Starts), name), n.Type, n.Facts)
		}
		return locals[name]
	})
	given := map[*expr.Node]bool{}
	for _, v := range s.Values {
		if b.noWeights(v, "the weight of a component is the share of its group; without groups all are equal") {
			continue
		}
		if i, ok := constrained[v.Name]; ok {
			b.coordinatesAt(out, d, i, locals[v.Name], v)
			continue
		}
		if domain[v.Name] == nil && !used(locals[v.Name], d.Values) {
			b.diags.Errorf(v.NameSpan, "%s sets %q, which is neither a parameter of the surrogate nor an auxiliary one, and which no other formula of it uses",
				what, v.Name)
		}
		given[domain[v.Name]] = true
	}
	for _, param := range out.Surrogate.Params {
		if param.Name != weightsName && !given[param.Sym] {
			b.diags.Errorf(s.Span, "%s does not set %q", what, param.Name)
		}
	}
	for _, q := range out.Declared {
		if _, ok := constrained[q.Name]; !given[q.Sym] && (!ok || locals[q.Name] == nil) {
			b.diags.Errorf(s.Span, "%s does not set %q", what, q.Name)
		}
	}
	return d
}

// coordinatesAt adds the coordinates of an auxiliary parameter where a start sets it to a value.
func (b *binder) coordinatesAt(out *Problem, d *Draws, i int, value *expr.Node, v spec.Binding) {
	q := out.Declared[i]
	if value == nil || b.shaped(value, q.Sym.Type, v.Formula, v.Name) == nil {
		return
	}
	b.g.Assume(value, q.Kind.Range)
	value.Facts.Structure |= q.Kind.Structure
	k := 0
	inverse := chart.Inverse(b.g, q.Kind.Type, value)
	for _, a := range out.Auxiliary {
		if out.Spec.Auxiliary[a.Of].Name == q.Name {
			d.Values = append(d.Values, Def{Name: a.Name, Sym: a.Sym, Node: inverse[k], Span: v.NameSpan})
			k++
		}
	}
}

// used reports whether a definition depends on a symbol that is not its own; true where the symbol could not be made.
func used(sym *expr.Node, defs []Def) bool {
	return sym == nil || slices.ContainsFunc(defs, func(d Def) bool { return d.Sym != sym && expr.Depends(d.Node, sym) })
}

// randomStart is what a random start is called in a problem.
const randomStart = "random_start"

// Scalar reports whether every parameter and the observation are numbers, not vectors or matrices, there is one of each, the order of rows says nothing, and formulas
// compute with numbers alone.
func (p *Problem) Scalar() bool {
	for _, list := range [][]Param{p.Target.Params, {p.Target.Variable}, p.Surrogate.Params} {
		for _, q := range list {
			if q.Sym.Type.Rank > 0 {
				return false
			}
		}
	}
	if p.Mixture != nil || p.Target.Ordered() || p.Variational != nil || len(p.Target.Record()) > 1 || len(p.Target.Support) > 0 {
		return false
	}
	if slices.ContainsFunc(p.Auxiliary, func(a Auxiliary) bool { return a.Sym.Type.Rank > 0 }) {
		return false
	}
	numbers := true
	expr.Walk(func(n *expr.Node) { numbers = numbers && n.Type.Rank == 0 }, p.formulas()...)
	return numbers
}

// formulas lists what packages compute of parameters and rows.
func (p *Problem) formulas() []*expr.Node {
	out := []*expr.Node{p.Target.LogPDF}
	lists := [][]Def{p.Map, p.Surrogate.FromNatural, p.Surrogate.FromMean}
	for _, draws := range []*Draws{p.Target.Sample, p.Surrogate.Sample} {
		if draws != nil {
			lists = append(lists, draws.Values)
		}
	}
	for _, s := range p.Starts {
		lists = append(lists, s.Values)
	}
	for _, list := range lists {
		for _, d := range list {
			if d.Node != nil {
				out = append(out, d.Node)
			}
		}
	}
	return out
}
