// Package mutants is a list of mistakes in passes, planning, rules and emission (mutants.txt), each with the test of the same room that
// finds it. A program makes them, one at a time and without touching a file, and says which are found:
//
//	go run ./tests/mutants/run
package mutants

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed mutants.txt
var text string

// Mutant is one mistake.
type Mutant struct {
	File        string // from the root of the module
	Before      string // once in the file
	After       string // what takes its place
	Package, By string // whose tests find it, and which
}

// List reads the list.
func List() ([]Mutant, error) {
	var out []Mutant
	for _, block := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(block, "#") {
			continue
		}
		lines := strings.Split(block, "\n")
		if len(lines) != 4 {
			return nil, fmt.Errorf("a mutant has 4 lines, not %d:\n%s", len(lines), block)
		}
		room, by, _ := strings.Cut(lines[3], " ")
		out = append(out, Mutant{File: lines[0], Before: strings.TrimSpace(lines[1]), After: strings.TrimSpace(lines[2]), Package: room, By: by})
	}
	return out, nil
}

// Made is the source with the mistake; the error says that its place is not there once.
func (m Mutant) Made(source string) (string, error) {
	if n := strings.Count(source, m.Before); n != 1 {
		return "", fmt.Errorf("%s: %q is there %d times", m.File, m.Before, n)
	}
	return strings.Replace(source, m.Before, m.After, 1), nil
}
