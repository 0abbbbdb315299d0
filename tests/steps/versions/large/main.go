// Command large times single functions of packages of the library at sizes that matter: the processor time of one call of each, the least of some
// repetitions. As worker, it knows only what several versions of the module have.
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	goruntime "runtime"
	"strings"
	"time"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/tests/paper/clock"
)

// task is a function of a package, with so many columns and rows, on a batch, of a mixture of components, with draws: 0 where there are none.
type task struct {
	name, function                          string
	columns, rows, batch, components, draws int
	number                                  func(rng *rand.Rand, column int) float64
}

func normal(rng *rand.Rand, _ int) float64 { return rng.NormFloat64() }

func uniform(rng *rand.Rand, _ int) float64 { return 0.01 + 0.98*rng.Float64() }

func count(rng *rand.Rand, _ int) float64 { return math.Floor(8 * rng.ExpFloat64()) }

// labelled are rows of which the last column is 0 or 1.
func labelled(columns int) func(rng *rand.Rand, column int) float64 {
	return func(rng *rand.Rand, column int) float64 {
		if column == columns-1 {
			return float64(rng.IntN(2))
		}
		return rng.NormFloat64()
	}
}

var tasks = []task{
	{"skewnormal", "NaturalGradient", 43, 10000, 256, 0, 0, normal},
	{"skewnormal", "NaturalGradient", 1000, 2000, 100, 0, 0, normal},
	{"skewnormal", "Gradients", 1000, 2000, 0, 0, 0, normal},
	{"gaussiancopula", "Gradients", 1000, 1000, 0, 0, 0, uniform},
	{"logisticskew", "Gradients", 54, 500, 0, 0, 20, labelled(54)},
	{"logisticskewmix", "Gradients", 54, 500, 0, 3, 60, labelled(54)},
	{"negbinmix", "Gradients", 1, 100000, 0, 3, 0, count},
	{"mvnormalmix", "Gradients", 10, 100000, 0, 3, 0, normal},
	{"skewt", "Gradients", 10, 10000, 0, 0, 0, normal},
	{"skewt", "NaturalGradient", 10, 10000, 256, 0, 0, normal},
}

func (t task) String() string {
	text := fmt.Sprintf("%s %s %d", t.name, t.function, t.columns)
	if t.batch > 0 {
		return text + fmt.Sprintf(", batch of %d", t.batch)
	}
	return text + fmt.Sprintf(", %d rows", t.rows)
}

func main() {
	goruntime.LockOSThread()
	goruntime.GOMAXPROCS(1)
	out := map[string]float64{}
	for _, t := range tasks {
		if len(os.Args) > 1 && !strings.Contains(","+os.Args[1]+",", ","+t.name+",") {
			continue
		}
		spent, err := t.measure()
		if err != nil {
			fmt.Fprintf(os.Stderr, "%v: %v\n", t, err)
			continue
		}
		out[t.String()] = spent
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (t task) measure() (spent float64, err error) {
	lookup, ok := generated.Lookup(t.name)
	if !ok {
		return 0, fmt.Errorf("there is no such package")
	}
	m, rng := lookup(), rand.New(rand.NewPCG(1, 2))
	rows := make([]float64, t.rows*t.columns)
	for i := range rows {
		rows[i] = t.number(rng, i%t.columns)
	}
	if err := t.resize(m); err != nil {
		return 0, err
	}
	if err := m.SetData(runtime.Data{Values: rows, Columns: t.columns}); err != nil {
		return 0, err
	}
	if t.draws > 0 {
		if err := m.(runtime.Variational).SetDraws(t.draws); err != nil {
			return 0, err
		}
	}
	size := 0
	for _, b := range m.Blocks() {
		size = max(size, b.Offset+b.Len)
	}
	z, v, c := make([]float64, size), make([]float64, size), make([]float64, size)
	start := 0
	if t.components > 0 {
		start = m.Info().Starts
	}
	if err := m.Start(z, start, rng); err != nil {
		return 0, err
	}
	take := t.taking(m, rng)
	f := func() { m.Gradients(v, c, z) }
	if t.function == "NaturalGradient" {
		f = func() { take(); m.NaturalGradient(v, z) }
	}
	if f(); v[0] != v[0] {
		return 0, fmt.Errorf("the start is outside the domain")
	}
	return timed(f), nil
}

// taking takes a batch, which is a part of a step: nothing where there is none.
func (t task) taking(m runtime.Model, rng *rand.Rand) func() {
	if t.batch == 0 {
		return func() {}
	}
	batch := make([]int, t.batch)
	for i := range batch {
		batch[i] = rng.IntN(t.rows)
	}
	switch m := any(m).(type) { // it returned nothing once
	case interface{ Batch([]int) error }:
		return func() {
			if err := m.Batch(batch); err != nil {
				panic(err)
			}
		}
	case interface{ Batch([]int) }:
		return func() { m.Batch(batch) }
	}
	return nil
}

// resize sets dimensions and components.
func (t task) resize(m runtime.Model) error {
	if x, ok := m.(runtime.Mixture); ok && t.components > 0 && x.Components() == 0 {
		if err := x.SetComponents(t.components); err != nil {
			return err
		}
	}
	info := m.Info()
	if len(info.Dims) == 0 {
		return nil
	}
	sizes := make([]int, len(info.Dims))
	for i, d := range info.Dims {
		switch {
		case d == info.Components:
			sizes[i] = t.components
		case info.Latent != nil:
			sizes[i] = t.columns - 1
		default:
			sizes[i] = t.columns
		}
	}
	return m.Resize(sizes)
}

// timed is the least processor time of a call, in nanoseconds.
func timed(f func()) float64 {
	f()
	calls := 1
	for spend(f, calls) < 20*time.Millisecond {
		calls *= 2
	}
	best := math.Inf(1)
	for range 4 {
		best = min(best, float64(spend(f, calls))/float64(calls))
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
