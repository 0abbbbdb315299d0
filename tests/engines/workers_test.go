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

// manyRows is enough for four ranges, the last of which is not a whole number of blocks.
const manyRows = 5*ranges.Whole + 77

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
				sameForWorkers(t, "compiled", librarytest.Data(t, alone(), manyRows, 3), alone, alone)
			}
			sameForWorkers(t, "interpreted", librarytest.Data(t, alone(), manyRows, 3), alone, interpreted)
		})
	}
}

// TestWorkersWithoutZeros is TestWorkers for data that are mostly zeros, which products of the rows with draws leave out.
func TestWorkersWithoutZeros(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	d := runtime.Data{Columns: 32, Values: make([]float64, 700*32)}
	for i := range d.Values {
		switch {
		case i%32 == 31:
			d.Values[i] = float64(rng.IntN(2))
		case rng.IntN(10) == 0:
			d.Values[i] = rng.NormFloat64()
		}
	}
	for _, name := range []string{"logistic", "logisticskewmix"} {
		t.Run(name, func(t *testing.T) {
			compiled, _ := generated.Lookup(name)
			sameForWorkers(t, "compiled", d, compiled, compiled)
			sameForWorkers(t, "interpreted", d, compiled, librarytest.Interpreted(t, name))
		})
	}
}

// sameForWorkers compares a model with different numbers of workers with one that has none.
func sameForWorkers(t *testing.T, how string, d runtime.Data, makeAlone, makeOne func() runtime.Model) {
	alone, m := ready(t, makeAlone(), d), makeOne()
	p, ok := m.(runtime.Parallel)
	if !ok {
		t.Fatal("it has no passes that can be shared")
	}
	var last *workers.Pool
	for _, n := range []int{7, 1, 2, 3, 64} {
		pool := workers.New(n)
		defer pool.Stop()
		if before := p.SetWorkers(pool); before != last {
			t.Errorf("%s: it had other workers", how)
		}
		if last == nil {
			ready(t, m, d)
		}
		last = pool
		t.Run(fmt.Sprint(how, n), func(t *testing.T) { sameAtStart(t, alone, m) })
	}
	if m.Clone().(runtime.Parallel).SetWorkers(nil) != last {
		t.Errorf("%s: a clone has other workers", how)
	}
}

// sameAtStart compares what two models compute at a start, and a step from there.
func sameAtStart(t *testing.T, one, other runtime.Model) {
	t.Helper()
	n := 0
	for _, b := range other.Blocks() {
		n += b.Len
	}
	z, v := make([]float64, n), make([]float64, n)
	for i := range one.Info().Starts + 3 {
		if one.Start(z, i, rand.New(rand.NewPCG(uint64(i), 2))) != nil {
			continue
		}
		comparePoint(t, one, other, z)
		one.NaturalGradient(v, z)
		for k := range z {
			z[k] -= 0.3 * v[k]
		}
		comparePoint(t, one, other, z)
		return
	}
	t.Error("there is no start")
}
