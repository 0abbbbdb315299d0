// Command sngdgen-mpi fits one model by many processes, on one machine or several, each of which has a part of the rows:
//
//	mpirun -n 4 sngdgen-mpi fit studentt 'part-*.csv'
//
// In each process it runs the command sngdgen with the same arguments, and sums up numbers for it over all processes, by MPI. So it is the only
// part of sngdgen that needs a C compiler, and a module of its own. Of files that match a pattern each process reads its part, if there are
// enough, and of one file its part of the rows, but where all have to be read to choose them. The first process prints what all come to. When one fails, the others are ended.
//
// Sngdgen is looked for in the folder of this program, and then where programs are.
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// command is what each process runs.
const command = "sngdgen"

func main() {
	runtime.LockOSThread() // which makes all calls of MPI
	w, err := started()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sngdgen-mpi:", err)
		os.Exit(1)
	}
	code, err := w.run(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "sngdgen-mpi: process %d of %d: %v\n", w.rank+1, w.size, err)
		w.abort(max(code, 1))
	}
	if err := w.end(); err != nil {
		fmt.Fprintln(os.Stderr, "sngdgen-mpi:", err)
		os.Exit(1)
	}
	if w.rank == 0 { // all have come to the same, and mpirun has much to say of every code
		os.Exit(code)
	}
}

// run runs the command, and returns its exit code. The error says that it has ended before all others came to the end.
func (w world) run(args []string) (code int, err error) {
	if len(args) == 0 || args[0] != "fit" {
		return 2, errors.New("several processes can fit a model: mpirun -n 4 sngdgen-mpi fit SPEC DATA")
	}
	c, in, out, err := w.started(args)
	if err != nil {
		return 1, err
	}
	served := w.serve(in, out)
	in.Close()
	out.Close()
	err = c.Wait()
	if code = c.ProcessState.ExitCode(); code < 0 {
		code = 1
	}
	var exit *exec.ExitError
	switch {
	case served == nil && (err == nil || errors.As(err, &exit)):
		return code, nil
	case errors.Is(served, io.EOF) && err != nil:
		return code, fmt.Errorf("%s has ended: %w", command, err)
	case errors.Is(served, io.EOF):
		return code, fmt.Errorf("%s has ended without a fit", command)
	}
	return code, errors.Join(served, err)
}

// started starts the command, with pipes for numbers and for sums.
func (w world) started(args []string) (c *exec.Cmd, numbers, sums *os.File, err error) {
	path, err := found()
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s is not installed: go install github.com/sngdgen/sngdgen/cmd/%s@latest", command, command)
	}
	numbers, theirs, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	theirsIn, sums, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	c = exec.Command(path, args...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	c.ExtraFiles = []*os.File{theirsIn, theirs} // 3 and 4
	c.Env = append(os.Environ(), fmt.Sprintf("SNGDGEN_PROCESSES=%d/%d", w.rank, w.size))
	if os.Getenv("GOMAXPROCS") == "" { // the processors of a machine are shared by the processes on it
		c.Env = append(c.Env, fmt.Sprintf("GOMAXPROCS=%d", max(1, runtime.NumCPU()/w.neighbours)))
	}
	if err := c.Start(); err != nil {
		return nil, nil, nil, err
	}
	theirs.Close()
	theirsIn.Close()
	return c, numbers, sums, nil
}

// found is where the command is.
func found() (string, error) {
	if self, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), command)); err == nil {
			return path, nil
		}
	}
	return exec.LookPath(command)
}

const (
	// ended is the count of the last message of a command.
	ended = ^uint64(0)
	// most is how many numbers a message may have.
	most = 1 << 32
)

// serve sums up what the command sends, until it says that all have come to the end. It is io.EOF where it has ended before.
func (w world) serve(from io.Reader, to io.Writer) error {
	in, out := bufio.NewReaderSize(from, 1<<16), bufio.NewWriterSize(to, 1<<16)
	var x []float64
	var b [8]byte
	for {
		if _, err := io.ReadFull(in, b[:]); err != nil {
			return io.EOF
		}
		count := binary.LittleEndian.Uint64(b[:])
		switch {
		case count == ended:
			return nil
		case count > most:
			return fmt.Errorf("%s sends %d numbers: it is of another version", command, count)
		case uint64(cap(x)) < count:
			x = make([]float64, count)
		}
		x = x[:count]
		for i := range x {
			if _, err := io.ReadFull(in, b[:]); err != nil {
				return io.EOF
			}
			x[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
		}
		if err := w.sum(x); err != nil {
			return err
		}
		binary.LittleEndian.PutUint64(b[:], count)
		out.Write(b[:]) // Flush has the error
		for _, v := range x {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
			out.Write(b[:])
		}
		if err := out.Flush(); err != nil {
			return io.EOF
		}
	}
}
