package steps

import (
	"fmt"
	"math"
	"math/rand/v2"
	goruntime "runtime"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/special"
)

// posterior is a variational problem of logistic regression at a point, with the calls that a step cannot do without: of
// BLAS and LAPACK through gonum, and of special functions.
type posterior struct {
	runtime.Variational
	n, d, k, draws int // rows, dimension, components, draws in all
	z, v           []float64

	data       blas64.General // n x d
	latents    blas64.General // draws x d
	logits     blas64.Vector  // n
	gradient   blas64.Vector  // d
	components *bare          // what one component needs, its own draws being rows
	mixed      *bare          // and its density at all draws
	functions  func(*posterior)
	likelihood func(float64) float64 // of a row of a draw
	sink       float64
}

func newPosterior(t testing.TB, name string, n, d, k, draws int) *posterior {
	t.Helper()
	lookup, ok := generated.Lookup(name)
	if !ok {
		t.Fatalf("the library has no %s", name)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	rows := make([]float64, n*(d+1))
	for i := range rows {
		if rows[i] = rng.NormFloat64(); i%(d+1) == d {
			rows[i] = float64(rng.IntN(2))
		}
	}
	s := &posterior{Variational: lookup().(runtime.Variational), n: n, d: d, k: k, draws: draws * k}
	components := 0
	if s.Info().Mixture {
		components = k
	}
	if err := estimate.Load(s.Variational, runtime.Data{Values: rows, Columns: d + 1}, components); err != nil {
		t.Fatal(err)
	}
	if err := s.SetDraws(s.draws); err != nil {
		t.Fatal(err)
	}
	dim := 0
	for _, b := range s.Blocks() {
		dim = b.Offset + b.Len
	}
	s.z, s.v = make([]float64, dim), make([]float64, dim)
	start := 0
	if s.Info().RandomStart {
		start = s.Info().Starts
	}
	if err := s.Start(s.z, start, runtime.Stream(1, "start")); err != nil {
		t.Fatal(err)
	}
	for _, b := range s.Blocks() {
		if b.Name == "eta" {
			for i := range b.Len {
				s.z[b.Offset+i] = rng.NormFloat64()
			}
		}
	}
	normal := func(r, c int) blas64.General {
		g := blas64.General{Rows: r, Cols: c, Stride: c, Data: make([]float64, r*c)}
		for i := range g.Data {
			g.Data[i] = rng.NormFloat64()
		}
		return g
	}
	identity := make([]float64, d*d)
	for i := range d {
		identity[i*d+i] = 1
	}
	s.data, s.latents = normal(n, d), normal(s.draws, d)
	s.logits = blas64.Vector{N: n, Inc: 1, Data: make([]float64, n)}
	s.gradient = blas64.Vector{N: d, Inc: 1, Data: make([]float64, d)}
	s.components = newBare(draws, d, normal(draws, d).Data, identity)
	s.mixed = newBare(s.draws, d, s.latents.Data, identity)
	return s
}

// bare are, for every draw, a product with the data, the functions of a row, and the transposed product; for every
// component a Cholesky factor, a triangular solve with its draws, a sum of outer products over them, which gives
// L lower_half(inv(L) C) L' by a solve and two triangular products.
func (s *posterior) bare() {
	sum := 0.0
	for i := range s.draws {
		z := blas64.Vector{N: s.d, Inc: 1, Data: s.latents.Data[i*s.d : (i+1)*s.d]}
		blas64.Gemv(blas.NoTrans, 1, s.data, z, 0, s.logits)
		for _, t := range s.logits.Data {
			sum += s.likelihood(t)
		}
		blas64.Gemv(blas.Trans, 1, s.data, s.logits, 0, s.gradient)
	}
	for range s.k {
		p := s.components
		l := p.factorise()
		p.solveRows(l, blas.Trans)
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, p.x, p.rows, 0, p.product)
		p.solve(l)
		blas64.Trmm(blas.Left, blas.NoTrans, 1, l, p.product)
		blas64.Trmm(blas.Right, blas.Trans, 1, l, p.product)
	}
	s.sink += sum
	s.functions(s)
}

// ofDraws calls functions for so many draws.
func (s *posterior) ofDraws(n int, functions ...func(x float64) float64) {
	sum := 0.0
	for i := range n {
		x := s.latents.Data[i]
		for _, f := range functions {
			sum += f(x)
		}
	}
	s.sink += sum
}

// mixing is what the densities of all components at all draws take besides: a triangular solve, log Phi with its derivative,
// an exponential a term, and a weighted sum of outer products.
func (s *posterior) mixing() {
	for range s.k {
		s.mixed.solveRows(s.mixed.factorise(), blas.Trans)
		s.mixed.moments()
	}
	s.ofDraws(s.draws*s.k, func(x float64) float64 {
		l, r := special.LogNdtrRatio(x)
		return l + r + math.Exp(x)
	})
	s.ofDraws(s.draws, func(x float64) float64 { return math.Log(math.Abs(x)) })
}

func gammaDraw(x float64) float64 {
	g, d := special.GammaQuantileWithDA(special.Ndtr(x), 5)
	return g + d
}

// BenchmarkPosteriors reports the median time of a natural gradient and the median of its ratio to the bare calls.
func BenchmarkPosteriors(b *testing.B) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	const n, d, draws = 500, 53, 20
	gradientAlone := special.Sigmoid
	both := func(x float64) float64 {
		softplus, sigmoid := special.SoftplusSigmoid(-x)
		return sigmoid - softplus
	}
	var prepared special.TDistribution
	for _, c := range []struct {
		name       string
		k          int
		likelihood func(float64) float64
		functions  func(*posterior)
	}{
		{"logistic", 1, gradientAlone, func(*posterior) {}},
		{"logisticskew", 1, gradientAlone, func(s *posterior) { s.ofDraws(draws, special.NdtrRatio) }},
		{"logisticskewt", 1, gradientAlone, func(s *posterior) {
			prepared.Prepare(60, draws)
			s.ofDraws(draws, gammaDraw, prepared.Ratio, prepared.LogCDFDNu, math.Log1p)
		}},
		{"logisticskewmix", 3, both, (*posterior).mixing},
	} {
		b.Run(fmt.Sprintf("%s/n=%d/d=%d/s=%d/k=%d", c.name, n, d, draws, c.k), func(b *testing.B) {
			s := newPosterior(b, c.name, n, d, c.k, draws)
			s.likelihood, s.functions = c.likelihood, c.functions
			var step, calls []float64
			for b.Loop() {
				one := warm(func() { s.NaturalGradient(s.v, s.z) })
				step, calls = append(step, one), append(calls, one/warm(s.bare))
			}
			for _, v := range s.v {
				if math.IsNaN(v) {
					b.Fatal("the step is not a number")
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(1e6*median(step), "us/step")
			b.ReportMetric(median(calls), "x-bare")
		})
	}
}
