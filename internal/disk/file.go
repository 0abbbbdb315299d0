package disk

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// A file of rows, to be read again:
//
//	offset  bytes
//	0       8      "sngdcol1"
//	8       8      1.0 as a float64: the order of the bytes of all that follows
//	16      8      rows
//	24      8      numbers of a row
//	32      8      weights: 0 or as many as there are rows
//	40      8      bytes of the description
//	48      4      CRC-32C of what follows the first page
//	52      4      CRC-32C of the bytes before this
//	56      8      zeros
//
// The numbers begin at 65,536, which is a multiple of the pages of all systems: those of a row one after the other, as models take them, row by
// row. Weights and the description follow, each from a multiple of 64 on. The first page is written last, so that a file that is
// not finished is known.

const (
	magic      = "sngdcol1"
	headerSize = 64
	firstPage  = 1 << 16
	alignment  = 64
	// mostDescription is how many bytes of a description are read.
	mostDescription = 1 << 28
)

// castagnoli makes the table at the first use.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// Rows are what a file has.
type Rows struct {
	Values      []float64 // row by row
	Columns     int
	Weights     []float64 // nil for none
	Description []byte
}

// DamagedError is a file that is not as it was written.
type DamagedError struct{ Path, What string }

func (e *DamagedError) Error() string { return fmt.Sprintf("%s: damaged: %s", e.Path, e.What) }

// ErrForeign is of files that are no files of rows.
var ErrForeign = errors.New("not a file of rows that sngdgen has written")

// Save writes rows to a file, in the place of what is there, when all of it is written. The name of the file in the meantime is told, so that somebody can
// remove it.
func Save(path string, r Rows, temporary func(name string) (done func())) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".sngdgen-*.columns")
	if err != nil {
		return cause(path, err)
	}
	defer temporary(f.Name())()
	defer func() {
		if f.Close(); err != nil {
			os.Remove(f.Name())
			err = cause(path, err)
		}
	}()
	for len(r.Description)%NumberSize != 0 { // so that the file is of numbers up to its end
		r.Description = append(r.Description[:len(r.Description):len(r.Description)], ' ')
	}
	if err := write(f, r); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func cause(path string, err error) error {
	if p, ok := err.(*os.PathError); ok {
		err = p.Err
	}
	return fmt.Errorf("%s: cannot write the rows: %w", path, err)
}

func write(f *os.File, r Rows) error {
	if _, err := f.Seek(firstPage, io.SeekStart); err != nil {
		return err
	}
	out := &summing{w: bufio.NewWriterSize(f, 1<<20)}
	out.numbers(r.Values)
	out.align()
	out.numbers(r.Weights)
	out.align()
	out.write(r.Description)
	if err := errors.Join(out.err, out.w.Flush()); err != nil {
		return err
	}
	_, err := f.WriteAt(header(r, out.sum), 0)
	return err
}

// header is the first bytes of a file.
func header(r Rows, sum uint32) []byte {
	h := append(make([]byte, 0, headerSize), magic...)
	h = append(h, bytesOf([]float64{1})...)
	for _, n := range []int{len(r.Values) / max(r.Columns, 1), r.Columns, len(r.Weights), len(r.Description)} {
		h = binary.NativeEndian.AppendUint64(h, uint64(n))
	}
	h = binary.NativeEndian.AppendUint32(h, sum)
	h = binary.NativeEndian.AppendUint32(h, crc32.Checksum(h, castagnoli()))
	return h[:headerSize]
}

// summing writes, and sums up.
type summing struct {
	w    *bufio.Writer
	sum  uint32
	size int64
	err  error
}

// pieceLen is how many numbers are written at a time.
const pieceLen = 1 << 16

func (s *summing) numbers(x []float64) {
	for len(x) > 0 {
		n := min(len(x), pieceLen)
		s.write(bytesOf(x[:n]))
		x = x[n:]
	}
}

