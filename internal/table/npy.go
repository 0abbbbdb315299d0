package table

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Arrays of NumPy become tables of text on the way in, as anything else is one: numbers are written with as many digits as they need to
// be read back, and a row of the table is a row of the array. The format is that of NumPy Enhancement Proposal 1 and of the documentation
// of numpy.lib.format: a magic text, a version, the length of a header, the header as a dictionary of Python, the numbers.

const npyMagic = "\x93NUMPY"

// number is how a type of NumPy is written in bytes.
type number struct {
	size int
	text func(dst, bytes []byte, order binary.ByteOrder) []byte
}

var npyTypes = map[string]number{
	"b1": {1, func(dst, b []byte, _ binary.ByteOrder) []byte { return strconv.AppendUint(dst, uint64(b[0]), 10) }},
	"i1": {1, func(dst, b []byte, _ binary.ByteOrder) []byte { return strconv.AppendInt(dst, int64(int8(b[0])), 10) }},
	"u1": {1, func(dst, b []byte, _ binary.ByteOrder) []byte { return strconv.AppendUint(dst, uint64(b[0]), 10) }},
	"i2": {2, func(dst, b []byte, o binary.ByteOrder) []byte {
		return strconv.AppendInt(dst, int64(int16(o.Uint16(b))), 10)
	}},
	"u2": {2, func(dst, b []byte, o binary.ByteOrder) []byte {
		return strconv.AppendUint(dst, uint64(o.Uint16(b)), 10)
	}},
	"i4": {4, func(dst, b []byte, o binary.ByteOrder) []byte {
		return strconv.AppendInt(dst, int64(int32(o.Uint32(b))), 10)
	}},
	"u4": {4, func(dst, b []byte, o binary.ByteOrder) []byte {
		return strconv.AppendUint(dst, uint64(o.Uint32(b)), 10)
	}},
	"i8": {8, func(dst, b []byte, o binary.ByteOrder) []byte { return strconv.AppendInt(dst, int64(o.Uint64(b)), 10) }},
	"u8": {8, func(dst, b []byte, o binary.ByteOrder) []byte { return strconv.AppendUint(dst, o.Uint64(b), 10) }},
	"f4": {4, func(dst, b []byte, o binary.ByteOrder) []byte {
		return strconv.AppendFloat(dst, float64(math.Float32frombits(o.Uint32(b))), 'g', -1, 64)
	}},
	"f8": {8, func(dst, b []byte, o binary.ByteOrder) []byte {
		return strconv.AppendFloat(dst, math.Float64frombits(o.Uint64(b)), 'g', -1, 64)
	}},
}

// npyText is the text of an array.
type npyText struct {
	in      io.Reader
	name    string
	kind    number
	order   binary.ByteOrder
	rows    int
	columns int
	// whole are the bytes of an array in the order of Fortran, column by column, of which each row needs some of everywhere.
	whole []byte
	most  int // numbers that are read

	row   int
	bytes []byte // of a row
	text  []byte // what was not read yet
	kept  []byte // the memory of text
}

// arrayText converts an array to text.
func arrayText(in *bufio.Reader, name string, most int) (*bufio.Reader, error) {
	head, err := npyHeader(in)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = errors.New("it ends within its header")
	}
	if err != nil {
		return nil, &Error{Name: name, Text: "a damaged array of NumPy: " + err.Error()}
	}
	t := &npyText{in: in, name: name, order: binary.LittleEndian, most: most}
	descr, fortran, shape := head[1], head[2] == "True", head[3]
	if strings.HasPrefix(descr, ">") {
		t.order = binary.BigEndian
	}
	var known bool
	if t.kind, known = npyTypes[strings.TrimLeft(descr, "<>|=")]; !known {
		return nil, foreign(name, fmt.Sprintf("an array of NumPy of type %s, not of numbers", clip(descr)), frameHint)
	}
	if err := t.shape(shape); err != nil {
		return nil, err
	}
	if fortran && t.columns > 1 {
		if t.rows > maxValues/t.columns { // which are all needed at once
			return nil, &Error{Name: name, Text: fmt.Sprintf("an array of NumPy in the order of Fortran of %d x %d numbers, more than are read", t.rows, t.columns),
				Hint: `save it in the order of C in Python: numpy.save("NAME.npy", numpy.ascontiguousarray(x))`}
		}
		if t.whole, err = io.ReadAll(io.LimitReader(in, int64(t.rows*t.columns*t.kind.size))); err != nil {
			return nil, openError(name, err)
		}
	}
	t.bytes = make([]byte, t.columns*t.kind.size)
	return bufio.NewReaderSize(t, sampleSize), nil
}

// frameHint is how an array of something else may be converted.
const frameHint = `convert it in Python: pandas.DataFrame(numpy.load("FILE")).to_csv("NAME.csv", index=False)`

// The entries of the header may come in any order, but are written in that of the alphabet by all who write them.
var npyDictionary = regexp.MustCompile(`^\{\s*'descr':\s*'([^']*)',\s*'fortran_order':\s*(True|False),\s*'shape':\s*\(([0-9, L]*)\),?\s*\}\s*$`)

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
	found := npyDictionary.FindStringSubmatch(string(header))
	if found == nil {
		return nil, fmt.Errorf("its header is %s", clip(strconv.Quote(strings.TrimSpace(string(header)))))
	}
	return found, nil
}

// shape reads the lengths of an array: of a vector one, of a matrix two.
func (t *npyText) shape(text string) error {
	var lengths []int
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.Trim(part, " L"); part == "" {
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil || n > t.most {
			return &Error{Name: t.name, Text: "an array of NumPy of more numbers than are read: " + clip(text)}
		}
		lengths = append(lengths, n)
	}
	switch len(lengths) {
	case 1:
		t.rows, t.columns = lengths[0], 1
	case 2:
		t.rows, t.columns = lengths[0], lengths[1]
	default:
		return foreign(t.name, fmt.Sprintf("an array of NumPy of %s, not a vector or a matrix", count(len(lengths), "dimension")),
			`make it a matrix in Python: numpy.save("NAME.npy", x.reshape(len(x), -1))`)
	}
	if t.columns > maxLine/2 || t.columns > 0 && t.rows > t.most/t.columns {
		return &Error{Name: t.name, Text: fmt.Sprintf("an array of NumPy of %d x %d numbers, more than are read", t.rows, t.columns)}
	}
	return nil
}

func (t *npyText) Read(p []byte) (int, error) {
	for len(t.text) == 0 {
		if t.row == t.rows || t.columns == 0 {
			return 0, io.EOF
		}
		if err := t.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, t.text)
	t.text = t.text[n:]
	return n, nil
}

// next writes the next row.
func (t *npyText) next() error {
	size := t.kind.size
	if t.whole == nil {
		if _, err := io.ReadFull(t.in, t.bytes); err != nil {
			return t.short(err)
		}
	} else {
		if len(t.whole) < t.rows*t.columns*size {
			return t.short(io.ErrUnexpectedEOF)
		}
		for c := range t.columns {
			copy(t.bytes[c*size:(c+1)*size], t.whole[(c*t.rows+t.row)*size:])
		}
	}
	t.text = t.kept[:0]
	for c := range t.columns {
		if c > 0 {
			t.text = append(t.text, ',')
		}
		t.text = t.kind.text(t.text, t.bytes[c*size:(c+1)*size], t.order)
	}
	t.text = append(t.text, '\n')
	t.kept = t.text
	t.row++
	return nil
}

// short is the error of an array that ends before its last row.
func (t *npyText) short(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("the array ends in row %d of %d", t.row+1, t.rows)
	}
	return err
}
