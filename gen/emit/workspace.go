package emit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// shaped reports whether the problem has vectors or matrices.
func (f *file) shaped() bool { return !f.d.Problem.Scalar() }

// vectors reports whether some value of the problem, or of a component of a mixture, is a vector or a matrix.
func (f *file) vectors() bool {
	p := f.d.Problem
	vector := func(q bind.Param) bool { return q.Sym.Type.Rank > 0 }
	return slices.ContainsFunc(slices.Concat([]bind.Param{p.Target.Variable}, p.Target.Params, p.Surrogate.Params), vector)
}

// dims are the dimensions of the problem that have names, that of the components last.
func (f *file) dims() []expr.Dim {
	p := f.d.Problem
	var out []expr.Dim
	for _, q := range slices.Concat([]bind.Param{p.Target.Variable}, p.Target.Params, p.Surrogate.Params, f.modelParams()) {
		t := q.Sym.Type
		for _, d := range t.Dims[:t.Rank] {
			if d.Name != "" && !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	if k := f.components(); k.Name != "" {
		out = append(out, k)
	}
	return out
}

// dimOf is a length as it is read from the model.
func dimOf(d expr.Dim) jen.Code {
	if d.Name == "" {
		return jen.Lit(d.Size)
	}
	return jen.Id("p." + plan.DimName(d))
}

// base is how many buffers of a shape are left to the callers of the function that is being written.
func (f *file) base(s program.Shape) int {
	for _, t := range f.callers {
		if t.Shape.Equal(s) {
			return t.Count
		}
	}
	return 0
}

// demand notes that a kernel needs so many buffers of a shape.
func (f *file) demand(s program.Shape, count int) {
	for i := range f.slots {
		if f.slots[i].Shape.Equal(s) {
			f.slots[i].Count = max(f.slots[i].Count, count)
			return
		}
	}
	f.slots = append(f.slots, program.Slots{Shape: s, Count: count})
}

// slotName is the field of the model that holds a buffer: vec0, mat0, or for the rows of a block rows0 and, for one number
// a row, row0. The lengths are named when they are not those of the observation.
func (f *file) slotName(s program.Shape, slot int) string {
	name := []string{"num", "vec", "mat"}[len(s.Dims)]
	if s.Block {
		name = []string{"row", "rows"}[min(len(s.Dims), 1)]
	}
	switch {
	case s.Stacked:
		name = "all" + exported(name)
	case s.Inside:
		name = "own" + exported(name)
	}
	usual := f.d.Problem.Target.Variable.Sym.Type
	for _, d := range s.Dims {
		if usual.Rank == 0 || d != usual.Dims[0] {
			for _, d := range s.Dims {
				name = joined(name, exported(d.String()))
			}
			break
		}
	}
	return joined(name, fmt.Sprint(slot))
}

// joined puts two parts of a name together so that it tells where the one ends and the other begins: vec10 is the 11th of the
// vectors, vec1_0 the first of those of length 1.
func joined(name, part string) string {
	if isDigit(name[len(name)-1]) && isDigit(part[0]) {
		name += "_"
	}
	return name + part
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// preparedField is the field of the model that holds functions prepared for an operand.
func (f *file) preparedField(typ string, slot int, each bool) string {
	name := fmt.Sprintf("prepared%s%d", typ[strings.LastIndexByte(typ, '.')+1:], slot)
	if f.preparedPrefix != "" {
		name = f.preparedPrefix + exported(name)
	}
	if each {
		name += "s"
	}
	f.preparedTypes[name] = preparedType{typ, each}
	return name
}

// preparedType is a type of prepared functions, and whether there is one for each component.
type preparedType struct {
	typ  string
	each bool
}

// size is the text of the number of entries of a shape.
func (f *file) size(s program.Shape) string {
	var parts []string
	if s.Stacked {
		parts = append(parts, plan.DimName(f.components()))
	}
	if s.Block {
		parts = append(parts, "block")
	}
	for _, d := range s.Dims {
		parts = append(parts, plan.DimName(d))
	}
	return strings.Join(parts, "*")
}

// workspace lists the fields of the buffers.
func (f *file) workspace() (names []string, sizes []string) {
	for _, s := range f.slots {
		for i := range s.Count {
			names, sizes = append(names, f.slotName(s.Shape, i)), append(sizes, f.size(s.Shape))
		}
	}
	for _, d := range f.scalars() {
		if d.Node.Type.Rank > 0 {
			names, sizes = append(names, d.Name), append(sizes, f.size(program.Shape{Dims: d.Node.Type.Dims[:d.Node.Type.Rank]}))
		}
	}
	for _, c := range f.d.Problem.Constants {
		if c.Sym.Type.Rank > 0 {
			names, sizes = append(names, constantField(c.Sym)), append(sizes, f.size(program.Shape{Dims: c.Sym.Type.Dims[:c.Sym.Type.Rank]}))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.noises)) {
		names, sizes = append(names, name), append(sizes, f.noises[name])
	}
	for _, name := range slices.Sorted(maps.Keys(f.systems)) {
		names, sizes = append(names, name), append(sizes, f.systems[name])
	}
	return names, sizes
}

// declareDims writes the lengths that statements mention as local variables.
func (f *file) declareDims(stmts []jen.Code) []jen.Code {
	var out []jen.Code
	for _, d := range f.dims() {
		if mentions(stmts, plan.DimName(d)) {
			out = append(out, f.declareDim(d))
		}
	}
	return append(out, stmts...)
}

// declareDim writes a length as a local variable.
func (f *file) declareDim(d expr.Dim) jen.Code {
	return jen.Id(plan.DimName(d)).Op(":=").Id("p." + plan.DimName(d))
}

// resize writes Sizes, Resize and allocate.
func (f *file) resize() {
	if f.shaped() {
		defer f.allocate()
	}
	if !f.shaped() || f.pinned() {
		f.add("Sizes returns nil: there are no dimensions.",
			method("Sizes").Params().Index().Int().Block(jen.Return(jen.Nil())))
		f.add("Resize refuses: there are no dimensions to set.",
			method("Resize").Params(jen.Index().Int()).Error().Block(
				jen.Return(jen.Qual("fmt", "Errorf").Call(jen.Lit(f.d.Problem.Spec.Package+" has no dimensions")))))
		return
	}
	var fields, set []jen.Code
	for i, d := range f.dims() {
		fields = append(fields, jen.Id("p."+plan.DimName(d)))
		set = append(set, jen.Id("p."+plan.DimName(d)).Op("=").Id("sizes").Index(jen.Lit(i)))
	}
	n := len(fields)
	f.add("Sizes returns the lengths of Info().Dims.",
		method("Sizes").Params().Index().Int().Block(jen.Return(jen.Index().Int().Values(fields...))))
	body := []jen.Code{
		jen.If(jen.Len(jen.Id("sizes")).Op("!=").Lit(n)).Block(jen.Return(jen.Qual("fmt", "Errorf").Call(
			jen.Lit(f.d.Problem.Spec.Package+fmt.Sprintf(" has %d dimensions, not %%d", n)), jen.Len(jen.Id("sizes"))))),
		jen.For(jen.List(jen.Id("i"), jen.Id("size")).Op(":=").Range().Id("sizes")).Block(
			jen.If(jen.Id("size").Op("<").Lit(1)).Block(jen.Return(jen.Qual("fmt", "Errorf").Call(
				jen.Lit("dimension %s cannot be %d"), jen.Id("info.Dims").Index(jen.Id("i")), jen.Id("size"))))),
	}
	body = append(body, set...)
	body = append(append(body, f.dropData()...), jen.Return(jen.Nil()))
	f.add("Resize sets the lengths of Info().Dims, drops the data and allocates the workspace.",
		method("Resize").Params(jen.Id("sizes").Index().Int()).Error().Block(body...))
}

// dropData forgets the data when the lengths of dimensions are set.
func (f *file) dropData() []jen.Code {
	if f.dataless() {
		return []jen.Code{line("p.allocate()")}
	}
	if f.variational() != nil {
		out := []jen.Code{line("p.rows, p.n, p.total, p.scale = 0, 0, 0, 1"), line("p.w, p.allWeights = nil, nil")}
		for _, q := range f.dataParams() {
			out = append(out, line("p.%s, p.all%s = nil, nil", dataField(q), exported(dataField(q))))
		}
		return append(out, line("p.allocate()"))
	}
	return []jen.Code{
		jen.List(jen.Id("p.rows"), jen.Id("p.n")).Op("=").List(jen.Lit(0), jen.Lit(0)),
		jen.List(jen.Id("p.x"), jen.Id("p.w"), jen.Id("p.all"), jen.Id("p.allWeights")).Op("=").List(jen.Nil(), jen.Nil(), jen.Nil(), jen.Nil()),
		jen.Id("p").Dot("allocate").Call(),
		jen.Id("p").Dot("prepare").Call().Comment("what depends on the lengths alone"),
	}
}

// allocate writes the method that makes the workspace.
func (f *file) allocate() {
	var body []jen.Code
	names, sizes := f.workspace()
	for i, name := range names {
		body = append(body, jen.Id("p."+name).Op("=").Make(jen.Index().Float64(), jen.Id(sizes[i])))
	}
	for _, name := range slices.Sorted(maps.Keys(f.preparedTypes)) {
		if l := f.preparedTypes[name]; l.each {
			_, typ, _ := strings.Cut(l.typ, ".")
			body = append(body, jen.Id("p."+name).Op("=").Make(jen.Index().Qual(module+"/special", typ), jen.Id(plan.DimName(f.components()))))
		}
	}
	if f.byQuadrature() {
		body = append(body, jen.If(line("p.nodes == nil")).Block(line("p.SetNodes").Call(jen.Qual(module, "LeastNodes"))))
	}
	if f.variational() != nil {
		body = append([]jen.Code{jen.If(line("p.draws == 0")).Block(line("p.draws = %d", f.d.Problem.Variational.Spec.Draws))}, body...)
		if f.dataless() && f.variational().Model != nil && !f.external() {
			body = append(body, line("p.w, p.n, p.scale = []float64{1}, 1, 1"))
		}
		if f.mixture() != nil {
			body = append(body, line("p.label()"))
		}
		body = append(body, jen.For(line("i := range p.drawWeights")).Block(line("p.drawWeights[i] = 1")),
			jen.Id("p.Draw").Call(jen.Qual("math/rand/v2", "New").Call(jen.Qual("math/rand/v2", "NewPCG").Call(jen.Lit(1), jen.Lit(2)))))
	}
	if f.pinned() {
		body = append(body, jen.Id("p.allocated").Op("=").True())
	} else {
		body = append(body, jen.Id("p.blocks").Op("=").Index().Add(runtimeType("Block"), lines(f.blocks()...)))
	}
	f.add("allocate makes the workspace.", method("allocate").Params().Block(f.declareDims(body)...))
}

// pinned reports whether there are vectors or matrices, all of known lengths: then the workspace is made when it is
// needed first, since nobody has lengths to set.
func (f *file) pinned() bool { return f.shaped() && len(f.dims()) == 0 }

// makeSure makes the workspace of a model of known lengths unless it is there.
func (f *file) makeSure() []jen.Code {
	if !f.pinned() {
		return nil
	}
	return []jen.Code{jen.If(jen.Op("!").Id("p.allocated")).Block(jen.Id("p").Dot("allocate").Call())}
}

// batch writes Batch and what goes back to all rows.
func (f *file) batch() {
	rows := func(x, w string) *jen.Statement { return jen.List(jen.Id("p."+x), jen.Id("p."+w)) }
	body := []jen.Code{rows("x", "w").Op("=").Add(rows("full", "fullWeights"))}
	gather, taken := []jen.Code{f.take("batch", "all", f.rows.Sym.Type), f.take("batchWeights", "allWeights", expr.Scalar)},
		[]jen.Code{rows("x", "w").Op("=").Add(rows("batch", "batchWeights"))}
	empty := []string{"batch", "batchWeights"}
	if !f.merged() {
		for _, c := range f.stage.Columns {
			body = append(body, jen.Id("p."+c.Name).Op("=").Id("p."+fullColumn(c)))
			gather = append(gather, f.take(batchColumn(c), fullColumn(c), c.Node.Type))
			taken = append(taken, jen.Id("p."+c.Name).Op("=").Id("p."+batchColumn(c)))
			empty = append(empty, batchColumn(c))
		}
	}
	var clear []jen.Code
	for _, name := range empty {
		clear = append(clear, jen.Id("p."+name).Op("=").Id("p."+name).Index(jen.Empty(), jen.Lit(0)))
	}
	loop := jen.For(jen.List(jen.Id("_"), jen.Id("i")).Op(":=").Range().Id("rows")).Block(gather...)
	body = append(body,
		jen.If(jen.Id("rows").Op("!=").Nil()).Block(slices.Concat(clear, []jen.Code{loop}, taken)...),
		jen.Id("p").Dot("count").Call())
	if f.merged() {
		body = append(body, f.callColumns("p")...)
	}
	body = append(body, jen.Id("p").Dot("prepare").Call())
	f.add("Batch restricts the objective to the given rows of the data, nil to all of them; a row that the data do not have is\n"+
		"an error. It allocates nothing unless the batch is longer than any before.", f.batchMethod(body))
	f.add("count sums the weights.", method("count").Params().Block(
		jen.Id("p.n").Op("=").Lit(0),
		jen.For(jen.List(jen.Id("_"), jen.Id("weight")).Op(":=").Range().Id("p.w")).Block(jen.Id("p.n").Op("+=").Id("weight"))))
}

// batchMethod is the method Batch with a body that knows that the rows are among those of the data.
func (f *file) batchMethod(body []jen.Code) jen.Code {
	check := line("err := ").Add(jen.Qual(module, "CheckBatch").Call(line("rows"), line("len(p.allWeights)")))
	body = slices.Concat([]jen.Code{jen.If(check, line("err != nil")).Block(line("return err"))}, f.declareDims(body),
		[]jen.Code{line("return nil")})
	return method("Batch").Params(jen.Id("rows").Index().Int()).Error().Block(body...)
}

// take appends row i of one field to another.
func (f *file) take(to, from string, t expr.Type) jen.Code {
	row := jen.Id("p." + from).Index(jen.Id("i"))
	if t.Rank > 0 {
		columns := plan.DimName(t.Dims[0])
		row = jen.Id("p."+from).Index(jen.Id("i*"+columns), jen.Id("i*"+columns+"+"+columns)).Op("...")
	}
	return jen.Id("p."+to).Op("=").Append(jen.Id("p."+to), row)
}
