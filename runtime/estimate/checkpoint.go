package estimate

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"
	"os"
	"sync"
	"time"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
)

// A checkpoint is a file with the gradients that have been evaluated, under a hash of the problem, its data and the point. A fit that is begun
// again asks for them, and comes to where it was by the same steps, searches and choices, which it repeats: what takes long on many rows are the
// gradients. So nothing of the state of a search or a method has to be saved, and other settings may use the same file. Records are only ever
// added, each with a checksum: of a program that was killed the last one may be incomplete, and is dropped. One program at a time may use a file.

// Checkpoint is where a fit keeps its gradients.
type Checkpoint struct {
	// File that is written, and read first if it exists. Runs of the methods sngd, nlbfgs, gd, ngd and ngd-g over all rows keep their gradients in
	// it, if these took longer than writing them.
	File string `json:"file,omitempty"`
	// Identity of the model, such as a checksum of its spec and the version of the program: a file with another one is an error.
	Identity string `json:"identity,omitempty"`
}

// IsZero reports that there is none.
func (c Checkpoint) IsZero() bool { return c == Checkpoint{} }

// checkpointMethods are those whose loop asks for known gradients.
var checkpointMethods = map[string]bool{"sngd": true, "nlbfgs": true, "gd": true, "ngd": true, "ngd-g": true}

const (
	checkpointMagic = "sngdgen checkpoint 1\n"
	// mostNumbers is how many numbers a record may have.
	mostNumbers = 1 << 31
)

// leastKept is how long an evaluation takes at least that is kept, for each byte: reading it from a disk takes a part of that.
var leastKept = 20 * time.Nanosecond

// pointKey is a hash of a problem, its data and a point.
type pointKey [16]byte

// journal is a checkpoint that is open.
type journal struct {
	lock sync.Mutex
	file *os.File
	end  int64
	at   map[pointKey]int64
	buf  bytes.Buffer
	err  error // the first of writing, after which nothing more is written
}

// openCheckpoint opens the file, or makes it.
func openCheckpoint(c Checkpoint) (j *journal, err error) {
	f, err := os.OpenFile(c.File, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("the checkpoint: %w", err)
	}
	defer func() {
		if err != nil {
			f.Close()
			err = fmt.Errorf("the checkpoint %s: %w", c.File, err)
		}
	}()
	j = &journal{file: f, at: map[pointKey]int64{}}
	identity := sha256.Sum256([]byte(c.Identity))
	head := append([]byte(checkpointMagic), identity[:]...)
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() == 0 {
		_, err := f.Write(head)
		j.end = int64(len(head))
		return j, err
	}
	in := bufio.NewReaderSize(f, 1<<20)
	got := make([]byte, len(head))
	switch _, err := io.ReadFull(in, got); {
	case err != nil || !bytes.HasPrefix(got, []byte(checkpointMagic)):
		return nil, errors.New("is no checkpoint; name another file, or remove this one")
	case !bytes.Equal(got, head):
		return nil, errors.New("is of another spec, or of another version of the program; name another file, or remove this one")
	}
	j.end = int64(len(head))
	return j, j.index(in)
}

// record is the beginning of a record, which the numbers of v and c follow.
type record struct {
	Key   pointKey
	Sum   uint32 // of what follows
	Count uint32 // of the numbers of v and of c
	Loss  uint64
}

var recordSize = int64(binary.Size(record{}))

// index notes where the records are, up to the first that is not whole.
func (j *journal) index(in io.Reader) error {
	for {
		var r record
		if err := binary.Read(in, binary.LittleEndian, &r); err != nil {
			return incomplete(err)
		}
		length := 16 * int64(r.Count)
		if r.Count > mostNumbers {
			return nil
		}
		sum := crc32.NewIEEE()
		sumOf(sum, &r)
		if _, err := io.CopyN(sum, in, length); err != nil {
			return incomplete(err)
		}
		if sum.Sum32() != r.Sum {
			return nil
		}
		j.at[r.Key] = j.end
		j.end += recordSize + length
	}
}

