package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/engine"
	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/ep"
	"github.com/sngdgen/sngdgen/spec"
)

// modelOf is a problem of the library on data of tests/rivals/posteriors, with the columns of the coefficients multiplied.
func modelOf(t *testing.T, name, data string, scale float64) ep.Model {
	t.Helper()
	f, err := os.Open(filepath.Join("../posteriors/testdata", data+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	d := runtime.Data{Columns: len(rows[0])}
	for _, row := range rows[1:] {
		for j, text := range row {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(rows[0][j], "y") {
				x *= scale
			}
			d.Values = append(d.Values, x)
		}
	}
	newModel, ok := generated.Lookup(name)
	if !ok {
		newModel = interpreted(t, name)
	}
	m := newModel().(ep.Model)
	if err := m.SetData(d); err != nil {
		t.Fatal(err)
	}
	return m
}

// interpreted is what makes models of a spec beside this test, whose prior has its constant, so that there is an evidence.
func interpreted(t *testing.T, name string) func() runtime.Model {
	t.Helper()
	file, diags := spec.LoadFile(filepath.Join("specs", name+".yaml"))
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	m, diags, unsupported := engine.Interpreted(t.Context(), file.Problems[0], gen.Options{})
	if diags.HasErrors() || unsupported != nil {
		t.Fatal(diags.String(), unsupported)
	}
	return m
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.10g, want %.10g to %.1g", what, got, want, tolerance)
	}
}

// Moments and evidence are those of a dense implementation by the book, at powers 1 and 1/2.
func TestByTheBook(t *testing.T) {
	var known answers
	if err := read("oracle.json", &known); err != nil {
		t.Fatal(err)
	}
	if len(known.EP) != 10 {
		t.Fatalf("%d answers", len(known.EP))
	}
	for _, a := range known.EP {
		t.Run(fmt.Sprint(a.Case, " ", a.Power), func(t *testing.T) {
			r, err := ep.Run(t.Context(), modelOf(t, a.Model, a.Data, a.Scale), ep.Settings{Power: a.Power, Tolerance: 1e-8})
			if err != nil || !r.Converged {
				t.Fatal(r, err)
			}
			near(t, "log evidence", r.LogEvidence, a.LogEvidence, 1e-6)
			for i, sd := range a.SD {
				near(t, fmt.Sprint("mean ", i), r.Mean[i], a.Mean[i], 1e-6*sd)
				near(t, fmt.Sprint("standard deviation ", i), math.Sqrt(r.Covariance[i*len(a.SD)+i]), sd, 1e-6*sd)
			}
		})
	}
}

// Classification by a Gaussian process has the moments of the latent function and the evidence that GPy finds.
func TestGPy(t *testing.T) {
	var known answers
	if err := read("oracle.json", &known); err != nil {
		t.Fatal(err)
	}
	m := modelOf(t, "probit", "gaussianprocess", 2)
	r, err := ep.Run(t.Context(), m, ep.Settings{Power: 1, Tolerance: 1e-9})
	if err != nil || !r.Converged {
		t.Fatal(r, err)
	}
	near(t, "log evidence", r.LogEvidence, known.GPy.LogEvidence, 1e-6)
	d, n, _ := m.FactorSizes()
	if n != len(known.GPy.Mean) {
		t.Fatal(n)
	}
	a, w := make([]float64, n*d), make([]float64, n)
	m.Coefficients(a, w)
	for i := range n {
		row := a[i*d : (i+1)*d]
		mean, variance := 0.0, 0.0
		for j, x := range row {
			mean += x * r.Mean[j]
			for k, y := range row {
				variance += x * y * r.Covariance[j*d+k]
			}
		}
		near(t, "mean", mean, known.GPy.Mean[i], 1e-5)
		near(t, "standard deviation", math.Sqrt(variance), known.GPy.SD[i], 1e-5)
	}
}
