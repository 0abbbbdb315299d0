package emit

import (
	"maps"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
)

// body writes the statements of a planned kernel. fail writes what happens when the guard of that index does not hold.
type body struct {
	printer
	file    *file
	columns rowSource
	fail    func(index int) jen.Code
	// indefinite is what happens when a matrix that no guard looks after is not positive definite.
	indefinite []jen.Code
}

// rowSource says how a kernel reaches its rows.
type rowSource struct {
	x, w string // slices of observations and of weights
	data string // prefix of the columns of the data stage
}

var (
	ownRows   = rowSource{x: "p.x", w: "p.w", data: "p."}
	givenRows = rowSource{x: "xs", w: "ws"}
)

// kernel plans and writes a kernel as the statements of a function.
func (f *file) kernel(k *plan.Kernel, rows rowSource, fail func(int) jen.Code, indefinite ...jen.Code) ([]jen.Code, Usage) {
	body, usage := f.statements(k, rows, fail, indefinite...)
	return f.declareDims(body), usage
}

// statements is kernel without the declaration of the lengths.
func (f *file) statements(k *plan.Kernel, rows rowSource, fail func(int) jen.Code, indefinite ...jen.Code) ([]jen.Code, Usage) {
	k.Graph, k.Dims, k.Components = f.d.Problem.Graph, f.dims(), f.components()
	prog, named := plan.Plan(k)
	b := body{printer: printer{named: named, defs: map[*expr.Node]*expr.Node{}, prepared: prog.Prepared, solver: f.solverName}, file: f, columns: rows, fail: fail, indefinite: indefinite}
	for _, d := range k.Defs {
		b.defs[d.Sym] = d.Node
	}
	for part, sym := range prog.Groups {
		b.defs[sym] = part
	}
	var out []jen.Code
	for _, o := range k.Outputs {
		if o.From != "" {
			out = append(out, jen.Id(o.To).Op(":=").Id(o.From))
		}
	}
	reads := map[int]string{} // where inputs get their names
	for _, s := range prog.Stmts {
		if s.Read != nil {
			reads[len(out)] = s.Read.Name
		}
		out = append(out, b.stmt(s)...)
	}
	return withoutUnread(out, reads), Usage{prog.Cost, prog.Budget, prog.Inverted}
}

// withoutUnread leaves out the statements that name what no other statement mentions: an input that cancels entry by entry.
func withoutUnread(stmts []jen.Code, reads map[int]string) (out []jen.Code) {
	var others []jen.Code
	for i, s := range stmts {
		if reads[i] == "" {
			others = append(others, s)
		}
	}
	for i, s := range stmts {
		if reads[i] == "" || mentions(others, reads[i]) {
			out = append(out, s)
		}
	}
	return out
}

// Usage is what a kernel costs.
type Usage struct {
	plan.Cost
	plan.Budget
	Inverted []*expr.Node
}

func (b body) stmt(s plan.Stmt) []jen.Code {
	switch {
	case s.Read != nil:
		return one(jen.Id(s.Read.Name).Op(":=").Id(s.Read.From))
	case s.Assign != nil:
		return one(b.assign(s.Assign))
	case s.Joint != nil:
		n := s.Joint
		return one(jen.List(ids(n.Names)...).Op(":=").Add(b.call(n.Joint.Go, n.Joint.Go, n.Nodes[0])))
	case s.Preparation != nil:
		return b.preparation(s.Preparation)
	case s.Solve != nil:
		return one(b.solve(s.Solve))
	case s.Guard != nil:
		return one(jen.If(outside(b.expr(s.Guard.Node), s.Guard.Range)).Block(b.fail(s.Guard.Index)))
	case s.Loop != nil:
		return b.loop(s.Loop)
	case s.Buffer != nil:
		return one(b.buffer(s.Buffer))
	case s.Call != nil:
		return one(b.denseCall(s.Call))
	case s.Each != nil:
		return b.each(s.Each)
	case s.Blocks != nil:
		return b.blocks(s.Blocks)
	case s.Evaluate != nil:
		return one(b.file.evaluate(*s.Evaluate))
	case s.Components != nil:
		return one(b.components(s.Components))
	case s.Attained != nil:
		return attained(s.Attained)
	case s.Declare != "":
		return one(jen.Var().Id(s.Declare).Float64())
	case s.Add != nil:
		return one(jen.Id(s.Add.Name).Op("+=").Add(b.typed(s.Add.Node)))
	case s.Keep != nil:
		return one(jen.Id(s.Keep.To).Op("=").Id(s.Keep.Name))
	}
	return one(b.output(s.Output))
}

