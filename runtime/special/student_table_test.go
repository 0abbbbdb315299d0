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
		{"tcdf", TCDF, 3},
		{"tlogcdf", TLogCDF, 3},
		{"tratio", TRatio, 3},
		{"tlogcdfdnu", TLogCDFDNu, 10},
		{"tquantilednuat", TQuantileDNuAt, 10},
		{"tquantilednu", TQuantileDNu, 10},
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

// So here, in units of 2^-59 of the exponential.
func TestExpWordsTable(t *testing.T) {
	for _, r := range readTable(t, "exptwo") {
		hi, lo := expWords(r.args[0], 0)
		want, _ := r.want.Float64()
		e := math.Abs(difference(hi, r.want)+lo) / want * 0x1p59
		if !(e <= 1) || math.Abs(lo) > ulp(hi) {
			t.Errorf("expWords(%v) = %v + %v, want %v: error %.2f", r.args[0], hi, lo, r.want.Text('g', 25), e)
		}
	}
}

func TestStudentQuantileTables(t *testing.T) {
	checkTable(t, "tquantile", 3, func(a []float64) float64 { return TQuantile(a[0], a[1]) }, inUlps)
	measure := func(a []float64, got float64, want *big.Float) float64 {
		if a[0] > -math.Ln2 {
			return ulps(got, want) * math.Min(1, a[1]) // the rounding of 1 - exp(logU) makes it 4/nu
		}
		return ulps(got, want)
	}
	checkTable(t, "tquantilelog", 4, func(a []float64) float64 { return TQuantileLog(a[0], a[1]) }, measure)
}
