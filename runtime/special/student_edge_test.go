package special

import (
	"math"
	"math/rand/v2"
	"testing"
)

var studentFunctions = []struct {
	name            string
	f               func(x, nu float64) float64
	left, right     float64                 // at x = -Inf and Inf, or u = 0 and 1
	normal          func(x float64) float64 // at nu = Inf
	ofChance, byLog bool                    // the first argument is a probability, a log-probability
}{
	{"TLogPDF", TLogPDF, -inf, -inf, func(x float64) float64 { return -0.5*x*x - halfLog2Pi }, false, false},
	{"TCDF", TCDF, 0, 1, Ndtr, false, false},
	{"TLogCDF", TLogCDF, -inf, 0, LogNdtr, false, false},
	{"TRatio", TRatio, 0, 0, NdtrRatio, false, false},
	{"TLogCDFDNu", TLogCDFDNu, -inf, 0, func(float64) float64 { return 0 }, false, false},
	{"TQuantileDNuAt", TQuantileDNuAt, inf, -inf, func(float64) float64 { return 0 }, false, false},
	{"TQuantile", TQuantile, -inf, inf, nil, true, false},
	{"TQuantileDNu", TQuantileDNu, inf, -inf, nil, true, false},
	{"TQuantileLog", TQuantileLog, -inf, inf, nil, true, true},
}

func TestStudentEdges(t *testing.T) {
	for _, c := range studentFunctions {
		expect := func(x, nu, want float64) {
			t.Helper()
			if got := c.f(x, nu); !same(got, want) {
				t.Errorf("%s(%v, %v) = %v, want %v", c.name, x, nu, got, want)
			}
		}
		left, right := -inf, inf
		if c.ofChance {
			left, right = 0, 1
		}
		if c.byLog {
			left, right = -inf, 0
		}
		for _, nu := range []float64{1e-3, 0.5, 1, 3, 30, 1e10, 1e300} {
			expect(left, nu, c.left)
			expect(right, nu, c.right)
			expect(nan, nu, nan)
		}
		for _, nu := range []float64{nan, 0, -1, -inf} {
			for _, x := range []float64{nan, left, -0.5, 0, 0.5, right} {
				expect(x, nu, nan)
			}
		}
	}
	for _, u := range []float64{-1, -5e-324, math.Nextafter(1, 2), inf, -inf} {
		if x := TQuantile(u, 3); x == x {
			t.Errorf("TQuantile(%v, 3) = %v", u, x)
		}
	}
	if x := TQuantileLog(5e-324, 3); x == x {
		t.Errorf("TQuantileLog(5e-324, 3) = %v", x)
	}
}

// From nu = 1e300 on the distribution is the normal one to the last bit or nearly so.
func TestStudentNormalLimit(t *testing.T) {
	for _, c := range studentFunctions {
		if c.normal == nil {
			continue
		}
		for _, nu := range []float64{1e300, math.MaxFloat64, inf} {
			for _, x := range append(even(-40, 37), -1e100, -1e4, -1e-10, -1e-200, 0, 1e-300, 1e-8, 1e160, -1e160) {
				got, want := c.f(x, nu), c.normal(x)
				if nu < inf && math.Abs(x) > 1e50 {
					continue // x^2/nu is not negligible
				}
				if !same(got, want) && !(math.Abs(got-want) <= 10*ulp(want)) {
					t.Errorf("%s(%v, %v) = %v, want %v", c.name, x, nu, got, want)
				}
			}
		}
	}
	for _, u := range []float64{1e-300, 1e-20, 0.01, 0.3, 0.499, 0.6, 1 - 1e-10} {
		x := TQuantile(u, inf)
		if p := Ndtr(x); math.Abs(p-u) > 4*ulp(u)*(1+x*x) {
			t.Errorf("Ndtr(TQuantile(%v, Inf)) = %v", u, p)
		}
	}
}

// Beyond the tables: dF/dnu tends to x (1+x^2) phi(x)/(4 nu^2).
func TestStudentSlopeLimit(t *testing.T) {
	for _, nu := range []float64{1e20, 1e60, 1e140} {
		for _, x := range append(even(-30, 30), -1e-10, 1e-20) {
			got, want := TLogCDFDNu(x, nu), x*(1+x*x)*NdtrRatio(x)/(4*nu)/nu
			if !(math.Abs(got-want) <= 20*ulp(want)) {
				t.Errorf("TLogCDFDNu(%v, %v) = %v, want %v", x, nu, got, want)
			}
		}
	}
}

// The distribution of nu = 1 is Cauchy's, and that of nu = 2 is algebraic.
func TestStudentClosedForms(t *testing.T) {
	for _, x := range append(spread(1e-10, 1e10), 0) {
		root := math.Sqrt(2 + x*x)
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"TCDF(-x, 1)", TCDF(-x, 1), math.Atan2(1, x) / math.Pi},
			{"TCDF(-x, 2)", TCDF(-x, 2), 1 / (root * (root + x))},
			{"TLogPDF(x, 1)", TLogPDF(x, 1), -math.Log(math.Pi) - math.Log1p(x*x)},
			{"TRatio(-x, 2)", TRatio(-x, 2), (root + x) / (root * root)},
		} {
			if !(math.Abs(c.got-c.want) <= 12*ulp(c.want)) {
				t.Errorf("%s at %v: %v, want %v", c.what, x, c.got, c.want)
			}
		}
	}
}

