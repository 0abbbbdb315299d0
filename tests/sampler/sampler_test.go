package sampler

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestMetropolis: the sampler knows the moments of a normal distribution.
func TestMetropolis(t *testing.T) {
	location, scale := []float64{1, -2}, mat.NewSymDense(2, []float64{2, 0.9, 0.9, 1})
	var precision mat.Dense
	if err := precision.Inverse(scale); err != nil {
		t.Fatal(err)
	}
	log := func(z []float64) float64 {
		x := mat.NewVecDense(2, []float64{z[0] - location[0], z[1] - location[1]})
		return -mat.Inner(x, &precision, x) / 2
	}
	wide := mat.NewSymDense(2, []float64{1, 0, 0, 1})
	mean, covariance, err := Metropolis(log, []float64{0, 0}, wide, 100_000, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if math.Abs(mean[i]-location[i]) > 0.05*math.Sqrt(scale.At(i, i)) {
			t.Errorf("mean %v", mean)
		}
		for j := range 2 {
			if math.Abs(covariance.At(i, j)-scale.At(i, j)) > 0.05*math.Sqrt(scale.At(i, i)*scale.At(j, j)) {
				t.Errorf("covariance %v", mat.Formatted(covariance))
			}
		}
	}
	if _, _, err := Metropolis(log, location, mat.NewSymDense(2, []float64{1, 2, 2, 1}), 10, nil); err == nil {
		t.Error("steps of an indefinite covariance are taken")
	}
}
