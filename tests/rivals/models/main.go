// Command models fits models of the library, and of the folder specs, to data that packages of R ship, beside functions of R and samplers:
//
//	go run ./tests/rivals/models > tests/rivals/models/TABLE.md
//
// cases.csv has the cases: a spec, a data set, and what says which of its columns are what. The answers of the others are in oracle.json,
// by -oracle made anew: of likelihoods those of R, with the maximum found a second time, of posteriors moments by NUTS. -case chooses cases.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

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

func (o *options) oracleFile() string { return filepath.Join(o.folder, "oracle.json") }

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	o := &options{bench: rivals.Bench{Progress: progress}}
	f := flag.NewFlagSet("models", flag.ContinueOnError)
	f.SetOutput(progress)
	o.bench.Flags(f)
	name := f.String("case", "", "part of the names of the cases; all when empty")
	oracle := f.Bool("oracle", false, "ask the others anew, and write their answers to the file of answers")
	f.StringVar(&o.folder, "folder", "tests/rivals/models", "folder of this program, which has specs and answers")
	if err := f.Parse(args); err != nil {
		return err
	}
	cases, err := rivals.Records(casesCSV)
	if err != nil {
		return fmt.Errorf("cases.csv: %w", err)
	}
	known, err := rivals.Load[*answer](o.oracleFile())
	if err != nil {
		return err
	}
	if err := o.data(ctx, cases); err != nil {
		return err
	}
	chosen := slices.DeleteFunc(slices.Clone(cases), func(c map[string]string) bool { return !strings.Contains(c["name"], *name) })
	if *oracle {
		return o.ask(ctx, known, chosen, cases)
	}
	if err := o.bench.Build(ctx); err != nil {
		return err
	}
	outcomes, err := o.compare(ctx, known, chosen)
	if err != nil {
		return err
	}
	return write(out, known, outcomes)
}

// set is the file of a data set.
func (o *options) set(name string) string { return o.bench.Path("models", name+".csv") }

// data has the data sets written where one is missing.
func (o *options) data(ctx context.Context, cases []map[string]string) error {
	folder := o.bench.Path("models")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, c := range cases {
		if _, err := os.Stat(o.set(c["set"])); err != nil {
			if err := o.bench.R(ctx, "models-oracle.R", oracleR, "data", folder); err != nil {
				return fmt.Errorf("oracle.R: %w", err)
			}
			break
		}
	}
	return nil
}

// answer is what the others say of a case: estimates of a likelihood with its maximum, or moments of a posterior.
type answer struct {
	Name    string  `json:"name"`
	N       int     `json:"n"`
	Call    string  `json:"call,omitempty"`
	Seconds float64 `json:"seconds"` // of processor time
	estimate
	Maximum *estimate         `json:"maximum,omitempty"` // nil of a posterior
	Means   map[string]values `json:"means,omitempty"`
	SDs     map[string]values `json:"sds,omitempty"`
	RHat    float64           `json:"rhat,omitempty"`
	ESS     float64           `json:"ess,omitempty"`
}

// estimate is a point of a likelihood.
type estimate struct {
	LogLikelihood float64           `json:"log_likelihood"`
	Parameters    map[string]values `json:"parameters,omitempty"`
	StdErrs       map[string]values `json:"standard_errors,omitempty"`
}

// values are the entries of a number, a vector or a matrix, row by row; NaN where one is not known.
type values []float64

// UnmarshalJSON reads numbers and lists in lists.
func (v *values) UnmarshalJSON(text []byte) error {
	var list []values
	if len(text) > 0 && text[0] == '[' {
		if err := json.Unmarshal(text, &list); err != nil {
			return err
		}
		*v = slices.Concat(list...)
		return nil
	}
	var one *float64
	if err := json.Unmarshal(text, &one); err != nil {
		return err
	}
	*v = values{math.NaN()}
	if one != nil {
		(*v)[0] = *one
	}
	return nil
}

// MarshalJSON writes null where a number is not known.
func (v values) MarshalJSON() ([]byte, error) {
	out := make([]any, len(v))
	for i, x := range v {
		if !math.IsNaN(x) {
			out[i] = x
		}
	}
	return json.Marshal(out)
}

// Key names the case.
func (a *answer) Key() string { return a.Name }

