//go:build !js

package picture

import (
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
)

// TestThinned: a line keeps its ends, loses points, and none of them is farther from what is left than nobody sees.
func TestThinned(t *testing.T) {
	var line []vg.Point
	for i := range 400 {
		line = append(line, vg.Point{X: vg.Length(i), Y: vg.Length(80 * math.Sin(float64(i)/60))})
	}
	short := thinned(line)
	if len(short) > len(line)/3 || short[0] != line[0] || short[len(short)-1] != line[len(line)-1] {
		t.Fatalf("%d of %d points", len(short), len(line))
	}
	for _, p := range line {
		near := vg.Length(math.Inf(1))
		for i := 1; i < len(short); i++ {
			near = min(near, distance(p, short[i-1], short[i]))
		}
		if near > unseen*1.001 {
			t.Errorf("%v is %v away", p, near)
		}
	}
}
