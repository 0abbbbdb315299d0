package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// missing is written for what is null.
const missing = "NA"

// mostColumns is how many columns the entries of lists may become.
const mostColumns = 1 << 16

// column is a column of the table that is written: the way from a column of the file to its numbers or texts.
type column struct {
	name  string
	field int    // of the file
	path  []step // from there
	empty bool   // its cells are left out
	fault error  // why it cannot be read
}

// step goes from an array to one of its parts.
type step struct {
	part func(arrow.Array) arrow.Array
	// Where rows are lists, of a length, row i of the part is an entry of them. The part is then that of the whole memory, of which the
	// array may be a piece.
	length, entry int
}

// columnsOf are the columns that a field of the file becomes.
func columnsOf(name string, t arrow.DataType, path []step) (out []column) {
	path = path[:len(path):len(path)]
	switch t := t.(type) {
	case *arrow.StructType:
		for i, f := range t.Fields() {
			part := func(a arrow.Array) arrow.Array { return a.(*array.Struct).Field(i) }
			out = append(out, columnsOf(name+"."+f.Name, f.Type, append(path, step{part: part}))...)
		}
		return out
	case *arrow.FixedSizeListType:
		length := int(t.Len())
		if length > mostColumns {
			return []column{{name: name, fault: fmt.Errorf("column %s holds lists of %d entries: more than the %d columns that a table may have", name, length, mostColumns)}}
		}
		part := func(a arrow.Array) arrow.Array { return a.(*array.FixedSizeList).ListValues() }
		for k := range length {
			out = append(out, columnsOf(fmt.Sprintf("%s[%d]", name, k+1), t.Elem(), append(path, step{part, length, k}))...)
		}
		return out
	}
	c := column{name: name, path: path}
	if !isCell(t) {
		c.fault = fmt.Errorf("column %s is of type %s, of which there is no text in a cell; choose other columns, leave it out when the file is written, or make columns of it", name, t)
	}
	return []column{c}
}

// isCell reports whether a value has a text.
func isCell(t arrow.DataType) bool {
	if d, ok := t.(*arrow.DictionaryType); ok {
		return isCell(d.ValueType)
	}
	switch t.ID() {
	case arrow.NULL, arrow.BOOL, arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP, arrow.TIME32, arrow.TIME64:
		return true
	}
	return arrow.IsInteger(t.ID()) || arrow.IsFloating(t.ID()) || arrow.IsDecimal(t.ID())
}

// writeText writes all rows as CSV, under the names of the columns.
func writeText(ctx context.Context, out io.Writer, columns []column, in records) error {
	if err := writeHeader(out, columns); err != nil {
		return err
	}
	return each(ctx, in, func(portion arrow.Array) error { return writeRows(out, columns, portion) })
}

// each calls a function with all portions of the rows.
func each(ctx context.Context, in records, f func(portion arrow.Array) error) error {
	for {
		r, err := in.Read()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		if err := f(array.RecordToStructArray(r)); err != nil {
			return err
		}
	}
}

// columnsOfFile are all columns, of which some cannot be read.
func columnsOfFile(schema *arrow.Schema) (columns []column) {
	for i, f := range schema.Fields() {
		more := columnsOf(f.Name, f.Type, nil)
		for k := range more {
			more[k].field = i
		}
		columns = append(columns, more...)
	}
	return columns
}

func writeHeader(out io.Writer, columns []column) error {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	w := csv.NewWriter(out)
	w.Write(names)
	w.Flush()
	return w.Error()
}

