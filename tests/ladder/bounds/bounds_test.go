package main

import (
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/engine"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

// TestPosteriors: every posterior is one of the library, and its data are what that takes.
func TestPosteriors(t *testing.T) {
	for _, p := range posteriors {
		data, err := p.data("../../../docs/data")
		if err != nil {
			t.Fatal(err)
		}
		create, diags, err := engine.Interpreted(t.Context(), spec.Library().Problem(p.problem), gen.Options{})
		if err != nil || diags.HasErrors() {
			t.Fatalf("%s: %v %v", p.problem, err, diags)
		}
		if err := estimate.Load(create(), data, 0); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
	}
}

// TestDifference: below is what chance does not explain.
func TestDifference(t *testing.T) {
	base := runtime.Estimate{Mean: -10, StandardError: 0.03}
	for _, c := range []struct {
		mean  float64
		below bool
	}{{-9, false}, {-10, false}, {-10.14, false}, {-10.16, true}} {
		text, below := difference(runtime.Estimate{Mean: c.mean, StandardError: 0.04}, base)
		if below != c.below || strings.Contains(text, "(below)") != below || !strings.Contains(text, "± 0.1") {
			t.Errorf("%v: %s, %v", c.mean, text, below)
		}
	}
}
