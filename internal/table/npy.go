package table

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/sngdgen/sngdgen/internal/disk"
)

// A row of an array of NumPy is a row of the table; its columns have no names. The format is that of NumPy Enhancement Proposal 1 and of the
// documentation of numpy.lib.format: a magic text, a version, the length of a header, the header as a dictionary of Python, the numbers.

const npyMagic = "\x93NUMPY"

// numberType is how numbers of a type of NumPy are written.
type numberType struct {
	size int
	// bits are those of a number in the bytes of one, sign extended where it has a sign.
	bits func(b []byte, order binary.ByteOrder) uint64
	kind kindOfNumber
}

type kindOfNumber byte

const (
	signed kindOfNumber = iota
	unsigned
	float
)

var npyTypes = map[string]numberType{
	"b1": {1, bits8, unsigned},
	"i1": {1, func(b []byte, _ binary.ByteOrder) uint64 { return uint64(int8(b[0])) }, signed},
	"u1": {1, bits8, unsigned},
	"i2": {2, func(b []byte, o binary.ByteOrder) uint64 { return uint64(int16(o.Uint16(b))) }, signed},
	"u2": {2, func(b []byte, o binary.ByteOrder) uint64 { return uint64(o.Uint16(b)) }, unsigned},
	"i4": {4, func(b []byte, o binary.ByteOrder) uint64 { return uint64(int32(o.Uint32(b))) }, signed},
	"u4": {4, func(b []byte, o binary.ByteOrder) uint64 { return uint64(o.Uint32(b)) }, unsigned},
	"i8": {8, bits64, signed},
	"u8": {8, bits64, unsigned},
	"f4": {4, func(b []byte, o binary.ByteOrder) uint64 {
		return math.Float64bits(float64(math.Float32frombits(o.Uint32(b))))
	}, float},
	"f8": {8, bits64, float},
}

func bits8(b []byte, _ binary.ByteOrder) uint64  { return uint64(b[0]) }
func bits64(b []byte, o binary.ByteOrder) uint64 { return o.Uint64(b) }

// number is the number of some bits, the nearest one where it has more digits.
func (k kindOfNumber) number(bits uint64) float64 {
	switch k {
	case signed:
		return float64(int64(bits))
	case unsigned:
		return float64(bits)
	}
	return math.Float64frombits(bits)
}

// text has as many digits as are needed to read the number back.
func (k kindOfNumber) text(bits uint64) string {
	switch k {
	case signed:
		return strconv.FormatInt(int64(bits), 10)
	case unsigned:
		return strconv.FormatUint(bits, 10)
	}
	return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
}

// arrayRows are the rows of an array. Some are in memory at a time.
type arrayRows struct {
	name string
	numberType
	order         binary.ByteOrder
	rows, columns int
	fortran       bool // column by column

	in   io.Reader   // the numbers in their order,
	at   io.ReaderAt // or at any place, where that can be: in is nil then
	base int64       // where in at they begin

	row    int    // the current one, from 1; before the first what is behind it
	end    int    // the last that is read
	from   int    // how many are before those in memory
	shared bool   // there are rows of other processes
	kept   int    // how many are in memory,
	raw    []byte // row by row
	one    []byte // of a column of those
	// failed is what went wrong behind those.
	failed error
}

const (
	keptNumbers = 1 << 16 // how many numbers are in memory at a time, but for a row that has more
	// mostApart is how many columns are read at a place each: the pieces of more would be too small.
	mostApart = 1 << 10
)

// isArray tells an array that is not compressed by its beginning.
func isArray(f io.ReaderAt) bool {
	magic := make([]byte, len(npyMagic))
	n, _ := f.ReadAt(magic, 0)
	return string(magic[:n]) == npyMagic
}

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

// arrayOf reads up to the numbers of an array.
func arrayOf(in io.Reader, name string, most int) (*arrayRows, error) {
	head, err := npyHeader(in)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = errors.New("it ends within its header")
	}
	if err != nil {
		return nil, &Error{Name: name, Text: "a damaged array of NumPy: " + err.Error()}
	}
	a := &arrayRows{name: name, in: in, order: binary.LittleEndian}
	descr, fortran, shape := head[1], head[2] == "True", head[3]
	if strings.HasPrefix(descr, ">") {
		a.order = binary.BigEndian
	}
	var known bool
	if a.numberType, known = npyTypes[strings.TrimLeft(descr, "<>|=")]; !known {
		return nil, foreign(name, fmt.Sprintf("an array of NumPy of type %s, not of numbers", clip(descr)), frameHint)
	}
	err = a.shape(shape, most)
	a.fortran, a.end = fortran && a.columns > 1, a.rows
	return a, err
}

// frameHint is how an array of something else may be converted.
const frameHint = `convert it in Python: pandas.DataFrame(numpy.load("FILE")).to_csv("NAME.csv", index=False)`

// The entries of the header may come in any order, but are written in that of the alphabet by all who write them.
var npyDictionary = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\{\s*'descr':\s*'([^']*)',\s*'fortran_order':\s*(True|False),\s*'shape':\s*\(([0-9, L]*)\),?\s*\}\s*$`)
})

