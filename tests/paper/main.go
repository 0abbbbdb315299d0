// Command paper makes one page with all figures and tables of So and Turner (2024), main text and appendices, each with the paper's
// claim and with what was seen here, in numbers that are computed as the page is made:
//
//	go run ./tests/paper -miniboone FILE -covertype FILE -admissions FILE -returns FILE -o paper.html
//
// Data that are published tables or can be drawn need no file. Where a file is missing the page says so. -small takes few seeds and few
// iterations, for a test; -seeds, -steps, -d and -only choose sizes. The progress goes to the standard error.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/sngdgen/sngdgen/internal/page"
	"github.com/sngdgen/sngdgen/tests/paper/clock"
)

// interrupted is the exit code after Ctrl-C, as shells have it.
const interrupted = 130

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends at once
	switch err := command(ctx, os.Args[1:], os.Stderr); {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "interrupted: no page was written")
		os.Exit(interrupted)
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	out                                       string
	miniboone, covertype, admissions, returns string // files
	only                                      string
	small                                     bool
	seeds, steps, columns, workers            int
}

func parse(args []string, progress io.Writer) (*options, error) {
	o := new(options)
	flags := flag.NewFlagSet("paper", flag.ContinueOnError)
	flags.SetOutput(progress)
	flags.StringVar(&o.out, "o", "paper.html", "file of the page")
	flags.StringVar(&o.miniboone, "miniboone", "", "`file` with rows of the MiniBooNE data, a header and 43 columns, scaled")
	flags.StringVar(&o.covertype, "covertype", "", "`file` with forest cover types, a header and rows of y and 54 columns")
	flags.StringVar(&o.admissions, "admissions", "", "`file` with daily admissions, a column of numbers")
	flags.StringVar(&o.returns, "returns", "", "`file` with daily returns of stocks, a column each; a t copula is drawn without it")
	flags.StringVar(&o.only, "only", "", "figures and tables to make, such as figure-1,table-2; all when empty")
	flags.BoolVar(&o.small, "small", false, "few seeds, few iterations, few columns")
	flags.IntVar(&o.seeds, "seeds", 0, "seeds of starts, minibatches and draws; 0 means 10, as in the paper")
	flags.IntVar(&o.steps, "steps", 0, "iterations over minibatches or draws; 0 means each experiment's own")
	flags.IntVar(&o.columns, "d", 0, "columns of the synthetic data; 0 means 100. The paper has 1000, which take hours")
	flags.IntVar(&o.workers, "workers", 0, "runs at a time; 0 means one for each processor")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("%q is no flag", flags.Arg(0))
	}
	if min(o.seeds, o.steps, o.columns, o.workers) < 0 {
		return nil, errors.New("-seeds, -steps, -d and -workers must not be negative")
	}
	o.workers = cmp.Or(o.workers, runtime.GOMAXPROCS(0))
	if !clock.PerThread {
		o.workers = 1
	}
	for name := range strings.FieldsFuncSeq(o.only, func(r rune) bool { return r == ',' }) {
		if !known(name) {
			return nil, fmt.Errorf("there is no %q: see -only", name)
		}
	}
	return o, nil
}

// command parses the flags, makes the page and writes it.
func command(ctx context.Context, args []string, progress io.Writer) error {
	o, err := parse(args, progress)
	if err != nil {
		return err
	}
	a, err := article(ctx, o, figures, progress)
	if err != nil {
		return err
	}
	a.Command = strings.Join(append([]string{"go run ./tests/paper"}, args...), " ")
	return writeWhole(o.out, a)
}

// writeWhole writes the page beside its place and moves it there, so that nobody finds half of it.
func writeWhole(path string, a *page.Article) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".paper-*")
	if err != nil {
		return err
	}
	err = errors.Join(a.Write(f), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
