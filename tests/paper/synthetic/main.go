// Command synthetic repeats the paper's experiments on synthetic data: maximum likelihood for skew-normal and skew-t
// distributions (So and Turner 2024, section 4.2) and a t copula, over minibatches, by SNGD and by Adam on square roots
// of the covariance and of the precision. It prints tables of held-out losses after equal steps and after equal time:
//
//	go run ./tests/paper/synthetic > tests/paper/synthetic/TABLE.md
//	go run ./tests/paper/synthetic -small > tests/paper/synthetic/SMALL.md
//
// The first takes more than an hour; -task, -seeds, -steps and -seconds make it shorter, and GOMAXPROCS=1 keeps it to
// one thread. The progress goes to the standard error.
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
	"github.com/sngdgen/sngdgen/tests/paper/internal/minibatch"
)

//go:generate go run ../../../cmd/sngdgen generate models.yaml

func main() {
	console.Main(func(ctx context.Context, args []string, out, progress io.Writer) error {
		return command(ctx, args, out, progress, minibatch.Models)
	})
}

// notes is the text around the tables, whose place is at %s.
//
//go:embed notes.md
var notes string

const smallNotes = `# Synthetic data, small

Made by ` + "`go run ./tests/paper/synthetic -small`" + `; TABLE.md says what the columns are.
`

// lookup finds the model of a generated package.
type lookup func(name string) (func() runtime.Model, bool)

// The sizes are the paper's, those of the t copula close to those of its stock returns; the grids are our own, for the
// paper does not list its.
var (
	large = minibatch.Config{
		D: 1000, N: 10_000, Held: 1000, Batch: 100,
		Checkpoints: grid.Checkpoints{Steps: []int{10, 50, 100}, Seconds: []float64{15, 30}, Every: 10}, Seeds: 2,
		SNGD: []float64{0.01, 0.03, 0.1}, Auxiliary: []float64{0.01}, Adam: []float64{0.001, 0.003},
	}
	medium = minibatch.Config{
		D: 100, N: 1000, Held: 1000, Batch: 100,
		Checkpoints: grid.Checkpoints{Steps: []int{10, 50, 200, 1000}, Seconds: []float64{0.1, 0.3, 1}, Every: 10}, Seeds: 10,
		SNGD: []float64{0.003, 0.01, 0.03, 0.1}, Auxiliary: []float64{0.01, 0.1},
		Adam: []float64{0.0003, 0.001, 0.003, 0.01, 0.03},
	}
	sizes = map[string]minibatch.Config{"skewnormal": large, "skewt": large, "tcopula": medium}
)

// small are sizes at which a test can repeat everything; nothing of the result depends on the machine but for rounding.
func small() minibatch.Config {
	return minibatch.Config{
		D: 5, N: 1000, Held: 500, Batch: 50, Seeds: 2,
		Checkpoints: grid.Checkpoints{Steps: []int{10, 50, 200}, Every: 10},
		SNGD:        []float64{0.03, 0.1}, Auxiliary: []float64{0.01, 0.1}, Adam: []float64{0.01, 0.1},
	}
}

// command parses the flags and writes the report.
func command(ctx context.Context, args []string, out, progress io.Writer, find lookup) error {
	jobs, x, err := choose(args, progress, find)
	if err != nil {
		return err
	}
	before, after, _ := strings.Cut(notes, "%s")
	if x.small {
		before, after = smallNotes, ""
	}
	fmt.Fprint(out, before)
	if err := report(ctx, out, progress, jobs, x.seed); err != nil {
		return err
	}
	_, err = fmt.Fprint(out, after)
	return err
}

// choice is what the flags say about all tasks.
type choice struct {
	only  string
	small bool
	seed  uint64
}