// Where squares, powers and probabilities leave the range of float64.
func TestStudentExtremes(t *testing.T) {
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"TLogCDF(-1e300, 2)", TLogCDF(-1e300, 2), -math.Ln2 - 600*math.Ln10},
		{"TLogCDF(-1e308, 1e-3)", TLogCDF(-1e308, 1e-3), -1.4064900030889229},
		{"TLogCDF(-1e300, 1e200)", TLogCDF(-1e300, 1e200), -200 * 1e200 * math.Ln10},
		{"TRatio(-1e300, 2)", TRatio(-1e300, 2), 2e-300},
		{"TCDF(-1e200, 1)", TCDF(-1e200, 1), 1e-200 / math.Pi},
		{"TLogCDF(1e200, 1)", TLogCDF(1e200, 1), -1e-200 / math.Pi},
		{"TLogCDFDNu(-1e300, 1e200)", TLogCDFDNu(-1e300, 1e200), -0.5 * (200*math.Ln10 + math.Log(1e200) - 1)},
		{"TCDF(-5e-324, 1)", TCDF(-5e-324, 1), 0.5},
		{"TCDF(-1, 5e-324)", TCDF(-1, 5e-324), 0.5},
		{"TQuantile(1e-300, 1)", TQuantile(1e-300, 1), -1e300 / math.Pi},
		{"TQuantile(1e-300, 0.5)", TQuantile(1e-300, 0.5), -inf},
		{"TQuantile(1e-20, 1e4)", TQuantile(1e-20, 1e4), -9.2824741532543},
		{"TQuantileLog(-1e-300, 1)", TQuantileLog(-1e-300, 1), 1e300 / math.Pi},
		{"TQuantileLog(-1e4, 5)", TQuantileLog(-1e4, 5), -inf},
		{"TLogCDF(TQuantileLog(-1e6, 1e4), 1e4)", TLogCDF(TQuantileLog(-1e6, 1e4), 1e4), -1e6},
	} {
		if !same(c.got, c.want) && !(math.Abs(c.got-c.want) <= 1e-13*math.Abs(c.want)) {
			t.Errorf("%s = %v, want %v", c.what, c.got, c.want)
		}
	}
}

func TestStudentQuantileIsOdd(t *testing.T) {
	for _, nu := range []float64{0.1, 1, 2.5, 4, 30, 1e6} {
		if x := TQuantile(0.5, nu); x != 0 {
			t.Errorf("TQuantile(0.5, %v) = %v", nu, x)
		}
		for k := 2; k <= 53; k++ {
			d := math.Ldexp(1, -k)
			if l, r := TQuantile(0.5-d, nu), TQuantile(0.5+d, nu); l != -r {
				t.Errorf("TQuantile(0.5-2^-%d, %v) = %v, on the right %v", k, nu, l, r)
			}
		}
	}
}

func TestStudentNoAllocation(t *testing.T) {
	for _, c := range studentFunctions {
		points := []float64{-1e10, -40, -5, -2, -0.95, -0.3, -1e-9, 0, 0.4, 1, 3, 100}
		if c.ofChance {
			points = []float64{1e-300, 1e-20, 0.01, 0.3, 0.4999, 0.5, 0.6, 0.99}
		}
		if n := testing.AllocsPerRun(5, func() {
			for _, x := range points {
				for _, nu := range []float64{1e-3, 0.3, 1, 4, 20, 50, 1e6, 1e300} {
					if c.byLog {
						x = -x
					}
					sink += c.f(x, nu)
				}
			}
		}); n != 0 {
			t.Errorf("%s allocates %v times", c.name, n)
		}
	}
}

// Where F is taken for certain, the functions are 0 the long way round, too; and just before, as long as x is not far from where doubles end, some are not.
func TestCertainIsZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	taken := 0
	for range 20_000 {
		nu := math.Exp(math.Log(100) + rng.Float64()*math.Log(1e200))
		x := 30 + 30*rng.ExpFloat64()
		if rng.IntN(3) == 0 {
			x *= math.Exp(300 * rng.Float64())
		}
		if !certain(x, nu) {
			continue
		}
		taken++
		p := newTPoint(x, nu)
		s := p.slope()
		hi, lo := p.chance(s.tTail)
		log, ratio, dnu := logOfRest(hi, lo), p.rateOfRest(s.tTail, hi, lo), s.perRest(p, hi, lo)
		if log != 0 || ratio != 0 || dnu != 0 {
			t.Fatalf("x = %v, nu = %v: log F = %v, f/F = %v, d log F/d nu = %v", x, nu, log, ratio, dnu)
		}
	}
	if taken < 1000 {
		t.Fatalf("%d of 20,000 points are certain", taken)
	}
	for _, at := range [][2]float64{{37, 1e12}, {38.4, 1e9}, {1e4, 100}} {
		if x, nu := at[0], at[1]; certain(x, nu) || TRatio(x, nu) == 0 {
			t.Errorf("x = %v, nu = %v: certain %v, f/F = %v", x, nu, certain(x, nu), TRatio(x, nu))
		}
	}
}
