package special

import (
	"math"
	"testing"
)

var (
	inf = math.Inf(1)
	nan = math.NaN()
)

// same holds for equal numbers, zeros of either sign, and two NaN.
func same(a, b float64) bool { return a == b || a != a && b != b }

var unary = []struct {
	name  string
	f     func(float64) float64
	edges map[float64]float64
}{
	{"Lgamma", Lgamma, map[float64]float64{0: inf, 1: 0, 2: 0, inf: inf, -1: nan, -0.5: nan, -inf: nan}},
	{"Digamma", Digamma, map[float64]float64{0: -inf, inf: inf, -1: nan, -inf: nan, 5e-324: -inf}},
	{"Trigamma", Trigamma, map[float64]float64{0: inf, inf: 0, -1: nan, -inf: nan, 1e-200: inf, 1e300: 1e-300}},
	{"Tetragamma", Tetragamma, map[float64]float64{0: -inf, inf: 0, -1: nan, -inf: nan, 1e-200: -inf}},
	{"DigammaLog", DigammaLog, map[float64]float64{0: -inf, inf: 0, -1: nan, -inf: nan}},
	{"TrigammaInv", TrigammaInv, map[float64]float64{0: inf, inf: 0, -1: nan, -inf: nan, 1e-200: inf}},
	{"TetragammaInv2", TetragammaInv2, map[float64]float64{0: -inf, inf: 0, -1: nan, -inf: nan, 1e-200: -inf}},
	{"Erfcx", Erfcx, map[float64]float64{0: 1, inf: 0, -inf: inf, -26.7: inf, -1e300: inf}},
	{"Ndtr", Ndtr, map[float64]float64{0: 0.5, inf: 1, -inf: 0, -39.5: 0, -1e300: 0, 9: 1}},
	{"LogNdtr", LogNdtr, map[float64]float64{0: -math.Ln2, inf: 0, -inf: -inf, -1e150: -5e299, -1e200: -inf, 40: 0}},
	{"NdtrRatio", NdtrRatio, map[float64]float64{inf: 0, -inf: inf, 1e300: 0, -1e150: 1e150, -1e307: 1e307}},
	{"NormalQuantile", NormalQuantile, map[float64]float64{0: -inf, 0.5: 0, 1: inf, -0.1: nan, 1.1: nan, -5e-324: nan, inf: nan, -inf: nan}},
	{"Sigmoid", Sigmoid, map[float64]float64{0: 0.5, inf: 1, -inf: 0, -1e300: 0, 1e300: 1}},
	{"LogSigmoid", LogSigmoid, map[float64]float64{0: -math.Ln2, inf: 0, -inf: -inf, -1e300: -1e300}},
	{"Softplus", Softplus, map[float64]float64{0: math.Ln2, inf: inf, -inf: 0, 1e300: 1e300}},
	{"Log1mExp", Log1mExp, map[float64]float64{0: -inf, -inf: 0, 1: nan, inf: nan, -1e300: 0, -1e-300: math.Log(1e-300)}},
	{"Sin", Sin, map[float64]float64{0: 0, inf: nan, -inf: nan, 5e-324: 5e-324}},
	{"Cos", Cos, map[float64]float64{0: 1, inf: nan, -inf: nan, 5e-324: 1}},
	{"Tan", Tan, map[float64]float64{0: 0, inf: nan, -inf: nan, 5e-324: 5e-324}},
	{"Logit", Logit, map[float64]float64{0: -inf, 0.5: 0, 1: inf, -0.1: nan, 1.1: nan, inf: nan, -inf: nan}},
}

