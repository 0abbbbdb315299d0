// Package console runs the programs of tests/ that make tables: Ctrl-C ends them, progress goes to standard error, and the exit code says
// how they ended.
package console

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// Command is a program: its arguments, where its table goes, and where it says how far it is. It returns when ctx has ended.
type Command func(ctx context.Context, args []string, out, progress io.Writer) error

// Exit codes.
const (
	failed      = 1
	interrupted = 130
)

// Main runs a program with the arguments of the process, and ends the process. A second Ctrl-C ends it at once.
func Main(command Command) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, command, os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit code.
func run(ctx context.Context, command Command, args []string, out, progress io.Writer) int {
	switch err := command(ctx, args, out, progress); {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(progress, "interrupted")
		return interrupted
	default:
		fmt.Fprintln(progress, err)
		return failed
	}
}
