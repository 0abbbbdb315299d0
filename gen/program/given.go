package program

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
)

// Given is a number or memory that a program is given, and may write to: an argument of the function, a field of the model, or a
// part of one of these.
type Given struct {
	Kind  Kind
	Owner string // of a field: p is the model; "" for arguments
	Name  string
	At    []int     // subscripts that are numbers
	Dim   expr.Dim  // of the kinds that are made of a length
	Part  *Part     // of a slice; nil for all of it, and for numbers
	Table []float64 // of numbers that are known when the code is written; nil for others
	Lower bool      // of a symmetric matrix nothing is there above the diagonal, unless the program mirrors it
}

// Kind is what a program is given.
type Kind int

// The kinds.
const (
	Variable Kind = iota // an argument or a field
	LengthOf             // a length, as a number
	DrawsOf              // the number of draws, for each of so many components as Dim says, as a number
	NumberOf             // the number of the component in whose loop one is
	LastOf               // 1 in the loop for the last component, 0 for the others
)

// Part is a part of a slice in which values lie one after the other.
type Part struct {
	From Length
	// Type is what lies there: a number, a vector or a matrix, or with the axis of the components one for each.
	Type       expr.Type
	Components expr.Dim
	Free       bool // one for each component but the last, of which it is 0
	Of         Owner
}

// Owner says whose value of a part is meant.
type Owner int

// The owners.
const (
	All          Owner = iota // all values
	OwnComponent              // that of the component in whose loop one is
	OwnRow                    // that of the row which is an argument
	OwnDraw                   // the row that begins at the place start
	OwnEntry                  // entry i
)

// Argument is an argument of the function.
func Argument(name string) *Given { return &Given{Name: name} }

// Field is a field of what belongs to an owner: p is the model.
func Field(owner, name string) *Given { return &Given{Owner: owner, Name: name} }

// Table is an array of numbers that are known when the code is written.
func Table(name string, values []float64) *Given { return &Given{Name: name, Table: values} }

// Tables are the arrays of numbers that are known when the code is written.
type Tables struct{ list []*Place }

// Place returns the place of a table, the same one for the same numbers.
func (t *Tables) Place(values []float64) *Place {
	for _, p := range t.list {
		if slices.Equal(p.Given.Table, values) {
			return p
		}
	}
	name := fmt.Sprintf("table%d", len(t.list))
	p := &Place{Name: name, Given: Table(name, values), Shape: Shape{Dims: []expr.Dim{{Size: len(values)}}}}
	t.list = append(t.list, p)
	return p
}

// All lists the tables.
func (t *Tables) All() []*Place { return t.list }

// Entry is an entry of a slice.
func (g *Given) Entry(at ...int) *Given {
	out := *g
	out.At = append(append([]int(nil), g.At...), at...)
	return &out
}

// Cut is a part of a slice.
func (g *Given) Cut(p Part) *Given {
	out := *g
	out.Part = &p
	return &out
}

// Varies reports whether it is one for each component, all of which are meant.
func (g *Given) Varies() bool {
	return g.Part != nil && g.Part.Of == All && g.Part.Type.Axes.Has(expr.Components) || g.Kind == NumberOf || g.Kind == LastOf
}

// Own is a component's own value of what varies over the components.
func (g *Given) Own() *Given {
	if g.Part == nil || !g.Varies() {
		return g
	}
	p := *g.Part
	p.Of = OwnComponent
	return g.Cut(p)
}

// Entries is entry i of memory, in a loop over its entries.
func (g *Given) Entries() *Given {
	p := Part{}
	if g.Part != nil {
		p = *g.Part
	}
	p.Of = OwnEntry
	return g.Cut(p)
}

// Shape is that of the number or the memory, as far as it is known.
func (g *Given) Shape() Shape {
	if g.Part == nil || g.Part.Of == OwnEntry {
		return Shape{}
	}
	s := Shape{Dims: g.Part.Type.Dims[:g.Part.Type.Rank]}
	s.Stacked = g.Part.Type.Axes.Has(expr.Components) && g.Part.Of == All
	return s
}

// String names it in the text of programs.
func (g *Given) String() string {
	name := g.Name
	if g.Owner != "" {
		name = g.Owner + "." + name
	}
	switch g.Kind {
	case LengthOf:
		return "length(" + g.Dim.String() + ")"
	case DrawsOf:
		return "draws(" + g.Dim.String() + ")"
	case NumberOf:
		return "component()"
	case LastOf:
		return "last(" + g.Dim.String() + ")"
	}
	for _, i := range g.At {
		name += fmt.Sprintf("[%d]", i)
	}
	if g.Part != nil {
		name += g.Part.String()
	}
	return name
}

// String writes where a part begins and what lies there; a number that is one alone has its place alone.
func (p *Part) String() string {
	core := p.Type
	core.Axes = 0
	each := p.Type.Axes.Has(expr.Components)
	var what []string
	if each && p.Of == All {
		count := p.Components.String()
		if p.Free {
			count += "-1"
		}
		what = append(what, count, "of")
	}
	if p.Of != All {
		what = append(what, owners[p.Of])
	}
	if p.Free && p.Of == OwnComponent {
		what = append(what, "free")
	}
	if each || core.Rank > 0 {
		what = append(what, core.String())
	}
	if len(what) == 0 {
		return "[" + p.From.String() + "]"
	}
	return "[" + p.From.String() + ": " + strings.Join(what, " ") + "]"
}

var owners = [...]string{"", "the component's", "the row's", "the draw's", "the entry's"}
