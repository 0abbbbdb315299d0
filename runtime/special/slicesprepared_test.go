package special

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/sngdgen/sngdgen/runtime/vector"
)

// preparedSlice is a function over slices of what has been prepared, with what tests need to know: one of its results of numbers x, the method of
// one number, and the table of its accuracy.
type preparedSlice struct {
	name   string
	tables []string
	within float64
	of     func(parameter float64) (slice func(dst, x []float64), method func(x float64) float64)
}

func ofGammas(name, table string, slice func(dst, x []float64, g *GammaDiffs), method func(g *GammaDiffs, x float64) float64) preparedSlice {
	return preparedSlice{name, []string{table + "_far", table + "_whole", table + "_real"}, 4,
		func(r float64) (func(dst, x []float64), func(float64) float64) {
			g, other := preparedFor(r), preparedFor(r)
			return func(dst, x []float64) { slice(dst, x, g) }, func(x float64) float64 { return method(other, x) }
		}}
}

func ofStudent(name, table string, within float64, slice func(dst, x []float64, t *TDistribution), method func(t *TDistribution, x float64) float64) preparedSlice {
	t, other := new(TDistribution), new(TDistribution)
	return preparedSlice{name, []string{table}, within, func(nu float64) (func(dst, x []float64), func(float64) float64) {
		t.Prepare(nu, many)
		other.Prepare(nu, many)
		return func(dst, x []float64) { slice(dst, x, t) }, func(x float64) float64 { return method(other, x) }
	}}
}

// aside is memory for a result that a test does not look at.
func aside(x []float64) []float64 { return make([]float64, len(x)) }

var preparedSlices = []preparedSlice{
	ofGammas("LgammaDiffs", "lgammadiff", LgammaDiffs, (*GammaDiffs).Lgamma),
	ofGammas("DigammaDiffs", "digammadiff", DigammaDiffs, (*GammaDiffs).Digamma),
	ofGammas("LgammaDigammaDiffs, lgamma", "lgammadiff",
		func(dst, x []float64, g *GammaDiffs) { LgammaDigammaDiffs(dst, aside(x), x, g) }, (*GammaDiffs).Lgamma),
	ofGammas("LgammaDigammaDiffs, digamma", "digammadiff",
		func(dst, x []float64, g *GammaDiffs) { LgammaDigammaDiffs(aside(x), dst, x, g) }, (*GammaDiffs).Digamma),
	ofStudent("TLogPDFs", "tlogpdf", 3, TLogPDFs, (*TDistribution).LogPDF),
	ofStudent("TLogCDFs", "tlogcdf", 4, TLogCDFs, (*TDistribution).LogCDF),
	ofStudent("TRatios", "tratio", 4, TRatios, (*TDistribution).Ratio),
	ofStudent("TLogCDFDNus", "tlogcdfdnu", 10, TLogCDFDNus, (*TDistribution).LogCDFDNu),
	ofStudent("TLogCDFRatios, log", "tlogcdf", 4,
		func(dst, x []float64, t *TDistribution) { TLogCDFRatios(dst, aside(x), x, t) }, (*TDistribution).LogCDF),
	ofStudent("TLogCDFRatios, ratio", "tratio", 4,
		func(dst, x []float64, t *TDistribution) { TLogCDFRatios(aside(x), dst, x, t) }, (*TDistribution).Ratio),
	ofStudent("TRatioDNus, ratio", "tratio", 4,
		func(dst, x []float64, t *TDistribution) { TRatioDNus(dst, aside(x), x, t) }, (*TDistribution).Ratio),
	ofStudent("TRatioDNus, dnu", "tlogcdfdnu", 10,
		func(dst, x []float64, t *TDistribution) { TRatioDNus(aside(x), dst, x, t) }, (*TDistribution).LogCDFDNu),
	ofStudent("TLogCDFRatioDNus, log", "tlogcdf", 4,
		func(dst, x []float64, t *TDistribution) { TLogCDFRatioDNus(dst, aside(x), aside(x), x, t) }, (*TDistribution).LogCDF),
	ofStudent("TLogCDFRatioDNus, ratio", "tratio", 4,
		func(dst, x []float64, t *TDistribution) { TLogCDFRatioDNus(aside(x), dst, aside(x), x, t) }, (*TDistribution).Ratio),
	ofStudent("TLogCDFRatioDNus, dnu", "tlogcdfdnu", 10,
		func(dst, x []float64, t *TDistribution) { TLogCDFRatioDNus(aside(x), aside(x), dst, x, t) }, (*TDistribution).LogCDFDNu),
}

