package exprtest

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sngdgen/sngdgen/internal/testseed"
)

// exact is a number of 300 bits that goes the way of a ball.
type exact struct {
	ball  Ball
	value *big.Float
}

func wide() *big.Float { return new(big.Float).SetPrec(300) }

// TestBalls: the exact value of a chain of operations, on operands that are rounded, lies in the ball that is computed in doubles, up to the few
// multiples that comparisons allow; where a ball says that the number is known, its digits are.
func TestBalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		operand := func() exact {
			v := rapid.Float64Range(-1e6, 1e6).Draw(t, "operand")
			return exact{Leaf(v), wide().SetFloat64(v)}
		}
		x := operand()
		for range rapid.IntRange(1, 12).Draw(t, "operations") {
			y, out := operand(), wide()
			op := rapid.SampledFrom([]byte("+-*/")).Draw(t, "operation")
			switch {
			case op == '+':
				out.Add(x.value, y.value)
			case op == '-':
				out.Sub(x.value, y.value)
			case op == '*':
				out.Mul(x.value, y.value)
			case y.value.Sign() == 0:
				continue
			default:
				out.Quo(x.value, y.value)
			}
			x = exact{Binary(op, []Ball{x.ball}, []Ball{y.ball})[0], out}
		}
		if math.IsInf(x.ball.R, 0) || !x.ball.Defined() {
			return // it says that it says nothing
		}
		off, _ := wide().Sub(wide().SetFloat64(x.ball.V), x.value).Float64()
		if !(math.Abs(off) <= 4*x.ball.R) {
			t.Fatalf("%v is off by %v, more than its bound", x.ball, off)
		}
		if v, _ := x.value.Float64(); x.ball.Known() && math.Abs(v) > 1e-6 && math.Abs(off) > 0.01*math.Abs(v) {
			t.Fatalf("%v is said to be known, but is %v", x.ball, v)
		}
		if v, _ := x.value.Float64(); !x.ball.Close(v) {
			t.Fatalf("%v is not close to its exact value %v", x.ball, v)
		}
	})
}

// TestBallsSayNothing: where operands are beyond what can be bounded, or corners disagree on whether there is a value, nothing is said.
func TestBallsSayNothing(t *testing.T) {
	if b := Leaf(1e300); !math.IsInf(b.R, 1) {
		t.Errorf("%v", b)
	}
	root := func(x []float64) float64 { return math.Sqrt(x[0]) }
	if b := Apply(root, Ball{0, 1e-9}); !math.IsInf(b.R, 1) {
		t.Errorf("a root next to its end: %v", b)
	}
	if b := Apply(root, Ball{4, 1e-9}); math.IsInf(b.R, 1) || !(b.R >= 2.4e-10) {
		t.Errorf("a root: %v", b)
	}
	if b := Binary('*', []Ball{Leaf(1e-30)}, []Ball{Leaf(1e-30)})[0]; !math.IsInf(b.R, 1) {
		t.Errorf("a tiny product: %v", b)
	}
}