// writeRows writes a portion of the rows.
func writeRows(out io.Writer, columns []column, portion arrow.Array) error {
	cells := make([]cell, len(columns))
	for i := range columns {
		if cells[i] = func(dst []byte, _ int) []byte { return dst }; !columns[i].empty {
			p := columns[i].part(portion)
			cells[i] = p.text(quotedTextOf)
		}
	}
	var line []byte
	for row := range portion.Len() {
		line = line[:0]
		for i, c := range cells {
			if i > 0 {
				line = append(line, ',')
			}
			line = c(line, row)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// cell appends the text of a row.
type cell func(dst []byte, row int) []byte

// part is a column of a portion of the rows: the array that has it, and where in it the rows are.
type part struct {
	at   arrow.Array
	row  func(int) int
	null func(row int) bool
}

func (c *column) part(portion arrow.Array) part {
	p := part{at: portion, row: func(i int) int { return i }, null: func(int) bool { return false }}
	whole := step{part: func(a arrow.Array) arrow.Array { return a.(*array.Struct).Field(c.field) }}
	for _, s := range append([]step{whole}, c.path...) {
		holder := p
		if holder.at.NullN() != 0 {
			p.null = func(i int) bool { return holder.null(i) || holder.at.IsNull(holder.row(i)) }
		}
		if s.length > 0 {
			from := holder.at.Data().Offset()*s.length + s.entry
			p.row = func(i int) int { return from + holder.row(i)*s.length }
		}
		p.at = s.part(holder.at)
	}
	if own := p; p.at.NullN() != 0 {
		p.null = func(i int) bool { return own.null(i) || own.at.IsNull(own.row(i)) }
	}
	return p
}

// text returns what writes the cells of a row as text.
func (p *part) text(of func(arrow.Array) cell) cell {
	text := of(p.at)
	return func(dst []byte, i int) []byte {
		if p.null(i) {
			return append(dst, missing...)
		}
		return text(dst, p.row(i))
	}
}

// numbers is an array of numbers.
type numbers[T any] interface{ Value(int) T }

func integers[T int8 | int16 | int32 | int64](a numbers[T]) cell {
	return func(dst []byte, i int) []byte { return strconv.AppendInt(dst, int64(a.Value(i)), 10) }
}

func naturals[T uint8 | uint16 | uint32 | uint64](a numbers[T]) cell {
	return func(dst []byte, i int) []byte { return strconv.AppendUint(dst, uint64(a.Value(i)), 10) }
}

// quotedTextOf returns what writes the values of an array that are there, as CSV has them.
func quotedTextOf(a arrow.Array) cell {
	text := textOf(a)
	if id := a.DataType().ID(); id == arrow.BOOL || arrow.IsInteger(id) || arrow.IsFloating(id) {
		return text
	}
	var last []byte
	return func(dst []byte, i int) []byte {
		last = text(last[:0], i)
		return appendQuoted(dst, last)
	}
}

// textOf returns what writes the values of an array that are there.
func textOf(a arrow.Array) cell {
	switch a := a.(type) {
	case *array.Int8:
		return integers(a)
	case *array.Int16:
		return integers(a)
	case *array.Int32:
		return integers(a)
	case *array.Int64:
		return integers(a)
	case *array.Uint8:
		return naturals(a)
	case *array.Uint16:
		return naturals(a)
	case *array.Uint32:
		return naturals(a)
	case *array.Uint64:
		return naturals(a)
	case *array.Float32:
		// A number of 32 bits is what it is in 64: its shortest text in 32 bits is another number.
		return func(dst []byte, i int) []byte { return strconv.AppendFloat(dst, float64(a.Value(i)), 'g', -1, 64) }
	case *array.Float64:
		return func(dst []byte, i int) []byte { return strconv.AppendFloat(dst, a.Value(i), 'g', -1, 64) }
	case *array.Float16:
		return func(dst []byte, i int) []byte {
			return strconv.AppendFloat(dst, float64(a.Value(i).Float32()), 'g', -1, 64)
		}
	case *array.Boolean:
		return func(dst []byte, i int) []byte {
			if a.Value(i) {
				return append(dst, '1')
			}
			return append(dst, '0')
		}
	case *array.Dictionary:
		values := textOf(a.Dictionary())
		return func(dst []byte, i int) []byte {
			k := a.GetValueIndex(i)
			if a.Dictionary().IsNull(k) {
				return append(dst, missing...)
			}
			return values(dst, k)
		}
	}
	return func(dst []byte, i int) []byte { return append(dst, a.ValueStr(i)...) }
}

// appendQuoted appends a text as CSV has it.
func appendQuoted(dst, s []byte) []byte {
	if len(s) > 0 && !bytes.ContainsAny(s, "\",;\t\r\n' ") {
		return append(dst, s...)
	}
	dst = append(dst, '"')
	for i := range len(s) {
		if s[i] == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, s[i])
	}
	return append(dst, '"')
}
