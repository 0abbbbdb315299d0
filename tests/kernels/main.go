// Command kernels measures the linear algebra of runtime/dense on all levels of runtime/vector that the processor has, in
// turns in one process: the least of many times each, of the processor, in GFLOP/s, as a table of Markdown. With the path of a Python that has
// NumPy it asks NumPy for the same, with the BLAS that it brings along, on one thread.
//
//	go run ./tests/kernels [-python path] [-sizes 8,16,43] [-only Cholesky]
//	go run ./tests/kernels -functions runtime
//
// kernels.md has both tables; a test holds it to the errors of the functions.
package main

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	goruntime "runtime"
	"strconv"
	"strings"
	"time"

	"github.com/sngdgen/sngdgen/runtime/vector"
	"github.com/sngdgen/sngdgen/tests/paper/clock"
)

// rows are how many rows the blocks have.
const rows = 256

// operation is a function that is measured, of d, with the flops that it takes.
type operation struct {
	name  string
	numpy string // the name in numpy.py
	flops func(d float64) float64
	make  func(rng *rand.Rand, d int) func()
}

func main() {
	python := flag.String("python", "", "a Python with NumPy")
	sizes := flag.String("sizes", "8,16,43,64,128,300,1000", "dimensions")
	only := flag.String("only", "", "a part of the names of the operations")
	rounds := flag.Int("rounds", 15, "how many times the levels take turns")
	tables := flag.String("functions", "", "the folder runtime, below which tables of accuracy are: measure functions over slices")
	flag.Parse()
	if *tables != "" {
		if err := functionTable(os.DirFS(*tables), *rounds); err != nil {
			fmt.Fprintln(os.Stderr, "kernels:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*python, *sizes, *only, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "kernels:", err)
		os.Exit(1)
	}
}

func run(python, sizes, only string, rounds int) error {
	var dims []int
	for _, word := range strings.Split(sizes, ",") {
		d, err := strconv.Atoi(word)
		if err != nil || d < 1 {
			return fmt.Errorf("%q is no dimension", word)
		}
		dims = append(dims, d)
	}
	theirs, about, err := numpy(python, dims)
	if err != nil {
		return err
	}
	fmt.Printf("| operation | d |")
	for _, l := range levels() {
		fmt.Printf(" %v |", l)
	}
	fmt.Printf(" NumPy | ratio to go | ratio to NumPy |\n| --- |%s\n", strings.Repeat(" ---: |", len(levels())+4))
	for _, op := range operations {
		for _, d := range dims {
			if strings.Contains(op.name, only) {
				line(op, d, levels(), rounds, theirs[op.numpy][d])
			}
		}
	}
	if about != "" {
		fmt.Printf("\n%s\n", about)
	}
	return nil
}

// levels are those that there are up to the one in use, the best unless the environment says so.
func levels() []vector.Level {
	return []vector.Level{vector.Go, vector.AVX2, vector.AVX512}[:best+1]
}

var best = vector.Active()

// line prints a row of the table.
func line(op operation, d int, levels []vector.Level, rounds int, numpy float64) {
	times := measure(op.make(rand.New(rand.NewPCG(1, uint64(d))), d), levels, rounds)
	flops := op.flops(float64(d)) / 1e9
	fmt.Printf("| %s | %d |", op.name, d)
	for _, t := range times {
		fmt.Printf(" %.1f |", flops/t)
	}
	last := times[len(times)-1]
	if numpy > 0 {
		fmt.Printf(" %.1f | %.1f | %.1f |\n", flops/numpy, times[0]/last, numpy/last)
	} else {
		fmt.Printf(" - | %.1f | - |\n", times[0]/last)
	}
}

// measure gives the least time of the processor for a call on each level, in seconds.
func measure(f func(), levels []vector.Level, rounds int) []float64 {
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	defer vector.Use(vector.Active())
	least := make([]float64, len(levels))
	calls := make([]int, len(levels))
	for i, l := range levels {
		vector.Use(l)
		calls[i] = enough(f)
		least[i] = math.Inf(1)
	}
	for range rounds {
		for i, l := range levels {
			vector.Use(l)
			start := clock.Thread()
			for range calls[i] {
				f()
			}
			least[i] = min(least[i], (clock.Thread()-start).Seconds()/float64(calls[i]))
		}
	}
	return least
}

// enough is how many calls take a millisecond.
func enough(f func()) int {
	for n := 1; ; n *= 2 {
		start := clock.Thread()
		for range n {
			f()
		}
		if clock.Thread()-start > time.Millisecond {
			return n
		}
	}
}
