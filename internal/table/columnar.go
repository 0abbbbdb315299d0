package table

import (
	"bytes"
	"io"
)

// Converter opens a file of columns, as Parquet and Arrow files are, as structured arrays of NumPy, one after the other, or as CSV. The error of reading
// is that of the conversion.
type Converter func(path string) (io.ReadCloser, error)

// columnar are how files begin that a Converter knows.
var columnar = []string{"PAR1", "PARE", "ARROW1", "FEA1", "\xff\xff\xff\xff"}

// isColumnar tells a file of columns by its beginning. Text may begin alike, but for what follows the letters.
func isColumnar(f io.ReaderAt) bool {
	head := make([]byte, looked)
	n, _ := f.ReadAt(head, 0)
	head = head[:n]
	for _, magic := range columnar {
		if bytes.HasPrefix(head, []byte(magic)) {
			return isBinary(head)
		}
	}
	return false
}

// convert reads a file of columns.
func (p *parts) convert(name string) error {
	in, err := p.Convert(name)
	if err != nil {
		return err
	}
	defer in.Close()
	rows, err := decode(in, name, p.Options)
	if err != nil {
		return err
	}
	if a, ok := rows.(*arrayRows); ok {
		a.chain = true
	}
	return p.readRows(name, rows, 0)
}
