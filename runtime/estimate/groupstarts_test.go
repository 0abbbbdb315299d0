package estimate_test

import (
	"testing"

	"github.com/sngdgen/sngdgen/generated/normalmix"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// TestStartsDiffer: a search makes as many starts as it is to, and hardly one of them twice.
func TestStartsDiffer(t *testing.T) {
	m := new(normalmix.Model)
	if err := estimate.Load(m, runtime.Data{Values: threeMixed()[:150]}, 3); err != nil {
		t.Fatal(err)
	}
	losses, err := estimate.StartLosses(m, 100)
	if err != nil {
		t.Fatal(err)
	}
	different := map[float64]bool{}
	for _, f := range losses {
		different[f] = true
	}
	if len(losses) != 100 || len(different) < 95 {
		t.Errorf("%d starts, %d different", len(losses), len(different))
	}
}
