package bind

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/spec"
)

// targetPrefix keeps the symbols of the target apart from those of the surrogate: no formula can spell it.
const targetPrefix = "theta."

// target binds what is to be fitted, a distribution or a family.
func (b *binder) target(p *spec.Problem) *Density {
	if p.TargetFamily != nil {
		return b.familyDensity(p.TargetFamily, targetPrefix)
	}
	return b.distribution(p.TargetDist, targetPrefix)
}

// familyDensity is the density of an exponential family.
func (b *binder) familyDensity(f *spec.Family, prefix string) *Density {
	x := b.variable(f.Variable, prefix)
	fam := b.family(f, prefix, &x)
	if fam == nil {
		return nil
	}
	out := &Density{Name: f.Name, Doc: f.Doc, Variable: x, Params: fam.Params, LogPDF: fam.logPDF(b.g), Span: f.NameSpan,
		Constants: b.constantsOf(f, fam.Params)}
	if fam.OfColumns {
		out.Given = fam.Given
	}
	b.within(f, func() {
		if len(f.Support) > 0 {
			visible := b.let(f.Let, "let of family "+f.Name, nameMap(fam.Params, out.Record()))
			out.Support = b.support(f.Support, "family "+f.Name, out.Record(), symbolsOf(fam.Params), visible)
		}
		names, what := b.withConstants(f, out, nameMap(fam.Params)), "family "+f.Name
		b.moments(f.Moments, out, what, names, prefix)
		if out.Given != nil {
			b.drawsGiven(f.Sample, out, what, b.let(f.Let, "let of "+what, nameMap(fam.Params, fam.Given)), prefix)
		}
	})
	return out
}

// moments binds what a density says of its variable, in terms of the names of its parameters.
func (b *binder) moments(m spec.Moments, out *Density, what string, names map[string]*expr.Node, prefix string) {
	t := core(out.Variable.Sym.Type)
	out.Mean = b.moment(m.Mean, t, "mean of "+what, names)
	out.Variance = b.moment(m.Variance, covarianceOf(t), "variance of "+what, names)
	out.Entropy = b.moment(m.Entropy, expr.Scalar, "entropy of "+what, names)
	if m.Sample != nil && len(out.Given) == 0 {
		out.Sample = b.draws(m.Sample.Noise, m.Sample.Values, "sample of "+what, names, b.drawn(prefix, out.Observed()...))
	}
}

// drawsGiven binds how the variable is drawn, given the other columns of a row.
func (b *binder) drawsGiven(d *spec.Draws, out *Density, what string, names map[string]*expr.Node, prefix string) {
	if len(out.Given) == 0 || d == nil {
		return
	}
	visible, _ := b.givenInRow(out, names)
	out.Sample = b.draws(d.Noise, d.Values, "sample of "+what, visible, b.drawn(prefix, out.Observed()...))
}

// givenInRow makes symbols for what is given in the row for which the variables are drawn, and returns the names with them in the place
// of the columns, and what stands for each column.
func (b *binder) givenInRow(out *Density, names map[string]*expr.Node) (visible map[string]*expr.Node, inRow map[*expr.Node]*expr.Node) {
	visible, inRow = map[string]*expr.Node{}, map[*expr.Node]*expr.Node{}
	for _, g := range out.Given {
		s := b.g.Sym("given."+g.Name, core(g.Sym.Type), g.Kind.Facts)
		out.SampleGiven, inRow[g.Sym], visible[g.Name] = append(out.SampleGiven, s), s, s
	}
	for _, name := range slices.Sorted(maps.Keys(names)) { // local definitions are those of the row
		if visible[name] = names[name]; names[name] != nil {
			visible[name] = b.g.Substitute(names[name], inRow)
		}
	}
	return visible, inRow
}

// withConstants adds the constants of a family to the names of its parameters: values without data, as draws and moments need none.
func (b *binder) withConstants(f *spec.Family, out *Density, names map[string]*expr.Node) map[string]*expr.Node {
	all := maps.Clone(names)
	for _, c := range f.Constants {
		switch set, ok := b.constants[c.Name]; {
		case !ok:
			all[c.Name] = b.constant(c, "constants of family "+f.Name)
		case out.Constants[set] != nil:
			all[c.Name] = out.Constants[set]
		case set.IsSym():
			all[c.Name] = b.constant(c, "constants of family "+f.Name)
		default:
			all[c.Name] = set
		}
	}
	return all
}

