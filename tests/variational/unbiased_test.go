package variational_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/generated/logistic"
	"github.com/sngdgen/sngdgen/generated/logisticskew"
	"github.com/sngdgen/sngdgen/generated/robustregression"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/tests/paper/synthetic/posteriorskew"
)

// model is what generated variational problems are.
type model interface {
	runtime.Variational
	runtime.Batcher
}

// dataOf are rows as data.
func dataOf(rows [][]float64, weights []float64) runtime.Data {
	return runtime.Data{Values: slices.Concat(rows...), Columns: len(rows[0]), Weights: weights}
}

// setting is an estimator at a point, and what it estimates.
type setting struct {
	name string
	m    model
	data runtime.Data
	p    density
	at   distribution
	of   func(distribution) distribution // nil where at is the distribution itself
}

// bound is that of the distribution whose parameters are those of another one.
func (s *setting) bound(q distribution, h float64) float64 {
	if s.of != nil {
		q = s.of(q)
	}
	return q.bound(s.p, h)
}

// byMoments is the skew-normal distribution of a mean, a covariance matrix and a slant in the form of the library (skew_normal_moments), in that
// of Azzalini.
func byMoments(q distribution) distribution {
	d := len(q.location)
	turned := times(q.scale, q.slant)
	of := 0.0
	for i, x := range q.slant {
		of += x * turned[i]
	}
	s := math.Sqrt(1 + (1-2/math.Pi)*of)
	out := distribution{slices.Clone(q.location), mat.NewSymDense(d, nil), slices.Clone(q.slant)}
	out.scale.SymRankOne(q.scale, 2/(math.Pi*s*s), mat.NewVecDense(d, turned))
	for i := range d {
		out.location[i] -= math.Sqrt(2/math.Pi) * turned[i] / s
		out.slant[i] *= s / math.Sqrt(1+of)
	}
	return out
}

func settings() []setting {
	one := [][]float64{{1.2, 1}, {-0.7, 0}, {0.4, 0}, {2.1, 1}, {-1.5, 1}}
	two := [][]float64{{1, 0.3, 1}, {-0.7, 1.1, 0}, {0.4, -2, 0}, {1.3, 0.8, 1}, {-1.5, 0.2, 1}, {0.1, 1.9, 1}}
	uneven := []float64{1, 2, 0.5, 3, 1.5, 1}
	line := [][]float64{{1, 0.8}, {-0.5, -0.1}, {2, 3.5}, {0.3, -2}}
	return []setting{
		{"logistic 1", new(logistic.Model), dataOf(one, nil), logisticDensity(one, nil),
			distribution{[]float64{0.7}, symmetric(1, []float64{0.6}), nil}, nil},
		{"logistic 2", new(logistic.Model), dataOf(two, uneven), logisticDensity(two, uneven),
			distribution{[]float64{0.7, -0.4}, symmetric(2, []float64{0.6, 0.25, 0.25, 0.4}), nil}, nil},
		{"published skew-normal 1", new(posteriorskew.Model), dataOf(one, nil), logisticDensity(one, nil),
			distribution{[]float64{0.3}, symmetric(1, []float64{0.8}), []float64{-1.7}}, nil},
		{"published skew-normal 2", new(posteriorskew.Model), dataOf(two, uneven), logisticDensity(two, uneven),
			distribution{[]float64{0.3, -0.2}, symmetric(2, []float64{0.6, 0.25, 0.25, 0.4}), []float64{-1.2, 2}}, nil},
		{"logisticskew 1", new(logisticskew.Model), dataOf(one, nil), logisticDensity(one, nil),
			distribution{[]float64{0.3}, symmetric(1, []float64{0.8}), []float64{-1.7}}, byMoments},
		{"logisticskew 2", new(logisticskew.Model), dataOf(two, uneven), logisticDensity(two, uneven),
			distribution{[]float64{0.3, -0.2}, symmetric(2, []float64{0.6, 0.25, 0.25, 0.4}), []float64{-1.2, 2}}, byMoments},
		{"robustregression", new(robustregression.Model), dataOf(line, nil), robustDensity(line),
			distribution{[]float64{0.9, 0.2}, symmetric(2, []float64{0.15, -0.05, -0.05, 0.2}), nil}, nil},
	}
}

// directions are those in which the coordinates of a distribution can go, matrices in both of two entries.
func directions(d, auxiliary int) [][]int {
	var out [][]int
	for i := range d {
		out = append(out, []int{i})
	}
	for i := range d {
		for j := range i {
			out = append(out, []int{d + i*d + j, d + j*d + i})
		}
		out = append(out, []int{d + i*d + i})
	}
	for i := range auxiliary {
		out = append(out, []int{d + d*d + i})
	}
	return out
}

// along is the sum of the entries of x in a direction.
func along(x []float64, direction []int) float64 {
	sum := 0.0
	for _, i := range direction {
		sum += x[i]
	}
	return sum
}

