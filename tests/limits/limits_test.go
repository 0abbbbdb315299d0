// Package limits tests the suprema of likelihoods outside the parameters: against convex hulls, closed forms, each other under
// changes of units, and the likelihood itself on the way there.
package limits

import (
	"bufio"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/internal/librarytest"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/limit"
	"github.com/sngdgen/sngdgen/spec"
)

// The limits of the library, by problem.
func TestLibraryHasTheseLimits(t *testing.T) {
	want := map[string]string{
		"negbin": "poisson", "negbinnat": "poisson", "studentt": "normal", "mvstudentt": "normal", "mvstudenttnat": "normal",
		"tcopula": "gaussian_copula", "tcopulanat": "gaussian_copula", "skewnormal": "half_normal", "skewnormalnat": "half_normal",
		"skewt": "skew_normal half_t half_normal", "skewtnat": "skew_normal half_t half_normal",
	}
	for _, name := range spec.Library().Compiled() { // interpreted models have the method, and none
		m := model(t, name)
		var limits []string
		for _, l := range m.Info().Limits {
			limits = append(limits, l.Name)
		}
		if got := strings.Join(limits, " "); got != want[name] {
			t.Errorf("%s has the limits %q, want %q", name, got, want[name])
		}
		if _, ok := m.(runtime.Limiting); ok != (want[name] != "") {
			t.Errorf("%s: Limiting %v", name, ok)
		}
	}
}

// TestSkewNormalAgainstHulls: the supremum at infinite slant belongs to the nearest facet of the convex hull, here found by
// scipy (testdata/hull.py).
func TestSkewNormalAgainstHulls(t *testing.T) {
	eachReference(t, "hull.tsv", func(what string, data runtime.Data, want float64) {
		got := supremum(t, "skewnormal", 0, data)
		if off := math.Abs(-got.Loss - want); !(off <= 1e-10*math.Abs(want)) {
			t.Errorf("%s: %.15g, want %.15g; %d searches, %d optima, %d times the best", what, -got.Loss, want, got.Searches, got.Optima, got.Times)
		}
	})
}

// TestSkewTAgainstFolded: in one dimension the supremum at infinite slant is that of half of a t distribution that ends at
// the smallest or the largest value (testdata/half_t.py).
func TestSkewTAgainstFolded(t *testing.T) {
	eachReference(t, "half_t.tsv", func(what string, data runtime.Data, want float64) {
		got := supremum(t, "skewt", 1, data)
		if off := math.Abs(-got.Loss - want); !(off <= 1e-8*math.Abs(want)) {
			t.Errorf("%s: %.15g, want %.15g; %v", what, -got.Loss, want, got.Parameters)
		}
	})
}

// TestClosedForms: the suprema of limits that are exponential families.
func TestClosedForms(t *testing.T) {
	counts := []float64{5, 9, 5, 6, 2, 3, 2, 3, 6, 3}
	lambda, want := 4.4, 0.0
	for _, x := range counts {
		log, _ := math.Lgamma(x + 1)
		want += (x*math.Log(lambda) - lambda - log) / 10
	}
	got := supremum(t, "negbin", 0, runtime.Data{Values: counts})
	if math.Abs(-got.Loss-want) > 1e-12 || math.Abs(got.Parameters[0]-lambda) > 1e-7 {
		t.Errorf("Poisson: %v at %v, want %v at %v", -got.Loss, got.Parameters, want, lambda)
	}
	x := []float64{1, 2, 4, 8, 3.5, -7}
	got = supremum(t, "studentt", 0, runtime.Data{Values: x})
	mean, variance := 0.0, 0.0
	for _, v := range x {
		mean += v / 6
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / 6
	}
	if want := -math.Log(2*math.Pi*math.E*variance) / 2; math.Abs(-got.Loss-want) > 1e-12 {
		t.Errorf("normal: %v, want %v", -got.Loss, want)
	}
}

