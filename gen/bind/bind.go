// Package bind gives the formulas of a spec their meaning: names become symbols with types and facts, formulas become
// nodes of one expression graph. Every fault is reported at its place in the file.
package bind

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// Def is a named value: a symbol and the node that it stands for. Later definitions may use the symbols of earlier ones.
type Def struct {
	Name string
	Sym  *expr.Node
	Node *expr.Node
	Span diag.Span
}

// Constant is a constant of a family that a problem sets from its data.
type Constant struct {
	Def
	Default *expr.Node // its value where there are no data
}

// Param is a declared name with its type.
type Param struct {
	Name string
	Kind expr.Kind
	Sym  *expr.Node
	Span diag.Span
}

// Family is an exponential family: everything as nodes in its standard parameters, and both inverse maps as
// definitions in fresh symbols of the natural and of the mean parameters.
type Family struct {
	Name         string
	Doc          string
	Variable     Param
	Factors      []*Family   // of several families together; nil of others
	Given        []Param     // other variables, given which the family is one
	OfColumns    bool        // what is given are columns of the data: log-partition and natural parameters are those of one row
	Params       []Param     // standard parameters
	Where        []Condition // on the standard parameters
	Statistics   []*expr.Node
	Natural      []*expr.Node
	LogPartition *expr.Node
	LogBase      *expr.Node

	Eta, M      []*expr.Node // symbols eta1, ... and m1, ...
	FromNatural []Def        // of the standard parameters, in order of evaluation
	FromMean    []Def        // nil when the spec gives none
	NewtonStart []Def        // of the standard parameters in terms of M; nil when the spec gives none
	Sample      *Draws       // of all variables, where others are given

	// Of a mixture model only these are set besides the parameters: its coordinates follow from those of one component.
	Component *Family
	Mixture   *Mixture
	// Shared are the parameters of a component that all components have in common, with what stands for them in Params: one value.
	Shared map[*expr.Node]*expr.Node
}

// Density is the log-density of a distribution or of a family, as a node in its variable and its parameters.
type Density struct {
	Name     string
	Doc      string
	Variable Param
	Beside   []Param // what is observed together with the variable
	Given    []Param // the other columns of the data
	Params   []Param
	LogPDF   *expr.Node
	// Finer is LogPDF by rules with more nodes for its integrals and series; nil where it has none.
	Finer *expr.Node
	// States are carried along the rows, in their order; none where the order of rows says nothing.
	States  []Param
	Support []Condition // on one row: outside of them there is no density
	Joint   *expr.Node  // of a mixture: the log-density of component and value
	// Component is what a mixture mixes; nil for what is none.
	Component *Density
	// Mean has the shape of the variable; Variance is the covariance matrix where that is a vector. Nil when not given.
	Mean, Variance *expr.Node
	Entropy        *expr.Node // nil when not given
	Expectations   []Expectation
	Sample         *Draws
	SampleGiven    []*expr.Node // symbols of what is given, in draws of one row
	// Penalty is what may be subtracted from the log-likelihood of all rows; nil when not given.
	Penalty *expr.Node
	// Constants are what stands for the constants of the problem in the density alone, in terms of its parameters.
	Constants map[*expr.Node]*expr.Node
	Span      diag.Span
}

// Observed are the variables that the density is about, one after the other.
func (d *Density) Observed() []Param { return append([]Param{d.Variable}, d.Beside...) }

// Record is a row of the data: what is observed and what is given, one after the other.
func (d *Density) Record() []Param { return append(d.Observed(), d.Given...) }

// Ordered reports whether the rows are a sequence, or several: what one of them has depends on those in front of it.
func (d *Density) Ordered() bool { return len(d.States) > 0 }

// Expectation says what the expectation of a function of the variable is, in terms of the parameters.
type Expectation struct{ Of, Is *expr.Node }

// Draw is one primitive random number: its distribution and parameters.
type Draw struct {
	Sym  *expr.Node
	Kind *spec.NoiseKind
	Args []*expr.Node // the parameters: numbers, or arrays of the shape of Sym with one number an entry
}

