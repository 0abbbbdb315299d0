package expr

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/sngdgen/sngdgen/expr/syntax"
)

// Fault is an error in a formula: a range of bytes of its text, what is wrong, and how to mend it.
type Fault struct {
	Start, End int
	Msg, Hint  string
}

// Scope says what the names and the calls of a formula mean.
type Scope struct {
	// Names are the values that a formula may use.
	Names map[string]*Node
	// What describes the place of the formula in messages, for example "map".
	What string
	// Unknown is what is known of the unknown of a root: the facts of the parameter it defines; any number by default.
	Unknown Facts
	// Reductions tells whether the formula sees all rows of the data, so that it may sum over them.
	Reductions bool
	// Rowwise are values of one row that stand for matrices with a row each: X @ z is then a number for each row.
	Rowwise map[*Node]bool
	// Measure, when not nil, is what each row counts in these sums besides its weight: the rows of a group.
	Measure *Node
	// Entrywise tells that the formula is about one entry, whatever the shapes of what its names stand for: in the
	// derivative of a function of the table, or in a rule.
	Entrywise bool
	// Call, when not nil, handles calls of dotted functions such as normal.logpdf. It returns nil after a Fault.
	Call func(b *Builder, c *syntax.Call) *Node
	// Own, when not nil, are functions that are none of the language.
	Own OwnFunctions
	// Suggest, when not nil, returns the candidate nearest to a misspelt name, or "".
	Suggest func(name string, candidates []string) string
}

// OwnFunctions are called by formulas besides those of the language.
type OwnFunctions interface {
	// Names lists them.
	Names() []string
	// Apply builds the value of a call, nil after a Fault; ok is false where there is no function of that name.
	Apply(b *Builder, c *syntax.Call) (n *Node, ok bool)
}

// Builder turns syntax trees into nodes.
type Builder struct {
	G      *Graph
	Scope  Scope
	Faults []Fault
	// Approximations are the integrals and series of the formula, for who estimates their errors.
	Approximations []Approximation
	// Finer builds integrals and series by the rules with more nodes.
	Finer bool
}

// Fail records a fault at a node of the syntax tree and returns nil.
func (b *Builder) Fail(e syntax.Expr, hint, format string, args ...any) *Node {
	start, end := e.Span()
	return b.fail(start, end, hint, format, args...)
}

func (b *Builder) fail(start, end int, hint, format string, args ...any) *Node {
	b.Faults = append(b.Faults, Fault{start, end, fmt.Sprintf(format, args...), hint})
	return nil
}

// Build returns the node of a formula, or nil when it has faults, which are then recorded.
func (b *Builder) Build(e syntax.Expr) *Node {
	n := b.build(e)
	if n != nil && (!finite(n.Const) || slices.ContainsFunc(n.Coefs, func(c float64) bool { return !finite(c) })) {
		return b.Fail(e, "", "this overflows: a coefficient is not a finite number")
	}
	return n
}

func (b *Builder) build(e syntax.Expr) *Node {
	switch e := e.(type) {
	case *syntax.Number:
		return b.G.Const(e.Value)
	case *syntax.Name:
		return b.name(e)
	case *syntax.Unary:
		return b.unary(e)
	case *syntax.Binary:
		return b.binary(e)
	case *syntax.Call:
		return b.call(e)
	case *syntax.Index:
		return b.index(e)
	case *syntax.List:
		return b.list(e)
	case *syntax.In:
		return b.Fail(e, "write sum(j in 1:m, f)", "a name in a range is the first operand of sum, array, integral or series")
	case *syntax.Interval, *syntax.Onward:
		return b.Fail(e, "", "an interval stands behind in, in the first operand of integral")
	case *syntax.Slice:
		return b.Fail(e, "", "a range of entries stands between the brackets of an index")
	case *syntax.Compare:
		return b.compare(e)
	}
	return b.Fail(e, "", "unexpected %T", e)
}

// constants of the language.
var constants = map[string]float64{"pi": math.Pi}

