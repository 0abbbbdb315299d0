package emit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// body writes the statements of a planned kernel. fail writes what happens when the guard of that index does not hold.
type body struct {
	printer
	file      *file
	prog      *program.Program
	printed   *program.Program       // the same with stages
	named     map[*program.Place]int // how often names are printed
	scratch   map[*program.Place]*program.Buffer
	columns   rowSource
	weight    string           // of a row, where it is needed once
	elsewhere []*program.Place // sums of the pass that a stage adds to
	// checked and definite are what methods say of the function.
	checked, definite bool
	handed            *methods.Handed // to the method of a pass that it is, for the rows of a block; nil for others
	fail              func(index int) jen.Code
	// summed are numbers of a pass that one loop of it adds up, straight into what is handed back.
	summed map[*program.Place]bool
	// indefinite is what happens when a matrix that no guard looks after is not positive definite.
	indefinite []jen.Code
}

// rowSource says how a kernel reaches its rows.
type rowSource struct {
	x, w    string // observations and weights
	data    string // prefix of the columns of the data stage
	weighed bool   // w is a support.Weights, and not a slice
}

// count is how many rows there are.
func (r rowSource) count() *jen.Statement {
	if r.weighed {
		return jen.Id(r.w + ".Len").Call()
	}
	return jen.Len(jen.Id(r.w))
}

// weights are those of the rows of a block.
func (r rowSource) weights() string {
	if r.weighed {
		return r.w + ".Of(start, end)"
	}
	return r.w + "[start:end]"
}

var (
	ownRows   = rowSource{x: "p.x", w: "p.W", data: "p.", weighed: true}
	givenRows = rowSource{x: "xs", w: "ws"}
)

// sourceOf is where rows come from.
func (f *file) sourceOf(s methods.Source) rowSource {
	switch s {
	case methods.OwnRows:
		if f.Variational() != nil {
			return dataSource
		}
		return ownRows
	case methods.GivenRows:
		return givenRows
	case methods.DrawRows:
		return drawRows
	case methods.PredictorRows:
		return predictorRows
	}
	return rowSource{}
}

// kernel writes the next program of a function as its statements.
func (f *file) kernel(name string, fail func(int) jen.Code, indefinite ...jen.Code) []jen.Code {
	b := f.next(name, fail, indefinite)
	return b.withLengths(b.stmts(b.printed.Body))
}

// statements is kernel without the declaration of the lengths.
func (f *file) statements(name string, fail func(int) jen.Code, indefinite ...jen.Code) []jen.Code {
	b := f.next(name, fail, indefinite)
	return b.stmts(b.printed.Body)
}

// withLengths puts the declaration of the lengths that statements use in front of them.
func (b body) withLengths(stmts []jen.Code) []jen.Code {
	unknown := func(d expr.Dim) bool { return !b.used[plan.DimName(d)] }
	return append(declareLengths(slices.DeleteFunc(slices.Clone(b.file.Dims), unknown)), stmts...)
}

// next is what writes the next program of a function.
func (f *file) next(name string, fail func(int) jen.Code, indefinite []jen.Code) body {
	step := f.Functions[name].Steps[f.printed[name]]
	f.printed[name]++
	b := f.bodyFor(&step)
	b.fail, b.indefinite = fail, indefinite
	return b
}

// bodyFor is what writes a program.
func (f *file) bodyFor(step *methods.Step) body {
	printed := step.Printed()
	return body{named: named(printed.Body), scratch: scratch(printed.Body), printer: printer{solver: f.solverName, components: f.Components, used: map[string]bool{}}, file: f, prog: step.Program,
		printed: printed, columns: f.sourceOf(step.Rows), checked: step.Checked, definite: step.Definite}
}

func (f *file) solverName(fn *expr.Lambda) string { return f.Solvers[fn] }

