package pass

import (
	"slices"

	"github.com/sngdgen/sngdgen/gen/program"
)

// Wanted is what is wanted of a program.
type Wanted struct {
	// Output is where the program is to write what it writes to an argument: nil for what is not wanted.
	Output func(*program.Given) *program.Given
	// Kept says which numbers that nothing needs are computed all the same where what they are made of is there anyway, so that more of the program
	// stays as it is.
	Kept Kept
}

// Kept says which numbers are kept.
type Kept int

// The numbers that may be kept.
const (
	NoNumbers  Kept = 0
	Numbers    Kept = 1 // but for those of rows and sums over these
	RowNumbers Kept = 2 // those of rows and sums over these
	AllNumbers      = Numbers | RowNumbers
)

// Slice is a copy of a program that has passed all passes, without its result, with some of its outputs and what is computed for these. Conditions stay; so do
// places with their slots, but for the names of outputs that go elsewhere. It is nil where outputs that are wanted are made of what others hold.
func Slice(p *program.Program, w Wanted) *program.Program {
	out := *p
	unwanted := map[*program.Place]bool{}
	out.Body = program.Copy(p.Body, func(place *program.Place) {
		if place.Given == nil {
			return
		}
		switch to := w.Output(place.Given); {
		case to == nil:
			unwanted[place] = true
		case to.Name != place.Given.Name:
			place.Given, place.Name = to, to.String()
		}
	})
	program.Walk(out.Body, func(s program.Stmt) {
		b, ok := s.(*program.Bind)
		if !ok || b.From == nil {
			return
		}
		switch to := w.Output(b.From); {
		case to == nil:
			unwanted[b.To] = true
		case to.Name != b.From.Name:
			b.To.Name = to.Name + b.To.Name[len(b.From.Name):] // cMu of c is vMu of v
			b.From = to
		}
	})
	withoutResult(&out.Body)
	l := livenessOf(out.Body, unwanted)
	if w.Kept != NoNumbers {
		l.keepNumbers(w.Kept)
	}
	l.sweep(&out.Body)
	unreadIn(&out.Body)
	lessRead(out.Body)
	for place := range unwanted {
		if l.needed[place] {
			return nil
		}
	}
	return &out
}

// withoutResult takes out what a function returns.
func withoutResult(body *[]program.Stmt) {
	*body = slices.DeleteFunc(*body, func(s program.Stmt) bool {
		_, result := s.(*program.Return)
		return result
	})
}

// lessRead takes out columns that a pass does not mention any more, and the weights of rows where nothing is weighted.
func lessRead(body []program.Stmt) {
	program.Walk(body, func(s program.Stmt) {
		blocks, ok := s.(*program.Blocks)
		if !ok {
			return
		}
		mentioned := map[*program.Place]bool{}
		program.Mentions(blocks.Body, func(p *program.Place) { mentioned[p] = true })
		blocks.Columns = slices.DeleteFunc(blocks.Columns, func(c program.Column) bool { return !mentioned[c.To] })
		blocks.Weights = blocks.Weights && (mentioned[program.Weights] || weighted(blocks.Body))
	})
}

// weighted reports whether loops weight rows.
func weighted(body []program.Stmt) (found bool) {
	program.Walk(body, func(s program.Stmt) {
		if each, ok := s.(*program.Each); ok {
			found = found || len(each.Sums) > 0 || slices.ContainsFunc(each.Writes, func(w *program.Write) bool { return w.Weighted })
		}
	})
	return found
}