func (b *Builder) name(e *syntax.Name) *Node {
	if n, ok := b.Scope.Names[e.Name]; ok {
		if n == nil { // its own formula is faulty: reported there
			return nil
		}
		return n
	}
	if v, ok := constants[e.Name]; ok {
		return b.G.Const(v)
	}
	known := make([]string, 0, len(b.Scope.Names))
	for name := range b.Scope.Names {
		known = append(known, name)
	}
	sort.Strings(known)
	return b.Fail(e, b.hint(e.Name, known), "unknown name %q in %s", e.Name, b.Scope.What)
}

// hint proposes the nearest name, or lists those there are.
func (b *Builder) hint(name string, known []string) string {
	if b.Scope.Suggest != nil {
		if s := b.Scope.Suggest(name, known); s != "" {
			return fmt.Sprintf("did you mean %q?", s)
		}
	}
	return "known here: " + strings.Join(known, ", ")
}

func (b *Builder) unary(e *syntax.Unary) *Node {
	x := b.Build(e.X)
	if x == nil {
		return nil
	}
	if e.Op == '-' {
		return b.G.Neg(x)
	}
	if x.Type.Rank == 1 {
		return b.Fail(e, "write dot(x, y) for the inner product and outer(x, y) for the outer one", "a vector has no transpose here")
	}
	return b.G.Transpose(x)
}

func (b *Builder) binary(e *syntax.Binary) *Node {
	x, y := b.Build(e.X), b.Build(e.Y)
	if x == nil || y == nil {
		return nil
	}
	if why, hint := arithmetic(e.Op, x.Type, y.Type); why != "" && !b.Scope.Entrywise && !x.Is(0) && !y.Is(0) {
		return b.Fail(e, hint, "%s", why)
	}
	if e.Op == '@' {
		return b.product(e, x, y)
	}
	if _, err := broadcast([]*Node{x, y}); err != nil {
		return b.Fail(e, "", "%v", err)
	}
	switch e.Op {
	case '+':
		return b.G.Add(x, y)
	case '-':
		return b.G.Sub(x, y)
	case '*':
		return b.G.Mul(x, y)
	case '/':
		if y.Is(0) {
			return b.Fail(e.Y, "", "division by zero")
		}
		return b.G.Div(x, y)
	case '^':
		return b.power(e, x, y)
	}
	return b.Fail(e, "", "unknown operator %c", e.Op)
}

// compare builds a comparison: 1 where it holds, and 0 elsewhere.
func (b *Builder) compare(e *syntax.Compare) *Node {
	x, y := b.Build(e.X), b.Build(e.Y)
	if x == nil || y == nil {
		return nil
	}
	if _, err := broadcast([]*Node{x, y}); err != nil {
		return b.Fail(e, "", "%v", err)
	}
	if x.Type.Rank == 2 || y.Type.Rank == 2 {
		return b.Fail(e, "compare their entries", "matrices cannot be compared")
	}
	switch e.Op {
	case "<":
		return b.G.Call(lessOp, x, y)
	case ">":
		return b.G.Call(lessOp, y, x)
	case "<=":
		return b.G.not(b.G.Call(lessOp, y, x))
	case ">=":
		return b.G.not(b.G.Call(lessOp, x, y))
	}
	return b.G.Call(equalOp, x, y)
}

// where builds where(c, x), which is 0 where the condition does not hold, and where(c, x, y).
func (b *Builder) where(e *syntax.Call) *Node {
	if len(e.Args) != 2 && len(e.Args) != 3 {
		return b.Fail(e, "where(y > 0, log(y), 0)", "where takes a condition, its value where that holds and its value elsewhere, not %s", Plural(len(e.Args), "operand"))
	}
	args := make([]*Node, len(e.Args))
	for i, a := range e.Args {
		args[i] = b.Build(a)
	}
	if slices.Contains(args, nil) {
		return nil
	}
	if _, err := broadcast(args); err != nil {
		return b.Fail(e, "", "where: %v", err)
	}
	for i, a := range args {
		if a.Type.Rank == 2 {
			return b.Fail(e.Args[i], "", "where takes numbers and vectors, not matrices")
		}
	}
	if len(args) == 2 {
		return b.G.Where(args[0], args[1])
	}
	return b.G.WhereElse(args[0], args[1], args[2])
}