// constantsOf are the constants of a family that the problem sets, by their symbols, in terms of the parameters of the
// density: what stands for them where there are no data.
func (b *binder) constantsOf(f *spec.Family, params []Param) map[*expr.Node]*expr.Node {
	own := map[string]*expr.Node{}
	for _, c := range f.AtStart {
		own[c.Name] = b.atStart(f, c, nameMap(params))
	}
	out := map[*expr.Node]*expr.Node{}
	for name, s := range b.constants {
		if n := own[name]; n != nil && s.IsSym() {
			out[s] = n
		}
	}
	return out
}

// variable binds the observation: a symbol over the rows.
func (b *binder) variable(p spec.Param, prefix string) Param {
	if prefix == targetPrefix {
		prefix = "data."
	}
	return b.param(p, prefix, expr.Rows)
}

// distribution binds a distribution, with the names that its own file sees.
func (b *binder) distribution(d *spec.Distribution, prefix string) (out *Density) {
	b.within(d, func() { out = b.distributionHere(d, prefix) })
	return out
}

func (b *binder) distributionHere(d *spec.Distribution, prefix string) *Density {
	out := &Density{Name: d.Name, Doc: d.Doc, Variable: b.variable(d.Variable, prefix), Span: d.NameSpan}
	for _, q := range d.Beside {
		out.Beside = append(out.Beside, b.variable(q, prefix))
	}
	for _, g := range d.Given {
		out.Given = append(out.Given, b.variable(g, prefix))
	}
	out.Params = b.parameters(d.Parameters, prefix)
	out.States = b.states(d, prefix)
	what := "distribution " + d.Name
	names, states := b.logPDF(d, out)
	if out.LogPDF == nil {
		return nil
	}
	inFront := names
	if out.Ordered() {
		names = maps.Clone(names)
		maps.DeleteFunc(names, func(_ string, n *expr.Node) bool { return n == nil || expr.Depends(n, symbolsOf(out.States)...) })
	}
	out.Support = b.support(d.Support, what, out.Record(), symbolsOf(out.Params), names)
	of := maps.Clone(names)
	for _, q := range out.Record() {
		delete(names, q.Name)
	}
	out.Penalty = b.penalty(d.Penalty, what, names)
	names = apartFrom(out, names)
	for i, e := range d.Expectations {
		which := fmt.Sprintf("expectation %d of %s", i+1, what)
		bound := Expectation{b.number(e.Of, which, of), b.moment(e.Is, expr.Scalar, which, names)}
		if bound.Of != nil && bound.Is != nil {
			out.Expectations = append(out.Expectations, bound)
		}
	}
	if out.Ordered() {
		b.drawsOfStates(d, out, states, inFront, prefix)
		return out
	}
	b.moments(d.Moments, out, what, names, prefix)
	b.drawsGiven(d.Sample, out, what, names, prefix)
	return out
}

// logPDF binds the log-density of a row, by finer rules too where it has integrals or series, and what its formulas see. That of a sequence is
// given the states in front of the row, whose formulas are returned.
func (b *binder) logPDF(d *spec.Distribution, out *Density) (names map[string]*expr.Node, states *stateFormulas) {
	what := "distribution " + d.Name
	row := nameMap(out.Params, out.Record(), out.States)
	out.LogPDF, out.Finer = withFiner(b, func() *expr.Node {
		visible := b.let(d.Let, "let of "+what, row)
		logPDF := b.number(d.LogPDF, "logpdf of "+what, visible)
		var c *stateFormulas
		if logPDF != nil && out.Ordered() {
			if c = b.stateFormulas(d, out, visible); c == nil {
				return nil
			}
			logPDF = b.scanned(d, out, logPDF, c)
		}
		if !b.finer {
			names, states = visible, c
		}
		return logPDF
	})
	return names, states
}

