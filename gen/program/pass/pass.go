// Package pass is what is done to a program after it has been written, as a list: each pass takes a program and leaves one that
// computes the same. A pass knows the program alone, not what it came from; what it needs of it, and what holds after it, is in the
// table, whose order is checked when it is used.
package pass

import (
	"fmt"
	"slices"

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
var Written = []Property{Formulas, Components}

// Needed are those of a program that is printed or run.
var Needed = []Property{Formulas, Components, Memory}

// Pass changes a program.
type Pass struct {
	Name                  string
	Doc                   string // one sentence
	Requires, Establishes []Property
	// Optional is true where a program without it is as right, and larger or slower.
	Optional bool
	Run      func(*program.Program) error
}

// Passes are all passes in their order.
var Passes = []Pass{
	{
		Name: "unread", Doc: "Inputs that nothing reads are not named: those that cancel where a formula is written entry by entry.",
		Requires: []Property{Formulas, Components}, Optional: true, Run: dropUnread,
	},
	{
		Name: "slots", Doc: "Every array has a slot of memory of its own.",
		Requires: []Property{Formulas, Components}, Establishes: []Property{Memory}, Run: ownSlots,
	},
	{
		Name: "share", Doc: "Arrays of one shape that are not in use at the same time share a slot.",
		Requires: []Property{Memory}, Optional: true, Run: shareSlots,
	},
}

// Options change what is done: passes may be left out, and somebody may look at the program after each.
type Options struct {
	Without []string
	After   func(name string, p *program.Program)
}

// order is what is wrong with the table.
var order = Check(Passes)

// Check returns what is wrong with the order of passes: what each requires must hold by then, also without those that are optional,
// and in the end what is needed.
func Check(passes []Pass) error {
	held := slices.Clone(Written)
	missing := func(list []Property) Property {
		for _, p := range list {
			if !slices.Contains(held, p) {
				return p
			}
		}
		return ""
	}
	names := map[string]bool{}
	for _, p := range passes {
		if names[p.Name] {
			return fmt.Errorf("two passes are called %s", p.Name)
		}
		names[p.Name] = true
		if m := missing(p.Requires); m != "" {
			return fmt.Errorf("%s requires %s, which no pass before it establishes", p.Name, m)
		}
		if !p.Optional {
			held = append(held, p.Establishes...)
		}
	}
	if m := missing(Needed); m != "" {
		return fmt.Errorf("no pass establishes %s", m)
	}
	return nil
}

// Run runs the passes.
func Run(p *program.Program, o Options) error {
	if order != nil {
		return order
	}
	for _, q := range Passes {
		if q.Optional && slices.Contains(o.Without, q.Name) {
			continue
		}
		if err := q.Run(p); err != nil {
			return fmt.Errorf("%s: %w", q.Name, err)
		}
		if o.After != nil {
			o.After(q.Name, p)
		}
	}
	return nil
}

// dropUnread leaves out what is named and not mentioned again.
func dropUnread(p *program.Program) error {
	mentioned := map[*program.Place]bool{}
	program.Mentions(p.Body, func(place *program.Place) { mentioned[place] = true })
	p.Body = slices.DeleteFunc(p.Body, func(s program.Stmt) bool {
		bind, ok := s.(*program.Bind)
		return ok && !mentioned[bind.To]
	})
	return nil
}
