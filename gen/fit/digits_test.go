package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// far are posteriors whose mean lies a million of deviations from 0, in the coordinates that a step is taken in: two terms of a log-density
// about 0 are 1e12 each, and what is left of their difference has four digits.
const (
	// The prior is normal, with its mean three deviations from that of the start, and half the variance in the second entry.
	farMean, farDeviation = 1024 + 3.0/1024, 1.0 / 1024
	farPrior              = "-dot(range(2), (2*u - 2048 - 6/1024)^2)*131072"
)

// farSpec writes such a posterior.
func farSpec(distribution, parameters, start, settings string) string {
	return fmt.Sprintf(`package: far
target: %[1]s
surrogate: %[1]s
step: natural
map: {%[2]s}
%[3]s
objective:
  vi:
    latent: {u: vector(2)}
%[4]s    log_prior: %[5]s
`, distribution, parameters, start, settings, farPrior)
}

// normalLogDensity is that of the normal distribution of two numbers, whose differences to the means are exact here.
func normalLogDensity(x, mu, sigma []float64) float64 {
	det := sigma[0]*sigma[3] - sigma[1]*sigma[2]
	a, b := x[0]-mu[0], x[1]-mu[1]
	return -(sigma[3]*a*a-(sigma[1]+sigma[2])*a*b+sigma[0]*b*b)/(2*det) - math.Log(2*math.Pi) - math.Log(det)/2
}

// TestFarLogDensities: log q of draws of an approximation far from 0 has the digits of the draws, whatever the target and the estimator.
func TestFarLogDensities(t *testing.T) {
	full := "mu: mu, Sigma: Sigma"
	variance := "(0.7*eye(d) + 0.3*outer(ones(d), ones(d)))/1048576"
	for _, c := range []struct {
		name, text string
		of         func(x, theta []float64) float64
	}{
		{"multivariate_normal", farSpec("multivariate_normal", full, "start:\n  mu: 1024*ones(d)\n  Sigma: "+variance, "    estimator: path\n"),
			func(x, theta []float64) float64 { return normalLogDensity(x, theta, theta[2:]) }},
		{"diagonal_normal", farSpec("diagonal_normal", "mu: mu, sigma2: sigma2", "start:\n  mu: 1024*ones(d)\n  sigma2: ones(d)/1048576", "    estimator: path\n"),
			func(x, theta []float64) float64 {
				return normalLogDensity(x, theta, []float64{theta[2], 0, 0, theta[3]})
			}},
		{"mixture", farSpec("{mixture: multivariate_normal, components: k}", full, "random_start:\n  groups: none\n  noise: {e: normal vector(d)}\n  mu: 1024*ones(d) + e/1024\n  Sigma: "+variance, ""),
			func(x, theta []float64) float64 {
				first := math.Log(theta[0]) + normalLogDensity(x, theta[2:], theta[6:])
				second := math.Log(theta[1]) + normalLogDensity(x, theta[4:], theta[10:])
				top := max(first, second)
				return top + math.Log(math.Exp(first-top)+math.Exp(second-top))
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, z, theta := farModel(t, c.text)
			draws, logQ, ratios := make([]float64, 2*m.Draws()), make([]float64, m.Draws()), make([]float64, m.Draws())
			m.Latents(draws, z)
			m.LogDensities(logQ, z)
			m.Weights(ratios, z)
			bound := 0.0
			for i, got := range logQ {
				x := draws[2*i : 2*i+2]
				want := c.of(x, theta)
				a, b := (x[0]-farMean)/farDeviation, (x[1]-farMean)/farDeviation
				prior := -(a*a + 2*b*b) / 2
				bound += (prior - want) / float64(len(logQ))
				if !(math.Abs(got-want) < 1e-7) || !(math.Abs(ratios[i]-prior+want) < 1e-7) {
					t.Errorf("draw %d: log q = %v, by the density %v; log p - log q = %v, by the densities %v", i, got, want, ratios[i], prior-want)
				}
			}
			if loss := m.Loss(z); c.name != "mixture" && !(math.Abs(loss+bound) < 1e-7) {
				t.Errorf("the loss is %v, by the densities of the draws %v", loss, -bound)
			}
		})
	}
}

// farModel is the model of a posterior without data, with draws, at its start.
func farModel(t *testing.T, text string) (m runtime.Variational, z, theta []float64) {
	t.Helper()
	m = open(t, text).Model().(runtime.Variational)
	rng := rand.New(rand.NewPCG(1, 2))
	if k, ok := m.(runtime.Mixture); ok {
		if err := k.SetComponents(2); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.SetDraws(20); err != nil {
		t.Fatal(err)
	}
	m.Draw(rng)
	for _, b := range m.Blocks() {
		z = append(z, make([]float64, b.Len)...)
	}
	if err := m.Start(z, 0, rng); err != nil {
		t.Fatal(err)
	}
	theta = make([]float64, 14) // weights, means and covariance matrices of two components; others have fewer numbers
	m.Theta(theta, z)
	return m, z, theta
}

// TestFarExpectation: of log q with entries that are independent nothing is estimated, far from 0 either: where all of the prior is known
// too, the loss is the same for any draws, and is the divergence of two normal distributions, but for a constant.
func TestFarExpectation(t *testing.T) {
	m, z, theta := farModel(t, farSpec("diagonal_normal", "mu: mu, sigma2: sigma2",
		"start:\n  mu: 1024*ones(d)\n  sigma2: ones(d)/1048576", ""))
	want := 0.0
	for i := range 2 {
		off, variance := theta[i]-farMean, theta[2+i]
		want += float64(i+1)*(off*off+variance)/(2*farDeviation*farDeviation) - (1+math.Log(2*math.Pi*variance))/2
	}
	for range 3 {
		if got := m.Loss(z); !(math.Abs(got-want) < 1e-7) {
			t.Errorf("the loss is %v, in closed form %v", got, want)
		}
		m.Draw(rand.New(rand.NewPCG(3, 4)))
	}
}
