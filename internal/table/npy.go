package table

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/sngdgen/sngdgen/internal/disk"
)

// A row of an array of NumPy is a row of the table. The columns of a structured array have names, those of others have none.

// arrayRows are the rows of an array. Some are in memory at a time.
type arrayRows struct {
	file string
	*arrayHeader
	most         int
	decimalComma bool // of texts

	in    io.Reader   // the cells in their order,
	at    io.ReaderAt // or at any place, where that can be: in is nil then
	base  int64       // where in at they begin
	chain bool        // other arrays with the same columns may follow in the stream

	row     int        // the current one, from 1; before the first what is behind it
	end     int        // the last that is read
	from    int        // how many are before those in memory
	shared  bool       // there are rows of other processes
	kept    int        // how many are in memory,
	raw     []byte     // row by row
	one     []byte     // of a column of those
	stretch [1]stretch // that was read ahead
	// failed is what went wrong behind those.
	failed error
}

const (
	keptNumbers = 1 << 16 // how many numbers are in memory at a time, but for a row that has more,
	keptBytes   = 1 << 23 // and how many bytes
	// mostApart is how many columns are read at a place each: the pieces of more would be too small.
	mostApart = 1 << 10
)

// openArray reads an array of a file, or of its rows the share of this process.
func (p *parts) openArray(name string, f *os.File) (*arrayRows, error) {
	var file io.ReaderAt = f
	if p.Options.Progress != nil {
		file = countedAt{f, p}
	}
	in := io.NewSectionReader(file, 0, math.MaxInt64)
	a, err := arrayOf(in, name, p.mostNumbers())
	if err != nil {
		return nil, err
	}
	a.at, a.in = file, nil
	a.base, _ = in.Seek(0, io.SeekCurrent)
	if o := p.Processes; o != nil {
		if shares := o.Shares(a.rows); shares != nil {
			a.row, a.end = shares[o.Rank()], shares[o.Rank()+1]
			a.from, a.shared = a.row, true
		}
	}
	return a, a.apart(p.Space)
}

// newArray reads an array of a stream.
func newArray(in io.Reader, name string, o Options) (*arrayRows, error) {
	a, err := arrayOf(in, name, o.mostNumbers())
	if err != nil {
		return nil, err
	}
	return a, a.apart(o.Space)
}

// arrayOf reads up to the cells of an array.
func arrayOf(in io.Reader, name string, most int) (*arrayRows, error) {
	header, err := readArrayHeader(in, name, most)
	if err != nil {
		return nil, err
	}
	return &arrayRows{file: name, arrayHeader: header, most: most, in: in, end: header.rows}, nil
}

// apart has an array that is written column by column in a place of which rows can be read, if it is not in one: each needs some bytes of everywhere.
func (a *arrayRows) apart(s *disk.Space) error {
	if !a.fortran || a.at != nil && a.columns <= mostApart {
		return nil
	}
	in := a.in
	if in == nil {
		in = io.NewSectionReader(a.at, a.base, math.MaxInt64-a.base)
	}
	all, err := s.Bytes(io.LimitReader(in, int64(a.rows)*int64(a.rowBytes())))
	if err != nil {
		return openError(a.file, err)
	}
	a.at, a.base, a.in = bytes.NewReader(all), 0, nil
	return nil
}

// rowBytes are those of a row.
func (a *arrayRows) rowBytes() int {
	if a.named {
		return a.stride
	}
	return a.stride * a.columns
}

// look says which columns there are, and what is in the first rows. Numbers are numbers, be they missing.
func (a *arrayRows) look(o Options) (*sample, error) {
	if a.columns == 0 || a.rows == 0 && !a.named {
		return nil, errEmpty(o.Name)
	}
	a.decimalComma = o.DecimalComma
	s := &sample{name: o.Name, named: a.named, numbers: !a.named}
	if !a.named {
		s.rows = [][]string{slices.Repeat([]string{"0"}, a.columns)}
		return s, nil
	}
	titles := make([]string, a.columns)
	for c, e := range a.entries {
		titles[c] = e.name
	}
	s.rows = append(s.rows, titles)
	if a.row < a.end {
		a.keep()
	}
	for i := range min(a.kept, sampleRows) {
		s.rows = append(s.rows, a.sampleRow(i))
	}
	return s, nil
}

