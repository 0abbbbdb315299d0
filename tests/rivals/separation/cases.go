package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/tests/rivals"
)

//go:embed sets.csv
var setsCSV []byte

//go:embed sets.R
var setsR []byte

// set is a data set, of which sets.R writes y, perhaps what else there is of a response, and predictors, for a distribution.
type set struct {
	Name, Package, Object, Family, Response string
	data                                    string // what sets.R calls it
	rows                                    []int  // how many are drawn, in turn
}

// example is a regression of some rows on some columns, as oracle.py reads it too.
type example struct {
	Name    string   `json:"name"`
	Family  string   `json:"family"`
	File    string   `json:"file"`
	Columns []string `json:"columns"` // besides the intercept
	SHA256  string   `json:"sha256"`  // of the file
	Support []int    `json:"support"` // coefficients that sngdgen says to go to infinity

	set    *set
	y      []float64
	beside map[string][]float64 // what there is of the response besides y
	x      [][]float64          // of each row, the intercept first
	report *report
}

func sets() ([]*set, error) {
	records, err := rivals.Records(setsCSV)
	if err != nil {
		return nil, fmt.Errorf("sets.csv: %w", err)
	}
	out := make([]*set, len(records))
	for i, r := range records {
		s := &set{Name: r["name"], Package: r["package"], Object: r["object"], Family: r["family"], Response: r["response"], data: r["data"]}
		for _, text := range strings.Fields(r["rows"]) {
			n, err := strconv.Atoi(text)
			if err != nil {
				return nil, fmt.Errorf("sets.csv, %s: %w", s.Name, err)
			}
			s.rows = append(s.rows, n)
		}
		out[i] = s
	}
	return out, nil
}

// most is how many rows a data set may have of which all are a case as well.
const most = 1000

