// Command speed measures how long it takes to come near the best bound of a posterior, by stochastic steps, by a sample average and,
// where the bound is known without draws, by its maximum, on every posterior of the library:
//
//	go run ./tests/variational/speed > tests/variational/speed/TABLE.md
//
// The data are those of tests/rivals/posteriors, and eight schools. The progress goes to the standard error; a run that is interrupted
// writes what it knows.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/internal/console"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/tests/variational/datasets"
)

// notes is the text around the table, which stands where it has its name in braces.
//
//go:embed notes.md
var notes string

func main() { console.Main(command) }

// posterior is a problem of the library with data: a file of tests/rivals/posteriors, or eight schools where it has no name.
type posterior struct {
	problem, file string
	components    int
}

var posteriors = []posterior{
	{"linearregression", "linearknown", 0}, {"poissonregression", "poisson", 0}, {"robustregression", "robust", 0}, {"eightschools", "", 0},
	{"funnel", "funnel", 0}, {"logistic", "logistic", 0}, {"logistict", "logistic", 0}, {"logisticskew", "logistic", 0},
	{"logisticskewt", "logistic", 0}, {"logisticmcef", "logistic", 0}, {"logistictmcef", "logistic", 0}, {"logisticmix", "logistic", 3},
	{"logisticskewmix", "logistic", 3},
}

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	f := flag.NewFlagSet("speed", flag.ContinueOnError)
	f.SetOutput(progress)
	folder := f.String("testdata", "tests/rivals/posteriors/testdata", "folder with the data")
	only := f.String("only", "", "problem of the library; all when empty")
	seeds := f.Int("seeds", 3, "number of seeds of every run")
	most := f.Int("steps", 30_000, "stochastic steps, at most")
	if err := f.Parse(args); err != nil {
		return err
	}
	var table strings.Builder
	incomplete := ""
	for _, p := range posteriors {
		if *only != "" && *only != p.problem {
			continue
		}
		rows, err := p.race(ctx, *folder, *seeds, *most)
		if ctx.Err() != nil {
			incomplete = "Incomplete: stopped at " + p.problem + ".\n\n"
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.problem, err)
		}
		table.WriteString(rows)
		fmt.Fprint(progress, rows)
	}
	_, err := io.WriteString(out, strings.NewReplacer("{incomplete}\n", incomplete, "{table}\n", table.String()).Replace(notes))
	return err
}

// load returns the problem with its data.
func (p *posterior) load(folder string) (runtime.Variational, runtime.Data, error) {
	lookup, ok := generated.Lookup(p.problem)
	if !ok {
		return nil, runtime.Data{}, fmt.Errorf("the library has no %s", p.problem)
	}
	m := lookup().(runtime.Variational)
	if p.file == "" {
		return m, datasets.EightSchools(), nil
	}
	data, err := datasets.Read(filepath.Join(folder, p.file+".csv"))
	if p.problem == "funnel" { // one row, of all scales
		data.Columns = len(data.Values)
	}
	return m, data, err
}
