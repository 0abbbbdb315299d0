package dense

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// digits is the precision of the references, in bits.
const digits = 160

func number(x float64) *big.Float { return new(big.Float).SetPrec(digits).SetFloat64(x) }

// bigExp returns exp(x) to digits-20 bits for |x| up to about 1000: the series at x/2^16, squared 16 times.
func bigExp(x *big.Float) *big.Float {
	const halvings = 16
	r := new(big.Float).SetPrec(digits+2*halvings).SetMantExp(x, -halvings)
	sum, term := big.NewFloat(1).SetPrec(r.Prec()), big.NewFloat(1).SetPrec(r.Prec())
	for k := 1; k < 40; k++ {
		term.Mul(term, r)
		term.Quo(term, big.NewFloat(float64(k)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum.SetPrec(digits)
}

// bigLog returns log(x): two steps of Newton's method from the float64.
func bigLog(x *big.Float) *big.Float {
	v, _ := x.Float64()
	y := number(math.Log(v))
	for range 3 {
		e := bigExp(new(big.Float).Neg(y))
		e.Mul(e, x)
		y.Add(y, e.Sub(e, number(1)))
	}
	return y
}

// ulps is the error of got in units of the last place of want.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	off, _ := new(big.Float).Sub(number(got), want).Float64()
	return math.Abs(off) / (math.Nextafter(math.Abs(w), math.Inf(1)) - math.Abs(w))
}

// The table is computed again, from square roots.
func TestExpTable(t *testing.T) {
	step := number(2)
	for range expBits {
		step.Sqrt(step)
	}
	power := number(1)
	for j, cell := range expTable {
		rounded, _ := power.Float64()
		if got := cell.bits + uint64(j)<<expShift; got != math.Float64bits(rounded) {
			t.Errorf("power %d is %v, not %v", j, math.Float64frombits(got), rounded)
		}
		low := new(big.Float).Sub(power, number(rounded))
		if want, _ := low.Quo(low, power).Float64(); !(math.Abs(cell.low-want) <= 1e-10*math.Abs(want)) {
			t.Errorf("rest %d is %v, not %v", j, cell.low, want)
		}
		power.Mul(power, step)
	}
	log := bigLog(number(2))
	log.SetMantExp(log, -expBits)
	log.Sub(log, number(expStepHigh))
	if want, _ := log.Float64(); expStepLow != want {
		t.Errorf("the rest of the step is %v, not %v", expStepLow, want)
	}
}

func TestExpNonpositive(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	worst, at := 0.0, 0.0
	check := func(x float64) {
		if e := ulps(expNonpositive(x), bigExp(number(x))); !(e <= worst) {
			worst, at = e, x
		}
	}
	for range 20000 {
		check(-708 * rng.Float64())
		check(-rng.Float64())
		check(-math.Exp(-40 * rng.Float64()))
	}
	for j := range 5 * expCells { // where the cells meet
		x := -(float64(j) + 0.5) * (expStepHigh + expStepLow)
		check(x)
		check(math.Nextafter(x, 0))
		check(math.Nextafter(x, -1))
	}
	t.Logf("worst error %.3f ulp, at %v", worst, at)
	if !(worst <= 0.6) {
		t.Errorf("exp(%v) is %v: off by %.3f ulp", at, expNonpositive(at), worst)
	}
}

func TestExpNonpositiveEnds(t *testing.T) {
	for _, x := range []float64{0, math.Copysign(0, -1), -5e-324, -1e-300, -1e-17} {
		if got := expNonpositive(x); got != 1 {
			t.Errorf("exp(%v) is %v, not 1", x, got)
		}
	}
	last := math.Float64frombits(expEnd)
	if got := expNonpositive(last); !(got >= 0x1p-1022 && got <= 0x1.0000000000fp-1022) {
		t.Errorf("exp(%v) is %v, not a little above the least normal number", last, got)
	}
	for _, x := range []float64{
		math.Nextafter(last, -1000), -745, -746, -1e5, -0x1p53, -1e300, -math.MaxFloat64, math.Inf(-1),
	} {
		if got := expNonpositive(x); got != 0 {
			t.Errorf("exp(%v) is %v, not 0", x, got)
		}
	}
}
