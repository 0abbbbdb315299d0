package steps

import (
	"fmt"
	goruntime "runtime"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime/vector"
	"github.com/sngdgen/sngdgen/tests/paper/clock"
	"github.com/sngdgen/sngdgen/tests/steps/aswritten"
)

// BenchmarkKernels measures steps on all levels of runtime/vector in turns, and reports the least time of the processor on each, and how many times
// as long a step takes without kernels as on the best level.
func BenchmarkKernels(b *testing.B) {
	defer vector.Use(vector.Active())
	levels := []vector.Level{vector.Go, vector.AVX2, vector.AVX512}[:vector.Active()+1]
	for _, size := range []struct{ d, b int }{{43, 256}, {1000, 100}} {
		for _, name := range aswritten.Problems {
			b.Run(fmt.Sprintf("%s/d=%d/b=%d", name, size.d, size.b), func(b *testing.B) {
				goruntime.LockOSThread()
				defer goruntime.UnlockOSThread()
				s := newTrial(b, name, size.d, size.b)
				times := make([][]float64, len(levels))
				for b.Loop() {
					for i, l := range levels {
						vector.Use(l)
						s.step(s.rules, s.v)
						start := clock.Thread()
						s.step(s.rules, s.v)
						times[i] = append(times[i], (clock.Thread() - start).Seconds())
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
