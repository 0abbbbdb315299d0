//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

// hangs are command lines for every command, each of which prints something.
var hangs = map[string][]string{
	"generate": {"generate", "-o", "out", "gamma"},
	"check":    {"check", "gamma"},
	"explain":  {"explain", "gamma"},
	"fit":      {"fit", "normal", "x.csv"},
	"bench":    {"bench", "--time=1ms", "--rows=5", "normal"},
	"sample":   {"sample", "normal"},
	"list":     {"list"},
	"migrate":  {"migrate", "f.yaml"},
	"version":  {"version"},

	"score":      {"score", "fit.json", "x.csv"},
	"assign":     {"assign", "mixture.json", "two.csv"},
	"predict":    {"predict", "fit.json"},
	"compare":    {"compare", "fit.json", "fit.json"},
	"rank":       {"rank", "x.csv", "normal"},
	"schema":     {"schema"},
	"completion": {"completion", "bash"},
	"man":        {"man"},
	"studio":     {"studio", "--port=0"},
}

// hangFiles are what these command lines read.
var hangFiles = sync.OnceValues(func() (map[string][]byte, error) {
	files := map[string][]byte{"f.yaml": []byte("function: f(x)\nvalue: x\n"), "x.csv": []byte("x\n1\n2\n4\n"), "two.csv": []byte("x\n1\n2\n4\n91\n93\n94\n")}
	for name, args := range map[string][]string{
		"fit.json":     {"fit", "normal", "-", "--json"},
		"mixture.json": {"fit", "normalmix", "-", "--components=2", "--json"},
	} {
		data := files["x.csv"]
		if name == "mixture.json" {
			data = files["two.csv"]
		}
		var out, said bytes.Buffer
		if code := run(args, bytes.NewReader(data), &out, &said); code != exitOK {
			return nil, fmt.Errorf("%v: exit code %d, %s", args, code, said.String())
		}
		files[name] = out.Bytes()
	}
	return files, nil
})

// TestInterrupt: whatever a command waits for, Ctrl-C and SIGTERM end it. Here the standard output of each is a pipe that
// takes nothing.
func TestInterrupt(t *testing.T) {
	grammar := new(commands)
	kong.Visit(newParser(grammar, io.Discard, io.Discard).Model.Node, func(n kong.Visitable, next kong.Next) error {
		if c, ok := n.(*kong.Node); ok && c.Type == kong.CommandNode && hangs[c.Name] == nil {
			t.Errorf("no command line for %s", c.Name)
		}
		return next(nil)
	})
	for name, args := range hangs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			full := fullPipe(t)
			for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
				interrupt(t, sig, full, nil, args...)
			}
		})
	}
}

// TestInterruptInput: the same for data that never come.
func TestInterruptInput(t *testing.T) {
	silent, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer silent.Close()
	for name, args := range map[string][]string{
		"standard input": {"fit", "normal", "-"},
		"named pipe":     {"fit", "normal", "pipe"},
		"parameters":     {"sample", "--param=pipe", "normal"},
	} {
		t.Run(name, func(t *testing.T) { interrupt(t, os.Interrupt, nil, silent, args...) })
	}
}

// TestInterruptWork: the same while a command computes, and a fit says what it has found.
func TestInterruptWork(t *testing.T) {
	interrupt(t, os.Interrupt, nil, nil, "sample", "--n=100000000", "studentt")
	fit := interrupt(t, os.Interrupt, nil, nil, "fit", "--starts=100000", "--method=sngd", "studentt", "x.csv")
	if !strings.Contains(fit, "stopped after") {
		t.Error(fit)
	}
	for _, flag := range []string{"--plot=pipe.svg", "--trace=pipe.csv", "--report=pipe.html"} {
		interrupt(t, os.Interrupt, nil, nil, "fit", "normal", "x.csv", flag)
	}
	out := interrupt(t, syscall.SIGTERM, nil, nil, "bench", "--time=1h", "normal")
	if strings.Contains(out, "goroutine") {
		t.Error(out)
	}
}

// interrupt starts the command, sends it a signal and returns what it printed, which must be without files left behind. On
// a busy machine the signal may come before the command listens to it, which ends it too; then it is given more time.
func interrupt(t *testing.T, sig os.Signal, stdout, stdin *os.File, args ...string) string {
	t.Helper()
	var out string
	for wait := 150 * time.Millisecond; wait < 20*time.Second; wait *= 5 {
		var late bool
		if out, late = interruptAfter(t, wait, sig, stdout, stdin, args...); late {
			break
		}
	}
	return out
}

func interruptAfter(t *testing.T, wait time.Duration, sig os.Signal, stdout, stdin *os.File, args ...string) (printed string, late bool) {
	t.Helper()
	cmd := exec.Command(self(t), args...)
	cmd.Dir = t.TempDir()
	files, err := hangFiles()
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(cmd.Dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"pipe", "pipe.svg", "pipe.csv", "pipe.html"} {
		if err := syscall.Mkfifo(filepath.Join(cmd.Dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if stdout != nil {
		cmd.Stdout = stdout
	}
	if stdin != nil {
		cmd.Stdin = stdin
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(wait)
	kill := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled() && exit.Sys().(syscall.WaitStatus).Signal() == sig {
		return "", false
	}
	if exit == nil || exit.ExitCode() != exitInterrupted || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("%v, %v: %v, %s", args, sig, err, errs.String())
	}
	left, _ := filepath.Glob(filepath.Join(cmd.Dir, "*", ".sngdgen*"))
	if len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	return out.String() + errs.String(), true
}

// self returns this command as a program: the test binary under its name, see TestMain.
func self(t *testing.T) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "sngdgen")
	if err := os.Symlink(program, link); err != nil {
		t.Fatal(err)
	}
	return link
}

// fullPipe returns the end of a pipe to which no more can be written.
func fullPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	for err == nil {
		if err = w.SetWriteDeadline(time.Now().Add(50 * time.Millisecond)); err == nil {
			_, err = w.Write(make([]byte, 1<<12))
		}
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal(err)
	}
	return w
}
