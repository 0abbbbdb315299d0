package engines

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/engine"
	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

var speed = flag.Int("speed", 0, "rows of data with which to time interpreted steps against compiled ones")
var length = flag.Int("length", 3, "length of the dimensions then")

// Steps of interpreted models are timed against compiled ones, where that is asked for.
func TestSpeed(t *testing.T) {
	if *speed == 0 {
		t.Skip("no number of rows is given")
	}
	for _, name := range spec.Library().Problems() {
		if spec.Library().Problem(name).VI != nil {
			continue
		}
		began := time.Now()
		makeOne, _, unsupported := engine.Interpreted(context.Background(), spec.Library().Problem(name), gen.Options{})
		if unsupported != nil {
			continue
		}
		made := time.Since(began)
		compiled, _ := generated.Lookup(name)
		d := rowsOf(t, compiled(), *speed, *length)
		one, other := ready(t, makeOne(), d), ready(t, compiled(), d)
		n := 0
		for _, b := range other.Blocks() {
			n += b.Len
		}
		z, v, c := make([]float64, n), make([]float64, n), make([]float64, n)
		if err := other.Start(z, 0, rand.New(rand.NewPCG(1, 2))); err != nil {
			t.Error(name, err)
			continue
		}
		var ratios []float64
		var times []time.Duration
		for _, f := range []func(m runtime.Model){
			func(m runtime.Model) { m.NaturalGradient(v, z) },
			func(m runtime.Model) { m.Gradients(v, c, z) },
			func(m runtime.Model) { m.Loss(z) },
		} {
			a, b := best(func() { f(one) }), best(func() { f(other) })
			ratios, times = append(ratios, float64(a)/float64(b)), append(times, b)
		}
		t.Logf("%-20s made in %8v; step %8v %5.2f, gradients %8v %5.2f, loss %8v %5.2f", name, made.Round(100*time.Microsecond),
			times[0], ratios[0], times[1], ratios[1], times[2], ratios[2])
	}
}

func rowsOf(t testing.TB, m runtime.Model, rows, length int) runtime.Data {
	request := estimate.SampleRequest{Rows: rows, Seed: 1, Fallback: length, Spread: true}
	for i := range m.Info().Parameters {
		if p := &m.Info().Parameters[i]; p.Shape == nil {
			x := 5.0
			if p.Type.Entry.Name == "unit" {
				x = 0.3
			}
			request.Set = append(request.Set, estimate.Value{Name: p.Name, Value: x})
		}
	}
	if m.Info().Components != "" {
		request.Components = 2
	}
	draws, err := estimate.Sample(m, request)
	if err != nil {
		t.Fatal(err)
	}
	return runtime.Data{Values: draws.Values, Columns: len(draws.Columns)}
}

// best is the shortest time of a call among several measurements.
func best(f func()) time.Duration {
	f()
	calls := 1
	for {
		began := time.Now()
		for range calls {
			f()
		}
		if time.Since(began) > time.Millisecond {
			break
		}
		calls *= 2
	}
	var times []time.Duration
	for range 7 {
		began := time.Now()
		for range calls {
			f()
		}
		times = append(times, time.Since(began)/time.Duration(calls))
	}
	return slices.Min(times)
}