// onLevels runs a test on all levels that the processor has.
func onLevels(t *testing.T, f func(t *testing.T)) {
	defer vector.Use(vector.Active())
	for _, l := range []vector.Level{vector.Go, vector.AVX2, vector.AVX512} {
		if vector.Use(l); vector.Active() == l {
			t.Run(l.String(), f)
		}
	}
}

// neighbours stand beside a number.
var neighbours = []float64{0, 3, 16, 17, 0.25, -2, 25, 1e9, math.Inf(1), math.NaN(), -math.MaxFloat64, 0.5, 4}

// TestPreparedSlicesTables: the methods' bounds hold for the tables of accuracy, whatever stands beside a number.
func TestPreparedSlicesTables(t *testing.T) {
	onLevels(t, func(t *testing.T) {
		for _, s := range preparedSlices {
			for _, table := range s.tables {
				n := 0
				f := func(a []float64) float64 {
					slice, _ := s.of(a[1])
					x := append([]float64(nil), neighbours...)
					n++
					x[n%len(x)] = a[0]
					slice(x, x)
					return x[n%len(x)]
				}
				measure := inUlps
				if s.tables[0] == "lgammadiff_far" {
					measure = lgammaDiffError
				}
				checkTable(t, table, s.within, f, measure)
			}
		}
	})
}

// drawPrepared draws a number, mostly one that kernels know.
func drawPrepared(rng *rand.Rand) float64 {
	switch rng.IntN(8) {
	case 0:
		return math.Float64frombits(rng.Uint64())
	case 1:
		return float64(rng.IntN(20))
	case 2:
		return 40 * rng.Float64()
	case 3:
		return neighbours[rng.IntN(len(neighbours))]
	}
	return 6 * rng.NormFloat64()
}

// TestPreparedSlicesAreTheMethods: within both their errors, and the same numbers where methods know no better than functions; on both levels of
// assembly, however many there are, and also in place, the same bits.
func TestPreparedSlicesAreTheMethods(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, parameter := range []float64{0, 1e-9, 0.2, 0.7, 1, 2.99, 3, 7.5, 40, 1e5, 1e17, 1e19, math.Inf(1), -1, math.NaN()} {
		x := make([]float64, 300)
		for i := range x {
			x[i] = drawPrepared(rng)
		}
		for _, s := range preparedSlices {
			want := map[bool][]float64{}
			onLevels(t, func(t *testing.T) {
				slice, method := s.of(parameter)
				got := make([]float64, len(x))
				slice(got, x)
				for i, v := range x {
					one := method(v)
					size := math.Max(math.Abs(one), 1+math.Abs(math.Log(math.Abs(parameter))))
					if s.tables[0] != "lgammadiff_far" {
						size = one
					}
					if !same(got[i], one) && !(math.Abs(got[i]-one) <= 2*s.within*ulp(size)) {
						t.Errorf("%s at %v, %v: %v, not %v", s.name, v, parameter, got[i], one)
					}
				}
				if assembly := vector.On(); want[assembly] == nil {
					want[assembly] = got
				} else {
					identical(t, fmt.Sprint(s.name, parameter), got, want[assembly])
				}
				inPlace := append([]float64(nil), x...)
				slice(inPlace, inPlace)
				identical(t, s.name+" in place", inPlace, got)
				for n := range 20 {
					from := rng.IntN(len(x) - n)
					few := make([]float64, n)
					slice(few, x[from:from+n])
					identical(t, s.name+" of a few", few, got[from:from+n])
				}
			})
		}
	}
}

