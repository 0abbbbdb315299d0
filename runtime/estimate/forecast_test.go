package estimate_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// on is a model of the library with the parameters of a fit.
func on(t *testing.T, problem, target, parameters string) (runtime.Model, []float64) {
	t.Helper()
	model, ok := generated.Lookup(problem)
	if !ok {
		t.Fatalf("no problem %s", problem)
	}
	m := model()
	f := &estimate.Fitted{Problem: problem, Target: target}
	if err := json.Unmarshal([]byte(parameters), &f.Parameters); err != nil {
		t.Fatal(err)
	}
	theta, err := f.On(m)
	if err != nil {
		t.Fatal(err)
	}
	return m, theta
}

var forecastLevels = []float64{1e-6, 0.025, 0.5, 0.975, 1 - 1e-6}

// Means, standard deviations and quantiles of distributions are those of gonum, with scales far from 1 and tails of all kinds.
func TestPredictNumbers(t *testing.T) {
	type distribution interface {
		Mean() float64
		StdDev() float64
		Quantile(p float64) float64
	}
	for _, c := range []struct {
		problem, target, parameters string
		want                        distribution
	}{
		{"normal", "normal", `{"mu": 12345, "sigma2": 1e-6}`, distuv.Normal{Mu: 12345, Sigma: 1e-3}},
		{"normal", "normal", `{"mu": -3e8, "sigma2": 1e18}`, distuv.Normal{Mu: -3e8, Sigma: 1e9}},
		{"gamma", "gamma", `{"alpha": 0.5, "beta": 1000}`, distuv.Gamma{Alpha: 0.5, Beta: 1000}},
		{"gamma", "gamma", `{"alpha": 5e4, "beta": 0.01}`, distuv.Gamma{Alpha: 5e4, Beta: 0.01}},
		{"beta", "beta", `{"a": 0.3, "b": 0.4}`, distuv.Beta{Alpha: 0.3, Beta: 0.4}},
		{"beta", "beta", `{"a": 2000, "b": 3}`, distuv.Beta{Alpha: 2000, Beta: 3}},
		{"inversegamma", "inverse_gamma", `{"alpha": 2.5, "beta": 7}`, distuv.InverseGamma{Alpha: 2.5, Beta: 7}},
		{"studentt", "student_t", `{"mu": 100, "sigma": 0.01, "nu": 3}`, distuv.StudentsT{Mu: 100, Sigma: 0.01, Nu: 3}},
		{"studentt", "student_t", `{"mu": 0, "sigma": 10, "nu": 2.2}`, distuv.StudentsT{Mu: 0, Sigma: 10, Nu: 2.2}},
	} {
		m, theta := on(t, c.problem, c.target, c.parameters)
		f, err := estimate.Predict(t.Context(), m, theta, runtime.Data{}, &estimate.ForecastSettings{Levels: forecastLevels})
		if err != nil {
			t.Errorf("%s %s: %v", c.problem, c.parameters, err)
			continue
		}
		near := func(what string, got, want, tolerance float64) {
			if !(math.Abs(got-want) <= tolerance) {
				t.Errorf("%s %s: %s %v, want %v", c.problem, c.parameters, what, got, want)
			}
		}
		sd := c.want.StdDev()
		near("mean", f.Mean[0], c.want.Mean(), 1e-8*sd)
		near("deviation", f.SD[0], sd, 1e-7*sd)
		for k, p := range forecastLevels {
			q := c.want.Quantile(p)
			near("quantile", f.Quantiles[k], q, 1e-6*(math.Abs(q)+0.01*sd)) // those of gonum are roots
		}
	}
}

// Moments that do not exist are no numbers.
func TestPredictNoMoments(t *testing.T) {
	m, theta := on(t, "studentt", "student_t", `{"mu": 1, "sigma": 2, "nu": 0.9}`)
	f, err := estimate.Predict(t.Context(), m, theta, runtime.Data{}, &estimate.ForecastSettings{Levels: []float64{0.75}})
	if err != nil {
		t.Fatal(err)
	}
	want := distuv.StudentsT{Mu: 1, Sigma: 2, Nu: 0.9}.Quantile(0.75)
	if !math.IsNaN(f.Mean[0]) || !math.IsNaN(f.SD[0]) || math.Abs(f.Quantiles[0]-want) > 1e-6*want {
		t.Errorf("mean %v, deviation %v, quantile %v, want %v", f.Mean[0], f.SD[0], f.Quantiles[0], want)
	}
}

