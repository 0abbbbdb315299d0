// Command scaling measures how the time of a gradient over all rows falls with workers and with processes (goroutines with a Reducer, of one worker
// each), as a table of Markdown: strong scaling, of the same rows, and weak scaling, of as many rows for each. Times are the least of many, of the
// clock on the wall, so that the machine has to have nothing else to do. All ways take turns in one process.
//
//	go run ./tests/scaling [-rounds 15] [-most 2]
//
// With the path of both programs it measures whole fits under mpirun as well:
//
//	go build -o /tmp/bin ./cmd/sngdgen && go build -C cmd/sngdgen-mpi -o /tmp/bin . && go run ./tests/scaling -mpi /tmp/bin
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/internal/console"
	"github.com/sngdgen/sngdgen/internal/processes"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/ranges"
	"github.com/sngdgen/sngdgen/runtime/workers"
)

// sets are the problems, with the columns of their rows and how many there are.
var sets = []struct {
	problem string
	columns int
	rows    []int
}{
	{"studentt", 1, []int{1000, 2000, 4000, 10_000, 100_000, 2_000_000}},
	{"skewnormal", 10, []int{1000, 2000, 4000, 10_000, 100_000}},
	{"skewt", 10, []int{1000, 2000, 4000, 10_000}},
	{"normalmix", 1, []int{1000, 2000, 4000, 100_000, 1_000_000}},
}

func main() { console.Main(run) }

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("scaling", flag.ContinueOnError)
	rounds := flags.Int("rounds", 15, "how many times all ways take turns")
	most := flags.Int("most", 2, "workers, and processes, at most")
	mpi := flags.String("mpi", "", "the folder with sngdgen and sngdgen-mpi")
	if err := flags.Parse(args); err != nil {
		return err
	}
	fmt.Fprintln(out, "| problem | rows | by | number | ms | strong: one's time over it | weak: one's time over that of as many rows for each |")
	fmt.Fprintln(out, "| --- | --- | --- | --- | --- | --- | --- |")
	for _, s := range sets {
		for _, n := range s.rows {
			fmt.Fprintln(progress, s.problem, n)
			if err := compare(ctx, out, s.problem, s.columns, n, *most, *rounds); err != nil {
				return err
			}
		}
	}
	if *mpi != "" {
		return fits(ctx, out, *mpi, *most)
	}
	return nil
}

// way is one of the ways to make a gradient.
type way struct {
	by     string
	number int
	each   bool // as many rows for each
	time   func() (time.Duration, error)
	least  time.Duration
}

// compare measures all ways to make gradients of a problem, in turns.
func compare(ctx context.Context, out io.Writer, problem string, columns, rows, most, rounds int) error {
	var ways []*way
	for number := 1; number <= most; number++ {
		for _, each := range []bool{false, true} {
			n := rows
			if each {
				n *= number
			}
			d := data(columns, n)
			ways = append(ways, &way{by: "workers", number: number, each: each, time: func() (time.Duration, error) { return byWorkers(problem, d, number) }},
				&way{by: "processes", number: number, each: each, time: func() (time.Duration, error) { return byProcesses(problem, d, number) }})
		}
	}
	for range rounds {
		for _, w := range ways {
			took, err := w.time()
			if err = errors.Join(err, ctx.Err()); err != nil {
				return err
			}
			if w.least == 0 || took < w.least {
				w.least = took
			}
		}
	}
	one := map[string]time.Duration{}
	for i := 0; i < len(ways); i += 4 {
		for k := range 2 {
			strong, weak := ways[i+k], ways[i+2+k]
			if strong.number == 1 {
				one[strong.by] = strong.least
			}
			fmt.Fprintf(out, "| %s | %d | %s | %d | %.3f | %.2f | %.2f |\n", problem, rows, strong.by, strong.number, strong.least.Seconds()*1000,
				one[strong.by].Seconds()/strong.least.Seconds(), one[strong.by].Seconds()/weak.least.Seconds())
		}
	}
	return nil
}

// data are rows with heavy tails.
func data(columns, rows int) runtime.Data {
	rng := rand.New(rand.NewPCG(1, uint64(rows)))
	x := make([]float64, columns*rows)
	for i := range x {
		x[i] = rng.NormFloat64()/math.Sqrt(rng.ExpFloat64()+0.1) + 2*float64(rng.IntN(2))
	}
	return runtime.Data{Values: x, Columns: columns}
}