func (b *Builder) power(e *syntax.Binary, x, y *Node) *Node {
	if c, ok := y.IsConst(); ok {
		if v, ok := x.IsConst(); ok && !finite(math.Pow(v, c)) {
			return b.Fail(e, "", "this power is not a finite number")
		}
	}
	return b.G.Pow(x, y)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// surface are functions of the language that are spelt with others in the graph.
var surface = map[string]func(b *Builder, e *syntax.Call, x *Node) *Node{
	"sqrt": func(b *Builder, e *syntax.Call, x *Node) *Node {
		if v, ok := x.IsConst(); ok && v < 0 {
			return b.Fail(e, "", "square root of a negative number")
		}
		return b.G.Prod([]float64{0.5}, []*Node{x})
	},
	"sum":  func(b *Builder, e *syntax.Call, x *Node) *Node { return b.overRows(e, x, b.rowSum) },
	"mean": func(b *Builder, e *syntax.Call, x *Node) *Node { return b.overRows(e, x, b.rowMean) },
	"var":  func(b *Builder, e *syntax.Call, x *Node) *Node { return b.overRows(e, x, b.rowVar) },
	"sd": func(b *Builder, e *syntax.Call, x *Node) *Node {
		v := b.overRows(e, x, b.rowVar)
		if v == nil {
			return nil
		}
		return b.G.Prod([]float64{0.5}, []*Node{v})
	},
	"logsumexp": func(b *Builder, e *syntax.Call, x *Node) *Node { return b.overComponents(e, x, b.G.LogSumExp) },
	"softmax":   func(b *Builder, e *syntax.Call, x *Node) *Node { return b.overComponents(e, x, b.G.Softmax) },
}

func (b *Builder) overComponents(e *syntax.Call, x *Node, combine func(Axes, *Node) *Node) *Node {
	if !varies(x, Components) || x.Type.Rank > 0 {
		return b.Fail(e, "", "%s needs a number for each component of a mixture", e.Fun)
	}
	return combine(Components, x)
}

func (b *Builder) overRows(e *syntax.Call, x *Node, reduce func(*Node) *Node) *Node {
	switch {
	case !b.Scope.Reductions:
		return b.Fail(e, "a formula here is about one row", "%s cannot be used in %s", e.Fun, b.Scope.What)
	case !x.Type.Axes.Has(Rows):
		return b.Fail(e, "", "%s needs a value that varies over the rows of the data", e.Fun)
	}
	return reduce(x)
}

// extremes are summaries of the rows with the names of functions of two numbers.
var extremes = map[string]func(b *Builder, x *Node) *Node{
	"max": func(b *Builder, x *Node) *Node { return b.G.Max(Rows, x) },
	"min": func(b *Builder, x *Node) *Node { return b.G.Neg(b.G.Max(Rows, b.G.Neg(x))) },
}

// extreme builds max(x) or min(x): the largest or smallest value over the rows.
func (b *Builder) extreme(e *syntax.Call, of func(*Builder, *Node) *Node) *Node {
	x := b.Build(e.Args[0])
	if x == nil {
		return nil
	}
	if b.Scope.Reductions && b.Scope.Measure != nil {
		return b.Fail(e, "in random_start, with groups: none, formulas see all rows", "%s of the rows cannot be taken of a group", e.Fun)
	}
	if x.Type.Rank > 0 {
		return b.Fail(e, "", "%s of the rows needs a number for each row, this is a %v", e.Fun, x.Type)
	}
	return b.overRows(e, x, func(x *Node) *Node { return of(b, x) })
}

func (b *Builder) rowSum(x *Node) *Node {
	if b.Scope.Measure != nil {
		x = b.G.Mul(b.Scope.Measure, x)
	}
	return b.G.Sum(Rows, x)
}

func (b *Builder) rowMean(x *Node) *Node { return b.G.Div(b.rowSum(x), b.rowSum(b.G.Const(1))) }

func (b *Builder) rowVar(x *Node) *Node {
	return b.rowMean(b.G.Prod([]float64{2}, []*Node{b.G.Sub(x, b.rowMean(x))}))
}

// FunctionNames lists every function of the language.
func FunctionNames() []string {
	names := []string{"root", "eye", "ones", "range", "array", "integral", "series"}
	for name := range multivariate {
		names = append(names, name)
	}
	for _, f := range LinalgFunctions {
		names = append(names, f.Name)
	}
	for name := range surface {
		names = append(names, name)
	}
	for _, op := range Functions {
		names = append(names, op.Name)
	}
	sort.Strings(names)
	return names
}

func (b *Builder) call(e *syntax.Call) *Node {
	switch {
	case strings.Contains(e.Fun, "."):
		if b.Scope.Call != nil {
			return b.Scope.Call(b, e)
		}
		return b.Fail(e, "", "%s cannot be used in %s", e.Fun, b.Scope.What)
	case e.Params != nil:
		return b.Fail(e, "", "%s takes no parameters after a semicolon", e.Fun)
	case e.Fun == "root":
		return b.root(e)
	case e.Fun == "sum" && len(e.Args) > 0 && isIn(e.Args[0]):
		return b.sumOver(e)
	case e.Fun == "array":
		return b.arrayOver(e)
	case e.Fun == "integral":
		return b.integral(e)
	case e.Fun == "series":
		return b.series(e)
	case e.Fun == whereOp.Name:
		return b.where(e)
	case multivariate[e.Fun] != nil:
		return b.multivariate(e)
	}
	if n, ok := b.linalgCall(e); ok {
		return n
	}
	if of, ok := extremes[e.Fun]; ok && len(e.Args) == 1 {
		return b.extreme(e, of)
	}
	op, elementwise := FunctionNamed(e.Fun)
	expand := surface[e.Fun]
	if !elementwise && expand == nil {
		return b.ownCall(e)
	}
	arity := 1
	if elementwise {
		arity = op.Arity
	}
	if len(e.Args) != arity {
		return b.Fail(e, "", "%s takes %s, not %d", e.Fun, Plural(arity, "operand"), len(e.Args))
	}
	args := make([]*Node, arity)
	for i, a := range e.Args {
		args[i] = b.Build(a)
	}
	if slices.Contains(args, nil) {
		return nil
	}
	if expand != nil {
		return expand(b, e, args[0])
	}
	return b.apply(e, op, args)
}

// ownCall is a call of a function that is none of the language.
func (b *Builder) ownCall(e *syntax.Call) *Node {
	known := FunctionNames()
	if b.Scope.Own != nil {
		if n, ok := b.Scope.Own.Apply(b, e); ok {
			return n
		}
		known = append(b.Scope.Own.Names(), known...)
	}
	return b.fail(e.FunStart, e.FunStart+len(e.Fun), b.hint(e.Fun, known), "unknown function %q", e.Fun)
}

// Plural writes a number of things.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (b *Builder) apply(e *syntax.Call, op *Op, args []*Node) *Node {
	if _, err := broadcast(args); err != nil {
		return b.Fail(e, "", "%s: %v", op.Name, err)
	}
	for i, a := range args {
		if r := a.Facts.Range.Intersect(op.Domain[i]); r.Empty() {
			return b.Fail(e.Args[i], "", "%s is defined on %v, but this lies in %v", op.Name, op.Domain[i], a.Facts.Range)
		}
	}
	if k := op.ConstantOperand; k > 0 {
		if _, ok := args[k-1].IsConst(); !ok {
			return b.Fail(e.Args[k-1], "", "operand %d of %s must be a number", k, op.Name)
		}
	}
	return b.G.Call(op, args...)
}