// Draws are random numbers and values computed from them.
type Draws struct {
	Noise  []Draw
	Values []Def
	// Start are the states of a sequence in front of its first row, and Next those behind a row, in terms of those in front of it and of
	// what is drawn; none of rows by themselves.
	Start, Next []*expr.Node
	// Series is the symbol of the column that tells series apart, among what is given; nil where there is one series.
	Series *expr.Node
}

// Auxiliary is a coordinate outside the surrogate, with its metric (nil: the identity): an auxiliary parameter that is real, or
// unconstrained numbers that it is a value in terms of.
type Auxiliary struct {
	Param
	Metric *expr.Node
	// Information stands in Metric for the Fisher information of the approximation about the parameter; nil where it is not named.
	Information *expr.Node
	Places      types.Places // of what is stepped in an array; other entries stay 0
	Of          int          // which auxiliary parameter of the spec
}

// Condition restricts the domain: Node must lie in Range.
type Condition struct {
	Node  *expr.Node
	Range expr.Range
	Block string // the parameter, or "map"
	Text  string
	Span  diag.Span
}

// Start is one starting point: values of the standard and of the auxiliary parameters.
type Start struct {
	Draws
	Groups string // in a mixture: how the rows are grouped
}

// Problem is a bound problem.
type Problem struct {
	Spec        *spec.Problem
	Graph       *expr.Graph
	Target      *Density
	Surrogate   *Family
	Mixture     *Mixture     // nil for what is none
	Variational *Variational // nil for other objectives
	Constants   []Constant   // of the families, in terms of the data
	Auxiliary   []Auxiliary
	Declared    []Param // the auxiliary parameters as the spec has them, whose symbols are coordinates or values in terms of these
	Map         []Def   // parameters of the target, in the order of the target
	Where       []Condition
	Starts      []Start
	RandomStart *Start
	Limits      []*Limit // of the target, as far as the map can reach them
	Contained   []*Contained
	Whole       Start            // of a mixture: the first start as if there were one component
	Functions   []Function       // of one's own
	InGo        []*spec.Function // those in Go that formulas call
	// Approximations are the integrals and series of all formulas.
	Approximations []Approximation
	Reported       []Quantity // further quantities of an estimate, in terms of the parameters of the target; those of posteriors are in Variational
}

// Known reports whether the map sets parameter i of the target to a value that does not depend on what is stepped: a number,
// or a vector such as ones(d). It is not estimated.
func (p *Problem) Known(i int) bool {
	stepped := make([]*expr.Node, 0, len(p.Surrogate.Params)+len(p.Auxiliary))
	for _, q := range p.Surrogate.Params {
		stepped = append(stepped, q.Sym)
	}
	for _, a := range p.Auxiliary {
		stepped = append(stepped, a.Sym)
	}
	return !expr.Depends(p.Map[i].Node, stepped...)
}

// Step of the natural gradient.
const (
	Mean    = "mean"
	Natural = "natural"
)

// binder carries the graph and the findings.
type binder struct {
	g      *expr.Graph
	places *Places
	diags  *diag.List
	// names says what names of distributions and functions mean in the formulas that are being bound: those of a library
	// definition see the library, whatever the user's file calls by the same name.
	names      distributions
	reductions bool                  // whether formulas see all rows
	constants  map[string]*expr.Node // of families, set by the problem
	cancelling *spec.Family          // whose statistics cancel with those of a target of the same family; nil where there is none
	record     []Param               // a row of the data, which a surrogate may be given columns of
	factor     factor                // of the surrogate that is being bound
	dims       map[string]*expr.Node // dimensions of declared types, as numbers
	dimNames   map[string]bool       // of the problem
	pinned     map[string]expr.Dim   // dimensions of the problem that have a length, or are another by a name of their own

	functions      []Function                  // of one's own, which are visible in the problem
	operations     map[*spec.Function]*expr.Op // of functions of one's own whose derivatives are given
	inGo           []*spec.Function            // those in Go that formulas call
	inFunction     bool                        // whether formulas are those of a function, which may be called nowhere
	approximations []Approximation
	sums           int                 // how many integrals and series have been built
	finer          bool                // whether they are built by rules with more nodes
	axes           expr.Axes           // of the parameters: that of the components in a mixture
	shared         map[string]bool     // parameters that all components have in common
	rowwise        map[*expr.Node]bool // data that stand for matrices with a row each
	inStart        bool                // whether formulas are those of a start
	inLet          bool                // whether a formula is a local definition, which may vary over the rows
	measure        *expr.Node          // what rows count in the start of a component; nil: all alike
	usualGroups    string              // how a start groups the rows unless it says otherwise
}