// apartFrom are the names whose values do not depend on what is observed.
func apartFrom(d *Density, names map[string]*expr.Node) map[string]*expr.Node {
	var observed []*expr.Node
	for _, q := range d.Observed() {
		observed = append(observed, q.Sym)
	}
	out := map[string]*expr.Node{}
	for name, n := range names {
		if n == nil || !expr.Depends(n, observed...) {
			out[name] = n
		}
	}
	return out
}

// support binds the conditions on one row, which see what a row has and the local definitions that depend on nothing else. The unknown are
// parameters, latent variables and states, which no row has.
func (b *binder) support(list []*spec.Formula, of string, row []Param, unknown []*expr.Node, visible map[string]*expr.Node) []Condition {
	outer := b.inLet
	b.inLet = true // values vary over the rows
	defer func() { b.inLet = outer }()
	var out []Condition
	for _, f := range list {
		c, ok := b.condition(f, "support of "+of, visible)
		switch {
		case !ok:
		case expr.Depends(c.Node, unknown...):
			b.diags.Errorf(f.Whole(), "the support of %s depends on a parameter, but data are checked before there are any", of).
				WithHint("a condition is about one row; values that are impossible for some parameters only have log-density -infinity")
		case !c.Node.Type.Axes.Has(expr.Rows) || expr.Find(overRows, c.Node): // nor does a sum of all of them
			b.diags.Errorf(f.Whole(), "%q says nothing about the rows of the data", c.Text).WithHint("it can name %s", names(row))
		default:
			out = append(out, c)
		}
	}
	return out
}

// overRows reports whether a node is a sum or the like over the rows.
func overRows(n *expr.Node) bool { return n.Axis == expr.Rows }

// penalty binds the penalty of a distribution, nil where the spec gives none: a number, whatever the rows are. A name of the
// distribution hides n, their number.
func (b *binder) penalty(f *spec.Formula, what string, names map[string]*expr.Node) *expr.Node {
	if f == nil {
		return nil
	}
	visible := map[string]*expr.Node{expr.Rows.String(): b.count()}
	maps.Copy(visible, names)
	n := b.number(f, "penalty of "+what, visible)
	if n != nil && n.Type.Axes.Has(expr.Rows) {
		b.diags.Errorf(f.Whole(), "the penalty varies over the rows of the data, but it is one number").
			WithHint("it is a formula of the parameters, and of n, the number of rows")
		return nil
	}
	return n
}

// moment binds the mean or the variance of a distribution, nil where the spec gives none.
func (b *binder) moment(f *spec.Formula, t expr.Type, what string, names map[string]*expr.Node) *expr.Node {
	if f == nil {
		return nil
	}
	return b.shaped(b.build(f, what, names, expr.Unknown), t, f, "the "+what)
}

// covarianceOf is the shape of the covariance of a variable.
func covarianceOf(t expr.Type) expr.Type {
	if t.Rank == 0 {
		return expr.Scalar
	}
	return expr.Matrix(t.Dims[0], t.Dims[0])
}

// drawn makes the symbols of what is computed from random numbers: variables have the shapes of what is observed, for
// other names their own formulas decide.
func (b *binder) drawn(prefix string, variables ...Param) symbols {
	if prefix = "draw." + prefix; prefix == "draw."+targetPrefix {
		prefix = "draw."
	}
	return func(name string, n *expr.Node) *expr.Node {
		for _, q := range variables {
			if q.Name == name {
				return b.g.Sym(prefix+name, core(q.Sym.Type), expr.Unknown)
			}
		}
		if n == nil {
			return nil
		}
		return b.g.Sym(prefix+name, core(n.Type), expr.Unknown)
	}
}

// let binds local definitions and returns the names with them added, written out.
func (b *binder) let(bindings []spec.Binding, what string, names map[string]*expr.Node) map[string]*expr.Node {
	out := copyNames(names)
	outer := b.inLet
	b.inLet = true
	defer func() { b.inLet = outer }()
	for _, d := range b.defs(bindings, what, names, nil) {
		out[d.Name] = d.Node
	}
	return out
}

