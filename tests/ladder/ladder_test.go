//go:build overlay

package ladder

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/generated/logistic"
	"github.com/sngdgen/sngdgen/generated/logisticmix"
	"github.com/sngdgen/sngdgen/generated/logisticskew"
	"github.com/sngdgen/sngdgen/generated/logisticskewt"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// climb fits all approximations, and checks what holds of every ladder.
func climb(t *testing.T, candidates []estimate.Candidate) *estimate.Ladder {
	t.Helper()
	l, err := estimate.Climb(t.Context(), candidates, &estimate.Settings{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range l.Rungs {
		if r.Fit == nil {
			t.Fatalf("%s: %s", r.Label(), r.Error)
		}
		e := &r.Fit.ELBO
		t.Logf("%-22s %.4f (%.2g) rise %.4f (%.2g) from %d, %v", r.Label(), float64(e.Mean), float64(e.StandardError), float64(r.Rise),
			float64(r.RiseError), r.From, r.Fit.Message)
		contains := len(r.Fit.Parameters) > 0 && r.From >= 0
		if contains && (r.From >= i || !(r.Rise >= 0)) {
			t.Errorf("%s: from rung %d, rise %v", r.Label(), r.From, r.Rise)
		}
		if r.Kept != (r.From >= 0 && r.Rise == 0) {
			t.Errorf("%s: kept %v, rise %v", r.Label(), r.Kept, r.Rise)
		}
	}
	return l
}

func rung(t *testing.T, l *estimate.Ladder, label string) *estimate.Rung {
	t.Helper()
	for i := range l.Rungs {
		if l.Rungs[i].Label() == label {
			return &l.Rungs[i]
		}
	}
	t.Fatalf("no rung %s", label)
	return nil
}

// TestTwoModes: of a posterior with two modes, far apart, a normal distribution takes one, whose weight is known; a mixture of two
// is the posterior.
func TestTwoModes(t *testing.T) {
	const share = 0.6
	modes := func(g, z []float64) float64 {
		a := math.Log(share) - ((z[0]-4)*(z[0]-4)+z[1]*z[1])/2
		b := math.Log(1-share) - ((z[0]+4)*(z[0]+4)+z[1]*z[1])/2
		top := max(a, b)
		total := math.Exp(a-top) + math.Exp(b-top)
		if g != nil {
			p := math.Exp(a-top) / total
			g[0], g[1] = -p*(z[0]-4)-(1-p)*(z[0]+4), -z[1]
		}
		return top + math.Log(total) - math.Log(2*math.Pi)
	}
	l := climb(t, forms(t, modes, 2))
	if got := rung(t, l, "normal_mixture(2)"); !(math.Abs(float64(got.Fit.ELBO.Mean)) < 0.02) {
		t.Errorf("the bound by two normals is %v, the log evidence 0", got.Fit.ELBO.Mean)
	}
	if got := float64(rung(t, l, "normal").Fit.ELBO.Mean); !(math.Abs(got-math.Log(share)) < 0.1 || math.Abs(got-math.Log(1-share)) < 0.1) {
		t.Errorf("the bound by one normal is %v, the weights of the modes are %v and %v", got, share, 1-share)
	}
	if got := l.Rungs[l.Knee].Label(); got != "normal_mixture(2)" {
		t.Errorf("the knee is %s", got)
	}
}

// TestSkewed: a skew-normal posterior is the rung of that name, and others do not exceed it.
func TestSkewed(t *testing.T) {
	theta := []float64{1, -1, 1, 0.5, 0.5, 2, 12, -6}
	log := azzalini(theta, 2)
	sigma := mat.NewDense(2, 2, theta[2:6])
	density := func(g, z []float64) float64 {
		if g != nil {
			y := mat.NewVecDense(2, []float64{z[0] - 1, z[1] + 1})
			var s mat.VecDense
			if err := s.SolveVec(sigma, y); err != nil {
				return math.NaN()
			}
			u := 12*y.AtVec(0) - 6*y.AtVec(1)
			ratio := math.Sqrt(2/math.Pi) * math.Exp(-u*u/2) / math.Erfc(-u/math.Sqrt2)
			if u < -25 {
				ratio = -u // the limit of Mills' ratio
			}
			g[0], g[1] = 12*ratio-s.AtVec(0), -6*ratio-s.AtVec(1)
		}
		if u := 12*(z[0]-1) - 6*(z[1]+1); u < -25 {
			return normalLog(z, theta[:2], mat.NewSymDense(2, theta[2:6])) - u*u/2 - math.Log(-u) + math.Log(2/math.Sqrt(2*math.Pi))
		}
		return log(z)
	}
	l := climb(t, forms(t, density, 2)[:5])
	if got := rung(t, l, "skew_normal"); !(math.Abs(float64(got.Fit.ELBO.Mean)) < 0.03) || !(got.Rise > 0.1) {
		t.Errorf("the bound by a skew-normal is %v, a rise of %v; the log evidence is 0", got.Fit.ELBO.Mean, got.Rise)
	}
	if got := l.Rungs[l.Knee].Label(); got != "skew_normal" {
		t.Errorf("the knee is %s", got)
	}
}

// classes are rows of a logistic regression with an intercept.
func classes(n, d int, seed uint64) runtime.Data {
	rng := runtime.Stream(seed, "classes")
	out := runtime.Data{Columns: d + 1}
	for range n {
		odds := 0.0
		for i := range d {
			x := rng.NormFloat64()
			if i == 0 {
				x = 1
			}
			out.Values = append(out.Values, x)
			odds += x * float64(i-1)
		}
		y := 0.0
		if rng.Float64() < 1/(1+math.Exp(-odds)) {
			y = 1
		}
		out.Values = append(out.Values, y)
	}
	return out
}

// TestLogistic: with data, by packages of the library.
func TestLogistic(t *testing.T) {
	candidates := []estimate.Candidate{
		{Name: "skew_t", Model: new(logisticskewt.Model)},
		{Name: "normal_mixture", Model: new(logisticmix.Model), Components: []int{2, 3}},
		{Name: "skew_normal", Model: new(logisticskew.Model)},
		{Name: "normal", Model: new(logistic.Model)},
	}
	for _, c := range candidates {
		k := 0
		if c.Components != nil {
			k = 2
		}
		if err := estimate.Load(c.Model, classes(30, 3, 1), k); err != nil {
			t.Fatal(err)
		}
	}
	l := climb(t, candidates)
	if l.Rungs[0].Name != "normal" {
		t.Errorf("the first rung is %s, which contains others", l.Rungs[0].Name)
	}
	if from := rung(t, l, "normal_mixture(3)").From; l.Rungs[from].Label() != "normal_mixture(2)" {
		t.Errorf("three components come from %s", l.Rungs[from].Label())
	}
}

// TestRefused: settings that make no sense of any approximation.
func TestRefused(t *testing.T) {
	if _, err := estimate.Climb(t.Context(), nil, nil); err == nil {
		t.Error("nothing to compare")
	}
	one := forms(t, func(g, z []float64) float64 { clear(g); return 0 }, 2)[:1]
	if _, err := estimate.Climb(t.Context(), one, &estimate.Settings{Level: 2}); err == nil {
		t.Error("a level of 2")
	}
	one[0].Components = []int{2}
	if _, err := estimate.Climb(t.Context(), one, nil); err == nil {
		t.Error("components of what is no mixture")
	}
}
