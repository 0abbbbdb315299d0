package matched_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	_ "github.com/sngdgen/sngdgen/internal/testseed"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/matched"
	"github.com/sngdgen/sngdgen/runtime/random"
)

// vectors are spherical vectors of some draws.
func vectors(draws, length int) runtime.Noise {
	return runtime.Noise{
		Values: make([]float64, draws*length), Length: length, Quantile: standardNormal, Symmetric: true, Spherical: true,
	}
}

func standardNormal(u float64) float64 { return random.NormalQuantile(u, 0, 1) }

// single is a number of every draw.
func single(draws int, quantile func(float64) float64, symmetric bool) runtime.Noise {
	return runtime.Noise{Values: make([]float64, draws), Length: 1, Quantile: quantile, Symmetric: symmetric}
}

// In every part the first and second moments of spherical vectors, together, are those of the normal distribution.
func TestVectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d1, d2 := rapid.IntRange(2, 6).Draw(t, "d1"), rapid.IntRange(2, 4).Draw(t, "d2")
		parts := rapid.IntRange(1, 3).Draw(t, "parts")
		draws := 2 * rapid.IntRange(d1+d2, 40).Draw(t, "pairs")
		a, b := vectors(draws*parts, d1), vectors(draws*parts, d2)
		matched.Fill([]runtime.Noise{a, b}, parts, runtime.Stream(rapid.Uint64().Draw(t, "seed"), "match"))
		for part := range parts {
			rows := make([][]float64, draws)
			for i := range rows {
				at := part*draws + i
				rows[i] = slices.Concat(a.Values[at*d1:(at+1)*d1], b.Values[at*d2:(at+1)*d2])
			}
			standard(t, rows, 1e-9)
		}
	})
}

// standard asks for means 0 and second moments that are the identity matrix.
func standard(t interface {
	Errorf(format string, args ...any)
}, rows [][]float64, tolerance float64) {
	for i := range rows[0] {
		mean := 0.0
		for _, r := range rows {
			mean += r[i] / float64(len(rows))
		}
		if math.Abs(mean) > 1e-14 {
			t.Errorf("mean %d is %g", i, mean)
		}
		for j := range i + 1 {
			second := 0.0
			for _, r := range rows {
				second += r[i] * r[j] / float64(len(rows))
			}
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(second-want) > tolerance {
				t.Errorf("second moment %d, %d is %g", i, j, second)
			}
		}
	}
}

// Too few draws for all second moments: those of every entry are still right.
func TestFewDraws(t *testing.T) {
	a := vectors(6, 10)
	matched.Fill([]runtime.Noise{a}, 1, runtime.Stream(1, "few"))
	for j := range 10 {
		mean, second := 0.0, 0.0
		for i := range 6 {
			mean += a.Values[i*10+j]
			second += a.Values[i*10+j] * a.Values[i*10+j] / 6
		}
		if math.Abs(mean) > 1e-14 || math.Abs(second-1) > 1e-12 {
			t.Errorf("entry %d: mean %g, second moment %g", j, mean, second)
		}
	}
	for _, draws := range []int{1, 3} { // the odd one is there too
		a = vectors(draws, 2)
		matched.Fill([]runtime.Noise{a}, 1, runtime.Stream(1, "odd"))
		if slices.Contains(a.Values, 0) {
			t.Errorf("%d draws: %v", draws, a.Values)
		}
	}
}

// Single numbers have the first two moments of their distribution, of the absolute value where that is symmetric, and in
// every cell of theirs the vectors are matched.
func TestSingles(t *testing.T) {
	const d = 3
	uniform := func(u float64) float64 { return random.UniformQuantile(u, -1, 3) }
	exponential := func(u float64) float64 { return random.ExponentialQuantile(u, 2) }
	gamma := func(u float64) float64 { return random.GammaQuantile(u, 2.5, 0.5) }
	for name, c := range map[string]struct {
		singles        []runtime.Noise
		means, seconds []float64
		tolerance      float64 // of second moments of 100 draws: where zero bounds a distribution, the strata are not spread
	}{
		"normal": {[]runtime.Noise{single(0, standardNormal, true)}, []float64{math.Sqrt(2 / math.Pi)}, []float64{1}, 1e-6},
		"two": {
			[]runtime.Noise{single(0, uniform, false), single(0, standardNormal, true)},
			[]float64{1, math.Sqrt(2 / math.Pi)}, []float64{1 + 16.0/12, 1}, 1e-6,
		},
		"three": {
			[]runtime.Noise{single(0, exponential, false), single(0, gamma, false), single(0, uniform, false)},
			[]float64{0.5, 5, 1}, []float64{0.5, 25 + 10, 1 + 16.0/12}, 0.02,
		},
	} {
		cells := 8
		if len(c.singles) > 1 {
			cells = 13
		}
		test := func(cells, draws int) {
			arrays := append(slices.Clone(c.singles), vectors(0, d))
			for i := range arrays {
				arrays[i].Values = make([]float64, draws*arrays[i].Length)
			}
			matched.Fill(arrays, 1, runtime.Stream(1, name))
			e := arrays[len(arrays)-1].Values
			for i, a := range arrays[:len(arrays)-1] {
				var mean, second, sum float64
				for _, x := range a.Values {
					if a.Symmetric {
						sum += x
						x = math.Abs(x)
					}
					mean += x / float64(draws)
					second += x * x / float64(draws)
				}
				if math.Abs(mean-c.means[i]) > 1e-6 || math.Abs(second/c.seconds[i]-1) > c.tolerance*math.Max(1, 100/float64(draws)) || math.Abs(sum) > 3 {
					t.Errorf("number %d: mean %v, want %v; second moment %v, want %v; sum %v", i, mean, c.means[i], second, c.seconds[i], sum)
				}
			}
			size := draws / cells
			for cell := range cells {
				rows := make([][]float64, size)
				for i := range rows {
					rows[i] = e[(cell*size+i)*d : (cell*size+i+1)*d]
				}
				standard(t, rows, 1e-9)
			}
		}
		arrays := append(slices.Clone(c.singles), vectors(0, d))
		t.Run(name, func(*testing.T) { test(cells, matched.Draws(arrays, 0)) })
		t.Run(name+", fewest", func(*testing.T) { test(4, matched.Fewest(arrays, 0)) })
	}
}