// incomplete is nil for the end of a file, which is where a program was stopped.
func incomplete(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

func sumOf(sum hash.Hash32, r *record) {
	var b [12]byte
	binary.LittleEndian.PutUint32(b[:], r.Count)
	binary.LittleEndian.PutUint64(b[4:], r.Loss)
	sum.Write(r.Key[:])
	sum.Write(b[:])
}

func (j *journal) close() error {
	if j.file == nil {
		return nil
	}
	return errors.Join(j.err, j.file.Close())
}

// find reads a record.
func (j *journal) find(key pointKey, v, c []float64) (loss float64, found bool) {
	j.lock.Lock()
	defer j.lock.Unlock()
	at, ok := j.at[key]
	if !ok {
		return 0, false
	}
	in := bufio.NewReader(io.NewSectionReader(j.file, at, recordSize+16*int64(len(v))))
	var r record
	if binary.Read(in, binary.LittleEndian, &r) != nil || int(r.Count) != len(v) ||
		binary.Read(in, binary.LittleEndian, v) != nil || binary.Read(in, binary.LittleEndian, c) != nil {
		return 0, false
	}
	return math.Float64frombits(r.Loss), true
}

// keep appends a record, in one piece.
func (j *journal) keep(key pointKey, v, c []float64, loss float64) {
	j.lock.Lock()
	defer j.lock.Unlock()
	if _, known := j.at[key]; known || j.err != nil {
		return
	}
	r := record{Key: key, Count: uint32(len(v)), Loss: math.Float64bits(loss)}
	j.buf.Reset()
	binary.Write(&j.buf, binary.LittleEndian, &r) // to memory
	binary.Write(&j.buf, binary.LittleEndian, v)
	binary.Write(&j.buf, binary.LittleEndian, c)
	sum := crc32.NewIEEE()
	sumOf(sum, &r)
	sum.Write(j.buf.Bytes()[recordSize:])
	binary.LittleEndian.PutUint32(j.buf.Bytes()[len(key):], sum.Sum32())
	if _, err := j.file.WriteAt(j.buf.Bytes(), j.end); err != nil {
		j.err = fmt.Errorf("the checkpoint could not be written: %w", err)
		return
	}
	j.at[key] = j.end
	j.end += int64(j.buf.Len())
}

// evaluations are those of one problem with its data: runtime.Evaluations.
type evaluations struct {
	*journal
	problem [sha256.Size]byte
	others  runtime.Reducer // the first of them has the file
}

// of returns the evaluations of a view of a model with the data that it has.
func (j *journal) of(m runtime.Model, r *Settings) runtime.Evaluations {
	h := sha256.New()
	fmt.Fprintln(h, m.Info().Name, r.Method, r.Root, r.Penalty, m.Sizes(), componentsOf(m))
	rows, distinct, weight := m.Counts()
	fmt.Fprintln(h, rows, distinct, math.Float64bits(weight))
	e := &evaluations{journal: j, others: othersOf(m)}
	if o, ok := m.(runtime.Observed); ok {
		d := o.Observations()
		own := h
		if divided(m) {
			own = sha256.New()
		}
		fmt.Fprintln(own, d.Columns)
		hashNumbers(own, d.Values)
		hashNumbers(own, d.Weights)
		if divided(m) {
			var sum []float64
			for _, b := range own.Sum(nil) {
				sum = append(sum, float64(b))
			}
			all, _ := support.Joined(e.others, sum) // an error is that of all sums from now on
			hashNumbers(h, all)
		}
	}
	h.Sum(e.problem[:0])
	return e
}

func hashNumbers(h hash.Hash, x []float64) {
	var b [1 << 12]byte
	for len(x) > 0 {
		n := min(len(x), len(b)/8)
		for i, v := range x[:n] {
			binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(v))
		}
		h.Write(b[:8*n])
		x = x[n:]
	}
}

func (e *evaluations) key(z []float64) (key pointKey) {
	h := sha256.New()
	h.Write(e.problem[:])
	hashNumbers(h, z)
	copy(key[:], h.Sum(nil))
	return key
}

// Find implements runtime.Evaluations.
func (e *evaluations) Find(v, c, z []float64) (loss float64, found bool) {
	if e.others == nil {
		return e.find(e.key(z), v, c)
	}
	all := make([]float64, 2+2*len(z))
	n := len(z)
	if e.others.Rank() == 0 {
		if loss, found = e.find(e.key(z), v, c); found {
			all[0], all[1] = 1, loss
			copy(all[2:], v)
			copy(all[2+n:], c)
		}
	}
	if e.others.Sum(all) != nil || all[0] != 1 {
		return 0, false
	}
	copy(v, all[2:2+n])
	copy(c, all[2+n:])
	return all[1], true
}

// Keep implements runtime.Evaluations.
func (e *evaluations) Keep(v, c, z []float64, loss float64, took time.Duration) {
	if e.file != nil && took >= leastKept*time.Duration(recordSize+16*int64(len(v))) {
		e.keep(e.key(z), v, c, loss)
	}
}

// checkCheckpoint reports settings under which nothing would be kept.
func (r *Settings) checkCheckpoint() error {
	switch {
	case r.Checkpoint.IsZero():
		return nil
	case r.Checkpoint.File == "":
		return errors.New("a checkpoint needs a file")
	case r.stochastic() || !checkpointMethods[r.Method]:
		return fmt.Errorf("a checkpoint is for gradients over all rows in the loops of package runtime: method %s keeps nothing that it could go on with", r.method())
	}
	return nil
}

// method is its name, with that of its steps.
func (r *Settings) method() string {
	if r.stochastic() {
		return r.Method + " over minibatches or by a schedule"
	}
	return r.Method
}

// withCheckpoint runs a fit with its checkpoint open, if there is one. The error is that of the file.
// Of several processes the first has the file, and tells the others what it knows.
func (r *Settings) withCheckpoint(m runtime.Model, run func()) error {
	if r.Checkpoint.IsZero() {
		run()
		return nil
	}
	j, err := new(journal), error(nil)
	if others := othersOf(m); others == nil || others.Rank() == 0 {
		j, err = openCheckpoint(r.Checkpoint)
	}
	if err := agreed(m, err); err != nil {
		return err
	}
	r.journal = j
	run()
	return j.close()
}
