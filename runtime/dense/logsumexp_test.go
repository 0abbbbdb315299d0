package dense

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// blockOf fills a block of terms, b rows of k components, by draw.
func blockOf(b, k int, draw func() float64) []float64 {
	terms := make([]float64, b*k)
	for i := range terms {
		terms[i] = draw()
	}
	return terms
}

// rowOf takes row i out of a block.
func rowOf(block []float64, i, b, k int) []float64 {
	row := make([]float64, k)
	for c := range row {
		row[c] = block[c*b+i]
	}
	return row
}

// reference returns log sum exp of a row and the shares of its terms.
func reference(row []float64) (log *big.Float, shares []*big.Float) {
	m := slices.Max(row)
	sum := number(0)
	for _, t := range row {
		e := number(0)
		if t-m > -1e4 {
			e = bigExp(new(big.Float).Sub(number(t), number(m)))
		}
		shares = append(shares, e)
		sum.Add(sum, e)
	}
	for _, e := range shares {
		e.Quo(e, sum)
	}
	return new(big.Float).Add(number(m), bigLog(sum)), shares
}

// checkRow compares a row with the reference. A term's distance from the maximum is rounded, which its exponential
// passes on: that is what the distance in the bound of a share stands for.
func checkRow(t *testing.T, row []float64, got float64, resp []float64) {
	t.Helper()
	log, shares := reference(row)
	off, _ := new(big.Float).Sub(number(got), log).Float64()
	want, _ := log.Float64()
	if size := max(1, math.Abs(want)); !(math.Abs(off) <= (2+float64(len(row)))*0x1p-53*size) {
		t.Fatalf("%v: the logarithm is %v, off by %g", row, got, off)
	}
	m := slices.Max(row)
	for c, share := range shares {
		off, _ := new(big.Float).Sub(number(resp[c]), share).Float64()
		s, _ := share.Float64()
		bound := max(0x1p-1022, (3+float64(len(row))+min(m-row[c], 1000))*0x1p-53*s)
		if !(math.Abs(off) <= bound) {
			t.Fatalf("%v: share %d is %v, off by %g of %g", row, c, resp[c], off, bound)
		}
	}
}

func TestSoftmax(t *testing.T) {
	for _, b := range []int{1, 2, 7, 64, 65, 256} {
		for _, k := range []int{1, 2, 3, 5, 20} {
			for _, scale := range []float64{1e-9, 1, 30, 1000, 1e9} {
				rng := rand.New(rand.NewPCG(uint64(b), uint64(k)))
				terms := blockOf(b, k, func() float64 { return scale * (rng.NormFloat64() - 1) })
				resp, dst, logs := make([]float64, b*k), make([]float64, b), make([]float64, b)
				LogSumExp(logs, terms, b, k)
				Softmax(resp, dst, terms, b, k)
				for i := 0; i < b; i += 1 + b/16 {
					checkRow(t, rowOf(terms, i, b, k), dst[i], rowOf(resp, i, b, k))
				}
				if !slices.Equal(dst, logs) {
					t.Errorf("%d x %d: LogSumExp and Softmax differ", b, k)
				}
				Softmax(terms, logs, terms, b, k)
				if !slices.Equal(terms, resp) || !slices.Equal(dst, logs) {
					t.Errorf("%d x %d: in place it is something else", b, k)
				}
			}
		}
	}
}

// A row alone gives the digits it has in a block, wherever it stands in it, and slices may be longer than the block.
func TestSoftmaxByRow(t *testing.T) {
	const b, k = 150, 6
	rng := rand.New(rand.NewPCG(1, 2))
	terms := blockOf(b, k, func() float64 { return 10 * rng.NormFloat64() })
	resp, dst := make([]float64, b*k+3), make([]float64, b+3)
	Softmax(resp, dst, append(slices.Clip(terms), 7, 8), b, k)
	if slices.ContainsFunc(append(resp[b*k:], dst[b:]...), func(v float64) bool { return v != 0 }) {
		t.Error("something is written behind the block")
	}
	for i := range b {
		row, one := rowOf(terms, i, b, k), []float64{0}
		Softmax(row, one, row, 1, k)
		if one[0] != dst[i] || !slices.Equal(row, rowOf(resp, i, b, k)) {
			t.Fatalf("row %d: %v, %v alone, but %v, %v", i, one, row, dst[i], rowOf(resp, i, b, k))
		}
	}
}

