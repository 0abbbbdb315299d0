// Command mixtures compares fits of mixtures of normals with those of scikit-learn and of mclust, on public data sets:
//
//	go run ./tests/rivals/mixtures > tests/rivals/mixtures/TABLE.md
//
// The answers of the others are in oracle.json, by -oracle made anew: many starts of either, followed until they stand,
// with times of their default calls. -case and -k choose some of the cases, -args passes flags to sngdgen fit, -reports keeps
// what it says, so that a table can be made in several runs. The progress goes to the standard error.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/internal/console"
	"github.com/sngdgen/sngdgen/tests/rivals"
)

func main() { console.Main(command) }

//go:embed cases.csv
var casesCSV []byte

// rowsPerParameter is how many rows there must be at least for each free parameter: below, nearly every optimum fits a
// component to a few rows.
const rowsPerParameter = 2

// test is a data set, with a number of components.
type test struct {
	name string
	data *rivals.Data
	k    int
}

func (t *test) rows() int    { return len(t.data.Rows) }
func (t *test) columns() int { return len(t.data.Columns) }

// key names a test in oracle.json.
func (t *test) key() string { return fmt.Sprintf("%s/%d", t.name, t.k) }

// options are the flags.
type options struct {
	bench  rivals.Bench
	cases  []string
	ks     []int
	oracle bool
	file   string
	flags  []string
	// reports is the file of what sngdgen has said already, for a table that is made in several runs.
	reports string
}

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	o := &options{bench: rivals.Bench{Progress: progress}}
	f := flag.NewFlagSet("mixtures", flag.ContinueOnError)
	f.SetOutput(progress)
	o.bench.Flags(f)
	names := f.String("case", "", "names of cases, with commas between; all when empty")
	ks := f.String("k", "", "numbers of components, with commas between; all of the cases when empty")
	f.BoolVar(&o.oracle, "oracle", false, "ask scikit-learn and mclust anew, and write their answers to the file of answers")
	f.StringVar(&o.file, "answers", "tests/rivals/mixtures/oracle.json", "file of the answers of the others")
	f.StringVar(&o.reports, "reports", "", "file in which reports of sngdgen are kept: what it has is not fitted again")
	flags := f.String("args", "", "flags for sngdgen fit, with blanks between")
	if err := f.Parse(args); err != nil {
		return err
	}
	o.flags = strings.Fields(*flags)
	o.cases = split(*names)
	for _, k := range split(*ks) {
		n, err := strconv.Atoi(k)
		if err != nil {
			return fmt.Errorf("-k: %w", err)
		}
		o.ks = append(o.ks, n)
	}
	if err := o.bench.Prepare(ctx); err != nil {
		return err
	}
	tests, err := o.tests()
	if err != nil {
		return err
	}
	known, err := rivals.Load[*answer](o.file)
	if err != nil {
		return err
	}
	if o.oracle {
		return askAll(ctx, o, known, tests)
	}
	outcomes, err := compare(ctx, o, known, tests)
	if err != nil {
		return err
	}
	return write(out, o, known, outcomes)
}

func split(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' })
}

// tests lists the cases that were chosen, those of one data set together.
func (o *options) tests() ([]*test, error) {
	records, err := rivals.Records(casesCSV)
	if err != nil {
		return nil, fmt.Errorf("cases.csv: %w", err)
	}
	sets, err := rivals.Sets()
	if err != nil {
		return nil, err
	}
	var tests []*test
	for _, r := range records {
		if len(o.cases) > 0 && !slices.Contains(o.cases, r["name"]) {
			continue
		}
		i := slices.IndexFunc(sets, func(s rivals.Set) bool { return s.Name == r["set"] })
		if i < 0 {
			return nil, fmt.Errorf("cases.csv: there is no data set %s", r["set"])
		}
		columns := strings.Fields(r["columns"])
		if len(columns) == 0 {
			columns = sets[i].Columns
		}
		data, err := rivals.Read(o.bench.File(sets[i].Name), columns)
		if errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(o.bench.Progress, "%s: left out, the data set was not exported\n", r["name"])
			continue
		}
		if err != nil {
			return nil, err
		}
		first, last, several := strings.Cut(r["k"], "..")
		if !several {
			last = first
		}
		low, err := strconv.Atoi(first)
		if err != nil {
			return nil, fmt.Errorf("cases.csv, %s: %w", r["name"], err)
		}
		high, err := strconv.Atoi(last)
		if err != nil {
			return nil, fmt.Errorf("cases.csv, %s: %w", r["name"], err)
		}
		for k := low; k <= high; k++ {
			t := &test{r["name"], data, k}
			enough := t.rows() >= rowsPerParameter*parameters(t.columns(), k)
			if enough && (len(o.ks) == 0 || slices.Contains(o.ks, k)) {
				tests = append(tests, t)
			}
		}
	}
	return tests, nil
}

// parameters counts the free parameters of a mixture of k normals in d dimensions.
func parameters(d, k int) int { return k*(1+d+d*(d+1)/2) - 1 }
