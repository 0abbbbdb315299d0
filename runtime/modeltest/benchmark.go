package modeltest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// Benchmark times one natural gradient, one call of both gradients with the loss, and one loss, on 1,000 observations; with
// dimensions at two lengths of them.
func Benchmark(b *testing.B, make func() runtime.Model) {
	if !lengthened(make().Info()) {
		benchmark(b, subject{make: make})
		return
	}
	for _, n := range []int{10, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmark(b, subject{make, n}) })
	}
}

func benchmark(b *testing.B, s subject) {
	rng := rand.New(rand.NewPCG(7, 8))
	m := s.with(b, noise(s.model(b), 1000, rng))
	z := start(b, m, rng)
	v, c := newVector(m), newVector(m)
	_, distinct, _ := m.Counts()
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(distinct), "ns/row")
		})
	}
	run("NaturalGradient", func() { m.NaturalGradient(v, z) })
	run("Gradients", func() { m.Gradients(v, c, z) })
	run("Loss", func() { m.Loss(z) })
}
