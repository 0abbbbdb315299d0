package estimate

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// LikelihoodRatio compares two fits of the same data, of which one is a special case of the other.
type LikelihoodRatio struct {
	Statistic Number `json:"statistic"` // twice the difference of the log-likelihoods, of the larger model less the smaller one
	Freedom   int    `json:"degrees_of_freedom"`
	// P is the probability of a larger statistic under the smaller model, by the chi-square distribution: in large samples, where the smaller
	// model is inside of the larger one and not at an end of its parameters (Wilks 1938).
	P Number `json:"p"`
}

// CompareLikelihoods returns the likelihood ratio test of a smaller model against a larger one, which nothing here knows to contain it.
func CompareLikelihoods(smaller, larger *Fitted) (*LikelihoodRatio, error) {
	switch {
	case smaller.Penalised || larger.Penalised:
		return nil, errors.New("a penalised fit does not maximise the likelihood: there is no likelihood ratio of it")
	case larger.Free <= smaller.Free:
		return nil, fmt.Errorf("the larger model has %d free parameters, the smaller one %d", larger.Free, smaller.Free)
	}
	r := &LikelihoodRatio{Statistic: 2 * (larger.LogLikelihood - smaller.LogLikelihood), Freedom: larger.Free - smaller.Free}
	r.P = Number(distuv.ChiSquared{K: float64(r.Freedom)}.Survival(math.Max(float64(r.Statistic), 0)))
	return r, nil
}

// Vuong is the test of Vuong (Likelihood ratio tests for model selection and non-nested hypotheses, Econometrica 57, 1989) of two models of
// which neither contains the other. Under the hypothesis that both are equally near to the truth Z is a standard normal number, if
// their densities differ: a large one speaks for the first.
type Vuong struct {
	Z Number `json:"z"`
	P Number `json:"p"` // of both sides
	// AIC and BIC are Z with the difference of the log-likelihoods corrected by the numbers of parameters, as these criteria do.
	AIC  Number  `json:"z_aic"`
	PAIC Number  `json:"p_aic"`
	BIC  Number  `json:"z_bic"`
	PBIC Number  `json:"p_bic"`
	N    float64 `json:"n"`
	// Deviation is the standard deviation of the differences of the log-densities.
	Deviation Number `json:"standard_deviation"`
}

// errSame is about models whose densities are the same.
var errSame = errors.New("the densities of both models are the same in all rows: they cannot be told apart")

// CompareDensities returns Vuong's test of two models with so many free parameters by their log-densities of the same rows, with weights or
// nil.
func CompareDensities(a, b, weights []float64, freeA, freeB int) (*Vuong, error) {
	if len(a) != len(b) || weights != nil && len(weights) != len(a) {
		return nil, fmt.Errorf("%d and %d log-densities with %d weights are not of the same rows", len(a), len(b), len(weights))
	}
	weight := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	n, sum := 0.0, 0.0
	for i := range a {
		if w := weight(i); w > 0 {
			n += w
			sum += w * (a[i] - b[i])
		}
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, errors.New("a row has no density under one of the models")
	}
	squares := 0.0
	for i := range a {
		if w := weight(i); w > 0 {
			d := a[i] - b[i] - sum/n
			squares += w * d * d
		}
	}
	sd := math.Sqrt(squares / (n - 1))
	if !(sd > 1e-12*(1+math.Abs(sum/n))) {
		return nil, errSame
	}
	k := float64(freeA - freeB)
	z := func(correction float64) (z, p Number) {
		x := (sum - correction) / (sd * math.Sqrt(n))
		return Number(x), Number(2 * distuv.UnitNormal.Survival(math.Abs(x)))
	}
	v := &Vuong{N: n, Deviation: Number(sd)}
	v.Z, v.P = z(0)
	v.AIC, v.PAIC = z(k)
	v.BIC, v.PBIC = z(k * math.Log(n) / 2)
	return v, nil
}
