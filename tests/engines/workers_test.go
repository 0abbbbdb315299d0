package engines

import (
	"fmt"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/internal/librarytest"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/workers"
	"github.com/sngdgen/sngdgen/spec"
)

// manyRows is enough for several ranges, the last of which is not a whole number of blocks.
const manyRows = 3*workers.Whole + 77

// What models compute does not depend on how many workers share their passes over rows, bit by bit.
func TestWorkers(t *testing.T) {
	for _, name := range spec.Library().Compiled() {
		compiled, _ := generated.Lookup(name)
		t.Run(name, func(t *testing.T) { sameForWorkers(t, compiled) })
	}
}

// numbersOfWorkers are those that are compared with one.
var numbersOfWorkers = []int{2, 3, 7, 64}

func sameForWorkers(t *testing.T, makeOne func() runtime.Model) {
	d := librarytest.Data(t, makeOne(), manyRows, 3)
	alone := ready(t, makeOne(), d)
	for _, n := range numbersOfWorkers {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
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
			compare(t, alone, ready(t, m, d))
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
