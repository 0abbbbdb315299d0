package special

import (
	"fmt"
	"testing"
)

// BenchmarkGammaDiffs compares functions with methods where r stays for all rows of a pass and is new in every pass, so
// that counts are computed anew. The figures are those of a row.
func BenchmarkGammaDiffs(b *testing.B) {
	g := new(GammaDiffs)
	both := func(l, d float64) float64 { return l + d }
	each := func(f func(x, r float64) float64) func(rows []float64, r float64) {
		return func(rows []float64, r float64) {
			for _, x := range rows {
				sink += f(x, r)
			}
		}
	}
	with := func(f func(x float64) float64) func(rows []float64, r float64) {
		return func(rows []float64, r float64) {
			g.Prepare(r, len(rows))
			for _, x := range rows {
				sink += f(x)
			}
		}
	}
	for _, c := range []struct {
		name string
		pass func(rows []float64, r float64)
	}{
		{"LgammaDiff", each(LgammaDiff)},
		{"Lgamma", with(g.Lgamma)},
		{"DigammaDiff", each(DigammaDiff)},
		{"Digamma", with(g.Digamma)},
		{"LgammaDigammaDiff", each(func(x, r float64) float64 { return both(LgammaDigammaDiff(x, r)) })},
		{"LgammaDigamma", with(func(x float64) float64 { return both(g.LgammaDigamma(x)) })},
	} {
		for _, r := range []float64{0.5, 14.9} {
			for _, last := range []int{8, 50, 5000} {
				rows := counts(0, last)
				b.Run(fmt.Sprintf("%s/r=%v/count=0..%d", c.name, r, last), func(b *testing.B) {
					benchPasses(b, rows, r, c.pass)
				})
			}
		}
	}
}
