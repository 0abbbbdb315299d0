package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/sngdgen/sngdgen/internal/record"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

type compareCmd struct {
	newDataFlags
	SpecA string `name:"spec-a" placeholder:"FILE" help:"Spec of the first fit, if it is no longer where it was."`
	SpecB string `name:"spec-b" placeholder:"FILE" help:"Spec of the second fit."`
	JSON  bool   `name:"json" help:"Print JSON."`
	A     string `arg:"" help:"A fit, as sngdgen fit --json has printed it."`
	B     string `arg:"" help:"Another fit of the same data."`
	Data  string `arg:"" optional:"" help:"The data, for Vuong's test, with the flags that they were read with (the file of the first fit); - reads the standard input."`
}

// relation says how one model stands to another.
type relation string

const (
	relationNested   relation = "nested"   // the first is a special case of the second, inside of its parameters
	relationBoundary relation = "boundary" // the first is a special case of the second, at an end of its parameters
	relationSame     relation = "same"
	relationApart    relation = "apart" // the larger model has the smaller likelihood, and cannot contain the other
	relationUnknown  relation = "unknown"
)

// relationWords say it to people.
var relationWords = map[relation]string{
	relationNested:   "the smaller model has some of the columns of the larger one: it is nested, and p is that of the chi-square distribution",
	relationBoundary: "a mixture of fewer components is one of more at an end of its parameters: the chi-square distribution is not that of the ratio",
	relationApart:    "the model with more parameters has the lower likelihood, so that it does not contain the other",
	relationUnknown:  "nothing here says that the smaller model is a special case of the larger one: p is a probability only if it is, and not at an end of its parameters",
}

// Run prints the comparison.
func (c *compareCmd) Run(s *session) error {
	a, err := s.open(c.A, c.SpecA)
	if err != nil {
		return err
	}
	b, err := s.open(c.B, c.SpecB)
	if err != nil {
		return err
	}
	if err := comparable(a, b); err != nil {
		return err
	}
	out := &printedVersus{printed: printed{schemaVersion, "versus"}, Models: []versusModel{newVersusModel(a), newVersusModel(b)}}
	out.AIC, out.BIC = out.Models[1].AIC-out.Models[0].AIC, out.Models[1].BIC-out.Models[0].BIC
	out.Relation = related(a, b)
	if err := out.ratio(a, b); err != nil {
		return err
	}
	if out.Relation == relationUnknown || out.Relation == relationApart {
		if out.Vuong, err = c.vuong(s, a, b); err != nil {
			if out.Note = err.Error(); s.Err() != nil || c.Data != "" {
				return err
			}
		}
	}
	if c.JSON {
		return printJSON(s, out)
	}
	return out.print(s.out)
}

// comparable reports fits that cannot be compared: their likelihoods have to be of the same observations.
func comparable(a, b *fittedFile) error {
	for _, f := range []*fittedFile{a, b} {
		if err := f.likelihood("compare"); err != nil {
			return err
		}
		switch {
		case f.fit.Penalised:
			return fmt.Errorf("%s: a penalised fit does not maximise the likelihood: likelihoods cannot be compared", f.path)
		case !f.fit.Converged:
			return fmt.Errorf("%s: the fit has no maximum to compare: %s", f.path, f.fit.Message)
		}
	}
	if record.Variable(a.p).Type.Type().Entry.Integer != record.Variable(b.p).Type.Type().Entry.Integer {
		return fmt.Errorf("%s and %s: the likelihood of one is a product of probabilities, that of the other of densities: they cannot be compared", a.path, b.path)
	}
	if a.origin.Data.Outcome == "" || b.origin.Data.Outcome == "" {
		return fmt.Errorf("%s and %s: of data that processes have read a part of each it is not known whether they are the same", a.path, b.path)
	}
	if a.origin.Data.Outcome != b.origin.Data.Outcome {
		return fmt.Errorf("%s and %s are fits of different observations, of %s (n = %s) and of %s (n = %s)\n"+
			"hint: likelihoods are compared of the same numbers in the same order", a.path, b.path,
			a.origin.Data.File, digits(a.fit.N), b.origin.Data.File, digits(b.fit.N))
	}
	return nil
}

