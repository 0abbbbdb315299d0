package optima_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// regression says how a problem whose rows have several parts, or whose parameters have lengths of their own, is tested: how a row is
// drawn, its log-density written by hand, and where the search for the maximum begins.
type regression struct {
	sizes  []int // of the dimensions, in the order of Info
	row    func(rng *rand.Rand) []float64
	logPDF func(row, theta []float64) float64
	start  []float64
	// tolerance is that of estimates; 0 is 1e-8.
	tolerance float64
	// rotated is said of parameters that are known up to a rotation: then the likelihoods at the maxima are compared.
	rotated bool
}

// regressions have coefficients theta in the order of the target's parameters, matrices row by row.
var regressions = map[string]regression{
	"ordinal": { // 3 cut points, 2 coefficients; a row is y, x[1], x[2]
		sizes: []int{3, 2},
		row: func(rng *rand.Rand) []float64 {
			x := []float64{rng.NormFloat64(), rng.NormFloat64()}
			u, y := x[0]-x[1]/2+math.Log(1/rng.Float64()-1), 1.0
			for _, c := range []float64{-1, 0.5, 2} {
				if u > c {
					y++
				}
			}
			return append([]float64{y}, x...)
		},
		logPDF: func(row, theta []float64) float64 {
			y, eta := int(row[0]), dot(row[1:], theta[3:])
			upTo := func(k int) float64 { // the probability of a category up to k
				switch k {
				case 0:
					return 0
				case 4:
					return 1
				}
				return 1 / (1 + math.Exp(eta-theta[k-1]))
			}
			return math.Log(upTo(y) - upTo(y-1))
		},
		start: []float64{-1, 0, 1, 0, 0},
	},
	"multinomial": { // 3 categories, 2 columns
		sizes: []int{2, 2},
		row: func(rng *rand.Rand) []float64 {
			x := rng.NormFloat64()
			y, u := 3.0, rng.Float64()*(1+math.Exp(0.5+x)+math.Exp(-x))
			if u < math.Exp(0.5+x) {
				y = 1
			} else if u < math.Exp(0.5+x)+math.Exp(-x) {
				y = 2
			}
			return []float64{y, 1, x}
		},
		logPDF: func(row, theta []float64) float64 {
			eta := []float64{dot(row[1:], theta[:2]), dot(row[1:], theta[2:]), 0}
			return eta[int(row[0])-1] - math.Log(math.Exp(eta[0])+math.Exp(eta[1])+1)
		},
		start: []float64{0, 0, 0, 0},
	},
	"itemresponse": { // 3 questions
		sizes: []int{3},
		row: func(rng *rand.Rand) []float64 {
			ability, row := rng.NormFloat64(), make([]float64, 3)
			for i := range row {
				if rng.Float64() < 1/(1+math.Exp(float64(i)-1-1.5*ability)) {
					row[i] = 1
				}
			}
			return row
		},
		logPDF: func(row, theta []float64) float64 { // by the trapezoidal rule, which is exact to many digits for such an integral
			sum := 0.0
			for z := -8.0; z <= 8; z += 0.1 {
				p := math.Exp(-z*z/2) * 0.1 / math.Sqrt(2*math.Pi)
				for i, y := range row {
					p /= 1 + math.Exp((1-2*y)*(theta[i]*z-theta[3+i]))
				}
				sum += p
			}
			return math.Log(sum)
		},
		start: []float64{1, 1, 1, 0, 0, 0}, tolerance: 1e-5, // of a rule of 40 nodes
	},
	"factoranalysis": { // 5 columns by 2 factors; parameters are the means, loadings row by row, variances
		sizes: []int{5},
		row: func(rng *rand.Rand) []float64 {
			row, u, v := make([]float64, 5), rng.NormFloat64(), rng.NormFloat64()
			for i := range row {
				row[i] = float64(i) + u*[]float64{1, 0.8, 0.5, 0.2, 0}[i] + v*[]float64{0, 0.3, -0.6, 1, 0.9}[i] + rng.NormFloat64()/2
			}
			return row
		},
		logPDF: func(row, theta []float64) float64 {
			sigma, e := mat.NewSymDense(5, nil), mat.NewVecDense(5, nil)
			for i := range row {
				e.SetVec(i, row[i]-theta[i])
				for j := range i + 1 {
					sigma.SetSym(i, j, dot(theta[5+2*i:7+2*i], theta[5+2*j:7+2*j]))
				}
				sigma.SetSym(i, i, sigma.At(i, i)+theta[15+i])
			}
			var c mat.Cholesky
			var z mat.VecDense
			if !c.Factorize(sigma) || c.SolveVecTo(&z, e) != nil || slices.Min(theta[15:]) <= 0 {
				return -1e6
			}
			return -(5*math.Log(2*math.Pi) + c.LogDet() + mat.Dot(e, &z)) / 2
		},
		start: []float64{0, 1, 2, 3, 4, 1, 0.1, 0.8, 0.2, 0.5, -0.5, 0.2, 1, 0.1, 1, 1, 1, 1, 1, 1}, rotated: true,
	},
}