func identical(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if !same(got[i], want[i]) {
			t.Fatalf("%s: number %d is %v, not %v", what, i, got[i], want[i])
		}
	}
}

// TestPreparedSlicesForget: what is returned does not depend on what was asked before, also outside the domain.
func TestPreparedSlicesForget(t *testing.T) {
	x := make([]float64, 41)
	for i := range x {
		x[i] = float64(i) / 2
	}
	onLevels(t, func(t *testing.T) {
		g, d := new(GammaDiffs), new(TDistribution)
		got, second, third := aside(x), aside(x), aside(x)
		want, wantSecond, wantThird := aside(x), aside(x), aside(x)
		for _, parameter := range []float64{math.NaN(), 2.5, -1, 7, 0, 2.5, math.Inf(1), 1e19, 3} {
			for range 2 {
				fresh, freshD := new(GammaDiffs), new(TDistribution)
				for _, p := range []*GammaDiffs{g, fresh} {
					p.Prepare(parameter, many)
				}
				LgammaDigammaDiffs(got, second, x, g)
				LgammaDigammaDiffs(want, wantSecond, x, fresh)
				identical(t, fmt.Sprint("lgamma ", parameter), got, want)
				identical(t, fmt.Sprint("digamma ", parameter), second, wantSecond)
				for _, p := range []*TDistribution{d, freshD} {
					p.Prepare(parameter, many)
				}
				TLogCDFRatioDNus(got, second, third, x, d)
				TLogCDFRatioDNus(want, wantSecond, wantThird, x, freshD)
				identical(t, fmt.Sprint("log ", parameter), got, want)
				identical(t, fmt.Sprint("ratio ", parameter), second, wantSecond)
				identical(t, fmt.Sprint("dnu ", parameter), third, wantThird)
				g.Lgamma(0)
			}
		}
	})
}

func TestPreparedSlicesAllocateNothing(t *testing.T) {
	x := make([]float64, 100)
	for i := range x {
		x[i] = float64(i) / 4
	}
	a, b, c := aside(x), aside(x), aside(x)
	g, d := preparedFor(2.5), new(TDistribution)
	onLevels(t, func(t *testing.T) {
		if n := testing.AllocsPerRun(3, func() {
			LgammaDigammaDiffs(a, b, x, g)
			d.Prepare(3, many)
			TLogPDFs(a, x, d)
			TLogCDFRatioDNus(a, b, c, x, d)
		}); n > 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// TestGammaTable: the kernels read the table as it lies in memory.
func TestGammaTable(t *testing.T) {
	var g vector.GammaTable
	if unsafe.Offsetof(g.Top) != 8 || unsafe.Offsetof(g.DigammaTop) != 56 || unsafe.Offsetof(g.Lgammas) != 64 || unsafe.Offsetof(g.Digammas) != 64+17*8 {
		t.Error("the table has another form")
	}
}

func BenchmarkPreparedSlices(b *testing.B) {
	rng := rand.New(rand.NewPCG(23, 24))
	for _, s := range preparedSlices {
		x := make([]float64, 256)
		for i := range x {
			if x[i] = 2 * rng.NormFloat64(); s.tables[0] == "lgammadiff_far" || s.tables[0] == "digammadiff_far" {
				x[i] = float64(rng.IntN(60))
			}
		}
		dst := aside(x)
		for _, l := range []vector.Level{vector.Go, vector.AVX2, vector.AVX512} {
			b.Run(s.name+"/"+l.String(), func(b *testing.B) {
				defer vector.Use(vector.Use(l))
				slice, _ := s.of(2.5)
				for b.Loop() {
					slice(dst, x)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/256, "ns/number")
			})
		}
	}
}