// visible is what has formulas: a problem, a family, a distribution, an approximation, a function.
type visible interface {
	Function(name string) *spec.Function
}

// distributions are names that formulas with densities know.
type distributions interface {
	visible
	Lookup(name string) (*spec.Distribution, *spec.Family)
}

// within binds with the names of another definition.
func (b *binder) within(n distributions, bind func()) {
	outer := b.names
	b.names = n
	bind()
	b.names = outer
}

// build turns one formula into a node; nil after a fault.
func (b *binder) build(f *spec.Formula, what string, names map[string]*expr.Node, unknown expr.Facts) *expr.Node {
	if f == nil || f.Expr == nil {
		return nil
	}
	if len(b.dims) > 0 { // a name of the formula hides a dimension
		visible := maps.Clone(b.dims)
		maps.Copy(visible, names)
		names = visible
	}
	builder := expr.Builder{G: b.g, Scope: expr.Scope{
		Names: names, What: what, Unknown: unknown, Reductions: b.reductions, Measure: b.measure, Rowwise: b.rowwise, Suggest: diag.Suggest, Call: b.density,
		Own: functions{b, b.names},
	}, Finer: b.finer}
	b.places.begin(f.Whole())
	n := builder.Build(f.Expr)
	b.places.end(n)
	b.report(f, builder.Faults)
	b.approximated(f, &builder)
	if n == nil || len(builder.Faults) > 0 { // nil without a fault: what it uses is faulty itself
		return nil
	}
	if b.reductions && !b.inLet && n.Type.Axes.Has(expr.Rows) {
		b.diags.Errorf(f.Whole(), "this is a number for each row of the data, but %s needs one number", what).
			WithHint("take a summary, such as a mean, of what varies over the rows")
		return nil
	}
	return n
}

// report passes on the faults of a formula.
func (b *binder) report(f *spec.Formula, faults []expr.Fault) {
	for _, fault := range faults {
		d := b.diags.Errorf(f.Range(fault.Start, fault.End), "%s", fault.Msg)
		if fault.Hint != "" {
			d.WithHint("%s", fault.Hint)
		}
	}
}

// defs binds mutually dependent definitions: each may use the others, in any order but not in a circle. It returns
// them in order of evaluation. facts gives what is known of each name.
func (b *binder) defs(bindings []spec.Binding, what string, names map[string]*expr.Node, sym symbols) []Def {
	d := definer{binder: b, what: what, names: copyNames(names), sym: sym, byName: map[string]spec.Binding{}, state: map[string]int{}, nodes: map[string]*expr.Node{}}
	for _, x := range bindings {
		d.byName[x.Name] = x
	}
	for _, x := range bindings {
		d.define(x)
	}
	return d.out
}

// symbols gives the symbol of a defined name. It is first asked with a nil node, and may return nil to be asked again
// when the node, which then decides the shape, is known.
type symbols func(name string, n *expr.Node) *expr.Node

type definer struct {
	*binder
	what   string
	names  map[string]*expr.Node
	sym    symbols // nil where definitions are written out in each other
	byName map[string]spec.Binding
	state  map[string]int        // 0 new, 1 being defined, 2 done
	nodes  map[string]*expr.Node // of what is done
	out    []Def
}

