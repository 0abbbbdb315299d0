package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// batchRows is how many rows of a Parquet file are in memory at a time.
const batchRows = 1 << 16

// records gives the rows of a file in portions; io.EOF after the last one. A portion is valid until the next one is read.
type records interface {
	Schema() *arrow.Schema
	// only says, before the first portion, which fields of the schema are read, in their order. Columns find their parts in those.
	only(columns []column, fields []int)
	Read() (arrow.RecordBatch, error)
}

// convert writes a file. Files come from anywhere, and the library panics on some that are damaged.
func convert(ctx context.Context, path string, out io.Writer, only []string, write writer) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the file is damaged: %v", fault)
		}
	}()
	f, err := os.Open(path)
	if err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return err
	}
	defer f.Close()
	in, err := open(ctx, f)
	if err != nil {
		return err
	}
	columns := columnsOfFile(in.Schema())
	if len(columns) == 0 {
		return errors.New("the file has no columns")
	}
	if fields := keepOnly(columns, only); fields != nil {
		in.only(columns, fields)
	}
	for _, c := range columns {
		if c.fault != nil && !c.empty {
			return c.fault
		}
	}
	return write(ctx, out, columns, in)
}

// writer writes all rows, of which the columns are known.
type writer func(ctx context.Context, out io.Writer, columns []column, in records) error

// keepOnly leaves the columns empty whose names are not among some, and returns the fields of the file that have the others; nil where all are kept, or
// there is no column of one of the names.
func keepOnly(columns []column, names []string) (fields []int) {
	if len(names) == 0 || slices.ContainsFunc(names, func(name string) bool {
		return !slices.ContainsFunc(columns, func(c column) bool { return c.name == name })
	}) {
		return nil
	}
	for i := range columns {
		c := &columns[i]
		if c.empty = !slices.Contains(names, c.name); !c.empty && !slices.Contains(fields, c.field) {
			fields = append(fields, c.field)
		}
	}
	return fields
}

// open tells the format by its first bytes.
func open(ctx context.Context, f *os.File) (records, error) {
	head := make([]byte, 6)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && err != io.EOF {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("a file is needed, which can be read in any order: %w", err)
	}
	switch head = head[:n]; {
	case bytes.HasPrefix(head, []byte("PAR1")):
		return openParquet(ctx, f)
	case bytes.HasPrefix(head, []byte("PARE")):
		return nil, errors.New("the Parquet file is encrypted")
	case bytes.HasPrefix(head, []byte("ARROW1")):
		return openArrow(f)
	case bytes.HasPrefix(head, []byte("\xff\xff\xff\xff")):
		r, err := ipc.NewReader(f)
		return arrowStream{r}, err
	case bytes.HasPrefix(head, []byte("FEA1")):
		return nil, errors.New("the first version of Feather; write the file again by a newer program, in Python pandas.read_feather(...).to_feather(...)")
	}
	return nil, errors.New("neither Parquet nor Arrow nor Feather")
}

func openParquet(ctx context.Context, f *os.File) (records, error) {
	p, err := file.NewParquetReader(f)
	if err != nil {
		return nil, err
	}
	r, err := pqarrow.NewFileReader(p, pqarrow.ArrowReadProperties{BatchSize: batchRows}, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	schema, err := r.Schema()
	return &parquetFile{ctx: ctx, file: r, schema: schema}, err
}

// parquetFile reads some fields of a Parquet file: the pages of others are not looked at.
type parquetFile struct {
	ctx    context.Context
	file   *pqarrow.FileReader
	schema *arrow.Schema
	leaves []int // of the fields; nil for all
	rows   pqarrow.RecordReader
}

func (p *parquetFile) Schema() *arrow.Schema { return p.schema }

func (p *parquetFile) only(columns []column, fields []int) {
	for _, i := range fields {
		p.leaves = leavesOf(p.leaves, &p.file.Manifest.Fields[i])
	}
	for i := range columns {
		columns[i].field = slices.Index(fields, columns[i].field)
	}
}

// leavesOf appends the columns of the file that a field has.
func leavesOf(leaves []int, f *pqarrow.SchemaField) []int {
	if len(f.Children) == 0 {
		return append(leaves, f.ColIndex)
	}
	for i := range f.Children {
		leaves = leavesOf(leaves, &f.Children[i])
	}
	return leaves
}

func (p *parquetFile) Read() (arrow.RecordBatch, error) {
	if p.rows == nil {
		var err error
		if p.rows, err = p.file.GetRecordReader(p.ctx, p.leaves, nil); err != nil {
			return nil, err
		}
	}
	return p.rows.Read()
}

// arrowFile reads the portions of an Arrow file, which may be read in any order, one after the other. They have all fields.
type arrowFile struct{ *ipc.FileReader }

func (arrowFile) only([]column, []int) {}

// arrowStream is one of portions, which have all fields too.
type arrowStream struct{ *ipc.Reader }

func (arrowStream) only([]column, []int) {}

func openArrow(f *os.File) (records, error) {
	r, err := ipc.NewFileReader(f)
	if err != nil {
		return nil, err
	}
	return arrowFile{r}, nil
}
