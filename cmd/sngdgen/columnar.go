package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/sngdgen/sngdgen/internal/table"
)

// Parquet and Arrow files are read by a program of its own, as the library for them is larger than all of this command: who has no such files
// does without.

// arrowCommand is the program that writes them as structured arrays of NumPy, with arrowFlag.
const (
	arrowCommand = "sngdgen-arrow"
	arrowFlag    = "--arrays"
	arrowOnly    = "--only=" // a column
	arrowInstall = "go install github.com/sngdgen/sngdgen/cmd/" + arrowCommand + "@latest"
)

// mostWanted is how many columns are named to the program, as there is a limit to what a program is told.
const mostWanted = 1000

// columns starts the program, and returns what it writes.
func (s *session) columns(path string, only []string) (io.ReadCloser, error) {
	program, err := findBeside(arrowCommand)
	if err != nil {
		return nil, &table.Error{Name: path, Text: "a Parquet, Arrow or Feather file, which " + arrowCommand + " reads, and that is not installed",
			Hint: "install it: " + arrowInstall + "; or write the data as CSV"}
	}
	absolute, err := filepath.Abs(path) // what begins with - is no flag
	if err != nil {
		return nil, err
	}
	c := &conversion{Context: s, program: exec.CommandContext(s, program, arrowFlag)}
	if len(only) <= mostWanted {
		for _, name := range only {
			c.program.Args = append(c.program.Args, arrowOnly+name)
		}
	}
	c.program.Args = append(c.program.Args, absolute)
	c.program.Stderr = &c.said
	if c.out, err = c.program.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := c.program.Start(); err != nil {
		return nil, &table.Error{Name: path, Text: fmt.Sprintf("cannot run %s: %v", arrowCommand, err)}
	}
	return c, nil
}

// findBeside looks for a program where this one is, and then where programs are.
func findBeside(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
			return path, nil
		}
	}
	return exec.LookPath(name)
}

// conversion is a program that writes a file in a format that is read here.
type conversion struct {
	context.Context
	program *exec.Cmd
	out     io.Reader
	said    strings.Builder
	ended   bool
}

// Read reads what the program writes. Its end is that of the program, whose error is that of the data.
func (c *conversion) Read(b []byte) (int, error) {
	if c.ended {
		return 0, io.EOF
	}
	n, err := c.out.Read(b)
	if errors.Is(err, io.EOF) {
		c.ended = true
		switch failed := c.program.Wait(); {
		case c.Err() != nil:
			return n, c.Err()
		case failed != nil:
			return n, c.fault(failed)
		}
	}
	return n, err
}

// fault is what the program said, without the name of the file.
func (c *conversion) fault(failed error) error {
	said := strings.TrimSpace(c.said.String())
	if strings.HasPrefix(said, "usage") { // it does not know the flag
		return fmt.Errorf("%s is of an earlier version; install it again: %s", arrowCommand, arrowInstall)
	}
	if _, what, ok := strings.Cut(said, c.program.Args[len(c.program.Args)-1]+": "); ok {
		said = what
	}
	if said == "" {
		return fmt.Errorf("%s failed: %w", arrowCommand, failed)
	}
	return errors.New(said)
}

// Close ends the program.
func (c *conversion) Close() error {
	if c.ended {
		return nil
	}
	c.ended = true
	c.program.Process.Kill()
	c.program.Wait() // killed
	return nil
}
