package runtime_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/runtime"
)

// noises is a Variational as far as draws go: arrays of normal numbers and of one other, of a mixture or not.
type noises struct {
	runtime.Variational // nil
	draws, parts        int
	arrays              []runtime.Noise
	antithetic          bool
}

// newNoises has draws for each part.
func newNoises(draws, parts int, lengths ...int) *noises {
	m := &noises{draws: draws * parts, parts: parts}
	for _, n := range lengths {
		m.arrays = append(m.arrays, runtime.Noise{Values: make([]float64, m.draws*n), Length: n, Spherical: true, Symmetric: true})
	}
	m.arrays = append(m.arrays, runtime.Noise{Values: make([]float64, m.draws), Length: 1})
	return m
}

func (m *noises) Draws() int             { return m.draws }
func (m *noises) Noise() []runtime.Noise { return slices.Clone(m.arrays) }
func (m *noises) Draw(rng *rand.Rand) {
	for _, a := range m.arrays {
		for i := range a.Values {
			a.Values[i] = rng.NormFloat64()
		}
		if half := len(a.Values) / 2; m.antithetic && a.Spherical {
			for i := range half {
				a.Values[half+i] = -a.Values[i]
			}
		}
	}
}

// mixed is noises of a mixture.
type mixed struct {
	*noises
	runtime.Mixture // nil
}

func (m mixed) Components() int { return m.parts }

// part are the normal numbers of the draws of a part, draw by draw.
func (m *noises) part(i int) [][]float64 {
	n := m.draws / m.parts
	rows := make([][]float64, n)
	for k := range rows {
		for _, a := range m.arrays {
			if a.Spherical {
				at := (i*n + k) * a.Length
				rows[k] = append(rows[k], a.Values[at:at+a.Length]...)
			}
		}
	}
	return rows
}

// model is the Variational.
func (m *noises) model() runtime.Variational {
	if m.parts > 1 {
		return mixed{m, nil}
	}
	return m
}

func length(x []float64) float64 { return math.Sqrt(inner(x, x)) }

func inner(a, b []float64) float64 {
	s := 0.0
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

// cosine of the angle between two vectors.
func cosine(a, b []float64) float64 { return inner(a, b) / (length(a) * length(b)) }

// blocks cuts rows from the last on into pieces that belong together, as long as they go.
func blocks(rows [][]float64, most int) [][][]float64 {
	var out [][][]float64
	for n := len(rows); n > 0; {
		k := min(most, n)
		out = append(out, rows[n-k:n])
		n -= k
	}
	return out
}

// Vectors of a block are orthogonal, the second half the negatives of the first; the corners of a simplex have one angle, of
// cosine -1/k for k+1 of them. All keep the lengths that the model drew, and other numbers stay.
func TestDrawingGeometry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(1, 6), 1, 3).Draw(t, "lengths")
		dim := 0
		for _, n := range lengths {
			dim += n
		}
		draws, parts := rapid.IntRange(1, 5*dim).Draw(t, "draws"), rapid.IntRange(1, 3).Draw(t, "parts")
		seed := rapid.Uint64().Draw(t, "seed")
		m, plain := newNoises(draws, parts, lengths...), newNoises(draws, parts, lengths...)
		runtime.Independent.Draw(plain.model(), runtime.Stream(seed, "draw"))
		for _, how := range []runtime.Drawing{runtime.OrthogonalPairs, runtime.Simplex, runtime.Automatic} {
			how.Draw(m.model(), runtime.Stream(seed, "draw"))
			last := len(m.arrays) - 1
			if !slices.Equal(m.arrays[last].Values, plain.arrays[last].Values) {
				t.Errorf("%v: other numbers have changed", how)
			}
			pairs := how == runtime.OrthogonalPairs || how == runtime.Automatic && draws >= 2*dim
			for i := range parts {
				rows, before := m.part(i), plain.part(i)
				if pairs {
					half := (draws + 1) / 2
					for k, x := range rows[half:] {
						if cos := cosine(x, rows[k]); math.Abs(cos+1) > 1e-14 || length(x) != length(rows[k]) {
							t.Errorf("%v: %v and %v are no pair", how, x, rows[k])
						}
					}
					rows = rows[:half]
				}
				for k, x := range rows {
					if math.Abs(length(x)/length(before[k])-1) > 1e-12 {
						t.Errorf("%v: length %g, drawn %g", how, length(x), length(before[k]))
					}
				}
				angles(t, rows, dim, pairs)
			}
		}
	})
}