// slope is the derivative of f at x in a direction, by central differences of fourth order.
func slope(f func([]float64) float64, x []float64, direction []int) float64 {
	const h = 1e-3
	at := func(step float64) float64 {
		y := slices.Clone(x)
		for _, i := range direction {
			y[i] += step
		}
		return f(y)
	}
	return (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
}

// sample is a mean of numbers with its standard error.
type sample struct{ n, mean, squares float64 }

func (s *sample) add(x float64) {
	s.n++
	change := x - s.mean
	s.mean += change / s.n
	s.squares += change * (x - s.mean)
}

func (s *sample) err() float64 { return math.Sqrt(s.squares / (s.n * (s.n - 1))) }

// check compares the mean with what it should be. The error must be small, or the comparison would show nothing.
func (s *sample) check(t *testing.T, what string, want float64) {
	t.Helper()
	if !(s.err() < 0.02*(1+math.Abs(want))) {
		t.Errorf("%s: error %v of %v is too large to see a bias", what, s.err(), want)
	}
	if !(math.Abs(s.mean-want) <= 5*s.err()+1e-8*(1+math.Abs(want))) {
		t.Errorf("%s: mean %v, exactly %v, standard error %v", what, s.mean, want, s.err())
	}
}

// expected are the exact values of what an estimator gives: the loss, its derivatives in the natural parameters, in the
// directions, and those in the mean parameters, which are the natural gradient; of the auxiliary parameters that is the
// gradient times the inverse of the metric, the scale matrix, where that is known.
func (s *setting) expected(h float64) []float64 {
	d := len(s.at.location)
	out := []float64{-s.bound(s.at, h)}
	natural := func(z []float64) float64 { return -s.bound(ofNatural(d, z), h) }
	mean := func(m []float64) float64 { return -s.bound(ofMean(d, m), h) }
	all := directions(d, len(s.at.slant))
	var slants []float64
	for k, e := range all {
		out = append(out, slope(natural, s.at.natural(), e))
		if k >= len(all)-len(s.at.slant) {
			slants = append(slants, out[len(out)-1])
		}
	}
	for _, e := range all[:len(all)-len(s.at.slant)] {
		out = append(out, slope(mean, s.at.mean(), e))
	}
	if slants != nil && s.of == nil { // another metric is an estimate itself: see tests/oracle
		var x mat.VecDense
		if err := x.SolveVec(s.at.scale, mat.NewVecDense(len(slants), slants)); err != nil {
			panic(err)
		}
		out = append(out, x.RawVector().Data...)
	}
	return out
}

// TestUnbiased: the mean of the estimates of the loss, of its gradient and of its natural gradient over many draws is the
// exact one, and so is that of the weights; NaturalGradient gives the same as Gradients, for the auxiliary parameters the
// ordinary gradient.
func TestUnbiased(t *testing.T) {
	const draws, times = 500, 160
	for _, s := range settings() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			d := len(s.at.location)
			if err := s.m.SetData(s.data); err != nil {
				t.Fatal(err)
			}
			if err := s.m.SetDraws(draws); err != nil {
				t.Fatal(err)
			}
			h := []float64{0, 0.1, 0.25}[d]
			want := s.expected(h)
			if fine := s.bound(s.at, h/2); math.Abs(fine+want[0]) > 1e-9 {
				t.Fatalf("bound %v, by a finer rule %v", -want[0], fine)
			}
			z := s.at.natural()
			v, c, w := make([]float64, len(z)), make([]float64, len(z)), make([]float64, len(z))
			weights := make([]float64, draws)
			got, ratios := make([]sample, len(want)), sample{}
			rng := rand.New(rand.NewPCG(7, 1))
			all := directions(d, len(s.at.slant))
			for range times {
				s.m.Draw(rng)
				values := []float64{s.m.Gradients(v, c, z)}
				s.m.NaturalGradient(w, z)
				step := slices.Concat(v[:d+d*d], c[d+d*d:])
				if !floats.EqualFunc(step, w, func(a, b float64) bool { return math.Abs(a-b) < 1e-10*(1+math.Abs(a)) }) {
					t.Fatalf("gradients for a step %v and %v", step, w)
				}
				for _, x := range [][]float64{c, v} {
					for _, e := range all {
						values = append(values, along(x, e))
					}
				}
				for i, x := range values[:len(want)] {
					got[i].add(x)
				}
				s.m.Weights(weights, z)
				for _, x := range weights {
					ratios.add(x)
				}
			}
			for i := range got {
				got[i].check(t, fmt.Sprintf("value %d of loss, gradient and natural gradient", i), want[i])
			}
			ratios.check(t, "weights", -want[0])
		})
	}
}

// TestBatchesUnbiased: the mean over batches that make up the data, each with its weight, is the estimate over all of
// them, for the same draws.
func TestBatchesUnbiased(t *testing.T) {
	rows := [][]float64{{1, 0.3, 1}, {-0.7, 1.1, 0}, {0.4, -2, 0}, {1.3, 0.8, 1}, {-1.5, 0.2, 1}, {0.1, 1.9, 1}}
	for _, m := range []model{new(logistic.Model), new(posteriorskew.Model)} {
		if err := m.SetData(dataOf(rows, []float64{1, 2, 3, 3, 2, 1})); err != nil {
			t.Fatal(err)
		}
		z := distribution{[]float64{0.7, -0.4}, symmetric(2, []float64{0.6, 0.25, 0.25, 0.4}), nil}.natural()
		if m.Info().Target == "skew_normal" {
			z = append(z, -1.2, 2)
		}
		values := func(batch []int) []float64 {
			if err := m.Batch(batch); err != nil {
				t.Fatal(err)
			}
			v, c := make([]float64, len(z)), make([]float64, len(z))
			loss := m.Gradients(v, c, z)
			return slices.Concat([]float64{loss, m.Loss(z)}, v, c)
		}
		whole := values(nil)
		mean := make([]float64, len(whole))
		for _, b := range []struct {
			rows   []int
			weight float64
		}{{[]int{0, 5, 1}, 4}, {[]int{2}, 3}, {[]int{3}, 3}, {[]int{4}, 2}} {
			floats.AddScaled(mean, b.weight/12, values(b.rows))
		}
		if !floats.EqualApprox(mean, whole, 1e-11) {
			t.Errorf("%s: %v over all rows, %v over batches", m.Info().Name, whole, mean)
		}
	}
}