// root builds root(a, F(a) = G(a)) or root(a, F(a) = G(a), start). Subexpressions that do not depend on the unknown
// become the operands of the node, so that the equation itself is a function of the unknown and of plain parameters.
func (b *Builder) root(e *syntax.Call) *Node {
	if len(e.Args) != 2 && len(e.Args) != 3 {
		return b.Fail(e, "write root(a, F(a) = 0) or root(a, F(a) = 0, start)", "root takes an unknown, an equation and optionally a start")
	}
	unknown, ok := e.Args[0].(*syntax.Name)
	if !ok {
		return b.Fail(e.Args[0], "", "the first operand of root is the name of the unknown")
	}
	eq, ok := e.Args[1].(*syntax.Compare)
	if !ok || eq.Op != "=" {
		return b.Fail(e.Args[1], "write root(a, F(a) = 0)", "the second operand of root is an equation")
	}
	facts := b.Scope.Unknown
	if facts == (Facts{}) {
		facts = Unknown
	}
	v := b.G.Fresh(unknown.Name, Scalar, facts)
	outer := b.Scope.Names
	b.Scope.Names = with(outer, unknown.Name, v)
	lhs, rhs := b.Build(eq.X), b.Build(eq.Y)
	b.Scope.Names = outer
	var start *Node
	if len(e.Args) == 3 {
		if start = b.Build(e.Args[2]); start == nil {
			return nil
		}
	}
	if lhs == nil || rhs == nil {
		return nil
	}
	if lhs.Type.Rank > 0 || rhs.Type.Rank > 0 {
		return b.Fail(eq, "", "the equation of a root is one of numbers")
	}
	f := b.G.Sub(lhs, rhs)
	if !Depends(f, v) {
		return b.Fail(eq, "", "the equation does not depend on %s", unknown.Name)
	}
	if reduces(f, v) {
		return b.Fail(eq, "the equation is solved for each row", "a sum over the rows cannot depend on the unknown %s", unknown.Name)
	}
	fn, args := b.G.Lift([]*Node{v}, []*Node{f}, []*Node{start}, nil)
	return b.G.Roots(fn, args)[0]
}

