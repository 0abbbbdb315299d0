package emit

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// place is what lies in a slice: a number, a vector or a matrix, or one of these for each component, free ones for all
// components but the last.
type place struct {
	expr.Type
	free bool
}

// each reports whether there is one for each component.
func (p place) each() bool { return p.Axes.Has(expr.Components) }

// layout is where values lie one after the other in a slice.
type layout struct {
	places     []place
	components expr.Dim
}

// offset is where value i begins; that of the number of values is the whole length.
func (l layout) offset(i int) program.Length {
	var at program.Length
	for _, p := range l.places[:i] {
		at = end(l.part(at, p))
	}
	return at
}

// part is a place that begins at a length.
func (l layout) part(at program.Length, p place) *program.Part {
	return &program.Part{From: at, Type: p.Type, Components: l.components, Free: p.free}
}

// size is the whole length, len that of value i.
func (l layout) size() program.Length     { return l.offset(len(l.places)) }
func (l layout) len(i int) program.Length { return end(l.part(program.Length{}, l.places[i])) }
func (l layout) add(p place) layout       { l.places = append(l.places, p); return l }

// of is value i of a slice: a number, or a part of the slice.
func (l layout) of(slice *program.Given, i int) *program.Given {
	return slice.Cut(*l.part(l.offset(i), l.places[i]))
}

// input is value i of a slice under a name.
func (l layout) input(slice *program.Given, i int, sym *expr.Node, name string) plan.Input {
	return plan.Input{Sym: sym, Name: name, From: l.of(slice, i)}
}

// output writes value i of a slice, vectors and matrices under a name, as symmetric as asked.
func (l layout) output(slice *program.Given, i int, n *expr.Node, name string, symmetric bool) plan.Output {
	p := l.places[i]
	o := plan.Output{To: l.of(slice, i), Node: n, Type: p.Type, Symmetric: symmetric && p.Rank == 2}
	if p.Rank > 0 {
		o.Name = name
	}
	return o
}

// outputs are values that are written to a slice one after the other, under the names of the symbols whose places they
// take: where those are symmetric, so are the values.
func (l layout) outputs(slice string, nodes, places []*expr.Node, names []string) []plan.Output {
	var out []plan.Output
	for i, n := range nodes {
		symmetric := places[i].Facts.Structure&expr.Symmetric != 0
		out = append(out, l.output(program.Argument(slice), i, n, slice+exported(names[i]), symmetric))
	}
	return out
}

// result is what a kernel returns.
func result(n *expr.Node) plan.Output { return plan.Output{Return: true, Node: n} }

// length is that of a dimension as a number, an input of kernels.
func (f *file) length(d expr.Dim) plan.Input {
	return plan.Input{Sym: f.d.Problem.Graph.DimNode(d), From: &program.Given{Kind: program.LengthOf, Dim: d}}
}