// TestUnits: of data A x + b the supremum of a mean log-density of x is less by log|A|.
func TestUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const rows, d = 80, 3
	x, y := make([]float64, rows*d), make([]float64, rows*d)
	for i := range x {
		x[i] = math.Abs(rng.NormFloat64()) / math.Sqrt(0.2+rng.ExpFloat64())
	}
	a := [d][d]float64{{1000, 20, -300}, {0, 0.01, 0.004}, {0, 0, 3}} // upper triangular
	for i := range rows {
		for j := range d {
			y[i*d+j] = []float64{5e4, -1, 0}[j]
			for k := range d {
				y[i*d+j] += a[j][k] * x[i*d+k]
			}
		}
	}
	logA := math.Log(1000 * 0.01 * 3)
	for _, name := range []string{"skewnormal", "skewt", "mvstudentt"} {
		one, other := best(t, name, runtime.Data{Values: x, Columns: d}), best(t, name, runtime.Data{Values: y, Columns: d})
		if off := math.Abs(one.Loss + logA - other.Loss); !(off <= 1e-9) {
			t.Errorf("%s: %.12g, in other units %.12g, off by %.2g", name, one.Loss, other.Loss-logA, off)
		}
	}
}

// TestWeights: weights are repeated rows, and rows of weight 0 do not bear the plane that supports the data.
func TestWeights(t *testing.T) {
	x := []float64{1, 2, 4, 8, 3.5, -7, 2.5}
	for _, name := range []string{"skewnormal", "skewt", "studentt"} {
		weighted := runtime.Data{Values: x, Weights: []float64{2, 1, 1, 1, 3, 0, 1}, Columns: 1}
		repeated := runtime.Data{Values: []float64{1, 1, 2, 4, 8, 3.5, 3.5, 3.5, 2.5}, Columns: 1}
		if a, b := best(t, name, weighted), best(t, name, repeated); math.Abs(a.Loss-b.Loss) > 1e-9 {
			t.Errorf("%s: %v with weights, %v with repeated rows", name, a.Loss, b.Loss)
		}
	}
}

// TestOnTheWay: the likelihood of the target comes close to the supremum.
func TestOnTheWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	x := make([]float64, 60*2)
	for i := range x {
		x[i] = rng.ExpFloat64()
	}
	for name, limits := range map[string]int{"skewnormal": 1, "skewt": 3} {
		for i := range limits {
			data := runtime.Data{Values: x, Columns: 2}
			m := with(t, name, data)
			got := supremum(t, name, i, data)
			theta := make([]float64, 2+4+2+1)[:length(m)]
			off := math.Inf(1)
			for scale := 10.0; scale < 1e13; scale *= 10 {
				m.(runtime.Limiting).LimitPath(theta, got.Parameters, i, scale)
				loss := m.(runtime.Objective).ThetaGradient(make([]float64, len(theta)), theta)
				off = min(off, math.Abs(loss-got.Loss))
			}
			if !(off < 1e-5) {
				t.Errorf("%s, limit %d: no closer than %.2g to the supremum %v", name, i, off, -got.Loss)
			}
		}
	}
}

