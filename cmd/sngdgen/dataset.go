package main

import (
	"errors"
	"slices"

	"github.com/sngdgen/sngdgen/internal/record"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime"
)

// source is a data set that knows where its values stood.
type source interface {
	Data() runtime.Data
	// Locate turns a value that a model refused into a fault of the file it came from.
	Locate(error) error
}

// cells are numbers of a data set, one a row, and where in files they stand.
type cells struct {
	table  *table.Table
	column int
	// row is that of all, where a number is given once; -1 where the rows of the table are those of the data set.
	row int
}

const everyRow = -1

func (c cells) at(row int) (inTable int) {
	if c.row == everyRow {
		return row
	}
	return c.row
}

// named reports whether numbers of every row have a header above them.
func (c cells) named() bool { return c.row == everyRow && c.table.Header }

// dataset is put together from files.
type dataset struct {
	rows    int
	columns []cells
	widths  []int        // of each part the number of its columns, where all are in one file
	weights *table.Table // nil without weights
	// arranged are the rows as they were made of one file, of which they are what its recipe says; nil where they were not.
	arranged *table.Table
	// names are what entries are called that columns number, or that columns are of, by the dimension that they are of.
	names map[string][]string
	// made are the numbers row by row, once somebody has asked for them.
	made *runtime.Data
}

// nameColumns calls the entries of a dimension by the columns that each row of a part has for them. The widths are numbers of columns of the
// parts.
func (d *dataset) nameColumns(parts []part, widths []int) {
	of, at := make([][]string, len(parts)), 0
	for i, n := range widths {
		if cs := d.columns[at : at+n]; slices.ContainsFunc(cs, cells.named) {
			for _, c := range cs {
				of[i] = append(of[i], c.table.Columns[c.column])
			}
		}
		at += n
	}
	d.names = record.NameColumns(d.names, parts, of)
}

// recipe says of which columns of one file the rows are made; not where parts are in several, or given once.
func (d *dataset) recipe() (r table.Recipe, ok bool) {
	switch {
	case d.arranged != nil:
		return d.arranged.Recipe(), true
	case len(d.widths) == 0:
		return r, false
	}
	var columns []table.Column
	for _, c := range d.columns {
		if c.row != everyRow || c.table != d.columns[0].table {
			return r, false
		}
		columns = append(columns, table.Column{Name: c.table.Columns[c.column], Of: []int{c.column}, Level: []int{-1}})
	}
	return d.columns[0].table.RecipeOf(columns), true
}

// Data returns the numbers row by row.
func (d *dataset) Data() runtime.Data {
	if d.made == nil {
		d.made = d.make()
	}
	return *d.made
}

func (d *dataset) make() *runtime.Data {
	out := &runtime.Data{Columns: len(d.columns), Values: make([]float64, 0, d.rows*len(d.columns)), Kept: true}
	for i := range d.rows {
		for _, c := range d.columns {
			out.Values = append(out.Values, c.table.Values[c.at(i)*len(c.table.Columns)+c.column])
		}
	}
	if d.weights != nil {
		out.Weights = d.weights.Weights
	}
	return out
}

// Locate finds the file of a value.
func (d *dataset) Locate(err error) error {
	var bad *runtime.DataError
	if !errors.As(err, &bad) {
		return err
	}
	switch {
	case bad.Name == "weight" && d.weights != nil:
		return d.weights.Locate(err)
	case bad.Row < 0 || bad.Row >= d.rows || bad.Column < 0 || bad.Column >= len(d.columns):
		return err
	}
	switch {
	case bad.Outside != nil:
		return d.outside(bad)
	case bad.Whole:
		return d.whole(bad)
	}
	c, at := d.columns[bad.Column], *bad
	at.Row, at.Column, at.Columns = c.at(bad.Row), c.column, len(c.table.Columns)
	return c.table.Locate(&at)
}

// outside finds the rows of a file that do not meet a condition on what may stand in several: those of the first column that each names.
func (d *dataset) outside(bad *runtime.DataError) error {
	first := d.columns[0]
	if named := bad.Outside.Columns[0]; len(named) > 0 {
		first = d.columns[named[0]]
	}
	at, o := *bad, *bad.Outside
	at.Outside, at.Row, at.Column = &o, first.at(bad.Row), 0
	o.Rows, o.Columns = make([]int, len(o.Rows)), make([][]int, len(o.Rows))
	for i, row := range bad.Outside.Rows {
		o.Rows[i], o.Columns[i] = first.at(row), d.beside(first, bad.Outside.Columns[i])
	}
	return first.table.Locate(&at)
}

// whole finds a row of the first file, with what it has of the data.
func (d *dataset) whole(bad *runtime.DataError) error {
	at, first := *bad, d.columns[0]
	all := make([]int, len(d.columns))
	for k := range all {
		all[k] = k
	}
	at.Row, at.Shown = first.at(bad.Row), d.beside(first, all)
	return first.table.Locate(&at)
}

// beside are columns in the file of another one, by their numbers there.
func (d *dataset) beside(first cells, columns []int) (out []int) {
	for _, k := range columns {
		if c := d.columns[k]; c.table == first.table {
			out = append(out, c.column)
		}
	}
	return out
}

// resize repeats the rows, or leaves some out, so that there are n of them.
func (d *dataset) resize(n int) {
	var done []*table.Table
	for _, c := range d.columns {
		seen := false
		for _, t := range done {
			seen = seen || t == c.table
		}
		if !seen && c.row == everyRow {
			c.table.Resize(n)
			done = append(done, c.table)
		}
	}
	d.rows, d.made = n, nil
}
