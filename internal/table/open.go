package table

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"golang.org/x/text/encoding/unicode"
)

// sampleSize is how much of a file is looked at to detect its separator, its header and its numeric columns.
const sampleSize = 1 << 20

// ReadFile reads a table from a file, from all files that match a pattern, or from stdin when path is "-".
func ReadFile(path string, stdin io.Reader, o Options) (*Table, error) {
	if path == "-" {
		if o.Name = "<stdin>"; o.Cache != "" {
			return nil, &Error{Name: o.Name, Text: "what is read from the standard input cannot be kept in " + o.Cache, Hint: "name a file"}
		}
		return Read(stdin, o)
	}
	files, err := matching(path)
	if err != nil {
		return nil, err
	}
	if len(files) > 1 {
		o.Processes = nil
	}
	if o.Files != nil {
		files = o.Files(files)
	}
	o.Name = path
	if o.Cache != "" {
		return o.cached(files)
	}
	return readFiles(files, o)
}

// readFiles reads files as one table.
func readFiles(files []string, o Options) (*Table, error) {
	if o.Processes != nil {
		if t, err := o.readShare(files[0]); t != nil || err != nil {
			return t, err
		}
	}
	several := parts{Options: o}
	several.measure(files)
	for _, file := range files {
		if err := several.readFile(file); err != nil {
			return nil, err
		}
		if several.ended() {
			break
		}
	}
	return several.finish()
}

func openError(path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &Error{Name: path, Text: fmt.Sprintf("cannot read the data: %v", err)}
}

// decode undoes compression, UTF-16 and a byte order mark, and refuses what is neither text nor an array of NumPy.
func decode(r io.Reader, name string, o Options) (rowReader, error) {
	in := bufio.NewReaderSize(r, buffered)
	magic, err := in.Peek(2)
	if err != nil && err != io.EOF {
		return nil, openError(name, err)
	}
	switch {
	case bytes.HasPrefix(magic, []byte("\x1f\x8b")):
		if in, err = gunzip(in, name); err != nil {
			return nil, err
		}
	case strings.HasSuffix(name, ".gz"):
		return nil, &Error{Name: name, Text: "named .gz, but the content is not gzip",
			Hint: "if it is plain text, rename it to end in .csv"}
	}
	if magic, _ := in.Peek(len(npyMagic)); string(magic) == npyMagic {
		return newArray(in, name, o)
	}
	in = decodeUTF16(in)
	head, err := in.Peek(looked)
	if err != nil && err != io.EOF {
		return nil, openError(name, err)
	}
	if err := notText(head, name); err != nil {
		return nil, err
	}
	return &textRows{lines: lines{in: skipMark(in)}}, nil
}

// looked is how much of a file is looked at to tell what it is.
const looked = 1 << 12

func gunzip(r io.Reader, name string) (*bufio.Reader, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, openError(name, err)
	}
	return bufio.NewReaderSize(z, buffered), nil
}

// decodeUTF16 decodes a text that begins with a byte order mark of UTF-16, as spreadsheets save "Unicode text".
func decodeUTF16(in *bufio.Reader) *bufio.Reader {
	mark, _ := in.Peek(len(markUTF32))
	little, big := bytes.HasPrefix(mark, []byte("\xff\xfe")), bytes.HasPrefix(mark, []byte("\xfe\xff"))
	if (little || big) && string(mark) != markUTF32 {
		decoder := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
		return bufio.NewReaderSize(decoder.Reader(in), buffered)
	}
	return in
}

// markUTF32 begins like the mark of UTF-16.
const markUTF32 = "\xff\xfe\x00\x00"

// byteOrderMark is what some programs write before UTF-8.
const byteOrderMark = "\ufeff"

// skipMark drops it.
func skipMark(in *bufio.Reader) *bufio.Reader {
	if mark, _ := in.Peek(3); string(mark) == byteOrderMark {
		in.Discard(len(mark))
	}
	return in
}