// One component is the problem without a mixture, to the last digit.
func TestSoftmaxOfOne(t *testing.T) {
	for _, b := range []int{1, 5} {
		for _, v := range []float64{-1e300, -745.13321910194122, -0.1, 0, 1e-300, 3, math.Inf(-1), math.Inf(1)} {
			terms, resp, dst := make([]float64, b), make([]float64, b), make([]float64, b)
			fill(terms, v)
			Softmax(resp, dst, terms, b, 1)
			for i := range b {
				if dst[i] != v || resp[i] != 1 {
					t.Errorf("%v: %v, %v", v, dst[i], resp[i])
				}
			}
			LogSumExp(dst, terms, b, 1)
			if !slices.Equal(dst, terms) {
				t.Errorf("%v: %v", v, dst)
			}
		}
	}
}

func TestSoftmaxEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct{ row, want, log []float64 }{
		{[]float64{-inf, 2}, []float64{0, 1}, []float64{2}},
		{[]float64{2, -inf, -inf}, []float64{1, 0, 0}, []float64{2}},
		{[]float64{-inf, -1e308, -inf}, []float64{0, 1, 0}, []float64{-1e308}},
		{[]float64{-math.MaxFloat64, math.MaxFloat64}, []float64{0, 1}, []float64{math.MaxFloat64}},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, []float64{0.5, 0.5}, []float64{math.MaxFloat64}},
		{[]float64{0, 0, 0, 0}, []float64{0.25, 0.25, 0.25, 0.25}, []float64{math.Log(4)}},
		{[]float64{0, -1000}, []float64{1, 0}, []float64{0}},
		{[]float64{1000, 0, 2000}, []float64{0, 0, 1}, []float64{2000}},
		{[]float64{-inf, -inf}, []float64{nan, nan}, []float64{-inf}},
		{[]float64{0, inf}, []float64{nan, nan}, []float64{inf}},
		{[]float64{-inf, inf, inf}, []float64{nan, nan, nan}, []float64{inf}},
		{[]float64{nan, 0}, []float64{nan, nan}, []float64{nan}},
		{[]float64{0, nan, -inf}, []float64{nan, nan, nan}, []float64{nan}},
		{[]float64{inf, nan}, []float64{nan, nan}, []float64{nan}},
		{[]float64{-nan, -inf}, []float64{nan, nan}, []float64{nan}},
		{nil, nil, []float64{-inf}},
	} {
		for _, b := range []int{1, 3} { // the other rows are none of its business
			k := len(c.row)
			terms, resp, dst, logs := make([]float64, b*k), make([]float64, b*k), make([]float64, b), make([]float64, b)
			for j, v := range c.row {
				terms[j*b] = v
			}
			Softmax(resp, dst, terms, b, k)
			LogSumExp(logs, terms, b, k)
			if got := rowOf(resp, 0, b, k); !alike(got, c.want) || !alike(dst[:1], c.log) || !alike(logs[:1], c.log) {
				t.Errorf("%v: %v, %v, %v, want %v, %v", c.row, got, dst[0], logs[0], c.want, c.log)
			}
			for i := 1; i < b && k > 0; i++ {
				if dst[i] != math.Log(float64(k)) {
					t.Errorf("%v: another row has %v", c.row, dst[i])
				}
			}
		}
	}
}

// alike takes NaN as equal to itself.
func alike(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })
}

func TestSoftmaxProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, k := rapid.IntRange(0, 200).Draw(t, "b"), rapid.IntRange(1, 30).Draw(t, "k")
		scale := math.Exp(rapid.Float64Range(-10, 10).Draw(t, "log scale"))
		shift := float64(rapid.IntRange(-1000, 1000).Draw(t, "shift"))
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		// Multiples of 2^-20: the shift below is exact.
		terms := blockOf(b, k, func() float64 { return math.Round(scale*rng.NormFloat64()*0x1p20) * 0x1p-20 })
		moved := slices.Clone(terms)
		for i := range moved {
			moved[i] += shift
		}
		resp, dst, logs := make([]float64, b*k), make([]float64, b), make([]float64, b)
		Softmax(resp, dst, terms, b, k)
		Softmax(moved, logs, moved, b, k)
		if !slices.Equal(resp, moved) {
			t.Fatal("the shares depend on a shift")
		}
		for i := range b {
			sum := 0.0
			for _, p := range rowOf(resp, i, b, k) {
				sum += p
			}
			if !(math.Abs(sum-1) <= float64(k)*0x1p-52) {
				t.Fatalf("row %d sums to 1%+g", i, sum-1)
			}
			if size := 2 + math.Abs(dst[i]) + math.Abs(shift); !(math.Abs(logs[i]-dst[i]-shift) <= size*0x1p-52) {
				t.Fatalf("row %d is %v, %v after a shift by %v", i, dst[i], logs[i], shift)
			}
			m := slices.Max(rowOf(terms, i, b, k))
			if !(dst[i] >= m && dst[i] <= m+math.Log(float64(k))+1e-15*(1+math.Abs(m))) {
				t.Fatalf("row %d is %v, its largest term %v", i, dst[i], m)
			}
		}
	})
}

func TestComponents(t *testing.T) {
	x := []float64{3, 4}
	for i, want := range []float64{3, 4, 0} {
		if got := Padded(x, i); got != want {
			t.Errorf("entry %d is %v, not %v", i, got, want)
		}
		if got, want := Last(i, 3), []float64{0, 0, 1}[i]; got != want {
			t.Errorf("%d of 3: %v", i, got)
		}
	}
	if Padded(nil, 0) != 0 || Last(0, 1) != 1 {
		t.Error("wrong at the ends")
	}
	defer func() {
		if recover() == nil {
			t.Error("an index beyond the end is no error")
		}
	}()
	Padded(x, 3)
}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want int
	}{
		{nil, 0}, {[]float64{3}, 1}, {[]float64{3, 3, 3}, 3}, {[]float64{0, 0, 1, 0}, 2}, {[]float64{1, 0}, 1},
		{[]float64{math.NaN(), math.NaN()}, 1},
	} {
		if got := Run(c.x); got != c.want {
			t.Errorf("%v: %d, want %d", c.x, got, c.want)
		}
	}
}

// BenchmarkSoftmax gives the time of a term, with bare math.Exp beside it.
func BenchmarkSoftmax(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, s := range [][2]int{{256, 2}, {256, 5}, {256, 20}, {7, 5}, {1, 2}, {1, 5}, {1, 20}} {
		n, k := s[0], s[1]
		terms := blockOf(n, k, func() float64 { return -20 * rng.ExpFloat64() })
		resp, dst := make([]float64, n*k), make([]float64, n)
		for _, f := range []struct {
			name string
			run  func()
		}{
			{"Softmax", func() { Softmax(resp, dst, terms, n, k) }},
			{"LogSumExp", func() { LogSumExp(dst, terms, n, k) }},
			{"math.Exp", func() {
				for i, t := range terms {
					resp[i] = math.Exp(t)
				}
			}},
			{"expNonpositive", func() {
				for i, t := range terms {
					resp[i] = expNonpositive(t)
				}
			}},
		} {
			b.Run(fmt.Sprintf("%dx%d/%s", n, k, f.name), func(b *testing.B) {
				for b.Loop() {
					f.run()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(terms)), "ns/term")
			})
		}
	}
}

// TestOf: of a few terms in one piece, what the kernels for blocks of rows promise.
func TestOf(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k := rapid.IntRange(1, 12).Draw(rt, "k")
		scale := math.Pow(10, rapid.Float64Range(-3, 3).Draw(rt, "log10 scale"))
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		row := blockOf(1, k, func() float64 { return scale * rng.NormFloat64() })
		shares := make([]float64, k)
		SoftmaxOf(shares, row)
		checkRow(t, row, LogSumExpOf(row), shares)
	})
	for _, c := range []struct {
		terms []float64
		want  float64
	}{
		{nil, math.Inf(-1)}, {[]float64{math.Inf(-1), math.Inf(-1)}, math.Inf(-1)}, {[]float64{1, math.Inf(1)}, math.Inf(1)},
		{[]float64{math.NaN(), 1}, math.NaN()}, {[]float64{1000, 1000}, 1000 + math.Ln2},
	} {
		if got := LogSumExpOf(c.terms); !(got == c.want || math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%v: %v", c.terms, got)
		}
	}
}