func (b body) stmt(s program.Stmt) []jen.Code {
	switch s := s.(type) {
	case *program.Bind:
		return one(b.bind(s))
	case *program.Let:
		return one(about(jen.Id(s.To.Name).Op(":=").Add(b.typed(s.Value)), s.To))
	case *program.Joint:
		return one(jen.List(names(s.To)...).Op(":=").Add(b.call(s.Joint.Go, s.Joint.Go, s.Value)))
	case *program.Prepare:
		return b.preparation(s)
	case *program.Solve:
		return one(b.solve(s))
	case *program.Guard:
		return one(b.guarded([]program.Stmt{s}))
	case *program.Store:
		return one(b.store(s))
	case *program.Return:
		return one(jen.Return(b.typed(s.Value)))
	case *program.Rows:
		if s.Cut && b.handed == nil {
			return b.overRanges(s)
		}
		return b.rows(s)
	case *program.Buffer:
		return one(b.buffer(s))
	case *program.Call:
		if b.guards([]program.Stmt{s}) > 0 {
			return one(b.guarded([]program.Stmt{s}))
		}
		return one(b.denseCall(s))
	case *program.Each:
		if b.guards([]program.Stmt{s}) > 0 {
			return one(b.guarded([]program.Stmt{s}))
		}
		return b.each(s)
	case *program.Blocks:
		if s.Cut && b.handed == nil {
			return b.overRanges(s)
		}
		return b.blocks(s)
	case *program.Evaluate:
		return one(b.file.evaluate(*s))
	case *program.Components:
		return one(b.loopOverComponents(s))
	case *program.EachRow:
		return one(b.eachRow(s))
	case *program.Attained:
		return b.attained(s)
	case *program.Zero:
		return one(jen.Var().Id(s.To.Name).Float64())
	case *program.Add:
		return one(jen.Id(s.To.Name).Op("+=").Add(b.typed(s.Value)))
	case *program.Perform:
		return b.perform(s)
	}
	panic(fmt.Sprintf("emit: a statement of type %T", s))
}

// bind gives a name to what is given, or to a component's own part of an array.
func (b body) bind(s *program.Bind) *jen.Statement {
	declaration := jen.Id(s.To.Name).Op(":=").Id(b.boundText(s))
	if s.From != nil {
		return declaration
	}
	return about(declaration, s.To)
}

// boundText is what gets a name.
func (b body) boundText(s *program.Bind) string {
	if s.From != nil {
		return b.value(s.From)
	}
	if s.OfRow() {
		return b.ownOfRow(s)
	}
	if size := b.size(program.Shape{Block: s.Own.Shape.Block, Dims: s.Own.Shape.Dims}); size != "" {
		return b.own(s.Own.Name, size)
	}
	return s.Own.Name + "[" + b.use("comp") + "]"
}

func (b body) guard(s *program.Guard) jen.Code {
	return jen.If(outside(b.expr(s.Value), s.Range)).Block(b.fail(s.Index))
}

func (b body) store(s *program.Store) jen.Code {
	set := b.ref(s.To).Op("=").Add(b.typed(s.Value))
	if s.Free { // the last component has no place
		return jen.If(jen.Id(b.use("comp")).Op("<").Id(b.dim(b.components)).Op("-").Lit(1)).Block(set)
	}
	return set
}

// preparation prepares functions for an operand.
//
//	<name> := &p.<field>
//	<name>.Prepare(<operand>, p.W.Len()*<d>)
func (b body) preparation(l *program.Prepare) []jen.Code {
	calls := b.columns.count()
	for _, d := range l.Calls {
		calls = calls.Op("*").Id(b.dim(d))
	}
	field := "p." + b.file.preparedField(l.Type, l.Slot, l.Stacked)
	switch {
	case l.Stacked:
		field = "&" + field + "[" + b.use("comp") + "]"
	case !b.file.preparedApart():
		field = "&" + field
	}
	memory := jen.Id(l.To.Name).Op(":=").Id(field)
	if l.View {
		return []jen.Code{memory}
	}
	return []jen.Code{
		memory,
		jen.Id(l.To.Name).Dot("Prepare").Call(b.typed(l.Operand), calls),
	}
}

