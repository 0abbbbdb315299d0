package emit

import (
	"cmp"
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/wording"
)

// densePkg is the package of the kernels that generated code calls.
const densePkg = module + "/dense"

// buffer writes the declaration of memory:
//
//	<name> := p.<slot>            // of a vector or a matrix
//	<name> := p.<slot>[:b*<d>]    // of a vector for each row of a block
//	var <name> [block]float64     // of a number for each row of a block
//
// A package of numbers alone has no workspace, so that its zero value is a model: there memory of a block is on the stack.
func (b body) buffer(m *program.Buffer) jen.Code {
	if !b.file.Shaped() {
		b.file.onStack[m.To] = true
		return about(jen.Var().Id(m.To.Name).Index(jen.Id("block")).Float64(), m.To)
	}
	return about(jen.Id(m.To.Name).Op(":=").Id(b.slotText(m)), m.To)
}

// slotText is memory of the workspace, as long as it is needed.
func (b body) slotText(m *program.Buffer) string {
	shape := m.To.Shape
	number := b.file.base(shape) + m.Slot
	b.file.demand(shape, number+1)
	name := b.file.slotName(shape, number)
	if b.handed != nil || b.file.ownsAll {
		b.file.ownMemory(name, b.file.size(shape))
	}
	slot := "p." + name
	if shape.Block {
		size := b.size(shape)
		if shape.Stacked {
			size = b.dim(b.components) + "*" + size
		}
		slot += "[:" + size + "]"
	}
	return slot
}

// about adds the formula of a place to its declaration.
func about(declaration *jen.Statement, place *program.Place) *jen.Statement {
	if place.About == "" {
		return declaration
	}
	return declaration.Comment("// " + place.About)
}

// declareSums declares what reductions are computed in. In a block of rows the largest number is that of those before it.
func (b body) declareSums(list []*program.Sum) []jen.Code {
	var out []jen.Code
	var numbers []string
	for _, s := range list {
		if !s.Max {
			if !b.summed[s.To] {
				numbers = append(numbers, s.To.Name)
			}
			continue
		}
		if b.handed != nil {
			at := b.handed.Sum(s)
			if out = append(out, line("%s := p.%s.Sums[%d]", s.To.Name, passField, at)); s.Index != nil {
				out = append(out, line("%s := int(p.%s.Sums[%d])", s.Index.Name, passField, at+1))
			}
			continue
		}
		out = append(out, jen.Id(s.To.Name).Op(":=").Qual("math", "Inf").Call(jen.Lit(-1)))
		if s.Index != nil {
			out = append(out, jen.Id(s.Index.Name).Op(":=").Lit(0))
		}
	}
	return append(declareNumbers(numbers), out...)
}

// partOf is the name of the part of a sum that is of one block, partsOf are those of several.
func (b body) partOf(s *program.Sum) string {
	if b.summed[s.To] {
		return s.To.Name
	}
	return wording.Behind("block", s.To.Name)
}

func (b body) partsOf(list []*program.Sum) []string {
	var out []string
	for _, s := range list {
		if !s.Max {
			out = append(out, b.partOf(s))
		}
	}
	return out
}

// addPart adds the part of a block to the sum.
func (b body) addPart(s *program.Sum) jen.Code {
	if b.summed[s.To] {
		return b.handBack(s.To)
	}
	return jen.Id(s.To.Name).Op("+=").Id(b.partOf(s))
}

// handBack adds a number to what a pass hands back.
func (b body) handBack(to *program.Place) jen.Code {
	return b.handedBack(to).Op("+=").Id(to.Name)
}

// handedBack is where what a pass hands back is added up.
func (b body) handedBack(to *program.Place) *jen.Statement {
	return line("p.%s.Sums[%d]", passField, slices.IndexFunc(b.handed.Sums, func(s *program.Sum) bool { return s.To == to }))
}

// summedUp are the numbers of a pass that a loop over the rows of a block adds up, which no other loop repeats.
func summedUp(pass program.Stmt) map[*program.Place]bool {
	out := map[*program.Place]bool{}
	note := func(list []*program.Sum) {
		for _, s := range list {
			out[s.To] = !s.Max
		}
	}
	switch s := pass.(type) {
	case *program.Rows:
		note(s.Sums)
	case *program.Blocks:
		for _, inner := range s.Body {
			if e, ok := inner.(*program.Each); ok {
				note(e.Sums)
			}
		}
	}
	return out
}

