package main

import (
	"bufio"
	"fmt"
	"io/fs"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/runtime/special"
	"github.com/sngdgen/sngdgen/runtime/vector"
)

// function is one over slices, beside the function of one number that stands for it without kernels.
type function struct {
	name     string
	slices   func(dst, x []float64)
	one      func(x float64) float64
	from, to float64 // where its time is measured
	domain   string
	special  string
}

var functions = []function{
	{"exp", vector.Exp, math.Exp, -10, 10, "all numbers", "exp(-Inf) = 0, exp(Inf) = Inf; subnormal numbers are rounded once"},
	{"log", vector.Log, math.Log, 0.01, 100, "x >= 0, also subnormal", "log(0) = -Inf, log(Inf) = Inf, NaN below 0"},
	{"expm1", vector.Expm1, math.Expm1, -2, 2, "all numbers", "expm1(-Inf) = -1, expm1(Inf) = Inf, keeps -0"},
	{"log1p", vector.Log1p, math.Log1p, -0.9, 3, "x >= -1", "log1p(-1) = -Inf, log1p(Inf) = Inf, NaN below -1, keeps -0"},
	{"sigmoid", vector.Sigmoid, special.Sigmoid, -10, 10, "all numbers", "sigmoid(-Inf) = 0, sigmoid(Inf) = 1"},
	{"softplus", vector.Softplus, special.Softplus, -10, 10, "all numbers", "softplus(-Inf) = 0, softplus(Inf) = Inf"},
	{"logndtr", first(vector.LogNdtrRatio), special.LogNdtr, -10, 10, "all numbers, with its ratio", "logndtr(-Inf) = -Inf, logndtr(Inf) = 0"},
	{"ndtrratio", second(vector.LogNdtrRatio), special.NdtrRatio, -10, 10, "all numbers, with the logarithm", "ndtrratio(-Inf) = Inf, ndtrratio(Inf) = 0"},
}

// first and second are one of the results of a kernel that has two: their times are those of both.
func first(f func(first, second, x []float64)) func(dst, x []float64) {
	var other []float64
	return func(dst, x []float64) { f(dst, room(&other, len(dst)), x) }
}

func second(f func(first, second, x []float64)) func(dst, x []float64) {
	var other []float64
	return func(dst, x []float64) { f(room(&other, len(dst)), dst, x) }
}

// room is memory for so many numbers.
func room(memory *[]float64, n int) []float64 {
	if len(*memory) < n {
		*memory = make([]float64, n)
	}
	return (*memory)[:n]
}

// point is an exact argument, and the value to 30 digits.
type point struct {
	x    float64
	want *big.Float
}

// points reads the table of a function, which mpmath has made.
func points(tables fs.FS, name string) ([]point, error) {
	file, err := tables.Open("vector/testdata/" + name + ".tsv")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var out []point
	for s := bufio.NewScanner(file); s.Scan(); {
		left, right, _ := strings.Cut(s.Text(), "\t")
		x, err := strconv.ParseFloat(left, 64)
		if err != nil {
			return nil, err
		}
		want, _, err := big.ParseFloat(right, 10, 120, big.ToNearestEven)
		if err != nil {
			return nil, err
		}
		out = append(out, point{x, want})
	}
	return out, nil
}

// ulps is how far a value is from the true one, in distances from that to the next larger number.
func ulps(got float64, want *big.Float) float64 {
	if got != got {
		return math.Inf(1)
	}
	w, _ := want.Float64()
	w = math.Abs(w)
	gap := math.Nextafter(w, math.Inf(1)) - w
	if w == math.MaxFloat64 {
		gap = w - math.Nextafter(w, 0)
	}
	off, _ := new(big.Float).Sub(new(big.Float).SetPrec(160).SetFloat64(got), want).Float64()
	return math.Abs(off) / gap
}

// worst is the largest error of a function over the points, in units in the last place.
func worst(p []point, run func(dst, x []float64)) float64 {
	x, got := make([]float64, len(p)), make([]float64, len(p))
	for i := range p {
		x[i] = p[i].x
	}
	run(got, x)
	largest := 0.0
	for i := range p {
		largest = max(largest, ulps(got[i], p[i].want))
	}
	return largest
}

// on is the function on a level.
func (f function) on(l vector.Level) func(dst, x []float64) {
	if l == vector.Go {
		return func(dst, x []float64) {
			for i, v := range x {
				dst[i] = f.one(v)
			}
		}
	}
	return f.slices
}

// accuracies are the worst errors of a function on all levels of the processor, as the table has them.
func (f function) accuracies(tables fs.FS) (map[vector.Level]string, error) {
	p, err := points(tables, f.name)
	if err != nil {
		return nil, err
	}
	defer vector.Use(vector.Active())
	out := map[vector.Level]string{}
	for _, l := range levels() {
		vector.Use(l)
		out[l] = shown(worst(p, f.on(l)))
	}
	return out, nil
}

// shown is an error in the table.
func shown(e float64) string {
	if e > 100 {
		return fmt.Sprintf("%.1g", e)
	}
	return fmt.Sprintf("%.2f", e)
}

// functionTable prints the table of functions: their times are those of slices of 256 numbers.
func functionTable(tables fs.FS, rounds int) error {
	fmt.Print("| function | level | worst ulp | arguments | ends | ns a number |\n| --- | --- | ---: | --- | --- | ---: |\n")
	for _, f := range functions {
		accuracies, err := f.accuracies(tables)
		if err != nil {
			return err
		}
		const n = 256
		x, dst := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = f.from + (f.to-f.from)*math.Mod(float64(i)*math.Phi, 1)
		}
		times := measure(func() {
			f.on(vector.Active())(dst, x)
		}, levels(), rounds)
		for i, l := range levels() {
			fmt.Printf("| %s | %v | %s | %s | %s | %.2f |\n", f.name, l, accuracies[l], f.domain, f.special, times[i]/n*1e9)
		}
	}
	return preparedTable(tables, rounds)
}