// draws binds random numbers and what is made of them.
func (b *binder) draws(
	noise []spec.Draw, values []spec.Binding, what string, names map[string]*expr.Node, sym symbols,
) *Draws {
	out := &Draws{}
	names = copyNames(names)
	for _, d := range noise {
		draw := Draw{Kind: spec.Noise(d.Kind)}
		t := b.noiseType(d)
		if what == randomStart { // each component has its own
			t = t.Over(b.axes)
		}
		for _, a := range d.Args {
			n := b.build(a, what, names, expr.Unknown)
			switch {
			case n == nil || n.Type.Rank == 0: // one parameter for all entries
			case d.Shape.Kind == "" && t.Rank == 0:
				t = core(n.Type).Over(t.Axes)
			default:
				n = b.shaped(n, t, a, "a parameter of this random number")
			}
			draw.Args = append(draw.Args, n)
		}
		if draw.Kind.Shares && t.Axes != 0 {
			b.sharing(d)
		}
		s := b.g.Sym("noise."+what+"."+d.Name, t, noiseFacts(draw.Kind, draw.Args))
		draw.Sym = s
		names[d.Name] = s
		out.Noise = append(out.Noise, draw)
	}
	out.Values = b.defs(values, what, names, sym)
	return out
}

// sharing says that entries cannot share where arrays have an axis beside those of the entries.
func (b *binder) sharing(d spec.Draw) {
	b.diags.Errorf(d.Span, "the entries of %s have what others have left, which they cannot for rows or components at once", d.Kind).
		WithHint("it is for the sample of a distribution")
}

// noiseType is the shape of an array of independent random numbers, where it is given.
func (b *binder) noiseType(d spec.Draw) expr.Type {
	if d.Shape.Kind == "" {
		return expr.Scalar
	}
	if k := d.Shape.Kind; k != "vector" && k != "matrix" || d.Shape.Elem != "" {
		b.diags.Errorf(d.Span, "random numbers come as a vector or a matrix, not as %s", d.Shape.String())
		return expr.Scalar
	}
	for _, dim := range d.Shape.Dims {
		if _, known := b.dims[dim.Name]; !known && dim.Name != "" {
			b.diags.Errorf(d.Span, "unknown dimension %q", dim.Name).
				WithHint("dimensions here: %s", strings.Join(slices.Sorted(maps.Keys(b.dims)), ", "))
			return expr.Scalar
		}
	}
	_, t := typeOf(b.pin(d.Shape))
	return t
}

// noiseFacts is what is known of a primitive random number.
func noiseFacts(k *spec.NoiseKind, args []*expr.Node) expr.Facts {
	r := expr.Range{Lo: k.Lo, Hi: k.Hi, LoOpen: k.LoOpen, HiOpen: true}
	if k.Between && len(args) == 2 {
		r = between(args[0], args[1])
	}
	return expr.Facts{Range: r, Integer: k.Integer}
}

// between is the interval between two numbers where they are constants.
func between(a, b *expr.Node) expr.Range {
	if a == nil || b == nil {
		return expr.Real
	}
	lo, ok1 := a.IsConst()
	hi, ok2 := b.IsConst()
	if !ok1 || !ok2 || !(lo < hi) {
		return expr.Real
	}
	return expr.Range{Lo: lo, Hi: hi}
}

// density handles calls such as normal.logpdf(x; mu, sigma2): the density of another distribution, of its variables and, behind
// these, what is given.
func (b *binder) density(builder *expr.Builder, c *syntax.Call) *expr.Node {
	name, method, _ := strings.Cut(c.Fun, ".")
	if method != "logpdf" {
		return builder.Fail(c, "write "+name+".logpdf(x; ...)", "unknown function %q", c.Fun)
	}
	d := b.callee(name)
	switch {
	case d == nil:
		return builder.Fail(c, "", "the density of %q cannot be used", name)
	case d.Ordered():
		return builder.Fail(c, "a distribution with a state is the target of a problem", "%s has a state that is carried along the rows, and no density of one row", name)
	case len(c.Args) != len(d.Record()) || len(c.Params) != len(d.Params):
		values := "one value"
		if len(d.Record()) > 1 {
			values = fmt.Sprintf("%d values (%s)", len(d.Record()), names(d.Record()))
		}
		return builder.Fail(c, "it has "+names(d.Params), "%s takes %s and, after a semicolon, %d parameters", c.Fun, values, len(d.Params))
	}
	a := arguments{binder: b, builder: builder, by: map[*expr.Node]*expr.Node{}, dims: map[string]expr.Dim{}, ok: true}
	for i, e := range c.Args {
		a.bind(d.Record()[i], e)
	}
	for i, e := range c.Params {
		a.bind(d.Params[i], e)
	}
	if !a.ok {
		return nil
	}
	return b.g.Substitute(d.LogPDF, a.by)
}

