package fitfixture_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/modeltest"
)

func TestMixture(t *testing.T) {
	modeltest.Run(t, func() runtime.Model { return new(fitfixture.Mixture) })
}

// mixtureData draws from three normal components, of which the second overlaps with the first.
func mixtureData(n int) runtime.Data {
	m := new(fitfixture.Mixture)
	if err := m.SetComponents(3); err != nil {
		panic(err)
	}
	x := make([]float64, n)
	m.Sample(x, []float64{0.5, 0.3, 0.2, 0, 2, 6, 1, 0.5, 2}, rand.New(rand.NewPCG(7, 1)))
	return runtime.Data{Values: x}
}

// em is a step of EM for a normal mixture, written for theta from the start, two passes over the data.
func em(theta, x []float64) []float64 {
	k := len(theta) / 3
	out := make([]float64, 3*k)
	r := make([]float64, len(x)*k)
	for i, v := range x {
		sum := 0.0
		for c := range k {
			d := v - theta[k+c]
			r[i*k+c] = theta[c] * math.Exp(-d*d/(2*theta[2*k+c])) / math.Sqrt(theta[2*k+c])
			sum += r[i*k+c]
		}
		for c := range k {
			r[i*k+c] /= sum
			out[c] += r[i*k+c] / float64(len(x))
			out[k+c] += r[i*k+c] * v
		}
	}
	for c := range k {
		n := out[c] * float64(len(x))
		out[k+c] /= n
		for i, v := range x {
			d := v - out[k+c]
			out[2*k+c] += r[i*k+c] * d * d / n
		}
	}
	return out
}

// SNGD with the step 1 is EM.
func TestMixtureStepIsEM(t *testing.T) {
	data := mixtureData(400)
	m := fitfixture.NewMixture(data, 3)
	z, theta := make([]float64, 8), make([]float64, 9)
	for start := range 3 {
		if err := m.Start(z, start, rand.New(rand.NewPCG(1, 1))); err != nil {
			t.Fatal(err)
		}
		m.Theta(theta, z)
		want := slices.Clone(theta)
		const steps = 30
		for range steps {
			want = em(want, data.Values)
		}
		settings := &runtime.Settings{Step: runtime.Constant{Step: 1}, MaxIterations: steps}
		res, err := runtime.Minimize(context.Background(), m, z, settings)
		if err != nil {
			t.Fatal(err)
		}
		m.Theta(theta, res.Z)
		for i := range theta {
			if math.Abs(theta[i]-want[i]) > 1e-11*(1+math.Abs(want[i])) {
				t.Errorf("start %d: entry %d of theta is %v, by EM %v", start, i, theta[i], want[i])
			}
		}
	}
}
