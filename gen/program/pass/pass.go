// Package pass is what is done to a program after it has been written, as a list: each pass takes a program and leaves one that
// computes the same. A pass knows the program alone, not what it came from; what it needs of it, and what holds after it, is in the
// table, whose order is checked when it is used.
package pass

import (
	"fmt"
	"slices"
	"sync"

	"github.com/sngdgen/sngdgen/gen/program"
)

// Property is something that holds of a program.
type Property string

// The properties.
const (
	Formulas   Property = "formulas"   // statements have the formulas that they compute
	Components Property = "components" // what loops over the components use of each other is in memory
	Memory     Property = "memory"     // arrays have slots
)

// Written are those of a program that has been written.
var Written = []Property{Formulas}

// Needed are those of a program that is printed or run.
var Needed = []Property{Formulas, Components, Memory}

// Pass changes a program.
type Pass struct {
	Row
	Run func(*program.Program, *Names) error
}

// Passes are all passes in their order.
var Passes = []Pass{
	{Row{Name: "sink", Doc: "What one loop over the components computes for later ones alone is computed in the first of these.",
		Requires: []Property{Formulas}, Optional: true}, sink},
	{Row{Name: "spill", Doc: "What loops over the components use of each other is kept in memory for all components.",
		Requires: []Property{Formulas}, After: []string{"sink"}, Establishes: []Property{Components}}, spill},
	{Row{Name: "fuse", Doc: "Loops over the same entries that follow each other are one, and what the second reads of the first is a number.",
		Requires: []Property{Formulas, Components}, Optional: true}, fuse},
	{Row{Name: "hoist", Doc: "Numbers that stay the same in a loop over entries or rows are computed in front of it, and factors of products too.",
		Requires: []Property{Formulas, Components}, After: []string{"fuse"}, Optional: true}, hoist},
	{Row{Name: "invariant", Doc: "What is the same in all rows of a block, column by column, is computed once, as a vector.",
		Requires: []Property{Formulas, Components}, After: []string{"fuse", "hoist"}, Optional: true}, invariant},
	{Row{Name: "common", Doc: "What several statements compute of the same numbers is computed once.",
		Requires: []Property{Formulas, Components}, After: []string{"fuse", "hoist", "invariant"}, Optional: true}, common},
	{Row{Name: "blockwise", Doc: "Functions that cost less for many numbers are called once for the rows of a block, between loops that store what they are of and read what comes out.",
		Requires: []Property{Formulas, Components}, After: []string{"fuse", "hoist", "common"}, Optional: true}, blockwise},
	{Row{Name: "idioms", Doc: "Loops over entries that do what there is a kernel for are calls of it.",
		Requires: []Property{Formulas, Components}, After: []string{"fuse", "hoist", "common", "blockwise"}, Optional: true}, idioms},
	{Row{Name: "peephole", Doc: "Calls that one kernel does together are one, where nothing else reads what they hand on.",
		Requires: []Property{Formulas, Components}, After: []string{"spill", "idioms"}, Optional: true}, peephole},
	{Row{Name: "triangular", Doc: "Products with lower triangular matrices, and with their transposes, leave out what is 0; of solves and sums what is wanted of them is computed.",
		Requires: []Property{Formulas, Components}, After: []string{"spill", "idioms"}, Optional: true}, triangular},
	{Row{Name: "quotients", Doc: "Products that a loop over rows divides by the same number are multiplied by its inverse.",
		Requires: []Property{Formulas, Components}, After: []string{"common", "blockwise", "idioms"}, Optional: true}, quotients},
	{Row{Name: "dead", Doc: "Numbers and arrays that nothing reads are not computed.",
		Requires: []Property{Formulas, Components}, After: []string{"fuse", "common", "blockwise", "idioms", "triangular"}, Optional: true}, dead},
	{Row{Name: "substitute", Doc: "Numbers that are used once, and have no name that says something, are part of the formula that uses them.",
		Requires: []Property{Formulas, Components}, After: []string{"common", "blockwise", "idioms", "dead"}, Optional: true}, substitute},
	{Row{Name: "unread", Doc: "Inputs that nothing reads are not named: those that cancel where a formula is written entry by entry.",
		Requires: []Property{Formulas, Components}, After: []string{"dead"}, Optional: true}, dropUnread},
	{Row{Name: "slots", Doc: "Every array has a slot of memory of its own.",
		Requires: []Property{Formulas, Components}, Establishes: []Property{Memory}}, ownSlots},
	{Row{Name: "share", Doc: "Arrays of one shape that are not in use at the same time share a slot.",
		Requires: []Property{Memory}, Optional: true}, shareSlots},
}

// Options change what is done: passes may be left out, and somebody may look at the program before and after each.
type Options struct {
	Without       []string
	Before, After func(name string, p *program.Program)
	// Reserved reports whether a name may not be given to anything, also where the program does not have it.
	Reserved func(name string) bool
}

// order is what is wrong with the table.
var order = sync.OnceValue(func() error { return Check(Rows(), Written, Needed) })

// Rows is what the table says of the passes.
func Rows() []Row {
	out := make([]Row, len(Passes))
	for i, p := range Passes {
		out[i] = p.Row
	}
	return out
}

// Holds reports whether a property holds after the pass of that name.
func Holds(what Property, after string) bool {
	for _, p := range Passes {
		if slices.Contains(p.Establishes, what) {
			return true
		}
		if p.Name == after {
			return false
		}
	}
	return false
}

// Run runs the passes.
func Run(p *program.Program, o Options) error {
	if err := order(); err != nil {
		return err
	}
	names := namesOf(p, o.Reserved)
	for _, q := range Passes {
		if q.Optional && slices.Contains(o.Without, q.Name) {
			continue
		}
		if o.Before != nil {
			o.Before(q.Name, p)
		}
		if err := q.Run(p, names); err != nil {
			return fmt.Errorf("%s: %w", q.Name, err)
		}
		if o.After != nil {
			o.After(q.Name, p)
		}
	}
	return nil
}

// One runs one pass, by its name.
func One(name string, p *program.Program) error {
	i := slices.IndexFunc(Passes, func(q Pass) bool { return q.Name == name })
	if i < 0 {
		return fmt.Errorf("there is no pass %s", name)
	}
	return Passes[i].Run(p, namesOf(p, nil))
}

// dropUnread leaves out what is named and not mentioned again where the name is known.
func dropUnread(p *program.Program, _ *Names) error {
	unreadIn(&p.Body)
	return nil
}

func unreadIn(body *[]program.Stmt) {
	mentioned := map[*program.Place]bool{}
	program.Mentions(*body, func(place *program.Place) { mentioned[place] = true })
	for _, s := range *body {
		if rows, ok := s.(*program.Rows); ok {
			rows.Columns = slices.DeleteFunc(rows.Columns, func(c program.Column) bool { return !mentioned[c.To] })
		}
		for _, inner := range program.Bodies(s) {
			unreadIn(inner)
		}
	}
	*body = slices.DeleteFunc(*body, func(s program.Stmt) bool {
		bind, ok := s.(*program.Bind)
		return ok && !mentioned[bind.To]
	})
}
