// Command sweep fits distributions of the library to very many small data sets of others, one after the other, and judges what is said
// of them by things that can be checked: families that contain one another, suprema that the reports name, SciPy's optimisers begun
// where a fit ended, equal rows that make a likelihood unbounded, another version of the command.
//
//	go run ./tests/sweep -export -data DIR                                        # once: the data, by R
//	go run ./tests/sweep -data DIR -results DIR -now BINARY > tests/sweep/TABLE.md
//	go run ./tests/sweep -data DIR -results DIR -now BINARY -base BINARY          # and what differs from another version
//	go run ./tests/sweep -data DIR -results DIR -now BINARY -family '^skewt$'     # some of the jobs
//	go run ./tests/sweep -data DIR -results DIR -now BINARY -skip 1               # other files
//
// It goes on where it was interrupted: what a binary said of a job is in the folder of results, under the hash of the binary. The data
// are those of the R packages that are installed (see export.R), about a hundred for the committed table, and of scikit-learn and statsmodels.
// The checks by SciPy need -python with numpy and scipy; without (-python=) they are left out. Nothing here is part of go test but the test of the judging.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/sngdgen/sngdgen/internal/console"
)

//go:embed export.R
var exportR []byte

//go:embed export.py
var exportPython []byte

//go:embed refine.py
var refinePython []byte

func main() { console.Main(command) }

// options are the flags.
type options struct {
	data, results   string
	now, base       string
	rscript, python string
	export          bool
	rows            int
	limit           time.Duration
	family          *regexp.Regexp
	skip, share     float64 // of the jobs
	progress        io.Writer
}

func parse(args []string, progress io.Writer) (*options, error) {
	o := &options{progress: progress}
	f := flag.NewFlagSet("sweep", flag.ContinueOnError)
	f.SetOutput(progress)
	f.StringVar(&o.data, "data", "", "folder of the data, as CSV")
	f.StringVar(&o.results, "results", "", "folder of what the binaries and SciPy said")
	f.StringVar(&o.now, "now", "", "the command to judge")
	f.StringVar(&o.base, "base", "", "another version of it, to compare with")
	f.StringVar(&o.rscript, "rscript", "Rscript", "Rscript with the packages whose data are taken")
	f.StringVar(&o.python, "python", "python3", "Python with numpy, scipy and, with -export, pandas, scikit-learn and statsmodels; empty to leave out what it does")
	f.BoolVar(&o.export, "export", false, "write the data")
	f.IntVar(&o.rows, "rows", 20000, "with -export: most rows of a file")
	f.DurationVar(&o.limit, "limit", 20*time.Second, "time for one fit")
	f.Float64Var(&o.share, "share", 1, "share of the jobs to run")
	f.Float64Var(&o.skip, "skip", 0, "share of the jobs to leave out before these: 1 for as many files as those of the table, and none of them")
	family := f.String("family", "", "regular expression of the families to run; all when empty")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if o.data == "" {
		return nil, errors.New("-data is missing")
	}
	if !o.export && (o.results == "" || o.now == "") {
		return nil, errors.New("-results and -now are needed, or -export")
	}
	for _, binary := range []*string{&o.now, &o.base} { // a name without a folder is a file too, not a command of the path
		if *binary != "" {
			path, err := filepath.Abs(*binary)
			if err != nil {
				return nil, err
			}
			*binary = path
		}
	}
	var err error
	o.family, err = regexp.Compile(*family)
	return o, err
}

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	o, err := parse(args, progress)
	if err != nil {
		return err
	}
	if o.export {
		if err := exportAll(ctx, o); err != nil || o.now == "" {
			return err
		}
	}
	files, err := scan(o.data)
	if err != nil {
		return err
	}
	jobs := o.chosen(list(files, o.skip, o.share))
	fmt.Fprintf(progress, "%d files, %d jobs\n", len(files), len(jobs))
	s := &sweep{options: o, jobs: jobs}
	if err := s.run(ctx); err != nil {
		return err
	}
	return s.write(out)
}

// chosen are the jobs of the families that were asked for.
func (o *options) chosen(jobs []*job) (some []*job) {
	for _, j := range jobs {
		if o.family.MatchString(j.Family) {
			some = append(some, j)
		}
	}
	return some
}

// exportAll writes the data of R's packages and, where there is a Python, of its.
func exportAll(ctx context.Context, o *options) error {
	if err := os.MkdirAll(o.data, 0o755); err != nil {
		return err
	}
	if err := o.script(ctx, o.rscript, "export.R", exportR); err != nil || o.python == "" {
		return err
	}
	return o.script(ctx, o.python, "export.py", exportPython)
}

func (o *options) script(ctx context.Context, interpreter, name string, text []byte) error {
	path := filepath.Join(o.data, name)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, interpreter, path, o.data, strconv.Itoa(o.rows))
	c.Stderr = o.progress
	return c.Run()
}
