package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// given writes what a program is given.
func given(g *program.Given) string {
	switch g.Kind {
	case program.LengthOf:
		return "float64(" + plan.DimName(g.Dim) + ")"
	case program.DrawsOf:
		return "float64(" + drawsOf(g.Dim) + ")"
	case program.NumberOf:
		return "float64(comp)"
	case program.LastOf:
		return "dense.Last(comp, " + plan.DimName(g.Dim) + ")"
	}
	name := g.Name
	if g.Owner != "" {
		name = g.Owner + "." + name
	}
	for _, i := range g.At {
		name += fmt.Sprintf("[%d]", i)
	}
	if g.Part == nil {
		return name
	}
	return name + ownPart(name, g.Part)
}

// ownPart writes the subscript of a part of a slice; what stands in front of it for a value that has no place in the slice.
func ownPart(slice string, p *program.Part) string {
	from, dims := p.From, p.Type.Dims[:p.Type.Rank]
	size := lengthText(program.Length{}.Plus(1, dims...))
	switch p.Of {
	case program.OwnComponent:
		if p.Type.Rank == 0 {
			return "[" + plus(lengthText(from), "comp") + "]"
		}
		size = sizeText(program.Shape{Dims: dims})
		return part(plus(lengthText(from), "comp*"+size), plus(lengthText(from), "(comp+1)*"+size))
	case program.OwnRow:
		if p.Type.Rank == 0 {
			return "[row]"
		}
		return "[row*" + size + ":(row+1)*" + size + "]"
	case program.OwnDraw:
		return "[start]"
	case program.OwnEntry:
		return "[" + plus(lengthText(from), "i") + "]"
	}
	if p.Type.Rank == 0 && !p.Type.Axes.Has(expr.Components) {
		return "[" + lengthText(from) + "]"
	}
	return part(lengthText(from), lengthText(end(p)))
}

// end is where a part ends.
func end(p *program.Part) program.Length {
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

// lengthText is a length in terms of the local names of dimensions.
func lengthText(l program.Length) string { return l.Text(plan.DimName) }

func plus(from, more string) string {
	if from == "0" {
		return more
	}
	return from + "+" + more
}

func part(from, to string) string {
	if from == "0" {
		from = ""
	}
	return "[" + from + ":" + to + "]"
}

// value writes what a program reads: a component's own value of what is free is 0 for the last.
func value(g *program.Given) *jen.Statement {
	if p := g.Part; p != nil && p.Free && p.Of == program.OwnComponent {
		all := *p
		all.Of = program.All
		return jen.Id("dense.Padded(" + given(g.Cut(all)) + ", comp)")
	}
	return jen.Id(given(g))
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

// sizeText is the number of entries of one value, or of those of a block of rows; "" for a number.
func sizeText(s program.Shape) string {
	out := ""
	times := func(name string) {
		if out != "" {
			out += "*"
		}
		out += name
	}
	if s.Block {
		times("b")
	}
	for _, d := range s.Dims {
		times(plan.DimName(d))
	}
	return out
}