// related finds out what can be known of two models from their specs and columns.
func related(a, b *fittedFile) relation {
	small, large := a, b
	if small.fit.Free > large.fit.Free {
		small, large = large, small
	}
	one, two := predictors(small), predictors(large)
	switch {
	case a.origin.Checksum == b.origin.Checksum && a.fit.Free == b.fit.Free && a.origin.Data.Digest == b.origin.Data.Digest:
		return relationSame
	case a.origin.Checksum == b.origin.Checksum && a.p.Components != nil && a.fit.Free != b.fit.Free:
		return relationBoundary
	case one != nil && two != nil && a.origin.Distribution == b.origin.Distribution && within(one, two):
		return relationNested
	}
	return relationUnknown
}

// predictors are the columns of the parts that a formula's distribution is given, each written out; nil of other fits.
func predictors(f *fittedFile) map[string][]string {
	if f.origin.Formula == "" {
		return nil
	}
	recipe, out := f.origin.Data.Recipe, map[string][]string{}
	parts := record.Of(f.p)
	at := outcomeWidth(f.p, len(recipe.Columns))
	for _, q := range parts[1:] {
		n := max(q.Length, 1)
		if at+n > len(recipe.Columns) {
			return nil
		}
		for _, c := range recipe.Columns[at : at+n] {
			out[q.Name] = append(out[q.Name], written(recipe, c))
		}
		at += n
	}
	return out
}

// written says what a column is: its factors, with the reference of each category.
func written(recipe table.Recipe, c table.Made) string {
	var all []string
	for _, f := range c.Of {
		text, _ := json.Marshal([]any{f, first(recipe.Levels[f.Column])})
		all = append(all, string(text))
	}
	slices.Sort(all)
	return fmt.Sprint(all)
}

func first(levels []string) string {
	if len(levels) == 0 {
		return ""
	}
	return levels[0]
}

// within reports whether the columns of every part are among those of the same part of another model. A parameter without a predictor is one
// with an intercept alone.
func within(small, large map[string][]string) bool {
	intercept := []string{"[]"}
	for name, columns := range large {
		if own, ok := small[name]; ok {
			if !subset(own, columns) {
				return false
			}
		} else if !subset(intercept, columns) {
			return false
		}
	}
	for name, columns := range small {
		if _, ok := large[name]; !ok && !(len(columns) == 1 && subset(columns, intercept)) {
			return false
		}
	}
	return true
}

func subset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(x string) bool { return !slices.Contains(b, x) })
}

// printedVersus is a comparison of two fits.
type printedVersus struct {
	printed
	Models []versusModel `json:"models"`
	// AIC and BIC are those of the second model less those of the first.
	AIC Number `json:"aic_difference"`
	BIC Number `json:"bic_difference"`
	// Relation is "nested", "boundary", "same", "apart" or "unknown": what is known of whether the smaller model is a special case of the larger one.
	Relation relation                  `json:"relation"`
	Ratio    *estimate.LikelihoodRatio `json:"likelihood_ratio"`
	// Vuong is positive where the first model is nearer; null where the models are nested, or the rows are not there.
	Vuong *estimate.Vuong `json:"vuong"`
	Note  string          `json:"note,omitempty"`
}

// Number is that of reports.
type Number = estimate.Number

// versusModel is one of two models.
type versusModel struct {
	File          string `json:"file"`
	Target        string `json:"target"`
	Formula       string `json:"formula,omitempty"`
	Free          int    `json:"free_parameters"`
	LogLikelihood Number `json:"log_likelihood"`
	AIC           Number `json:"aic"`
	BIC           Number `json:"bic"`
}

func newVersusModel(f *fittedFile) versusModel {
	k, l := Number(f.fit.Free), f.fit.LogLikelihood
	m := versusModel{File: f.path, Target: f.fit.Target, Formula: f.origin.Formula, Free: f.fit.Free, LogLikelihood: l, AIC: 2*k - 2*l,
		BIC: k*Number(math.Log(f.fit.N)) - 2*l}
	if m.Formula != "" {
		m.Target = f.origin.Distribution
	}
	return m
}

