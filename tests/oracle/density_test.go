package oracle_test

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/generated/negbin"
	"github.com/sngdgen/sngdgen/spec"
)

// TestLargeR compares the generated log-density of the negative binomial with values of 60 digits, up to r = 1e15.
//
// Terms of the density cancel however they are computed: x log(1 - s) against lgamma(x + r) - lgamma(r), and the
// density itself is small in the tails. So the error is relative to the sum of the terms' magnitudes, each as a
// difference: what cannot be lost by rounding. lgamma(x + r) and lgamma(r) apart have 3e16 at r = 1e15.
func TestLargeR(t *testing.T) {
	d := derived(t, spec.Library().Problem("negbin"))
	worst, naive := 0.0, 0.0
	for _, row := range table(t, "testdata/negbin.tsv") {
		x, r, s, want := row[0], row[1], row[2], row[3]
		rising := rising(x, r)
		factorial, _ := math.Lgamma(x + 1)
		scale := math.Abs(rising) + factorial + math.Abs(x*math.Log1p(-s)) + math.Abs(r*math.Log(s)) + math.Abs(want)
		got := negbin.LogDensity(x, negbin.Theta{R: r, S: s})
		e := math.Abs(got-want) / scale
		if worst = max(worst, e); !(e <= 1e-15) {
			t.Errorf("x = %v, r = %v, s = %v: log-density %.17g, want %.17g: %.1e of %v", x, r, s, got, want, e, scale)
		}
		env := eval.Scalars(map[string]float64{"theta.r": r, "theta.s": s})
		env.Symbols[d.Problem.Target.Variable.Sym.Name] = eval.Value{Rows: []float64{x}}
		v, err := eval.All([]*expr.Node{d.LogDensity, d.Problem.Target.LogPDF}, env)
		if err != nil {
			t.Fatal(err)
		}
		if !near(v[0].Rows[0], got, scale, 1e-15) {
			t.Errorf("x = %v, r = %v, s = %v: interpreted %v, generated %v", x, r, s, v[0].Rows[0], got)
		}
		naive = max(naive, math.Abs(v[1].Rows[0]-want)/scale)
	}
	t.Logf("largest error %.1e of the terms; as the spec has it %.1e", worst, naive)
	if naive < 1e-3 {
		t.Error("the formula of the spec is accurate by itself: the table does not test what it is for")
	}
}

// rising is lgamma(x + r) - lgamma(r) for whole x, as a sum.
func rising(x, r float64) float64 {
	sum := 0.0
	for k := range int(x) {
		sum += math.Log(r + float64(k))
	}
	return sum
}

// TestPoissonLimit: with a fixed mean, the negative binomial is the Poisson distribution as r grows, with a relative
// difference of order x^2/r. The distance from it must shrink like 1/r until only rounding is left.
func TestPoissonLimit(t *testing.T) {
	const mean = 6.5
	for _, x := range []float64{0, 1, 6, 30} {
		factorial, _ := math.Lgamma(x + 1)
		for r := 1e8; r <= 1e15; r *= 10 {
			// s is rounded to a multiple of 2^-53: take the mean that it stands for.
			s := r / (r + mean)
			m := r * (1 - s) / s
			limit := x*math.Log(m) - m - factorial
			got := negbin.LogDensity(x, negbin.Theta{R: r, S: s})
			if e := math.Abs(got - limit); e > (x*x+mean*mean+1)/r+1e-15*(x*math.Log(r)*2+mean) {
				t.Errorf("x = %v, r = %v: log-density %v, Poisson %v (difference %.1e)", x, r, got, limit, e)
			}
		}
	}
}

// table reads tab-separated numbers.
func table(t *testing.T, name string) [][]float64 {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows [][]float64
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		var row []float64
		for _, field := range strings.Split(lines.Text(), "\t") {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil || len(rows) == 0 {
		t.Fatalf("%s: %d rows, %v", name, len(rows), err)
	}
	return rows
}
