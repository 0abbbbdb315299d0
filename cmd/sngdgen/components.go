package main

import (
	"errors"
	"fmt"

	"github.com/sngdgen/sngdgen/spec"
)

// parseCounts reads numbers of components, as spec.ParseComponents does.
func parseCounts(text string) ([]int, error) {
	counts, err := spec.ParseComponents(text)
	if err != nil {
		return nil, fmt.Errorf("--components %s: %w", text, err)
	}
	return counts, nil
}

// pinned returns the number of components that a problem pins, 0 if it leaves the number open.
func pinned(p *spec.Problem) int {
	if p.Components == nil {
		return 0
	}
	for _, d := range p.Dimensions {
		if d.Name == p.Components.Name {
			return d.Size
		}
	}
	return p.Components.Size
}

// checkCounts reports numbers of components that the problem cannot have.
func checkCounts(p *spec.Problem, counts []int) error {
	fixed := pinned(p)
	switch {
	case len(counts) == 0:
		return nil
	case p.Components == nil:
		return usageError{fmt.Errorf("--components is for mixtures: %s is none", p.Package)}
	case fixed > 0 && (len(counts) > 1 || counts[0] != fixed):
		return usageError{fmt.Errorf("--components: the spec of %s pins their number to %d", p.Package, fixed)}
	}
	return nil
}

// checkCount is checkCounts of a flag that takes one number, 0 where it is not given.
func checkCount(p *spec.Problem, count int) error {
	if count == 0 {
		return nil
	}
	return checkCounts(p, []int{count})
}

// needCounts reports a mixture of nobody knows how many components.
func needCounts(p *spec.Problem, counts []int) error {
	if p.Components == nil || len(counts) > 0 || pinned(p) > 0 {
		return nil
	}
	return fmt.Errorf("%s is a mixture, and nothing says of how many components\n"+
		"hint: --components=3 fits three, --components=1..8 compares one to eight; pinned in the spec it is dimensions: {%s: 3}",
		p.Package, p.Components.Name)
}

// errFloor is the error about a floor of the weights of what has none.
var errFloor = errors.New("--weight-floor is for mixtures")

// checkFloor reports a floor that is of no use.
func checkFloor(p *spec.Problem, floor float64) error {
	if floor > 0 && p.Components == nil {
		return usageError{fmt.Errorf("%w: %s is none", errFloor, p.Package)}
	}
	return nil
}