// angles checks the cosines of the angles between vectors.
func angles(t interface {
	Errorf(format string, args ...any)
}, rows [][]float64, dim int, pairs bool) {
	most := dim
	if !pairs {
		most++
	}
	if !pairs && len(rows)%most == 1 && len(rows) > 1 && most > 2 { // the last block has two, the one before one less
		n := len(rows) - (len(rows)/most-1)*most
		angles(t, rows[n:], dim, pairs)
		for _, block := range [][][]float64{rows[2:n], rows[:2]} {
			equalAngles(t, block, -1/float64(len(block)-1))
		}
		return
	}
	for _, block := range blocks(rows, most) {
		want := 0.0
		if !pairs {
			want = -1 / float64(len(block)-1)
		}
		equalAngles(t, block, want)
	}
}

func equalAngles(t interface {
	Errorf(format string, args ...any)
}, block [][]float64, want float64) {
	for i := range block {
		for j := range i {
			if cos := cosine(block[i], block[j]); math.Abs(cos-want) > 1e-9 {
				t.Errorf("cosine %g of %d in a block of %d, want %g", cos, j, len(block), want)
			}
		}
	}
}

// A spec's antithetic draws stay pairs.
func TestDrawingAntithetic(t *testing.T) {
	m := newNoises(6, 1, 5)
	m.antithetic = true
	for _, how := range []runtime.Drawing{runtime.Automatic, runtime.Simplex} {
		how.Draw(m.model(), runtime.Stream(3, "pairs"))
		rows := m.part(0)
		for i := range 3 {
			if cosine(rows[i], rows[i+3]) > -1+1e-14 {
				t.Errorf("%v: %v", how, rows)
			}
		}
		equalAngles(t, rows[:3], 0)
	}
}

// Every draw by itself is normal: each entry, and the square of the length by the distribution of chi squared, by
// Kolmogorov's test; the mean of products of different entries is 0.
func TestDrawingDistribution(t *testing.T) {
	const dim, times = 3, 4000
	for _, how := range []runtime.Drawing{runtime.OrthogonalPairs, runtime.Simplex} {
		for _, draws := range []int{2, 3, 4, 5, 8} {
			m := newNoises(draws, 1, dim)
			rng := runtime.Stream(8, "distribution", uint64(draws))
			entries, squares := make([][]float64, draws), make([][]float64, draws)
			products := make([][]float64, draws)
			for range times {
				how.Draw(m.model(), rng)
				for i, x := range m.part(0) {
					entries[i] = append(entries[i], x[i%dim])
					squares[i] = append(squares[i], inner(x, x))
					products[i] = append(products[i], x[0]*x[2])
				}
			}
			for i := range draws {
				kolmogorov(t, entries[i], distuv.UnitNormal.CDF)
				kolmogorov(t, squares[i], distuv.ChiSquared{K: dim}.CDF)
				if mean := stat.Mean(products[i], nil); math.Abs(mean) > 5/math.Sqrt(times) {
					t.Errorf("%v, draw %d of %d: mean product %g", how, i, draws, mean)
				}
			}
		}
	}
}

// kolmogorov refuses a sample at the level of 1e-6.
func kolmogorov(t *testing.T, x []float64, cdf func(float64) float64) {
	t.Helper()
	slices.Sort(x)
	n, largest := float64(len(x)), 0.0
	for i, v := range x {
		p := cdf(v)
		largest = max(largest, p-float64(i)/n, float64(i+1)/n-p)
	}
	if limit := math.Sqrt(-math.Log(1e-6/2) / 2 / n); largest > limit {
		t.Errorf("the distribution is off by %g, more than %g", largest, limit)
	}
}

// Gradients have less variance with draws that depend on each other, for few of them and for many, and the same mean.
func TestDrawingVariance(t *testing.T) {
	m, start, _ := regression(40, 3)
	for _, draws := range []int{2, 4, 6, 12} {
		if err := m.SetDraws(draws); err != nil {
			t.Fatal(err)
		}
		mean := map[runtime.Drawing]float64{}
		variance := map[runtime.Drawing]float64{}
		for _, how := range []runtime.Drawing{runtime.Independent, runtime.Automatic} {
			var x []float64
			rng, v := runtime.Stream(5, "variance"), make([]float64, len(start))
			for range 3000 {
				how.Draw(m, rng)
				m.NaturalGradient(v, start)
				x = append(x, v[1])
			}
			mean[how], variance[how] = stat.MeanVariance(x, nil)
		}
		off := math.Abs(mean[runtime.Automatic] - mean[runtime.Independent])
		if limit := 5 * math.Sqrt((variance[runtime.Automatic]+variance[runtime.Independent])/3000); off > limit {
			t.Errorf("%d draws: the means differ by %g, more than %g", draws, off, limit)
		}
		t.Logf("%d draws: variance %g of %g", draws, variance[runtime.Automatic], variance[runtime.Independent])
		if !(variance[runtime.Automatic] < 0.5*variance[runtime.Independent]) {
			t.Errorf("%d draws: variance %g, of independent ones %g", draws, variance[runtime.Automatic], variance[runtime.Independent])
		}
	}
}
