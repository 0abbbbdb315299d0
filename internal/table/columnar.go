package table

import (
	"bytes"
	"io"
	"slices"
)

// Converter opens a file of columns, as Parquet and Arrow files are, as structured arrays of NumPy, one after the other, or as CSV. The error of reading
// is that of the conversion. Only, unless it is nil, are the columns that are wanted, if all of them are there: cells of others may be empty.
type Converter func(path string, only []string) (io.ReadCloser, error)

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

// wanted are the columns that are asked for, as far as these are names; nil where the file says which are read.
func (o *Options) wanted() []string {
	if len(o.Columns) == 0 {
		return nil
	}
	names := slices.Clone(o.Columns)
	if o.Weights != "" {
		names = append(names, o.Weights)
	}
	for _, c := range o.Where {
		names = append(names, c.Column)
	}
	return names
}

// convert reads a file of columns.
func (p *parts) convert(name string) error {
	in, err := p.Convert(name, p.Options.wanted())
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
