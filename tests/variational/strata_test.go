package variational_test

import (
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/modeltest"
)

// TestStrata: what is computed for the component of a draw alone is computed for all draws of it, however they fall into blocks.
// A gradient by 300 draws of each component is the mean of those by two halves of the same draws, and draws are the same by
// themselves as among others.
func TestStrata(t *testing.T) {
	const components, draws, half = 3, 300, 150
	for _, name := range []string{"logisticmix", "logisticskewmix"} {
		t.Run(name, func(t *testing.T) {
			lookup, _ := generated.Lookup(name)
			all := lookup().(runtime.Variational)
			data := modeltest.DataOf(all, 3, 40, runtime.Stream(4, name))
			load := func(m runtime.Variational, perComponent int) runtime.Variational {
				if err := estimate.Load(m, data, components); err != nil {
					t.Fatal(err)
				}
				if err := m.SetDraws(perComponent * components); err != nil {
					t.Fatal(err)
				}
				return m
			}
			load(all, draws)
			halves := [2]runtime.Variational{load(lookup().(runtime.Variational), half), load(lookup().(runtime.Variational), half)}
			all.Draw(runtime.Stream(5, name))
			for h, m := range halves {
				for k, noise := range m.Noise() {
					from := all.Noise()[k]
					for c := range components {
						at := (c*draws + h*half) * from.Length
						copy(noise.Values[c*half*noise.Length:(c+1)*half*noise.Length], from.Values[at:])
					}
				}
			}
			n := 0
			for _, b := range all.Blocks() {
				n = max(n, b.Offset+b.Len)
			}
			z := make([]float64, n)
			if err := all.Start(z, 0, runtime.Stream(6, name)); err != nil {
				t.Fatal(err)
			}
			rng := runtime.Stream(7, name)
			for i := range components - 1 { // weights that differ
				z[i] += rng.NormFloat64()
			}
			var loss [3]float64
			var v, c [3][]float64
			for k, m := range []runtime.Variational{all, halves[0], halves[1]} {
				v[k], c[k] = make([]float64, n), make([]float64, n)
				loss[k] = m.Gradients(v[k], c[k], z)
				step := make([]float64, n)
				m.NaturalGradient(step, z)
				for _, b := range all.Blocks() { // of auxiliary parameters a step has the ordinary gradient
					want := v[k]
					if b.Auxiliary {
						want = c[k]
					}
					compare(t, name, "a step alone, "+b.Name, step[b.Offset:b.Offset+b.Len], want[b.Offset:b.Offset+b.Len])
				}
			}
			compare(t, name, "the loss", loss[:1], mean(loss[1:2], loss[2:]))
			compare(t, name, "the natural gradient", v[0], mean(v[1], v[2]))
			compare(t, name, "the gradient", c[0], mean(c[1], c[2]))
		})
	}
}

func mean(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range out {
		out[i] = (a[i] + b[i]) / 2
	}
	return out
}

// compare asks for equal vectors, but for rounding.
func compare(t *testing.T, name, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-10*(1+math.Abs(want[i]))) {
			t.Errorf("%s: %s, entry %d: %v, want %v", name, what, i, got[i], want[i])
		}
	}
}
