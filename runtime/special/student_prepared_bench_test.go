package special

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// gaussian returns normal numbers.
func gaussian(scale float64, n int) []float64 {
	rng := rand.New(rand.NewPCG(17, 19))
	points := make([]float64, n)
	for k := range points {
		points[k] = scale * rng.NormFloat64()
	}
	return points
}

// chances returns n numbers between 0 and 1.
func chances(n int) []float64 {
	rng := rand.New(rand.NewPCG(23, 29))
	points := make([]float64, n)
	for k := range points {
		points[k] = rng.Float64()
	}
	return points
}

// BenchmarkPrepared compares functions with methods where nu stays for all rows, at new degrees of freedom in every
// pass, so that the tables are filled anew. The figures are those of a row.
func BenchmarkPrepared(b *testing.B) {
	distribution, quantile := new(TDistribution), new(TQuantiles)
	each := func(f func(x, nu float64) float64) func(rows []float64, nu float64) {
		return func(rows []float64, nu float64) {
			for _, x := range rows {
				sink += f(x, nu)
			}
		}
	}
	with := func(f func(x float64) float64) func(rows []float64, nu float64) {
		return func(rows []float64, nu float64) {
			distribution.Prepare(nu, len(rows))
			quantile.Prepare(nu, len(rows))
			for _, x := range rows {
				sink += f(x)
			}
		}
	}
	three := func(a, b, c float64) float64 { return a + b + c }
	two := func(a, b float64) float64 { return a + b }
	for _, c := range []struct {
		name string
		pass func(rows []float64, nu float64)

		ofChance bool
	}{
		{"TLogPDF", each(TLogPDF), false},
		{"LogPDF", with(distribution.LogPDF), false},
		{"TLogCDF", each(TLogCDF), false},
		{"LogCDF", with(distribution.LogCDF), false},
		{"TLogCDF,TRatio", each(func(x, nu float64) float64 { return TLogCDF(x, nu) + TRatio(x, nu) }), false},
		{"TLogCDFRatio", each(func(x, nu float64) float64 { return two(TLogCDFRatio(x, nu)) }), false},
		{"LogCDFRatio", with(func(x float64) float64 { return two(distribution.LogCDFRatio(x)) }), false},
		{"TLogCDF,TRatio,TLogCDFDNu", each(func(x, nu float64) float64 {
			return TLogCDF(x, nu) + TRatio(x, nu) + TLogCDFDNu(x, nu)
		}), false},
		{"TLogCDFRatioDNu", each(func(x, nu float64) float64 { return three(TLogCDFRatioDNu(x, nu)) }), false},
		{"LogCDFRatioDNu", with(func(x float64) float64 { return three(distribution.LogCDFRatioDNu(x)) }), false},
		{"TQuantile", each(TQuantile), true},
		{"Quantile", with(quantile.Quantile), true},
		{"TQuantile,TQuantileDNu", each(func(u, nu float64) float64 { return TQuantile(u, nu) + TQuantileDNu(u, nu) }), true},
		{"TQuantileWithDNu", each(func(u, nu float64) float64 { return two(TQuantileWithDNu(u, nu)) }), true},
		{"QuantileWithDNu", with(func(u float64) float64 { return two(quantile.QuantileWithDNu(u)) }), true},
	} {
		for _, nu := range []float64{5, 20.24, 50} {
			for _, n := range []int{100, 300, 10000} {
				points := gaussian(2, n)
				if c.ofChance {
					points = chances(n)
				}
				b.Run(fmt.Sprintf("%s/nu=%v/rows=%d", c.name, nu, n), func(b *testing.B) {
					benchPasses(b, points, nu, c.pass)
				})
			}
		}
	}
}

// benchPasses runs passes, each with other degrees of freedom, and reports the time of a row.
func benchPasses(b *testing.B, rows []float64, nu float64, pass func(rows []float64, nu float64)) {
	for k := 0; b.Loop(); k++ {
		pass(rows, nu*(1+1e-3*float64(k%10)))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(rows)), "ns/row")
}
