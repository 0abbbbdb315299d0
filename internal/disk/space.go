// Package disk keeps numbers in files that are mapped to memory, so that there may be more of them than the machine has memory for. What reads
// them sees slices; the system reads parts of the files as they are needed, and gives the memory back.
package disk

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"sync"
	"unsafe"
)

// Space gives memory for numbers: that of Go up to a limit, and then files in a folder. They have no names, so that nothing is left behind
// however the process ends. A nil space has no limit. Slices are valid until Close.
type Space struct {
	dir      string
	limit    int64 // bytes of numbers in Go's memory
	resident int64 // bytes of the process, beyond which files are given back to the system

	lock    sync.Mutex
	used    int64 // bytes of Go's memory
	regions []*region
	resting chan struct{} // closed when nobody watches any more
	watched sync.WaitGroup
}

// region is a file, or a part of one, in memory.
type region struct {
	file    *os.File
	offset  int64
	memory  []byte
	numbers []float64
}

// NumberSize is how many bytes a number has.
const NumberSize = 8

// Program is how many bytes a process takes besides its numbers: some 25 MB of code, as much of Go's memory while it reads a file, and a window on
// the files.
const Program = 64 << 20

// code is the part of Program that Go does not count, as it is no memory of Go.
const code = 24 << 20

// New returns a space of so many bytes, behind which are files in a folder.
func New(dir string, limit int64) *Space { return &Space{dir: dir, limit: limit, resident: limit} }

// ForProcess returns the space of a process that is to stay within so many bytes with all that it does, math.MaxInt64 for no limit: numbers have what
// the program leaves of them, garbage is collected before it exceeds them, unless the environment says how much memory there is, and files are given back.
// What the program itself needs it takes in any case.
func ForProcess(dir string, memory int64) *Space {
	if memory == math.MaxInt64 {
		return New(dir, memory)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(max(memory, Program) - code)
	}
	return &Space{dir: dir, limit: max(memory-Program, 0), resident: memory}
}

// Scratch is a space of its own for what is left of the memory; nil of a nil space.
func (s *Space) Scratch() *Space {
	if s == nil {
		return nil
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	return &Space{dir: s.dir, limit: s.limit - s.used, resident: s.resident}
}

// Dir is the folder of the files.
func (s *Space) Dir() string { return s.dir }

// Memory is how many bytes the process may take.
func (s *Space) Memory() int64 { return s.resident }

// fits takes so many bytes of Go's memory, if there is room.
func (s *Space) fits(bytes int64) bool {
	if s == nil {
		return true
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.used+bytes > s.limit {
		return false
	}
	s.used += bytes
	return true
}

// free gives so many bytes of Go's memory back.
func (s *Space) free(bytes int64) {
	if s != nil {
		s.lock.Lock()
		s.used -= bytes
		s.lock.Unlock()
	}
}

// Numbers returns memory for so many numbers, which are 0.
func (s *Space) Numbers(n int) ([]float64, error) {
	if s.fits(int64(n) * NumberSize) {
		return make([]float64, n), nil
	}
	f, err := s.file()
	if err != nil {
		return nil, err
	}
	if err := reserve(f, int64(n)*NumberSize); err != nil {
		f.Close()
		return nil, s.failed(err)
	}
	return s.add(f, 0, n, true)
}

// file makes a file without a name.
func (s *Space) file() (*os.File, error) {
	if !Supported {
		return nil, errUnsupported
	}
	f, err := os.CreateTemp(s.dir, ".sngdgen-*.numbers")
	if err != nil {
		return nil, s.failed(err)
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, s.failed(err)
	}
	return f, nil
}

// add maps numbers of a file, which the space closes.
func (s *Space) add(f *os.File, offset int64, n int, writable bool) ([]float64, error) {
	r := &region{file: f, offset: offset}
	if n > 0 {
		var err error
		if r.memory, err = mapFile(f, offset, n*NumberSize, writable); err != nil {
			f.Close()
			return nil, s.failed(fmt.Errorf("cannot map it to memory: %w", err))
		}
		r.numbers = unsafe.Slice((*float64)(unsafe.Pointer(&r.memory[0])), n)
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.regions = append(s.regions, r); s.resting == nil {
		s.resting = make(chan struct{})
		s.watched.Add(1)
		go s.watch(s.resting)
	}
	return r.numbers, nil
}

// Map returns numbers of a file from an offset on, a multiple of the pages of the system, which are not to be modified. The space closes the file.
func (s *Space) Map(f *os.File, offset int64, n int) ([]float64, error) {
	if !Supported {
		return readNumbers(f, offset, n)
	}
	return s.add(f, offset, n, false)
}

// Find returns the file that numbers are in, and where in it they begin; nil where they are in no file.
func (s *Space) Find(x []float64) (f *os.File, offset int64) {
	if s == nil || len(x) == 0 {
		return nil, 0
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	at := uintptr(unsafe.Pointer(&x[0]))
	for _, r := range s.regions {
		if len(r.numbers) == 0 {
			continue
		}
		if from := uintptr(unsafe.Pointer(&r.numbers[0])); at >= from && at < from+uintptr(len(r.memory)) {
			return r.file, r.offset + int64(at-from)
		}
	}
	return nil, 0
}

// Close gives everything back. Nobody may use a slice of the space from then on.
func (s *Space) Close() {
	if s == nil {
		return
	}
	s.lock.Lock()
	regions, resting := s.regions, s.resting
	s.regions, s.resting, s.used = nil, nil, 0
	s.lock.Unlock()
	if resting != nil {
		close(resting)
		s.watched.Wait()
	}
	for _, r := range regions {
		if r.memory != nil {
			unmap(r.memory)
		}
		r.file.Close()
	}
}

// Error is what is wrong with files of numbers.
type Error struct {
	Dir string // or the file
	Err error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: numbers that exceed the memory: %v", e.Dir, e.Err)
}
func (e *Error) Unwrap() error { return e.Err }

func (s *Space) failed(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &Error{s.dir, err}
}