func (s *summing) write(b []byte) {
	if s.err == nil {
		s.sum = crc32.Update(s.sum, castagnoli(), b)
		s.size += int64(len(b))
		_, s.err = s.w.Write(b)
	}
}

func (s *summing) align() { s.write(make([]byte, aligned(s.size)-s.size)) }

func aligned(n int64) int64 { return (n + alignment - 1) / alignment * alignment }

// Load maps the rows of a file that Save has written, and checks that they are the same. They are not to be modified.
func (s *Space) Load(path string) (r Rows, err error) {
	f, err := os.Open(path)
	if err != nil {
		return r, err
	}
	taken := false
	defer func() {
		if !taken {
			f.Close()
		}
	}()
	h := make([]byte, headerSize)
	if _, err := io.ReadFull(f, h); err != nil || string(h[:len(magic)]) != magic {
		if zero(h) && err == nil {
			return r, &DamagedError{path, "it was never finished"}
		}
		return r, fmt.Errorf("%s: %w", path, ErrForeign)
	}
	d := &described{path: path, h: h}
	if err := d.read(f); err != nil {
		return r, err
	}
	taken = true
	all, err := s.Map(f, firstPage, int(d.numbers()))
	if err != nil {
		return r, err
	}
	return d.rows(all)
}

func zero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// described is what the first bytes of a file say.
type described struct {
	path                           string
	h                              []byte
	count, columns, weights, bytes int64
}

func (d *described) damaged(format string, args ...any) error {
	return &DamagedError{d.path, fmt.Sprintf(format, args...)}
}

func (d *described) read(f *os.File) error {
	if crc32.Checksum(d.h[:52], castagnoli()) != binary.NativeEndian.Uint32(d.h[52:]) {
		if string(d.h[8:16]) != string(bytesOf([]float64{1})) {
			return fmt.Errorf("%s: written on a machine with another order of bytes", d.path)
		}
		return d.damaged("the checksum of its beginning is another one")
	}
	for i, to := range []*int64{&d.count, &d.columns, &d.weights, &d.bytes} {
		*to = int64(binary.NativeEndian.Uint64(d.h[16+8*i:]))
	}
	const most = 1 << 40
	if d.count < 0 || d.columns < 1 || d.count > most/d.columns || d.weights != 0 && d.weights != d.count || d.bytes < 0 || d.bytes > mostDescription || d.bytes%NumberSize != 0 {
		return d.damaged("%d rows of %d numbers, %d weights and %d bytes", d.count, d.columns, d.weights, d.bytes)
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if want := firstPage + d.weightsAt() + aligned(d.weights*NumberSize) + d.bytes; info.Size() != want {
		return d.damaged("it has %d bytes, and should have %d", info.Size(), want)
	}
	return nil
}

// weightsAt is where weights begin, behind the first page.
func (d *described) weightsAt() int64 { return aligned(d.count * d.columns * NumberSize) }

// numbers is how many numbers all that is behind the first page would be.
func (d *described) numbers() int64 {
	return (d.weightsAt() + aligned(d.weights*NumberSize) + d.bytes) / NumberSize
}

// rows are the parts of the file.
func (d *described) rows(all []float64) (r Rows, err error) {
	bytes := bytesOf(all)[:d.weightsAt()+aligned(d.weights*NumberSize)+d.bytes]
	sum := uint32(0)
	for rest := bytes; len(rest) > 0; {
		n := min(len(rest), pieceLen*NumberSize)
		sum, rest = crc32.Update(sum, castagnoli(), rest[:n]), rest[n:]
	}
	if sum != binary.NativeEndian.Uint32(d.h[48:]) {
		return r, d.damaged("the checksum of its rows is another one")
	}
	n, at := d.count*d.columns, d.weightsAt()/NumberSize
	r.Values, r.Columns = all[:n:n], int(d.columns)
	if d.weights > 0 {
		r.Weights = all[at : at+d.weights : at+d.weights]
	}
	r.Description = bytes[int64(len(bytes))-d.bytes:]
	return r, nil
}