// Symmetric numbers without vectors beside them, as those of a posterior of one number, have either sign.
func TestSymmetricAlone(t *testing.T) {
	for count := 1; count <= 2; count++ {
		for _, draws := range []int{4, 20, 100} {
			arrays := make([]runtime.Noise, count)
			for i := range arrays {
				arrays[i] = single(draws, standardNormal, true)
			}
			matched.Fill(arrays, 1, runtime.Stream(1, "alone"))
			for _, a := range arrays {
				var mean, second float64
				for _, x := range a.Values {
					mean += x / float64(draws)
					second += x * x / float64(draws)
				}
				if math.Abs(mean) > 1e-12 || math.Abs(second-1) > 1e-6 {
					t.Errorf("%d numbers, %d draws: mean %v, second moment %v", count, draws, mean, second)
				}
			}
		}
	}
}

// Two single numbers of a draw are not correlated, whatever the number of draws: an average over them would be off by as much, with
// any seed.
func TestUncorrelated(t *testing.T) {
	gamma := func(u float64) float64 { return random.GammaQuantile(u, 60, 60) }
	for _, pairs := range []int{0, 50, 400} {
		a, b, e := single(0, standardNormal, true), single(0, gamma, false), vectors(0, 3)
		draws := matched.Draws([]runtime.Noise{a, b, e}, 2*pairs)
		a.Values, b.Values, e.Values = make([]float64, draws), make([]float64, draws), make([]float64, 3*draws)
		matched.Fill([]runtime.Noise{a, b, e}, 1, runtime.Stream(1, "uncorrelated"))
		for power := 1.0; power <= 2; power++ {
			x := make([]float64, draws)
			for i, w := range a.Values {
				x[i] = math.Pow(math.Abs(w), power)
			}
			if r := stat.Correlation(x, b.Values, nil); math.Abs(r) > 0.06 {
				t.Errorf("%d draws: correlation of |w|^%v and g is %v", draws, power, r)
			}
		}
	}
}

// By themselves single numbers are a quadrature rule, whose error is of the order of 1/n: of n draws of a symmetric number, two
// have the same size, and what is odd is exact.
func TestIsQuadrature(t *testing.T) {
	for _, n := range []int{20, 40, 80, 160} {
		a := single(n, standardNormal, true)
		matched.Fill([]runtime.Noise{a}, 1, runtime.Stream(1, "quadrature"))
		mean, odd := 0.0, 0.0
		for _, x := range a.Values {
			mean += math.Cos(x) / float64(n)
			odd += math.Sin(x) / float64(n)
		}
		if off := math.Abs(mean - math.Exp(-0.5)); off > 0.1/float64(n/2) || math.Abs(odd) > 1e-12 {
			t.Errorf("%d draws: off by %g, what is odd by %g", n, off, odd)
		}
	}
}

// Vectors of numbers that are not spherical are a Latin hypercube: every entry has the moments of its distribution.
func TestHypercube(t *testing.T) {
	const draws, length = 50, 4
	a := runtime.Noise{Values: make([]float64, draws*length), Length: length, Quantile: func(u float64) float64 {
		return random.GammaQuantile(u, 3, 1)
	}}
	discrete := runtime.Noise{Values: []float64{7, 7}, Length: 1}
	matched.Fill([]runtime.Noise{a}, 1, runtime.Stream(1, "hypercube"))
	matched.Fill([]runtime.Noise{discrete}, 1, runtime.Stream(1, "discrete"))
	if fmt.Sprint(discrete.Values) != "[7 7]" {
		t.Errorf("discrete numbers were touched: %v", discrete.Values)
	}
	for j := range length {
		mean, second := 0.0, 0.0
		for i := range draws {
			mean += a.Values[i*length+j] / draws
			second += a.Values[i*length+j] * a.Values[i*length+j] / draws
		}
		if math.Abs(mean-3) > 1e-6 || math.Abs(second/12-1) > 0.02 {
			t.Errorf("entry %d: mean %v, second moment %v", j, mean, second)
		}
	}
}

// However many strata there are, numbers are finite, with the moments of their distributions.
func TestManyStrata(t *testing.T) {
	gamma := func(u float64) float64 { return random.GammaQuantile(u, 2, 2) }
	for draws := 100; draws <= 1_000_000; draws *= 10 {
		for name, a := range map[string]runtime.Noise{"normal": single(draws, standardNormal, true), "gamma": single(draws, gamma, false)} {
			matched.Fill([]runtime.Noise{a}, 1, runtime.Stream(1, "many"))
			mean, second := 0.0, 0.0
			for _, x := range a.Values {
				mean += x / float64(draws)
				second += x * x / float64(draws)
			}
			want := map[string][2]float64{"normal": {0, 1}, "gamma": {1, 1.5}}[name]
			if !(math.Abs(mean-want[0]) < 1e-6 && math.Abs(second-want[1]) < 1e-3) {
				t.Errorf("%d draws of a %s number: moments %v and %v, want %v", draws, name, mean, second, want)
			}
		}
	}
}
