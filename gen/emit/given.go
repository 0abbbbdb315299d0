package emit

import (
	"fmt"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// given writes what a program is given, for comments and code that is written by hand.
func given(g *program.Given) string { return printer{}.given(g) }

// given writes what a program is given.
func (w printer) given(g *program.Given) string {
	switch g.Kind {
	case program.LengthOf:
		return "float64(" + w.dim(g.Dim) + ")"
	case program.DrawsOf:
		return "float64(" + drawsOf(g.Dim) + ")"
	case program.NumberOf:
		return "float64(" + w.use("comp") + ")"
	case program.LastOf:
		return "dense.Last(" + w.use("comp") + ", " + w.dim(g.Dim) + ")"
	}
	name := g.Name
	if g.Owner != "" {
		name = g.Owner + "." + name
	}
	for _, i := range g.At {
		name += fmt.Sprintf("[%d]", i)
	}
	switch p := g.Part; {
	case p == nil:
		return name
	case p.Of == program.OwnComponent && p.Type.Rank > 0:
		return w.own(name+after(p.From.Text(w.dim)), w.size(program.Shape{Dims: p.Type.Dims[:p.Type.Rank]}))
	}
	return name + w.part(g.Part)
}

// own is the part of an array that belongs to the component in whose loop one is.
func (w printer) own(array, size string) string {
	return "dense.Part(" + array + ", " + w.use("comp") + ", " + size + ")"
}

// part writes the subscript of a part of a slice.
func (w printer) part(p *program.Part) string {
	dims := p.Type.Dims[:p.Type.Rank]
	from := func() string { return p.From.Text(w.dim) }
	size := func() string { return w.size(program.Shape{Dims: dims}) }
	switch p.Of {
	case program.OwnComponent:
		return "[" + plus(from(), w.use("comp")) + "]"
	case program.OwnRow:
		if p.Type.Rank == 0 {
			return "[row]"
		}
		return "[row*" + size() + ":(row+1)*" + size() + "]"
	case program.OwnDraw:
		return "[start]"
	case program.OwnEntry:
		return "[" + plus(from(), "i") + "]"
	}
	if p.Type.Rank == 0 && !p.Type.Axes.Has(expr.Components) {
		return "[" + from() + "]"
	}
	return part(from(), methods.EndOf(p).Text(w.dim))
}

// lengthText is a length in terms of the local names of dimensions.
func lengthText(l program.Length) string { return l.Text(plan.DimName) }

func plus(from, more string) string {
	if from == "0" {
		return more
	}
	return from + "+" + more
}

// after is the subscript of all that lies behind a place.
func after(from string) string {
	if from == "0" {
		return ""
	}
	return "[" + from + ":]"
}

func part(from, to string) string {
	if from == "0" {
		from = ""
	}
	return "[" + from + ":" + to + "]"
}

// value writes what a program reads: a component's own value of what is free is 0 for the last.
func (w printer) value(g *program.Given) string {
	if p := g.Part; p != nil && p.Free && p.Of == program.OwnComponent {
		all := *p
		all.Of = program.All
		return "dense.Padded(" + w.given(g.Cut(all)) + ", " + w.use("comp") + ")"
	}
	return w.given(g)
}

// drawsOf is the number of draws: of a mixture so many of each component.
func drawsOf(components expr.Dim) string {
	switch {
	case components.Name != "":
		return "p.draws*p." + plan.DimName(components)
	case components.Size > 0:
		return fmt.Sprintf("p.draws*%d", components.Size)
	}
	return "p.draws"
}

// size is the number of entries of one value, or of those of a block of rows; "" for a number.
func (w printer) size(s program.Shape) string {
	out := ""
	times := func(name string) {
		if out != "" {
			out += "*"
		}
		out += name
	}
	if s.Block {
		times(w.use("b"))
	}
	for _, d := range s.Dims {
		times(w.dim(d))
	}
	return out
}