// arguments are what the names of a density stand for in a call: values, and the lengths of its dimensions.
type arguments struct {
	*binder
	builder *expr.Builder
	by      map[*expr.Node]*expr.Node
	dims    map[string]expr.Dim
	ok      bool
}

// bind gives a parameter the value of a formula, which must have its shape.
func (a *arguments) bind(p Param, e syntax.Expr) {
	n := a.builder.Build(e)
	if n == nil {
		a.ok = false
		return
	}
	if !n.Is(0) && !a.fits(p.Sym.Type, n.Type) { // 0 is of every shape
		a.builder.Fail(e, "", "%s must be a %v, this is a %v", p.Name, a.shape(p.Sym.Type), core(n.Type))
		a.ok = false
		return
	}
	if what, hint := amorphous(p.Kind, n); what != "" {
		a.builder.Fail(e, hint, msgForm, p.Name, p.Kind.Name, what)
		a.ok = false
		return
	}
	a.by[p.Sym] = n
}

// fits reports whether a value has the declared shape, and takes note of the lengths that this gives the dimensions.
func (a *arguments) fits(want, have expr.Type) bool {
	if want.Rank != have.Rank {
		return false
	}
	for i := range want.Rank {
		if d, known := a.length(want.Dims[i]); known && d != have.Dims[i] {
			return false
		}
		a.stands(want.Dims[i], have.Dims[i])
	}
	return true
}

// length is the length of a dimension of the density where the call is, if it is known already.
func (a *arguments) length(d expr.Dim) (expr.Dim, bool) {
	if d.Name == "" {
		return d, true
	}
	l, known := a.dims[d.Name]
	return l, known
}

// stands notes that a dimension of the density is one of the place of the call.
func (a *arguments) stands(d, here expr.Dim) {
	if d.Name == "" {
		return
	}
	a.dims[d.Name] = here
	a.by[a.g.DimNode(d)] = a.g.DimNode(here)
	a.by[a.g.Identity(d)] = a.g.Identity(here)
	a.by[a.g.Ones(expr.Vector(d))] = a.g.Ones(expr.Vector(here))
}

// shape is a declared shape in the dimensions of the place of the call, as far as they are known.
func (a *arguments) shape(t expr.Type) expr.Type {
	t = core(t)
	for i := range t.Rank {
		if d, known := a.length(t.Dims[i]); known {
			t.Dims[i] = d
		}
	}
	return t
}

// callee binds a distribution or a family for a call of its density; nil when there is none, or it is faulty.
func (b *binder) callee(name string) *Density {
	dist, fam := b.names.Lookup(name)
	prefix := "call." + name + "."
	dims, pinned, axes := b.dims, b.pinned, b.axes // of the formula with the call, not of the density
	b.dims, b.pinned, b.axes = map[string]*expr.Node{}, nil, 0
	defer func() { b.dims, b.pinned, b.axes = dims, pinned, axes }()
	within := b.factor
	b.factor = factor{}
	defer func() { b.factor = within }()
	reductions, inLet, inStart, rowwise := b.reductions, b.inLet, b.inStart, b.rowwise
	b.reductions, b.inLet, b.inStart, b.rowwise = false, false, false, nil
	defer func() { b.reductions, b.inLet, b.inStart, b.rowwise = reductions, inLet, inStart, rowwise }()
	switch {
	case fam != nil:
		constants, cancelling := b.constants, b.cancelling // of the problem, not of a density that is called
		b.constants, b.cancelling = nil, nil
		defer func() { b.constants, b.cancelling = constants, cancelling }()
		return b.familyDensity(fam, prefix)
	case dist != nil:
		return b.distribution(dist, prefix)
	}
	return nil
}

func names(ps []Param) string {
	var list []string
	for _, p := range ps {
		list = append(list, p.Name)
	}
	return strings.Join(list, ", ")
}
