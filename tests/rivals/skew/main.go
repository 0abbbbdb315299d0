// Command skew compares fits of skew-normal and skew-t distributions with those of R's package sn, with finite maxima found
// by a search of its own, and with the supremum where the slant goes to infinity, on subsets of public data sets:
//
//	go run ./tests/rivals/skew > tests/rivals/skew/TABLE.md
//
// The answers of the others are in oracle.json, by -oracle made anew. -case chooses some of the subsets, -family one of the
// families, -args passes flags to sngdgen fit. The progress goes to the standard error.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/internal/console"
	"github.com/sngdgen/sngdgen/tests/rivals"
)

func main() { console.Main(command) }

// options are the flags.
type options struct {
	bench  rivals.Bench
	cases  []string
	family string
	oracle bool
	asked  bool // answers that are there already stay
	file   string
	flags  []string
}

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	o := &options{bench: rivals.Bench{Progress: progress}}
	f := flag.NewFlagSet("skew", flag.ContinueOnError)
	f.SetOutput(progress)
	o.bench.Flags(f)
	names := f.String("case", "", "names of subsets, with commas between; all when empty")
	f.StringVar(&o.family, "family", "", "normal or t; both when empty")
	f.BoolVar(&o.oracle, "oracle", false, "ask the others anew, and write their answers to the file of answers")
	f.BoolVar(&o.asked, "missing", false, "with -oracle: ask only for what the file of answers does not have")
	f.StringVar(&o.file, "answers", "tests/rivals/skew/oracle.json", "file of the answers of the others")
	flags := f.String("args", "", "flags for sngdgen fit, with blanks between")
	if err := f.Parse(args); err != nil {
		return err
	}
	o.flags = strings.Fields(*flags)
	o.cases = strings.FieldsFunc(*names, func(r rune) bool { return r == ',' })
	if !slices.Contains([]string{"", "normal", "t"}, o.family) {
		return fmt.Errorf("-family: %q is neither normal nor t", o.family)
	}
	if err := o.bench.Prepare(ctx); err != nil {
		return err
	}
	tests, err := o.tests()
	if err != nil {
		return err
	}
	known, err := rivals.Load[*answer](o.file)
	if err != nil {
		return err
	}
	if o.oracle {
		return askAll(ctx, o, known, tests)
	}
	outcomes, err := compare(ctx, o, known, tests)
	if err != nil {
		return err
	}
	return write(out, o, known, outcomes)
}
