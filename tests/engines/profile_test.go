package engines

import (
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/spec"
)

// BenchmarkGradients is for profiles of interpreted models.
func BenchmarkGradients(b *testing.B) {
	for _, name := range spec.Library().Problems() {
		b.Run(name, func(b *testing.B) {
			m := interpreted(b, name)()
			m = ready(b, m, rowsOf(b, m, 1000, 3))
			n := 0
			for _, block := range m.Blocks() {
				n += block.Len
			}
			z, v, c := make([]float64, n), make([]float64, n), make([]float64, n)
			if err := m.Start(z, 0, rand.New(rand.NewPCG(1, 2))); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				m.Gradients(v, c, z)
			}
		})
	}
}

var _ runtime.Model
