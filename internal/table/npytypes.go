package table

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// entry is what a row of an array has in a column.
type entry struct {
	name string // "" where columns have none
	from int    // where in the row it begins, in bytes
	cellType
}

// cellType is how the cells of a type of NumPy are written.
type cellType struct {
	size  int
	kind  kindOfCell
	order binary.ByteOrder
	// bits are those of a number in the bytes of one, sign extended where it has a sign.
	bits func(b []byte, order binary.ByteOrder) uint64
}

type kindOfCell byte

const (
	signed kindOfCell = iota
	unsigned
	float
	characters // as of a text, up to the zeros at the end
)

var numberTypes = map[string]cellType{
	"b1": {size: 1, kind: unsigned, bits: bits8},
	"i1": {size: 1, kind: signed, bits: func(b []byte, _ binary.ByteOrder) uint64 { return uint64(int8(b[0])) }},
	"u1": {size: 1, kind: unsigned, bits: bits8},
	"i2": {size: 2, kind: signed, bits: func(b []byte, o binary.ByteOrder) uint64 { return uint64(int16(o.Uint16(b))) }},
	"u2": {size: 2, kind: unsigned, bits: func(b []byte, o binary.ByteOrder) uint64 { return uint64(o.Uint16(b)) }},
	"i4": {size: 4, kind: signed, bits: func(b []byte, o binary.ByteOrder) uint64 { return uint64(int32(o.Uint32(b))) }},
	"u4": {size: 4, kind: unsigned, bits: func(b []byte, o binary.ByteOrder) uint64 { return uint64(o.Uint32(b)) }},
	"i8": {size: 8, kind: signed, bits: bits64},
	"u8": {size: 8, kind: unsigned, bits: bits64},
	"f4": {size: 4, kind: float, bits: func(b []byte, o binary.ByteOrder) uint64 {
		return math.Float64bits(float64(math.Float32frombits(o.Uint32(b))))
	}},
	"f8": {size: 8, kind: float, bits: bits64},
}

func bits8(b []byte, _ binary.ByteOrder) uint64  { return uint64(b[0]) }
func bits64(b []byte, o binary.ByteOrder) uint64 { return o.Uint64(b) }

// numberTypeOf is the type of numbers that NumPy calls so.
func numberTypeOf(descr string) (t cellType, known bool) {
	t, known = numberTypes[strings.TrimLeft(descr, "<>|=")]
	t.order = binary.LittleEndian
	if strings.HasPrefix(descr, ">") {
		t.order = binary.BigEndian
	}
	return t, known
}

// fieldTypeOf is a type of numbers or of bytes.
func fieldTypeOf(descr string) (t cellType, known bool) {
	if size, bytes := strings.CutPrefix(strings.TrimPrefix(descr, "|"), "S"); bytes {
		n, err := strconv.Atoi(size)
		return cellType{size: n, kind: characters}, err == nil && 0 <= n && n <= maxLine
	}
	return numberTypeOf(descr)
}

// number is the number that some bytes are, the nearest one where it has more digits; NaN where a text is none.
func (t *cellType) number(b []byte, decimalComma bool) float64 {
	switch t.kind {
	case signed:
		return float64(int64(t.bits(b, t.order)))
	case unsigned:
		return float64(t.bits(b, t.order))
	case characters:
		return parseCell(t.characters(b), decimalComma)
	}
	return math.Float64frombits(t.bits(b, t.order))
}

// text has as many digits as are needed to read a number back.
func (t *cellType) text(b []byte) string {
	switch t.kind {
	case signed:
		return strconv.FormatInt(int64(t.bits(b, t.order)), 10)
	case unsigned:
		return strconv.FormatUint(t.bits(b, t.order), 10)
	case characters:
		return string(t.characters(b))
	}
	return strconv.FormatFloat(math.Float64frombits(t.bits(b, t.order)), 'g', -1, 64)
}

func (t *cellType) characters(b []byte) []byte { return bytes.TrimRight(b[:t.size], "\x00") }