// larger makes a number the larger one of itself and a value of the row, which counts where its weight is positive; and
// where the row is needed, its index.
//
//	if weight > 0 { <largest>, <at> = dense.Larger(<largest>, <at>, <value>, start+i) }
func (b body) larger(s *program.Sum, value *jen.Statement) jen.Code {
	set := jen.Id(s.To.Name).Op("=").Qual("math", "Max").Call(jen.Id(s.To.Name), value)
	if s.Index != nil {
		set = jen.List(jen.Id(s.To.Name), jen.Id(s.Index.Name)).Op("=").Qual(densePkg, "Larger").
			Call(jen.Id(s.To.Name), jen.Id(s.Index.Name), value, jen.Id("start").Op("+").Id(b.use("i")))
	}
	return jen.If(jen.Id("weight").Op(">").Lit(0)).Block(set)
}

// attained writes a number that is 1 in one row.
//
//	var <name> float64
//	if start+i == <at> { <name> = 1 }
func (b body) attained(a *program.Attained) []jen.Code {
	return []jen.Code{
		jen.Var().Id(a.To.Name).Float64(),
		jen.If(jen.Id("start").Op("+").Id(b.use("i")).Op("==").Id(a.Index.Name)).Block(jen.Id(a.To.Name).Op("=").Lit(1)),
	}
}

// denseCall writes the call of a kernel.
//
//	dense.<Func>(<operands>)
//	if !dense.Cholesky(<operands>) { <what is to be done where nobody checks the domain> }
func (b body) denseCall(c *program.Call) jen.Code {
	args := b.kernelOperands(c.Args)
	if c.Kernel == "clear" || c.Kernel == "copy" {
		return jen.Id(c.Kernel).Call(args...)
	}
	pkg := densePkg
	if program.Kernels()[c.Kernel].Special {
		pkg = module + "/special"
	}
	call := jen.Qual(pkg, c.Kernel).Call(args...)
	switch {
	case c.To != nil:
		return about(jen.Id(c.To.Name).Op(":=").Add(call), c.To)
	case c.Definite && len(b.indefinite) > 0:
		return jen.If(jen.Op("!").Add(call)).Block(b.indefinite...)
	}
	return call
}

// weighings is how often a loop over rows needs the weight of a row, for more than a number; of largest values it does more than once.
func weighings(sums []*program.Sum, writes []*program.Write) int {
	n := 0
	for _, s := range sums {
		if n++; s.Max {
			n++
		}
	}
	for _, w := range writes {
		if w.Weighted {
			n++
		}
	}
	return n
}

// each writes a loop over entries or rows.
func (b body) each(e *program.Each) []jen.Code {
	if e.Dots {
		return b.dots(e)
	}
	b.flat = contiguous(e)
	var tail []jen.Code
	inner, head := b.stmts(e.Body), declareNumbers(b.partsOf(e.Sums))
	for _, g := range e.Guards {
		inner = append(inner, b.guard(g))
	}
	if uses := weighings(e.Sums, e.Writes); uses == 1 {
		b.weight = "weights[" + b.use("i") + "]"
	} else if weighs(e) {
		inner = append(inner, jen.Id("weight").Op(":=").Id("weights").Index(jen.Id(b.use("i"))))
	}
	for _, s := range e.Sums {
		if s.Max {
			inner = append(inner, b.larger(s, b.typed(s.Value)))
			continue
		}
		part := b.partOf(s)
		inner = append(inner, jen.Id(part).Op("+=").Add(b.scaled(jen.Id(cmp.Or(b.weight, "weight")), s.Value).Statement))
		if !slices.Contains(b.elsewhere, s.To) {
			tail = append(tail, b.addPart(s))
		}
	}
	for _, w := range e.Writes {
		inner = append(inner, b.write(w))
	}
	rowHead, rowTail := &head, &tail
	var before, after []jen.Code
	perRow := e.Shape.Block && len(e.Shape.Dims) > 0
	if perRow {
		rowHead, rowTail = &before, &after
	}
	for _, t := range e.Totals {
		name := t.To.Name
		if e.WrittenOut() && len(e.Body) == 0 {
			inner = append(inner, about(jen.Id(name).Op(":=").Add(b.typed(t.Value)), t.To))
			continue
		}
		if perRow {
			name = wording.Behind("row", t.To.Name)
			*rowTail = append(*rowTail, jen.Id(t.To.Name).Index(jen.Id(b.use("i"))).Op("=").Id(name))
		}
		*rowHead = append(*rowHead, about(jen.Var().Id(name).Float64(), t.To))
		inner = append(inner, jen.Id(name).Op("+=").Add(b.expr(t.Value).Statement))
	}
	if e.WrittenOut() {
		if len(e.Body) > 0 {
			inner = []jen.Code{jen.Block(inner...)}
		}
		return slices.Concat(head, inner, tail)
	}
	return append(append(head, b.loops(e.Shape, before, inner, after)), tail...)
}