// ratio adds the likelihood ratio of the smaller model to the larger one.
func (v *printedVersus) ratio(a, b *fittedFile) (err error) {
	if a.fit.Free == b.fit.Free {
		return nil
	}
	if a.fit.Free > b.fit.Free {
		a, b = b, a
	}
	if v.Ratio, err = estimate.CompareLikelihoods(a.fit, b.fit); err != nil {
		return err
	}
	switch lower := float64(v.Ratio.Statistic) < -lowerRatio; {
	case lower && v.Relation != relationUnknown:
		return fmt.Errorf("%s: the fit has a lower likelihood than that of %s, which is a special case of it: it is not the maximum\n"+
			"hint: fit again with more --starts", b.path, a.path)
	case lower:
		v.Relation, v.Ratio = relationApart, nil
	case v.Relation == relationBoundary:
		v.Ratio.P = missing
	}
	return nil
}

// lowerRatio is how much lower than 0 a likelihood ratio is that is no rounding.
const lowerRatio = 1e-6

// vuong reads the rows of both fits and compares their log-densities.
func (c *compareCmd) vuong(s *session, a, b *fittedFile) (*estimate.Vuong, error) {
	var logs [2][]float64
	var weights []float64
	for i, f := range []*fittedFile{a, b} {
		path := c.Data
		if path == "" {
			if path = a.origin.Data.File; path == "-" {
				return nil, errors.New("the test of Vuong needs the data, which came from the standard input: name their file")
			}
		}
		flags := c.dataFlags
		if flags.Weights == "" {
			flags.Weights = f.origin.Data.Weights
		}
		data, err := f.read(s, &flags, path, c.Rows, false)
		if err != nil {
			return nil, fmt.Errorf("the test of Vuong needs the data: %w", err)
		}
		if all, _, err := s.digests(f.p, data); err != nil || all != f.origin.Data.Digest {
			return nil, fmt.Errorf("the test of Vuong needs the data of the fits, and the rows of %s are not those of %s\nhint: "+
				"name their file, with --where, --rows and --na as for the fit", path, f.path)
		}
		scores, err := f.score(s, data)
		if err != nil {
			return nil, err
		}
		logs[i], weights = scores.Log, data.Weights
	}
	return estimate.CompareDensities(logs[0], logs[1], weights, a.fit.Free, b.fit.Free)
}

// print writes the comparison for a reader.
func (v *printedVersus) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(t, "fit\tmodel\tparameters\tlog-likelihood\tAIC\tBIC")
	for _, m := range v.Models {
		name := m.Target
		if m.Formula != "" {
			name += ", " + m.Formula
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\n", m.File, name, m.Free, digits(float64(m.LogLikelihood)), digits(float64(m.AIC)), digits(float64(m.BIC)))
	}
	fmt.Fprintf(t, "difference\t\t%d\t%s\t%s\t%s\n", v.Models[1].Free-v.Models[0].Free,
		digits(float64(v.Models[1].LogLikelihood-v.Models[0].LogLikelihood)), digits(float64(v.AIC)), digits(float64(v.BIC)))
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if v.Relation == relationSame {
		fmt.Fprintln(w, "both are fits of one model to the same data")
		return nil
	}
	if r := v.Ratio; r != nil {
		p := ""
		if !math.IsNaN(float64(r.P)) {
			p = fmt.Sprintf(", p = %.4g", float64(r.P))
		}
		fmt.Fprintf(w, "likelihood ratio   %s on %s of freedom%s\n  %s\n", digits(float64(r.Statistic)), plural(r.Freedom, "degree"), p,
			relationWords[v.Relation])
	} else if v.Relation == relationApart {
		fmt.Fprintf(w, "no likelihood ratio: %s\n", relationWords[v.Relation])
	}
	if u := v.Vuong; u != nil {
		fmt.Fprintf(w, "Vuong's test       z = %.4g, p = %.4g; with the correction of AIC z = %.4g, p = %.4g, of BIC z = %.4g, p = %.4g\n",
			float64(u.Z), float64(u.P), float64(u.AIC), float64(u.PAIC), float64(u.BIC), float64(u.PBIC))
		fmt.Fprintf(w, "  a positive z speaks for %s; of models neither of which contains the other\n", v.Models[0].File)
	}
	if v.Note != "" {
		fmt.Fprintf(w, "note: %s\n", v.Note)
	}
	return nil
}
