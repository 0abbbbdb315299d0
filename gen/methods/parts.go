package methods

import (
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/pass"
)

// A function that computes some of what another one computes may be a part of it: planned as the whole, without what only the rest needs. Then both
// have stages and passes over the rows in common. It is a part where that takes at most 3 percent more flops than a program of its own.

// partSizes are where work is compared, mostWork how much more a part may do, for what it has in common with the whole.
var partSizes = []program.Sizes{{Dim: 4, Rows: 256, Components: 3}, {Dim: 30, Rows: 256, Components: 3}, {Dim: 30, Rows: 30, Components: 3}}

const mostWork = 1.03

// addPart makes a program the next one of a function, or in its place the part of another function that computes the same, where this pays.
func (f *Package) addPart(name string, alone *plan.Program, of string, w pass.Wanted, c called) {
	part := f.part(alone, of, w)
	if part == nil {
		f.append(name, alone, c)
		return
	}
	f.append(name, part, c)
	steps := f.Functions[name].Steps
	steps[len(steps)-1].PartOf = of
}

// part is the part of a function with the outputs that are wanted, nil where it takes more work than what is planned for these alone.
func (f *Package) part(alone *plan.Program, of string, w pass.Wanted) *plan.Program {
	if f.drawing() || !passesRows(alone.Program) {
		return nil
	}
	whole := f.Functions[of].Steps[0].Program
	slice := func(kept pass.Kept) *program.Program {
		w.Kept = kept
		if p := pass.Slice(whole, w); p != nil && !dearer(p, alone.Program) {
			return p
		}
		return nil
	}
	best := slice(pass.NoNumbers)
	if best == nil {
		return nil // with more numbers it takes more work
	}
	for _, kept := range []pass.Kept{pass.AllNumbers, pass.RowNumbers, pass.Numbers} {
		if p := slice(kept); p != nil {
			best = p
			break
		}
	}
	out := *alone
	out.Program, out.Budget = best, plan.BudgetOf(best)
	return &out
}

// passesRows reports whether a program goes over the rows.
func passesRows(p *program.Program) bool {
	found := false
	program.Walk(p.Body, func(s program.Stmt) {
		switch s.(type) {
		case *program.Rows, *program.Blocks:
			found = true
		}
	})
	return found
}

// dearer reports whether a part takes noticeably more work than another program, where there are few rows or many.
func dearer(part, alone *program.Program) bool {
	for _, s := range partSizes {
		if part.Count(s).Flops > mostWork*alone.Count(s).Flops {
			return true
		}
	}
	return false
}

// naturalPart is what NaturalGradient gives of what Gradients does: v, and of auxiliary parameters the ordinary gradient, c.
func (f *Package) naturalPart() pass.Wanted {
	auxiliary := map[string]bool{} // by where they begin
	at := f.CoordLayout()
	for i, c := range f.d.Surrogate.Coords {
		if c.Auxiliary {
			auxiliary[at.Offset(i).String()] = true
		}
	}
	return pass.Wanted{Output: func(g *program.Given) *program.Given {
		if g.Owner != "" || g.Part == nil || g.Name != "v" && g.Name != "c" {
			return g
		}
		ordinary := auxiliary[g.Part.From.String()]
		if ordinary != (g.Name == "c") {
			return nil
		}
		to := *g
		to.Name = "v"
		return &to
	}}
}
