// Command mixture repeats the paper's experiment on mixtures of negative binomials (So and Turner 2024, section 4.4 and
// appendices), on daily admissions to hospital in England and on synthetic counts, and fits mixtures of normals and of
// skew-normals to samples of which the truth is known. It prints tables:
//
//	go run ./tests/paper/mixture > tests/paper/mixture/TABLE.md
//
// -data names the file of the admissions, one number a day; where it is missing, the rest is done without it. -task and
// -seeds make the whole shorter. The progress goes to the standard error.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/internal/console"
)

func main() { console.Main(command) }

// notes is the text around the tables, whose places are at %s.
//
//go:embed notes.md
var notes string

// options are the flags.
type options struct {
	data  string
	tasks string
	seeds int
	grid  bool // also runs that search a grid of 1,000 steps, which take minutes each
}

// task is one of the experiments; run returns its tables.
type task struct {
	name string
	run  func(ctx context.Context, o *options, progress io.Writer) (string, error)
}

var tasks = []task{{"admissions", admissions}, {"counts", counts}, {"vectors", vectors}}

// command parses the flags and writes the report.
func command(ctx context.Context, args []string, out, progress io.Writer) error {
	o := new(options)
	flags := flag.NewFlagSet("mixture", flag.ContinueOnError)
	flags.SetOutput(progress)
	flags.StringVar(&o.data, "data", "../shared/data/covid_england.csv", "daily admissions: a file with a column of numbers")
	flags.StringVar(&o.tasks, "task", "", "some of admissions,counts,vectors; all when empty")
	flags.IntVar(&o.seeds, "seeds", 0, "random starts or seeds of each task; 0 means its own number")
	flags.BoolVar(&o.grid, "grid", true, "also search the published grid, which takes most of the time")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.seeds < 0 {
		return errors.New("-seeds must not be negative")
	}
	if err := known(o.tasks); err != nil {
		return err
	}
	sections := make([]any, 0, len(tasks))
	for _, t := range tasks {
		text := "Left out.\n"
		if o.wants(t.name) {
			var err error
			if text, err = t.run(ctx, o, progress); err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
		}
		sections = append(sections, text)
	}
	_, err := fmt.Fprintf(out, notes, sections...)
	return err
}

func known(names string) error {
	for _, name := range strings.FieldsFunc(names, func(r rune) bool { return r == ',' }) {
		if !slices.ContainsFunc(tasks, func(t task) bool { return t.name == name }) {
			return fmt.Errorf("there is no task %q", name)
		}
	}
	return nil
}

func (o *options) wants(name string) bool {
	return o.tasks == "" || slices.Contains(strings.Split(o.tasks, ","), name)
}

// number returns the number of seeds, of which a task has some by itself.
func (o *options) number(own int) int {
	if o.seeds > 0 {
		return o.seeds
	}
	return own
}
