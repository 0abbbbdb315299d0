package special

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sngdgen/sngdgen/internal/testseed"
)

// near fails unless got and want agree to tol times scale.
func near(t *rapid.T, what string, got, want, scale, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*scale) {
		t.Fatalf("%s: %v, want %v, off by %.3g of %v", what, got, want, math.Abs(got-want)/scale, scale)
	}
}

const eps = 0x1p-52

// drawLog draws a number whose logarithm is uniform between those of lo and hi.
func drawLog(t *rapid.T, name string, lo, hi float64) float64 {
	return math.Exp(rapid.Float64Range(math.Log(lo), math.Log(hi)).Draw(t, name))
}

// f(x+1) = f(x) + g(x). Where x+1 is rounded, f moves by eps (x+1) f'(x+1), which is below eps (1 + |f|).
func TestRecurrences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawLog(t, "x", 1e-5, 1e5)
		step := func(what string, f func(float64) float64, g float64) {
			scale := math.Abs(f(x)) + math.Abs(g) + 1
			near(t, what, f(x+1), f(x)+g, scale, 8*eps)
		}
		step("Digamma", Digamma, 1/x)
		step("Trigamma", Trigamma, -1/(x*x))
		step("Tetragamma", Tetragamma, 2/(x*x*x))
		near(t, "Lgamma", Lgamma(x+1), Lgamma(x)+math.Log(x), math.Abs(Lgamma(x))+(1+x)*math.Log(2+x), 8*eps)
	})
}

func TestLeadingTerms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawLog(t, "x", 1e-3, 1e3)
		near(t, "DigammaLog", DigammaLog(x)+math.Log(x), Digamma(x), math.Abs(Digamma(x))+math.Abs(math.Log(x))+1, 6*eps)
		near(t, "TrigammaInv", TrigammaInv(x)+1/x, Trigamma(x), Trigamma(x)+1/x, 6*eps)
		near(t, "TetragammaInv2", TetragammaInv2(x)-1/(x*x), Tetragamma(x), 1/(x*x)-Tetragamma(x), 6*eps)
	})
}

// Going n steps and then x is going n+x. The numbers are multiples of 1/1024, so that the arguments add exactly.
func TestDifferencesAdd(t *testing.T) {
	dyadic := rapid.Custom(func(t *rapid.T) float64 {
		return float64(rapid.IntRange(1, 40*1024).Draw(t, "k")) / 1024
	})
	rapid.Check(t, func(t *rapid.T) {
		x, r := dyadic.Draw(t, "x"), dyadic.Draw(t, "r")
		n := float64(rapid.IntRange(0, 40).Draw(t, "n"))
		for _, c := range []struct {
			what string
			f    func(x, r float64) float64
		}{
			{"LgammaDiff", LgammaDiff}, {"DigammaDiff", DigammaDiff},
			{"TrigammaDiff", TrigammaDiff}, {"TetragammaDiff", TetragammaDiff},
		} {
			first, second := c.f(n, r), c.f(x, r+n)
			scale := math.Abs(first) + math.Abs(second)
			if c.what == "LgammaDiff" {
				scale += 1 + math.Abs(math.Log(r)) // fractional x: the error near the root
			}
			near(t, c.what, c.f(n+x, r), first+second, scale, 12*eps)
		}
	})
}

// For arguments of moderate size the difference is that of two calls.
func TestDifferencesAreDifferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, r := drawLog(t, "x", 1e-3, 100), drawLog(t, "r", 1e-3, 100)
		check := func(what string, got float64, f func(float64) float64, derivative float64) {
			// x+r is rounded by up to eps (x+r)/2, which f passes on.
			scale := math.Abs(f(x+r)) + math.Abs(f(r)) + (x+r)*math.Abs(derivative) + 1
			near(t, what, got, f(x+r)-f(r), scale, 8*eps)
		}
		check("LgammaDiff", LgammaDiff(x, r), Lgamma, Digamma(x+r))
		check("DigammaDiff", DigammaDiff(x, r), Digamma, Trigamma(x+r))
		check("TrigammaDiff", TrigammaDiff(x, r), Trigamma, Tetragamma(x+r))
		check("TetragammaDiff", TetragammaDiff(x, r), Tetragamma, 6/(x+r)*-Tetragamma(x+r))
	})
}

// Both sides of maxRising, of tailFrom and of a whole x belong to one smooth function.
func TestDifferencesAreContinuous(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := float64(rapid.IntRange(1, 20).Draw(t, "n"))
		r := drawLog(t, "r", 1e-6, 1e6)
		for _, x := range []float64{math.Nextafter(n, 0), math.Nextafter(n, 100)} {
			near(t, "LgammaDiff", LgammaDiff(x, r), LgammaDiff(n, r),
				math.Abs(LgammaDiff(n, r))+n*math.Abs(Digamma(n+r))+1+math.Abs(math.Log(r)), 12*eps)
			near(t, "DigammaDiff", DigammaDiff(x, r), DigammaDiff(n, r), DigammaDiff(n, r), 12*eps)
			near(t, "TrigammaDiff", TrigammaDiff(x, r), TrigammaDiff(n, r), -TrigammaDiff(n, r), 12*eps)
			near(t, "TetragammaDiff", TetragammaDiff(x, r), TetragammaDiff(n, r), TetragammaDiff(n, r), 12*eps)
		}
	})
}

func TestNormalIdentities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-30, 30).Draw(t, "x")
		p := Ndtr(x)
		near(t, "Ndtr(x) + Ndtr(-x)", p+Ndtr(-x), 1, 1, 2*eps)
		near(t, "Ndtr", p, math.Erfc(-x/math.Sqrt2)/2, p, (4+x*x)*eps)
		near(t, "exp(LogNdtr)", math.Exp(LogNdtr(x)), p, p, (8+4*math.Abs(LogNdtr(x)))*eps)
		near(t, "NdtrRatio Ndtr", NdtrRatio(x)*p, invSqrt2Pi*expHalfSquare(x), NdtrRatio(x)*p, 8*eps)
		near(t, "NormalQuantile(Ndtr)", NormalQuantile(Ndtr(-math.Abs(x))), -math.Abs(x), 1+math.Abs(x), 8*eps)
		near(t, "Erfcx", Erfcx(x/2)*math.Exp(-x*x/4), math.Erfc(x/2), math.Erfc(x/2), (8+x*x)*eps)
	})
}

func TestLogisticIdentities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-600, 600).Draw(t, "x")
		near(t, "Sigmoid(x) + Sigmoid(-x)", Sigmoid(x)+Sigmoid(-x), 1, 1, 2*eps)
		near(t, "Softplus(x) - Softplus(-x)", Softplus(x)-Softplus(-x), x, math.Abs(x)+1, 2*eps)
		near(t, "exp(LogSigmoid)", math.Exp(LogSigmoid(x)), Sigmoid(x), Sigmoid(x), (8+4*math.Abs(x))*eps)
		y := rapid.Float64Range(-600, 20).Draw(t, "y") // above, Sigmoid crowds at 1
		near(t, "Logit(Sigmoid)", Logit(Sigmoid(y)), y, math.Abs(y)+1+math.Exp(y), 4*eps)
	})
}
