package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

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
	Read() (arrow.RecordBatch, error)
}

// convert writes a file. Files come from anywhere, and the library panics on some that are damaged.
func convert(ctx context.Context, path string, out io.Writer, write func(context.Context, io.Writer, records) error) (err error) {
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
	return write(ctx, out, in)
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
		return ipc.NewReader(f)
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
	return r.GetRecordReader(ctx, nil, nil)
}

// arrowFile reads the portions of an Arrow file, which may be read in any order, one after the other.
type arrowFile struct{ *ipc.FileReader }

func openArrow(f *os.File) (records, error) {
	r, err := ipc.NewFileReader(f)
	if err != nil {
		return nil, err
	}
	return arrowFile{r}, nil
}
