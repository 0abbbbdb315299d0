package variational_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/generated/linearregression"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// TestUnseen: the predictive distribution of a linear regression at rows that were not observed is normal with mean x'm and variance
// x'C x + 1, where m and C are the moments of the posterior: C = inv(X'X + I), m = C X'y.
func TestUnseen(t *testing.T) {
	const n, d, keep = 30, 3, 20_000
	rng := runtime.Stream(2, "unseen")
	x, y := mat.NewDense(n, d, nil), mat.NewVecDense(n, nil)
	var data runtime.Data
	for i := range n {
		sum := rng.NormFloat64()
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
			sum += x.At(i, j) * float64(j-1)
		}
		y.SetVec(i, sum)
		data.Values = append(append(data.Values, x.RawRowView(i)...), sum)
	}
	data.Columns = d + 1
	m, err := linearregression.New(data)
	if err != nil {
		t.Fatal(err)
	}
	rows := []float64{1, 0, 0, 0.5, -2, 1, 0, 0, 0, 3, 3, -3}
	a, err := estimate.Approximate(t.Context(), m, &estimate.Settings{Variational: estimate.Variational{Keep: keep, Unseen: &estimate.Unseen{Columns: d, Values: rows}}})
	if err != nil {
		t.Fatal(err)
	}
	var precision, c mat.Dense
	precision.Mul(x.T(), x)
	for j := range d {
		precision.Set(j, j, precision.At(j, j)+1)
	}
	if err := c.Inverse(&precision); err != nil {
		t.Fatal(err)
	}
	var mean, xy mat.VecDense
	xy.MulVec(x.T(), y)
	mean.MulVec(&c, &xy)
	if len(a.Predictions) != 4 {
		t.Fatalf("%d predictions", len(a.Predictions))
	}
	for i, p := range a.Predictions {
		row := mat.NewVecDense(d, rows[i*d:(i+1)*d])
		want, deviation := mat.Dot(row, &mean), math.Sqrt(mat.Inner(row, &c, row)+1)
		margin := 5 * deviation / math.Sqrt(keep)
		if p.Row != i+1 || p.Name != "y" || p.Entry != 0 || math.Abs(float64(p.Mean)-want) > margin || math.Abs(float64(p.Median)-want) > 2*margin ||
			math.Abs(float64(p.Deviation)-deviation) > margin || math.Abs(float64(p.High)-want-1.96*deviation) > 4*margin ||
			math.Abs(float64(p.Low)-want+1.96*deviation) > 4*margin {
			t.Errorf("row %d: %+v, not %v with deviation %v", i+1, p, want, deviation)
		}
	}
}

// TestUnseenFaults: rows that cannot be predicted are refused, with a reason.
func TestUnseenFaults(t *testing.T) {
	m, err := linearregression.New(runtime.Data{Values: []float64{1, 2, 3, 4, 5, 6}, Columns: 3})
	if err != nil {
		t.Fatal(err)
	}
	for want, v := range map[string]estimate.Variational{
		"have 3 columns, not 2":     {Keep: 5, Unseen: &estimate.Unseen{Columns: 3, Values: []float64{1, 2, 3}}},
		"3 numbers are no rows":     {Keep: 5, Unseen: &estimate.Unseen{Columns: 2, Values: []float64{1, 2, 3}}},
		"0 numbers are no rows":     {Keep: 5, Unseen: &estimate.Unseen{Columns: 2}},
		"and none is":               {Unseen: &estimate.Unseen{Columns: 2, Values: []float64{1, 2}}},
		"X = NaN is not a finite":   {Keep: 5, Unseen: &estimate.Unseen{Columns: 2, Values: []float64{math.NaN(), 2}}},
		"more than there is memory": {Keep: 1 << 30, Unseen: &estimate.Unseen{Columns: 2, Values: []float64{1, 2}}},
	} {
		a, err := estimate.Approximate(t.Context(), m, &estimate.Settings{Variational: v})
		text := ""
		if err != nil {
			text = err.Error()
		}
		if a != nil {
			text += strings.Join(a.Warnings, "; ")
		}
		if !strings.Contains(text, want) {
			t.Errorf("%q, without %q", text, want)
		}
	}
}
