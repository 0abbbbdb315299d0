package methods

import (
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/runtime/ranges"
)

// Handed is what a function hands to a pass, and what it gets back.
type Handed struct {
	Arrays   []string // names, those of what the pass adds to first
	Numbers  []string
	Prepared []*program.Place
	Fields   map[string]bool          // of the arrays, those that are fields of the model
	Shapes   map[string]program.Shape // of the others, those that are known
	Indices  map[string]bool          // of the numbers, those of rows
	Sums     []*program.Sum
	Largest  []*program.Sum
	Unread   map[*program.Place]bool // of the sums and their rows, those that the function has no use for
	foreign  bool                    // needs what nobody hands on
}

// HandedTo finds what goes into a pass of a program.
func HandedTo(p *program.Program, pass *program.Pass) *Handed {
	h := &Handed{Fields: map[string]bool{}, Shapes: map[string]program.Shape{}, Indices: map[string]bool{}}
	for _, s := range pass.Sums {
		if s.Max {
			h.Largest = append(h.Largest, s)
		} else {
			h.Sums = append(h.Sums, s)
		}
	}
	for _, a := range pass.Adds {
		name := a.Name
		if a.Given != nil {
			if name = a.Given.Name; a.Given.Owner == "p" {
				h.Fields[name] = true
			}
		}
		h.Arrays = append(h.Arrays, name)
	}
	h.Unread = unread(p, pass)
	types := map[*program.Place]string{}
	program.Walk(p.Body, func(s program.Stmt) {
		if l, ok := s.(*program.Prepare); ok {
			types[l.To] = l.Type
		}
	})
	arguments, places := needs(pass.Of)
	for _, a := range arguments {
		h.hand(a.name, a.number)
	}
	for _, place := range places {
		if types[place] != "" {
			h.Prepared = append(h.Prepared, place)
		} else if !slices.ContainsFunc(pass.Sums, func(s *program.Sum) bool { return s.To == place || s.Index == place }) {
			h.hand(place.Name, place.Shape.Number())
			h.Shapes[place.Name] = place.Shape
		}
	}
	foreign := func(g *program.Given) {
		h.foreign = h.foreign || g != nil && g.Owner != "" && g.Owner != "p"
	}
	program.Mentions([]program.Stmt{pass.Of}, func(place *program.Place) { foreign(place.Given) })
	program.Walk([]program.Stmt{pass.Of}, func(s program.Stmt) {
		if b, ok := s.(*program.Bind); ok {
			foreign(b.From)
		}
	})
	program.Walk([]program.Stmt{pass.Of}, func(s program.Stmt) {
		if a, ok := s.(*program.Attained); ok {
			h.Indices[a.Index.Name] = true
		}
	})
	program.Functions(pass.Of, func(_ *expr.Op, fn *expr.Lambda) {
		h.foreign = h.foreign || fn.Shaped() // it works in memory of the model
	})
	return h
}

// unread are the sums of a pass that nothing outside it mentions.
func unread(p *program.Program, pass *program.Pass) map[*program.Place]bool {
	mentions := map[*program.Place]int{}
	program.Mentions(p.Body, func(place *program.Place) { mentions[place]++ })
	program.Mentions([]program.Stmt{pass.Of}, func(place *program.Place) { mentions[place]-- })
	out := map[*program.Place]bool{}
	for _, s := range pass.Sums {
		out[s.To] = mentions[s.To] == 0
		out[s.Index] = s.Index != nil && mentions[s.Index] == 0
	}
	return out
}

// fits reports whether there is room for it.
func (h *Handed) fits() bool {
	return !h.foreign && len(h.Arrays) <= ranges.MostArrays && len(h.Numbers) <= ranges.MostNumbers &&
		len(h.Sums)+2*len(h.Largest) <= ranges.MostSums
}

func (h *Handed) hand(name string, number bool) {
	list := &h.Arrays
	if number {
		list = &h.Numbers
	}
	if !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
}

// Sum is where a sum is handed back.
func (h *Handed) Sum(s *program.Sum) int {
	if s.Max {
		return len(h.Sums) + 2*slices.Index(h.Largest, s)
	}
	return slices.Index(h.Sums, s)
}

// ofSteps reports whether a function of a posterior is called again and again, so that its passes are worth a method each: for a step, a trial of
// one, a derivative of errors. Those of a likelihood all have passes in ranges, as other processes may have some of the rows.
func ofSteps(name string) bool {
	switch name {
	case "Gradients", "NaturalGradient", "Loss", "ThetaGradient", "ThetaLoss", "ExactGradients", "ExactLoss", "Responsibilities":
		return true
	}
	return strings.HasPrefix(name, UnconstrainedPrefix)
}

// undivided is the name of a function that needs all rows in one process, "" where there is none.
func (f *Package) undivided() string {
	if f.Variational() != nil || f.d.Problem.Target.Ordered() {
		return "SetData"
	}
	for _, p := range f.Programs {
		steps := f.Functions[p.Name].Steps
		whole := false
		if at := slices.IndexFunc(steps, func(s Step) bool { return s.Program == p }); steps[at].Rows == OwnRows {
			program.Walk(p.Body, func(s program.Stmt) {
				switch s.(type) {
				case *program.Rows, *program.Blocks:
					pass, ok := program.PassOf(s)
					whole = whole || !ok || !program.IsCut(s) && len(pass.Sums)+len(pass.Adds) > 0
				}
			})
		}
		if whole {
			return p.Name
		}
	}
	return ""
}

// argument is an argument of the function that a statement belongs to.
type argument struct {
	name   string
	number bool
}

// needs finds what a statement needs of the function that it belongs to: arguments, and places that are declared in front of it.
func needs(s program.Stmt) (arguments []argument, places []*program.Place) {
	take := func(g *program.Given, shape program.Shape) {
		if g.Owner == "" && g.Kind == program.Variable && g.Table == nil &&
			!slices.ContainsFunc(arguments, func(a argument) bool { return a.name == g.Name }) {
			arguments = append(arguments, argument{g.Name, g.Part == nil && len(g.At) == 0 && shape.Number()})
		}
	}
	inner := map[*program.Place]bool{program.Weights: true}
	program.Walk([]program.Stmt{s}, func(in program.Stmt) {
		for _, p := range program.Declares(in) {
			inner[p] = true
		}
		for _, c := range program.Columns(in) {
			inner[c.To] = true
		}
		switch t := in.(type) {
		case *program.Bind:
			if t.From != nil {
				take(t.From, t.To.Shape)
			}
		case *program.Store:
			if t.To.Place.Given != nil {
				take(t.To.Place.Given, t.To.Place.Shape)
			}
		}
	})
	program.Mentions([]program.Stmt{s}, func(p *program.Place) {
		switch {
		case inner[p]:
		case p.Given != nil:
			take(p.Given, p.Shape)
		case !slices.Contains(places, p):
			places = append(places, p)
		}
	})
	return arguments, places
}