// ready is a model with data, and a start.
func ready(problem string, d runtime.Data, pool *workers.Pool) (m runtime.Model, z []float64, err error) {
	made, _ := generated.Lookup(problem)
	m = made()
	m.(runtime.Parallel).SetWorkers(pool)
	if x, ok := m.(runtime.Mixture); ok {
		if err := x.SetComponents(2); err != nil {
			return nil, nil, err
		}
	}
	if err := m.SetData(d); err != nil {
		return nil, nil, err
	}
	n := 0
	for _, b := range m.Blocks() {
		n = max(n, b.Offset+b.Len)
	}
	z = make([]float64, n)
	if x, ok := m.(runtime.Grouped); ok { // a start of all groups looks at single rows
		shown := m.(runtime.Observed).Observations()
		labels := make([]float64, shown.Rows())
		for i := range labels {
			labels[i] = float64(i % 2)
		}
		return m, z, x.StartGroups(z, labels, 0)
	}
	return m, z, m.Start(z, 0, nil)
}

// once is the time of a gradient: the mean of some, after as many as take a millisecond, in which helpers wake up. All processes make the same number of them.
func once(m runtime.Model, z []float64, rows int) time.Duration {
	const times, beginning = 3, 300_000
	v, c := make([]float64, len(z)), make([]float64, len(z))
	for range 1 + beginning/rows {
		m.Gradients(v, c, z)
	}
	began := time.Now()
	for range times {
		m.Gradients(v, c, z)
	}
	return time.Since(began) / times
}

func byWorkers(problem string, d runtime.Data, number int) (time.Duration, error) {
	pool := workers.New(number)
	defer pool.Stop()
	m, z, err := ready(problem, d, pool)
	if err != nil {
		return 0, err
	}
	return once(m, z, len(d.Values)/d.Columns), nil
}

func byProcesses(problem string, d runtime.Data, number int) (took time.Duration, err error) {
	times := make([]time.Duration, number)
	errs := processes.Run(number, func(own runtime.Reducer) error {
		part := d
		rows := len(d.Values) / d.Columns
		from, to := ranges.Even(rows, number).Of(own.Rank())
		part.Values, part.Others = d.Values[from*d.Columns:to*d.Columns], own
		m, z, err := ready(problem, part, workers.New(1))
		if err == nil {
			times[own.Rank()] = once(m, z, rows)
		}
		return err
	})
	return times[0], errors.Join(errs...)
}

// fits measures whole fits of files, by one process and by several.
func fits(ctx context.Context, out io.Writer, bin string, most int) error {
	dir, err := os.MkdirTemp("", "scaling")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	d := data(1, 4_000_000)
	shares := ranges.Even(len(d.Values), most)
	for i := range most {
		from, to := shares.Of(i)
		var text strings.Builder
		text.WriteString("x\n")
		for _, x := range d.Values[from:to] {
			fmt.Fprintln(&text, x)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("part-%d.csv", i)), []byte(text.String()), 0o666); err != nil {
			return err
		}
	}
	args := []string{"fit", "studentt", "--json", "--workers", "1", filepath.Join(dir, "part-*.csv")}
	fmt.Fprintln(out, "\n| fit studentt on 4,000,000 rows of CSV by | s, with reading | s of the fit |\n| --- | --- | --- |")
	for n := 1; n <= most; n++ {
		c := exec.CommandContext(ctx, filepath.Join(bin, "sngdgen"), args...)
		if n > 1 {
			c = exec.CommandContext(ctx, "mpirun", append([]string{"--allow-run-as-root", "--oversubscribe", "-n", fmt.Sprint(n), filepath.Join(bin, "sngdgen-mpi")}, args...)...)
		}
		began := time.Now()
		text, err := c.Output()
		if err != nil {
			return fmt.Errorf("%v: %w", c.Args, err)
		}
		took := time.Since(began)
		var report struct{ Seconds float64 }
		if err := json.Unmarshal(text, &report); err != nil {
			return err
		}
		fmt.Fprintf(out, "| %d of MPI, one worker each | %.2f | %.2f |\n", n, took.Seconds(), report.Seconds)
	}
	return nil
}
