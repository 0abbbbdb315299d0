package variational_test

import (
	"math"
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
	a, err := estimate.Approximate(t.Context(), m, nil)
	if err != nil {
		t.Fatal(err)
	}
	fresh := runtime.Data{Columns: d + 1}
	for i := range 4 { // what stands in the place of y does not matter
		fresh.Values = append(append(fresh.Values, rows[i*d:(i+1)*d]...), 0)
	}
	predicted, err := linearregression.New(fresh)
	if err != nil {
		t.Fatal(err)
	}
	f, err := estimate.PredictPosterior(t.Context(), predicted, a.Point(), &estimate.ForecastSettings{Levels: []float64{0.025, 0.5, 0.975}, By: keep})
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
	if f.Rows != 4 || len(f.Columns) != 1 || f.Columns[0] != "y" {
		t.Fatalf("%d rows of %v", f.Rows, f.Columns)
	}
	for i := range f.Rows {
		row := mat.NewVecDense(d, rows[i*d:(i+1)*d])
		want, deviation := mat.Dot(row, &mean), math.Sqrt(mat.Inner(row, &c, row)+1)
		margin := 5 * deviation / math.Sqrt(keep)
		low, median, high := f.Quantiles[3*i], f.Quantiles[3*i+1], f.Quantiles[3*i+2]
		if math.Abs(f.Mean[i]-want) > margin || math.Abs(median-want) > 2*margin || math.Abs(f.SD[i]-deviation) > margin ||
			math.Abs(high-want-1.96*deviation) > 4*margin || math.Abs(low-want+1.96*deviation) > 4*margin {
			t.Errorf("row %d: mean %v, deviation %v, quantiles %v %v %v, not %v with deviation %v", i+1, f.Mean[i], f.SD[i], low, median, high, want, deviation)
		}
	}
}
