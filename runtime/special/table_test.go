package special

import (
	"bufio"
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"
)

// A row of a table: exact arguments, and the value to 30 digits.
type row struct {
	args []float64
	want *big.Float
}

func readTable(t *testing.T, name string) []row {
	t.Helper()
	file, err := os.Open("testdata/" + name + ".tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var rows []row
	for s := bufio.NewScanner(file); s.Scan(); {
		fields := strings.Split(s.Text(), "\t")
		last := len(fields) - 1
		var r row
		for _, f := range fields[:last] {
			x, err := strconv.ParseFloat(f, 64)
			if err != nil {
				t.Fatal(err)
			}
			r.args = append(r.args, x)
		}
		r.want, _, err = big.ParseFloat(fields[last], 10, 120, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		t.Fatalf("%s: empty table", name)
	}
	return rows
}

// difference returns got - want, rounded once.
func difference(got float64, want *big.Float) float64 {
	if math.IsNaN(got) || math.IsInf(got, 0) {
		return math.Inf(1)
	}
	d, _ := new(big.Float).Sub(new(big.Float).SetPrec(120).SetFloat64(got), want).Float64()
	return d
}

// ulp is the distance from |x| to the next larger float64.
func ulp(x float64) float64 {
	x = math.Abs(x)
	return math.Nextafter(x, math.Inf(1)) - x
}

// ulps is the error of got in ulp of want.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	return math.Abs(difference(got, want)) / ulp(w)
}

// checkTable asserts that no row of the table is more than bound off, in the given measure, and reports the worst.
func checkTable(t *testing.T, name string, bound float64, eval func(args []float64) float64,
	measure func(args []float64, got float64, want *big.Float) float64) {
	t.Helper()
	worst, sum := 0.0, 0.0
	var at row
	rows := readTable(t, name)
	for _, r := range rows {
		e := measure(r.args, eval(r.args), r.want)
		if math.IsNaN(e) {
			e = math.Inf(1)
		}
		sum += e
		if !(e <= worst) {
			worst, at = e, r
		}
	}
	t.Logf("%-22s %5d rows, worst error %.2f, mean %.2f", name, len(rows), worst, sum/float64(len(rows)))
	if !(worst <= bound) {
		t.Errorf("%s%v = %v, want %v: error %.2f, bound %.2f", name, at.args, eval(at.args),
			at.want.Text('g', 20), worst, bound)
	}
}

func inUlps(_ []float64, got float64, want *big.Float) float64 { return ulps(got, want) }

func TestTables(t *testing.T) {
	for _, c := range []struct {
		name  string
		f     func(float64) float64
		bound float64
	}{
		{"lgamma", Lgamma, 4},
		{"digamma", Digamma, 4},
		{"trigamma", Trigamma, 3},
		{"tetragamma", Tetragamma, 4},
		{"digammalog", DigammaLog, 3},
		{"trigammainv", TrigammaInv, 4},
		{"tetragammainv2", TetragammaInv2, 4},
		{"erfcx", Erfcx, 4},
		{"ndtr", Ndtr, 4},
		{"logndtr", LogNdtr, 4},
		{"ndtrratio", NdtrRatio, 4},
		{"normalquantile", NormalQuantile, 4},
		{"sigmoid", Sigmoid, 3},
		{"softplus", Softplus, 3},
		{"logsigmoid", LogSigmoid, 3},
		{"logit", Logit, 3},
	} {
		checkTable(t, c.name, c.bound, func(a []float64) float64 { return c.f(a[0]) }, inUlps)
	}
}

func TestDifferenceTables(t *testing.T) {
	for _, c := range []struct {
		name  string
		f     func(x, r float64) float64
		bound float64
	}{
		{"digammadiff_whole", DigammaDiff, 4},
		{"digammadiff_real", DigammaDiff, 4},
		{"digammadiff_far", DigammaDiff, 4},
		{"trigammadiff_whole", TrigammaDiff, 4},
		{"trigammadiff_real", TrigammaDiff, 4},
		{"tetragammadiff_whole", TetragammaDiff, 4},
		{"tetragammadiff_real", TetragammaDiff, 4},
	} {
		checkTable(t, c.name, c.bound, func(a []float64) float64 { return c.f(a[0], a[1]) }, inUlps)
	}
}

// In two words the product near 1 is exact to about 2^-103, and so is its logarithm.
func TestLgammaDiffWholeTable(t *testing.T) {
	measure := func(_ []float64, got float64, want *big.Float) float64 {
		w, _ := want.Float64()
		return math.Abs(difference(got, want)) / ulp(math.Max(math.Abs(w), 0x1p-50))
	}
	checkTable(t, "lgammadiff_whole", 4, func(a []float64) float64 { return LgammaDiff(a[0], a[1]) }, measure)
}

// For fractional x and r < 3 the logarithm crosses 0 within the domain: the error is that of a change of the operands by 4 ulp.
func TestLgammaDiffRealTable(t *testing.T) {
	eval := func(a []float64) float64 { return LgammaDiff(a[0], a[1]) }
	checkTable(t, "lgammadiff_real", 4, eval, lgammaDiffError)
	checkTable(t, "lgammadiff_far", 4, eval, lgammaDiffError)
}

func lgammaDiffError(a []float64, got float64, want *big.Float) float64 {
	x, r := a[0], a[1]
	if r >= tailFrom {
		return ulps(got, want)
	}
	w, _ := want.Float64()
	size := math.Max(math.Abs(w), math.Abs(x*Digamma(x+r))+r*DigammaDiff(x, r)) // the value times its condition number
	return math.Abs(difference(got, want)) / ulp(size)
}

// Both results at once are those of the two functions, to the last bit or nearly so.
func TestLgammaDigammaDiffTables(t *testing.T) {
	for _, name := range []string{"lgammadiff_whole", "lgammadiff_real"} {
		for _, r := range readTable(t, name) {
			l, d := LgammaDigammaDiff(r.args[0], r.args[1])
			wantL, wantD := LgammaDiff(r.args[0], r.args[1]), DigammaDiff(r.args[0], r.args[1])
			if !(math.Abs(l-wantL) <= 2*ulp(wantL) && math.Abs(d-wantD) <= 2*ulp(wantD)) {
				t.Errorf("LgammaDigammaDiff%v = %v, %v, want %v, %v", r.args, l, d, wantL, wantD)
			}
		}
	}
}