// sampleRow is one of those in memory, for look.
func (a *arrayRows) sampleRow(i int) []string {
	cells := slices.Repeat([]string{"0"}, a.columns)
	for c := range cells {
		if t, b := a.cell(i, c); t.kind == characters {
			cells[c] = t.text(b)
		}
	}
	return cells
}

func (a *arrayRows) next() (blank int, err error) {
	for a.row == a.end {
		if err := a.follow(); err != nil {
			return 0, err
		}
	}
	if a.row == a.from+a.kept {
		if a.keep(); a.kept == 0 {
			return 0, a.failed
		}
	}
	a.row++
	return 0, nil
}

// follow goes on to the next array of a chain, and returns io.EOF where there is none.
func (a *arrayRows) follow() error {
	if !a.chain {
		return io.EOF
	}
	header, err := readArrayHeader(a.in, a.file, a.most)
	if err != nil {
		return err
	}
	if header.columns != a.columns || header.fortran {
		return &Error{Name: a.file, Text: "an array with other columns follows"}
	}
	a.arrayHeader = header
	a.end += header.rows
	return nil
}

// keep reads some rows behind those that were read.
func (a *arrayRows) keep() {
	size := a.rowBytes()
	rows := min(max(min(keptNumbers/a.columns, keptBytes/size), 1), a.end-a.row)
	a.raw = slices.Grow(a.raw[:0], rows*size)[:rows*size]
	a.from, a.kept = a.row, 0
	if a.failed != nil {
		return
	}
	var n int
	var err error
	switch {
	case a.fortran:
		n, err = a.gather(rows)
	case a.at != nil:
		n, err = a.at.ReadAt(a.raw, a.base+int64(a.from)*int64(size))
	default:
		n, err = io.ReadFull(a.in, a.raw)
	}
	switch a.kept = n / size; {
	case a.kept == rows:
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		a.failed = fmt.Errorf("the array ends in row %d of %d", a.from+a.kept+1, a.end)
	default:
		a.failed = err
	}
}

// gather reads the next rows of an array that is written column by column, and returns how many bytes the rows have that are in all columns.
func (a *arrayRows) gather(rows int) (n int, failed error) {
	size := a.stride
	if a.one == nil {
		a.one = make([]byte, rows*size)
	}
	piece := a.one[:rows*size]
	for c := range a.columns {
		n, err := a.at.ReadAt(piece, a.base+(int64(c)*int64(a.rows)+int64(a.from))*int64(size))
		if n /= size; n < rows {
			rows, failed = n, err
		}
		for i := range rows {
			copy(a.raw[(i*a.columns+c)*size:][:size], piece[i*size:])
		}
	}
	return rows * a.columns * size, failed
}

// cell is one of a row in memory.
func (a *arrayRows) cell(row, c int) (*cellType, []byte) {
	if !a.named {
		return &a.entries[0].cellType, a.raw[(row*a.columns+c)*a.stride:]
	}
	e := &a.entries[c]
	return &e.cellType, a.raw[row*a.stride+e.from:]
}

func (a *arrayRows) width() int { return a.columns }

func (a *arrayRows) number(c int) float64 {
	t, b := a.cell(a.row-1-a.from, c)
	return t.number(b, a.decimalComma)
}

func (a *arrayRows) text(c int) string {
	t, b := a.cell(a.row-1-a.from, c)
	return t.text(b)
}

// place is the row of a cell, and its column.
func (a *arrayRows) place(c int) (line, position int) { return a.row, c + 1 }

// ahead are the rows of finite numbers behind the current one that are in memory.
func (a *arrayRows) ahead(l *layout) []stretch {
	s := &a.stretch[0]
	s.values, s.positions, s.rows, s.first = s.values[:0], s.positions[:0], 0, a.row+1
	for a.row < a.from+a.kept {
		a.row++
		before := len(s.values)
		for _, c := range l.columns {
			x := a.number(c)
			if x-x != 0 { // not finite
				s.values, s.positions = s.values[:before], s.positions[:before]
				a.row--
				return a.stretch[:]
			}
			s.values, s.positions = append(s.values, x), append(s.positions, int32(c+1))
		}
		s.rows++
	}
	return a.stretch[:]
}
