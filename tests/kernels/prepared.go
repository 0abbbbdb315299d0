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

// prepared is a function over slices of what has been prepared for a parameter. Without kernels it is the method of one number.
type prepared struct {
	name      string
	tables    []string // of numbers, parameters and values
	of        func(parameter float64) func(dst, x []float64)
	parameter float64 // where its time is measured, for numbers that draw gives of one between 0 and 1
	draw      func(u float64) float64
	domain    string
	special   string
	condition bool // errors are those of lgamma_diff, which has roots: units of the value times its condition number, see special.LgammaDiff
}

// The tables of the differences, but for that of fractions below 16, which functions of one number compute.
var farAndWhole = func(name string) []string { return []string{name + "_far", name + "_whole"} }

func counts(u float64) float64 { return math.Floor(60 * u) }

func centred(u float64) float64 { return 10*u - 5 }

func ofGammas(f func(dst, x []float64, g *special.GammaDiffs)) func(float64) func(dst, x []float64) {
	g := new(special.GammaDiffs)
	return func(r float64) func(dst, x []float64) {
		g.Prepare(r, 1e4)
		return func(dst, x []float64) { f(dst, x, g) }
	}
}

func ofStudent(f func(dst, x []float64, t *special.TDistribution)) func(float64) func(dst, x []float64) {
	t := new(special.TDistribution)
	return func(nu float64) func(dst, x []float64) {
		t.Prepare(nu, 1e4)
		return func(dst, x []float64) { f(dst, x, t) }
	}
}

var (
	asideMemory, moreMemory []float64
	preparedFunctions       = []prepared{
		{"lgamma_diff, prepared", farAndWhole("lgammadiff"), ofGammas(special.LgammaDiffs), 2.5, counts, "x >= 0, r >= 0: counts, and x > 16", "0 at 0, Inf at Inf, NaN below 0", true},
		{"digamma_diff, prepared", farAndWhole("digammadiff"), ofGammas(special.DigammaDiffs), 2.5, counts, "x >= 0, r >= 0: counts, and x > 16", "0 at 0, Inf at Inf, NaN below 0", false},
		{"lgamma_diff with digamma_diff, prepared", farAndWhole("lgammadiff"), ofGammas(func(dst, x []float64, g *special.GammaDiffs) {
			special.LgammaDigammaDiffs(dst, room(&asideMemory, len(dst)), x, g)
		}), 2.5, counts, "x >= 0, r >= 0: counts, and x > 16", "as those of each", true},
		{"t_logpdf, prepared", []string{"tlogpdf"}, ofStudent(special.TLogPDFs), 4.5, centred, "all numbers, nu > 0", "-Inf at -Inf and Inf", false},
		{"t_logcdf, prepared", []string{"tlogcdf"}, ofStudent(special.TLogCDFs), 4.5, centred, "all numbers, nu > 0", "-Inf at -Inf, 0 at Inf", false},
		{"t_ratio, prepared", []string{"tratio"}, ofStudent(special.TRatios), 4.5, centred, "all numbers, nu > 0", "0 at -Inf and Inf", false},
		{"t_logcdf with t_ratio and t_logcdf_dnu, prepared", []string{"tlogcdf"}, ofStudent(func(dst, x []float64, t *special.TDistribution) {
			special.TLogCDFRatioDNus(dst, room(&asideMemory, len(dst)), room(&moreMemory, len(dst)), x, t)
		}), 4.5, centred, "all numbers, nu > 0", "as those of each", false},
	}
)

// pointOf is exact arguments, and the value to 30 digits.
type pointOf struct {
	x, parameter float64
	want         *big.Float
}

// pointsOf reads the tables of a function of two numbers.
func (f prepared) points(tables fs.FS) ([]pointOf, error) {
	var out []pointOf
	for _, name := range f.tables {
		file, err := tables.Open("special/testdata/" + name + ".tsv")
		if err != nil {
			return nil, err
		}
		defer file.Close()
		for s := bufio.NewScanner(file); s.Scan(); {
			fields := strings.Fields(s.Text())
			if len(fields) != 3 {
				return nil, fmt.Errorf("%s: %q", name, s.Text())
			}
			x, err := strconv.ParseFloat(fields[0], 64)
			if err != nil {
				return nil, err
			}
			parameter, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				return nil, err
			}
			want, _, err := big.ParseFloat(fields[2], 10, 120, big.ToNearestEven)
			if err != nil {
				return nil, err
			}
			out = append(out, pointOf{x, parameter, want})
		}
	}
	return out, nil
}

// accuracies are the worst errors on all levels of the processor, as the table has them.
func (f prepared) accuracies(tables fs.FS) (map[vector.Level]string, error) {
	points, err := f.points(tables)
	if err != nil {
		return nil, err
	}
	defer vector.Use(vector.Active())
	out := map[vector.Level]string{}
	for _, l := range levels() {
		vector.Use(l)
		largest := 0.0
		for _, p := range points {
			x := []float64{p.x}
			f.of(p.parameter)(x, x)
			largest = max(largest, ulps(x[0], p.want)*f.share(p))
		}
		out[l] = shown(largest)
	}
	return out, nil
}

// share is what an error in units of the value is in those that the table is about.
func (f prepared) share(p pointOf) float64 {
	want, _ := p.want.Float64()
	if !f.condition || p.parameter >= 3 || want == 0 {
		return 1
	}
	size := math.Abs(p.x*special.Digamma(p.x+p.parameter)) + p.parameter*special.DigammaDiff(p.x, p.parameter)
	return min(1, unit(want)/unit(size))
}

// unit is the distance to the next larger number.
func unit(x float64) float64 { return math.Nextafter(math.Abs(x), math.Inf(1)) - math.Abs(x) }

// preparedTable prints the lines of these functions.
func preparedTable(tables fs.FS, rounds int) error {
	for _, f := range preparedFunctions {
		accuracies, err := f.accuracies(tables)
		if err != nil {
			return err
		}
		const n = 256
		x, dst := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = f.draw(math.Mod(float64(i)*math.Phi, 1))
		}
		run := f.of(f.parameter)
		times := measure(func() { run(dst, x) }, levels(), rounds)
		for i, l := range levels() {
			fmt.Printf("| %s | %v | %s | %s | %s | %.2f |\n", f.name, l, accuracies[l], f.domain, f.special, times[i]/n*1e9)
		}
	}
	return nil
}
