package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// format is a kind of file that is no table of text.
type format struct {
	magic string // what its bytes have
	at    int    // there
	name  string
	hint  string // FILE stands for the name of the file, NAME for that without its extension
}

// pandas is how a file is converted in Python.
func pandas(read string) string {
	return `convert it in Python: pandas.` + read + `("FILE").to_csv("NAME.csv", index=False)`
}

// formats are the files that are mistaken for tables of text most often.
var formats = []format{
	{"PAR1", 0, "a Parquet file", pandas("read_parquet")},
	{"ARROW1", 0, "an Arrow (Feather) file", pandas("read_feather")},
	{"\xff\xff\xff\xff", 0, "a stream of Arrow", `convert it in Python: pyarrow.ipc.open_stream("FILE").read_pandas().to_csv("NAME.csv", index=False)`},
	{"FEA1", 0, "a Feather file", pandas("read_feather")},
	{"\x89HDF\r\n\x1a\n", 0, "an HDF5 file", pandas("read_hdf")},
	{"SQLite format 3\x00", 0, "an SQLite database", "save a query as CSV: sqlite3 -header -csv FILE 'select ...' > NAME.csv"},
	{"PK\x03\x04", 0, "a zip archive or a spreadsheet", "save the sheet as CSV; unpack an archive first"},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0, "a spreadsheet of an old Excel", "save the sheet as CSV"},
	{"RDX", 0, "data saved by R", `convert them in R: load("FILE"), then write.csv(x, "NAME.csv", row.names=FALSE)`},
	{"X\n\x00\x00\x00", 0, "an object saved by R", `convert it in R: write.csv(readRDS("FILE"), "NAME.csv", row.names=FALSE)`},
	{"<stata_dta>", 0, "a file of Stata", pandas("read_stata")},
	{"$FL2", 0, "a file of SPSS", pandas("read_spss")},
	{"MATLAB 5.0", 0, "a file of MATLAB", `convert it in MATLAB: writematrix(x, "NAME.csv")`},
	{"1AY&SY", 4, "compressed by bzip2", "decompress it: bunzip2 FILE"},
	{"\xfd7zXZ\x00", 0, "compressed by xz", "decompress it: unxz FILE"},
	{"\x28\xb5\x2f\xfd", 0, "compressed by zstd", "decompress it: unzstd FILE"},
	{"%PDF-", 0, "a PDF", "copy its table into a text file, with commas between the cells"},
	{"\x89PNG", 0, "an image", ""},
	{"ustar", 257, "a tar archive", "unpack it: tar -xf FILE"},
}

// notText reports a file that is no table of text by its beginning.
func notText(head []byte, name string) error {
	binary := isBinary(head)
	for _, f := range formats {
		if (binary || !f.readable()) && len(head) >= f.at && bytes.HasPrefix(head[f.at:], []byte(f.magic)) {
			return foreign(name, f.name+", not a table of text", f.hint)
		}
	}
	switch {
	case bytes.HasPrefix(head, []byte(markUTF32)):
		return foreign(name, "text in UTF-32", "save the file as UTF-8")
	case binary && zerosAlternate(head):
		return foreign(name, "it looks like text in UTF-16 without a byte order mark", "save the file as UTF-8")
	case binary && bytes.IndexByte(head, 0) >= 0:
		return foreign(name, "not a table of text: it has bytes that are 0", "save the data as CSV or TSV")
	case isJSON(head):
		return foreign(name, "JSON, not a table of text", pandas("read_json"))
	case isMarkup(head):
		return foreign(name, "a web page or XML, not a table of text", "save its table as CSV")
	case bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(bytes.TrimRight(head, "\r"), '\r') >= 0:
		return foreign(name, "its lines end in a carriage return alone", "save the file with the line ends of Unix or of Windows")
	}
	return nil
}

// readable tells whether a text might begin in the same way.
func (f *format) readable() bool {
	return !strings.ContainsFunc(f.magic, func(r rune) bool { return r < ' ' || r > '~' })
}

// isBinary tells whether bytes are no text. The last ones may be cut off within a character.
func isBinary(head []byte) bool {
	if bytes.IndexByte(head, 0) >= 0 {
		return true
	}
	for cut := range utf8.UTFMax {
		if cut <= len(head) && utf8.Valid(head[:len(head)-cut]) {
			return false
		}
	}
	return true
}

// zerosAlternate tells whether every other byte is 0, as in numbers in UTF-16.
func zerosAlternate(head []byte) bool {
	zeros := [2]int{}
	for i, b := range head {
		if b == 0 {
			zeros[i%2]++
		}
	}
	few, many := min(zeros[0], zeros[1]), max(zeros[0], zeros[1])
	return few == 0 && many > 1 && many >= len(head)/2
}

func foreign(name, text, hint string) error {
	base := filepath.Base(name)
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	return &Error{Name: name, Text: text, Hint: strings.NewReplacer("FILE", base, "NAME", stem).Replace(hint)}
}

// isJSON tells whether a text is JSON as far as it goes: what begins with a bracket may be the name of a column.
func isJSON(head []byte) bool {
	text := bytes.TrimLeft(head, " \t\r\n\ufeff")
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := d.Token(); err != nil {
			return err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF)
		}
	}
}

func isMarkup(head []byte) bool {
	text := bytes.TrimLeft(head, " \t\r\n\ufeff")
	begin := strings.ToLower(string(text[:min(len(text), 64)]))
	for _, tag := range []string{"<!doctype", "<html", "<?xml", "<table"} {
		if strings.HasPrefix(begin, tag) {
			return true
		}
	}
	return false
}
