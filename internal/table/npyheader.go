package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// The format of an array of NumPy is that of NumPy Enhancement Proposal 1 and of the documentation of numpy.lib.format: a magic text, a version, the
// length of a header, the header as a dictionary of Python, the cells.

const npyMagic = "\x93NUMPY"

// isArray tells an array that is not compressed by its beginning.
func isArray(f io.ReaderAt) bool {
	magic := make([]byte, len(npyMagic))
	n, _ := f.ReadAt(magic, 0)
	return string(magic[:n]) == npyMagic
}

// arrayHeader is what is said of an array before its cells.
type arrayHeader struct {
	descr         string
	named         bool    // its columns have names: a structured array
	entries       []entry // of a row; of a matrix one for all columns
	stride        int     // bytes of a row; of a matrix those of a number
	fortran       bool    // column by column
	rows, columns int
}

// The entries of the header may come in any order, but are written in that of the alphabet by all who write them.
var npyDictionary = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^\{\s*'descr':\s*('[^']*'|\[.*\]),\s*'fortran_order':\s*(True|False),\s*'shape':\s*\(([0-9, L]*)\),?\s*\}\s*$`)
})

// readArrayHeader reads up to the cells. It returns io.EOF where there is nothing at all.
func readArrayHeader(in io.Reader, name string, most int) (*arrayHeader, error) {
	text, err := headerText(in)
	if err == io.EOF {
		return nil, err
	}
	found := npyDictionary().FindStringSubmatch(text)
	switch {
	case err == io.ErrUnexpectedEOF:
		err = errors.New("it ends within its header")
	case err == nil && found == nil:
		err = fmt.Errorf("its header is %s", clip(strconv.Quote(strings.TrimSpace(text))))
	}
	if err != nil {
		return nil, &Error{Name: name, Text: "a damaged array of NumPy: " + err.Error()}
	}
	h := &arrayHeader{descr: found[1], fortran: found[2] == "True"}
	if err := h.types(name); err != nil {
		return nil, err
	}
	err = h.shape(name, found[3], most)
	h.fortran = h.fortran && h.columns > 1 && !h.named
	return h, err
}

// headerText reads the dictionary.
func headerText(in io.Reader) (string, error) {
	prefix := make([]byte, len(npyMagic)+2)
	if _, err := io.ReadFull(in, prefix); err != nil {
		return "", err
	}
	version, size := prefix[len(npyMagic)], make([]byte, 2)
	if version > 1 {
		size = make([]byte, 4)
	}
	if _, err := io.ReadFull(in, size); err != nil {
		return "", within(err)
	}
	length := uint32(binary.LittleEndian.Uint16(size))
	if len(size) == 4 {
		length = binary.LittleEndian.Uint32(size)
	}
	if length > maxLine {
		return "", fmt.Errorf("a header of %d bytes", length)
	}
	header := make([]byte, length)
	if _, err := io.ReadFull(in, header); err != nil {
		return "", within(err)
	}
	if version < 3 {
		return fromLatin1(header), nil
	}
	return strings.ToValidUTF8(string(header), string(utf8.RuneError)), nil
}

// within is the error of reading what has to follow.
func within(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func fromLatin1(text []byte) string {
	out := make([]rune, len(text))
	for i, b := range text {
		out[i] = rune(b)
	}
	return string(out)
}

// types reads what the cells are.
func (h *arrayHeader) types(name string) error {
	if h.named = h.descr[0] == '['; h.named {
		return h.fields(name)
	}
	h.descr = strings.Trim(h.descr, "'")
	t, known := numberTypeOf(h.descr)
	if !known {
		return foreign(name, fmt.Sprintf("an array of NumPy of type %s, not of numbers", clip(h.descr)), frameHint)
	}
	h.entries, h.stride = []entry{{cellType: t}}, t.size
	return nil
}

// frameHint is how an array of something else may be converted.
const frameHint = `convert it in Python: pandas.DataFrame(numpy.load("FILE")).to_csv("NAME.csv", index=False)`

// npyField is one of a structured array, a name and a type, and npyFields a list of them.
var npyField, npyFields = func() (one, list func() *regexp.Regexp) {
	const field = `\(\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"),\s*'([^']*)'\s*\)`
	compiled := func(pattern string) func() *regexp.Regexp {
		return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
	}
	return compiled(field), compiled(`^\[\s*` + field + `(?:\s*,\s*` + field + `)*\s*,?\s*\]$`)
}()

// fields reads the names and types of a structured array, of which each has one cell in a row.
func (h *arrayHeader) fields(name string) error {
	if !npyFields().MatchString(h.descr) {
		return foreign(name, "a structured array of NumPy whose fields are no single numbers or texts: "+clip(h.descr), frameHint)
	}
	for _, field := range npyField().FindAllStringSubmatch(h.descr, -1) {
		title, descr := pythonText(field[1]), field[2]
		if size, padding := strings.CutPrefix(descr, "|V"); padding && title == "" {
			n, err := strconv.Atoi(size)
			if err != nil || n < 0 || n > maxLine {
				return foreign(name, "a damaged array of NumPy: padding of "+clip(size), "")
			}
			h.stride += n
			continue
		}
		t, known := fieldTypeOf(descr)
		if !known {
			return foreign(name, fmt.Sprintf("an array of NumPy whose field %s is of type %s, neither a number nor bytes", clip(title), clip(descr)), frameHint)
		}
		h.entries = append(h.entries, entry{name: title, from: h.stride, cellType: t})
		if h.stride += t.size; h.stride > maxLine {
			return &Error{Name: name, Text: fmt.Sprintf("a row of more than %d bytes", maxLine)}
		}
	}
	if h.stride == 0 { // of which there may be any number in a few bytes
		return errEmpty(name)
	}
	return nil
}

// pythonText is the text that a literal of Python is.
func pythonText(literal string) string {
	quote, rest := literal[0], literal[1:len(literal)-1]
	var out strings.Builder
	for rest != "" {
		r, _, after, err := strconv.UnquoteChar(rest, quote)
		if err != nil { // an escape that Go does not have is what is written
			out.WriteString(rest)
			break
		}
		out.WriteRune(r)
		rest = after
	}
	return out.String()
}

// shape reads the lengths of an array: of a vector one, of a matrix two.
func (h *arrayHeader) shape(name, text string, most int) error {
	var lengths []int
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.Trim(part, " L"); part == "" {
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil || n > most {
			return &Error{Name: name, Text: "an array of NumPy of more numbers than are read: " + clip(text)}
		}
		lengths = append(lengths, n)
	}
	switch {
	case h.named && len(lengths) == 1:
		h.rows, h.columns = lengths[0], len(h.entries)
	case len(lengths) == 1:
		h.rows, h.columns = lengths[0], 1
	case len(lengths) == 2 && !h.named:
		h.rows, h.columns = lengths[0], lengths[1]
	default:
		return foreign(name, fmt.Sprintf("an array of NumPy of %s, not a vector or a matrix", count(len(lengths), "dimension")),
			`make it a matrix in Python: numpy.save("NAME.npy", x.reshape(len(x), -1))`)
	}
	if h.columns > maxLine/2 || h.columns > 0 && h.rows > most/h.columns {
		return &Error{Name: name, Text: fmt.Sprintf("an array of NumPy of %d x %d numbers, more than are read", h.rows, h.columns)}
	}
	return nil
}
