package emit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/wording"
)

// dimOf is a length as it is read from the model.
func dimOf(d expr.Dim) jen.Code {
	if d.Name == "" {
		return jen.Lit(d.Size)
	}
	return jen.Id("p." + plan.DimName(d))
}

// product is how many numbers a vector or a matrix has, read from the model.
func (f *file) product(t expr.Type) jen.Code {
	out := jen.Add(dimOf(t.Dims[0]))
	for _, d := range t.Dims[1:t.Rank] {
		out = out.Op("*").Add(dimOf(d))
	}
	return out
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
	case s.Here:
		name = "ownRow" + exported(name)
	}
	usual := f.d.Problem.Target.Variable.Sym.Type
	for _, d := range s.Dims {
		if usual.Rank == 0 || d != usual.Dims[0] {
			for _, d := range s.Dims {
				name = f.lengthened(name, d)
			}
			break
		}
	}
	return joined(name, fmt.Sprint(slot))
}

// lengthened puts a length behind a name so that d and D are two.
func (f *file) lengthened(name string, d expr.Dim) string {
	text := exported(d.String())
	if slices.ContainsFunc(f.Dims, func(o expr.Dim) bool { return o.Name != d.Name && o.Name != "" && exported(o.Name) == d.Name }) {
		return wording.Behind(name, text)
	}
	return joined(name, text)
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
		parts = append(parts, plan.DimName(f.Components))
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
	for _, d := range f.Scalars() {
		if d.Node.Type.Rank > 0 {
			names, sizes = append(names, d.Name), append(sizes, f.size(program.Shape{Dims: d.Node.Type.Dims[:d.Node.Type.Rank]}))
		}
	}
	for _, c := range f.d.Problem.Constants {
		if c.Sym.Type.Rank > 0 {
			names, sizes = append(names, methods.ConstantField(c.Sym)), append(sizes, f.size(program.Shape{Dims: c.Sym.Type.Dims[:c.Sym.Type.Rank]}))
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
	names := mentioned(stmts)
	unknown := func(d expr.Dim) bool { return !names[plan.DimName(d)] }
	return append(declareLengths(slices.DeleteFunc(slices.Clone(f.Dims), unknown)), stmts...)
}

// resize writes Sizes, Resize and allocate.
func (f *file) resize() {
	if f.Shaped() {
		defer f.allocate()
	}
	check := jen.Qual(supportModule, "CheckSizes").Call(line("&info, sizes"))
	if !f.Shaped() || f.Pinned() {
		f.add("Sizes returns nil: there are no dimensions.", short(method("Sizes").Params().Index().Int(), line("return nil")))
		f.add("Resize refuses: there are no dimensions to set.",
			short(method("Resize").Params(line("sizes []int")).Error(), jen.Return(check)))
		return
	}
	var fields, sizes []jen.Code
	for i, d := range f.Dims {
		fields, sizes = append(fields, jen.Id("p."+plan.DimName(d))), append(sizes, line("sizes[%d]", i))
	}
	f.add("Sizes returns the lengths of Info().Dims.",
		short(method("Sizes").Params().Index().Int(), jen.Return(jen.Index().Int().Values(fields...))))
	body := append([]jen.Code{ifError(check), jen.List(fields...).Op("=").List(sizes...)}, f.dropData()...)
	f.add("Resize sets the lengths of Info().Dims, drops the data and allocates the workspace.",
		method("Resize").Params(line("sizes []int")).Error().Block(append(body, line("return nil"))...))
}

// ifError leaves with the error of a call, if there is one.
func ifError(call jen.Code) jen.Code {
	return jen.If(line("err := ").Add(call), line("err != nil")).Block(line("return err"))
}

// dropData forgets the data when the lengths of dimensions are set.
func (f *file) dropData() []jen.Code {
	if f.Dataless() {
		return []jen.Code{line("p.allocate()")}
	}
	columns := viewed("", f.RowColumns())[1:]
	out := []jen.Code{line("p.Drop").Call(columns...), line("p.allocate()")}
	if f.Variational() != nil {
		return out
	}
	return append(out, line("p.prepare()").Comment("what depends on the lengths alone"))
}

// allocate writes the method that makes the workspace.
func (f *file) allocate() {
	body := append(f.forgetHelpers(), f.makeFields()...)
	for _, name := range slices.Sorted(maps.Keys(f.preparedTypes)) {
		body = append(body, f.preparedMemory("p."+name, name, jen.Id(plan.DimName(f.Components))))
	}
	if f.ByQuadrature() {
		body = append(body, jen.If(line("p.nodes == nil")).Block(line("p.SetNodes").Call(jen.Qual(module, "LeastNodes"))))
	}
	if f.Variational() != nil {
		body = append([]jen.Code{jen.If(line("p.draws == 0")).Block(line("p.draws = %d", f.d.Problem.Variational.Spec.Draws))}, body...)
		if f.Dataless() && f.Variational().Model != nil && !f.External() {
			body = append(body, line("p.One()"))
		}
		if f.Mixture() != nil {
			body = append(body, line("p.label()"))
		}
		body = append(body, jen.For(line("i := range p.drawWeights")).Block(line("p.drawWeights[i] = 1")),
			jen.Id("p.Draw").Call(jen.Qual("math/rand/v2", "New").Call(jen.Qual("math/rand/v2", "NewPCG").Call(jen.Lit(1), jen.Lit(2)))))
	}
	if f.Pinned() {
		body = append(body, jen.Id("p.allocated").Op("=").True())
	} else {
		body = append(body, jen.Id("p.blocks").Op("=").Index().Add(runtimeType("Block"), lines(f.blocks()...)))
	}
	f.add("allocate makes the workspace.", method("allocate").Params().Block(f.declareDims(body)...))
}

// makeSure makes the workspace of a model of known lengths unless it is there.
func (f *file) makeSure() []jen.Code {
	if !f.Pinned() {
		return nil
	}
	return []jen.Code{jen.If(jen.Op("!").Id("p.allocated")).Block(jen.Id("p").Dot("allocate").Call())}
}

// makeFields makes the fields of the workspace, those of one size together.
//
//	support.Make(k*d, &p.allVec0, &p.allVec1)
func (f *file) makeFields() []jen.Code {
	names, sizes := f.workspace()
	var out []jen.Code
	var order []string
	by := map[string][]jen.Code{}
	for i, name := range names {
		if by[sizes[i]] == nil {
			order = append(order, sizes[i])
			by[sizes[i]] = one(jen.Id(sizes[i]))
		}
		by[sizes[i]] = append(by[sizes[i]], jen.Id("&p."+name))
	}
	for _, size := range order {
		out = append(out, jen.Qual(supportModule, "Make").Call(by[size]...))
	}
	return out
}
