package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// everyRow applies the logarithm of a function of n numbers to each row.
func everyRow(n int, f func(x []float64) float64) logFunc {
	return func(xs []float64) ([]float64, bool) {
		var out []float64
		for i := 0; i < len(xs); i += n {
			out = append(out, f(xs[i:i+n]))
		}
		return out, true
	}
}

func normal(x, mu, sd float64) float64 {
	return -math.Log(2*math.Pi*sd*sd)/2 - (x-mu)*(x-mu)/(2*sd*sd)
}

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// TestSampledMass compares masses by importance sampling with what they are.
func TestSampledMass(t *testing.T) {
	real := expr.KindOf(types.Number.Of(types.Real))
	positive := expr.KindOf(types.Number.Of(types.Positive))
	simplex := expr.KindOf(types.Simplex.Of(types.Unit), "k")
	for _, test := range []struct {
		name string
		kind expr.Kind
		n    int
		f    func(x []float64) float64
		want float64
	}{
		{"normal, narrow and far out", real, 2, func(x []float64) float64 { return normal(x[0], 5, 0.3) + normal(x[1], -4, 3) }, 1},
		{"correlated", real, 2, func(x []float64) float64 {
			return -math.Log(2*math.Pi*math.Sqrt(1-0.81)) - (x[0]*x[0]-1.8*x[0]*x[1]+x[1]*x[1])/(2*(1-0.81))
		}, 1},
		{"two modes", real, 2, func(x []float64) float64 {
			return logSumExp([]float64{
				math.Log(0.7) + normal(x[0], -3, 0.5) + normal(x[1], 2, 0.5),
				math.Log(0.3) + normal(x[0], 4, 1) + normal(x[1], -3, 0.7),
			})
		}, 1},
		{"Cauchy (Kotz and Nadarajah 2004, equation 1.1, nu = 1)", real, 2, func(x []float64) float64 {
			return -math.Log(2*math.Pi) - 1.5*math.Log1p(x[0]*x[0]+x[1]*x[1])
		}, 1},
		{"exponential, 3 times too much", positive, 3, func(x []float64) float64 {
			return math.Log(3) + math.Log(2*0.1*7) - 2*x[0] - 0.1*x[1] - 7*x[2]
		}, 3},
		{"Dirichlet", simplex, 3, func(x []float64) float64 {
			return lgamma(4.2) - lgamma(0.7) - lgamma(3) - lgamma(0.5) - 0.3*math.Log(x[0]) + 2*math.Log(x[1]) - 0.5*math.Log(x[2])
		}, 1},
	} {
		d := density{parts: []part{{kind: test.kind, rows: test.n, columns: 1}}}
		m := sampled(rand.New(rand.NewPCG(1, 2)), everyRow(test.n, test.f), d.chart())
		if !m.ok || !(math.Abs(m.value-test.want) <= 5*m.err) {
			t.Errorf("%s: %v, want %g (ok: %v)", test.name, m, test.want, m.ok)
		}
		if m.wrong() != (test.want != 1) {
			t.Errorf("%s: %v is called wrong: %v", test.name, m, m.wrong())
		}
	}
	flat := everyRow(2, func([]float64) float64 { return 0 })
	if m := sampled(rand.New(rand.NewPCG(1, 2)), flat, density{parts: []part{{kind: real, rows: 2, columns: 1}}}.chart()); m.ok {
		t.Errorf("a constant on the plane has mass %v", m)
	}
}

