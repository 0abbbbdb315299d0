package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Structured arrays of NumPy, one for each portion of the rows, are what sngdgen reads of a file: numbers stay what they are, so that nothing is
// written in digits and read back. The format is that of numpy.lib.format, version 3.0.

// mostBytes is how long the rows of an array may be together, unless it has one row: a portion with a long text is written in several.
const mostBytes = 1 << 24

// field is what a structured array has of a column.
type field struct {
	descr string // its type, as NumPy writes it
	size  int    // in bytes
	// put writes the cell of a row.
	put func(dst []byte, row int)
}

// writeArrays writes all rows.
func writeArrays(ctx context.Context, out io.Writer, columns []column, in records) error {
	none := true
	err := each(ctx, in, func(portion arrow.Array) error {
		none = none && portion.Len() == 0
		return writeArray(out, columns, portion)
	})
	if err == nil && none { // which columns there are
		fields := make([]field, len(columns))
		for i := range fields {
			fields[i] = field{descr: "<f8"}
		}
		err = writeArrayHeader(out, columns, fields, 0)
	}
	return err
}

// writeArray writes a portion of the rows.
func writeArray(out io.Writer, columns []column, portion arrow.Array) error {
	rows := portion.Len()
	if rows == 0 {
		return nil
	}
	fields, stride := make([]field, len(columns)), 0
	for i := range columns {
		fields[i] = columns[i].cells(portion)
		stride += fields[i].size
	}
	if rows > 1 && rows > mostBytes/stride {
		for _, part := range [][2]int{{0, rows / 2}, {rows / 2, rows}} {
			slice := array.NewSlice(portion, int64(part[0]), int64(part[1]))
			err := writeArray(out, columns, slice)
			slice.Release()
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := writeArrayHeader(out, columns, fields, rows); err != nil {
		return err
	}
	cells, from := make([]byte, rows*stride), 0
	for _, f := range fields {
		for row := range rows {
			f.put(cells[row*stride+from:][:f.size], row)
		}
		from += f.size
	}
	_, err := out.Write(cells)
	return err
}

func writeArrayHeader(out io.Writer, columns []column, fields []field, rows int) error {
	var descr strings.Builder
	for i, f := range fields {
		fmt.Fprintf(&descr, "(%s, '%s'), ", pythonLiteral(columns[i].name), f.descr)
	}
	text := fmt.Sprintf("{'descr': [%s], 'fortran_order': False, 'shape': (%d,), }\n", strings.TrimSuffix(descr.String(), ", "), rows)
	header := append([]byte("\x93NUMPY"), 3, 0)
	header = append(binary.LittleEndian.AppendUint32(header, uint32(len(text))), text...)
	_, err := out.Write(header)
	return err
}

// pythonLiteral is a text as Python writes it.
func pythonLiteral(text string) string {
	var out strings.Builder
	out.WriteByte('\'')
	for _, r := range text {
		switch {
		case r == '\'' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r < ' ':
			fmt.Fprintf(&out, `\x%02x`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('\'')
	return out.String()
}

// cells returns what writes a column of a portion: numbers as they are, if all of them are there or there is one that says that it is missing, and
// everything else as text.
func (c *column) cells(portion arrow.Array) field {
	if c.empty {
		return field{descr: "|S0", put: func([]byte, int) {}}
	}
	p := c.part(portion)
	switch a := p.at.(type) {
	case *array.Float64:
		return floats(&p, "<f8", 8, func(dst []byte, i int) { binary.LittleEndian.PutUint64(dst, math.Float64bits(a.Value(i))) })
	case *array.Float32:
		return floats(&p, "<f4", 4, func(dst []byte, i int) { binary.LittleEndian.PutUint32(dst, math.Float32bits(a.Value(i))) })
	case *array.Float16:
		return floats(&p, "<f4", 4, func(dst []byte, i int) { binary.LittleEndian.PutUint32(dst, math.Float32bits(a.Value(i).Float32())) })
	}
	if p.holed(portion.Len()) {
		return p.texts(portion.Len())
	}
	switch a := p.at.(type) {
	case *array.Int8:
		return whole(&p, "<i8", a)
	case *array.Int16:
		return whole(&p, "<i8", a)
	case *array.Int32:
		return whole(&p, "<i8", a)
	case *array.Int64:
		return whole(&p, "<i8", a)
	case *array.Uint8:
		return whole(&p, "<u8", a)
	case *array.Uint16:
		return whole(&p, "<u8", a)
	case *array.Uint32:
		return whole(&p, "<u8", a)
	case *array.Uint64:
		return whole(&p, "<u8", a)
	}
	return p.texts(portion.Len())
}

// floats is a field of numbers of which one is none.
func floats(p *part, descr string, size int, put func(dst []byte, i int)) field {
	nan := make([]byte, 8)
	binary.LittleEndian.PutUint64(nan, math.Float64bits(math.NaN()))
	if size == 4 {
		binary.LittleEndian.PutUint32(nan, math.Float32bits(float32(math.NaN())))
	}
	return field{descr, size, func(dst []byte, row int) {
		if p.null(row) {
			copy(dst, nan)
		} else {
			put(dst, p.row(row))
		}
	}}
}

// whole is a field of whole numbers.
func whole[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](p *part, descr string, a numbers[T]) field {
	return field{descr, 8, func(dst []byte, row int) { binary.LittleEndian.PutUint64(dst, uint64(a.Value(p.row(row)))) }}
}

// holed reports whether a cell is missing.
func (p *part) holed(rows int) bool {
	for row := range rows {
		if p.null(row) {
			return true
		}
	}
	return false
}

// texts is a field of texts.
func (p *part) texts(rows int) field {
	var all []byte
	ends, longest, text := make([]int, rows+1), 1, p.text(textOf)
	for row := range rows {
		all = text(all, row)
		ends[row+1] = len(all)
		longest = max(longest, len(all)-ends[row])
	}
	return field{fmt.Sprintf("|S%d", longest), longest, func(dst []byte, row int) { copy(dst, all[ends[row]:ends[row+1]]) }}
}
