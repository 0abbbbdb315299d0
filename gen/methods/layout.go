package methods

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// Layout is where values lie one after the other in a slice.
type Layout struct {
	Places     []Place
	Components expr.Dim
}

// Place is what lies in a slice: a number, a vector or a matrix, or one of these for each component, free ones for all
// components but the last.
type Place struct {
	expr.Type
	Free bool
}

// Offset is where value i begins; that of the number of values is the whole length.
func (l Layout) Offset(i int) program.Length {
	var at program.Length
	for _, p := range l.Places[:i] {
		at = EndOf(l.part(at, p))
	}
	return at
}

// part is a place that begins at a length.
func (l Layout) part(at program.Length, p Place) *program.Part {
	return &program.Part{From: at, Type: p.Type, Components: l.Components, Free: p.Free}
}

// Size is the whole length of value i.
func (l Layout) Size() program.Length { return l.Offset(len(l.Places)) }

func (l Layout) Len(i int) program.Length { return EndOf(l.part(program.Length{}, l.Places[i])) }

func (l Layout) Add(p Place) Layout { l.Places = append(l.Places, p); return l }

// Of is value i of a slice: a number, or a part of the slice.
func (l Layout) Of(slice *program.Given, i int) *program.Given {
	return slice.Cut(*l.part(l.Offset(i), l.Places[i]))
}

// input is value i of a slice under a name.
func (l Layout) input(slice *program.Given, i int, sym *expr.Node, name string) plan.Input {
	return plan.Input{Sym: sym, Name: name, From: l.Of(slice, i)}
}

// output writes value i of a slice, vectors and matrices under a name, as symmetric as asked.
func (l Layout) output(slice *program.Given, i int, n *expr.Node, name string, symmetric bool) plan.Output {
	p := l.Places[i]
	o := plan.Output{To: l.Of(slice, i), Node: n, Type: p.Type, Symmetric: symmetric && p.Rank == 2}
	if p.Rank > 0 {
		o.Name = name
	}
	return o
}

// outputs are values that are written to a slice one after the other, under the names of the symbols whose places they
// take: where those are symmetric, so are the values.
func (l Layout) outputs(slice string, nodes, places []*expr.Node, names []string) []plan.Output {
	var out []plan.Output
	for i, n := range nodes {
		symmetric := places[i].Facts.Structure&expr.Symmetric != 0
		out = append(out, l.output(program.Argument(slice), i, n, slice+exported(names[i]), symmetric))
	}
	return out
}

// Each reports whether there is one for each component.
func (p Place) Each() bool { return p.Axes.Has(expr.Components) }

// result is what a kernel returns.
func result(n *expr.Node) plan.Output { return plan.Output{Return: true, Node: n} }

// end is where a part ends.
func EndOf(p *program.Part) program.Length {
	dims := p.Type.Dims[:p.Type.Rank]
	if !p.Type.Axes.Has(expr.Components) {
		return p.From.Plus(1, dims...)
	}
	out := p.From.Plus(1, append([]expr.Dim{p.Components}, dims...)...)
	if p.Free {
		out = out.Plus(-1, dims...)
	}
	return out
}

// outputsTo lists numbers that are written to a slice.
func outputsTo(name string, nodes []*expr.Node) []plan.Output {
	var out []plan.Output
	for i, n := range nodes {
		out = append(out, plan.Output{To: program.Argument(name).Entry(i), Node: n})
	}
	return out
}

// arraysFirst has numbers delivered last, so that one may use what an array is computed from.
func arraysFirst(k *plan.Kernel) {
	slices.SortStableFunc(k.Outputs, func(a, b plan.Output) int { return b.Type.Rank - a.Type.Rank })
}

// square lists the entries of a symmetric matrix of which each row gives all columns or those up to the diagonal.
func square(name string, rows [][]*expr.Node) []plan.Output {
	var out []plan.Output
	n := len(rows)
	for i := range n {
		for j := range n {
			a, b := max(i, j), min(i, j) // the lower triangle
			out = append(out, plan.Output{To: program.Argument(name).Entry(i*n + j), Node: rows[a][b]})
		}
	}
	return out
}
