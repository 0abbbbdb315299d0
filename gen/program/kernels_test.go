package program_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/gen/program"
)

// A row of the table of kernels has all that is asked of it, and what it says of its operands and of other rows is so.
func TestKernelRows(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(program.Kernels())) {
		k := program.Kernels()[name]
		operands := map[string]program.Param{}
		for _, p := range k.Params {
			if _, twice := operands[p.Name]; p.Name == "" || twice {
				t.Errorf("%s: two operands are called %q", name, p.Name)
			}
			operands[p.Name] = p
		}
		switch {
		case k.Flops == nil:
			t.Errorf("%s: it is not said how many flops it takes", name)
		case k.Reference == nil:
			t.Errorf("%s has no reference", name)
		case len(k.Params) == 0:
			t.Errorf("%s has no operands", name)
		}
		results := 0
		for _, p := range k.Params {
			if p.Access == program.Writes || p.Access == program.Updates {
				results++
			}
			for _, axis := range p.Axes {
				if of, ok := operands[axis]; ok && !of.Length {
					t.Errorf("%s: %s is as long as %s, which is no length", name, p.Name, axis)
				}
			}
			if _, ok := operands[p.May]; p.May != "" && !ok {
				t.Errorf("%s: %s may be the memory of %s, which is no operand", name, p.Name, p.May)
			}
		}
		if results == 0 && !k.Returns && !k.Test {
			t.Errorf("%s has no results", name)
		}
		for _, less := range k.Less {
			part := program.Kernels()[less]
			if part == nil {
				t.Errorf("%s: there is no kernel %s, which is to compute some of its results", name, less)
				continue
			}
			var left []string
			for _, p := range part.Params {
				left = append(left, p.Name)
			}
			var same []string
			for _, p := range k.Params {
				if slices.Contains(left, p.Name) {
					same = append(same, p.Name)
				} else if p.Access != program.Writes {
					t.Errorf("%s: %s does without %s, which is no result", name, less, p.Name)
				}
			}
			if !slices.Equal(same, left) || len(left) == len(k.Params) {
				t.Errorf("%s has not the operands of %s without some results, in their order: %v", less, name, left)
			}
		}
	}
}