// ofRegression compares with the maximum of the likelihood that is written by hand.
func ofRegression(t *testing.T, name string, m runtime.Model) {
	r, ok := regressions[name]
	if !ok {
		t.Fatalf("no independent optimum is known here for the problem %s", name)
	}
	rng := rand.New(rand.NewPCG(31, 7))
	s := rows{}
	for range 300 {
		s.x = append(s.x, r.row(rng))
	}
	s.w = weights(len(s.x), rng)
	if err := m.Resize(r.sizes); err != nil {
		t.Fatal(err)
	}
	if err := m.SetData(s.data()); err != nil {
		t.Fatal(err)
	}
	if r.rotated {
		r.compareLikelihoods(t, m, s)
		return
	}
	worst := fitted(t, name, m, method{"nlbfgs", ""}, r.maximum(t, s), cmp.Or(r.tolerance, 1e-8))
	t.Logf("to %.1e", worst)
}

// compareLikelihoods fits from all starts, and compares with the maximum by gonum's BFGS.
func (r regression) compareLikelihoods(t *testing.T, m runtime.Model, s rows) {
	t.Helper()
	fit, err := estimate.Fit(t.Context(), m, &estimate.Settings{Starts: m.Info().Starts + 2})
	if err != nil {
		t.Fatal(err)
	}
	end, err := optimize.Minimize(r.problem(s), r.start, &optimize.Settings{GradientThreshold: 1e-5}, &optimize.BFGS{})
	if end == nil {
		t.Fatal(err)
	}
	if got := float64(fit.LogLikelihood) / fit.N; !(math.Abs(got+end.F) < 1e-8*math.Abs(end.F)) {
		t.Errorf("log-likelihood %v, by BFGS %v", got, -end.F)
	}
}

// problem is what is minimised, with differences as gradients.
func (r regression) problem(s rows) optimize.Problem {
	loss := func(theta []float64) float64 {
		return -s.number(func(row []float64) float64 { return r.logPDF(row, theta) })
	}
	central := &fd.Settings{Formula: fd.Central, Step: 1e-5}
	return optimize.Problem{Func: loss, Grad: func(g, theta []float64) { fd.Gradient(g, loss, theta, central) }}
}

// maximum is that of the likelihood, by gonum's BFGS, and Newton's method with differences.
func (r regression) maximum(t *testing.T, s rows) []float64 {
	t.Helper()
	p := r.problem(s)
	end, err := optimize.Minimize(p, r.start, &optimize.Settings{GradientThreshold: 1e-6}, &optimize.BFGS{})
	if end == nil {
		t.Fatal(err)
	}
	theta, g := end.X, make([]float64, len(end.X))
	for range 5 {
		var h mat.SymDense
		fd.Hessian(&h, p.Func, theta, nil)
		p.Grad(g, theta)
		var step mat.VecDense
		if err := step.SolveVec(&h, mat.NewVecDense(len(g), g)); err != nil {
			t.Fatal(err)
		}
		for i := range theta {
			theta[i] -= step.AtVec(i)
		}
	}
	return theta
}
