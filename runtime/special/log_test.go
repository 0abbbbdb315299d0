package special

import (
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"testing"
)

// bigExp is exp(x), from the series at x/2^12.
func bigExp(x float64) *big.Float {
	const precision, halvings = 220, 12
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(v) }
	r := number(math.Ldexp(x, -halvings))
	sum, term := number(1), number(1)
	for k := 1.0; k <= 40; k++ {
		term.Quo(term.Mul(term, r), number(k))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// Exponentials have the digits that they are said to have, and their ends.
func TestExp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	worst := [2]float64{}
	for i := range 20_000 {
		x := rng.Float64()*1453 - 744
		if i%2 == 0 {
			x = rng.NormFloat64()
		}
		rare := 0
		if x < -707 {
			rare = 1
		}
		want := bigExp(x)
		w, _ := want.Float64()
		if e := math.Abs(difference(Exp(x), want)) / ulp(w); e > worst[rare] {
			if worst[rare] = e; e > float64(1+rare) {
				t.Errorf("exp(%v) = %v is %v ulp off", x, Exp(x), e)
			}
		}
	}
	t.Logf("%.3f ulp, %.3f below -707", worst[0], worst[1])
	inf := math.Inf(1)
	for x, want := range map[float64]float64{0: 1, math.Copysign(0, -1): 1, inf: inf, -inf: 0, 709.79: inf, -746: 0, 1: math.E, 1e300: inf, -1e300: 0} {
		if got := Exp(x); got != want {
			t.Errorf("exp(%v) = %v, not %v", x, got, want)
		}
	}
	if !math.IsNaN(Exp(math.NaN())) {
		t.Error("exp(NaN) is a number")
	}
	for _, x := range []float64{-707, 709, 709.436, 709.782} { // where the ways meet
		below, at := Exp(math.Nextafter(x, 0)), Exp(x)
		if math.Abs(at/below-1) > 1e-12 {
			t.Errorf("exp jumps at %v: %v, %v", x, below, at)
		}
	}
}

// Logarithms of normal numbers are those of package math, to the bit where it has no fused operations, and those of subnormal ones have their digits.
func TestLog(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 200_000 {
		x := math.Float64frombits(rng.Uint64() >> 1)
		switch i % 4 {
		case 0:
			x = 2 * rng.Float64()
		case 1:
			x = math.Float64frombits(rng.Uint64() >> 12)
		}
		if math.IsNaN(x) || x == 0 || math.IsInf(x, 0) {
			continue
		}
		got := Log(x)
		if hi, lo := logOf(x); !(math.Abs(got-hi-lo) <= ulp(got)) {
			t.Errorf("log(%v) = %v, not %v", x, got, hi+lo)
		}
		if runtime.GOARCH == "amd64" && x >= leastNormal && got != math.Log(x) {
			t.Errorf("log(%v) = %v, of package math %v", x, got, math.Log(x))
		}
	}
	root := math.Sqrt(0.5) // where the exponent changes
	for _, x := range []float64{1, root, math.Nextafter(root, 0), math.Nextafter(root, 1), leastNormal, math.MaxFloat64, math.Inf(1), 0} {
		if got := Log(x); math.Abs(got-math.Log(x)) > ulp(got) {
			t.Errorf("log(%v) = %v, not %v", x, got, math.Log(x))
		}
	}
	if !math.IsNaN(Log(-1)) || !math.IsNaN(Log(math.NaN())) || !math.IsNaN(Log(math.Inf(-1))) || !math.IsNaN(Log(-leastNormal/2)) {
		t.Error("logarithms of negative numbers are numbers")
	}
}