// reduces reports whether n has a sum over an axis of what depends on v.
func reduces(n, v *Node) bool {
	found := false
	Walk(func(m *Node) { found = found || m.Op == opSum && Depends(m, v) }, n)
	return found
}

func with(names map[string]*Node, name string, n *Node) map[string]*Node {
	out := make(map[string]*Node, len(names)+1)
	for k, v := range names {
		out[k] = v
	}
	out[name] = n
	return out
}

// Lift makes a Lambda of equations in vars: every largest subexpression that does not depend on the unknowns becomes a
// parameter. It returns the Lambda and the values of its parameters.
func (g *Graph) Lift(vars, eqs, start []*Node, merit *Node) (*Lambda, []*Node) {
	l := lifter{g: g, vars: vars, params: map[*Node]*Node{}, fn: &Lambda{Vars: vars, Start: make([]*Node, len(vars))}}
	for _, eq := range eqs {
		l.fn.Eqs = append(l.fn.Eqs, l.lift(eq))
	}
	for i, s := range start {
		if s != nil {
			l.fn.Start[i] = l.lift(s)
		}
	}
	if merit != nil {
		l.fn.Merit = l.lift(merit)
	}
	return l.fn, l.args
}

type lifter struct {
	g      *Graph
	vars   []*Node
	fn     *Lambda
	params map[*Node]*Node
	args   []*Node
}

func (l *lifter) lift(n *Node) *Node {
	switch {
	case n.Op == opConst || n.Op == Ones || n.Op == Iota || n.Op == Table || slices.Contains(l.vars, n): // nothing to compute
		return n
	case !Depends(n, l.vars...):
		return l.param(n)
	case n.Op == opLin:
		return l.liftLin(n)
	}
	args := make([]*Node, len(n.Args))
	for i, a := range n.Args {
		args[i] = l.lift(a)
	}
	return l.g.Rebuild(n, args)
}

// liftLin makes one parameter of all terms of a sum that do not depend on the unknowns.
func (l *lifter) liftLin(n *Node) *Node {
	var free, bound []*Node
	var freeCoefs, boundCoefs []float64
	for i, a := range n.Args {
		if Depends(a, l.vars...) {
			bound, boundCoefs = append(bound, l.lift(a)), append(boundCoefs, n.Coefs[i])
		} else {
			free, freeCoefs = append(free, a), append(freeCoefs, n.Coefs[i])
		}
	}
	if len(free) == 0 {
		return l.g.Lin(n.Const, boundCoefs, bound)
	}
	p := l.param(l.g.Lin(0, freeCoefs, free))
	return l.g.Add(l.g.Lin(n.Const, boundCoefs, bound), p)
}

func (l *lifter) param(n *Node) *Node {
	if p, ok := l.params[n]; ok {
		return p
	}
	t := n.Type
	t.Axes = 0 // the equations are those of one row
	p := l.g.Fresh("p", t, n.Facts)
	l.params[n] = p
	l.args = append(l.args, n)
	l.fn.Params = append(l.fn.Params, p)
	return p
}
