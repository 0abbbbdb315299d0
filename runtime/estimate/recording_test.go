package estimate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// ones are weights of 1.
func ones(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

func roundTo(x, step float64) float64 { return math.Round(x/step) * step }

func TestStepOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	column := func(n int, f func() float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = f()
		}
		return x
	}
	for name, tc := range map[string]struct {
		x    []float64
		want float64
	}{
		"whole":       {column(50, func() float64 { return float64(rng.IntN(30)) }), 1},
		"even":        {column(50, func() float64 { return float64(3 + 2*rng.IntN(30)) }), 2},
		"decimals":    {column(200, func() float64 { return float64(rng.IntN(1e6)) / 1e4 }), 1e-4},
		"millionths":  {column(400, func() float64 { return math.Round(1e6*rng.Float64()) / 1e6 }), 1e-6},
		"seconds":     {column(300, func() float64 { return math.Round(1e7*(1+float64(rng.IntN(300))/60)) / 1e7 }), 1.0 / 60},
		"standard":    {column(300, func() float64 { return (float64(rng.IntN(100)) - 48.21) / 28.7 }), 1 / 28.7},
		"far":         {column(100, func() float64 { return 1e6 + float64(rng.IntN(100))/8 }), 1.0 / 8},
		"binary":      {[]float64{0, 1, 1, 0}, 1},
		"one value":   {[]float64{4, 4, 4}, 0},
		"negative":    {[]float64{-3, 0, 6, 7.5, -1.5}, 1.5},
		"no weight":   {[]float64{1, 2, 4, 7.3}, 1}, // the last one
		"two primes":  {[]float64{0, 21, 56}, 7},
		"not rounded": {column(50, rng.NormFloat64), 0},
	} {
		w := ones(len(tc.x))
		if name == "no weight" {
			w[3] = 0
		}
		got := stepOf(tc.x, w, 0, 1, nil)
		if name == "not rounded" { // but for the digits of numbers
			if got > 1e-9 {
				t.Errorf("%s: %g", name, got)
			}
		} else if math.Abs(got-tc.want) > 1e-5*tc.want {
			t.Errorf("%s: %g, want %g", name, got, tc.want)
		}
	}
	// Of several columns each has its own, and what is not rounded never has a step that would matter.
	x := column(200, rng.NormFloat64)
	for i := 0; i < len(x); i += 2 {
		x[i] = roundTo(x[i], 0.25)
	}
	if a, b := stepOf(x, ones(100), 0, 2, nil), stepOf(x, ones(100), 1, 2, nil); math.Abs(a-0.25) > 1e-12 || b > 1e-9 {
		t.Errorf("columns: %g and %g", a, b)
	}
	for range 300 {
		x := column(15+rng.IntN(30), rng.ExpFloat64)
		if step := stepOf(x, ones(len(x)), 0, 1, nil); step > 1e-6 {
			t.Errorf("a step of %g in %v", step, x)
		}
	}
}

// shareRows is the posterior of rows of which those for which mine says so belong to the first of two components.
func shareRows(rows [][]float64, mine func(i int) bool) *posterior {
	p := &posterior{k: 2, columns: len(rows[0]), weights: ones(len(rows))}
	for i, row := range rows {
		p.values = append(p.values, row...)
		if mine(i) {
			p.r = append(p.r, 1, 0)
		} else {
			p.r = append(p.r, 0, 1)
		}
	}
	return p
}

// TestUnresolved: a component is there for the rounding of the data if its rows are a plane but for that, and not if it is
// narrow but resolved, or if all data are like that.
func TestUnresolved(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	first := func(count int) func(int) bool { return func(i int) bool { return i < count } }
	makeRows := func(n int, row func(i int) []float64) (rows [][]float64) {
		for i := range n {
			rows = append(rows, row(i))
		}
		return rows
	}
	// noisy rows x, y, x-y of which the first 30 have noise of so much in the third, everything in steps
	related := func(noise, step float64) [][]float64 {
		return makeRows(90, func(i int) []float64 {
			x, y, e := rng.NormFloat64(), rng.NormFloat64(), noise
			if i >= 30 {
				e = 0.5
			}
			return []float64{roundTo(x, step), roundTo(y, step), roundTo(x-y+e*rng.NormFloat64(), step)}
		})
	}
	counts := func(p float64) [][]float64 { // the first 60 are 0, but for a share of 1
		return makeRows(200, func(i int) []float64 {
			if i < 60 {
				if float64(i) < 60*p {
					return []float64{1}
				}
				return []float64{0}
			}
			return []float64{math.Round(10 + 4*rng.NormFloat64())}
		})
	}
	scaled := func(rows [][]float64, scale, origin float64) [][]float64 {
		for _, row := range rows {
			for j := range row {
				row[j] = (row[j] - origin) * scale
			}
		}
		return rows
	}
	for name, tc := range map[string]struct {
		rows  [][]float64
		count int
		want  bool
	}{
		"difference of rounded numbers": {related(0, 0.01), 30, true},
		"the same, standardised":        {scaled(related(0, 0.01), 1/3.7, 0.123), 30, true},
		"narrow, resolved":              {related(0.02, 0.01), 30, false},
		"narrow, finely resolved":       {related(1e-5, 1e-6), 30, false},
		"narrow, not rounded":           {related(1e-7, 0x1p-52), 30, false},
		"as many of two values":         {counts(0.5), 60, false},
		"nearly all of one value":       {counts(0.1), 60, true},
		"all rows are a plane":          {related(0, 0.01)[:30], 15, false},
		"a column of two values": {makeRows(80, func(i int) []float64 {
			return []float64{float64(i % 7 / 6), rng.NormFloat64() + float64(i/40)}
		}), 40, false},
		"one of the planes of a bad generator": {randu(400), 0, true},
	} {
		mine := first(tc.count)
		if tc.count == 0 { // those in the third plane of 9 x - 6 y + z
			mine = func(i int) bool {
				r := tc.rows[i]
				return math.Round(9*r[0]-6*r[1]+r[2]) == 3
			}
		}
		p := shareRows(tc.rows, mine)
		c, why := p.degenerate(false)
		if got := c == 0 && why == unresolvedThere; got != tc.want {
			t.Errorf("%s: component %d %q", name, c, why)
		}
		if c, _ := p.degenerate(true); c >= 0 {
			t.Errorf("%s: probabilities are bounded", name)
		}
	}
}

// randu are rows of three successive numbers of the generator x' = 65539 x mod 2^31, which lie in planes 9x - 6y + z = a whole
// number (Marsaglia, Proceedings of the National Academy of Sciences 61, 1968), in millionths.
func randu(n int) (rows [][]float64) {
	x := uint64(1)
	for range n {
		var row []float64
		for range 3 {
			x = 65539 * x % (1 << 31)
			row = append(row, roundTo(float64(x)/(1<<31), 1e-6))
		}
		rows = append(rows, row)
	}
	return rows
}