// names are those of places, "_" where nobody needs a value.
func names(places []*program.Place) []jen.Code {
	out := make([]jen.Code, len(places))
	for i, p := range places {
		if out[i] = jen.Id("_"); p != nil {
			out[i] = jen.Id(p.Name)
		}
	}
	return out
}

func ids(names []string) []jen.Code {
	out := make([]jen.Code, len(names))
	for i, n := range names {
		out[i] = jen.Id(n)
	}
	return out
}

func one(c jen.Code) []jen.Code { return []jen.Code{c} }

// solve writes
//
//	<unknowns> := <solver>(<parameters>)
func (b body) solve(s *program.Solve) jen.Code {
	if s.Op == expr.Series {
		return b.callScan(s)
	}
	if s.Fn.Shaped() {
		return b.solveShaped(s)
	}
	var callee *jen.Statement
	if s.Op == expr.Expectation {
		callee = jen.Id("p." + b.file.Integrals[s.Fn])
	} else {
		callee = jen.Id(b.solver(s.Fn))
	}
	return jen.List(names(s.To)...).Op(":=").Add(callee).Call(b.operands(s.Args)...)
}

// solveShaped writes the call for a system with vectors, into their memory.
//
//	<numbers> := p.<solver>(<vectors>, <parameters>)
func (b body) solveShaped(s *program.Solve) jen.Code {
	var numbers []*program.Place
	var args []jen.Code
	op := "="
	for i, v := range s.Fn.Vars {
		switch {
		case v.Type.Rank > 0:
			args = append(args, jen.Id(s.To[i].Name))
			continue
		case s.To[i] != nil:
			op = ":="
		}
		numbers = append(numbers, s.To[i])
	}
	args = append(args, b.typedOperands(s.Args)...)
	call := jen.Id("p").Dot(b.solver(s.Fn)).Call(args...)
	if len(numbers) == 0 {
		return call
	}
	return jen.List(names(numbers)...).Op(op).Add(call)
}

// operands writes what kernels and solvers take.
func (b body) operands(list []program.Operand) []jen.Code {
	out := make([]jen.Code, len(list))
	for i, a := range list {
		switch {
		case a.Value != nil:
			out[i] = b.expr(a.Value).Statement
		default:
			out[i] = b.operand(a)
		}
	}
	return out
}

// kernelOperands is operands for a kernel, to which a column of the model is what the rows of the block have of it.
func (b body) kernelOperands(list []program.Operand) []jen.Code {
	out := b.operands(list)
	for i, a := range list {
		if a.Place != nil && a.Place.OfRows() {
			out[i] = b.rowsOf(a.Place)
		}
	}
	return out
}

// typedOperands is operands where numbers need a type.
func (b body) typedOperands(list []program.Operand) []jen.Code {
	out := make([]jen.Code, len(list))
	for i, a := range list {
		out[i] = b.operand(a)
	}
	return out
}

func (b body) operand(a program.Operand) jen.Code {
	switch {
	case a.Value != nil:
		return b.typed(a.Value)
	case a.Place != nil && b.isScratch(a.Place):
		return jen.Id(b.slotText(b.scratch[a.Place]))
	case a.Place != nil && b.file != nil && b.file.onStack[a.Place]:
		return jen.Id(a.Place.Name).Index(jen.Op(":").Id(b.use("b")))
	case a.Place != nil:
		return b.ref(program.Ref{Place: a.Place})
	case a.Block:
		return jen.Id(b.use("b"))
	}
	return jen.Id(b.dim(a.Dim))
}

