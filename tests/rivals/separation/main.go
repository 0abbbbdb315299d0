// Command separation compares what sngdgen fit says of separated rows, where coefficients of a regression of whole numbers or of censored ones go to infinity,
// with linear programming (SciPy, HiGHS), and counts the warnings of R's glm, on few rows of data that packages of R ship:
//
//	go run ./tests/rivals/separation > tests/rivals/separation/TABLE.md
//	go run ./tests/rivals/separation -sngdgen BINARY -case birthwt
//	go run ./tests/rivals/separation -oracle -python PYTHON           # asks linear programming and glm anew, of cases that have other rows too
//
// sets.csv has the data sets. Rows and columns are drawn with a fixed seed; the file of each case is in the folder of -cache. The answers of the
// others are in oracle.json. The progress goes to the standard error.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/sngdgen/sngdgen/internal/console"
	"github.com/sngdgen/sngdgen/tests/rivals"
)

func main() { console.Main(command) }

// options are the flags.
type options struct {
	bench rivals.Bench
	file  string
	seed  uint64
	draws int
	flags []string
}

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	o := &options{bench: rivals.Bench{Progress: progress}}
	f := flag.NewFlagSet("separation", flag.ContinueOnError)
	f.SetOutput(progress)
	o.bench.Flags(f)
	name := f.String("case", "", "part of the names of the cases; all when empty")
	oracle := f.Bool("oracle", false, "ask the others anew, write their answers to the file of answers, and no table")
	f.StringVar(&o.file, "answers", "tests/rivals/separation/oracle.json", "file of the answers of the others")
	f.Uint64Var(&o.seed, "seed", 1, "of the rows and columns that are drawn")
	f.IntVar(&o.draws, "draws", 20, "cases of each data set, besides all of its rows")
	flags := f.String("args", "", "flags for sngdgen fit, with blanks between")
	if err := f.Parse(args); err != nil {
		return err
	}
	o.flags = strings.Fields(*flags)
	known, err := rivals.Load[*answer](o.file)
	if err != nil {
		return err
	}
	all, err := o.prepare(ctx)
	if err != nil {
		return err
	}
	var chosen []*example
	for _, e := range all {
		if strings.Contains(e.Name, *name) {
			chosen = append(chosen, e)
		}
	}
	if err := o.bench.Build(ctx); err != nil {
		return err
	}
	if err := o.fit(ctx, chosen); err != nil {
		return err
	}
	if *oracle {
		return o.ask(ctx, known, chosen, all)
	}
	outcomes := judgeAll(chosen, known, progress)
	if err := o.centre(ctx, outcomes); err != nil {
		return err
	}
	return write(ctx, out, o, known, outcomes)
}

// fit runs sngdgen.
func (o *options) fit(ctx context.Context, chosen []*example) error {
	for _, e := range chosen {
		r := new(report)
		ended, err := o.bench.FitInto(ctx, r, append(e.arguments(), o.flags...)...)
		if err != nil {
			return err
		}
		if ended.Fault != "" {
			r.Status = ended.Fault
		}
		e.report = r
		e.Support = e.support()
		fmt.Fprintf(o.bench.Progress, "%s: %s: %s\n", e.Name, e.kind(), r.Status)
	}
	return nil
}

// centre looks at cases that are lost once more, with columns less their means.
func (o *options) centre(ctx context.Context, outcomes []*outcome) error {
	for _, c := range outcomes {
		if len(c.faults) == 0 {
			continue
		}
		e := c.example.centred()
		if err := e.save(o.bench.Path("separation", "cases", e.Name+"-centred.csv")); err != nil {
			return err
		}
		if err := o.fit(ctx, []*example{e}); err != nil {
			return err
		}
		c.centred = judge(e, c.theirs).faults
	}
	return nil
}