// prepare exports the data sets if the cache lacks one, draws the cases, and writes their files.
func (o *options) prepare(ctx context.Context) ([]*example, error) {
	list, err := sets()
	if err != nil {
		return nil, err
	}
	folder := o.bench.Path("separation")
	if err := os.MkdirAll(o.bench.Path("separation", "cases"), 0o755); err != nil {
		return nil, err
	}
	missing := func(s *set) bool {
		_, err := os.Stat(o.bench.Path("separation", s.data+".csv"))
		return err != nil
	}
	if slices.ContainsFunc(list, missing) {
		if err := o.bench.R(ctx, "separation-sets.R", setsR, "data", folder); err != nil {
			return nil, fmt.Errorf("sets.R: %w", err)
		}
	}
	var out []*example
	for _, s := range list {
		if missing(s) {
			fmt.Fprintf(o.bench.Progress, "%s: no data\n", s.Name)
			continue
		}
		data, err := rivals.Read(o.bench.Path("separation", s.data+".csv"), nil)
		if err != nil {
			return nil, err
		}
		rng := runtime.Stream(o.seed, "separation "+s.Name)
		if s.family().positive {
			data.Rows = slices.DeleteFunc(data.Rows, func(row []float64) bool { return row[0] == 0 })
		}
		if len(data.Rows) <= most {
			out = append(out, s.example(data, "all", series(len(data.Rows)), predictors(data)))
		}
		for i := range o.draws {
			out = append(out, s.draw(data, rng, i))
		}
	}
	for _, e := range out {
		if err := e.save(o.bench.Path("separation", "cases", e.Name+".csv")); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *set) family() *family { return (&example{Family: s.Family}).family() }

func series(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// draw chooses rows, and all predictors in half of the cases, else some.
func (s *set) draw(data *rivals.Data, rng *rand.Rand, i int) *example {
	for {
		rows := rng.Perm(len(data.Rows))[:min(s.rows[i%len(s.rows)], len(data.Rows))]
		columns := predictors(data)
		if i%2 == 1 {
			rng.Shuffle(len(columns), func(a, b int) { columns[a], columns[b] = columns[b], columns[a] })
			columns = columns[:1+rng.IntN(len(columns))]
		}
		slices.Sort(rows)
		slices.Sort(columns)
		if e := s.example(data, fmt.Sprintf("%02d", i+1), rows, columns); len(e.Columns) > 0 && e.varies() {
			return e
		}
	}
}

// Columns of a response besides y: how many trials there were, whether a time ended by an event, which kind of observation it is, and where an interval ends that begins at y.
const (
	trials = "trials"
	event  = "event"
	kind   = "kind"
	until  = "until"
)

var besides = []string{trials, event, kind, until}

// predictors are the columns that are no part of the response.
func predictors(data *rivals.Data) []int {
	return slices.DeleteFunc(series(len(data.Columns))[1:], func(c int) bool { return slices.Contains(besides, data.Columns[c]) })
}

// varies reports whether there is something to explain, where categories or another parameter need it.
func (e *example) varies() bool {
	f := e.family()
	return (!f.categories && !f.shape || slices.Max(e.y) > slices.Min(e.y)) && (f.sides == nil || e.bounds())
}

// recode calls the levels that occur 1, 2 and so on.
func (e *example) recode() {
	levels := slices.Compact(slices.Sorted(slices.Values(e.y)))
	for i, y := range e.y {
		e.y[i] = float64(1 + slices.Index(levels, y))
	}
}

// dependent is how much of a column, relative to its length, may be left that the columns before it do not have, if it is left out.
const dependent = 1e-7

// example takes rows and columns, but for those that the others determine, and fewer than there are rows.
func (s *set) example(data *rivals.Data, name string, rows, columns []int) *example {
	e := &example{Name: s.Name + "-" + name, Family: s.Family, Support: []int{}, set: s, beside: map[string][]float64{}}
	for _, r := range rows {
		e.y = append(e.y, data.Rows[r][0])
		e.x = append(e.x, []float64{1})
	}
	for _, name := range besides {
		if c := slices.Index(data.Columns, name); c >= 0 {
			for _, r := range rows {
				e.beside[name] = append(e.beside[name], data.Rows[r][c])
			}
		}
	}
	if e.family().categories {
		e.recode()
	}
	all := rows
	if e.family().parts {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r int) bool { return data.Rows[r][0] == 0 })
	}
	root := 1 / math.Sqrt(float64(len(rows)))
	ones := make([]float64, len(rows))
	for i := range ones {
		ones[i] = root
	}
	basis := [][]float64{ones}
	for _, c := range columns {
		v := make([]float64, len(rows))
		for i, r := range rows {
			v[i] = data.Rows[r][c]
		}
		length := floats.Norm(v, 2)
		for range 2 {
			for _, b := range basis {
				floats.AddScaled(v, -floats.Dot(v, b), b)
			}
		}
		if left := floats.Norm(v, 2); len(basis)+1 < len(rows) && left > dependent*length {
			floats.Scale(1/left, v)
			basis = append(basis, v)
			e.Columns = append(e.Columns, data.Columns[c])
			for i, r := range all {
				e.x[i] = append(e.x[i], data.Rows[r][c])
			}
		}
	}
	return e
}

// centred is the same case with columns less their means.
func (e *example) centred() *example {
	c := *e
	c.x = make([][]float64, len(e.x))
	for i := range e.x {
		c.x[i] = slices.Clone(e.x[i])
	}
	for j := 1; j < len(e.x[0]); j++ {
		sum := 0.0
		for _, x := range e.x {
			sum += x[j]
		}
		for _, x := range c.x {
			x[j] -= sum / float64(len(e.x))
		}
	}
	return &c
}

// save writes the rows.
func (e *example) save(file string) error {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	given := []string{"y"}
	for _, name := range besides {
		if e.beside[name] != nil {
			given = append(given, name)
		}
	}
	w.Write(append(slices.Clone(given), e.Columns...))
	for i, x := range e.x {
		row := []string{strconv.FormatFloat(e.y[i], 'g', -1, 64)}
		for _, name := range given[1:] {
			row = append(row, strconv.FormatFloat(e.beside[name][i], 'g', -1, 64))
		}
		for _, v := range x[1:] {
			row = append(row, strconv.FormatFloat(v, 'g', -1, 64))
		}
		w.Write(row)
	}
	w.Flush()
	sum := sha256.Sum256(b.Bytes())
	e.File, e.SHA256 = file, hex.EncodeToString(sum[:])[:16]
	return os.WriteFile(file, b.Bytes(), 0o644)
}
