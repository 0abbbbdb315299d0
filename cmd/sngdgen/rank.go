package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/sngdgen/sngdgen/internal/build/worker"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/internal/figure"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

type rankCmd struct {
	newDataFlags
	Mapping    []string `name:"data" sep:"none" placeholder:"NAME=COLUMN" help:"Of a likelihood given covariates columns of the file: t=time,x=1+age+sex."`
	Components int      `min:"1" max:"1024" placeholder:"K" help:"Number of components of mixtures."`
	Seed       uint64   `placeholder:"N" help:"Seed of the draws, and of random starts."`
	Accuracy   float64  `above:"0" placeholder:"X" help:"Distance of the loss from the optimum at which a run counts as done (1e-9)."`
	Plot       string   `output:"pictures" placeholder:"PATH" help:"Draw spectra and courses: into one file if the name ends in .svg, .png or .pdf, otherwise into a folder."`
	JSON       bool     `name:"json" help:"Print JSON."`
	Data       string   `arg:"" help:"CSV or TSV file; - reads the standard input."`
	Specs      []string `arg:"" name:"spec" help:"Problems of one target: names of the library, or files, all problems of which are ranked."`
}

// candidate is a problem to rank, and what runs it.
type candidate struct {
	p     *spec.Problem
	arg   string
	short *spec.Regression // what it is short for, of a formula in the file
	file  string
}

// Run prints the ranking.
func (c *rankCmd) Run(s *session) error {
	if ext := filepath.Ext(c.Data); ext == ".yaml" || ext == ".yml" {
		return usageError{fmt.Errorf("%s is a spec, where the data are to stand: the data come first, sngdgen rank DATA SPEC", c.Data)}
	}
	candidates, err := c.candidates(s)
	if err != nil {
		return err
	}
	out := &printedRanking{printed: printed{schemaVersion, "ranking"}}
	for _, one := range candidates {
		data, err := c.rows(s, &one)
		if err != nil {
			return err
		}
		ranked, err := c.rank(s, one, data)
		if err != nil {
			if s.Err() != nil {
				return err
			}
			fmt.Fprintf(s.err, "warning: %s is left out: %v\n", one.p.Package, err)
			continue
		}
		for _, note := range ranked.Notes {
			fmt.Fprintf(s.err, "note: %s: %s\n", one.p.Package, note)
		}
		out.Surrogates = append(out.Surrogates, ranked)
	}
	if len(out.Surrogates) == 0 {
		return errors.New("there is no surrogate to rank")
	}
	out.order()
	if c.Plot != "" {
		pictures := pictureFlags{Plot: c.Plot}
		if err := pictures.draw(s, figure.Ranking(out.Surrogates)); err != nil {
			return err
		}
	}
	if c.JSON {
		return printJSON(s, out)
	}
	return out.print(s.out)
}

// rows reads the data of a candidate, which say what the problem of a formula is.
func (c *rankCmd) rows(s *session, one *candidate) (data *table.Table, err error) {
	if one.short == nil {
		return c.read(s, one.p, c.Data, c.Mapping, c.Rows)
	}
	one.p, data, err = c.readShort(s, one.file, one.short, c.Data, c.Mapping, c.Rows, c.Components > 0)
	return data, err
}

// rank looks at one surrogate.
func (c *rankCmd) rank(s *session, one candidate, data *table.Table) (*estimate.Ranked, error) {
	job := worker.Job{Rank: &estimate.RankSettings{Seed: c.Seed, Components: c.Components, Accuracy: c.Accuracy}}
	if one.p.Components == nil {
		job.Rank.Components = 0
	}
	answer, err := s.do(one.arg, one.p, job, data)
	if err != nil {
		return nil, err
	}
	return answer.Ranked, nil
}

