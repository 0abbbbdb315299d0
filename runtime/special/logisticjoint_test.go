package special

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestSoftplusSigmoidTables(t *testing.T) {
	checkTable(t, "softplus", 3, func(a []float64) float64 { return first(SoftplusSigmoid(a[0])) }, inUlps)
	checkTable(t, "sigmoid", 3, func(a []float64) float64 { return second(SoftplusSigmoid(a[0])) }, inUlps)
}

// It is the two functions, to the bit.
func TestSoftplusSigmoidIsBoth(t *testing.T) {
	check := func(x float64) {
		softplus, sigmoid := SoftplusSigmoid(x)
		if want := Softplus(x); !same(softplus, want) {
			t.Errorf("SoftplusSigmoid(%v): softplus %v, want %v", x, softplus, want)
		}
		if want := Sigmoid(x); !same(sigmoid, want) {
			t.Errorf("SoftplusSigmoid(%v): sigmoid %v, want %v", x, sigmoid, want)
		}
	}
	for _, x := range append(spread(1e-300, 1e300), nan, inf, 0, 36.7, 40, 745.2, math.Nextafter(40, 50), math.MaxFloat64) {
		check(x)
		check(-x)
	}
	rapid.Check(t, func(r *rapid.T) { check(rapid.Float64().Draw(r, "x")) })
	if n := testing.AllocsPerRun(5, func() { sink += first(SoftplusSigmoid(3)) }); n != 0 {
		t.Errorf("SoftplusSigmoid allocates %v times", n)
	}
}
