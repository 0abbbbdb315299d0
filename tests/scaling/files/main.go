// Command files measures reading and fitting of a large file of one number a row: processor time, the clock on the wall and the largest resident memory of
// whole processes, which take turns; as a table of Markdown with ratios. Ways whose programs are not there are left out, and said.
//
//	go build -o /tmp/bin ./cmd/sngdgen && go run ./tests/scaling/files -bin /tmp/bin [-base OLD/sngdgen] [-python PYTHON] [-rows 10000000] [-rounds 3]
//
// Python has pandas and, for Parquet, pyarrow; sngdgen-arrow is beside sngdgen.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"syscall"
	"time"

	"github.com/sngdgen/sngdgen/internal/console"
)

func main() { console.Main(run) }

// way is a command, and what it took at least.
type way struct {
	name    string
	against int // the row of which ratios are
	args    []string
	fit     bool // its output is a report, which is to be that of the others

	cpu, wall time.Duration
	memory    int64 // largest resident, of all rounds the least
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("files", flag.ContinueOnError)
	bin := flags.String("bin", "", "the folder with sngdgen, and sngdgen-arrow for Parquet")
	base := flags.String("base", "", "an earlier sngdgen")
	python := flags.String("python", "python3", "with pandas and pyarrow")
	rows := flags.Int("rows", 10_000_000, "rows of the file")
	rounds := flags.Int("rounds", 3, "how many times all ways take turns")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "files")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	csv := filepath.Join(dir, "x.csv")
	fmt.Fprintln(progress, "writing", csv)
	if err := write(csv, *rows); err != nil {
		return err
	}
	ways := all(ctx, *bin, *base, *python, dir, *rows, progress)
	var want map[string]any
	for range *rounds {
		for _, w := range ways {
			fmt.Fprintln(progress, w.name)
			report, err := w.run(ctx)
			switch {
			case err != nil:
				return fmt.Errorf("%s: %w", w.name, err)
			case !w.fit:
			case want == nil:
				want = report
			case !reflect.DeepEqual(report, want):
				return fmt.Errorf("%s: another report", w.name)
			}
		}
	}
	return table(out, ways, *rows)
}

// write writes rows with heavy tails.
func write(path string, rows int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w, rng := bufio.NewWriterSize(f, 1<<20), rand.New(rand.NewPCG(1, 1))
	w.WriteString("x\n")
	var b []byte
	for range rows {
		b = strconv.AppendFloat(b[:0], 3+rng.NormFloat64()/math.Sqrt(rng.ExpFloat64()+0.1), 'f', 6, 64)
		w.Write(append(b, '\n'))
	}
	return w.Flush()
}

// all are the ways that there are programs for.
func all(ctx context.Context, bin, base, python, dir string, rows int, progress io.Writer) (ways []*way) {
	csv, parquet := filepath.Join(dir, "x.csv"), filepath.Join(dir, "x.parquet")
	self := filepath.Join(bin, "sngdgen")
	limit := fmt.Sprint(max(rows*8/4, 16<<20)) + "B" // the smallest that is taken
	fit := func(name, program string, against int, more ...string) {
		ways = append(ways, &way{name: name, args: append([]string{program, "fit", "--json", "studentt"}, more...), against: against, fit: program == self})
	}
	if base != "" {
		fit("fit studentt, CSV, before, 1 worker", base, 0, "--workers=1", csv)
	}
	fit("fit studentt, CSV, 1 worker", self, 0, "--workers=1", csv)
	fit("fit studentt, CSV, 2 workers", self, 0, "--workers=2", csv)
	fit("fit studentt, CSV, 1 worker, --memory of a quarter of the numbers", self, 0, "--workers=1", "--memory="+limit, csv)
	fit("the same with --cache, which is there from the second round on", self, 0, "--workers=1", "--memory="+limit, "--cache="+filepath.Join(dir, "cache"), csv)
	one := len(ways)
	read := func(name string, against int, code string) {
		ways = append(ways, &way{name: name, args: []string{python, "-c", code}, against: against})
	}
	if exec.CommandContext(ctx, python, "-c", "import pandas").Run() != nil {
		fmt.Fprintln(progress, python, "has no pandas: left out")
		return ways
	}
	ways = append(ways, &way{name: "sngdgen reads CSV, and makes one iteration of normal", args: []string{self, "fit", "--json", "normal", "--max-iterations=1", "--starts=1", "--workers=1", csv}, against: one})
	read("pandas reads CSV", one, "import pandas; pandas.read_csv("+strconv.Quote(csv)+")")
	if _, err := os.Stat(filepath.Join(bin, "sngdgen-arrow")); err != nil ||
		exec.CommandContext(ctx, python, "-c", "import pandas; pandas.read_csv("+strconv.Quote(csv)+").to_parquet("+strconv.Quote(parquet)+")").Run() != nil {
		fmt.Fprintln(progress, "no sngdgen-arrow or no pyarrow: Parquet is left out")
		return ways
	}
	two := len(ways)
	ways = append(ways, &way{name: "sngdgen reads Parquet by sngdgen-arrow, and makes one iteration of normal",
		args: []string{self, "fit", "--json", "normal", "--max-iterations=1", "--starts=1", "--workers=1", parquet}, against: two})
	read("pyarrow reads Parquet", two, "import pyarrow.parquet; pyarrow.parquet.read_table("+strconv.Quote(parquet)+")")
	return ways
}

// run runs a command, and returns the report that it prints, but for what differs without being a result.
func (w *way) run(ctx context.Context) (report map[string]any, err error) {
	c := exec.CommandContext(ctx, w.args[0], w.args[1:]...)
	began := time.Now()
	text, err := c.Output()
	wall := time.Since(began)
	var exit *exec.ExitError
	if e, ok := err.(*exec.ExitError); ok {
		exit = e
	}
	if err != nil && (w.fit || exit == nil || exit.ExitCode() != 1) { // one iteration is no fit
		return nil, err
	}
	cpu := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	memory := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss * 1024
	if w.wall == 0 {
		w.cpu, w.wall, w.memory = cpu, wall, memory
	}
	w.cpu, w.wall, w.memory = min(w.cpu, cpu), min(w.wall, wall), min(w.memory, memory)
	if !w.fit {
		return nil, nil
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return nil, err
	}
	delete(report, "seconds")
	delete(report, "origin")
	return report, nil
}

func table(out io.Writer, ways []*way, rows int) error {
	fmt.Fprintf(out, "%d rows of one number, %d MB of numbers. Ratios are those to the first row of each group.\n\n", rows, rows*8/1_000_000)
	fmt.Fprintln(out, "| way | processor, s | ratio | clock, s | ratio | largest memory, MB | bytes a number |\n| --- | --- | --- | --- | --- | --- | --- |")
	for _, w := range ways {
		of := ways[w.against]
		fmt.Fprintf(out, "| %s | %.2f | %.2f | %.2f | %.2f | %.0f | %.1f |\n", w.name, w.cpu.Seconds(), w.cpu.Seconds()/of.cpu.Seconds(), w.wall.Seconds(),
			w.wall.Seconds()/of.wall.Seconds(), float64(w.memory)/1e6, float64(w.memory)/float64(rows))
	}
	return nil
}
