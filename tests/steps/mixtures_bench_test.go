package steps

import (
	"fmt"
	"math"
	goruntime "runtime"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/dense"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/special"
)

// fivefold is the number of components of the mixtures whose steps are timed.
const fivefold = 5

// mixed is a mixture at a point, with what the calls of special functions and kernels that no step can do without are
// called with there.
type mixed struct {
	model
	n         int // rows of a step
	rows      []int
	z, v      []float64
	exponents []float64 // component after component: logarithms of the terms, those of the largest of each row taken out
	sums      []float64 // of each row, of what the exponentials are
	sink      float64
}

func newMixed(t testing.TB, name string, data runtime.Data, batch []int) *mixed {
	t.Helper()
	lookup, ok := generated.Lookup(name)
	if !ok {
		t.Fatalf("the library has no %s", name)
	}
	s := &mixed{model: lookup().(model), rows: batch}
	if err := estimate.Load(s.model, data, fivefold); err != nil {
		t.Fatal(err)
	}
	dim := 0
	for _, b := range s.Blocks() {
		dim = b.Offset + b.Len
	}
	s.z, s.v = make([]float64, dim), make([]float64, dim)
	if err := s.Start(s.z, 0, nil); err != nil {
		t.Fatal(err)
	}
	s.Batch(batch)
	_, s.n, _ = s.Counts()
	if batch != nil {
		s.n = len(batch)
	}
	return s
}

func (s *mixed) theta() []float64 {
	n := 0
	for i := range s.Info().Parameters {
		n += s.Info().Parameters[i].Len(s)
	}
	theta := make([]float64, n)
	s.Theta(theta, s.z)
	return theta
}

// take keeps the terms of the mixture as a step sees them.
func (s *mixed) take(term func(c, i int) float64) {
	s.exponents, s.sums = make([]float64, fivefold*s.n), make([]float64, s.n)
	for i := range s.n {
		high := math.Inf(-1)
		for c := range fivefold {
			s.exponents[c*s.n+i] = term(c, i)
			high = max(high, s.exponents[c*s.n+i])
		}
		for c := range fivefold {
			s.exponents[c*s.n+i] -= high
			s.sums[i] += math.Exp(s.exponents[c*s.n+i])
		}
	}
}

// softmax is an exponential for each row and component, and a logarithm for each row.
func (s *mixed) softmax() {
	sum := 0.0
	for _, e := range s.exponents {
		sum += math.Exp(e)
	}
	for _, x := range s.sums {
		sum += math.Log(x)
	}
	s.sink += sum
}

func (s *mixed) step() {
	if s.rows != nil {
		s.Batch(s.rows)
	}
	s.NaturalGradient(s.v, s.z)
}

// counted is a mixture of negative binomials on counts of which no two are equal.
type counted struct {
	*mixed
	x, r   []float64
	tables special.GammaDiffs
}

func newCounted(t testing.TB, n int) *counted {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(6 * i)
	}
	s := &counted{mixed: newMixed(t, "negbinmix", runtime.Data{Values: x}, nil), x: x}
	if s.n != n {
		t.Fatalf("%d rows of %d are distinct", s.n, n)
	}
	theta := s.theta()
	s.r = theta[fivefold : 2*fivefold]
	s.take(func(c, i int) float64 {
		w, r, p := theta[c], s.r[c], theta[2*fivefold+c]
		return math.Log(w) + special.LgammaDiff(x[i], r) + x[i]*math.Log1p(-p) + r*math.Log(p)
	})
	return s
}

// bare are both gamma functions for each row and component, and the exponentials and logarithms.
func (s *counted) bare() {
	sum := 0.0
	for _, r := range s.r {
		for _, x := range s.x {
			l, d := special.LgammaDigammaDiff(x, r)
			sum += l + d
		}
	}
	s.sink += sum
	s.softmax()
}

// prepared is the same with tables for each r.
func (s *counted) prepared() {
	sum := 0.0
	for _, r := range s.r {
		s.tables.Prepare(r, len(s.x))
		for _, x := range s.x {
			l, d := s.tables.LgammaDigamma(x)
			sum += l + d
		}
	}
	s.sink += sum
	s.softmax()
}

// slanted is a mixture of skew-normals on a minibatch.
type slanted struct {
	*mixed
	d                               int
	residuals, slants, weights      []float64 // component after component
	factors, solved, grams, scratch []float64
}

