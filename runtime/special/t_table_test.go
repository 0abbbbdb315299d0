package special

import (
	"math"
	"math/big"
	"testing"
)

// Bounds are in ulp of the result, except as said.
func TestStudentTables(t *testing.T) {
	for _, c := range []struct {
		name  string
		f     func(x, nu float64) float64
		bound float64
	}{
		{"tlogpdf", TLogPDF, 4},
		{"tcdf", TCDF, 8},
		{"tlogcdf", TLogCDF, 8},
		{"tratio", TRatio, 8},
		{"tlogcdfdnu", TLogCDFDNu, 100},
		{"tquantile", TQuantile, 8},
		{"tquantilelog", TQuantileLog, 8},
		{"tquantilednuat", TQuantileDNuAt, 100},
	} {
		checkTable(t, c.name, c.bound, func(a []float64) float64 { return c.f(a[0], a[1]) }, inUlps)
	}
}
var _ = big.NewFloat
var _ = math.Abs
