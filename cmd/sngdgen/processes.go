package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/internal/build/worker"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/ranges"
)

// Several processes fit one model, each with a part of the rows, where another program says so: sngdgen-mpi, or what somebody writes who has
// another way to sum up numbers over processes. It runs this command in each of them, with the number of the process and how many there are in
// a variable, and two pipes:
//
//	SNGDGEN_PROCESSES=RANK/SIZE sngdgen fit ...   3: read from, 4: written to
//
// A message is a count and as many numbers, eight bytes each, the lowest first. The answer is the same count, and the sums over all processes. The
// last message is a count of all ones, when all have come to the end together: a process that ends without it has failed, and the others with it.

// processesVariable says which of how many processes this is.
const processesVariable = "SNGDGEN_PROCESSES"

const togetherEnded = ^uint64(0)

// process is a runtime.Reducer over pipes.
type process struct {
	rank, size int
	in         *bufio.Reader
	out        *bufio.Writer
	ownRows    bool // it has read its own rows, and not those of others
	failed     bool
	ended      bool // all have come to the end together
}

// otherProcesses are those that the environment names, nil where there are none.
func otherProcesses() (*process, error) {
	text := os.Getenv(processesVariable)
	if text == "" {
		return nil, nil
	}
	first, second, _ := strings.Cut(text, "/")
	rank, err := strconv.Atoi(first)
	size, err2 := strconv.Atoi(second)
	if err != nil || err2 != nil || rank < 0 || rank >= size {
		return nil, usageError{fmt.Errorf("%s is %q, and should be the number of a process, from 0, and how many there are, as 0/4", processesVariable, text)}
	}
	const pipe = 1 << 16
	return &process{rank: rank, size: size, in: bufio.NewReaderSize(os.NewFile(3, "sums"), pipe), out: bufio.NewWriterSize(os.NewFile(4, "numbers"), pipe)}, nil
}

func (p *process) Rank() int { return p.rank }
func (p *process) Size() int { return p.size }

// Sum sends numbers, and receives the sums.
func (p *process) Sum(x []float64) error {
	err := p.sum(x)
	p.failed = p.failed || err != nil
	return err
}

func (p *process) sum(x []float64) error {
	var b [8]byte
	put := func(bits uint64) {
		binary.LittleEndian.PutUint64(b[:], bits)
		p.out.Write(b[:]) // Flush has the error
	}
	put(uint64(len(x)))
	for _, v := range x {
		put(math.Float64bits(v))
	}
	if err := p.out.Flush(); err != nil {
		return fmt.Errorf("the other processes cannot be reached: %w", err)
	}
	get := func() (bits uint64, err error) {
		_, err = io.ReadFull(p.in, b[:])
		return binary.LittleEndian.Uint64(b[:]), err
	}
	n, err := get()
	if err == nil && n != uint64(len(x)) {
		err = fmt.Errorf("%d sums of %d numbers", n, len(x))
	}
	for i := 0; i < len(x) && err == nil; i++ {
		var bits uint64
		bits, err = get()
		x[i] = math.Float64frombits(bits)
	}
	if err != nil {
		return fmt.Errorf("the other processes do not answer: %w", err)
	}
	return nil
}

// end says that all have come to the end together, if they have.
func (p *process) end() {
	if p.failed || binary.Write(p.out, binary.LittleEndian, togetherEnded) != nil {
		return
	}
	p.ended = p.out.Flush() == nil
}

// said is the error of a command: what all have come to is said by the first of them, and where a number stands by the one that has read it.
func (p *process) said(err error) error {
	var located table.Errors
	var fault *table.Error
	if p == nil || p.rank == 0 || !p.ended || err == nil || errors.As(err, &located) || errors.As(err, &fault) {
		return err
	}
	return errReported
}

// asProcess makes a fit one of several processes, where it is. Only the first prints.
func (s *session) asProcess() (err error) {
	if s.others, err = otherProcesses(); s.others != nil && s.others.rank > 0 {
		s.out, s.err, s.quiet = io.Discard, io.Discard, true
	}
	return err
}

// errOneProcess refuses what cannot be done by several.
var errOneProcess = errors.New("only the fit of a likelihood, with one number of components, can be shared by several processes")

// processed gives a job the rows that this process has.
func (s *session) processed(run runner, job worker.Job, data source) (*worker.Answer, error) {
	if job.Fit == nil {
		return nil, usageError{errOneProcess}
	}
	d, first := data.Data(), 0
	if !s.others.ownRows {
		width := max(d.Columns, 1)
		from, to := ranges.Even(len(d.Values)/width, s.others.size).Of(s.others.rank)
		if from == to {
			return nil, fmt.Errorf("%d rows are too few for %d processes", len(d.Values)/width, s.others.size)
		}
		d.Values, first = d.Values[from*width:to*width], from
		if d.Weights != nil {
			d.Weights = d.Weights[from:to]
		}
	}
	d.Others = s.others
	answer, err := run(job, d)
	s.others.end()
	if err != nil {
		return nil, err
	}
	if failed := answer.Err(); failed != nil {
		var bad *runtime.DataError
		if errors.As(failed, &bad) {
			bad.Row += first
			if o := bad.Outside; o != nil {
				for i := range o.Rows {
					o.Rows[i] += first
				}
			}
		}
	}
	return answer, nil
}

// ofProcess are what this process reads: its part of the files, where there are enough, or of the rows of one, where all are read
// and nothing is found out of all of them.
func (s *session) ofProcess(o *table.Options) {
	if s.others == nil || o.Rows != nil || o.Terms || o.Levels != nil {
		return
	}
	p := s.others
	o.Files = func(files []string) []string {
		if len(files) < p.size {
			return files
		}
		p.ownRows = true
		return files[len(files)*p.rank/p.size : len(files)*(p.rank+1)/p.size]
	}
	if len(o.Where) > 0 || o.SkipMissing {
		return
	}
	o.Processes = &table.Processes{Reducer: p, Shares: func(rows int) []int {
		if rows < p.size { // which processed refuses
			return nil
		}
		return ranges.Even(rows, p.size)
	}}
}