// TestMassOfRecords adds up densities of several variables: by sums alone, by sums of integrals, and by sampling. What is a density is
// seen to be one, and what is twice one not to be.
func TestMassOfRecords(t *testing.T) {
	count, binary := part{kind: expr.KindOf(types.Number.Of(types.Count)), rows: 1, columns: 1}, part{kind: expr.KindOf(types.Number.Of(types.Binary)), rows: 1, columns: 1}
	real := part{kind: expr.KindOf(types.Number.Of(types.Real)), rows: 1, columns: 1}
	poisson := func(x, l float64) float64 { return x*math.Log(l) - l - lgamma(x+1) }
	bernoulli := func(x, p float64) float64 { return math.Log(x*p + (1-x)*(1-p)) }
	for _, test := range []struct {
		name  string
		parts []part
		f     func(x []float64) float64
		sum   bool // whether it is not sampled
	}{
		{"two counts", []part{count, count}, func(x []float64) float64 { return poisson(x[0], 3) + poisson(x[1], 0.5+x[0]) }, true},
		{"yes or no and a count", []part{binary, count}, func(x []float64) float64 { return bernoulli(x[0], 0.3) + poisson(x[1], 1+9*x[0]) }, true},
		{"a count and a number", []part{count, real}, func(x []float64) float64 { return poisson(x[0], 3) + normal(x[1], 5*x[0], 0.1) }, true},
		{"a number, and yes or no", []part{real, binary}, func(x []float64) float64 { return bernoulli(x[1], 0.9) + normal(x[0], 100*x[1], 0.01) }, true},
		{"a count and two numbers", []part{count, real, real}, func(x []float64) float64 {
			return poisson(x[0], 3) + normal(x[1], x[0], 1) + normal(x[2], x[1], 2)
		}, false},
		{"yes or no twice, and two numbers", []part{real, binary, real, binary}, func(x []float64) float64 {
			return bernoulli(x[1], 0.5) + bernoulli(x[3], 0.2+0.5*x[1]) + normal(x[0], x[1], 1) + normal(x[2], x[3], 1)
		}, false},
	} {
		for _, excess := range []float64{0, math.Log(2)} {
			d := density{parts: test.parts, rng: rand.New(rand.NewPCG(1, 2))}
			m := d.totalOfRecord(everyRow(d.entries(), func(x []float64) float64 { return excess + test.f(x) }))
			if !m.ok || math.Abs(m.value-math.Exp(excess)) > 1e-5+5*m.err || test.sum != (m.err == 0) {
				t.Errorf("%s, %g too much: mass %v (ok: %v)", test.name, excess, m, m.ok)
			}
			if m.wrong() != (excess > 0) {
				t.Errorf("%s: %v is called wrong: %v", test.name, m, m.wrong())
			}
		}
	}
}

// TestMassOfCounts sums over vectors of counts, and over series with gaps and with an end.
func TestMassOfCounts(t *testing.T) {
	poisson := func(x, l float64) float64 { return x*math.Log(l) - l - lgamma(x+1) }
	for n := 2; n <= 3; n++ {
		f := everyRow(n, func(x []float64) (sum float64) {
			for i, v := range x {
				sum += poisson(v, 1+2*float64(i))
			}
			return sum
		})
		caps := slices.Repeat([]float64{math.Inf(1)}, n)
		m, ok := shells(func(cells []float64) (float64, bool) { return sumExp(f, cells) }, caps, maxLattice)
		if !ok || math.Abs(m-1) > 1e-5 {
			t.Errorf("%d Poisson counts have mass %v, %v", n, m, ok)
		}
	}
	even := everyRow(1, func(x []float64) float64 { // twice a Poisson count
		if math.Mod(x[0], 2) != 0 {
			return math.Inf(-1)
		}
		return poisson(x[0]/2, 30)
	})
	if m, ok := series(even, 0); !ok || math.Abs(m-1) > 1e-5 {
		t.Errorf("even counts have mass %v, %v", m, ok)
	}
	apart := everyRow(1, func(x []float64) float64 { // a mixture with modes at 0 and 2,000
		return math.Log(0.8*math.Exp(poisson(x[0], 0.1)) + 0.2*math.Exp(poisson(x[0], 2000)))
	})
	if m, ok := series(apart, 0); !ok || math.Abs(m-1) > 1e-5 {
		t.Errorf("a mixture of modes far apart has mass %v, %v", m, ok)
	}
	die := everyRow(1, func(x []float64) float64 {
		if x[0] > 5 {
			return math.Inf(-1)
		}
		return -math.Log(6)
	})
	if m, ok := series(die, 0); !ok || math.Abs(m-1) > 1e-12 {
		t.Errorf("a die has mass %v, %v", m, ok)
	}
	category := everyRow(3, func([]float64) float64 { return -math.Log(4) }) // zeros, or one of three
	if m := ofBinary(category, 3); m.wrong() {
		t.Errorf("categories have mass %v", m)
	}
}

// TestKinks: differences across a kink are no derivatives; across a bend they are.
func TestKinks(t *testing.T) {
	const h = 0.02
	for _, at := range []float64{0, h / 1000, h / 10, -h / 5} {
		if d, _, ok := differences(h, func(s float64) float64 { return math.Abs(s - at) }); ok {
			t.Errorf("a kink at %g has slope %g", at, d)
		}
	}
	for name, f := range map[string]func(float64) float64{
		"exp":   math.Exp,
		"cube":  func(s float64) float64 { return s + s*s*s },
		"sharp": func(s float64) float64 { return math.Sqrt(s*s+1) + s },
	} {
		if d, _, ok := differences(h, f); !ok || math.Abs(d-1) > 1e-6 {
			t.Errorf("%s has slope %g, %v", name, d, ok)
		}
	}
}
