package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/spec"
)

// TestExperiments: likelihoods of the library that share a target are compared, all of them.
func TestExperiments(t *testing.T) {
	lib := spec.Library()
	of := map[string][]string{}
	for _, name := range lib.ProblemsOf(spec.ObjectiveMLE) {
		p := lib.Problem(name)
		target := ""
		switch {
		case p.TargetDist != nil:
			target = p.TargetDist.Name
		case p.TargetFamily != nil:
			target = p.TargetFamily.Name
		}
		if p.Components != nil {
			target = "mixture of " + target
		}
		of[target] = append(of[target], name)
	}
	several := 0
	for target, names := range of {
		if len(names) < 2 {
			continue
		}
		several++
		for _, name := range names {
			// Of targets that are numbers a file has surrogates in plenty.
			if !slices.ContainsFunc(experiments, func(e experiment) bool {
				return slices.Contains(e.specs, name) || e.name == target && strings.HasPrefix(e.specs[0], specs)
			}) {
				t.Errorf("%s of %s is in no experiment", name, target)
			}
		}
	}
	if several < 12 {
		t.Errorf("%d targets with several surrogates", several)
	}
}
