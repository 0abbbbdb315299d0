// Command sequences compares models of sequences with statsmodels, arch and hmmlearn, whose answers answers.py has written: the table
// has times of one log-likelihood and of one with its gradient, by generated code and interpreted by the engine, for lengths from 1e2 to 1e6.
//
//	go run ./tests/rivals/sequences
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/engine"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/spec"
)

// answer is what another program says of a model.
type answer struct {
	Data     string
	At       []float64
	LogLik   float64
	Estimate []float64
	Best     float64
	Seconds  map[string]float64
}

func answers(folder string) (map[string]answer, error) {
	text, err := os.ReadFile(folder + "answers.json")
	if err != nil {
		return nil, err
	}
	var out map[string]answer
	return out, json.Unmarshal(text, &out)
}

// column reads a file of one column.
func column(file string) ([]float64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []float64
	for _, line := range strings.Fields(string(text))[1:] {
		x, err := strconv.ParseFloat(line, 64)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

// states is at the end of the names of models that have so many, whatever their spec pins.
var states = regexp.MustCompile("[0-9]+$")

// pinned is the line of a spec that says how many states there are.
var pinned = regexp.MustCompile("dimensions: {k: [0-9]+}")

// problem is that of a spec of the gallery.
func problem(folder, name string) (*spec.Problem, error) {
	file := filepath.Join(folder, "..", "..", "..", "spec", "library", "models", states.ReplaceAllString(name, "")+".yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if k := states.FindString(name); k != "" {
		text = pinned.ReplaceAll(text, []byte("dimensions: {k: "+k+"}"))
	}
	f, faults := spec.ParseOnDisk(file, text)
	if faults.HasErrors() {
		return nil, fmt.Errorf("%s", faults.String())
	}
	return f.Problems[0], nil
}

// model is an interpreted model on data.
func model(folder, name string, x []float64) (runtime.Model, error) {
	p, err := problem(folder, name)
	if err != nil {
		return nil, err
	}
	make, diags, unsupported := engine.Interpreted(context.Background(), p, gen.Options{Source: p.Source.Name})
	if diags.HasErrors() {
		return nil, fmt.Errorf("%s", diags.String())
	}
	if unsupported != nil {
		return nil, unsupported
	}
	m := make()
	return m, m.SetData(runtime.Data{Values: x, Columns: 1})
}

// rows are as many rows as a model may have.
func rows(m string, n int) []float64 {
	rng, x := rand.New(rand.NewPCG(1, 2)), make([]float64, n)
	for i := range x {
		if x[i] = rng.NormFloat64(); strings.Contains(m, "poisson") {
			x[i] = float64(5 + rng.IntN(30))
		}
	}
	return x
}

// enough is the time for which something short is repeated.
const enough = 20 * time.Millisecond

// clock is the least of some times.
func clock(f func()) float64 {
	f()
	best := time.Duration(1 << 62)
	for begun, i := time.Now(), 0; i < 3 || time.Since(begun) < enough; i++ {
		begin := time.Now()
		f()
		best = min(best, time.Since(begin))
	}
	return best.Seconds()
}

// times are the seconds of a log-likelihood, and of one with its gradient.
type times struct{ Loss, Gradients float64 }

// timed takes the times of a model on data, at its start.
func timed(m runtime.Model) (times, error) {
	last := m.Blocks()[len(m.Blocks())-1]
	z := make([]float64, last.Offset+last.Len)
	if err := m.Start(z, 0, nil); err != nil {
		return times{}, err
	}
	v, c := make([]float64, len(z)), make([]float64, len(z))
	return times{clock(func() { m.Loss(z) }), clock(func() { m.Gradients(v, c, z) })}, nil
}

// lengths are the numbers of rows.
var lengths = []int{100, 1000, 10_000, 100_000, 1_000_000}

func main() {
	if err := run("tests/rivals/sequences/"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(folder string) error {
	known, err := answers(folder)
	if err != nil {
		return err
	}
	compiled, err := generatedTimes(folder, slices.Sorted(maps.Keys(known)))
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("# Sequences\n\nWritten by `go run ./tests/rivals/sequences`; answers of others by `answers.py`. Microseconds of one log-likelihood, and of one with all\n" +
		"derivatives, by generated code and by interpreted models; the others compute the log-likelihood alone (statsmodels and arch in compiled\n" +
		"code, hmmlearn in C++), of as many rows. The last column is their time over that of generated code.\n\n" +
		"| model | rows | log-likelihood, generated | with gradient, generated | interpreted | with gradient, interpreted | the other | ratio |\n" +
		"| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, name := range slices.Sorted(maps.Keys(known)) {
		for i, n := range lengths {
			m, err := model(folder, name, rows(name, n))
			if err != nil {
				return err
			}
			t, err := timed(m)
			if err != nil {
				return err
			}
			own := compiled[name][i]
			other, ratio := "", ""
			if s := known[name].Seconds[strconv.Itoa(n)]; s > 0 {
				other, ratio = fmt.Sprintf("%.4g", s*1e6), fmt.Sprintf("%.2g", s/own.Loss)
			}
			fmt.Fprintf(&b, "| %s | %d | %.4g | %.4g | %.4g | %.4g | %s | %s |\n", name, n, own.Loss*1e6, own.Gradients*1e6, t.Loss*1e6, t.Gradients*1e6, other, ratio)
		}
	}
	return os.WriteFile(folder+"TABLE.md", []byte(b.String()), 0o644)
}
