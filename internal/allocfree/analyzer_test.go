package allocfree_test

import (
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/sngdgen/sngdgen/internal/allocfree"
)

func TestSteps(t *testing.T) {
	results := analysistest.Run(t, analysistest.TestData(), allocfree.Analyzer, "steps")
	checked := results[0].Result.(allocfree.Result)
	names := []string{
		"(*Model).Gradients", "(*memory).Dual", "(*memory).Batch", "(*memory).grow", "root", "deeper", "larger",
	}
	for _, name := range names {
		if !slices.Contains(checked, name) {
			t.Errorf("%s was not checked", name)
		}
	}
	for _, name := range []string{"New", "(*Model).SetData", "unreached", "Violation"} {
		if slices.Contains(checked, name) {
			t.Errorf("%s was checked: no step reaches it", name)
		}
	}
}

func TestWhole(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), allocfree.Whole, "whole")
}

// TestAssembly: what may be assembly, and what it may be lent.
func TestAssembly(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), allocfree.Whole, "github.com/sngdgen/sngdgen/runtime/vector")
}
