package pass

import (
	"fmt"
	"slices"
)

// Row is what a table of passes, or of the steps in which a program is written, says of one.
type Row struct {
	Name                  string
	Doc                   string // one sentence
	Requires, Establishes []Property
	// After are those that come before it, where they are not left out.
	After []string
	// Optional is true where a program without it is as right, and larger or slower.
	Optional bool
}

// Check returns what is wrong with the order of a table: what each requires must hold by then, also without those that are optional,
// what it is to come after must, and in the end what is needed must hold.
func Check(rows []Row, held, needed []Property) error {
	held = slices.Clone(held)
	missing := func(list []Property) Property {
		for _, p := range list {
			if !slices.Contains(held, p) {
				return p
			}
		}
		return ""
	}
	names := map[string]bool{}
	for _, p := range rows {
		if names[p.Name] {
			return fmt.Errorf("two passes are called %s", p.Name)
		}
		names[p.Name] = true
		if m := missing(p.Requires); m != "" {
			return fmt.Errorf("%s requires %s, which no pass before it establishes", p.Name, m)
		}
		for _, before := range p.After {
			if !names[before] {
				return fmt.Errorf("%s comes after %s, which is not before it", p.Name, before)
			}
		}
		if !p.Optional {
			held = append(held, p.Establishes...)
		}
	}
	if m := missing(needed); m != "" {
		return fmt.Errorf("no pass establishes %s", m)
	}
	return nil
}