// inline reports whether definitions are written out in each other, having no symbols.
func (d *definer) inline() bool { return d.sym == nil }

// known is what a defined name means in another definition.
func (d *definer) known(name string) *expr.Node {
	if d.inline() {
		return d.nodes[name]
	}
	return d.sym(name, d.nodes[name])
}

func (d *definer) define(x spec.Binding) {
	if d.state[x.Name] != 0 {
		return
	}
	d.state[x.Name] = 1
	names := copyNames(d.names)
	syntax.Walk(exprOf(x.Formula), func(e syntax.Expr) bool {
		n, ok := e.(*syntax.Name)
		if !ok || n.Name == x.Name {
			return true
		}
		if other, defined := d.byName[n.Name]; defined && d.names[n.Name] == nil {
			if d.state[n.Name] == 1 {
				d.diags.Errorf(x.Formula.Span(n), "%q is defined through itself in %s", x.Name, d.what)
				names[n.Name] = nil
				return true
			}
			d.define(other)
			names[n.Name] = d.known(n.Name)
		}
		return true
	})
	var s *expr.Node
	facts := expr.Unknown
	if !d.inline() {
		s = d.sym(x.Name, nil)
	}
	if s != nil {
		facts = s.Facts
	}
	node := d.build(x.Formula, d.what, names, facts)
	switch {
	case s != nil:
		node = d.shaped(node, s.Type, x.Formula, x.Name)
	case !d.inline():
		s = d.sym(x.Name, node)
	}
	d.state[x.Name], d.nodes[x.Name] = 2, node
	d.out = append(d.out, Def{Name: x.Name, Sym: s, Node: node, Span: x.NameSpan})
}

func exprOf(f *spec.Formula) syntax.Expr {
	if f == nil || f.Expr == nil {
		return &syntax.Number{}
	}
	return f.Expr
}

func copyNames(m map[string]*expr.Node) map[string]*expr.Node {
	out := make(map[string]*expr.Node, len(m)+4)
	for k, v := range m {
		out[k] = v
	}
	return out
}

// param binds a declaration.
func (b *binder) param(p spec.Param, prefix string, axes expr.Axes) Param {
	kind, t := b.declared(p)
	if prefix == "" && (b.dimNames[p.Name] || coordinateName().MatchString(p.Name)) {
		prefix = "own." // than that of a dimension, or of a coordinate
	}
	return Param{Name: p.Name, Kind: kind, Sym: b.g.Sym(prefix+p.Name, t.Over(axes), kind.Facts), Span: p.NameSpan}
}

