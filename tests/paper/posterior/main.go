// Command posterior repeats the paper's variational experiments: Bayesian logistic regression by skew-normal and skew-t
// posteriors and by mixtures of skew-normals (So and Turner 2024, sections 4.2 and 4.4), by SNGD, by the method of Lin, Khan
// and Schmidt (2019) and by Adam on square roots of the scale matrix and of its inverse. It prints tables of the negative
// evidence lower bound after equal steps and after equal time, then how near posteriors of two dimensions come to a sampler:
//
//	go run ./tests/paper/posterior -covertype FILE > tests/paper/posterior/TABLE.md
//
// The file has the forest cover types as a header and rows of y and 54 columns; without it their part is left out. The whole
// takes half an hour; -task, -data, -seeds and -steps make it shorter. The progress goes to the standard error.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/internal/console"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
	"github.com/sngdgen/sngdgen/tests/paper/internal/posteriors"
)

func main() { console.Main(command) }

// notes is the text around the tables, whose place is at %s.
//
//go:embed notes.md
var notes string

// source is a data set of the races.
type source struct {
	name, title string
	data        func() (runtime.Data, error)
}

// choice is what the flags say.
type choice struct {
	task, data, path, steps string
	posteriors.Config
}

func parse(args []string, progress io.Writer) (*choice, error) {
	c := &choice{Config: posteriors.Full}
	flags := flag.NewFlagSet("posterior", flag.ContinueOnError)
	flags.SetOutput(progress)
	flags.StringVar(&c.path, "covertype", "", "file with the forest cover types")
	flags.StringVar(&c.task, "task", "skewnormal,skewt,mixture,default,toy", "what to run, separated by commas")
	flags.StringVar(&c.data, "data", "covertype,standin", "data sets of the races, separated by commas")
	flags.IntVar(&c.Seeds, "seeds", c.Seeds, "number of seeds of the noise")
	flags.StringVar(&c.steps, "steps", "", "numbers of steps at which bounds are compared, separated by commas, in the place of the "+
		"usual ones and of times")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if c.steps != "" {
		c.Steps, c.Seconds = nil, nil
		for _, word := range strings.Split(c.steps, ",") {
			n, err := strconv.Atoi(word)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("-steps: %q is no number of steps", word)
			}
			c.Steps = append(c.Steps, n)
		}
	}
	if c.Seeds < 1 {
		return nil, fmt.Errorf("-seeds must be positive")
	}
	return c, nil
}

// sources are the data sets that the flags name.
func (c *choice) sources() []source {
	var out []source
	if c.path != "" {
		out = append(out, source{"covertype", "Forest cover types", func() (runtime.Data, error) {
			return posteriors.Covertype(c.path, 500, runtime.Stream(1, "covertype"))
		}})
	}
	out = append(out, source{"standin", "The paper's stand-in", func() (runtime.Data, error) {
		return posteriors.StandIn(100, 100, runtime.Stream(1, "stand-in")), nil
	}})
	kept := out[:0]
	for _, s := range out {
		if names(c.data, s.name) {
			kept = append(kept, s)
		}
	}
	return kept
}

// names reports whether a list of words has one.
func names(list, word string) bool { return strings.Contains(","+list+",", ","+word+",") }

// command parses the flags and writes the report.
func command(ctx context.Context, args []string, out, progress io.Writer) error {
	c, err := parse(args, progress)
	if err != nil {
		return err
	}
	before, after, _ := strings.Cut(notes, "%s")
	fmt.Fprint(out, before)
	for _, s := range c.sources() {
		data, err := s.data()
		if err != nil {
			return err
		}
		for _, t := range posteriors.Tasks {
			if !names(c.task, t.Name) {
				continue
			}
			rs, err := c.All(ctx, t, data, func(line string) { fmt.Fprintf(progress, "%s, %s: %s\n", s.name, t.Name, line) })
			if err != nil {
				return err
			}
			fmt.Fprint(out, c.section(s, t, data, rs))
		}
	}
	if names(c.task, "default") {
		text, err := c.byDefault(ctx, func(line string) { fmt.Fprint(progress, line) })
		if err != nil {
			return err
		}
		fmt.Fprint(out, text)
	}
	if names(c.task, "toy") {
		text, err := toy(ctx, func(line string) { fmt.Fprintln(progress, line) })
		if err != nil {
			return err
		}
		fmt.Fprint(out, text)
	}
	_, err = fmt.Fprint(out, after)
	return err
}

// section writes what is known of a task.
func (c *choice) section(s source, t posteriors.Task, data runtime.Data, rs []grid.Result) string {
	k := &c.Checkpoints
	text := fmt.Sprintf("\n## %s: %s\n\nn = %d, d = %d, %d seeds.\n", s.title, strings.ToLower(t.Title),
		len(data.Values)/data.Columns, data.Columns-1, c.SeedsOf(t))
	text += "\nThe best setting of each method:\n\n" + grid.Table(grid.Best(rs, k), k)
	return text + "\nThe best of all settings at each checkpoint:\n\n" + grid.Frontier(rs, k)
}