// dots adds inner products with the weights to sums.
//
//	<sum> += dense.Dot(weights, <numbers>)
func (b body) dots(e *program.Each) []jen.Code {
	var out []jen.Code
	for _, s := range e.Sums {
		to := jen.Id(s.To.Name).Op("+=")
		switch {
		case slices.Contains(b.elsewhere, s.To): // of a stage, which hands back what the block adds
			to = jen.Id(b.partOf(s)).Op(":=")
		case b.summed[s.To]:
			to = b.handedBack(s.To).Op("+=")
		}
		out = append(out, to.Qual(densePkg, "Dot").Call(jen.Id("weights"), b.operand(program.Operand{Place: s.Value.(program.Ref).Place})))
	}
	return out
}

func weighs(e *program.Each) bool {
	for _, w := range e.Writes {
		if w.Weighted {
			return true
		}
	}
	return len(e.Sums) > 0
}

// loops writes the loops over a shape: i over a vector, i and j over a matrix or its lower triangle, i over the rows of a block and j over the
// entries of a row, of which ij is the place in the block.
func (b body) loops(s program.Shape, before, inner, after []jen.Code) jen.Code {
	over := func(index string, d expr.Dim, body []jen.Code) jen.Code {
		loop := b.counted(index, plan.DimName(d), body)
		b.dim(d)
		return loop
	}
	switch {
	case s.Block && len(s.Dims) == 0:
		return b.counted("i", b.use("b"), inner)
	case s.Block:
		if b.take("ij") {
			place := b.use("i") + "*" + b.dim(s.Dims[0]) + "+" + b.use("j")
			inner = append([]jen.Code{jen.Id("ij").Op(":=").Id(place)}, inner...)
		}
		return b.counted("i", b.use("b"), append(append(before, over("j", s.Dims[0], inner)), after...))
	case s.Lower:
		inner = []jen.Code{b.counted("j", "i+1", inner)}
		b.use("i")
		return over("i", s.Dims[0], inner)
	case b.flat:
		return b.counted("ij", b.dim(s.Dims[0])+"*"+b.dim(s.Dims[1]), inner)
	case len(s.Dims) == 2:
		return over("i", s.Dims[0], []jen.Code{over("j", s.Dims[1], inner)})
	}
	return over("i", s.Dims[0], inner)
}

// counted writes a loop with an index from 0 to n-1, which has a name where its body has written it.
//
//	for <index> := range <n> { <body> }
func (b body) counted(index, n string, body []jen.Code) jen.Code {
	head := jen.Range()
	if b.take(index) {
		head = jen.Id(index).Op(":=").Range()
	}
	return jen.For(head.Id(n)).Block(body...)
}

// mentioned are the names that statements mention, without those of fields.
func mentioned(stmts []jen.Code) map[string]bool {
	source := fmt.Append(nil, jen.Block(stmts...).GoString())
	names := map[string]bool{}
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("", -1, len(source)), source, nil, 0)
	for last := token.ILLEGAL; ; {
		_, tok, text := s.Scan()
		if tok == token.EOF {
			return names
		}
		if tok == token.IDENT && last != token.PERIOD {
			names[text] = true
		}
		last = tok
	}
}