// candidates are the problems of all arguments, which have to be of one target.
func (c *rankCmd) candidates(s *session) (out []candidate, err error) {
	var diags diag.List
	for _, arg := range c.Specs {
		for _, p := range loadProblems(arg, &diags) {
			if p.VI != nil {
				return nil, fmt.Errorf("%s is a posterior: fit --approximations compares the forms of its approximation", p.Package)
			}
			one := candidate{p: p, arg: arg, short: shortForm(arg, p.Package), file: arg}
			if isSpecFile(arg) {
				one.arg = "./" + p.Package + ".yaml" // which tells it from one of the library
			}
			out = append(out, one)
		}
	}
	if err := s.diagnose(diags); err != nil {
		return nil, err
	}
	for _, one := range out {
		if a, b := targetOf(one.p), targetOf(out[0].p); a != b {
			return nil, fmt.Errorf("%s is about %s, and %s about %s: surrogates are compared for one target", out[0].p.Package, b, one.p.Package, a)
		}
		if one.short != nil {
			continue // of as many components as are asked for
		}
		if err := checkCount(one.p, c.Components); err != nil {
			return nil, err
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no problem in %s", strings.Join(c.Specs, ", "))
	}
	return out, nil
}

// targetOf names a target.
func targetOf(p *spec.Problem) string {
	if p.Components != nil {
		return "a mixture of " + targetName(p)
	}
	return targetName(p)
}

// printedRanking has surrogates, the best first.
type printedRanking struct {
	printed
	Surrogates []*estimate.Ranked `json:"surrogates"`
	// Recommended is the problem of which the Hessian has the least condition.
	Recommended string `json:"recommended"`
}

// alike is up to which factor conditions count as the same; then the time of an evaluation decides.
const alike = 1.05

func (p *printedRanking) order() {
	condition := func(r *estimate.Ranked) float64 { return float64(r.Ways[0].Condition) }
	slices.SortStableFunc(p.Surrogates, func(a, b *estimate.Ranked) int { return cmp.Compare(condition(a), condition(b)) })
	first := 0
	for i, r := range p.Surrogates {
		if condition(r) <= alike*condition(p.Surrogates[0]) && r.Ways[0].Nanoseconds < 0.8*p.Surrogates[first].Ways[0].Nanoseconds {
			first = i
		}
	}
	best := p.Surrogates[first]
	p.Surrogates = slices.Insert(slices.Delete(p.Surrogates, first, first+1), 0, best)
	p.Recommended = best.Problem
}

// wayNames are ways for people, in the table of a surrogate.
var wayNames = map[string]string{"target": "metric of the target", "gradient": "ordinary gradient"}

// print writes a table.
func (p *printedRanking) print(w io.Writer) error {
	fmt.Fprintf(w, "%s, %s; loss at the optimum %s\n\n", p.Surrogates[0].Target, plural(len(p.Surrogates), "surrogate"), digits(float64(p.Surrogates[0].Loss)))
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(t, "\teigenvalues\tof the target\tcondition\tsngd: predicted\tobserved\tnlbfgs: predicted\tobserved\ttime")
	for _, r := range p.Surrogates {
		rankRow(t, fmt.Sprintf("%s (%s, %s)", r.Problem, r.Surrogate, r.Coordinates), &r.Ways[0])
	}
	for i := range p.Surrogates[0].Ways {
		if i > 0 {
			rankRow(t, wayNames[p.Surrogates[0].Ways[i].Name], &p.Surrogates[0].Ways[i])
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\n", p.advice())
	return nil
}

// rankRow has one metric. The numbers of iterations are to the same accuracy.
func rankRow(t io.Writer, name string, w *estimate.Way) {
	fmt.Fprintf(t, "%s\t%s\t%s\t%.3g\t", name, ends(w.Hessian), ends(w.Fisher), float64(w.Condition))
	for _, run := range w.Runs {
		observed := "-"
		if run.Observed >= 0 {
			observed = fmt.Sprint(run.Observed)
		}
		fmt.Fprintf(t, "%d\t%s\t", run.Predicted, observed)
	}
	last := w.Runs[len(w.Runs)-1]
	fmt.Fprintf(t, "%s\n", duration(last.Seconds))
}

// ends are the least and the largest of some eigenvalues.
func ends(values []estimate.Number) string {
	if len(values) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3g to %.3g", float64(values[0]), float64(values[len(values)-1]))
}

// advice is a sentence about the best.
func (p *printedRanking) advice() string {
	best := p.Surrogates[0]
	w := best.Ways[0]
	text := fmt.Sprintf("%s is recommended: ", best.Problem)
	if len(p.Surrogates) == 1 {
		text = best.Problem + ": "
	}
	switch c := float64(w.Condition); {
	case c < 1.001:
		text += "its metric is the Hessian at the optimum, so that a full step is Newton's"
	case float64(w.Full) < 1:
		text += fmt.Sprintf("a full step leaves at most %.2g of the error, without a line search", float64(w.Full))
	default:
		text += fmt.Sprintf("a full step does not converge (eigenvalues up to %.3g): it needs a line search", float64(w.Hessian[len(w.Hessian)-1]))
	}
	for _, other := range best.Ways[1:] {
		if ratio := float64(other.Condition / w.Condition); other.Name == "gradient" && !math.IsNaN(ratio) {
			text += fmt.Sprintf("; the condition is %.3g times that of ordinary gradients", 1/ratio)
		}
	}
	return text
}
