package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// TestCovertypes: on made data all ways are in the table, and without draws the bound is as high as any.
func TestCovertypes(t *testing.T) {
	var text strings.Builder
	text.WriteString("y,a,b,constant\n")
	rng := runtime.Stream(1, "covertypes")
	for range 40 {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		y := 0
		if a+rng.NormFloat64() > 0 {
			y = 1
		}
		fmt.Fprintf(&text, "%d,%.4f,%.4f,1\n", y, a, b)
	}
	file := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	args := []string{"-file=" + file, "-rows=30", "-seeds=1", "-repeats=1", "-steps=100", "-wide=logisticskew"}
	if err := command(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| 30 | stochastic, 100 steps | ", "| 30 | 100 fixed draws | ", "| 30 | without draws | ", "| 30 | skew_normal_moments | ", "| bound converged |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "{") {
		t.Errorf("a table is missing:\n%s", out.String())
	}
}
