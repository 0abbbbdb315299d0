package special

import (
	"math"
	"math/big"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

const many = 10000 // calls

// prepared makes a function of x and nu of a method of a distribution.
func prepared(method func(t *TDistribution, x float64) float64) func(x, nu float64) float64 {
	t := new(TDistribution)
	return func(x, nu float64) float64 {
		t.Prepare(nu, many)
		return method(t, x)
	}
}

func preparedQuantile(method func(t *TQuantiles, u float64) float64) func(u, nu float64) float64 {
	t := new(TQuantiles)
	return func(u, nu float64) float64 {
		t.Prepare(nu, many)
		return method(t, u)
	}
}

// One result of several.
func first(a, _ float64) float64       { return a }
func second(_, b float64) float64      { return b }
func firstOf3(a, _, _ float64) float64 { return a }
func midOf3(_, b, _ float64) float64   { return b }
func lastOf3(_, _, c float64) float64  { return c }

// The functions that compute several results, result by result, and the methods; with the functions they repeat.
var (
	studentJoints = []studentForm{
		{"tlogcdf", TLogCDF, func(x, nu float64) float64 { return first(TLogCDFRatio(x, nu)) }, 4},
		{"tratio", TRatio, func(x, nu float64) float64 { return second(TLogCDFRatio(x, nu)) }, 4},
		{"tratio", TRatio, func(x, nu float64) float64 { return first(TRatioDNu(x, nu)) }, 4},
		{"tlogcdfdnu", TLogCDFDNu, func(x, nu float64) float64 { return second(TRatioDNu(x, nu)) }, 10},
		{"tlogcdf", TLogCDF, func(x, nu float64) float64 { return firstOf3(TLogCDFRatioDNu(x, nu)) }, 4},
		{"tratio", TRatio, func(x, nu float64) float64 { return midOf3(TLogCDFRatioDNu(x, nu)) }, 4},
		{"tlogcdfdnu", TLogCDFDNu, func(x, nu float64) float64 { return lastOf3(TLogCDFRatioDNu(x, nu)) }, 10},
	}
	studentMethods = []studentForm{
		{"tlogpdf", TLogPDF, prepared((*TDistribution).LogPDF), 3},
		{"tlogcdf", TLogCDF, prepared((*TDistribution).LogCDF), 4},
		{"tratio", TRatio, prepared((*TDistribution).Ratio), 4},
		{"tlogcdfdnu", TLogCDFDNu, prepared((*TDistribution).LogCDFDNu), 10},
		{"tlogcdf", TLogCDF, prepared(func(t *TDistribution, x float64) float64 { return first(t.LogCDFRatio(x)) }), 4},
		{"tratio", TRatio, prepared(func(t *TDistribution, x float64) float64 { return second(t.LogCDFRatio(x)) }), 4},
		{"tratio", TRatio, prepared(func(t *TDistribution, x float64) float64 { return first(t.RatioDNu(x)) }), 4},
		{"tlogcdfdnu", TLogCDFDNu, prepared(func(t *TDistribution, x float64) float64 { return second(t.RatioDNu(x)) }), 10},
		{"tlogcdf", TLogCDF, prepared(func(t *TDistribution, x float64) float64 { return firstOf3(t.LogCDFRatioDNu(x)) }), 4},
		{"tratio", TRatio, prepared(func(t *TDistribution, x float64) float64 { return midOf3(t.LogCDFRatioDNu(x)) }), 4},
		{"tlogcdfdnu", TLogCDFDNu, prepared(func(t *TDistribution, x float64) float64 {
			return lastOf3(t.LogCDFRatioDNu(x))
		}), 10},
	}
	quantileForms = []studentForm{
		{"tquantile", TQuantile, func(u, nu float64) float64 { return first(TQuantileWithDNu(u, nu)) }, 4},
		{"", TQuantileDNu, func(u, nu float64) float64 { return second(TQuantileWithDNu(u, nu)) }, 0},
		{"tquantile", TQuantile, preparedQuantile((*TQuantiles).Quantile), 4},
		{"", TQuantileDNu, preparedQuantile((*TQuantiles).QuantileDNu), 10},
		{"tquantile", TQuantile, preparedQuantile(func(t *TQuantiles, u float64) float64 {
			return first(t.QuantileWithDNu(u))
		}), 4},
		{"", TQuantileDNu, preparedQuantile(func(t *TQuantiles, u float64) float64 {
			return second(t.QuantileWithDNu(u))
		}), 10},
	}
)

// studentForm is another form of a function of the Student-t distribution.
type studentForm struct {
	table  string
	f      func(x, nu float64) float64 // the function
	form   func(x, nu float64) float64
	within float64 // ulp
}

func TestStudentFormTables(t *testing.T) {
	for _, forms := range [][]studentForm{studentJoints, studentMethods} {
		for _, c := range forms {
			checkTable(t, c.table, c.within, func(a []float64) float64 { return c.form(a[0], a[1]) }, inUlps)
		}
	}
	measure := func(a []float64, got float64, want *big.Float) float64 {
		return ulps(got, want) * math.Min(1, a[1])
	}
	for _, c := range quantileForms {
		if c.table != "" {
			checkTable(t, c.table, c.within, func(a []float64) float64 { return c.form(a[0], a[1]) }, measure)
		}
	}
}

// Where the functions have no number to return, or an exact one, the forms return the same.
func TestStudentFormEdges(t *testing.T) {
	distributions := []float64{nan, -inf, -1, math.Copysign(0, -1), 0, 5e-324, 1e-10, 0.1, 0.2, 0.6, 3, 1e3, 1e11, 1e13,
		math.MaxFloat64, inf}
	check := func(forms []studentForm, points []float64) {
		t.Helper()
		for _, c := range forms {
			for _, nu := range distributions {
				for _, x := range points {
					want, got := c.f(x, nu), c.form(x, nu)
					if !same(got, want) && !(math.Abs(got-want) <= 2*c.within*ulp(want)) {
						t.Errorf("form of %s at %v, %v: %v, want %v", c.table, x, nu, got, want)
					}
				}
			}
		}
	}
	points := []float64{nan, -inf, -math.MaxFloat64, -1e160, -30, -5e-324, 0, 5e-324, 1e-200, 1e-9, 29.9, 30, 500, 1e3, 1e10, inf}
	check(studentJoints, points)
	check(studentMethods, points)
	check(quantileForms, []float64{nan, -inf, -1, -5e-324, 0, 5e-324, 0x1p-23, 0x1p-22, 0.25, 0.5, 0.75, 1 - 0x1p-53, 1,
		math.Nextafter(1, 2), inf})
}

func TestStudentZeroValue(t *testing.T) {
	var distribution TDistribution
	var quantile TQuantiles
	for _, x := range []float64{-100, -1, 0, 0.1, 0.5, 0.9, 2, 1e300} {
		for k, v := range []float64{distribution.LogPDF(x), distribution.LogCDF(x), distribution.Ratio(x), distribution.LogCDFDNu(x),
			lastOf3(distribution.LogCDFRatioDNu(x)), quantile.Quantile(x), quantile.QuantileDNu(x)} {
			if v == v {
				t.Errorf("%d at %v: %v", k, x, v)
			}
		}
	}
}

// Everywhere, not only at the points of the tables, a form and the function are within both their errors.
func TestStudentFormsAgree(t *testing.T) {
	check := func(t *rapid.T, forms []studentForm, x, nu, measure float64) {
		for _, c := range forms {
			want, got := c.f(x, nu), c.form(x, nu)
			if !(math.Abs(got-want)*measure <= 2*c.within*ulp(want)) {
				t.Fatalf("form of %s at %v, %v: %v, want %v, off by %v ulp", c.table, x, nu, got, want,
					math.Abs(got-want)/ulp(want))
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		x, nu := drawStudent(t)
		check(t, studentJoints, x, nu, 1)
		check(t, studentMethods, x, nu, 1)
		near := nu
		x, nu = math.Copysign(drawLog(t, "far", 1, 3e9), x), drawLog(t, "large nu", 0.1, 1e170) // to the ends of the table and beyond
		check(t, studentMethods, x, nu, 1)
		u := drawLog(t, "u", 1e-8, 0.5)
		for _, nu := range []float64{near, nu} {
			check(t, quantileForms, u, nu, math.Min(1, nu))
			check(t, quantileForms, 1-u, nu, math.Min(1, nu))
		}
	})
}

// Also from one cell to the next.
func TestPreparedMonotone(t *testing.T) {
	distribution, quantile := new(TDistribution), new(TQuantiles)
	for _, nu := range []float64{0.2, 1, 5, 20.24, 300, 1e6} {
		distribution.Prepare(nu, many)
		quantile.Prepare(nu, many)
		for k := range 2 * cells {
			middle, half := cellMiddle(uint(k%cells), cellBits)
			x := (middle - half - 1) / distribution.scale
			for range 4 {
				y := x + 1e-10*math.Max(1, x)
				if distribution.LogCDF(y) < distribution.LogCDF(x) || distribution.LogCDF(-y) > distribution.LogCDF(-x) {
					t.Errorf("nu = %v: log F does not rise at %v", nu, x)
				}
				if distribution.Ratio(-y) > 0 && distribution.Ratio(y) > distribution.Ratio(x) {
					t.Errorf("nu = %v: f/F does not fall at %v", nu, x)
				}
				x = y
			}
		}
		for k := range steepCells {
			if nu < steepNu {
				break
			}
			x := math.Sqrt(nu*math.Expm1(2*(distribution.fallen+steepFall*float64(k))/(nu+1))) - 1e-10
			for range 4 {
				y := x + 1e-10
				if distribution.LogCDF(y) < distribution.LogCDF(x) || distribution.Ratio(y) > distribution.Ratio(x) {
					t.Errorf("nu = %v: log F does not rise, or f/F not fall, at %v, where steep cells meet", nu, x)
				}
				x = y
			}
		}
		for k := range 200 {
			u := 0.5 * math.Exp2(-float64(k)/8)
			if quantile.Quantile(u*(1+1e-10)) < quantile.Quantile(u*(1-1e-10)) {
				t.Errorf("nu = %v: the quantile does not rise at %v", nu, u)
			}
			d := float64(k) / 400 // rounded once, in 0.5 + d
			d = (0.5 + d) - 0.5
			if l, r := quantile.Quantile(0.5-d), quantile.Quantile(0.5+d); l != -r {
				t.Errorf("nu = %v: quantiles %v and %v at 0.5 -+ %v", nu, l, r, d)
			}
		}
	}
}

// The derivatives are those of what is returned, not only of what is meant.
func TestPreparedDifferences(t *testing.T) {
	distribution, quantile := new(TDistribution), new(TQuantiles)
	rapid.Check(t, func(t *rapid.T) {
		x, nu := rapid.Float64Range(-8, 6).Draw(t, "x"), drawLog(t, "nu", 0.6, 300)
		h := 1e-4
		distribution.Prepare(nu, many)
		slope := (distribution.LogCDF(x+h) - distribution.LogCDF(x-h)) / (2 * h)
		near(t, "Ratio", distribution.Ratio(x), slope, math.Abs(slope)*(1+x*x*x*x)+1e-4, 1e-6)
		u := rapid.Float64Range(1e-4, 0.9999).Draw(t, "u")
		at := func(nu float64) float64 {
			quantile.Prepare(nu, many)
			return quantile.Quantile(u)
		}
		h = 1e-3 * nu
		slope = (at(nu+h) - at(nu-h)) / (2 * h)
		quantile.Prepare(nu, many)
		near(t, "QuantileDNu", quantile.QuantileDNu(u), slope, math.Abs(slope)+1e-8, 1e-3)
	})
}

// Few calls get no table; neither do they lose the one there is.
func TestPreparedForFewCalls(t *testing.T) {
	distribution, quantile := new(TDistribution), new(TQuantiles)
	for _, calls := range []int{10, many, 10, many} {
		distribution.Prepare(7, calls)
		quantile.Prepare(7, calls)
		for _, x := range []float64{-2, 0.3, 5} {
			if distribution.cell(x) != nil != (calls == many) {
				t.Fatalf("table for %d calls of log F", calls)
			}
			near := func(got, want float64) bool { return math.Abs(got-want) <= 20*ulp(want) }
			u := TCDF(x, 7)
			if !near(distribution.LogCDF(x), TLogCDF(x, 7)) || !near(distribution.LogPDF(x), TLogPDF(x, 7)) ||
				!near(quantile.Quantile(u), TQuantile(u, 7)) {
				t.Errorf("for %d calls: wrong at %v", calls, x)
			}
		}
		if c, _ := quantile.cell(0.1); c != nil != (calls == many) {
			t.Fatalf("table for %d calls of the quantile", calls)
		}
	}
}

// What was asked before makes no difference to the last bit.
func TestPreparedForgets(t *testing.T) {
	distribution, quantile := new(TDistribution), new(TQuantiles)
	rapid.Check(t, func(t *rapid.T) {
		x, nu := drawStudent(t)
		u := rapid.Float64Range(0, 1).Draw(t, "u")
		distribution.Prepare(nu, many)
		quantile.Prepare(nu, many)
		freshDistribution, freshQuantile := new(TDistribution), new(TQuantiles)
		freshDistribution.Prepare(nu, many)
		freshQuantile.Prepare(nu, many)
		if distribution.LogCDF(x) != freshDistribution.LogCDF(x) || distribution.LogCDFDNu(x) != freshDistribution.LogCDFDNu(x) {
			t.Fatalf("log F(%v, %v) depends on the past", x, nu)
		}
		if quantile.Quantile(u) != freshQuantile.Quantile(u) || quantile.QuantileDNu(u) != freshQuantile.QuantileDNu(u) {
			t.Fatalf("the quantile of %v for nu = %v depends on the past", u, nu)
		}
	})
}

// Single and joint methods agree to the last bit.
func TestPreparedJointsAgree(t *testing.T) {
	distribution, quantile := new(TDistribution), new(TQuantiles)
	rapid.Check(t, func(t *rapid.T) {
		x, nu := drawStudent(t)
		distribution.Prepare(nu, many)
		log, ratio, dnu := distribution.LogCDFRatioDNu(x)
		log2, ratio2 := distribution.LogCDFRatio(x)
		ratio3, dnu3 := distribution.RatioDNu(x)
		agree := ratio == ratio3 && dnu == dnu3 && log == log2 && ratio == ratio2 && log == distribution.LogCDF(x) && ratio == distribution.Ratio(x) && dnu == distribution.LogCDFDNu(x)
		if distribution.cell(x) != nil && !agree {
			t.Fatalf("joint methods differ from single ones at %v, %v", x, nu)
		}
		u := rapid.Float64Range(0, 1).Draw(t, "u")
		quantile.Prepare(nu, many)
		q, slope := quantile.QuantileWithDNu(u)
		if !same(q, quantile.Quantile(u)) || !same(slope, quantile.QuantileDNu(u)) {
			t.Fatalf("joint methods differ from single ones for the quantile of %v, %v", u, nu)
		}
	})
}

func TestStudentFormsDoNotAllocate(t *testing.T) {
	for _, forms := range [][]studentForm{studentJoints, studentMethods, quantileForms} {
		for _, c := range forms {
			if n := testing.AllocsPerRun(3, func() {
				for _, x := range []float64{-40, -2, -1e-9, 0, 1e-9, 0.1, 0.3, 0.6, 0.99, 3, 100} {
					for _, nu := range []float64{0, 0.3, 4, 20, 1e6, 1e300} {
						sink += c.form(x, nu)
					}
				}
			}); n != 0 {
				t.Errorf("form of %s allocates %v times", c.table, n)
			}
		}
	}
}

// The sizes that the comments state.
func TestPreparedSizes(t *testing.T) {
	if distribution, quantile := unsafe.Sizeof(TDistribution{}), unsafe.Sizeof(TQuantiles{}); distribution > 636e3 || quantile > 43e3 {
		t.Errorf("TDistribution has %d bytes, TQuantiles %d", distribution, quantile)
	}
}

// TestStudentForgets: what was filled for other degrees of freedom is not read.
func TestStudentForgets(t *testing.T) {
	x := make([]float64, 200)
	for i := range x {
		x[i] = 0.1 * float64(i-100)
	}
	var used, follower TDistribution
	for _, nu := range []float64{3, 40, 3, 0.5, 1e70, 1e80, 7} {
		var fresh TDistribution
		fresh.Prepare(nu, 1000)
		used.Prepare(nu, 1000)
		follower.Follow(&used)
		want, got, followed := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
		TLogCDFs(want, x, &fresh)
		TLogCDFs(got, x, &used)
		TLogCDFs(followed, x, &follower)
		for i := range x {
			if got[i] != want[i] || followed[i] != want[i] || used.LogCDF(x[i]) != fresh.LogCDF(x[i]) {
				t.Fatalf("nu = %v, x = %v: %v and %v, not %v", nu, x[i], got[i], followed[i], want[i])
			}
		}
	}
}
