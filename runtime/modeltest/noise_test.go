package modeltest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
)

// TestDerives: a derivative is compared to the digits that the function has, and not beyond them; where it has them, an error of a
// thousandth is found.
func TestDerives(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		noisy := func(h float64) float64 { return math.Exp(h/10) + 1e-8*rng.NormFloat64() }
		if want, ok := derives(0.1*(1+1e-7), noisy, 1e-2, 1e-7, 1e-5); !ok {
			t.Errorf("seed %d: 0.1 is not the derivative of exp(x/10) with errors of 1e-8: %v by differences", seed, want)
		}
	}
	bent := func(h float64) float64 { // at every multiple of a fortieth of the first step, but between the two about 0 it is smooth
		k := math.Round(h / 2.5e-4)
		return math.Exp(h/10) + math.Sin(k*k)
	}
	if want, ok := derives(0.1, bent, 1e-2, 1, 1e-5); !ok {
		t.Errorf("0.1 is not the derivative of a bent function: %v by differences", want)
	}
	if _, ok := derives(0.1001, bent, 1e-2, 1e-7, 1e-5); ok {
		t.Error("0.1001 is the derivative of a bent function")
	}
	coarse := func(h float64) float64 { return math.Round(1e9*(1+h/10)) / 1e9 } // has no change left over short steps
	if _, ok := derives(0, coarse, 1e-2, 1e-7, 1e-5); ok {
		t.Error("0 is the derivative of a function with a slope of 0.1")
	}
	cubic := func(h float64) float64 { return 0.1*h + 0.1*h*h*h/(1.25e-3*1.25e-3) } // over a step of an eighth the difference is 0.2
	if _, ok := derives(0.2, cubic, 1e-2, 1e-7, 1e-5); ok {
		t.Error("0.2 is the derivative of a function with a slope of 0.1")
	}
	exact := func(h float64) float64 { return math.Exp(h / 10) }
	if _, ok := derives(0.1001, exact, 1e-2, 1e-7, 1e-5); ok {
		t.Error("0.1001 is the derivative of exp(x/10)")
	}
}

// TestRounding: the size of rounding errors is that of the noise of a function, whatever its slope and curvature.
func TestRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	noisy := func(h float64) float64 { return 1e4*h + 1e3*h*h + 1e-8*rng.NormFloat64() }
	if got := rounding(noisy, 1e-2); !(got > 0.3e-8 && got < 3e-8) {
		t.Errorf("errors of 1e-8 are taken for %v", got)
	}
}

// rare is a regression whose loss is the same for all draws but those of the first coefficient that are some deviations above the mean.
type rare struct {
	*fitfixture.Regression
	above float64
}

func (m rare) Loss(z []float64) float64 {
	d := m.Info().Variable.Len(m)
	latents, theta, loss := make([]float64, m.Draws()*d), make([]float64, thetaLen(m)), 1.0
	m.Latents(latents, z)
	m.Theta(theta, z)
	for i := 0; i < len(latents); i += d {
		loss += math.Max(0, (latents[i]-theta[0])/math.Sqrt(theta[d])-m.above)
	}
	return loss
}

// TestSameLoss: a loss that draws change is told from one that none changes, though of the few draws of a test none may change it.
func TestSameLoss(t *testing.T) {
	rows := runtime.Data{Values: []float64{1, 0, 1, 0, 1, 2, 1, 1, 0}, Columns: 3}
	for _, c := range []struct {
		above float64
		want  bool
	}{{-1, false}, {3.5, false}, {math.Inf(1), true}} {
		m := fitfixture.NewRegression(rows)
		z := newVector(m)
		m.Exact(z)
		p := point{rare{m, c.above}, z, rand.New(rand.NewPCG(5, 1))}
		if err := m.SetDraws(7); err != nil {
			t.Fatal(err)
		}
		if got := p.sameLoss(t, p.Model.(runtime.Variational)); got != c.want {
			t.Errorf("above %v: the same loss is %v", c.above, got)
		}
	}
}

// steep is a model whose first parameter is the exponential of its first coordinate.
type steep struct{ *fitfixture.SkewNormal }

func (m steep) Theta(dst, z []float64) {
	clear(dst)
	dst[0] = math.Exp(z[0])
}

// TestFar: a point is far away where a parameter of the target is, though the coordinates are not.
func TestFar(t *testing.T) {
	m := new(fitfixture.SkewNormal)
	if err := m.Resize([]int{2}); err != nil {
		t.Fatal(err)
	}
	p := point{steep{m}, newVector(m), rand.New(rand.NewPCG(7, 1))}
	z := newVector(m)
	for x, want := range map[float64]bool{1: false, 3: false, 6: true, 40: true, 60: true, -60: true, -40: false} {
		if z[0] = x; p.far(z) != want {
			t.Errorf("%v is far away: %v", x, !want)
		}
	}
}
