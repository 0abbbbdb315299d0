package support

import (
	"fmt"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/dense"
)

// Rows are the rows of the data of a model: columns with a number or several for each row, that of the weights first. Passes over
// them read fields of the model, which Weights, and Batch of the other columns, give all rows or some.
type Rows []*Column

// Column is a part of all rows.
type Column struct {
	width int
	given []float64 // one for each row that was given, from which batches are taken; nil of those that were computed for distinct ones
	all   []float64 // the same, or the distinct ones
	batch []float64 // memory for the rows of a batch
	count int       // of the weights: how many rows were given; those that count once each have no weights
	room  room
	share *share // which of all rows these are, nil if they are all
	some  bool   // it has a batch
	later bool   // a batch of it is taken when a pass asks for it
	// listed is, of the weights, which rows the batch has, where a column is taken later.
	listed []int
	// choices is, of the weights, how often rows have been chosen.
	choices  int
	allRows  *allRows  // of the weights
	distinct *distinct // which of them given rows are, where equal ones are one: of the weights, and of what was computed
}

// room gives memory for numbers, nil that of Go.
type room func(numbers int) ([]float64, error)

func (r room) make(numbers int) ([]float64, error) {
	if r == nil {
		return make([]float64, numbers), nil
	}
	return r(numbers)
}

// kept returns numbers of data that stay as they are: themselves, or a copy.
func kept(d runtime.Data, x []float64) ([]float64, error) {
	if d.Kept || x == nil {
		return x[:len(x):len(x)], nil
	}
	out, err := room(d.Room).make(len(x))
	if err == nil {
		copy(out, x)
	}
	return out, err
}

// weightColumn is the column of the weights of so many rows.
func weightColumn(d runtime.Data, rows int) (*Column, error) {
	weights, err := kept(d, d.Weights)
	c := newColumn(1, weights)
	c.count, c.room, c.allRows = rows, d.Room, new(allRows)
	return c, err
}

// RowsOf keeps rows and their weights, a copy of them unless they are Kept; the data must have passed CheckData.
func RowsOf(d runtime.Data) (Rows, error) {
	columns := max(d.Columns, 1)
	values, err := kept(d, d.Values)
	if err != nil {
		return nil, err
	}
	weights, err := weightColumn(d, len(values)/columns)
	if err != nil {
		return nil, err
	}
	return Rows{weights, newColumn(columns, values)}.shared(d.Others)
}

func newColumn(width int, values []float64) *Column {
	return &Column{width: width, given: values, all: values}
}

// Keep adds a column with so many numbers for each of all rows, or of those that differ. It is not copied.
func (r *Rows) Keep(width int, values []float64) {
	c := newColumn(width, values)
	if c.share = r.share(); r.distinct() != nil {
		c.given, c.distinct = nil, r.distinct()
	}
	*r = append(*r, c)
}

func (r Rows) distinct() *distinct {
	if len(r) == 0 {
		return nil
	}
	return r[0].distinct
}

// Piece is a piece of a vector for every row: that of a column, or a number.
type Piece struct {
	From   int // where it begins
	Column int // as they are counted in Rows; 0, which are the weights, for a number
	Number float64
}

func (r Rows) room() room {
	if len(r) == 0 {
		return nil
	}
	return r[0].room
}

// Space makes new memory for so many numbers of each of all rows, or of those that differ.
func (r Rows) Space(field *[]float64, width int) (err error) {
	rows := r.Given()
	if r.distinct() != nil {
		rows = len(r[0].all)
	}
	*field, err = r.room().make(rows * width)
	return err
}

// Grow makes memory for numbers of all rows or of a batch, what there is when it is long enough.
func (r Rows) Grow(field *[]float64, numbers int) (err error) {
	if cap(*field) < numbers {
		*field, err = r.room().make(numbers)
	} else {
		*field = (*field)[:numbers]
	}
	return err
}

// Stack adds a column with so many numbers for each of all rows, made of pieces of others, and of one number where there are none.
func (r *Rows) Stack(width int, otherwise float64, pieces []Piece) error {
	n := r.Given()
	var values []float64
	if err := r.Space(&values, width); err != nil {
		return err
	}
	for i := range values {
		values[i] = otherwise
	}
	for _, p := range pieces {
		for i := range n {
			to := values[i*width+p.From : (i+1)*width]
			if p.Column == 0 {
				to[0] = p.Number
				continue
			}
			c := (*r)[p.Column]
			copy(to, c.given[i*c.width:(i+1)*c.width])
		}
	}
	r.Keep(width, values)
	return nil
}

// Given returns the number of rows that were given.
func (r Rows) Given() int {
	if len(r) == 0 {
		return 0
	}
	return r[0].count
}

// Weight returns the sum of the weights of all rows.
func (r Rows) Weight() float64 { return r.Total(WeightsOf(r[0].given, r[0].count)) }

