package bind

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/spec"
)

// Function is a function of one's own with its value as a node in symbols of its arguments.
type Function struct {
	Spec      *spec.Function
	Arguments []Param
	Range     expr.Range   // as declared
	Value     *expr.Node   // nil of a function in Go
	Slopes    []*expr.Node // the derivatives that are given; nil where none are
	faulty    bool
}

// functions are those that formulas of a place may call. Their values are written out where they are called, so that the graph shares what
// is computed twice, and derivatives are those of the values. Those in Go, and those whose derivatives are given, are operations.
type functions struct {
	b     *binder
	scope visible
}

// Names are those of the functions of the problem.
func (f functions) Names() []string {
	var out []string
	for _, g := range f.b.functions {
		out = append(out, g.Spec.Name)
	}
	return out
}

// Apply builds the value of a function for the operands of a call.
func (f functions) Apply(builder *expr.Builder, call *syntax.Call) (n *expr.Node, ok bool) {
	g := f.scope.Function(call.Fun)
	if g == nil {
		return nil, false
	}
	if len(call.Args) != len(g.Arguments) {
		return builder.Fail(call, "", "%s takes %s, not %d", g.Name, expr.Plural(len(g.Arguments), "operand"), len(call.Args)), true
	}
	operands := map[string]*expr.Node{}
	for i, a := range g.Arguments {
		x := builder.Build(call.Args[i])
		if x == nil {
			return nil, true
		}
		kind, _ := typeOf(a.Type)
		if x.Facts.Range.Intersect(kind.Range).Empty() {
			return builder.Fail(call.Args[i], "", "%s is defined on %v, but this lies in %v", g.Name, kind.Range, x.Facts.Range), true
		}
		operands[a.Name] = x
	}
	n, faults := f.b.functionCall(g, operands)
	if len(faults) > 0 && !f.b.isFaulty(g) {
		return builder.Fail(call, "", "in the value of %s: %s", g.Name, faults[0].Msg), true
	}
	return n, true
}

// functionCall builds what a call of a function with operands is.
func (b *binder) functionCall(f *spec.Function, operands map[string]*expr.Node) (*expr.Node, []expr.Fault) {
	if f.Derivatives == nil {
		return b.functionFormula(f, f.Value, operands)
	}
	args := make([]*expr.Node, len(f.Arguments))
	for i, a := range f.Arguments {
		args[i] = operands[a.Name]
	}
	if f.Value == nil && !b.inFunction && !slices.Contains(b.inGo, f) {
		b.inGo = append(b.inGo, f)
	}
	if !expr.Agree(args) {
		return nil, []expr.Fault{{Msg: "the operands are of different lengths"}}
	}
	return b.g.Call(b.operation(f), args...), nil
}

// functionFormula builds a formula about the arguments of a function for operands. It is about one entry, whatever their shapes.
func (b *binder) functionFormula(f *spec.Function, of *spec.Formula, operands map[string]*expr.Node) (*expr.Node, []expr.Fault) {
	if of == nil {
		return nil, nil
	}
	builder := expr.Builder{G: b.g, Scope: expr.Scope{
		Names: operands, What: "a formula of a function", Entrywise: true, Suggest: diag.Suggest, Own: functions{b, f},
	}, Finer: b.finer}
	n := builder.Build(of.Expr)
	b.approximated(of, &builder)
	return n, builder.Faults
}

// isFaulty reports that the faults of a function have been reported where it is defined.
func (b *binder) isFaulty(f *spec.Function) bool {
	return slices.ContainsFunc(b.functions, func(g Function) bool { return g.Spec == f && g.faulty })
}

// ownFunctions binds all functions of one's own that are visible in the problem, used or not, each with symbols for its arguments.
func (b *binder) ownFunctions(p *spec.Problem) {
	known := expr.FunctionNames()
	for _, f := range p.Functions() {
		if slices.Contains(known, f.Name) {
			b.diags.Errorf(f.NameSpan, "there is a function %s in the language", f.Name).WithHint("give it another name")
			continue
		}
		b.functions = append(b.functions, b.ownFunction(f))
	}
}

func (b *binder) ownFunction(f *spec.Function) Function {
	out := Function{Spec: f}
	kind, _ := typeOf(f.Range)
	out.Range = kind.Range
	operands := map[string]*expr.Node{}
	for _, a := range f.Arguments {
		kind, _ := typeOf(a.Type)
		sym := b.g.Sym("function."+f.Name+"."+a.Name, expr.Scalar, kind.Facts)
		out.Arguments = append(out.Arguments, Param{Name: a.Name, Kind: kind, Sym: sym, Span: a.NameSpan})
		operands[a.Name] = sym
	}
	b.inFunction = true
	defer func() { b.inFunction = false }()
	build := func(of *spec.Formula) *expr.Node {
		n, faults := b.functionFormula(f, of, operands)
		b.report(of, faults)
		if of != nil && (n == nil || len(faults) > 0) {
			out.faulty = true
			return nil
		}
		return n
	}
	out.Value = build(f.Value)
	for _, d := range f.Derivatives {
		out.Slopes = append(out.Slopes, build(d))
	}
	return out
}