// write stores an entry.
func (b body) write(w *program.Write) jen.Code {
	value := b.typed(w.Value)
	if w.Weighted {
		value = b.scaled(jen.Id(cmp.Or(b.weight, "weight")), w.Value).Statement
	}
	if w.To.Gathers() {
		name := jen.Id(w.To.Place.Name)
		if w.To.Place.Given != nil {
			name = jen.Id(b.given(w.To.Place.Given))
		}
		return jen.Qual(densePkg, "Add"+entryFunc(w.To)).Call(slices.Concat([]jen.Code{name}, b.place(w.To), []jen.Code{value})...)
	}
	if w.Add {
		return b.ref(w.To).Op("+=").Add(value)
	}
	return b.ref(w.To).Op("=").Add(value)
}

// blocks writes a pass over blocks of rows.
//
//	for start := 0; start < p.W.Len(); start += block {
//		end := min(start+block, p.W.Len())
//		b := end - start
//		<x> := p.x[start*<d> : end*<d>]
//		...
//	}
func (b body) blocks(p *program.Blocks) []jen.Code {
	out := b.declareSums(p.Sums)
	mentioned := map[*program.Place]bool{}
	program.Mentions(p.Body, func(place *program.Place) { mentioned[place] = true })
	part := func(field string, t expr.Type) string {
		from, to := "start", "end"
		if t.Rank > 0 {
			d := b.size(program.Shape{Dims: t.Dims[:t.Rank]})
			from, to = from+"*"+d, to+"*"+d
		}
		return field + "[" + from + ":" + to + "]"
	}
	b.columnsOfBlock = map[string]*program.Place{}
	rest := b.stmts(p.Body)
	var head []declaration
	for _, c := range p.Columns {
		if c.Field == "" {
			head = append(head, declaration{name: c.To.Name, value: part(b.columns.x, c.Type)})
		}
	}
	if p.Weights {
		head = append(head, declaration{name: "weights", value: b.columns.weights()})
	}
	for _, c := range p.Columns {
		if c.Field == "" || !mentioned[c.To] { // as that of the labels, where loops are for rows of one
			continue
		}
		head = append(head, declaration{name: c.To.Name, value: part(b.columns.data+c.Field, c.Type)})
	}
	for _, name := range slices.Sorted(maps.Keys(b.columnsOfBlock)) {
		place := b.columnsOfBlock[name]
		t := expr.Type{Rank: len(place.Shape.Dims)}
		copy(t.Dims[:], place.Shape.Dims)
		head = append(head, declaration{name: b.columnOfBlock(place), value: part(b.given(place.Given), t)})
	}
	rows := b.columns.count()
	loop := []jen.Code{jen.Id("end").Op(":=").Min(jen.Id("start").Op("+").Id("block"), rows)}
	switch {
	case !b.take("b"):
	case b.handed != nil:
		b.use(rowsOfBlock)
	default:
		loop = append(loop, jen.Id("b").Op(":=").Id("end").Op("-").Id("start"))
	}
	loop = append(append(loop, together(head)...), rest...)
	switch {
	case b.handed != nil:
		return append(out, loop[1:]...)
	case p.Strata:
		return append(out, b.strata(loop[1:]))
	}
	return append(out, jen.For(jen.Id("start").Op(":=").Lit(0), jen.Id("start").Op("<").Add(rows), jen.Id("start").Op("+=").Id("block")).Block(loop...))
}

// strata is a pass over blocks of rows that belong to one component.
//
//	for start, end := 0, 0; start < p.W.Len(); start = end {
//		end = start + dense.Run(p.labels[start:min(start+block, p.W.Len())])
//		own := int(p.labels[start])
//		...
//	}
func (b body) strata(inner []jen.Code) jen.Code {
	labels, rows := b.columns.data+methods.LabelsField, b.columns.count()
	part := jen.Id(labels).Index(jen.Id("start"), jen.Min(jen.Id("start").Op("+").Id("block"), rows.Clone()))
	head := []jen.Code{
		jen.Id("end").Op("=").Id("start").Op("+").Qual(module+"/dense", "Run").Call(part),
		jen.Id("own").Op(":=").Int().Call(jen.Id(labels).Index(jen.Id("start"))),
	}
	return jen.For(line("start, end := 0, 0"), jen.Id("start").Op("<").Add(rows), line("start = end")).Block(append(head, inner...)...)
}
