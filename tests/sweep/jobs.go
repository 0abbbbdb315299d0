package main

import (
	"encoding/csv"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// file is an exported file, and what decides which distributions take it.
type file struct {
	Name     string // without folder and .csv: PACKAGE-OBJECT-SHAPE, and -COLUMN for one column
	Path     string
	Names    []string // of the columns
	Columns  int
	Rows     int
	Distinct int // different rows
	Mode     int // rows that are equal to the most frequent one
	low      float64
	high     float64
	whole    bool   // integers only
	content  uint64 // hash of the numbers: packages share data sets
}

func (f *file) part(i int) string { return strings.SplitN(f.Name, "-", 4)[i] }

// read returns the names of the columns of a file, and its rows.
func read(path string) (names []string, rows [][]float64, err error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	lines, err := csv.NewReader(in).ReadAll()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	rows = make([][]float64, len(lines)-1)
	for i, line := range lines[1:] {
		rows[i] = make([]float64, len(line))
		for j, s := range line {
			if rows[i][j], err = strconv.ParseFloat(s, 64); err != nil {
				return nil, nil, fmt.Errorf("%s, row %d: %w", path, i+1, err)
			}
		}
	}
	return lines[0], rows, nil
}

// describe looks at the numbers of a file.
func describe(name, path string, names []string, rows [][]float64) *file {
	f := &file{Name: name, Path: path, Names: names, Columns: len(rows[0]), Rows: len(rows), low: math.Inf(1), high: math.Inf(-1), whole: true}
	hash := fnv.New64a()
	count := map[string]int{}
	for _, row := range rows {
		text := fmt.Sprint(row)
		hash.Write([]byte(text))
		count[text]++
		f.Mode = max(f.Mode, count[text])
		for _, x := range row {
			f.low, f.high = min(f.low, x), max(f.high, x)
			f.whole = f.whole && x == math.Trunc(x)
		}
	}
	f.Distinct, f.content = len(count), hash.Sum64()
	return f
}

// scan describes the files of a folder, in an order in which the packages take turns: a few of them have most of the columns. What comes
// first of a package is decided by a hash of the names, so that it stays the same when other packages are installed.
func scan(folder string) ([]*file, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*-*-*.csv"))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	var files []*file
	seen := map[uint64]bool{}
	for _, path := range paths {
		names, rows, err := read(path)
		if err != nil {
			return nil, err
		}
		f := describe(strings.TrimSuffix(filepath.Base(path), ".csv"), path, names, rows)
		if !seen[f.content] {
			seen[f.content] = true
			files = append(files, f)
		}
	}
	return inTurns(files), nil
}

func inTurns(files []*file) []*file {
	rank := func(name string) uint64 {
		h := fnv.New64a()
		h.Write([]byte(name))
		return h.Sum64() * 0x9e3779b97f4a7c15 >> 16 // the last letters alone move the low bits of the hash
	}
	slices.SortFunc(files, func(a, b *file) int {
		if ra, rb := rank(a.Name), rank(b.Name); ra != rb {
			return map[bool]int{true: -1, false: 1}[ra < rb]
		}
		return strings.Compare(a.Name, b.Name)
	})
	turn := map[*file]int{}
	next := map[string]int{}
	for _, f := range files {
		group := f.part(0) + "-" + f.part(2)
		turn[f] = next[group]
		next[group]++
	}
	slices.SortStableFunc(files, func(a, b *file) int { return turn[a] - turn[b] })
	return files
}

// job is a fit of a distribution to a file.
type job struct {
	Family     string
	Components int    // of a mixture, otherwise 0
	Predictors string // of the first column: "" for a distribution without, "1" for none, "x" for all other columns
	file       *file
}

// Label is the distribution with the number of components or with what predicts it.
func (j *job) Label() string {
	switch {
	case j.Components > 0:
		return fmt.Sprintf("%s%d", j.Family, j.Components)
	case j.Predictors != "":
		return j.Family + "~" + j.Predictors
	}
	return j.Family
}

// Key names a job, and the file of its results.
func (j *job) Key() string { return j.Label() + "@" + j.file.Name }

// arguments of the command, without the folder of the data where a table shows them.
func (j *job) arguments(path string) []string {
	args := []string{"fit", j.Family, path}
	switch {
	case j.Components > 0:
		args = append(args, "--components", strconv.Itoa(j.Components))
	case j.Predictors == "1":
		args = append(args, "--formula", j.file.Names[0]+" ~ 1")
	case j.Predictors == "x":
		args = append(args, "--formula", j.file.Names[0]+" ~ "+strings.Join(j.file.Names[1:], " + "))
	}
	return args
}

// plan is a kind of file, the fits of it, and how many files are taken.
type plan struct {
	shape    string
	takes    func(f *file) bool
	fits     string // with the number of components after a colon, or with predictors after a tilde
	atMost   int
	mostRows int // 0 for any
}

func anything(*file) bool      { return true }
func positive(f *file) bool    { return f.low > 0 }
func notNegative(f *file) bool { return f.low >= 0 }
func inUnit(f *file) bool      { return f.low > 0 && f.high < 1 }
func counts(f *file) bool      { return f.whole && f.low >= 0 && f.high < 1e6 }

// plans are about two thousand jobs. Files of the same kind are taken from the same order, so that contained families meet on them.
var plans = []plan{
	{"1", anything, "normal studentt skewnormal skewt", 100, 0},
	{"1", anything, "gumbel~1", 45, 0},
	{"1", positive, "gamma inversegamma", 45, 0},
	{"1", positive, "inverse_gaussian~1 log_normal~1", 45, 0},
	{"1", notNegative, "tobit~1 hurdle_gamma~1", 20, 5000},
	{"1", inUnit, "beta beta_mean~1", 30, 0},
	{"1", counts, "negbin poisson~1 zero_inflated_poisson~1 zero_inflated_negative_binomial~1 hurdle_poisson~1", 60, 0},
	{"1", counts, "negbinmix:2 negbinmix:3", 30, 5000},
	{"1", anything, "normalmix:2 normalmix:3", 25, 5000},
	{"1", positive, "gammamix:2 gammamix:3", 20, 5000},
	{"1", anything, "autoregression garch locallevel normalhmm", 20, 2000},
	{"2", anything, "mvnormal mvstudentt skewnormal skewt", 30, 0},
	{"2", anything, "mvnormalmix:2 mvstudenttmix:2 skewnormalmix:2", 15, 5000},
	{"2", anything, "normal~x student_t~x gumbel~x", 20, 5000},
	{"2", counts, "poisson~x negative_binomial_mean~x zero_inflated_poisson~x", 20, 5000},
	{"2", positive, "gamma_mean~x inverse_gaussian~x log_normal~x", 20, 5000},
	{"4", anything, "mvnormal mvstudentt skewnormal skewt", 20, 5000},
	{"4", anything, "factoranalysis mvnormalmix:2", 15, 5000},
	{"4", anything, "normal~x student_t~x", 20, 5000},
	{"all", anything, "mvnormal mvstudentt skewnormal skewt", 15, 5000},
	{"u2", anything, "gaussiancopula tcopula", 20, 5000},
	{"u4", anything, "gaussiancopula tcopula", 10, 5000},
}

// list are the jobs of the plans, or a share of them, after another share has been left out: files that nobody has looked at yet.
func list(files []*file, skipped, share float64) (jobs []*job) {
	for _, p := range plans {
		skip, left := int(math.Ceil(skipped*float64(p.atMost))), int(math.Ceil(share*float64(p.atMost)))
		for _, f := range files {
			if left == 0 {
				break
			}
			if f.part(2) != p.shape || !p.takes(f) || p.mostRows > 0 && f.Rows > p.mostRows {
				continue
			}
			if skip > 0 {
				skip--
				continue
			}
			left--
			for _, fit := range strings.Fields(p.fits) {
				family, components, _ := strings.Cut(fit, ":")
				family, predictors, _ := strings.Cut(family, "~")
				k, _ := strconv.Atoi(components) // 0 where there is none
				jobs = append(jobs, &job{family, k, predictors, f})
			}
		}
	}
	return jobs
}
