package table

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A table may be in several files, as programs that write much data leave them. The first says which columns there are; in the others
// columns are found by their names, or by their numbers where there are none.

// mostFiles is how many files a pattern may stand for.
const mostFiles = 10_000

// matching returns the files that a pattern such as part-*.csv stands for, in the order of the alphabet. What is a file is no pattern.
func matching(path string) ([]string, error) {
	if _, err := os.Lstat(path); err == nil || !strings.ContainsAny(path, "*?[") {
		return []string{path}, nil
	}
	files, err := filepath.Glob(path)
	switch {
	case err != nil:
		return nil, &Error{Name: path, Text: "no file, and no pattern of names either", Hint: "[ begins a set of characters, as in part-[0-9].csv"}
	case len(files) == 0:
		return nil, &Error{Name: path, Text: "no file has a name like this"}
	case len(files) > mostFiles:
		return nil, &Error{Name: path, Text: fmt.Sprintf("%d files, more than %d, have a name like this", len(files), mostFiles)}
	}
	return files, nil
}

// parts reads files with the same columns as one table.
type parts struct {
	first  string // the file that says which columns there are
	done   int64  // bytes of all files
	total  int64
	layout *layout
	*reader
	Options
}

func (p *parts) readFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return openError(name, err)
	}
	defer f.Close()
	switch {
	case p.Convert != nil && isColumnar(f):
		return p.convert(name)
	case isArray(f):
		rows, err := p.openArray(name, f)
		if err != nil {
			return err
		}
		err = p.readRows(name, rows, rows.row)
		if p.reader != nil {
			p.table.Shared = rows.shared
		}
		return err
	}
	return p.read(name, p.counted(f))
}

// counted returns a file whose bytes are counted, where somebody wants to know.
func (p *parts) counted(f *os.File) io.Reader {
	if p.Options.Progress == nil {
		return f
	}
	return io.TeeReader(f, p)
}

// Write counts what was read.
func (p *parts) Write(b []byte) (int, error) {
	p.done += int64(len(b))
	p.Options.Progress(p.done, p.total)
	return len(b), nil
}

// countedAt counts the bytes that are read at any place.
type countedAt struct {
	io.ReaderAt
	to *parts
}

func (c countedAt) ReadAt(b []byte, at int64) (n int, err error) {
	n, err = c.ReaderAt.ReadAt(b, at)
	c.to.Write(b[:n])
	return n, err
}

// measure adds up the sizes of files, as far as they have one.
func (p *parts) measure(files []string) {
	for _, name := range files {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			p.total += info.Size()
		} else {
			p.total = -1
			return
		}
	}
}

func (p *parts) read(name string, in io.Reader) error {
	rows, err := decode(in, name, p.Options)
	if err != nil {
		return err
	}
	return p.readRows(name, rows, 0)
}

// readRows reads the rows of a file, of which some were skipped.
func (p *parts) readRows(name string, rows rowReader, skipped int) error {
	l, err := p.columns(name, rows)
	if err != nil {
		return err
	}
	p.current += skipped
	_, array := rows.(*arrayRows) // whose first row is no header
	return p.file(name, rows, l, array)
}

// columns returns the layout of a file.
func (p *parts) columns(name string, rows rowReader) (l *layout, err error) {
	o := p.Options
	o.Name = name
	s, err := rows.look(o)
	if err != nil {
		return nil, err
	}
	if p.layout != nil {
		return s.like(p.layout, p.first)
	}
	if l, err = detect(s, o); err == nil {
		p.first, p.layout, p.reader = name, l, newReader(l, p.Options)
	}
	return l, err
}

// ended reports whether no more rows are to be read.
func (p *parts) ended() bool { return len(p.faults) > 0 || p.Options.Rows.endBefore(p.current+1) }

// like returns the layout of a file that has the columns of another one.
func (s *sample) like(first *layout, name string) (*layout, error) {
	l := *first
	l.separator, l.width, l.header = s.separator, len(s.rows[0]), first.header && !s.numbers
	if !first.header {
		if l.width != first.width {
			return nil, &Error{Name: s.name, Text: fmt.Sprintf("%s here, but %s has %d", count(l.width, "column"), name, first.width)}
		}
		return &l, nil
	}
	l.names = s.names(l.header)
	l.columns, l.where = slices.Clone(first.columns), slices.Clone(first.where)
	columns := []*int{&l.weights}
	for i := range l.columns {
		columns = append(columns, &l.columns[i])
	}
	for i := range l.where {
		columns = append(columns, &l.where[i])
	}
	for _, c := range columns {
		if *c < 0 || *c < l.width && l.names[*c] == first.names[*c] {
			continue
		}
		at := slices.Index(l.names, first.names[*c])
		if at < 0 {
			return nil, &Error{Name: s.name, Text: fmt.Sprintf("no column %q, which %s has", first.names[*c], name), Hint: "the file has " + s.list()}
		}
		*c = at
	}
	return &l, nil
}
