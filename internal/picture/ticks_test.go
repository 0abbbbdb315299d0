//go:build !js

package picture

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sngdgen/sngdgen/internal/testseed"
)

// TestTicks: ticks are inside the axis, in order, two or more on every axis that is not tiny, and their labels are their numbers.
func TestTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e6, 1e6).Draw(t, "low") * math.Pow10(rapid.IntRange(-8, 8).Draw(t, "power"))
		width := rapid.Float64Range(0.01, 10).Draw(t, "width") * math.Max(math.Abs(low), 1e-9)
		ticks := few(rapid.SampledFrom([]int{fewTicks, wantedTicks}).Draw(t, "count")).Ticks(low, low+width)
		if len(ticks) < 2 || len(ticks) > 12 {
			t.Fatalf("%d ticks from %v to %v", len(ticks), low, low+width)
		}
		for i, tick := range ticks {
			if tick.Value < low-1e-6*width || tick.Value > low+width*(1+1e-6) {
				t.Fatalf("tick %v outside of %v to %v", tick.Value, low, low+width)
			}
			if i > 0 && (tick.Value <= ticks[i-1].Value || tick.Label == ticks[i-1].Label) {
				t.Fatalf("ticks %v", ticks)
			}
			x, err := strconv.ParseFloat(strings.ReplaceAll(tick.Label, "\u2212", "-"), 64)
			if err != nil || math.Abs(x-tick.Value) > 1e-3*width {
				t.Fatalf("the label of %v is %q (%v)", tick.Value, tick.Label, err)
			}
			if len([]rune(tick.Label)) > 12 {
				t.Fatalf("long label %q", tick.Label)
			}
		}
	})
}

// TestDecades: every logarithmic axis has two labelled ticks, of more than three factors of ten one at least, and no more than fifteen.
func TestDecades(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-300, 300).Draw(t, "low")
		width := rapid.Float64Range(0.01, 305-math.Max(low, 4)).Draw(t, "width")
		labelled := 0
		for _, tick := range (decades{}).Ticks(low, low+width) {
			if tick.Value < low-1e-6 || tick.Value > low+width+1e-6 {
				t.Fatalf("tick %v outside", tick.Value)
			}
			if tick.Label != "" {
				labelled++
			}
		}
		if labelled < 1 || labelled < 2 && width < 3 || labelled > 15 {
			t.Fatalf("%d labels from 1e%v to 1e%v", labelled, low, low+width)
		}
	})
}