// preparation prepares functions for an operand.
//
//	<name> := &p.<field>
//	<name>.Prepare(<operand>, len(p.w)*<d>)
func (b body) preparation(l *plan.Preparation) []jen.Code {
	calls := jen.Len(jen.Id(b.columns.w))
	for _, d := range l.Calls {
		calls = calls.Op("*").Id(plan.DimName(d))
	}
	field := "p." + b.file.preparedField(l.Type, l.Slot, l.Stacked)
	if l.Stacked {
		field += "[comp]"
	}
	memory := jen.Id(l.Name).Op(":=").Op("&").Id(field)
	if l.View {
		return []jen.Code{memory}
	}
	return []jen.Code{
		memory,
		jen.Id(l.Name).Dot("Prepare").Call(b.typed(l.Operand), calls),
	}
}

func ids(names []string) []jen.Code {
	out := make([]jen.Code, len(names))
	for i, n := range names {
		out[i] = jen.Id(n)
	}
	return out
}

func one(c jen.Code) []jen.Code { return []jen.Code{c} }

func (b body) assign(a *plan.Assign) jen.Code {
	b.file.use(a.Node)
	return jen.Id(a.Name).Op(":=").Add(b.value(a))
}

// value writes out the value of an assignment, which may have the very name that is being assigned.
func (b body) value(a *plan.Assign) *jen.Statement {
	if b.named[a.Node] != a.Name {
		return b.typed(a.Node)
	}
	named := maps.Clone(b.named)
	delete(named, a.Node)
	return printer{named, b.defs, b.prepared, b.solver}.typed(a.Node)
}

// solve writes
//
//	<unknowns> := <solver>(<parameters>)
func (b body) solve(s *plan.Solve) jen.Code {
	b.file.use(s.Root)
	if s.Root.Fn.Shaped() {
		return b.solveShaped(s)
	}
	list := make([]jen.Code, len(s.Names))
	for i, name := range s.Names {
		list[i] = jen.Id(name)
	}
	args := make([]jen.Code, len(s.Root.Args))
	for i, a := range s.Root.Args {
		args[i] = b.expr(a).Statement
	}
	callee := jen.Id(b.solver(s.Root.Fn))
	if s.Root.Op == expr.Expectation {
		callee = jen.Id("p." + b.file.integratorName(s.Root.Fn))
	}
	return jen.List(list...).Op(":=").Add(callee).Call(args...)
}

// solveShaped writes the call for a system with vectors, into their memory.
//
//	<numbers> := p.<solver>(<vectors>, <parameters>)
func (b body) solveShaped(s *plan.Solve) jen.Code {
	var numbers, args []jen.Code
	op := "="
	for i, v := range s.Root.Fn.Vars {
		switch {
		case v.Type.Rank > 0:
			args = append(args, jen.Id(s.Names[i]))
			continue
		case s.Names[i] != "_":
			op = ":="
		}
		numbers = append(numbers, jen.Id(s.Names[i]))
	}
	for _, a := range s.Args {
		if a.Node != nil {
			args = append(args, b.typed(a.Node))
		} else {
			args = append(args, jen.Id(a.Text))
		}
	}
	call := jen.Id("p").Dot(b.solver(s.Root.Fn)).Call(args...)
	if len(numbers) == 0 {
		return call
	}
	return jen.List(numbers...).Op(op).Add(call)
}