// ask puts cases to the others, and writes the file of answers.
func (o *options) ask(ctx context.Context, known *rivals.Answers[*answer], chosen, all []map[string]string) error {
	of := func(posterior bool) (names []string) {
		for _, c := range chosen {
			if posteriors[c["spec"]] == posterior {
				names = append(names, c["name"])
			}
		}
		return names
	}
	folder := o.bench.Path("models")
	for _, rival := range []struct {
		names []string
		ask   func(out string, names []string) error
	}{
		{of(false), func(out string, names []string) error {
			return o.bench.R(ctx, "models-oracle.R", oracleR, append([]string{"fit", folder, out}, names...)...)
		}},
		{of(true), func(out string, names []string) error {
			return o.bench.Py(ctx, "models-oracle.py", oraclePython, append([]string{folder, out}, names...)...)
		}},
	} {
		if len(rival.names) == 0 {
			continue
		}
		out := o.bench.Path("models-answers.json")
		if err := rival.ask(out, rival.names); err != nil {
			return err
		}
		news, err := rivals.Load[*answer](out)
		if err != nil {
			return err
		}
		known.Update(news)
	}
	var names []string
	for _, c := range all {
		names = append(names, c["name"])
	}
	known.Order(names)
	return known.Save(o.oracleFile())
}

// posteriors are the specs that are posteriors.
var posteriors = map[string]bool{
	"randomintercept": true, "randomslopes": true, "logisticintercept": true, "poissonintercept": true, "lasso": true, "horseshoe": true,
	"garchposterior": true, "specs/autoregressionposterior.yaml": true, "specs/hiddenposterior.yaml": true,
}

// report is what sngdgen fit --json says.
type report struct {
	Status     string `json:"status"`
	Converged  bool   `json:"converged"`
	Iterations int    `json:"iterations"`
	Steps      int    `json:"steps"`
	estimate
	Seconds   float64 `json:"seconds"`
	Posterior struct {
		Mean map[string]values `json:"mean"`
		SD   map[string]values `json:"sd"`
	} `json:"posterior"`
	ELBO struct {
		Mean float64 `json:"mean"`
		KHat float64 `json:"k_hat"`
	} `json:"elbo"`
}

// outcome is a case with what both say.
type outcome struct {
	spec   map[string]string
	report *report
	theirs *answer
}

// repetitions are how often a fit is repeated: the least time counts.
const repetitions = 3

func (o *options) compare(ctx context.Context, known *rivals.Answers[*answer], chosen []map[string]string) ([]*outcome, error) {
	var out []*outcome
	for _, c := range chosen {
		i := slices.IndexFunc(known.Answers, func(a *answer) bool { return a.Name == c["name"] })
		if i < 0 {
			fmt.Fprintf(o.bench.Progress, "%s: no answer of the others\n", c["name"])
			continue
		}
		spec := c["spec"]
		if filepath.Ext(spec) != "" {
			spec = filepath.Join(o.folder, spec)
		}
		var best *report
		for range repetitions {
			r := new(report)
			ended, err := o.bench.FitInto(ctx, r, append([]string{spec, o.set(c["set"])}, strings.Fields(c["arguments"])...)...)
			if err != nil {
				return nil, err
			}
			if ended.Fault != "" {
				r.Status = ended.Fault
			}
			if best == nil || r.Seconds < best.Seconds {
				best = r
			}
		}
		fmt.Fprintf(o.bench.Progress, "%s: %s\n", c["name"], best.Status)
		out = append(out, &outcome{c, best, known.Answers[i]})
	}
	return out, nil
}

// distance is the largest difference of two estimates in units of standard errors, and the largest relative one of these where they are known.
func distance(a, b *estimate) (parameters, errors float64) {
	for name, want := range b.Parameters {
		for i := range want {
			se := at(b.StdErrs, name, i)
			parameters = math.Max(parameters, math.Abs(at(a.Parameters, name, i)-want[i])/se)
			errors = math.Max(errors, math.Abs(at(a.StdErrs, name, i)/se-1))
		}
	}
	return parameters, errors
}

func at(m map[string]values, name string, i int) float64 {
	if v := m[name]; i < len(v) {
		return v[i]
	}
	return math.NaN()
}

// moments is how means and standard deviations of an approximation are off, in standard deviations of the truth: root mean squares over all
// latent variables, and the largest, with the variable that it is of.
type moments struct {
	means, sds, worst float64
	of                string
}

func (c *outcome) moments() (m moments) {
	n := 0.0
	for _, name := range slices.Sorted(maps.Keys(c.theirs.Means)) {
		for i, mean := range c.theirs.Means[name] {
			sd := at(c.theirs.SDs, name, i)
			a, b := (at(c.report.Posterior.Mean, name, i)-mean)/sd, at(c.report.Posterior.SD, name, i)/sd-1
			if math.IsNaN(a) { // under another name
				continue
			}
			m.means, m.sds, n = m.means+a*a, m.sds+b*b, n+1
			if off := math.Max(math.Abs(a), math.Abs(b)); off > m.worst {
				m.worst, m.of = off, fmt.Sprintf("%s[%d]", name, i+1)
			}
		}
	}
	m.means, m.sds = math.Sqrt(m.means/n), math.Sqrt(m.sds/n)
	return m
}