// rowsOf is what the rows of the block have of a column of the model; a stage of a pass has no name for it.
func (b body) rowsOf(p *program.Place) jen.Code {
	if b.columnsOfBlock != nil {
		return jen.Id(b.columnOfBlock(p))
	}
	from, to := b.use("start"), b.use("start")+"+"+b.use("b")
	if len(p.Shape.Dims) > 0 {
		size := b.size(program.Shape{Dims: p.Shape.Dims})
		from, to = from+"*"+size, "("+to+")*"+size
	}
	return line("%s[%s : %s]", b.given(p.Given), from, to)
}

// rows writes a pass over the rows, in blocks: sums of blocks lose fewer digits than one long sum, and a block is what a
// vector kernel could take at a time.
//
//	var <sums> float64
//	for start := 0; start < len(p.x); start += block {
//		end := min(start+block, len(p.x))
//		weights := p.W.Of(start, end)
//		var <blockSums> float64
//		for i, x := range p.x[start:end] { <body>; <blockSum> += ws[i] * <value> }
//		<sum> += <blockSum>
//	}
func (b body) rows(l *program.Rows) []jen.Code {
	out := b.declareSums(l.Sums)
	var head, rows, tail []jen.Code
	var columns, values []declaration
	slice := func(name string) *jen.Statement { return jen.Id(name).Index(jen.Id("start"), jen.Id("end")) }
	element := jen.Id("_")
	for _, c := range l.Columns {
		if c.Field == "" {
			element = jen.Id(c.To.Name)
			continue
		}
		col := "rows" + exported(c.Field)
		columns = append(columns, declaration{name: col, value: b.columns.data + c.Field + "[start:end]"})
		values = append(values, declaration{name: c.To.Name, value: col + "[" + b.use("i") + "]"})
	}
	rows = append(together(values), b.stmts(l.Body)...)
	if len(l.Sums) > 0 {
		columns = append(columns, declaration{name: "weights", value: b.columns.weights()})
	}
	if uses := weighings(l.Sums, nil); uses == 1 {
		b.weight = "weights[" + b.use("i") + "]"
	} else if uses > 1 {
		rows = append(rows, jen.Id("weight").Op(":=").Id("weights").Index(jen.Id(b.use("i"))))
	}
	head = append(together(columns), declareNumbers(b.partsOf(l.Sums))...)
	for _, s := range l.Sums {
		if s.Max {
			rows = append(rows, b.larger(s, b.typed(s.Value)))
			continue
		}
		part := b.partOf(s)
		rows = append(rows, jen.Id(part).Op("+=").Add(b.scaled(jen.Id(cmp.Or(b.weight, "weight")), s.Value).Statement))
		tail = append(tail, b.addPart(s))
	}
	for _, w := range l.Writes {
		rows = append(rows, b.ref(w.To).Op("=").Add(b.expr(w.Value).Statement))
	}
	index, counts := jen.List(jen.Id("i"), element), b.take("i")
	switch {
	case len(l.Columns) == 0 || element.GoString() == "_":
		index = jen.Id("i")
	case !counts:
		index = jen.List(jen.Id("_"), element)
	}
	count, over := jen.Len(jen.Id(b.columns.x)), slice(b.columns.x)
	if b.columns.x == "" || b.file.Rows.Sym.Type.Rank > 0 { // has more entries than there are rows
		count, over = b.columns.count(), jen.Id("end").Op("-").Id("start")
	}
	inner := jen.For(index.Op(":=").Range().Add(over)).Block(rows...)
	blockBody := append(append(head, inner), tail...)
	if b.handed != nil {
		return append(out, blockBody...)
	}
	blockBody = append([]jen.Code{jen.Id("end").Op(":=").Min(jen.Id("start").Op("+").Id("block"), count)}, blockBody...)
	outer := jen.For(jen.Id("start").Op(":=").Lit(0), jen.Id("start").Op("<").Add(count.Clone()), jen.Id("start").Op("+=").Id("block")).Block(blockBody...)
	return append(out, outer)
}