func newSlanted(t testing.TB, d, b int) *slanted {
	lookup, _ := generated.Lookup("skewnormalmix")
	draws, err := estimate.Sample(lookup(), estimate.SampleRequest{
		Rows: 4000, Seed: 1, Components: fivefold, Spread: true, Set: []estimate.Value{{Name: "d", Value: float64(d)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var batch []int
	for i := range b {
		batch = append(batch, 2*i)
	}
	s := &slanted{mixed: newMixed(t, "skewnormalmix", runtime.Data{Values: draws.Values, Columns: d}, batch), d: d}
	size := fivefold * b * d
	s.residuals, s.slants, s.weights = make([]float64, size), make([]float64, fivefold*b), make([]float64, fivefold*b)
	s.factors, s.solved = make([]float64, fivefold*d*d), make([]float64, b*d)
	s.grams, s.scratch = make([]float64, fivefold*d*d), make([]float64, b*d)
	s.fill(t, draws.Values)
	return s
}

// fill computes the residuals of the batch and all that follows from them.
func (s *slanted) fill(t testing.TB, x []float64) {
	d, b, theta := s.d, s.n, s.theta()
	xi, omega, eta := theta[fivefold:], theta[fivefold+fivefold*d:], theta[fivefold+fivefold*d+fivefold*d*d:]
	for c := range fivefold {
		if !dense.Cholesky(s.factors[c*d*d:(c+1)*d*d], omega[c*d*d:(c+1)*d*d], d) {
			t.Fatal("not positive definite")
		}
		for i, row := range s.rows {
			at := (c*b + i) * d
			for j := range d {
				s.residuals[at+j] = x[row*d+j] - xi[c*d+j]
			}
			s.slants[c*b+i] = dense.Dot(s.residuals[at:at+d], eta[c*d:(c+1)*d])
		}
	}
	s.take(func(c, i int) float64 {
		l := s.factors[c*d*d : (c+1)*d*d]
		r := append([]float64(nil), s.residuals[(c*b+i)*d:(c*b+i+1)*d]...)
		dense.SolveLower(r, l, d)
		p, _ := special.LogNdtrRatio(s.slants[c*b+i])
		return math.Log(theta[c]) + p - dense.LogDet(l, d)/2 - dense.Dot(r, r)/2
	})
	for j, e := range s.exponents {
		s.weights[j] = math.Exp(e) / s.sums[j%b]
	}
}

// bare are a triangular solve with the rows and a weighted sum of their outer products for each component, log Phi with
// its derivative for each row and component, and the exponentials and logarithms.
func (s *slanted) bare() {
	d, b, sum := s.d, s.n, 0.0
	for c := range fivefold {
		rows := s.residuals[c*b*d : (c+1)*b*d]
		copy(s.solved, rows)
		dense.SolveLowerRows(s.solved, s.factors[c*d*d:(c+1)*d*d], b, d)
		for _, t := range s.slants[c*b : (c+1)*b] {
			l, r := special.LogNdtrRatio(t)
			sum += l + r
		}
		gram := s.grams[c*d*d : (c+1)*d*d]
		clear(gram)
		dense.AddWeightedGram(gram, s.weights[c*b:(c+1)*b], rows, s.scratch, b, d)
	}
	s.sink += sum
	s.softmax()
}

// TestMixedOperands: what the bare calls are made with is what the model has: the posterior probabilities agree.
func TestMixedOperands(t *testing.T) {
	check := func(s *mixed) {
		t.Helper()
		want := make([]float64, s.n*fivefold)
		s.model.(runtime.Mixture).Responsibilities(want, s.z)
		for j, e := range s.exponents {
			c, i := j/s.n, j%s.n
			if got := math.Exp(e) / s.sums[i]; !(math.Abs(got-want[i*fivefold+c]) <= 1e-9) {
				t.Fatalf("row %d, component %d: %v, the model has %v", i, c, got, want[i*fivefold+c])
			}
		}
	}
	s := newCounted(t, 300)
	s.step()
	check(s.mixed)
	m := newSlanted(t, 3, 60)
	m.step()
	check(m.mixed)
	s.bare()
	first := s.sink
	s.prepared()
	if second := s.sink - first; !(math.Abs(second-first) <= 1e-9*math.Abs(first)) {
		t.Errorf("with tables the sum is %v, not %v", second, first)
	}
	m.bare()
	if math.IsNaN(m.sink) {
		t.Error("a call gave no number")
	}
}

// BenchmarkMixtures reports the median time of a step for each row and component, and the medians of its ratios to the
// bare calls: x-bare to those of special functions without tables, x-prepared with them.
func BenchmarkMixtures(b *testing.B) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	for _, n := range []int{628, 100_000} {
		b.Run(fmt.Sprintf("negbinmix/n=%d/k=%d", n, fivefold), func(b *testing.B) {
			s := newCounted(b, n)
			timed(b, s.mixed, s.bare, s.prepared)
		})
	}
	b.Run(fmt.Sprintf("skewnormalmix/d=10/b=256/k=%d", fivefold), func(b *testing.B) {
		s := newSlanted(b, 10, 256)
		timed(b, s.mixed, s.bare, nil)
	})
}

func timed(b *testing.B, s *mixed, bare, prepared func()) {
	var step, calls, tables []float64
	for b.Loop() {
		one := warm(s.step)
		step, calls = append(step, one), append(calls, one/warm(bare))
		if prepared != nil {
			tables = append(tables, one/warm(prepared))
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(1e9*median(step)/float64(s.n*fivefold), "ns/cell")
	b.ReportMetric(median(calls), "x-bare")
	if tables != nil {
		b.ReportMetric(median(tables), "x-prepared")
	}
}
