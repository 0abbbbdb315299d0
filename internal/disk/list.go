package disk

import (
	"io"
	"math"
	"os"
	"runtime/debug"
	"unsafe"
)

// chunkLen is how many numbers a chunk has: a few megabytes.
const chunkLen = 1 << 20

// freeEvery is after how many chunks that have been copied their memory goes back to the system: after each where memory is scarce.
func (l *List) freeEvery() int {
	if l.space != nil && l.space.resident != math.MaxInt64 {
		return 1
	}
	return 8
}

// List is numbers of which nobody knows beforehand how many they are. Memory grows by what is added, and nothing is copied on the way; what
// has no room in the space is in a file.
type List struct {
	space *Space
	full  [][]float64
	last  []float64
	file  *os.File
	saved int   // in the file
	taken int64 // bytes of the space
	err   error
}

// buffered is how many numbers are written to a file at a time.
const buffered = 1 << 16

// NewList begins a list. With toFile all of it is in a file.
func NewList(s *Space, toFile bool) *List {
	l := &List{space: s}
	if toFile {
		l.file, l.err = s.file()
	}
	return l
}

// Add adds a number. It says what has failed in Err, and at the end.
func (l *List) Add(x float64) {
	if len(l.last) == cap(l.last) {
		l.grow()
	}
	l.last = append(l.last, x)
}

// AddAll adds numbers.
func (l *List) AddAll(x []float64) {
	for len(x) > 0 {
		if len(l.last) == cap(l.last) {
			l.grow()
		}
		n := min(cap(l.last)-len(l.last), len(x))
		l.last, x = append(l.last, x[:n]...), x[n:]
	}
}

// grow makes room for more.
func (l *List) grow() {
	switch {
	case l.file != nil || l.err != nil:
		l.flush()
	case len(l.last) < chunkLen: // small lists take no whole chunk
		n := min(max(4*len(l.last), 64), chunkLen)
		if !l.take(n - cap(l.last)) {
			l.spill()
			return
		}
		bigger := make([]float64, len(l.last), n)
		copy(bigger, l.last)
		l.last = bigger
	case l.take(chunkLen):
		l.full = append(l.full, l.last)
		l.last = make([]float64, 0, chunkLen)
	default:
		l.spill()
	}
}

// take takes memory of the space for so many numbers, if there is room.
func (l *List) take(numbers int) bool {
	bytes := int64(numbers) * NumberSize
	ok := l.space.fits(bytes)
	if ok {
		l.taken += bytes
	}
	return ok
}

// spill begins a file, with what there is.
func (l *List) spill() {
	l.file, l.err = l.space.file()
	for i, part := range l.full {
		l.write(part)
		l.full[i] = nil
	}
	l.full = nil
	l.flush()
	l.space.free(l.taken)
	l.taken = 0
	l.last = make([]float64, 0, buffered)
}

func (l *List) flush() {
	l.write(l.last)
	if l.last = l.last[:0]; cap(l.last) == 0 {
		l.last = make([]float64, 0, buffered)
	}
}

func (l *List) write(x []float64) {
	if l.err == nil && len(x) > 0 {
		if _, err := l.file.Write(bytesOf(x)); err != nil {
			l.err = l.space.failed(err)
		}
		l.saved += len(x)
	}
}

// bytesOf is the memory of numbers.
func bytesOf(x []float64) []byte {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*NumberSize)
}

// Len is how many numbers there are.
func (l *List) Len() int { return l.saved + len(l.full)*chunkLen + len(l.last) }

// Chunks is how many chunks are full.
func (l *List) Chunks() int { return l.Len() / chunkLen }

// Err is what has failed so far.
func (l *List) Err() error { return l.err }

// Join returns the numbers as one slice, and forgets them.
func (l *List) Join() ([]float64, error) {
	if l.file != nil {
		l.flush()
	}
	if l.err != nil {
		l.Discard()
		return nil, l.err
	}
	if l.file != nil {
		f, n := l.file, l.saved
		l.file, l.last = nil, nil
		return l.space.add(f, 0, n, true)
	}
	out := l.last
	if len(l.full) > 0 {
		out = make([]float64, 0, l.Len())
		every := l.freeEvery()
		for i, part := range l.full {
			out = append(out, part...)
			if l.full[i] = nil; i%every == every-1 { // else the numbers are in memory twice
				debug.FreeOSMemory()
			}
		}
		out = append(out, l.last...)
	}
	l.full, l.last = nil, nil
	return out, nil
}

// Discard forgets the numbers.
func (l *List) Discard() {
	if l.file != nil {
		l.file.Close()
	}
	l.space.free(l.taken)
	*l = List{space: l.space, err: l.err}
}

// Bytes reads a stream up to its end. What has no room is in a file.
func (s *Space) Bytes(in io.Reader) ([]byte, error) {
	l, piece := NewList(s, false), make([]float64, buffered)
	total := 0
	for {
		n, err := io.ReadFull(in, bytesOf(piece))
		total += n
		l.AddAll(piece[:(n+NumberSize-1)/NumberSize]) // the bits of numbers
		switch {
		case l.Err() != nil || err == io.EOF || err == io.ErrUnexpectedEOF:
			all, err := l.Join()
			return bytesOf(all)[:total], err
		case err != nil:
			l.Discard()
			return nil, err
		}
	}
}
