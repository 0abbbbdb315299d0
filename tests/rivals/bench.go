package rivals

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed export.R
var exportR []byte

//go:embed export.py
var exportPython []byte

// Bench is where the comparisons run, and with what.
type Bench struct {
	Cache    string // folder of the exported data and of what the others answer
	Python   string
	Rscript  string
	Sngdgen  string // the command; built from this module when empty
	Progress io.Writer
	Limit    time.Duration // of one fit
}

// Flags declares the flags of a Bench.
func (b *Bench) Flags(f *flag.FlagSet) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	f.StringVar(&b.Cache, "cache", filepath.Join(cache, "sngdgen-rivals"), "folder of the exported data and of answers")
	f.StringVar(&b.Python, "python", "python3", "Python with the packages that README.md names")
	f.StringVar(&b.Rscript, "rscript", "Rscript", "Rscript with the packages that README.md names")
	f.StringVar(&b.Sngdgen, "sngdgen", "", "the command to compare; built from this module when empty")
	f.DurationVar(&b.Limit, "limit", 2*time.Minute, "time for one fit")
}

// Prepare exports the data sets that the cache does not have, and builds the command.
func (b *Bench) Prepare(ctx context.Context) error {
	sets, err := Sets()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(b.Path("data"), 0o755); err != nil {
		return err
	}
	missing := false
	for _, s := range sets {
		if _, err := os.Stat(b.File(s.Name)); err != nil {
			missing = true
		}
	}
	if missing {
		if err := b.export(ctx); err != nil {
			return fmt.Errorf("exporting the data sets: %w", err)
		}
	}
	return b.Build(ctx)
}

// Build builds the command, unless one was given.
func (b *Bench) Build(ctx context.Context) error {
	if b.Sngdgen != "" {
		return nil
	}
	if err := os.MkdirAll(b.Cache, 0o755); err != nil {
		return err
	}
	b.Sngdgen = b.Path("sngdgen")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", b.Sngdgen, "github.com/sngdgen/sngdgen/cmd/sngdgen")
	build.Stderr = b.Progress
	return build.Run()
}

func (b *Bench) export(ctx context.Context) error {
	sets := b.Path("sets.csv")
	if err := os.WriteFile(sets, setsCSV, 0o644); err != nil {
		return err
	}
	return errors.Join(b.R(ctx, "export.R", exportR, sets, b.Path("data")), b.Py(ctx, "export.py", exportPython, sets, b.Path("data")))
}

// Path is a place in the cache.
func (b *Bench) Path(elements ...string) string {
	return filepath.Join(append([]string{b.Cache}, elements...)...)
}

// File is where a data set is exported to.
func (b *Bench) File(set string) string { return b.Path("data", set+".csv") }

// R runs a script of R.
func (b *Bench) R(ctx context.Context, name string, script []byte, arguments ...string) error {
	return b.script(ctx, b.Rscript, name, script, arguments)
}

// Py runs a script of Python.
func (b *Bench) Py(ctx context.Context, name string, script []byte, arguments ...string) error {
	return b.script(ctx, b.Python, name, script, arguments)
}

// script runs with one thread, so that processor times are those of the work.
func (b *Bench) script(ctx context.Context, interpreter, name string, script []byte, arguments []string) error {
	file := b.Path(name)
	if err := os.WriteFile(file, script, 0o644); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, interpreter, append([]string{file}, arguments...)...)
	c.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	c.Stderr = b.Progress
	return c.Run()
}

// Limit is what the likelihood tends to where parameters leave their domain.
type Limit struct {
	LogLikelihood *float64 `json:"log_likelihood"`
}

// Report is what sngdgen fit --json says.
type Report struct {
	Status        string                     `json:"status"`
	Converged     bool                       `json:"converged"`
	Message       string                     `json:"message"`
	LogLikelihood *float64                   `json:"log_likelihood"` // nil where it is not finite
	Evaluations   int                        `json:"evaluations"`
	Parameters    map[string]json.RawMessage `json:"parameters"`
	Limits        []Limit                    `json:"limits"`
	Warnings      []string                   `json:"warnings"`
	Seconds       float64                    `json:"seconds"`

	Processor float64         `json:"-"` // seconds of processor time of the command
	Raw       json.RawMessage `json:"-"`
}

// Starting is the processor time that the command takes to start, which others are not charged with: the least of five.
func (b *Bench) Starting(ctx context.Context) (seconds float64, err error) {
	seconds = math.Inf(1)
	for range 5 {
		c := exec.CommandContext(ctx, b.Sngdgen, "version")
		if err := c.Run(); err != nil {
			return 0, fmt.Errorf("%s version: %w", b.Sngdgen, err)
		}
		seconds = min(seconds, (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds())
	}
	return seconds, nil
}

// Fit runs sngdgen fit on columns of a file. A fit that ends with an error, or that its limit ends, has it as its status.
func (b *Bench) Fit(ctx context.Context, problem string, d *Data, flags ...string) (*Report, error) {
	arguments := append([]string{problem, d.File, "--column=" + strings.Join(d.Columns, ",")}, flags...)
	r := new(Report)
	ended, err := b.FitInto(ctx, r, arguments...)
	if err != nil {
		return nil, err
	}
	if r.Processor = ended.Processor; ended.Fault != "" {
		r.Status = ended.Fault
		return r, nil
	}
	r.Raw = ended.Raw
	return r, nil
}

// Ended is how a command ended.
type Ended struct {
	Fault     string  // the first line of the error when there is no report, or that its limit ended it
	Processor float64 // seconds of processor time, with those of the programs that it ran
	Raw       json.RawMessage
}

// FitInto runs sngdgen fit with arguments, and reads the report that it prints into what json.Unmarshal takes for one.
func (b *Bench) FitInto(ctx context.Context, report any, arguments ...string) (*Ended, error) {
	limited, cancel := context.WithTimeout(ctx, b.Limit)
	defer cancel()
	c := exec.CommandContext(limited, b.Sngdgen, append([]string{"fit", "--json"}, arguments...)...)
	var out, faults strings.Builder
	c.Stdout, c.Stderr = &out, &faults
	err := c.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if c.ProcessState == nil {
		return nil, fmt.Errorf("%s: %w", b.Sngdgen, err)
	}
	ended := &Ended{Processor: (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()}
	switch {
	case limited.Err() != nil:
		ended.Fault = fmt.Sprintf("ended after %v", b.Limit)
	case json.Unmarshal([]byte(out.String()), report) == nil:
		ended.Raw = json.RawMessage(out.String())
	case err != nil:
		ended.Fault, _, _ = strings.Cut(strings.TrimSpace(faults.String()), "\n")
	default:
		return nil, fmt.Errorf("%s fit %s: no JSON: %s", b.Sngdgen, strings.Join(arguments, " "), out.String())
	}
	return ended, nil
}

// Supremum is the highest of the limits, minus infinity without any.
func (r *Report) Supremum() float64 {
	highest := math.Inf(-1)
	for _, l := range r.Limits {
		if l.LogLikelihood != nil {
			highest = max(highest, *l.LogLikelihood)
		}
	}
	return highest
}

// Parameter reads a parameter, a number, a vector or a matrix, into what json.Unmarshal takes for one.
func (r *Report) Parameter(name string, into any) error {
	text, ok := r.Parameters[name]
	if !ok {
		return fmt.Errorf("no parameter %s", name)
	}
	return json.Unmarshal(text, into)
}