// coordinateName matches the names of the coordinates of families.
var coordinateName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^eta[0-9]+$`) })

// dimensionNames are the names of all dimensions in the types of a problem.
func dimensionNames(p *spec.Problem) map[string]bool {
	out := map[string]bool{}
	types := func(lists ...[]spec.Param) {
		for _, q := range slices.Concat(lists...) {
			for _, d := range q.Type.Lengthy() {
				out[d.Name] = true
			}
		}
	}
	types(p.Record(), []spec.Param{p.Surrogate.Variable}, p.Surrogate.Parameters)
	if p.TargetFamily != nil {
		types(p.TargetFamily.Parameters)
	} else {
		types(p.TargetDist.Parameters)
	}
	if p.VI != nil {
		types(p.VI.Latent, p.VI.Data)
	}
	return out
}

// declared is what a declaration means, with its dimensions made known to formulas.
func (b *binder) declared(p spec.Param) (expr.Kind, expr.Type) {
	pinned := b.pin(p.Type)
	kind, t := typeOf(pinned)
	if kind.Type.Entry.Numbers {
		b.indexOf(&kind, dim(pinned.Of), pinned.Plus)
		if t.Rank > 0 {
			b.diags.Errorf(p.TypeSpan, "%s: type %s is not supported yet", p.Name, p.Type.String()).
				WithHint("an index is one number for each row: index(%[1]s), or index(%[1]s) vector(n) in the data of an objective", p.Type.Of)
		}
	}
	if elem := p.Type.Elem; elem != "" && types.EntryNamed(elem) == nil {
		b.diags.Errorf(p.TypeSpan, "%s: type %s is not supported yet", p.Name, p.Type.String()).
			WithHint("%s numbers are random ones, for noise", elem)
	}
	for i := range t.Rank {
		if d := t.Dims[i]; d.Name != "" {
			b.dims[d.Name] = b.g.DimNode(d)
		}
	}
	return kind, t
}

// indexOf makes a type that of numbers of the entries of a length.
func (b *binder) indexOf(kind *expr.Kind, of expr.Dim, plus int) {
	kind.Facts.Index, kind.Facts.Beyond = of, plus
	most := of.String()
	if plus > 0 {
		most += fmt.Sprint(" + ", plus)
	}
	kind.Name += "(" + most + ")"
	kind.Doc = "a whole number from 1 to " + most
	if of.Name == "" {
		kind.Range.Hi, kind.Range.HiOpen = float64(of.Size+plus), false
	} else {
		b.dims[of.Name] = b.g.DimNode(of)
	}
}

// pin puts what dimensions are pinned to in their place, lengths or other dimensions, and makes it known to formulas.
func (b *binder) pin(t syntax.TypeExpr) syntax.TypeExpr {
	t.Dims = slices.Clone(t.Dims)
	for _, d := range append([]*syntax.Dim{&t.Of}, pointers(t.Dims)...) {
		if to, ok := b.pinned[d.Name]; ok {
			b.dims[d.Name] = b.g.DimNode(to)
			d.Name, d.Size = to.Name, to.Size
		}
	}
	return t
}

func pointers(dims []syntax.Dim) []*syntax.Dim {
	out := make([]*syntax.Dim, len(dims))
	for i := range dims {
		out[i] = &dims[i]
	}
	return out
}

// typeOf is what a declared type means: what is known of the entries, and the shape.
func typeOf(t syntax.TypeExpr) (expr.Kind, expr.Type) {
	var dims []expr.Dim
	for _, d := range t.Dims {
		dims = append(dims, dim(d))
	}
	kind := expr.KindOf(t.Type(), t.Lengths()...)
	switch form := kind.Type.Form; {
	case form.Square():
		return kind, expr.Matrix(dims[0], dims[0])
	case form.Rank == 2:
		return kind, expr.Matrix(dims[0], dims[1])
	case form.Rank == 1:
		return kind, expr.Vector(dims[0])
	}
	return kind, expr.Scalar
}

func dim(d syntax.Dim) expr.Dim { return expr.Dim{Name: d.Name, Size: d.Size} }

// parameters binds the declarations of parameters.
func (b *binder) parameters(ps []spec.Param, prefix string) []Param {
	var out []Param
	for _, p := range ps {
		q := b.param(p, prefix, b.axes)
		if q.Kind.Integer || q.Kind.Type.Entry.Of != nil {
			b.diags.Errorf(p.TypeSpan, "%s: a parameter cannot be %s", p.Name, article(q.Kind.Name)).
				WithHint("parameters are real, positive or unit; %s is for observations", article(q.Kind.Name))
		}
		out = append(out, q)
	}
	return out
}

// article puts the indefinite article in front of a type.
func article(name string) string {
	if strings.IndexByte("aeio", name[0]) >= 0 {
		return "an " + name
	}
	return "a " + name
}

// nameMap maps the names of parameters to their symbols.
func nameMap(params ...[]Param) map[string]*expr.Node {
	m := map[string]*expr.Node{}
	for _, ps := range params {
		for _, p := range ps {
			m[p.Name] = p.Sym
		}
	}
	return m
}

func anyNil(defs []Def) bool {
	for _, d := range defs {
		if d.Node == nil {
			return true
		}
	}
	return false
}