var binary = []struct {
	name         string
	f            func(x, r float64) float64
	atZeroR      float64               // the limit at r = 0, x > 0
	atInfiniteR  float64               // the limit at r = Inf, x > 0
	atInfiniteX  func(float64) float64 // the limit at x = Inf, r > 0
	perUnitHuge  func(r float64) float64
	hugeBaseUpTo float64
}{
	{"LgammaDiff", LgammaDiff, -inf, inf, func(float64) float64 { return inf }, math.Log, 1e300},
	{"DigammaDiff", DigammaDiff, inf, 0, func(float64) float64 { return inf },
		func(r float64) float64 { return 1 / r }, 1e300},
	{"TrigammaDiff", TrigammaDiff, -inf, 0, func(r float64) float64 { return -Trigamma(r) },
		func(r float64) float64 { return -1 / r / r }, 1e150},
	{"TetragammaDiff", TetragammaDiff, inf, 0, func(r float64) float64 { return -Tetragamma(r) },
		func(r float64) float64 { return 2 / r / r / r }, 1e100},
}

func TestUnaryEdges(t *testing.T) {
	for _, c := range unary {
		if got := c.f(nan); got == got {
			t.Errorf("%s(NaN) = %v", c.name, got)
		}
		for x, want := range c.edges {
			if got := c.f(x); !same(got, want) && !(math.Abs(got-want) <= ulp(want)) {
				t.Errorf("%s(%v) = %v, want %v", c.name, x, got, want)
			}
		}
	}
}

func TestDifferenceEdges(t *testing.T) {
	for _, c := range binary {
		expect := func(x, r, want float64) {
			t.Helper()
			if got := c.f(x, r); !same(got, want) {
				t.Errorf("%s(%v, %v) = %v, want %v", c.name, x, r, got, want)
			}
		}
		for _, a := range [][2]float64{{nan, 1}, {1, nan}, {0.5, nan}, {nan, nan}, {-1, 1}, {-0.5, 10}, {1, -1}, {0.5, -1},
			{0, nan}, {nan, 0}, {0, -1}, {100, -1}, {-inf, 1}, {1, -inf}, {inf, nan}, {inf, inf}} {
			expect(a[0], a[1], nan)
		}
		for _, r := range []float64{0, 1e-300, 1e-8, 0.5, 1, 3, 1e10, 1e300, inf} {
			expect(0, r, 0)
		}
		for _, x := range []float64{1e-3, 0.5, 1, 2, 2.5, 16, 16.5, 17, 1e9} {
			expect(x, 0, c.atZeroR)
			expect(x, inf, c.atInfiniteR)
		}
		for _, r := range []float64{0.5, 2, 3, 1e10} {
			expect(inf, r, c.atInfiniteX(r))
		}
	}
}

// For r beyond x/eps the difference is x times the derivative's leading term, without overflow or spurious underflow.
func TestDifferencesHugeBase(t *testing.T) {
	for _, c := range binary {
		for _, x := range []float64{1e-20, 0.3, 1, 7, 16, 17, 1e3} {
			for _, r := range []float64{1e20, 1e50, 1e100, 1e150, 1e300} {
				if r > c.hugeBaseUpTo {
					continue
				}
				got, want := c.f(x, r), x*c.perUnitHuge(r)
				if !(math.Abs(got-want) <= 3*ulp(want)) {
					t.Errorf("%s(%v, %v) = %v, want %v", c.name, x, r, got, want)
				}
			}
		}
	}
}

func TestLgammaDigammaDiffEdges(t *testing.T) {
	values := []float64{nan, -inf, -1, 0, 1e-300, 0.5, 1, 2.5, 16, 17, 1e9, 1e300, inf}
	for _, x := range values {
		for _, r := range values {
			l, d := LgammaDigammaDiff(x, r)
			if !same(l, LgammaDiff(x, r)) && math.Abs(l-LgammaDiff(x, r)) > 2*ulp(l) {
				t.Errorf("LgammaDigammaDiff(%v, %v): first %v, want %v", x, r, l, LgammaDiff(x, r))
			}
			if !same(d, DigammaDiff(x, r)) && math.Abs(d-DigammaDiff(x, r)) > 2*ulp(d) {
				t.Errorf("LgammaDigammaDiff(%v, %v): second %v, want %v", x, r, d, DigammaDiff(x, r))
			}
		}
	}
}

