// Command surrogates compares ways to fit regressions: with a generalised linear model as surrogate, with coefficients that are auxiliary
// parameters in the metric of their columns, or in none, and with functions of R that were written for them:
//
//	go run ./tests/rivals/surrogates > tests/rivals/surrogates/TABLE.md
//
// cases.csv has the cases, specs what is fitted. The data are those of packages of R and Python; oracle.R writes the columns of predictors as
// numbers, and oracle.json has its answers, by -oracle made anew. -case chooses cases. The progress goes to the standard error.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sngdgen/sngdgen/internal/console"
	"github.com/sngdgen/sngdgen/tests/rivals"
)

//go:embed cases.csv
var casesCSV []byte

//go:embed oracle.R
var oracleR []byte

//go:embed oracle.py
var oraclePython []byte

func main() { console.Main(command) }

// options are the flags.
type options struct {
	bench  rivals.Bench
	folder string
}

func (o *options) path(name string) string { return filepath.Join(o.folder, name) }

// answer is what R says of a case. Iterations are -1 where it does not say.
type answer struct {
	Name          string  `json:"name"`
	N             int     `json:"n"`
	LogLikelihood float64 `json:"log_likelihood"` // 0 where R was not asked
	Iterations    int     `json:"iterations"`
	Seconds       float64 `json:"seconds"`
	FromBad       int     `json:"from_bad"` // how many of the bad starts lead to the maximum
}

// Key implements what answers are told apart by.
func (a *answer) Key() string { return a.Name }

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	o := &options{bench: rivals.Bench{Progress: progress}}
	f := flag.NewFlagSet("surrogates", flag.ContinueOnError)
	f.SetOutput(progress)
	o.bench.Flags(f)
	name := f.String("case", "", "part of the names of the cases; all when empty")
	oracle := f.Bool("oracle", false, "ask R anew, and write its answers to the file of answers")
	f.StringVar(&o.folder, "folder", "tests/rivals/surrogates", "folder of this program, which has specs and answers")
	if err := f.Parse(args); err != nil {
		return err
	}
	cases, err := rivals.Records(casesCSV)
	if err != nil {
		return fmt.Errorf("cases.csv: %w", err)
	}
	if err := o.designs(ctx, cases, *oracle); err != nil {
		return err
	}
	known, err := rivals.Load[*answer](o.path("oracle.json"))
	if err != nil {
		return err
	}
	var outcomes []*outcome
	for _, c := range cases {
		if !strings.Contains(c["name"], *name) {
			continue
		}
		e := &outcome{name: c["name"], spec: c["spec"], rival: c["rival"], theirs: &answer{}}
		for _, a := range known.Answers {
			if a.Name == e.name {
				e.theirs = a
			}
		}
		if err := o.compare(ctx, e); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		fmt.Fprintln(progress, e.name)
		outcomes = append(outcomes, e)
	}
	return write(out, known.Versions, time.Now(), outcomes)
}

// design is the file of the numbers of a case.
func (o *options) design(name string) string { return o.bench.Path("surrogates", name+".csv") }

// designs has the designs written, and R asked, where a file is missing or the answers are to be made anew.
func (o *options) designs(ctx context.Context, cases []map[string]string, anew bool) error {
	missing := anew
	for _, c := range cases {
		if _, err := os.Stat(o.design(c["name"])); err != nil {
			missing = true
		}
	}
	if !missing {
		return nil
	}
	folder, list, answers := o.bench.Path("surrogates"), o.bench.Path("surrogates", "cases.csv"), o.bench.Path("surrogates", "oracle.json")
	if err := os.MkdirAll(o.bench.Path("surrogates", "data"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(list, casesCSV, 0o644); err != nil {
		return err
	}
	data := o.bench.Path("surrogates", "data")
	if err := o.bench.Py(ctx, "surrogates-oracle.py", oraclePython, data); err != nil {
		return fmt.Errorf("oracle.py: %w", err)
	}
	if err := o.bench.R(ctx, "surrogates-oracle.R", oracleR, list, data, folder, answers); err != nil {
		return fmt.Errorf("oracle.R: %w", err)
	}
	if !anew {
		return nil
	}
	text, err := os.ReadFile(answers)
	if err != nil {
		return err
	}
	var a rivals.Answers[*answer]
	if err := json.Unmarshal(text, &a); err != nil {
		return fmt.Errorf("the answers of R: %w", err)
	}
	return a.Save(o.path("oracle.json"))
}
