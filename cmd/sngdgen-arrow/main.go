// Sngdgen-arrow writes a Parquet, Arrow or Feather file as CSV:
//
//	sngdgen-arrow FILE > table.csv
//
// Sngdgen runs it with --arrays where it meets such a file: then it writes structured arrays of NumPy, one after the other, which take less time to write
// and to read.
//
// With --only=COLUMN, once for each, the cells of other columns are left empty, and not read where the format allows that, if there is a column of each name.
//
// It is a program and a module of its own, since the library that reads these formats is larger than all of sngdgen.
//
// Numbers are written with as many digits as they need to be read back, logical values as 0 and 1, dates and times as in ISO 8601, missing
// values as NA. The fields of a structure are columns NAME.FIELD, the entries of lists of one length columns NAME[1], NAME[2] and so on.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Exit codes, as sngdgen has them.
const (
	failed      = 1
	usage       = 2
	interrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var arrays bool
	var only []string
	flags := flag.NewFlagSet("sngdgen-arrow", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&arrays, "arrays", false, "")
	flags.Func("only", "", func(name string) error {
		only = append(only, name)
		return nil
	})
	if flags.Parse(args) != nil || flags.NArg() != 1 || flags.Arg(0) == "" {
		fmt.Fprintln(stderr, "usage: sngdgen-arrow [--arrays] [--only=COLUMN]... FILE > table.csv")
		return usage
	}
	write, name := writeText, flags.Arg(0)
	if arrays {
		write = writeArrays
	}
	out := bufio.NewWriterSize(stdout, 1<<16)
	err := convert(ctx, name, out, only, write)
	if flush := out.Flush(); err == nil {
		err = flush
	}
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE): // who reads has enough
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "interrupted")
		return interrupted
	default:
		fmt.Fprintf(stderr, "%s: %v\n", name, err)
		return failed
	}
}
