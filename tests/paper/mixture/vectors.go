package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/generated/mvnormalmix"
	"github.com/sngdgen/sngdgen/generated/skewnormalmix"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/dense"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
	"github.com/sngdgen/sngdgen/tests/paper/internal/runner"
)

// The experiment on vectors.
const (
	threefold = 3
	manyRows  = 3000
	shots     = 6   // random starts, beside those that are formulas
	apart     = 4.5 // distance of a location from the origin, in standard deviations of a coordinate
	slant     = 4   // length of eta in units of inv(chol(Omega))
)

// cloud is a sample of a mixture with the parameters that it was drawn from.
type cloud struct {
	x     []float64
	theta []float64 // the weights, then the locations, then the matrices, then, where there is skew, the slants
}

// mixed draws n rows of a mixture of three normal or skew-normal distributions with the weights 1/2, 3/10 and 1/5: the
// matrices are W'W/d + I/5, the entries of W standard normal; locations and slants have random directions. With
// beta = Omega eta/sqrt(1 + eta' Omega eta), the sum of |w| beta and a normal vector with covariance Omega - beta beta',
// w standard normal, is skew-normal (Azzalini and Capitanio 2013, section 5.1).
func mixed(d, n int, skew bool, rng *rand.Rand) (*cloud, error) {
	weights := []float64{0.5, 0.3, 0.2}
	var locations, matrices, slants []float64
	var parts []*part
	for range weights {
		p, err := newPart(d, skew, rng)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
		locations, matrices, slants = append(locations, p.xi...), append(matrices, p.omega...), append(slants, p.eta...)
	}
	out := &cloud{x: make([]float64, n*d), theta: slices.Concat(weights, locations, matrices)}
	if skew {
		out.theta = append(out.theta, slants...)
	}
	for i := range n {
		c, u := 0, rng.Float64()
		for c < len(weights)-1 && u > weights[c] {
			u -= weights[c]
			c++
		}
		parts[c].draw(out.x[i*d:(i+1)*d], rng)
	}
	return out, nil
}

// part is a component that rows are drawn from.
type part struct {
	d                               int
	xi, omega, eta, beta, factor, e []float64
}

func newPart(d int, skew bool, rng *rand.Rand) (*part, error) {
	p := &part{d: d, omega: make([]float64, d*d), eta: make([]float64, d), beta: make([]float64, d), e: make([]float64, d)}
	w := make([]float64, d*d)
	for i := range w {
		w[i] = rng.NormFloat64()
	}
	dense.AddWeightedGram(p.omega, nil, w, nil, d, d)
	dense.Mirror(p.omega, d)
	dense.Scale(p.omega, 1/float64(d), p.omega)
	for i := range d {
		p.omega[i*d+i] += 0.2
	}
	p.xi = direction(d, apart, rng)
	p.factor = make([]float64, d*d)
	if skew {
		if !dense.Cholesky(p.factor, p.omega, d) {
			return nil, fmt.Errorf("a matrix drawn is not positive definite at d = %d", d)
		}
		copy(p.eta, direction(d, slant, rng))
		dense.SolveLowerT(p.eta, p.factor, d)
		dense.MulVec(p.beta, p.omega, p.eta, d, d)
		dense.Scale(p.beta, 1/math.Sqrt(1+dense.Dot(p.eta, p.beta)), p.beta)
	}
	copy(p.factor, p.omega)
	dense.AddSymmetricOuter(p.factor, -1, p.beta, d)
	if !dense.Cholesky(p.factor, p.factor, d) {
		return nil, fmt.Errorf("a covariance drawn is not positive definite at d = %d", d)
	}
	return p, nil
}

// direction is a random vector of a length.
func direction(d int, length float64, rng *rand.Rand) []float64 {
	x := make([]float64, d)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	dense.Scale(x, length/math.Sqrt(dense.Dot(x, x)), x)
	return x
}