func (b body) output(o *plan.Output) jen.Code {
	b.file.use(o.Node)
	if o.To == "return" {
		return jen.Return(b.typed(o.Node))
	}
	if name, ok := strings.CutPrefix(o.To, ":"); ok { // a new variable
		return jen.Id(name).Op(":=").Add(b.typed(o.Node))
	}
	set := jen.Id(o.To).Op("=").Add(b.typed(o.Node))
	if o.Free { // the last component has no place
		return jen.If(jen.Id("comp").Op("<").Id(plan.DimName(b.file.components())).Op("-").Lit(1)).Block(set)
	}
	return set
}

// loop writes a pass over the rows, in blocks: sums of blocks lose fewer digits than one long sum, and a block is what a
// vector kernel could take at a time.
//
//	var <sums> float64
//	for start := 0; start < len(p.x); start += block {
//		end := min(start+block, len(p.x))
//		ws := p.w[start:end]
//		var <blockSums> float64
//		for i, x := range p.x[start:end] { <body>; <blockSum> += ws[i] * <value> }
//		<sum> += <blockSum>
//	}
func (b body) loop(l *plan.Loop) []jen.Code {
	in := b
	in.named = l.Named
	var out []jen.Code
	for _, s := range l.Sums {
		out = append(out, declareSum(s)...)
	}
	var head, rows, tail []jen.Code
	slice := func(name string) *jen.Statement { return jen.Id(name).Index(jen.Id("start"), jen.Id("end")) }
	element := jen.Id("_")
	for _, c := range l.Columns {
		if c.Field == "" {
			element = jen.Id(c.Local)
			continue
		}
		col := "rows" + exported(c.Field)
		head = append(head, jen.Id(col).Op(":=").Add(slice(b.columns.data+c.Field)))
		rows = append(rows, jen.Id(c.Local).Op(":=").Id(col).Index(jen.Id("i")))
	}
	for _, s := range l.Body {
		rows = append(rows, in.stmt(s)...)
	}
	if len(l.Sums) > 0 {
		head = append(head, jen.Id("weights").Op(":=").Add(slice(b.columns.w)))
		rows = append(rows, jen.Id("weight").Op(":=").Id("weights").Index(jen.Id("i")))
	}
	for _, s := range l.Sums {
		part := "block" + exported(s.Name)
		b.file.use(s.Node)
		if s.Max {
			rows = append(rows, larger(s, in.typed(s.Node.Args[0])))
			continue
		}
		head = append(head, jen.Var().Id(part).Float64())
		rows = append(rows, jen.Id(part).Op("+=").Add(in.scaled(jen.Id("weight"), s.Node.Args[0]).Statement))
		tail = append(tail, jen.Id(s.Name).Op("+=").Id(part))
	}
	for _, s := range l.Stores {
		rows = append(rows, jen.Id("p."+s.To).Index(jen.Id("start").Op("+").Id("i")).Op("=").Add(in.expr(s.Node).Statement))
	}
	index := jen.List(jen.Id("i"), element)
	switch {
	case len(l.Columns) == 0 || element.GoString() == "_":
		index = jen.Id("i")
	case !mentions(rows, "i"):
		index = jen.List(jen.Id("_"), element)
	}
	over := b.columns.x
	if b.file.rows.Sym.Type.Rank > 0 { // has more entries than there are rows
		over = b.columns.w
	}
	inner := jen.For(index.Op(":=").Range().Add(slice(over))).Block(rows...)
	blockBody := append([]jen.Code{jen.Id("end").Op(":=").Min(jen.Id("start").Op("+").Id("block"), jen.Len(jen.Id(over)))}, head...)
	blockBody = append(append(blockBody, inner), tail...)
	outer := jen.For(jen.Id("start").Op(":=").Lit(0), jen.Id("start").Op("<").Len(jen.Id(over)), jen.Id("start").Op("+=").Id("block")).Block(blockBody...)
	return append(out, outer)
}
