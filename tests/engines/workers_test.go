package engines

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/internal/librarytest"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/ranges"
	"github.com/sngdgen/sngdgen/runtime/workers"
	"github.com/sngdgen/sngdgen/spec"
)

// manyRows is enough for several ranges, the last of which is not a whole number of blocks.
const manyRows = 3*ranges.Whole + 77

// What models compute does not depend on how many workers share their passes over rows, bit by bit: neither that of compiled ones, nor that of
// interpreted ones, which are the same.
func TestWorkers(t *testing.T) {
	compiled := spec.Library().Compiled()
	for _, name := range spec.Library().Problems() {
		t.Run(name, func(t *testing.T) {
			interpreted := librarytest.Interpreted(t, name)
			alone := interpreted
			if slices.Contains(compiled, name) {
				alone, _ = generated.Lookup(name)
				sameForWorkers(t, "compiled", alone, alone)
			}
			sameForWorkers(t, "interpreted", alone, interpreted)
		})
	}
}

// sameAtStarts compares what two models compute at two starts, and a step from there.
func sameAtStarts(t *testing.T, one, other runtime.Model) {
	t.Helper()
	n, points := 0, 0
	for _, b := range other.Blocks() {
		n += b.Len
	}
	for i := 0; i < one.Info().Starts+3 && points < 4; i++ {
		z, v := make([]float64, n), make([]float64, n)
		if one.Start(z, i, rand.New(rand.NewPCG(uint64(i), 2))) != nil {
			continue
		}
		for range 2 {
			comparePoint(t, one, other, z)
			points++
			one.NaturalGradient(v, z)
			for k := range z {
				z[k] -= 0.3 * v[k]
			}
		}
	}
	if points == 0 {
		t.Error("no points were compared")
	}
}

// sameForWorkers compares models with workers with one that has none.
func sameForWorkers(t *testing.T, how string, makeAlone, makeOne func() runtime.Model) {
	d := librarytest.Data(t, makeAlone(), manyRows, 3)
	alone := ready(t, makeAlone(), d)
	for _, n := range []int{1, 2, 3, 7, 64} {
		t.Run(fmt.Sprint(how, n), func(t *testing.T) {
			pool := workers.New(n)
			defer pool.Stop()
			m := makeOne()
			p, ok := m.(runtime.Parallel)
			if !ok {
				t.Fatal("it has no passes that can be shared")
			}
			if before := p.SetWorkers(pool); before != nil {
				t.Error("it has workers from the beginning")
			}
			sameAtStarts(t, alone, ready(t, m, d))
			clone := m.Clone()
			if clone.(runtime.Parallel).SetWorkers(nil) != pool {
				t.Error("a clone has other workers")
			}
			if p.SetWorkers(nil) != pool {
				t.Error("it has other workers")
			}
		})
	}
}