func TestNoAllocation(t *testing.T) {
	points := []float64{1e-8, 0.3, 1, 1.5, 2.5, 5, 16, 40, 1e9}
	run := func(name string, f func()) {
		if n := testing.AllocsPerRun(10, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
	for _, c := range unary {
		run(c.name, func() {
			for _, x := range points {
				sink += c.f(x) + c.f(-x)
			}
		})
	}
	pairs := func(f func(x, r float64) float64) func() {
		return func() {
			for _, x := range points {
				for _, r := range points {
					sink += f(x, r)
				}
			}
		}
	}
	for _, c := range binary {
		run(c.name, pairs(c.f))
	}
	run("LgammaDigammaDiff", pairs(func(x, r float64) float64 {
		l, d := LgammaDigammaDiff(x, r)
		return l + d
	}))
}

// At the ends of the domain, and outside of it.
func TestBesselEdges(t *testing.T) {
	type at struct{ x, nu float64 }
	for _, c := range []struct {
		name string
		f    func(x, nu float64) float64
		want map[at]float64
	}{
		{"LogBesselI", LogBesselI, map[at]float64{{0, 0}: 0, {0, 1}: -inf, {inf, 3}: inf, {1, inf}: -inf, {-1, 0}: nan, {1, -1}: nan, {nan, 1}: nan, {1, nan}: nan}},
		{"LogBesselIDNu", LogBesselIDNu, map[at]float64{{0, 0}: -inf, {inf, 3}: 0, {1, inf}: -inf, {-1, 0}: nan, {1, -1}: nan, {nan, 1}: nan, {1, nan}: nan}},
		{"BesselIRatio", BesselIRatio, map[at]float64{{0, 0}: 0, {inf, 3}: 1, {1, inf}: 0, {-1, 0}: nan, {1, -1}: nan, {nan, 1}: nan, {1, nan}: nan}},
		{"BesselIRatioDX", BesselIRatioDX, map[at]float64{{0, 0}: 0.5, {0, 1}: 0.25, {inf, 3}: 0, {1, inf}: 0, {-1, 0}: nan, {1, -1}: nan, {nan, 1}: nan, {1, nan}: nan}},
		{"LogBesselK", LogBesselK, map[at]float64{{0, 0}: inf, {inf, 3}: -inf, {1, -inf}: inf, {-1, 0}: nan, {nan, 1}: nan, {1, nan}: nan}},
		{"LogBesselKDNu", LogBesselKDNu, map[at]float64{{0, 0}: 0, {0, -1}: -inf, {inf, 3}: 0, {1, -inf}: -inf, {-1, 2}: nan, {nan, 1}: nan, {1, nan}: nan}},
		{"BesselKRatio", BesselKRatio, map[at]float64{{0, 0}: inf, {0, -1}: 0, {2, -0.5}: 1, {inf, 3}: 1, {1, inf}: inf, {-1, 2}: nan, {nan, 1}: nan, {1, nan}: nan}},
	} {
		for a, want := range c.want {
			if got := c.f(a.x, a.nu); !same(got, want) {
				t.Errorf("%s(%v, %v) = %v, want %v", c.name, a.x, a.nu, got, want)
			}
		}
	}
}

// Orders of 1/2 are elementary: I is sinh, K an exponential.
func TestBesselClosedForms(t *testing.T) {
	for _, x := range append(spread(1e-10, 700), 32, 31.99, 4, 3.99) {
		for what, pair := range map[string][2]float64{
			"log I": {LogBesselI(x, 0.5), 0.5*math.Log(2/(math.Pi*x)) + math.Log(math.Sinh(x))},
			"log K": {LogBesselK(x, 0.5), 0.5*math.Log(math.Pi/(2*x)) - x},
			"I'/I":  {BesselIRatio(x, 0.5), 1/math.Tanh(x) - 1/x},
			"K'/K":  {BesselKRatio(x, 0.5), 1 + 1/x},
		} {
			if got, want := pair[0], pair[1]; !(math.Abs(got-want) <= 1e-13*math.Max(math.Abs(want), 1)+1e-15/x) {
				t.Errorf("%s at %v: %v, want %v", what, x, got, want)
			}
		}
	}
}
