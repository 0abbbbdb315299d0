// Command regression compares regressions, sngdgen fit with --formula, with functions of R and statsmodels that were written for
// them, on data that packages ship:
//
//	go run ./tests/rivals/regression > tests/rivals/regression/TABLE.md
//
// cases.csv has the cases. The answers of the others are in oracle.json, by -oracle made anew, with the maximum of every likelihood
// found a second time. -case chooses cases, -args passes flags to sngdgen fit. The progress goes to the standard error.
package main

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/sngdgen/sngdgen/internal/console"
	"github.com/sngdgen/sngdgen/tests/rivals"
)

func main() { console.Main(command) }

//go:embed cases.csv
var casesCSV []byte

// example is a model with data, as the scripts read it too.
type example struct {
	Name         string `json:"name"`
	Set          string `json:"set"`
	Distribution string `json:"distribution"`
	Formula      string `json:"formula"`
	Arguments    string `json:"arguments"` // of sngdgen fit, besides
	Rival        string `json:"rival"`     // R or python
	Call         string `json:"call"`      // of a function of the rival; d are the data
	File         string `json:"file"`
	SHA256       string `json:"sha256"` // of the file, by which another version of a data set is noticed
}

// examples reads cases.csv.
func examples() ([]*example, error) {
	rows, err := rivals.Records(casesCSV)
	if err != nil {
		return nil, fmt.Errorf("cases.csv: %w", err)
	}
	out := make([]*example, len(rows))
	for i, r := range rows {
		out[i] = &example{Name: r["name"], Set: r["set"], Distribution: r["distribution"], Formula: r["formula"], Arguments: r["arguments"],
			Rival: r["rival"], Call: r["call"]}
	}
	return out, nil
}

// options are the flags.
type options struct {
	bench rivals.Bench
	file  string
	flags []string
}

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	o := &options{bench: rivals.Bench{Progress: progress}}
	f := flag.NewFlagSet("regression", flag.ContinueOnError)
	f.SetOutput(progress)
	o.bench.Flags(f)
	name := f.String("case", "", "part of the names of the cases; all when empty")
	oracle := f.Bool("oracle", false, "ask the others anew, and write their answers to the file of answers")
	f.StringVar(&o.file, "answers", "tests/rivals/regression/oracle.json", "file of the answers of the others")
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
	if *oracle {
		return o.ask(ctx, known, chosen, all)
	}
	if err := o.bench.Build(ctx); err != nil {
		return err
	}
	outcomes, err := o.compare(ctx, known, chosen)
	if err != nil {
		return err
	}
	return write(out, o, known, outcomes)
}

// prepare exports the data sets if the cache lacks one, and reads which they are.
func (o *options) prepare(ctx context.Context) ([]*example, error) {
	all, err := examples()
	if err != nil {
		return nil, err
	}
	folder := o.bench.Path("regression")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	missing := false
	for _, e := range all {
		e.File = o.bench.Path("regression", e.Set+".csv")
		if _, err := os.Stat(e.File); err != nil {
			missing = true
		}
	}
	if missing {
		if err := o.bench.R(ctx, "regression-oracle.R", oracleR, "data", folder); err != nil {
			return nil, fmt.Errorf("oracle.R: %w", err)
		}
		if err := o.bench.Py(ctx, "regression-oracle.py", oraclePython, "data", folder); err != nil {
			return nil, fmt.Errorf("oracle.py: %w", err)
		}
	}
	for _, e := range all {
		text, err := os.ReadFile(e.File)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		e.SHA256 = hex.EncodeToString(sum[:])[:16]
	}
	return all, nil
}
