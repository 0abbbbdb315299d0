package worker

import (
	"bufio"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"unsafe"

	"github.com/sngdgen/sngdgen/internal/disk"
	"github.com/sngdgen/sngdgen/runtime"
)

// message is a job on the wire. Gob keeps every bit of a number, those that are not finite among them, and the two ends
// of the wire are always of one version. The numbers of the data follow as they are in memory, those that are in no file.
type message struct {
	Job             Job
	Columns         int
	Values, Weights numbers
	// Limited says that there is a limit to the memory for the numbers, Bytes, behind which they are in files in a folder.
	Limited bool
	Bytes   int64
	Folder  string
}

// numbers say how many follow, or where in a file they are.
type numbers struct {
	Count  int
	None   bool  // nil
	File   int   // 0 for none, else the number of the file of those that the process is started with
	Offset int64 // in it
}

// firstFile is the first file that a process is started with, beside those that all have.
const firstFile = 3

// Parcel is a job with its data on the way to another process.
type Parcel struct {
	message message
	parts   [][]float64
	Files   []*os.File // that the process is to be started with
}

// Pack makes a parcel; the space, which may be nil, is that of the data.
func Pack(job Job, data runtime.Data, space *disk.Space) *Parcel {
	p := &Parcel{message: message{Job: job, Columns: data.Columns}}
	if space != nil {
		p.message.Limited, p.message.Bytes, p.message.Folder = true, space.Memory(), space.Dir()
	}
	p.message.Values, p.message.Weights = p.add(data.Values, space), p.add(data.Weights, space)
	return p
}

func (p *Parcel) add(x []float64, space *disk.Space) numbers {
	n := numbers{Count: len(x), None: x == nil}
	f, offset := space.Find(x)
	if f == nil {
		p.parts = append(p.parts, x)
		return n
	}
	p.Files = append(p.Files, f)
	n.File, n.Offset = len(p.Files), offset
	return n
}

// Send writes the parcel.
func (p *Parcel) Send(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	if err := gob.NewEncoder(out).Encode(p.message); err != nil {
		return err
	}
	for _, x := range p.parts {
		if _, err := out.Write(bytesOf(x)); err != nil {
			return err
		}
	}
	return out.Flush()
}

// bytesOf is the memory of numbers.
func bytesOf(x []float64) []byte {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 8*len(x))
}

// unpack reads a parcel. What it returns last gives back the memory of the data.
func unpack(r io.Reader) (job Job, data runtime.Data, free func(), err error) {
	in := bufio.NewReaderSize(r, 1<<16) // which gob reads no further than it has to
	var m message
	if err := gob.NewDecoder(in).Decode(&m); err != nil {
		return job, data, nil, err
	}
	var space *disk.Space
	data = runtime.Data{Columns: m.Columns, Kept: true}
	if m.Limited {
		space = disk.ForProcess(m.Folder, m.Bytes)
		data.Room = space.Numbers
	}
	if data.Values, err = m.Values.read(in, space); err == nil {
		data.Weights, err = m.Weights.read(in, space)
	}
	return m.Job, data, space.Close, err
}

func (n *numbers) read(in io.Reader, space *disk.Space) ([]float64, error) {
	switch {
	case n.None:
		return nil, nil
	case n.File > 0:
		return space.Map(os.NewFile(uintptr(firstFile+n.File-1), "numbers"), n.Offset, n.Count)
	}
	x, err := space.Numbers(n.Count)
	if err == nil {
		_, err = io.ReadFull(in, bytesOf(x))
	}
	return x, err
}

// Receive reads the answer to a job.
func Receive(r io.Reader) (*Answer, error) {
	a := new(Answer)
	if err := gob.NewDecoder(r).Decode(a); err != nil {
		return nil, fmt.Errorf("worker: no answer: %w", err)
	}
	return a, nil
}
