// Command improper fits logistic regressions, without a prior and with weak ones, to data of which linear programming knows whether a
// plane separates the classes, and models with scales, of which theory knows whether their posteriors are proper, and counts what is said of them:
//
//	go run ./tests/variational/improper > tests/variational/improper/TABLE.md
//
// The data are in testdata, made by cases.py. The progress goes to the standard error.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sngdgen/sngdgen/gen/fit"
	"github.com/sngdgen/sngdgen/internal/console"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

//go:embed testdata/cases.json
var known []byte

// notes is the text around the table, which stands where it has its name in braces.
//
//go:embed notes.md
var notes string

func main() { console.Main(command) }

// cases are data, with what linear programming says of them.
type cases struct {
	By    string  `json:"by"`
	Cases []*data `json:"cases"`
}

type data struct {
	Source  string    `json:"source"`
	Classes string    `json:"classes"` // overlap, or separated: complete, or quasi where rows of both are in the plane
	Columns int       `json:"columns"` // y is the last one
	Values  []float64 `json:"values"`
}

// spec is a logistic regression whose coefficients have this precision; 0 is no prior.
func spec(precision float64) string {
	prior := `"0"`
	if precision > 0 {
		prior = fmt.Sprintf("-%g*dot(z, z)/2 + d/2*log(%g/(2*pi))", precision, precision)
	}
	return `
package: regression
approximation: normal
objective:
  vi:
    latent: z
    data:
      X: matrix(n, d)
      y: binary vector(n)
    log_likelihood: sum(log_sigmoid((2*y - 1)*(X @ z)))
    log_prior: ` + prior + "\n"
}

// options are the flags.
type options struct {
	seeds    int
	methods  []string
	priors   []float64 // standard deviations, 0 for none
	only     string
	progress io.Writer
}

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	f := flag.NewFlagSet("improper", flag.ContinueOnError)
	f.SetOutput(progress)
	o := &options{progress: progress}
	f.IntVar(&o.seeds, "seeds", 8, "number of seeds of every fit")
	scalesAlone := f.Bool("scales", false, "fit the models with scales alone")
	f.StringVar(&o.only, "only", "", "beginning of the name of a source of data; all when empty")
	methods := f.String("methods", "auto,exact,ep,saa,sngd", "methods, with commas between")
	priors := f.String("priors", "0,10,100,1000", "standard deviations of priors, with commas between; 0 is none")
	if err := f.Parse(args); err != nil {
		return err
	}
	o.methods = strings.Split(*methods, ",")
	for _, text := range strings.Split(*priors, ",") {
		if *scalesAlone {
			break
		}
		sd, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return err
		}
		o.priors = append(o.priors, sd)
	}
	var all cases
	if err := json.Unmarshal(known, &all); err != nil {
		return err
	}
	var rows strings.Builder
	for _, sd := range o.priors {
		if err := o.add(ctx, &rows, all.Cases, sd); err != nil {
			return err
		}
	}
	var scales strings.Builder
	if err := o.scales(ctx, &scales); err != nil {
		return err
	}
	_, err := io.WriteString(out, strings.NewReplacer("{scales}\n", scales.String(), "{by}", all.By, "{seeds}", strconv.Itoa(o.seeds), "{rows}\n", rows.String()).Replace(notes))
	return err
}

// add writes the rows of a prior.
func (o *options) add(ctx context.Context, out io.Writer, all []*data, sd float64) error {
	precision, name := 0.0, "none"
	if sd > 0 {
		precision, name = 1/(sd*sd), fmt.Sprintf("%g", sd)
	}
	problem, _, err := fit.Open(ctx, fit.Source{Text: spec(precision)})
	if err != nil {
		return err
	}
	var groups [][2]string
	for _, c := range all {
		if g := [2]string{c.Source, c.Classes}; !slices.Contains(groups, g) && strings.HasPrefix(c.Source, o.only) {
			groups = append(groups, g)
		}
	}
	for _, g := range groups {
		for _, method := range o.methods {
			t := new(tally)
			for i, c := range all {
				if c.Source != g[0] || c.Classes != g[1] {
					continue
				}
				t.sets++
				for seed := range o.seeds {
					t.fit(ctx, problem, c, method, uint64(seed))
					if t.err != nil {
						return fmt.Errorf("%s, case %d, %s: %w", c.Source, i, method, t.err)
					}
				}
			}
			row := fmt.Sprintf("| %s | %s | %d | %s | %s | %d | %d | %d | %s | %.2f |\n", g[0], g[1], t.sets, name, method, t.improper, t.converged,
				t.open, t.verdict(sd == 0 && g[1] != "overlap"), t.longest.Seconds())
			fmt.Fprint(out, row)
			fmt.Fprint(o.progress, row)
		}
	}
	return nil
}

// tally counts what fits say.
type tally struct {
	sets, improper, converged, open int
	where                           string // that a report has to name
	longest                         time.Duration
	err                             error
}

func (t *tally) fit(ctx context.Context, p *fit.Problem, c *data, method string, seed uint64) {
	began := time.Now()
	answer, err := p.Fit(ctx, runtime.Data{Values: c.Values, Columns: c.Columns}, &estimate.Settings{Seed: seed, Method: method,
		Variational: estimate.Variational{EvalDraws: 1000}})
	t.longest = max(t.longest, time.Since(began))
	switch {
	case ctx.Err() != nil:
		t.err = ctx.Err()
	case err != nil:
		t.err = err
	case answer.Posterior.Status == runtime.AtInfinity && strings.Contains(answer.Posterior.Message, "the posterior is improper") &&
		strings.Contains(answer.Posterior.Message, t.where):
		t.improper++
	case answer.Posterior.Complete():
		t.converged++
	default:
		t.open++
	}
}

// verdict compares what was said with the truth.
func (t *tally) verdict(improper bool) string {
	switch {
	case improper && t.converged > 0 || !improper && t.improper > 0:
		return "**wrong**"
	case improper && t.open > 0:
		return "**not all named**"
	}
	return "right"
}
