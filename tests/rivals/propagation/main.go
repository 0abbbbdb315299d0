// Command propagation fits posteriors by expectation propagation and by variational inference, and compares their moments with those
// of NumPyro's NUTS:
//
//	go run ./tests/rivals/propagation > tests/rivals/propagation/TABLE.md
//
// The models are those of tests/rivals/posteriors that have sites, and those in specs of which oracle.json has moments by NUTS (made by
// oracle.py --nuts), on the data there. Every spec says
// objective: vi, which becomes ep by that word. The answers of NumPyro are in oracle.json, and those of tests/rivals/posteriors.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/sngdgen/sngdgen/internal/console"
	"github.com/sngdgen/sngdgen/tests/rivals"
)

func main() { console.Main(command) }

// model is a spec with its data and what is known of its posterior.
type model struct {
	name, spec, data string
	mean, sd         map[string]json.RawMessage // of the latent variables
	error            float64                    // the largest Monte Carlo error of a mean, in standard deviations
}

// method is a way to fit.
type method struct {
	name, objective string
	flags           []string
}

var methods = []method{
	{"variational inference", "vi", nil},
	{"power 0", "ep", []string{"--power=0"}},
	{"power 0.5", "ep", []string{"--power=0.5"}},
	{"expectation propagation", "ep", nil},
}

// report is what sngdgen fit --json says.
type report struct {
	Status string `json:"status"`
	ELBO   struct {
		Mean        float64  `json:"mean"`
		KHat        *float64 `json:"k_hat"`
		LogEvidence *float64 `json:"log_evidence"`
	} `json:"elbo"`
	Propagation *struct {
		LogEvidence float64 `json:"log_evidence"`
		Sweeps      int     `json:"sweeps"`
		Negative    int     `json:"negative"`
		Skipped     []int   `json:"skipped"`
	} `json:"expectation_propagation"`
	Posterior struct {
		Mean map[string]json.RawMessage `json:"mean"`
		SD   map[string]json.RawMessage `json:"sd"`
	} `json:"posterior"`
	Seconds float64 `json:"seconds"`
}

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	bench := rivals.Bench{Progress: progress}
	f := flag.NewFlagSet("propagation", flag.ContinueOnError)
	f.SetOutput(progress)
	bench.Flags(f)
	if err := f.Parse(args); err != nil {
		return err
	}
	models, err := known("tests/rivals")
	if err != nil {
		return err
	}
	if err := bench.Build(ctx); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "propagation")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	var rows []string
	for _, m := range models {
		for _, by := range methods {
			row, err := fit(ctx, &bench, folder, m, by)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", m.name, by.name, err)
			}
			fmt.Fprintln(progress, row)
			rows = append(rows, row)
		}
	}
	fmt.Fprintf(out, notes, strings.Join(rows, "\n"))
	return nil
}

const notes = `# Expectation propagation

Made by ` + "`go run ./tests/rivals/propagation > tests/rivals/propagation/TABLE.md`" + `. *Variational inference* is the default of
` + "`sngdgen fit`" + ` for the spec, by draws; the others are fits of the same spec with the word vi turned into ep, and *power 0* is the limit of
expectation propagation that is variational inference, by quadrature.

Errors are those of the means and standard deviations of the approximation, against NUTS, in standard deviations of the truth: root
mean squares over all latent variables, and the largest. That of NUTS is its largest Monte Carlo error of a mean. The evidence is what
the method estimates: the bound, or that of expectation propagation; that by importance sampling is from draws of the approximation.
Times are those of the fit, without its evaluation.

| model | d | fit | means, rms | largest | std. deviations, rms | largest | NUTS | log evidence | by importance sampling | k-hat | sweeps | time | verdict |
| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |
%s
`

