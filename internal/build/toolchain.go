package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// NoToolchainError says that there is no go command to compile with.
type NoToolchainError struct{ Err error }

func (e *NoToolchainError) Error() string {
	return fmt.Sprintf("the go command is needed to compile a spec, and it was not found: %v\n"+
		"hint: install Go from https://go.dev/dl, or use a problem of the library, which needs no compiler"+
		" (sngdgen list)", e.Err)
}

func (e *NoToolchainError) Unwrap() error { return e.Err }

// CompileError says that the go command failed.
type CompileError struct {
	Output string // of the go command
	Hint   string
}

func (e *CompileError) Error() string {
	return fmt.Sprintf("cannot compile the generated package:\n%s\nhint: %s", indent(e.Output), e.Hint)
}

// goBuild builds the program of the module in dir.
func goBuild(ctx context.Context, dir, program string) error {
	command, err := exec.LookPath("go")
	if err != nil {
		return &NoToolchainError{err}
	}
	cmd := exec.CommandContext(ctx, command, "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./"+userDir)
	cmd.Dir = dir
	cmd.WaitDelay = patience // the compilers that it has started hold the pipe
	cmd.Env = append(os.Environ(), buildEnv(dir)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		output := strings.TrimSpace(out.String())
		return &CompileError{Output: output, Hint: hint(output)}
	}
	return err
}

// buildEnv shields the build from settings that were made for the user's own module. Those that say where modules come
// from, and which toolchain may be fetched, stay as they are.
func buildEnv(dir string) []string {
	return []string{
		"PWD=" + dir,
		"GO111MODULE=on",
		"GOFLAGS=-mod=readonly -buildvcs=false", // not empty, which would let GOENV speak
		"GOWORK=off",
		"GOOS=" + runtime.GOOS, // the program must run here, even while the user compiles for elsewhere
		"GOARCH=" + runtime.GOARCH,
		"CGO_ENABLED=0", // there may be no C compiler
	}
}

// hint tells the failures that the user can mend from those of sngdgen.
func hint(output string) string {
	switch {
	case strings.Contains(output, "go.mod requires go >="), strings.Contains(output, "toolchain not available"):
		return "the installed Go is too old; update it, or allow it to fetch a newer one with GOTOOLCHAIN=auto"
	case strings.Contains(output, "module lookup disabled"), strings.Contains(output, "dial tcp"),
		strings.Contains(output, "no such host"):
		return "a module that the program needs is neither in the module cache nor to be had from the network"
	case strings.Contains(output, "no space left on device"):
		return "make room on the disk"
	}
	return "this is a fault of sngdgen; please report it with the spec and this output"
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(text, "\n", "\n    ")
}
