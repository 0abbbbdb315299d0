package estimate_test

import (
	"context"
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// entriesOf returns the entries of a vector or a matrix, the number itself as one.
func entriesOf(t testing.TB, vs estimate.Values, name string) []float64 {
	t.Helper()
	for _, v := range vs {
		switch {
		case v.Name != name:
		case v.Shape == nil:
			return []float64{v.Value}
		default:
			return v.Entries
		}
	}
	t.Fatalf("no %s in %v", name, vs)
	return nil
}

// inferred fits and wants standard errors.
func inferred(t testing.TB, m runtime.Model) *estimate.Report {
	t.Helper()
	rep, err := estimate.Find(context.Background(), m, estimate.Settings{Level: 0.95, GradientTolerance: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	if rep.StdErr == nil || !rep.Converged {
		t.Fatalf("%v %q: %q", rep.Status, rep.Message, rep.Warnings)
	}
	return rep
}

// curvatureErrors are standard errors by the second derivatives of a negative log-likelihood in parameters that are all
// free, found by differences of its values.
func curvatureErrors(t *testing.T, loss func(x []float64) float64, at []float64) []float64 {
	t.Helper()
	h := mat.NewSymDense(len(at), nil)
	fd.Hessian(h, loss, at, &fd.Settings{Step: 1e-3, Formula: fd.Central})
	var chol mat.Cholesky
	var inv mat.SymDense
	if !chol.Factorize(h) || chol.InverseTo(&inv) != nil {
		t.Fatal("no maximum")
	}
	out := make([]float64, len(at))
	for i := range out {
		out[i] = math.Sqrt(inv.At(i, i))
	}
	return out
}

// TestCovarianceErrors: the observed information of means and covariances at their estimate is known, with weights and
// whatever the units, which differ here by factors of 1e9, and the origin.
func TestCovarianceErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const d, rows = 4, 300
	scale, origin := []float64{1, 1e-6, 1e3, 1e-2}, []float64{0, 0, 1e6, 10}
	x, w := make([]float64, 0, rows*d), make([]float64, rows)
	n := 0.0
	for i := range w {
		w[i] = float64(1 + rng.IntN(3))
		n += w[i]
		common := rng.NormFloat64()
		for j := range d {
			x = append(x, origin[j]+scale[j]*(rng.NormFloat64()+2*common))
		}
	}
	for _, name := range []string{"mvnormal", "mvnormalnat"} {
		m := library(t, name, x, d)
		if err := m.SetData(runtime.Data{Values: x, Columns: d, Weights: w}); err != nil {
			t.Fatal(err)
		}
		rep := inferred(t, m)
		sigma, mu := entriesOf(t, rep.Estimate, "Sigma"), entriesOf(t, rep.Estimate, "mu")
		ofMu, ofSigma := entriesOf(t, rep.StdErr, "mu"), entriesOf(t, rep.StdErr, "Sigma")
		for i := range d {
			near(t, "mu", ofMu[i], math.Sqrt(sigma[i*d+i]/n), 1e-6)
			for j := range d {
				s := sigma[i*d+j]
				near(t, "Sigma", ofSigma[i*d+j], math.Sqrt((sigma[i*d+i]*sigma[j*d+j]+s*s)/n), 1e-6)
			}
		}
		const q = 1.959963984540054
		is := rep.Interval
		near(t, "low mu", is[0].Lows[1], mu[1]-q*ofMu[1], 1e-12)
		near(t, "high mu", is[0].Highs[1], mu[1]+q*ofMu[1], 1e-12)
		near(t, "low Sigma", is[1].Lows[0], sigma[0]*math.Exp(-q*ofSigma[0]/sigma[0]), 1e-12)
		near(t, "high Sigma", is[1].Highs[0], sigma[0]*math.Exp(q*ofSigma[0]/sigma[0]), 1e-12)
		near(t, "low Sigma", is[1].Lows[1], sigma[1]-q*ofSigma[1], 1e-12)
		if len(rep.Warnings) > 0 {
			t.Errorf("%q", rep.Warnings)
		}
	}
}

// TestProportionErrors: p(1-p)/n.
func TestProportionErrors(t *testing.T) {
	counts, n := []int{17, 60, 3}, 100.0 // and 20 of the last kind
	var x []float64
	for k := range int(n) {
		row := make([]float64, len(counts))
		for i, c := range counts {
			if k >= 0 && k < c {
				row[i] = 1
			}
			k -= c
		}
		x = append(x, row...)
	}
	rep := inferred(t, library(t, "categorical", x, len(counts)))
	for i, got := range entriesOf(t, rep.StdErr, "p") {
		p := float64(counts[i]) / n
		near(t, "p", got, math.Sqrt(p*(1-p)/n), 1e-7)
		half := 1.959963984540054 * math.Sqrt(1/(n*p*(1-p)))
		logit := math.Log(p / (1 - p))
		near(t, "low", rep.Interval[0].Lows[i], 1/(1+math.Exp(half-logit)), 1e-6)
		near(t, "high", rep.Interval[0].Highs[i], 1/(1+math.Exp(-half-logit)), 1e-6)
	}
}

// TestCorrelationErrors: against the likelihood of one correlation. The diagonal cannot vary: it is null.
func TestCorrelationErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const n = 200
	var u []float64
	var s11, s12, s22 float64
	for range n {
		a := rng.NormFloat64()
		b := 0.8*a + 0.6*rng.NormFloat64()
		u = append(u, math.Erfc(-a/math.Sqrt2)/2, math.Erfc(-b/math.Sqrt2)/2)
		s11, s12, s22 = s11+a*a, s12+a*b, s22+b*b
	}
	rep := inferred(t, library(t, "gaussiancopula", u, 2))
	rho, got := entriesOf(t, rep.Estimate, "R")[1], entriesOf(t, rep.StdErr, "R")
	want := curvatureErrors(t, func(x []float64) float64 {
		r := x[0]
		return n*math.Log(1-r*r)/2 + (s11-2*r*s12+s22)/(2*(1-r*r))
	}, []float64{rho})
	near(t, "R", got[1], want[0], 1e-4)
	near(t, "R", got[2], want[0], 1e-4)
	if !math.IsNaN(got[0]) || !math.IsNaN(got[3]) || rep.Free != 1 {
		t.Errorf("%v of %d free parameters", got, rep.Free)
	}
	half := 1.959963984540054 * got[1] / (1 - rho*rho)
	near(t, "low", rep.Interval[0].Lows[1], math.Tanh(math.Atanh(rho)-half), 1e-12)
	text, err := json.Marshal(rep)
	if err != nil || !strings.Contains(string(text), `"standard_errors":{"R":[[null,0.`) || !strings.Contains(string(text), `"intervals":{"R":[[[null,null],[0.`) {
		t.Errorf("%s, %v", text, err)
	}
	// Three correlations at once have as many coordinates.
	three := make([]float64, 0, 3*n)
	for i := range n {
		three = append(three, u[2*i], u[2*i+1], rng.Float64())
	}
	rep = inferred(t, library(t, "gaussiancopula", three, 3))
	for i, se := range entriesOf(t, rep.StdErr, "R") {
		if math.IsNaN(se) != (i%4 == 0) {
			t.Errorf("entry %d: %v", i, se)
		}
	}
}

// TestSlantErrors: a skew-normal distribution of one dimension, against its likelihood as it is in books.
func TestSlantErrors(t *testing.T) {
	m := skewed(t, 1, 400)
	draws, err := estimate.Sample(new(fitfixture.SkewNormal), estimate.SampleRequest{Rows: 400, Seed: 5, Set: []estimate.Value{
		{Name: "eta", Shape: []int{1}, Entries: []float64{2}}, {Name: "xi", Value: 3}, {Name: "Omega", Value: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	loss := func(p []float64) float64 {
		xi, omega, eta := p[0], p[1], p[2]
		sum := 0.0
		for _, x := range draws.Values {
			r := x - xi
			sum += math.Log(omega)/2 + r*r/(2*omega) - math.Log(math.Erfc(-eta*r/math.Sqrt2))
		}
		return sum
	}
	for _, model := range []runtime.Model{m, library(t, "skewnormal", draws.Values, 1)} {
		rep := inferred(t, model)
		var at, got []float64
		for _, name := range []string{"xi", "Omega", "eta"} {
			at = append(at, entriesOf(t, rep.Estimate, name)[0])
			got = append(got, entriesOf(t, rep.StdErr, name)[0])
		}
		for i, want := range curvatureErrors(t, loss, at) {
			near(t, rep.Estimate[i].Name, got[i], want, 1e-3)
		}
	}
}

// TestMixedErrors: a number beside a vector and a matrix, against the likelihood; and the same where the number is known.
func TestMixedErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	const n, nu0 = 500, 5
	var x []float64
	for range n {
		chi := 0.0
		for range nu0 {
			z := rng.NormFloat64()
			chi += z * z
		}
		s, a := math.Sqrt(nu0/chi), rng.NormFloat64()
		x = append(x, 2+s*a, -1+s*(a+rng.NormFloat64()))
	}
	loss := func(p []float64) float64 {
		s11, s12, s22, nu := p[2], p[3], p[4], p[5]
		det := s11*s22 - s12*s12
		above, _ := math.Lgamma((nu + 2) / 2)
		below, _ := math.Lgamma(nu / 2)
		sum := n * (below - above + math.Log(nu*math.Pi) + math.Log(det)/2)
		for i := range n {
			a, b := x[2*i]-p[0], x[2*i+1]-p[1]
			sum += (nu + 2) / 2 * math.Log1p((s22*a*a-2*s12*a*b+s11*b*b)/(det*nu))
		}
		return sum
	}
	free := func(vs estimate.Values, nu []float64) []float64 {
		s := entriesOf(t, vs, "Sigma")
		return slices.Concat(entriesOf(t, vs, "mu"), []float64{s[0], s[1], s[3]}, nu)
	}
	rep := inferred(t, library(t, "mvstudentt", x, 2))
	got := free(rep.StdErr, entriesOf(t, rep.StdErr, "nu"))
	for i, want := range curvatureErrors(t, loss, free(rep.Estimate, entriesOf(t, rep.Estimate, "nu"))) {
		near(t, "se", got[i], want, 1e-3)
	}
	nu := rep.Estimate.Get("nu")
	near(t, "high nu", rep.Interval[2].High, nu*math.Exp(1.959963984540054*got[5]/nu), 1e-12)

	rep = inferred(t, library(t, "mvstudentt5", x, 2))
	got = free(rep.StdErr, nil)
	known := func(p []float64) float64 { return loss(append(slices.Clone(p), 5)) }
	for i, want := range curvatureErrors(t, known, free(rep.Estimate, nil)) {
		near(t, "se with nu known", got[i], want, 1e-3)
	}
	if len(rep.StdErr) != 2 || len(rep.Interval) != 2 || !math.IsNaN(rep.StdErr.Get("nu")) {
		t.Errorf("%v, %v", rep.StdErr, rep.Interval)
	}
}

// TestErrorsByStandardDeviation: standard errors shrink with the root of n, and are near the scatter of estimates.
func TestErrorsByStandardDeviation(t *testing.T) {
	var first []float64
	var mean float64
	for seed := range uint64(40) {
		draws, err := estimate.Sample(new(fitfixture.SkewNormal), estimate.SampleRequest{Rows: 3000, Seed: seed, Set: []estimate.Value{
			{Name: "eta", Shape: []int{2}, Entries: []float64{3, -1}}}})
		if err != nil {
			t.Fatal(err)
		}
		rep := inferred(t, library(t, "skewnormal", draws.Values, 2))
		first = append(first, entriesOf(t, rep.Estimate, "Omega")[1])
		mean += entriesOf(t, rep.StdErr, "Omega")[1] / 40
	}
	near(t, "scatter", stat.StdDev(first, nil), mean, 0.3)
}

// sheet has the loss of a vector that a function gives with its gradient.
type sheet struct {
	n    int
	loss func(g, x []float64) float64
}

var sheetInfo = runtime.Info{Name: "sheet", Deterministic: true, Starts: 1,
	Parameters: []runtime.Parameter{
		{Name: "a", Type: types.Vector.Of(types.Real), Shape: []runtime.Dim{{Size: 2}}},
		{Name: "b", Type: types.Number.Of(types.Real)},
		{Name: "c", Type: types.Vector.Of(types.Real), Shape: []runtime.Dim{{Size: 298}}},
	}}

func (s *sheet) Info() *runtime.Info {
	info := sheetInfo
	if info.Parameters = info.Parameters[:2]; s.n > 3 {
		info.Parameters = sheetInfo.Parameters
	}
	return &info
}
func (s *sheet) Blocks() []runtime.Block                      { return []runtime.Block{{Name: "m", Len: s.n}} }
func (s *sheet) Conditions() []runtime.Condition              { return nil }
func (s *sheet) Violation([]float64) int                      { return -1 }
func (s *sheet) Loss(z []float64) float64                     { return s.loss(make([]float64, s.n), z) }
func (s *sheet) NaturalGradient(v, z []float64)               { s.loss(v, z) }
func (s *sheet) Gradients(v, c, z []float64) float64          { s.loss(v, z); return s.loss(c, z) }
func (s *sheet) ThetaGradient(g, theta []float64) float64     { return s.loss(g, theta) }
func (s *sheet) SetData(runtime.Data) error                   { return nil }
func (s *sheet) Counts() (rows, distinct int, weight float64) { return 10, 10, 10 }
func (s *sheet) Clone() runtime.Model                         { return &sheet{s.n, s.loss} }
func (s *sheet) Theta(dst, z []float64)                       { copy(dst, z) }
func (s *sheet) Unconstrained() runtime.Unconstrained         { return nil }
func (s *sheet) Sizes() []int                                 { return nil }
func (s *sheet) Resize([]int) error                           { return nil }
func (s *sheet) Start(z []float64, _ int, _ *rand.Rand) error { clear(z); return nil }

// alone stays bare when it is cloned.
type alone struct{ bare }

func (a alone) Clone() runtime.Model { return alone{bare{a.bare.Clone()}} }

// Columns that are nearly the same leave a curvature of 1e-9 of the others, as a polynomial in the year does; the information is known
// in whole numbers.
func TestErrorsOfYears(t *testing.T) {
	sums := make([]*big.Rat, 5) // of powers of the year
	for k := range sums {
		sums[k] = new(big.Rat)
		for year := int64(1860); year < 1960; year++ {
			sums[k].Add(sums[k], new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(year), big.NewInt(int64(k)), nil)))
		}
	}
	minor := func(a, b, c, d int) *big.Rat {
		ab, cd := new(big.Rat).Mul(sums[a], sums[b]), new(big.Rat).Mul(sums[c], sums[d])
		return ab.Sub(ab, cd)
	}
	determinant := new(big.Rat).Mul(sums[0], minor(2, 4, 3, 3))
	determinant.Sub(determinant, new(big.Rat).Mul(sums[1], minor(1, 4, 2, 3)))
	determinant.Add(determinant, new(big.Rat).Mul(sums[2], minor(1, 3, 2, 2)))
	m := &sheet{3, func(g, x []float64) float64 {
		f := 0.0
		clear(g)
		for year := 1860.0; year < 1960; year++ {
			row := [3]float64{1, year, year * year}
			eta := row[0]*x[0] + row[1]*x[1] + row[2]*x[2]
			f += eta * eta / 200
			for i, v := range row {
				g[i] += eta * v / 100
			}
		}
		return f
	}}
	rep := inferred(t, m)
	got := slices.Concat(entriesOf(t, rep.StdErr, "a"), entriesOf(t, rep.StdErr, "b"))
	_, _, n := m.Counts()
	for i, cofactor := range []*big.Rat{minor(2, 4, 3, 3), minor(0, 4, 2, 2), minor(0, 2, 1, 1)} {
		variance, _ := cofactor.Quo(cofactor, determinant).Float64()
		near(t, []string{"intercept", "year", "square"}[i], got[i], math.Sqrt(100*variance/n), 1e-6)
	}
}

// cutAt is the loss of three categories, in equal shares, at two cut points less what column times b adds to them.
func cutAt(column []float64) func(g, x []float64) float64 {
	return func(g, x []float64) float64 {
		f := 0.0
		clear(g)
		for i, v := range column {
			low, high := 1/(1+math.Exp(x[2]*v-x[0])), 1/(1+math.Exp(x[2]*v-x[0]-math.Exp(x[1])))
			lowSlope, highSlope := low*(1-low), high*(1-high)
			var byLow, byHigh float64
			switch i % 3 {
			case 0:
				f, byLow = f-math.Log(low), -1/low
			case 1:
				f, byLow, byHigh = f-math.Log(high-low), 1/(high-low), -1/(high-low)
			default:
				f, byHigh = f-math.Log(1-high), 1/(1-high)
			}
			g[0] += byLow*lowSlope + byHigh*highSlope
			g[1] += byHigh * highSlope * math.Exp(x[1])
			g[2] -= (byLow*lowSlope + byHigh*highSlope) * v
		}
		for i := range g {
			g[i] /= float64(len(column))
		}
		return f / float64(len(column))
	}
}

// TestErrorsOfIntercept: a column that moves all cut points is not determined beside them. Axes that are rotated until differences find a
// curvature, of rounding at last, do not hide it; a column of any scale that varies has its standard error, in its units.
func TestErrorsOfIntercept(t *testing.T) {
	const rows = 72
	for _, c := range []struct {
		what          string
		origin, scale float64
	}{
		{"an intercept", 1, 0}, {"a large constant", 1e6, 0}, {"a small constant", 1e-6, 0},
		{"a column", 0, 1}, {"a large column", 0, 1e9}, {"a small column", 0, 1e-9}, {"a column far from 0", 1000, 1},
	} {
		column := make([]float64, rows)
		for i := range column {
			column[i] = c.origin + c.scale*math.Sin(float64(i*i))
		}
		rep, err := estimate.Find(t.Context(), &sheet{3, cutAt(column)}, estimate.Settings{Level: 0.9, Method: "nlbfgs", GradientTolerance: 1e-9})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"no standard errors: the observed information is singular, or nearly so: the data do not determine a and b"}
		if c.scale > 0 {
			want = nil
		}
		if !slices.Equal(rep.Warnings, want) || (rep.StdErr == nil) != (c.scale == 0) {
			t.Errorf("%s: %v %q, %v", c.what, rep.Status, rep.Warnings, rep.StdErr)
		}
	}
}

// TestNoShapedErrors: what cannot be told is said, and nothing is NaN.
func TestNoShapedErrors(t *testing.T) {
	bowl := func(g, x []float64) float64 {
		f := 0.0
		for i, y := range x {
			g[i] = y
			f += y * y / 2
		}
		return f
	}
	const singular = "the observed information is singular, or nearly so: the data do not determine "
	for _, c := range []struct {
		what string
		n    int
		loss func(g, x []float64) float64
		want string
	}{
		{"two parameters by their sum", 3, func(g, x []float64) float64 {
			s := math.Exp(x[0]+x[2]) - 1 // rounding is different in every direction
			g[0], g[1], g[2] = s*(s+1), x[1], s*(s+1)
			return 7 + s*s/2 + x[1]*x[1]/2
		}, singular + "a and b"},
		{"a parameter that is not there", 3, func(g, x []float64) float64 {
			g[0], g[1], g[2] = x[0], x[1], 0
			return x[0]*x[0]/2 + x[1]*x[1]/2
		}, singular + "b"},
		{"nothing but rounding", 3, func(g, x []float64) float64 {
			g[0], g[1], g[2] = x[0], x[1], 1e-17*math.Sin(1e9*x[2])
			return 3 + x[0]*x[0]/2 + x[1]*x[1]/2
		}, singular + "b"},
		{"a point", 3, func(g, x []float64) float64 {
			f := bowl(g, x)
			if x[2] != 0 {
				return math.NaN()
			}
			return f
		}, "the likelihood has no second derivatives at the estimate"},
		{"too many", 301, bowl, "301 free parameters are too many for second derivatives by differences, which are for at most 300"},
	} {
		rep, err := estimate.Find(context.Background(), &sheet{c.n, c.loss}, estimate.Settings{Level: 0.9, Method: "sngd"})
		if err != nil {
			t.Fatal(err)
		}
		if !rep.Converged || !slices.Equal(rep.Warnings, []string{"no standard errors: " + c.want}) {
			t.Errorf("%s: %v %q", c.what, rep.Status, rep.Warnings)
		}
		if rep.StdErr != nil || rep.Interval != nil {
			t.Errorf("%s: %v", c.what, rep.StdErr)
		}
	}
	saddle := func(g, x []float64) float64 {
		g[0], g[1], g[2] = x[0], x[1], -x[2]
		return x[0]*x[0]/2 + x[1]*x[1]/2 - x[2]*x[2]/2
	}
	if rep, err := estimate.Find(t.Context(), &sheet{3, saddle}, estimate.Settings{Method: "sngd"}); err != nil ||
		rep.Status != runtime.SaddlePoint || rep.Converged || rep.StdErr != nil {
		t.Errorf("a saddle without a way out: %v, %v", rep.Status, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	stops := &sheet{3, func(g, x []float64) float64 {
		if x[0] != 0 { // a neighbour of the estimate, which is the start
			cancel()
		}
		return bowl(g, x)
	}}
	rep, err := estimate.Find(ctx, stops, estimate.Settings{Method: "sngd"})
	if err != nil || !rep.Converged || !slices.Equal(rep.Warnings, []string{"no standard errors: stopped before they were found"}) {
		t.Errorf("%v %q, %v", rep.Status, rep.Warnings, err)
	}
	for _, r := range []estimate.Settings{{MaxIterations: 2}, {Stochastic: estimate.Stochastic{Batch: 30, Epochs: 3}}} {
		rep, err := estimate.Find(context.Background(), skewed(t, 2, 300), r)
		if err != nil || rep.StdErr != nil || !slices.Contains(rep.Warnings, "no standard errors: the run has not converged") {
			t.Errorf("%+v: %v %q, %v", r, rep.Status, rep.Warnings, err)
		}
	}
	rep, err = estimate.Find(context.Background(), alone{bare{skewed(t, 2, 300)}}, estimate.Settings{})
	if err != nil || rep.StdErr != nil || len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0], "does not give its loss as a function") {
		t.Errorf("%v %q, %v", rep.StdErr, rep.Warnings, err)
	}
}
