package special

import (
	"math"
	"math/big"
	"testing"
)

func TestStudentTables(t *testing.T) {
	for _, c := range []struct {
		name  string
		f     func(x, nu float64) float64
		bound float64
	}{
		{"tlogpdf", TLogPDF, 3},
		{"tcdf", TCDF, 10},
		{"tlogcdf", TLogCDF, 10},
		{"tratio", TRatio, 10},
		{"tlogcdfdnu", TLogCDFDNu, 150},
		{"tquantilednuat", TQuantileDNuAt, 150},
	} {
		checkTable(t, c.name, c.bound, func(a []float64) float64 { return c.f(a[0], a[1]) }, inUlps)
	}
}

// The two words together, in units of 2^-64 of the logarithm.
func TestLog1pTwoTable(t *testing.T) {
	for _, r := range readTable(t, "log1ptwo") {
		hi, lo := log1pTwo(r.args[0], 0)
		want, _ := r.want.Float64()
		e := math.Abs(difference(hi, r.want)+lo) / want * 0x1p64
		if !(e <= 1) || math.Abs(lo) > ulp(hi) {
			t.Errorf("log1pTwo(%v) = %v + %v, want %v: error %.2f", r.args[0], hi, lo, r.want.Text('g', 25), e)
		}
	}
}

// The quantile's condition is 1/nu in the tail, and with it the error grows.
func TestStudentQuantileTables(t *testing.T) {
	measure := func(a []float64, got float64, want *big.Float) float64 {
		return ulps(got, want) * math.Min(1, a[1])
	}
	checkTable(t, "tquantile", 16, func(a []float64) float64 { return TQuantile(a[0], a[1]) }, measure)
	checkTable(t, "tquantilelog", 16, func(a []float64) float64 { return TQuantileLog(a[0], a[1]) }, measure)
}
