package engines

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/internal/librarytest"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/spec"
)

var (
	speed  = flag.Int("speed", 0, "rows of data with which to time interpreted steps against compiled ones")
	length = flag.Int("length", 3, "length of the dimensions then")
	table  = flag.String("table", "", "file for a table of the times")
)

// timed is a line of the table: times of compiled functions, and how many times as long interpreted ones take.
type timed struct {
	problem  string
	rows     int
	made     time.Duration // by derivation and a first call of each function
	compiled [4]time.Duration
	ratio    [4]float64
}

// stepsTimed are the steps of a run that is timed, and stepLength is so small that none has to be taken back.
const stepsTimed = 64

var stepLength = runtime.Constant{Step: 1e-6}

// steps returns a run of some steps of the method, as fits take them: natural gradients, gradients, and what the loop does itself.
func steps(t testing.TB, m runtime.Model, start []float64) func(v, c, z []float64) {
	var d runtime.Descender
	z := make([]float64, len(start))
	settings := runtime.Stochastic{Step: stepLength, AuxiliaryScale: stepLength, MaxSteps: stepsTimed, Workers: 1}
	return func(_, _, _ []float64) {
		copy(z, start)
		if r, err := d.Descend(context.Background(), m, z, &settings); err != nil || r.Iterations != stepsTimed {
			t.Fatal(m.Info().Name, r, err)
		}
	}
}

// functions are what is timed: of a posterior whose bound is known without draws, that bound.
func functions(m runtime.Model) []func(v, c, z []float64) {
	if x, ok := m.(runtime.Exact); ok {
		return []func(v, c, z []float64){
			func(v, _, z []float64) { m.NaturalGradient(v, z) },
			func(v, c, z []float64) { x.ExactGradients(v, c, z) },
			func(_, _, z []float64) { x.ExactLoss(z) }}
	}
	return []func(v, c, z []float64){
		func(v, _, z []float64) { m.NaturalGradient(v, z) },
		func(v, c, z []float64) { m.Gradients(v, c, z) },
		func(_, _, z []float64) { m.Loss(z) }}
}

// Steps of interpreted models are timed against compiled ones, where that is asked for:
//
//	go test ./tests/engines -run TestSpeed -speed 1000 -table TABLE.md
func TestSpeed(t *testing.T) {
	if *speed == 0 {
		t.Skip("no number of rows is given")
	}
	var lines []timed
	for _, name := range spec.Library().Compiled() {
		compiled, _ := generated.Lookup(name)
		if line := timeOne(t, name, compiled()); line != nil {
			lines = append(lines, *line)
		}
	}
	text := tableOf(lines)
	t.Log("\n" + text)
	if *table != "" {
		if err := os.WriteFile(*table, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func timeOne(t *testing.T, name string, compiled runtime.Model) *timed {
	d := librarytest.Data(t, compiled, *speed, *length)
	began := time.Now()
	one := ready(t, librarytest.Interpreted(t, name)(), d)
	line := timed{problem: name, rows: *speed, made: time.Since(began)}
	other := ready(t, compiled, d)
	n := 0
	for _, b := range other.Blocks() {
		n += b.Len
	}
	z, v, c := make([]float64, n), make([]float64, n), make([]float64, n)
	if err := other.Start(z, 0, rand.New(rand.NewPCG(1, 2))); err != nil {
		t.Error(name, err)
		return nil
	}
	began = time.Now()
	for _, f := range functions(one) {
		f(v, c, z)
	}
	line.made += time.Since(began)
	interpreted := append([]func(v, c, z []float64){steps(t, one, z)}, functions(one)...)
	for k, f := range append([]func(v, c, z []float64){steps(t, other, z)}, functions(other)...) {
		slow, fast := best(func() { interpreted[k](v, c, z) }, func() { f(v, c, z) })
		line.compiled[k], line.ratio[k] = fast, float64(slow)/float64(fast)
	}
	line.compiled[0] /= stepsTimed
	return &line
}

// tableOf writes the table, in Markdown.
func tableOf(lines []timed) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Interpreted steps\n\nTimes of the functions of compiled packages, and how many times as long the engine takes, on %[1]d rows\n"+
		"with dimensions of %[2]d and 2 components, both in one process by turns, the least of %[3]d measurements each. *Made* is the time from the text of a spec\n"+
		"to the first step: derivation, and compiling to the engine's code. *Step* is one of SNGD over all rows, as a fit takes it (`runtime.Descend`), with its\n"+
		"gradient, its test of the domain in every tenth, and what the loop does itself; the other columns are calls of `NaturalGradient`, `Gradients` and `Loss`.\n"+
		"Of posteriors whose bound is known without draws, the last two are those of that. What takes some nanoseconds is a call and little else; the engine\n"+
		"takes 20 to 25 ns for a call.\n\n"+
		"    go test ./tests/engines -run TestSpeed -speed %[1]d -length %[2]d -table TABLE.md\n\n", *speed, *length, measurements)
	w := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| problem\t| made\t| step\t| ratio\t| direction\t| ratio\t| gradients\t| ratio\t| loss\t| ratio\t|")
	fmt.Fprintln(w, "| ---\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t|")
	for _, l := range lines {
		fmt.Fprintf(w, "| %s\t| %.0f ms\t", l.problem, l.made.Seconds()*1000)
		for k, at := range l.compiled {
			fmt.Fprintf(w, "| %v\t| %.2f\t", at, l.ratio[k])
		}
		fmt.Fprintln(w, "|")
	}
	w.Flush()
	return b.String()
}

// measurements are made of each function: other programs take the processor from most of them.
const measurements = 60

// best are the shortest times of calls of two functions, measured by turns.
func best(f, g func()) (a, b time.Duration) {
	measures := []func() time.Duration{measure(f), measure(g)}
	var times [2][]time.Duration
	for range measurements {
		for k, m := range measures {
			times[k] = append(times[k], m())
		}
	}
	return slices.Min(times[0]), slices.Min(times[1])
}

// measure returns what measures a call, by so many of them that it takes a millisecond.
func measure(f func()) func() time.Duration {
	clock := func(calls int) time.Duration {
		began := time.Now()
		for range calls {
			f()
		}
		return time.Since(began)
	}
	calls := 1
	for clock(calls) < time.Millisecond {
		calls *= 2
	}
	return func() time.Duration { return clock(calls) / time.Duration(calls) }
}
