package variational_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"

	"github.com/sngdgen/sngdgen/generated/logisticskew"
	"github.com/sngdgen/sngdgen/generated/logistict"
	"github.com/sngdgen/sngdgen/runtime"
)

// metricOf is what the gradient with respect to the last coordinate, a number, is divided by, with that set to a value, by many draws.
func metricOf(t *testing.T, m runtime.Variational, value float64) float64 {
	const draws = 40_000
	if err := m.SetDraws(draws); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, b := range m.Blocks() {
		n += b.Len
	}
	z, v, c := make([]float64, n), make([]float64, n), make([]float64, n)
	rng := runtime.Stream(3, "information")
	if err := m.Start(z, 0, rng); err != nil {
		t.Fatal(err)
	}
	z[n-1] = value
	m.Draw(rng)
	if m.Gradients(v, c, z); v[n-1] == 0 {
		t.Fatal("the gradient vanishes")
	}
	return c[n-1] / v[n-1]
}

func closeTo(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 0.06*math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestInformationOfDegrees: what metrics call information is the Fisher information, here about log(nu - 2) where the covariance matrix stays
// (Lange, Little and Taylor 1989, Robust statistical modeling using the t distribution, appendix B): that about nu, that about nu and
// the scale together, and that about the scale.
func TestInformationOfDegrees(t *testing.T) {
	const d = 3
	trigamma := func(x float64) float64 {
		const h = 1e-4
		return (mathext.Digamma(x+h) - mathext.Digamma(x-h)) / (2 * h)
	}
	m, err := logistict.New(dataOf(madeUp(d), nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, lognu := range []float64{0, 1.5, 3} {
		nu := 2 + math.Exp(lognu)
		sum := nu * (nu + d) * (nu + d + 2)
		alone := (trigamma(nu/2)-trigamma((nu+d)/2))/4 - d*(nu+d+4)/(2*sum)
		want := (nu-2)*(nu-2)*alone - 4*(nu-2)*d/sum + 2*d/(nu*(nu+d+2))
		closeTo(t, "the information about lognu", metricOf(t, m, lognu)-1e-3, want)
	}
}

// TestInformationOfSlant: of one latent number, about the slant with mean and variance fixed, against an integral over the density in the
// form of Azzalini.
func TestInformationOfSlant(t *testing.T) {
	const variance = 0.01 // of the start
	logDensity := func(x, slant float64) float64 {
		of := slant * slant * variance
		root := math.Sqrt(1 + (1-2/math.Pi)*of)
		omega := variance + 2/math.Pi*variance*variance*slant*slant/(root*root)
		off := x + math.Sqrt(2/math.Pi)*variance*slant/root
		return math.Log(2) - math.Log(2*math.Pi*omega)/2 - off*off/(2*omega) + math.Log(math.Erfc(-slant*root/math.Sqrt(1+of)*off/math.Sqrt2)/2)
	}
	m, err := logisticskew.New(dataOf(madeUp(1), nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, slant := range []float64{10, -20} {
		want := quad.Fixed(func(x float64) float64 {
			const h = 1e-3
			score := (logDensity(x, slant+h) - logDensity(x, slant-h)) / (2 * h)
			return score * score * math.Exp(logDensity(x, slant))
		}, -0.7, 0.7, 2000, nil, 0)
		closeTo(t, "the information about the slant", metricOf(t, m, slant)-0.01*variance, want)
	}
}

// madeUp are rows of d covariates and 0 or 1.
func madeUp(d int) [][]float64 {
	rows := make([][]float64, 5)
	for i := range rows {
		for j := range d {
			rows[i] = append(rows[i], math.Sin(float64(1+3*i+7*j)))
		}
		rows[i] = append(rows[i], float64(i%2))
	}
	return rows
}