// known are the models with their truths.
func known(folder string) ([]model, error) {
	var models []model
	posteriors, own := filepath.Join(folder, "posteriors"), filepath.Join(folder, "propagation")
	var theirs struct {
		Answers []struct {
			Model string              `json:"model"`
			Sites [][]json.RawMessage `json:"sites"`
			Exact *moments            `json:"exact"`
			NUTS  *moments            `json:"nuts"`
		} `json:"answers"`
	}
	if err := read(filepath.Join(posteriors, "oracle.json"), &theirs); err != nil {
		return nil, err
	}
	for _, a := range theirs.Answers {
		switch a.Model {
		case "logistic", "poisson", "linearknown", "linear", "robust", "hierarchical", "gaussianprocess":
		default:
			continue // has no sites
		}
		truth := a.NUTS
		if a.Exact != nil && a.Exact.Mean != nil {
			truth = a.Exact
		}
		m := model{name: a.Model, spec: filepath.Join(posteriors, "specs", a.Model+".yaml"), data: a.Model, error: truth.MeanError}
		var err error
		if m.mean, err = parts(a.Sites, truth.Mean); err == nil {
			m.sd, err = parts(a.Sites, truth.SD)
		}
		if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	var ours answers
	if err := read(filepath.Join(own, "oracle.json"), &ours); err != nil {
		return nil, err
	}
	for _, a := range ours.NUTS {
		models = append(models, model{name: a.Model, spec: filepath.Join(own, "specs", a.Model+".yaml"), data: a.Data, mean: a.Mean, sd: a.SD,
			error: a.Error})
	}
	for i := range models {
		models[i].data = filepath.Join(posteriors, "testdata", models[i].data+".csv")
	}
	return models, nil
}

// moments are those of tests/rivals/posteriors.
type moments struct {
	Mean      []float64 `json:"mean"`
	SD        []float64 `json:"sd"`
	MeanError float64   `json:"error_of_means"`
}

// answers are those of oracle.json.
type answers struct {
	EP []struct {
		Case        string    `json:"case"`
		Model       string    `json:"model"`
		Data        string    `json:"data"`
		Scale       float64   `json:"scale"`
		Power       float64   `json:"power"`
		Mean        []float64 `json:"mean"`
		SD          []float64 `json:"sd"`
		LogEvidence float64   `json:"log_evidence"`
	} `json:"ep"`
	GPy struct {
		Mean        []float64 `json:"mean"`
		SD          []float64 `json:"sd"`
		LogEvidence float64   `json:"log_evidence"`
	} `json:"gpy"`
	NUTS []struct {
		Model string                     `json:"model"`
		Data  string                     `json:"data"`
		Mean  map[string]json.RawMessage `json:"mean"`
		SD    map[string]json.RawMessage `json:"sd"`
		Error float64                    `json:"largest_error"`
	} `json:"nuts"`
}

func read(file string, into any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// parts gives the numbers of all latent variables the names of these.
func parts(sites [][]json.RawMessage, x []float64) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	for _, s := range sites {
		var name string
		var shape []int
		if err := json.Unmarshal(s[0], &name); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(s[1], &shape); err != nil {
			return nil, err
		}
		n, part := 1, any(x[0])
		if len(shape) > 0 {
			n, part = shape[0], x[:shape[0]]
		}
		out[name], _ = json.Marshal(part)
		x = x[n:]
	}
	return out, nil
}

// numbers are those of a part: a number or a vector.
func numbers(text json.RawMessage) ([]float64, error) {
	var x []float64
	if err := json.Unmarshal(text, &x); err == nil {
		return x, nil
	}
	x = []float64{0}
	return x, json.Unmarshal(text, &x[0])
}

// fit fits a model and writes a row of the table.
func fit(ctx context.Context, bench *rivals.Bench, folder string, m model, by method) (string, error) {
	text, err := os.ReadFile(m.spec)
	if err != nil {
		return "", err
	}
	spec := filepath.Join(folder, m.name+"_"+by.objective+".yaml")
	if err := os.WriteFile(spec, bytes.Replace(text, []byte("\n  vi:"), []byte("\n  "+by.objective+":"), 1), 0o644); err != nil {
		return "", err
	}
	var r report
	ended, err := bench.FitInto(ctx, &r, append([]string{spec, m.data}, by.flags...)...)
	if err != nil {
		return "", err
	}
	if ended.Fault != "" {
		return fmt.Sprintf("| %s | | %s | | | | | | | | | | | %s |", m.name, by.name, ended.Fault), nil
	}
	var means, sds distance
	for name, truth := range m.sd {
		sd, err := numbers(truth)
		if err != nil {
			return "", err
		}
		if err := means.add(r.Posterior.Mean[name], m.mean[name], sd); err != nil {
			return "", err
		}
		if err := sds.add(r.Posterior.SD[name], truth, sd); err != nil {
			return "", err
		}
	}
	evidence, sweeps := r.ELBO.Mean, "-"
	if r.Propagation != nil {
		evidence, sweeps = r.Propagation.LogEvidence, fmt.Sprint(r.Propagation.Sweeps)
		if n := r.Propagation.Negative; n > 0 {
			sweeps += fmt.Sprintf(" (%d negative)", n)
		}
	}
	return fmt.Sprintf("| %s | %d | %s | %.4f | %.4f | %.4f | %.4f | %.4f | %.3f | %s | %s | %s | %.3g ms | %s |", m.name, means.n, by.name,
		means.rms(), means.largest, sds.rms(), sds.largest, m.error, evidence, perhaps(r.ELBO.LogEvidence, 3), perhaps(r.ELBO.KHat, 2), sweeps,
		1e3*r.Seconds, r.Status), nil
}

func perhaps(x *float64, places int) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.*f", places, *x)
}

// distance is that of some numbers from the truth, in standard deviations.
type distance struct {
	n                int
	squares, largest float64
}

func (d *distance) rms() float64 { return math.Sqrt(d.squares / float64(d.n)) }

func (d *distance) add(got, want json.RawMessage, sd []float64) error {
	x, err := numbers(got)
	if err != nil {
		return err
	}
	y, err := numbers(want)
	if err != nil {
		return err
	}
	if len(x) != len(y) || len(x) != len(sd) {
		return fmt.Errorf("%d numbers, want %d", len(x), len(y))
	}
	for i, s := range sd {
		off := (x[i] - y[i]) / s
		d.n++
		d.squares += off * off
		if math.Abs(off) > math.Abs(d.largest) {
			d.largest = off
		}
	}
	return nil
}
