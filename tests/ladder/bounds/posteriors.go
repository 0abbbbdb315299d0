package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/sngdgen/sngdgen/runtime"
)

// posterior is a problem of the library with a file of docs/data.
type posterior struct {
	name, problem, file string
	columns             []column // of a row of the data; of eight schools all entries are one row
	whole               bool
}

// column is a number of a row.
type column func(row map[string]string) (float64, error)

// one is the column of an intercept.
func one(map[string]string) (float64, error) { return 1, nil }

// number is a column of the file, less shift, as a part of unit.
func number(name string, shift, unit float64) column {
	return func(row map[string]string) (float64, error) {
		x, err := strconv.ParseFloat(row[name], 64)
		return (x - shift) / unit, err
	}
}

// as is a column of the file as it is.
func as(name string) column { return number(name, 0, 1) }

// is indicates a level.
func is(name, level string) column {
	return func(row map[string]string) (float64, error) {
		if row[name] == level {
			return 1, nil
		}
		return 0, nil
	}
}

// posteriors are of logistic, Poisson, linear and robust regression, with groups and without, and with priors that shrink.
var posteriors = []posterior{
	{name: "nodal", problem: "logistic", file: "nodal", columns: []column{one, as("stage"), as("xray"), as("acid"), as("r")}},
	{name: "petals", problem: "logistic", file: "iris", columns: []column{one, number("Sepal.Width", 3, 0.4), number("Petal.Length", 3.8, 1.8),
		number("Petal.Width", 1.2, 0.8), is("Species", "versicolor")}},
	{name: "trial", problem: "poissonregression", file: "trial", columns: []column{one, is("outcome", "2"), is("outcome", "3"),
		is("treatment", "2"), is("treatment", "3"), as("counts")}},
	{name: "absences", problem: "poissonregression", file: "quine", columns: []column{one, is("Eth", "N"), is("Sex", "M"), is("Age", "F1"),
		is("Age", "F2"), is("Age", "F3"), is("Lrn", "SL"), as("Days")}},
	{name: "stars", problem: "robustregression", file: "stars", columns: []column{one, number("temperature", 4.3, 0.3), as("light")}},
	{name: "stackloss", problem: "robustregression", file: "stackloss", columns: []column{one, number("Air.Flow", 60, 9),
		number("Water.Temp", 21, 3), number("stack.loss", 17.5, 10)}},
	{name: "schools", problem: "eightschools", file: "schools", columns: []column{as("y"), as("sigma")}, whole: true},
	{name: "dyestuff", problem: "randomintercept", file: "dyestuff", columns: []column{one, batch, number("yield", 0, 100)}},
	{name: "herds", problem: "logisticintercept", file: "cbpp", columns: []column{one, is("period", "2"), is("period", "3"), is("period", "4"),
		as("herd"), as("size"), as("cases")}},
	{name: "shrunken", problem: "lasso", file: "stackloss", columns: []column{as("Air.Flow"), as("Water.Temp"), as("Acid.Conc."),
		as("stack.loss")}},
}

// batch is the number of a batch that is called by a letter.
func batch(row map[string]string) (float64, error) {
	name := row["batch"]
	if len(name) != 1 || name < "A" || name > "Z" {
		return 0, fmt.Errorf("%q is no batch", name)
	}
	return float64(name[0]-'A') + 1, nil
}

// data reads the file.
func (p *posterior) data(folder string) (d runtime.Data, err error) {
	f, err := os.Open(filepath.Join(folder, p.file+".csv"))
	if err != nil {
		return d, err
	}
	defer f.Close()
	text, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return d, err
	}
	d.Columns = len(p.columns)
	for i, words := range text[1:] {
		row := map[string]string{}
		for j, name := range text[0] {
			row[name] = words[j]
		}
		for _, c := range p.columns {
			x, err := c(row)
			if err != nil {
				return d, fmt.Errorf("%s: row %d: %w", f.Name(), i+1, err)
			}
			d.Values = append(d.Values, x)
		}
	}
	if p.whole {
		d.Values, d.Columns = columnwise(d.Values, d.Columns), len(d.Values)
	}
	return d, nil
}

// columnwise puts the columns of a table one after the other.
func columnwise(values []float64, columns int) []float64 {
	var out []float64
	for j := range columns {
		for row := range slices.Chunk(values, columns) {
			out = append(out, row[j])
		}
	}
	return out
}
