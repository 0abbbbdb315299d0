package special

import "testing"

func BenchmarkT(b *testing.B) {
	line, chance := even(-5, 5), even(0, 1)
	small, large := spread(1, 50), spread(30, 1e6)
	for _, c := range []struct {
		name      string
		f         func(x, nu float64) float64
		points, n []float64
	}{
		{"TLogPDF", TLogPDF, line, small},
		{"TCDF", TCDF, line, small},
		{"TLogCDF", TLogCDF, line, small},
		{"TLogCDF/nu=30..1e6", TLogCDF, line, large},
		{"TRatio", TRatio, line, small},
		{"TLogCDFDNu", TLogCDFDNu, line, small},
		{"TLogCDFDNu/nu=30..1e6", TLogCDFDNu, line, large},
		{"TQuantile", TQuantile, chance, small},
		{"TQuantile/nu=30..1e6", TQuantile, chance, large},
		{"TQuantile/tail", TQuantile, spread(1e-300, 0.01), small},
		{"TQuantileLog", func(x, nu float64) float64 { return TQuantileLog(-x, nu) }, spread(1e-3, 1e3), small},
		{"TQuantileDNuAt", TQuantileDNuAt, line, small},
		{"TQuantileDNu", TQuantileDNu, chance, small},
	} {
		b.Run(c.name, func(b *testing.B) {
			for k := 0; b.Loop(); k++ {
				sink += c.f(c.points[k%benchPoints], c.n[k*7%benchPoints])
			}
		})
	}
}