func (p *part) draw(x []float64, rng *rand.Rand) {
	for i := range p.e {
		p.e[i] = rng.NormFloat64()
	}
	w := math.Abs(rng.NormFloat64())
	for i := range x {
		x[i] = p.xi[i] + w*p.beta[i] + dense.Dot(p.factor[i*p.d:i*p.d+i+1], p.e[:i+1])
	}
}

// objective is a model of vectors.
type objective interface {
	runtime.Model
	runtime.Objective
}

// subject is a problem to fit to a sample.
type subject struct {
	name string
	skew bool // of the sample
	make func(x []float64, d int) (objective, error)
}

var subjects = []subject{
	{"mvnormalmix", false, func(x []float64, d int) (objective, error) {
		return mvnormalmix.New(x, d, threefold)
	}},
	{"skewnormalmix", true, func(x []float64, d int) (objective, error) {
		return skewnormalmix.New(x, d, threefold)
	}},
}

var vectorMethods = []method{
	{defaultMethod, "mean", "Wolfe", runner.OnSurrogate(runtime.NaturalLBFGS{}, runtime.Wolfe{})},
	{"L-BFGS", "softmax, Cholesky factors", "gonum", runner.Gonum("lbfgs")},
}

// outcome has the runs of a method from the starts of a problem.
type outcome struct {
	subject
	d     int
	truth float64 // loss of the parameters that the sample was drawn from
	rows  int     // of the sample
	row
}

// fits runs the methods from all starts on a sample.
func fits(ctx context.Context, s subject, chosen []method, d, n, random int, progress io.Writer) ([]outcome, error) {
	sample, err := mixed(d, n, s.skew, rand.New(rand.NewPCG(42, uint64(d))))
	if err != nil {
		return nil, err
	}
	m, err := s.make(sample.x, d)
	if err != nil {
		return nil, err
	}
	truth := m.ThetaGradient(make([]float64, len(sample.theta)), sample.theta)
	var out []outcome
	for _, f := range chosen {
		o := outcome{s, d, truth, n, row{method: f}}
		for i := range m.Info().Starts + random { // the random ones come last
			z := make([]float64, grid.Dimension(m))
			if err := m.Start(z, i, runtime.Stream(1, "start", uint64(i))); err != nil {
				return nil, err
			}
			r, err := f.race(ctx, m, z, longRun)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(progress, "%s, d = %d, %s, start %d: %s\n", s.name, d, f.name, i, r)
			o.races = append(o.races, r)
		}
		out = append(out, o)
	}
	return out, nil
}

func vectors(ctx context.Context, o *options, progress io.Writer) (string, error) {
	var all []outcome
	for _, s := range subjects {
		for _, d := range []int{2, 10} {
			out, err := fits(ctx, s, vectorMethods, d, manyRows, o.number(shots), progress)
			if err != nil {
				return "", fmt.Errorf("%s, d = %d: %w", s.name, d, err)
			}
			all = append(all, out...)
		}
	}
	return aboveTruth(all), nil
}

// aboveTruth writes by how much the total log-likelihood at the ends of the runs exceeds that of the truth.
func aboveTruth(all []outcome) string {
	var b strings.Builder
	b.WriteString("| problem | d | method | truth | best | gain of each start | iterations | ms |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, o := range all {
		low := math.Inf(1)
		var gains []string
		var iterations, times []float64
		for _, r := range o.races {
			end := r.last()
			low = min(low, end.loss)
			text := fmt.Sprintf("%.1f", float64(o.rows)*(o.truth-end.loss))
			if !r.converged {
				text += "*"
			}
			gains = append(gains, text)
			iterations, times = append(iterations, float64(len(r.moments)-1)), append(times, 1000*end.seconds)
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %.6f | %.6f | %s | %s | %.3g |\n", o.subject.name, o.d, o.method.name, o.truth,
			low, strings.Join(gains, ", "), spread(iterations), median(times))
	}
	return b.String()
}