// TestUndefined: data in a plane have no covariance matrix.
func TestUndefined(t *testing.T) {
	m := with(t, "skewnormal", runtime.Data{Values: []float64{1, 2, 2, 4, 3, 6, 4, 8}, Columns: 2})
	if _, err := limit.Supremum(context.Background(), m, 0, nil); !errors.Is(err, limit.ErrUndefined) {
		t.Error(err)
	}
	if _, err := limit.Supremum(context.Background(), m, 1, nil); err == nil || errors.Is(err, limit.ErrUndefined) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m = with(t, "skewnormal", runtime.Data{Values: []float64{1, 2, 2, 5, 3, 6, 4, 8}, Columns: 2})
	if _, err := limit.Supremum(ctx, m, 0, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestBetterLimitsAreNotAbandoned: a limit that is better than the loss to beat, or as good, is found as without one, however impatient the search is.
func TestBetterLimitsAreNotAbandoned(t *testing.T) {
	for _, table := range []struct {
		name, problem string
		limit         int
	}{{"hull.tsv", "skewnormal", 0}, {"half_t.tsv", "skewt", 1}} {
		eachReference(t, table.name, func(what string, data runtime.Data, _ float64) {
			want := supremum(t, table.problem, table.limit, data)
			for _, above := range []float64{0, 1e-3, 1} {
				beat := want.Loss + above
				got, err := limit.Supremum(context.Background(), with(t, table.problem, data), table.limit, &limit.Settings{Beat: &beat, Patience: 1})
				if err != nil || got.Abandoned || !(math.Abs(got.Loss-want.Loss) <= 1e-9*(1+math.Abs(want.Loss))) {
					t.Errorf("%s: %+v (%v), not %v", what, got, err, want.Loss)
				}
			}
		})
	}
}

// TestFinished: a limit that is given up since it does not come near is searched to its end where that is asked for, unless the data are many.
func TestFinished(t *testing.T) {
	const columns = 3
	for _, rows := range []int{500, 20_000} {
		m, finish, beat := with(t, "skewnormal", runtime.Data{Values: folded(rows, columns), Columns: columns}), rows == 500, -100.0
		given, err := limit.Supremum(context.Background(), m, 0, &limit.Settings{Beat: &beat, Patience: 1, Searches: 1})
		if err != nil {
			t.Fatal(err)
		}
		got, err := limit.Supremum(context.Background(), m, 0, &limit.Settings{Beat: &beat, Patience: 1, Searches: 1, Finish: true})
		if err != nil || !given.Abandoned || got.Abandoned == finish || got.Loss < given.Loss != finish {
			t.Errorf("%d rows: %+v (%v), given up at %v", rows, got, err, given.Loss)
		}
		if !finish {
			continue
		}
		end, err := limit.Supremum(context.Background(), m, 0, &limit.Settings{Searches: 1})
		if err != nil || !(math.Abs(got.Loss-end.Loss) <= 1e-9) {
			t.Errorf("%v, and in one go %v (%v)", got.Loss, end, err)
		}
	}
}

// folded are rows of numbers that are mostly positive.
func folded(rows, columns int) []float64 {
	rng, x := rand.New(rand.NewPCG(1, 2)), make([]float64, rows*columns)
	for i := range x {
		x[i] = math.Abs(rng.NormFloat64()) + 0.3*rng.NormFloat64()
	}
	return x
}

// TestNear: one search that begins near parameters of the target on the way to a limit finds its supremum there.
func TestNear(t *testing.T) {
	for _, table := range []struct {
		name, problem string
		limit         int
	}{{"hull.tsv", "skewnormal", 0}, {"half_t.tsv", "skewt", 1}} {
		eachReference(t, table.name, func(what string, data runtime.Data, _ float64) {
			want := supremum(t, table.problem, table.limit, data)
			m, n := with(t, table.problem, data), 0
			for i := range m.Info().Parameters {
				n += m.Info().Parameters[i].Len(m)
			}
			near := make([]float64, n)
			m.(runtime.Limiting).LimitPath(near, want.Parameters, table.limit, 1e4)
			got, err := limit.Supremum(context.Background(), m, table.limit, &limit.Settings{Near: near, Searches: 1})
			if err != nil || got.Searches != 1 || !(math.Abs(got.Loss-want.Loss) <= 1e-6*(1+math.Abs(want.Loss))) {
				t.Errorf("%s: %+v (%v), not %v", what, got, err, want.Loss)
			}
		})
	}
}

// TestSamples: a sample that does not tell whether the limit is better is followed by a larger one.
func TestSamples(t *testing.T) {
	const rows, columns, some = 4000, 10, 400
	rng := rand.New(rand.NewPCG(3, 4))
	m := with(t, "skewnormal", runtime.Data{Values: folded(rows, columns), Columns: columns})
	order, beat := rng.Perm(rows), -100.0
	var asked []int
	sample := func(times int) *limit.Sample {
		asked = append(asked, times)
		part := m.Clone()
		if err := part.(runtime.Batcher).Batch(order[:some*times]); err != nil {
			t.Fatal(err)
		}
		out := &limit.Sample{Model: part, Rows: some * times, Beat: beat}
		if times == 1 {
			out.Beat = 100 // any limit is better
		}
		return out
	}
	got, err := limit.Supremum(context.Background(), m, 0, &limit.Settings{Beat: &beat, Patience: 1, Sample: sample})
	if err != nil || !got.Abandoned || !slices.Equal(asked, []int{1, 4}) {
		t.Errorf("%+v, %v, from samples of %v times the smallest", got, err, asked)
	}
}

// TestSample: a limit that a sample of the rows shows to be far below the maximum is given up, with a loss on all rows; any other is searched to its end, as without one.
func TestSample(t *testing.T) {
	const rows, columns, some = 3000, 10, 1000
	rng, data := rand.New(rand.NewPCG(3, 4)), runtime.Data{Values: folded(rows, columns), Columns: columns}
	want := supremum(t, "skewnormal", 0, data)
	part := with(t, "skewnormal", data)
	if err := part.(runtime.Batcher).Batch(rng.Perm(rows)[:some]); err != nil {
		t.Fatal(err)
	}
	few, err := limit.Supremum(context.Background(), part, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, below := range []float64{1, 0, -1e-3, -1} {
		beat := want.Loss - below
		sample := func(times int) *limit.Sample {
			if times > 1 {
				return nil
			}
			return &limit.Sample{Model: part, Rows: some, Beat: few.Loss - below}
		}
		got, err := limit.Supremum(context.Background(), with(t, "skewnormal", data), 0, &limit.Settings{Beat: &beat, Patience: 1, Sample: sample})
		switch {
		case err != nil:
			t.Error(err)
		case below == 1 && !(got.Abandoned && got.Loss >= want.Loss-1e-9 && got.Evaluations < want.Evaluations):
			t.Errorf("%+v after %+v", got, want)
		case below < 1 && (got.Abandoned || !(got.Loss <= want.Loss+1e-9*(1+math.Abs(want.Loss)))):
			t.Errorf("maximum %v below: %+v, not %v", -below, got, want.Loss)
		}
	}
}

func model(t *testing.T, name string) runtime.Model {
	t.Helper()
	create := librarytest.Model(t, name)
	return create()
}

func with(t *testing.T, name string, d runtime.Data) runtime.Model {
	t.Helper()
	m := model(t, name)
	if err := m.SetData(d); err != nil {
		t.Fatal(err)
	}
	return m
}

func supremum(t *testing.T, name string, index int, d runtime.Data) *limit.Result {
	t.Helper()
	got, err := limit.Supremum(context.Background(), with(t, name, d), index, nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return got
}

// best is the supremum of all limits of a problem. One whose own supremum is at infinity comes near only slowly; the spec has
// that as a limit of its own.
func best(t *testing.T, name string, d runtime.Data) *limit.Result {
	t.Helper()
	var out *limit.Result
	for i := range model(t, name).Info().Limits {
		if got := supremum(t, name, i, d); out == nil || got.Loss < out.Loss {
			out = got
		}
	}
	return out
}

// length is the number of entries of the target's parameters.
func length(m runtime.Model) int {
	n := 0
	for i := range m.Info().Parameters {
		n += m.Info().Parameters[i].Len(m)
	}
	return n
}

// eachReference calls f with the columns of a data set that a line of a table names, and its value.
func eachReference(t *testing.T, name string, f func(what string, d runtime.Data, want float64)) {
	t.Helper()
	tables := map[string][][]float64{}
	for _, row := range lines(t, name)[1:] {
		fields := strings.Split(row, "\t")
		if tables[fields[0]] == nil {
			tables[fields[0]] = table(t, fields[0]+".csv")
		}
		var columns []int
		for _, c := range strings.Fields(fields[1]) {
			i, err := strconv.Atoi(c)
			if err != nil {
				t.Fatal(err)
			}
			columns = append(columns, i)
		}
		want, err := strconv.ParseFloat(fields[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		f(fields[0]+" "+fields[1], runtime.Data{Values: choose(tables[fields[0]], columns), Columns: len(columns)}, want)
	}
}

func lines(t *testing.T, name string) []string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []string
	for s := bufio.NewScanner(f); s.Scan(); {
		out = append(out, s.Text())
	}
	return out
}

func table(t *testing.T, name string) [][]float64 {
	t.Helper()
	var out [][]float64
	for _, line := range lines(t, name) {
		var row []float64
		for _, cell := range strings.Split(line, ",") {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		out = append(out, row)
	}
	return out
}

// choose lists the given columns of a table, row by row.
func choose(rows [][]float64, columns []int) []float64 {
	var out []float64
	for _, row := range rows {
		for _, c := range columns {
			out = append(out, row[c])
		}
	}
	return out
}
