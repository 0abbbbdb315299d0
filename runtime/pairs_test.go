package runtime

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPairsOfMatrices: what is remembered of matrices with a shape gives the direction that all of their entries give.
func TestPairsOfMatrices(t *testing.T) {
	const n, d = 41, 3
	shaped := []Block{{Offset: 0, Len: 2}, {Offset: 2, Len: 2 * d * d, Symmetric: true, Copies: 2}, {Offset: 20, Len: d * d, Lower: true},
		{Offset: 29, Len: d * d, Lower: true, Strict: true}, {Offset: 38, Len: 3}}
	plain := []Block{{Offset: 0, Len: n}}
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func() []float64 { // of the shapes of the blocks
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		for _, b := range shaped {
			for c := range max(b.Copies, 1) {
				for i := range d {
					for j := range d {
						at := b.Offset + c*d*d
						switch {
						case b.Symmetric && j > i:
							x[at+i*d+j] = x[at+j*d+i]
						case b.Symmetric && j < i:
							x[at+j*d+i] = x[at+i*d+j]
						case b.Lower && (j > i || b.Strict && j == i):
							x[at+i*d+j] = 0
						}
					}
				}
			}
		}
		return x
	}
	scaled := func(x []float64, by float64) []float64 {
		out := make([]float64, n)
		addScaled(out, by, x)
		return out
	}
	var all, few pairs
	all.resize(4, n, plain, false)
	few.resize(4, n, shaped, false)
	if all.width != n || few.width != 2+2*6+6+3+3 {
		t.Fatalf("%d and %d coordinates", all.width, few.width)
	}
	for range 6 {
		a, b := &point{z: draw(), c: draw(), v: draw()}, &point{}
		step := draw()
		b.z, b.c, b.v = scaled(step, 1), scaled(step, 2), scaled(step, 0.5)
		noise := draw()
		for _, of := range []struct {
			to, from []float64
			by       float64
		}{{b.z, a.z, 0}, {b.c, a.c, 0.1}, {b.v, a.v, 0.2}} {
			addScaled(of.to, 1, of.from)
			addScaled(of.to, of.by, noise)
		}
		all.push(a, b)
		few.push(a, b)
		if all.count != few.count {
			t.Fatalf("%d and %d pairs", all.count, few.count)
		}
		c, v := draw(), draw()
		want, got := make([]float64, n), draw()
		all.direct(want, c, v)
		few.direct(got, c, v)
		for i := range want {
			if math.Abs(want[i]-got[i]) > 1e-12*(1+math.Abs(want[i])) {
				t.Errorf("coordinate %d of %d pairs: %v, of all entries %v", i, few.count, got[i], want[i])
			}
		}
	}
	if allocated := testing.AllocsPerRun(1, func() { few.resize(4, n, shaped, true) }); allocated > 0 || few.count != 4 {
		t.Errorf("%v allocations, %d pairs", allocated, few.count)
	}
}