// Whole numbers, and a mixture whose components are far apart: the quantiles and the mean of Bayes' rule.
func TestPredictWhole(t *testing.T) {
	m, theta := on(t, "negbin", "negative_binomial", `{"r": 0.4, "s": 0.03}`)
	f, err := estimate.Predict(t.Context(), m, theta, runtime.Data{}, &estimate.ForecastSettings{Levels: []float64{0.5, 0.9}, Draws: 4000, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	mean, sd := 0.4*0.97/0.03, math.Sqrt(0.4*0.97)/0.03
	// scipy 1.17.1: nbinom(0.4, 0.03).ppf([0.5, 0.9])
	if math.Abs(f.Mean[0]-mean) > 1e-9*mean || math.Abs(f.SD[0]-sd) > 1e-9*sd || f.Quantiles[0] != 5 || f.Quantiles[1] != 37 {
		t.Errorf("mean %v and %v, deviation %v and %v, quantiles %v", f.Mean[0], mean, f.SD[0], sd, f.Quantiles)
	}
	sum := 0.0
	for _, x := range f.Draws {
		sum += x / 4000
	}
	if math.Abs(sum-mean) > 4*sd/math.Sqrt(4000) {
		t.Errorf("mean of the draws %v, want %v", sum, mean)
	}
	m, theta = on(t, "normalmix", "mixture of normal", `{"weights": [0.3, 0.7], "mu": [-1000, 5], "sigma2": [1, 1e-4]}`)
	f, err = estimate.Predict(t.Context(), m, theta, runtime.Data{}, &estimate.ForecastSettings{Levels: []float64{0.15, 0.65}})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(f.Mean[0]+296.5) > 1e-6 || math.Abs(f.Quantiles[0]+1000) > 1e-6 || math.Abs(f.Quantiles[1]-5) > 1e-6 {
		t.Errorf("mean %v, quantiles %v", f.Mean[0], f.Quantiles)
	}
}

// Of vectors there are draws.
func TestPredictVectors(t *testing.T) {
	m, theta := on(t, "mvnormal", "multivariate_normal", `{"mu": [1, -2], "Sigma": [[4, 1], [1, 9]]}`)
	f, err := estimate.Predict(t.Context(), m, theta, runtime.Data{}, &estimate.ForecastSettings{Levels: []float64{0.5}, By: 40_000})
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range []struct{ mean, sd float64 }{{1, 2}, {-2, 3}} {
		if math.Abs(f.Mean[j]-want.mean) > 0.06 || math.Abs(f.SD[j]-want.sd) > 0.06 || math.Abs(f.Quantiles[j]-want.mean) > 0.07 {
			t.Errorf("%s: mean %v, deviation %v, median %v", f.Columns[j], f.Mean[j], f.SD[j], f.Quantiles[j])
		}
	}
}

// What is no fit of a model is an error that says why.
func TestFittedOn(t *testing.T) {
	model, _ := generated.Lookup("negbin")
	for text, want := range map[string]string{
		`{"problem": "gamma", "target": "gamma"}`:                                                        "the fit is one of gamma, not of negbin",
		`{"problem": "negbin", "target": "gamma"}`:                                                       "that of negbin is negative_binomial now",
		`{"problem": "negbin", "target": "negative_binomial"}`:                                           "no parameters",
		`{"problem": "negbin", "target": "negative_binomial", "parameters": {"r": 1}}`:                   "no parameter s",
		`{"problem": "negbin", "target": "negative_binomial", "parameters": {"r": 1, "s": 2}}`:           "s = 2 is not between 0 and 1",
		`{"problem": "negbin", "target": "negative_binomial", "parameters": {"r": [1, 2], "s": 0.5}}`:    "r is a number, the value in the fit is a vector of 2",
		`{"problem": "negbin", "target": "negative_binomial", "parameters": {"r": 1, "s": 0.5, "t": 1}}`: `no parameter "t"`,
		`{"problem": "negbin", "target": "negative_binomial", "parameters": {"r": null, "s": 0.5}}`:      "r: not a number",
		`{"problem": "negbin", "target": "negative_binomial", "parameters": [1]}`:                        "an object",
	} {
		var f estimate.Fitted
		err := json.Unmarshal([]byte(text), &f)
		if err == nil {
			_, err = f.On(model())
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}
