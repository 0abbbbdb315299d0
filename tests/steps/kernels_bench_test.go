package steps

import (
	"fmt"
	goruntime "runtime"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime/vector"
	"github.com/sngdgen/sngdgen/tests/steps/aswritten"
)

// BenchmarkKernels measures steps on all levels of runtime/vector in turns, and reports the least time on each, and how many times
// as long a step takes without kernels as on the best level.
func BenchmarkKernels(b *testing.B) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	defer vector.Use(vector.Active())
	levels := []vector.Level{vector.Go, vector.AVX2, vector.AVX512}[:vector.Active()+1]
	for _, size := range []struct{ d, b int }{{43, 256}, {1000, 100}} {
		for _, name := range aswritten.Problems {
			b.Run(fmt.Sprintf("%s/d=%d/b=%d", name, size.d, size.b), func(b *testing.B) {
				s := newTrial(b, name, size.d, size.b)
				times := make([][]float64, len(levels))
				for b.Loop() {
					for i, l := range levels {
						vector.Use(l)
						times[i] = append(times[i], warm(func() { s.step(s.rules, s.v) }))
					}
				}
				b.ReportMetric(0, "ns/op")
				for i, l := range levels {
					b.ReportMetric(1e6*slices.Min(times[i]), "us-"+l.String())
				}
				b.ReportMetric(slices.Min(times[0])/slices.Min(times[len(levels)-1]), "x-go")
			})
		}
	}
}
