// Command worker times the steps of all packages of the library: the processor time of one call of each function, the least of some
// repetitions. It knows only what several versions of the module have, as the program beside it builds it in each of them.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	goruntime "runtime"
	"strings"
	"time"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/modeltest"
	"github.com/sngdgen/sngdgen/tests/paper/clock"
)

const (
	rows        = 1000
	repetitions = 7
	least       = 1 * time.Millisecond // of a repetition
)

func main() {
	goruntime.GOMAXPROCS(1)
	out := map[string]float64{}
	for _, name := range generated.Names() {
		if len(os.Args) > 1 && !strings.Contains(","+os.Args[1]+",", ","+name+",") {
			continue
		}
		lookup, _ := generated.Lookup(name)
		for _, length := range []int{4, 30} {
			times, err := measure(lookup, length)
			if err != nil {
				fmt.Fprintf(os.Stderr, "%s at %d: %v\n", name, length, err)
				continue
			}
			sized := len(lookup().Info().Dims) > 0
			for f, t := range times {
				key := name + " " + f
				if sized {
					key = fmt.Sprintf("%s %s %d", name, f, length)
				}
				out[key] = t
			}
			if !sized {
				break
			}
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// exact is what runtime.Exact asks for, which older versions do not have.
type exact interface {
	ExactGradients(natural, ordinary, z []float64) float64
	ExactLoss(z []float64) float64
}

// measure returns the nanoseconds of each function, of a model whose dimensions have a length.
func measure(lookup func() runtime.Model, length int) (times map[string]float64, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	m, rng := lookup(), rand.New(rand.NewPCG(1, 2))
	if x, ok := m.(runtime.Mixture); ok && x.Components() == 0 {
		if err := x.SetComponents(3); err != nil {
			return nil, err
		}
	}
	info := m.Info()
	if len(info.Dims) > 0 {
		sizes := make([]int, len(info.Dims))
		for i, d := range info.Dims {
			if sizes[i] = length; d == info.Components {
				sizes[i] = 3
			}
		}
		if err := m.Resize(sizes); err != nil {
			return nil, err
		}
	}
	data := runtime.Data{}
	if info.Data != nil {
		data = modeltest.DataOf(m, length, rows, rng)
	} else if info.Latent == nil {
		data = modeltest.Rows(m, rows, rng)
	}
	if data.Values != nil {
		if err := m.SetData(data); err != nil {
			return nil, err
		}
	}
	size := 0
	for _, b := range m.Blocks() {
		size = max(size, b.Offset+b.Len)
	}
	z, v, c := make([]float64, size), make([]float64, size), make([]float64, size)
	if err := m.Start(z, 0, rng); err != nil {
		return nil, err
	}
	times = map[string]float64{
		"NaturalGradient": timed(func() { m.NaturalGradient(v, z) }),
		"Gradients":       timed(func() { m.Gradients(v, c, z) }),
		"Loss":            timed(func() { m.Loss(z) }),
	}
	if x, ok := m.(exact); ok {
		times["ExactGradients"] = timed(func() { x.ExactGradients(v, c, z) })
		times["ExactLoss"] = timed(func() { x.ExactLoss(z) })
	}
	return times, nil
}

// clock is the least processor time of a call, in nanoseconds.
func timed(f func()) float64 {
	f()
	calls := 1
	for {
		if spent := spend(f, calls); spent >= least || calls >= 1<<20 {
			break
		}
		calls *= 2
	}
	best := 0.0
	for range repetitions {
		t := float64(spend(f, calls)) / float64(calls)
		if best == 0 || t < best {
			best = t
		}
	}
	return best
}

// spend is the processor time of some calls.
func spend(f func(), calls int) time.Duration {
	before := clock.Now()
	for range calls {
		f()
	}
	return clock.Now() - before
}
