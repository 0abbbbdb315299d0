package modeltest

import (
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// Benchmark times one natural gradient, one call of both gradients with the loss, and one loss, on 1,000 observations.
func Benchmark(b *testing.B, make func() runtime.Model) {
	rng := rand.New(rand.NewPCG(7, 8))
	m := make()
	if err := m.SetData(runtime.Data{Values: Observations(m.Info(), 1000, rng)}); err != nil {
		b.Fatal(err)
	}
	z, v, c := newVector(m), newVector(m), newVector(m)
	if err := m.Start(z, 0, rng); err != nil {
		b.Fatal(err)
	}
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