// Weights are those of the given rows of the data, as Batch of a column has these.
func (r Rows) Weights(rows []int) Weights {
	c := r[0]
	c.some = rows != nil
	w := WeightsOf(c.all, c.count)
	switch {
	case rows == nil:
		w.allRows = c.allRows
	case c.given == nil:
		w = WeightsOf(nil, len(rows))
	default:
		w = WeightsOf(c.Batch(rows), len(rows))
	}
	c.choices++
	w.choice = choice{c, c.choices}
	return w
}

// Later has batches of a column, as they are counted in Rows, taken when a pass asks for them: of one of which steps read nothing. Where several processes
// have rows all take all columns at once.
func (r Rows) Later(column int) { r[column].later = r[column].share == nil }

// take has fields, which are those of all columns in their order, hold some rows, nil for all of them.
func (r Rows) take(rows []int, fields []*[]float64) {
	later := false
	for i, f := range fields {
		if c := r[i+1]; rows == nil || !c.later {
			*f = c.Batch(rows)
		} else {
			*f, later = nil, true
		}
	}
	if later {
		r[0].note(rows)
	}
}

// note keeps which rows a batch has. It is not inlined, so that what it may allocate is seen to be its own.
//
//go:noinline
func (c *Column) note(rows []int) {
	if c.listed = c.listed[:cap(c.listed)]; len(c.listed) < len(rows) {
		c.listed = append(c.listed, make([]int, len(rows)-len(c.listed))...)
	}
	c.listed = c.listed[:len(rows)]
	copy(c.listed, rows)
}

// Shared returns the same rows with memory of their own for batches.
func (r Rows) Shared() Rows {
	out := make(Rows, len(r))
	for k, c := range r {
		out[k] = &Column{width: c.width, given: c.given, all: c.all, share: c.share, count: c.count, room: c.room, later: c.later,
			allRows: c.allRows, distinct: c.distinct}
	}
	return out
}

// Batch returns a column of the given rows of the data, which must have passed CheckBatch, in memory that the next call writes to;
// nil is all rows. It allocates nothing unless the batch is longer than any before. Of rows that several processes have, all get all that are
// listed.
func (c *Column) Batch(rows []int) []float64 {
	if c.some = rows != nil; rows == nil {
		return c.all
	}
	n := len(rows) * c.width
	// append alone may allocate in a step, for a batch that is longer than any before.
	if c.batch = c.batch[:cap(c.batch)]; len(c.batch) < n {
		c.batch = append(c.batch, make([]float64, n-len(c.batch))...)
	}
	switch c.batch = c.batch[:n]; {
	case c.share != nil:
		c.gather(rows)
	case c.given != nil:
		dense.Gather(c.batch, c.given, rows, c.width)
	default:
		for k, i := range rows {
			copy(c.batch[k*c.width:], c.row(i))
		}
	}
	return c.batch
}

// row is what it has of a given row.
func (c *Column) row(i int) []float64 {
	if c.given == nil {
		i = c.distinct.of(i)
		return c.all[i*c.width : (i+1)*c.width]
	}
	return c.given[i*c.width : (i+1)*c.width]
}

// gather is Batch of rows that several processes have.
func (c *Column) gather(rows []int) {
	clear(c.batch)
	first, end := c.share.of.Of(c.share.rank)
	for k, i := range rows {
		if i >= first && i < end {
			copy(c.batch[k*c.width:], c.row(i-first))
		}
	}
	c.share.sum(c.batch)
}

// errOrdered is made once, so that to be refused a batch allocates nothing.
var errOrdered error = &runtime.SettingError{Setting: "Batch", Value: "some rows",
	Want: "nil, all rows: they are a sequence, of which each depends on those in front of it"}

// CheckOrdered returns a *runtime.SettingError for a batch of a sequence, unless it is nil, all rows.
func CheckOrdered(rows []int) error {
	if rows != nil {
		return errOrdered
	}
	return nil
}

// CheckBatch is CheckBatch for these rows, and those of other processes.
func (r Rows) CheckBatch(rows []int) error {
	all, _ := r.Counts(0)
	return CheckBatch(rows, all)
}

// CheckBatch returns a *runtime.SettingError when rows are not a batch of data with n rows. Nil is all rows.
func CheckBatch(rows []int, n int) error {
	if rows != nil && len(rows) == 0 {
		return &runtime.SettingError{Setting: "Batch", Value: "empty", Want: "a list of rows, or nil for all of them"}
	}
	for k, i := range rows {
		if uint(i) >= uint(n) {
			return &runtime.SettingError{Setting: fmt.Sprintf("Batch[%d]", k), Value: i,
				Want: fmt.Sprintf("the index of a row, of which the data have %d", n)}
		}
	}
	return nil
}