// npyHeader reads up to the numbers.
func npyHeader(in io.Reader) ([]string, error) {
	prefix := make([]byte, len(npyMagic)+2)
	if _, err := io.ReadFull(in, prefix); err != nil {
		return nil, err
	}
	size := make([]byte, 2)
	if version := prefix[len(npyMagic)]; version > 1 {
		size = make([]byte, 4)
	}
	if _, err := io.ReadFull(in, size); err != nil {
		return nil, err
	}
	length := uint32(binary.LittleEndian.Uint16(size))
	if len(size) == 4 {
		length = binary.LittleEndian.Uint32(size)
	}
	if length > maxLine {
		return nil, fmt.Errorf("a header of %d bytes", length)
	}
	header := make([]byte, length)
	if _, err := io.ReadFull(in, header); err != nil {
		return nil, err
	}
	found := npyDictionary().FindStringSubmatch(string(header))
	if found == nil {
		return nil, fmt.Errorf("its header is %s", clip(strconv.Quote(strings.TrimSpace(string(header)))))
	}
	return found, nil
}

// shape reads the lengths of an array: of a vector one, of a matrix two.
func (a *arrayRows) shape(text string, most int) error {
	var lengths []int
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.Trim(part, " L"); part == "" {
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil || n > most {
			return &Error{Name: a.name, Text: "an array of NumPy of more numbers than are read: " + clip(text)}
		}
		lengths = append(lengths, n)
	}
	switch len(lengths) {
	case 1:
		a.rows, a.columns = lengths[0], 1
	case 2:
		a.rows, a.columns = lengths[0], lengths[1]
	default:
		return foreign(a.name, fmt.Sprintf("an array of NumPy of %s, not a vector or a matrix", count(len(lengths), "dimension")),
			`make it a matrix in Python: numpy.save("NAME.npy", x.reshape(len(x), -1))`)
	}
	if a.columns > maxLine/2 || a.columns > 0 && a.rows > most/a.columns {
		return &Error{Name: a.name, Text: fmt.Sprintf("an array of NumPy of %d x %d numbers, more than are read", a.rows, a.columns)}
	}
	return nil
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
	all, err := s.Bytes(io.LimitReader(in, int64(a.rows)*int64(a.columns)*int64(a.size)))
	if err != nil {
		return openError(a.name, err)
	}
	a.at, a.base, a.in = bytes.NewReader(all), 0, nil
	return nil
}

// look says how many columns there are. None has a name, and all have numbers, be they missing.
func (a *arrayRows) look(o Options) (*sample, error) {
	if a.rows == 0 || a.columns == 0 {
		return nil, errEmpty(o.Name)
	}
	row := make([]string, a.columns)
	for c := range row {
		row[c] = "0"
	}
	return &sample{name: o.Name, rows: [][]string{row}, numbers: true}, nil
}

func (a *arrayRows) next() (blank int, err error) {
	if a.row == a.end {
		return 0, io.EOF
	}
	if a.row == a.from+a.kept {
		if a.keep(); a.kept == 0 {
			return 0, a.failed
		}
	}
	a.row++
	return 0, nil
}

// keep reads some rows behind those that were read.
func (a *arrayRows) keep() {
	rows, size := min(max(keptNumbers/a.columns, 1), a.end-a.row), a.columns*a.size
	if a.raw == nil {
		a.raw = make([]byte, rows*size)
	}
	a.raw = a.raw[:rows*size]
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
		a.failed = fmt.Errorf("the array ends in row %d of %d", a.from+a.kept+1, a.rows)
	default:
		a.failed = err
	}
}

// gather reads the next rows of an array that is written column by column, and returns how many bytes the rows have that are in all columns.
func (a *arrayRows) gather(rows int) (n int, failed error) {
	if a.one == nil {
		a.one = make([]byte, rows*a.size)
	}
	piece := a.one[:rows*a.size]
	for c := range a.columns {
		n, err := a.at.ReadAt(piece, a.base+(int64(c)*int64(a.rows)+int64(a.from))*int64(a.size))
		if n /= a.size; n < rows {
			rows, failed = n, err
		}
		for i := range rows {
			copy(a.raw[(i*a.columns+c)*a.size:][:a.size], piece[i*a.size:])
		}
	}
	return rows * a.columns * a.size, failed
}

// bitsOf are those of a cell.
func (a *arrayRows) bitsOf(c int) uint64 {
	return a.bits(a.raw[((a.row-1-a.from)*a.columns+c)*a.size:], a.order)
}

func (a *arrayRows) width() int           { return a.columns }
func (a *arrayRows) number(c int) float64 { return a.kind.number(a.bitsOf(c)) }
func (a *arrayRows) text(c int) string    { return a.kind.text(a.bitsOf(c)) }

// place is the row of a cell, and its column.
func (a *arrayRows) place(c int) (line, position int) { return a.row, c + 1 }
