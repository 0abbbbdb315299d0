package main

import (
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/internal/librarytest"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// moments are functions of a row and of the one behind it, whose means are known in closed form.
type moments struct {
	set  []estimate.Value
	of   func(x, next float64) []float64
	want []float64
}

func number(name string, x float64) estimate.Value { return estimate.Value{Name: name, Value: x} }

func vector(name string, x ...float64) estimate.Value {
	return estimate.Value{Name: name, Shape: []int{len(x)}, Entries: x}
}

func matrix(name string, x ...float64) estimate.Value {
	d := int(math.Sqrt(float64(len(x))))
	return estimate.Value{Name: name, Shape: []int{d, d}, Entries: x}
}

// products are the powers up to the second of a row, and its products with the next.
func products(x, next float64) []float64 { return []float64{x, x * x, x * next} }

var drawn = map[string]moments{
	"autoregression": {
		[]estimate.Value{number("mu", 1), number("phi", 0.7), number("sigma2", 2)}, products,
		[]float64{1, 1 + 2/(1-0.49), 1 + 0.7*2/(1-0.49)},
	},
	// Bollerslev (1986), Generalized autoregressive conditional heteroskedasticity, theorem 2, and the autocovariance of squares that
	// follows from x^2 being an ARMA(1,1) process (the same, section 4).
	"garch": {
		[]estimate.Value{number("mu", 0), number("sigma2", 1.5), vector("a", 0.1, 0.6, 0.3)},
		func(x, next float64) []float64 { return []float64{x, x * x, x * next, x * x * next * next} },
		[]float64{0, 1.5, 0, 1.5*1.5 + squaresOfGARCH(1.5, 0.1, 0.6)},
	},
	// A chain whose shares of the states are 2/3 and 1/3, and which keeps a difference of the states with a factor 0.7.
	"hiddenpoisson": {
		[]estimate.Value{number("stay1", 0.9), number("stay2", 0.8), vector("rate", 2, 8)}, products,
		[]float64{4, 4 + 2.0/3*4 + 1.0/3*64, 16 + 0.7*2.0/9*36},
	},
	// A chain that stays with probability 0.8 and goes to each of two others with 0.1: shares 1/3, and differences are kept with a factor 0.7.
	"poissonhmm": {
		[]estimate.Value{matrix("P", 0.8, 0.1, 0.1, 0.1, 0.8, 0.1, 0.1, 0.1, 0.8), vector("rate", 2, 5, 11)}, products,
		[]float64{6, 6 + 50, 36 + 0.7*14},
	},
	// Two states that are left with probability 0.1: shares 1/2, and differences are kept with a factor 0.8.
	"normalhmm": {
		[]estimate.Value{matrix("P", 0.9, 0.1, 0.1, 0.9), vector("mu", 1, 3), vector("sigma", 1, 2)}, products,
		[]float64{2, 5 + 2.5, 4 + 0.8},
	},
	// What a row changes: the step and the difference of two errors.
	"locallevel": {
		[]estimate.Value{number("level", 3), number("spread2", 0.5), number("error2", 2), number("step2", 0.5)},
		func(x, next float64) []float64 { return []float64{next - x, (next - x) * (next - x)} },
		[]float64{0, 0.5 + 2*2},
	},
}

// squaresOfGARCH is the covariance of the squares of two rows that follow each other.
func squaresOfGARCH(sigma2, alpha, beta float64) float64 {
	sum := alpha + beta
	kurtosis := 3 * (1 - sum*sum) / (1 - sum*sum - 2*alpha*alpha)
	correlation := alpha * (1 - sum*beta) / (1 - 2*alpha*beta - beta*beta)
	return sigma2 * sigma2 * (kurtosis - 1) * correlation
}

// TestDrawn: the moments of rows that are drawn are those that are known.
func TestDrawn(t *testing.T) {
	const rows, parts = 200_000, 50
	for name, m := range drawn {
		for engine, make := range map[string]func() runtime.Model{"interpreted": librarytest.Interpreted(t, name)} {
			draws, err := estimate.Sample(make(), estimate.SampleRequest{Rows: rows, Seed: 7, Set: m.set})
			if err != nil {
				t.Fatal(err)
			}
			x := draws.Values
			for k, want := range m.want {
				var means [parts]float64 // of long stretches, which hardly depend on each other
				for i := range rows - 1 {
					means[i*parts/rows] += m.of(x[i], x[i+1])[k] * parts / rows
				}
				mean, squares := 0.0, 0.0
				for _, v := range means {
					mean += v / parts
				}
				for _, v := range means {
					squares += (v - mean) * (v - mean)
				}
				if off := math.Sqrt(squares / (parts - 1) / parts); math.Abs(mean-want) > 5*off {
					t.Errorf("%s, %s: moment %d is %v, want %v, standard error %v", name, engine, k+1, mean, want, off)
				}
			}
		}
	}
}

// TestRefitted: fits of series that were drawn find the parameters again, within four of their standard errors.
func TestRefitted(t *testing.T) {
	for name, m := range drawn {
		newModel := librarytest.Interpreted(t, name)
		draws, err := estimate.Sample(newModel(), estimate.SampleRequest{Rows: 3000, Seed: 11, Set: m.set})
		if err != nil {
			t.Fatal(err)
		}
		model := newModel()
		if err := model.SetData(runtime.Data{Values: draws.Values, Columns: 1}); err != nil {
			t.Fatal(err)
		}
		report, err := estimate.Fit(t.Context(), model, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, set := range m.set {
			if set.Name == "level" || set.Name == "spread2" {
				continue // known numbers in the problem, which the first row alone shows
			}
			checkRefit(t, name, set, report)
		}
	}
}

func checkRefit(t *testing.T, name string, set estimate.Value, report *estimate.Report) {
	t.Helper()
	entries := func(values estimate.Values) []float64 {
		for _, v := range values {
			switch {
			case v.Name == set.Name && v.Shape == nil:
				return []float64{v.Value}
			case v.Name == set.Name:
				return v.Entries
			}
		}
		t.Fatalf("%s: nothing is said of %s", name, set.Name)
		return nil
	}
	want := set.Entries
	if set.Shape == nil {
		want = []float64{set.Value}
	}
	got, se := entries(report.Estimate), entries(report.StdErr)
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 4*se[i]) {
			t.Errorf("%s: %s[%d] is %v, drawn with %v, standard error %v", name, set.Name, i+1, got[i], want[i], se[i])
		}
	}
}
