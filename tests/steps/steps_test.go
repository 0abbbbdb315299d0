package steps

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"testing"
	"time"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/tests/steps/aswritten"
	"github.com/sngdgen/sngdgen/tests/steps/aswritten/gaussiancopula"
	"github.com/sngdgen/sngdgen/tests/steps/aswritten/mvnormal"
	"github.com/sngdgen/sngdgen/tests/steps/aswritten/mvstudentt"
	"github.com/sngdgen/sngdgen/tests/steps/aswritten/skewnormal"
	"github.com/sngdgen/sngdgen/tests/steps/aswritten/skewt"
	"github.com/sngdgen/sngdgen/tests/steps/aswritten/tcopula"
)

// model is what a step is made of.
type model interface {
	runtime.Model
	runtime.Batcher
}

var literal = map[string]func() model{
	"mvnormal":       func() model { return new(mvnormal.Model) },
	"skewnormal":     func() model { return new(skewnormal.Model) },
	"mvstudentt":     func() model { return new(mvstudentt.Model) },
	"skewt":          func() model { return new(skewt.Model) },
	"gaussiancopula": func() model { return new(gaussiancopula.Model) },
	"tcopula":        func() model { return new(tcopula.Model) },
}

// trial is a problem of the library and its literal twin, with the same data, batch and point.
type trial struct {
	rules, literal model
	rows           []int
	z, v, w        []float64
	bare           *bare
}

func newTrial(t testing.TB, name string, d, b int) *trial {
	t.Helper()
	lookup, ok := generated.Lookup(name)
	if !ok {
		t.Fatalf("the library has no %s", name)
	}
	s := &trial{rules: lookup().(model), literal: literal[name]()}
	n := max(2*b, d+200) // enough for a covariance matrix to start from
	draws, err := estimate.Sample(s.rules, estimate.SampleRequest{Rows: n, Seed: 1, Set: []estimate.Value{{Name: "d", Value: float64(d)}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []model{s.rules, s.literal} {
		if err := m.SetData(runtime.Data{Values: draws.Values, Columns: d}); err != nil {
			t.Fatal(err)
		}
	}
	dim := 0
	for _, block := range s.rules.Blocks() {
		dim += block.Len
	}
	s.z, s.v, s.w = make([]float64, dim), make([]float64, dim), make([]float64, dim)
	if err := s.rules.Start(s.z, s.rules.Info().Starts, runtime.Stream(1, "start")); err != nil {
		t.Fatal(err)
	}
	for i := range b {
		s.rows = append(s.rows, 2*i)
	}
	matrix := make([]float64, d*d)
	for i := range d {
		matrix[i*d+i] = 1
	}
	s.bare = newBare(b, d, draws.Values[:b*d], matrix)
	return s
}

// step is one step on a batch: its rows are fetched, and the natural gradient is computed.
func (s *trial) step(m model, v []float64) {
	if err := m.Batch(s.rows); err != nil {
		panic(err)
	}
	m.NaturalGradient(v, s.z)
}

// TestSame: the rules change the numbers by rounding only.
func TestSame(t *testing.T) {
	for _, name := range aswritten.Problems {
		s := newTrial(t, name, 7, 60)
		s.step(s.rules, s.v)
		s.step(s.literal, s.w)
		for i, v := range s.v {
			if !(math.Abs(v-s.w[i]) <= 1e-8*(1+math.Abs(v))) {
				t.Errorf("%s: entry %d is %v, without rules %v", name, i, v, s.w[i])
			}
		}
	}
}

// TestFresh: the packages without rules are what the generator writes now.
func TestFresh(t *testing.T) {
	files, err := aswritten.Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		got, err := os.ReadFile(filepath.Join("aswritten", filepath.FromSlash(f.Name)))
		if err != nil || string(got) != string(f.Data) {
			t.Errorf("aswritten/%s is not what the generator writes: run go generate (%v)", f.Name, err)
		}
	}
}

// BenchmarkStep reports the median time of a step, and the medians of its ratio to the bare calls and of the ratio of the
// step without rules to it.
func BenchmarkStep(b *testing.B) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	for _, size := range []struct{ d, b int }{{43, 256}, {1000, 100}} {
		for _, name := range aswritten.Problems {
			b.Run(fmt.Sprintf("%s/d=%d/b=%d", name, size.d, size.b), func(b *testing.B) {
				s := newTrial(b, name, size.d, size.b)
				s.step(s.literal, s.w) // touches the memory
				var step, blas, gain []float64
				for b.Loop() {
					one := warm(func() { s.step(s.rules, s.v) })
					calls := warm(func() { mandatory[name](s.bare) })
					without := seconds(func() { s.step(s.literal, s.w) })
					step, blas, gain = append(step, one), append(blas, one/calls), append(gain, without/one)
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(1e6*median(step), "us/step")
				b.ReportMetric(median(blas), "x-blas")
				b.ReportMetric(median(gain), "x-rules")
			})
		}
	}
}

// warm times the second of two runs: caches hold what they would hold in a loop.
func warm(f func()) float64 {
	f()
	return seconds(f)
}

func seconds(f func()) float64 {
	start := time.Now()
	f()
	return time.Since(start).Seconds()
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
