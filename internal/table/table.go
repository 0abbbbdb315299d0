// Package table reads the numbers of a data file: CSV or TSV, with a header or without one, compressed or not.
//
// What the file does not say is detected: the separator, the header, and the column when only one can be meant. What is
// ambiguous is refused with the choices listed. Every number remembers where it stood in the file, so that a value that
// a model refuses later is still reported with its line and column.
package table

import (
	"encoding/binary"
	"io"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/internal/disk"
	"github.com/sngdgen/sngdgen/runtime"
)

// Options choose what to read. The zero value reads the only column of numbers.
type Options struct {
	// Name of the file in messages; "<stdin>" when empty.
	Name string
	// Columns to read, each by name or by 1-based index; "a,b,c" stands for three, unless a column has that name, and
	// ranges and patterns for all that they have. Nil means the only column, or the only numeric one.
	Columns []string
	// Terms says that Columns are terms: each may be a range, 3-7 or a..d, or a pattern of names, lab*, which stands for all columns
	// that it matches, or a dot for all that are not apart, a column may be in several, and one without numbers is read as labels.
	// Table.Terms says which columns a term has.
	Terms bool
	// Apart are columns that are none of those of a dot, by name or by 1-based index.
	Apart []string
	// Categories are columns, by name or by 1-based index, that are read as labels whatever they hold. They must be among Columns.
	Categories []string
	// Levels are the labels that columns may have, in their order, by the names of the columns among Columns: others are faults, and all
	// columns that are not in here are read as numbers. Nil leaves it to the file, and to Categories.
	Levels map[string][]string
	// Several says that an observation has several numbers: nil Columns then mean all numeric ones, in their order.
	Several bool
	// Weights is the column of frequency weights, by name or by 1-based index; empty means none.
	Weights string
	// Rows to read; nil means all.
	Rows Rows
	// Where has conditions, all of which a row must meet to be read.
	Where []Condition
	// SkipMissing leaves out rows in which a chosen cell is empty, NA or the like. Otherwise these are faults.
	SkipMissing bool
	// DecimalComma reads 1,5 as one and a half. Cells are then separated by semicolons or tabs, or are in quotes.
	DecimalComma bool
	// Files, unless it is nil, chooses which of the files that match a pattern are read.
	Files func(files []string) []string
	// Processes, unless it is nil, are those of which this one reads its share of the rows of one file, be it an array or a text that is not compressed.
	// It makes no difference to several files, and goes with no options that leave rows out.
	Processes *Processes
	// Convert opens files of columns; nil refuses them.
	Convert Converter
	// Space has the numbers; nil is memory, where there is a limit to how many they may be.
	Space *disk.Space
	// Cache, unless it is empty, is a file that keeps the rows as they were read, for the next time that the same are asked for.
	Cache string
	// Temporary, with Cache, is told of a file that is not to be left behind if the process ends; what it returns says that it is gone.
	Temporary func(name string, remove func()) (done func())
	// Workers is how many goroutines read the lines of a text, 0 as many as there are processors. What is read does not depend on it.
	Workers int
	// Progress, unless it is nil, is called now and then with how many bytes of all files have been read.
	Progress func(done, total int64)
}

// Table holds the chosen columns of a file.
type Table struct {
	Name    string   // of the file, for messages
	Header  bool     // whether the first row held names
	Columns []string // the name of each chosen column, or "column 3" where the file names none
	Ignored []string // the columns that were not chosen by default because they hold no numbers
	Unnamed string   // a column of row numbers that was left out, as it has no name where others have one
	Seen    int      // rows of the file, read or not, up to the last that was to be read
	Missing int      // rows that were left out, as a value is missing in them
	Terms   [][]int  // of each of Options.Columns the chosen columns that it stands for; nil unless they are terms
	// Levels are of each chosen column that is read as labels these, in the order of the alphabet, of which the values are the
	// indices; nil of one of numbers.
	Levels [][]string
	// Names are what the entries of lengths are called, by the names of these, where those who arrange columns say.
	Names   map[string][]string
	Values  []float64 // row-major, one number for each row and chosen column
	Weights []float64 // one a row, or nil

	made []Column // of which columns of from the table is made; nil of one that was read as it is
	from *Table

	space *disk.Space // has what is made of the numbers
	// Shared says that there are no rows but those of this process.
	Shared bool
	// Cached says that the rows are from Options.Cache, and not from the file.
	Cached bool

	computed map[int]bool // columns that are computed from others, by their numbers

	places
}

// Rows returns the number of rows of data.
func (t *Table) Rows() int { return t.numbers.count }

// Data returns the table as a model takes it. The slices are shared: the table is not to be changed from then on.
func (t *Table) Data() runtime.Data {
	d := runtime.Data{Values: t.Values, Columns: len(t.Columns), Weights: t.Weights, Kept: true}
	if t.space != nil {
		d.Room = t.space.Numbers
	}
	return d
}

// Read reads a table. Errors that concern places in the file are of type Errors.
func Read(r io.Reader, o Options) (*Table, error) {
	if o.Name == "" {
		o.Name = "<stdin>"
	}
	one := parts{Options: o}
	if err := one.read(o.Name, r); err != nil {
		return nil, err
	}
	return one.finish()
}

// Numbers returns the number of each row among those of the file, from 1.
func (t *Table) Numbers() []int32 { return t.numbers.all() }

// Keep leaves out the rows whose numbers are not given. They are in ascending order.
func (t *Table) Keep(numbers []int32) {
	var kept []int
	width := len(t.Columns)
	for i := range t.Rows() {
		if _, ok := slices.BinarySearch(numbers, t.numbers.at(i)); !ok {
			continue
		}
		copy(t.Values[len(kept)*width:], t.Values[i*width:(i+1)*width])
		if t.Weights != nil {
			t.Weights[len(kept)] = t.Weights[i]
		}
		kept = append(kept, i)
	}
	t.Missing += t.Rows() - len(kept)
	t.Values, t.places = t.Values[:len(kept)*width], t.chosen(len(kept), width, func(i int) int { return kept[i] })
	if t.Weights != nil {
		t.Weights = t.Weights[:len(kept)]
	}
}

// Distinct returns different rows, as many as there are up to a number.
func (t *Table) Distinct(most int) (values []float64) {
	seen := map[string]bool{}
	var key []byte
	for i := range len(t.Values) / max(len(t.Columns), 1) {
		if t.Weights != nil && t.Weights[i] == 0 {
			continue
		}
		key = key[:0]
		row := t.Values[i*len(t.Columns) : (i+1)*len(t.Columns)]
		for _, x := range row {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x+0)) // -0 is 0
		}
		if seen[string(key)] {
			continue
		}
		seen[string(key)] = true
		if values = append(values, row...); len(seen) >= most {
			break
		}
	}
	return values
}

// Resize repeats the rows, or leaves some out, so that there are n of them. Rows keep their places in the file.
func (t *Table) Resize(n int) {
	rows := t.Rows()
	t.Values = cycle(t.Values, rows, n)
	t.places = t.chosen(n, len(t.Columns), func(i int) int { return i % rows })
	if t.Weights != nil {
		t.Weights = cycle(t.Weights, rows, n)
	}
}

// cycle returns n rows of x, which has some, from the first on and then again.
func cycle[T any](x []T, rows, n int) []T {
	width := len(x) / rows
	y := make([]T, 0, n*width)
	for len(y) < n*width {
		y = append(y, x[:min(len(x), n*width-len(y))]...)
	}
	return y
}