// parse reads the flags; c has the defaults of those that change a configuration.
func parse(args []string, c *minibatch.Config, progress io.Writer) (x choice, err error) {
	flags := flag.NewFlagSet("synthetic", flag.ContinueOnError)
	flags.SetOutput(progress)
	flags.StringVar(&x.only, "task", "", "names of tasks, separated by commas; all when empty")
	flags.BoolVar(&x.small, "small", false, "sizes for a test")
	flags.Uint64Var(&x.seed, "data-seed", 1, "seed of the data, which are the same for all runs")
	flags.IntVar(&c.D, "d", c.D, "columns; this and what follows is the task's own when left out")
	flags.IntVar(&c.N, "n", c.N, "rows to train on")
	flags.IntVar(&c.Held, "held", c.Held, "held-out rows")
	flags.IntVar(&c.Batch, "batch", c.Batch, "rows of a minibatch, drawn with replacement")
	flags.IntVar(&c.Every, "every", c.Every, "steps between evaluations")
	flags.IntVar(&c.Seeds, "seeds", c.Seeds, "number of seeds of starts and minibatches")
	flags.Var(list[int]{&c.Steps, strconv.Atoi}, "steps", "numbers of steps at which losses are compared")
	flags.Var(list[float64]{&c.Seconds, number64}, "seconds", "times at which losses are compared; may be empty")
	flags.Var(list[float64]{&c.SNGD, number64}, "sngd", "step sizes of SNGD")
	flags.Var(list[float64]{&c.Auxiliary, number64}, "auxiliary", "rates of SNGD's Adam for auxiliary parameters")
	flags.Var(list[float64]{&c.Adam, number64}, "adam", "rates of Adam")
	err = flags.Parse(args)
	return x, err
}

// list is a flag of numbers separated by commas.
type list[T any] struct {
	to    *[]T
	parse func(string) (T, error)
}

func number64(s string) (float64, error) { return strconv.ParseFloat(s, 64) }

// String writes the numbers as they are read.
func (l list[T]) String() string {
	if l.to == nil {
		return ""
	}
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(*l.to), "[]")), ",")
}

// Set reads them.
func (l list[T]) Set(text string) error {
	*l.to = nil
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		x, err := l.parse(word)
		if err != nil {
			return err
		}
		*l.to = append(*l.to, x)
	}
	return nil
}

// job is a task with its sizes and the model to fit.
type job struct {
	minibatch.Task
	minibatch.Config
	make func() runtime.Model
}

// choose finds the models of the tasks that the flags name, and their sizes: the flags are read again for each task,
// with its own defaults.
func choose(args []string, progress io.Writer, find lookup) ([]job, choice, error) {
	x, err := parse(args, new(minibatch.Config), progress)
	if err != nil {
		return nil, x, err
	}
	var jobs []job
	for _, t := range minibatch.Tasks {
		if x.only != "" && !strings.Contains(","+x.only+",", ","+t.Name+",") {
			continue
		}
		c := sizes[t.Name]
		if x.small {
			c = small()
		}
		if _, err := parse(args, &c, progress); err != nil {
			return nil, x, err
		}
		model, ok := find(t.Name)
		if !ok {
			return nil, x, fmt.Errorf("there is no generated package %s", t.Name)
		}
		jobs = append(jobs, job{t, c, model})
		if len(c.Steps) == 0 || min(c.D, c.N, c.Held, c.Batch, c.Every, c.Seeds) < 1 {
			return nil, x, fmt.Errorf("-steps must not be empty, and sizes, -every and -seeds must be positive")
		}
	}
	if len(jobs) == 0 {
		return nil, x, fmt.Errorf("there is no task %q", x.only)
	}
	return jobs, x, nil
}

// report runs the jobs and writes their tables.
func report(ctx context.Context, out, progress io.Writer, jobs []job, dataSeed uint64) error {
	for _, j := range jobs {
		e, err := minibatch.Prepare(j.Task, j.Config, j.make, dataSeed)
		if err != nil {
			return fmt.Errorf("%s: %w", j.Name, err)
		}
		rs, err := e.All(ctx, j.Above, func(s string) { fmt.Fprintf(progress, "%s: %s\n", j.Name, s) })
		if err != nil {
			return fmt.Errorf("%s: %w", j.Name, err)
		}
		if _, err := fmt.Fprint(out, section(j, e, rs)); err != nil {
			return err
		}
	}
	return nil
}

// section writes what is known of a task.
func section(j job, e *minibatch.Experiment, rs []grid.Result) string {
	c := &e.Config
	text := fmt.Sprintf("\n## %s\n\nd = %d, n = %d, %d held-out rows, minibatches of %d, %d seeds. "+
		"The true parameters have the held-out loss %s.\n", j.Title, c.D, c.N, c.Held, c.Batch, c.Seeds, grid.Number(e.Truth))
	text += "\nThe best setting of each method:\n\n" + grid.Table(grid.Best(rs, &c.Checkpoints), &c.Checkpoints)
	text += "\nThe best of all settings at each checkpoint:\n\n" + grid.Frontier(rs, &c.Checkpoints)
	return text + "\nAll settings:\n\n" + grid.Table(rs, &c.Checkpoints)
}
