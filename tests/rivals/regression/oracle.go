package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/sngdgen/sngdgen/tests/rivals"
)

//go:embed oracle.R
var oracleR []byte

//go:embed oracle.py
var oraclePython []byte

// answers are what the others say.
type answers = rivals.Answers[*answer]

// answer is what a rival says of a case, in the parameters of sngdgen, and the maximum of the likelihood by oracle.R.
type answer struct {
	Name   string `json:"name"`
	N      int    `json:"n"`
	SHA256 string `json:"sha256"`
	estimate
	Errors     string    `json:"errors"`     // by which information standard errors are: observed or expected
	Iterations int       `json:"iterations"` // -1 where they are not reported
	Seconds    float64   `json:"seconds"`    // of processor time
	Warnings   []string  `json:"warnings"`
	Maximum    *estimate `json:"maximum"` // nil where it was not found
}

// estimate is a point of a likelihood: parameters that are one number in all rows, and coefficients of those with predictors.
type estimate struct {
	LogLikelihood float64            `json:"log_likelihood"`
	Parameters    map[string]numbers `json:"parameters"`
	StdErrs       map[string]numbers `json:"standard_errors"`
}

// numbers are null where they are not known; one alone may be without brackets.
type numbers []*float64

// UnmarshalJSON reads a number or a list of them.
func (n *numbers) UnmarshalJSON(text []byte) error {
	var one float64
	if len(text) > 0 && text[0] != '[' && json.Unmarshal(text, &one) == nil {
		*n = numbers{&one}
		return nil
	}
	return json.Unmarshal(text, (*[]*float64)(n))
}

// Key names the case.
func (a *answer) Key() string { return a.Name }

// ask puts cases to the others, and writes the file of answers.
func (o *options) ask(ctx context.Context, known *answers, chosen, all []*example) error {
	text, err := json.Marshal(chosen)
	if err != nil {
		return err
	}
	cases, python, out := o.bench.Path("regression-cases.json"), o.bench.Path("regression-python.json"), o.bench.Path("regression-answers.json")
	if err := os.WriteFile(cases, text, 0o644); err != nil {
		return err
	}
	if err := o.bench.Py(ctx, "regression-oracle.py", oraclePython, "fit", cases, python); err != nil {
		return fmt.Errorf("oracle.py: %w", err)
	}
	if err := o.bench.R(ctx, "regression-oracle.R", oracleR, "fit", cases, python, out); err != nil {
		return fmt.Errorf("oracle.R: %w", err)
	}
	news, err := rivals.Load[*answer](out)
	if err != nil {
		return err
	}
	known.Update(news)
	var names []string
	for _, e := range all {
		names = append(names, e.Name)
	}
	known.Answers = slices.DeleteFunc(known.Answers, func(a *answer) bool { return !slices.Contains(names, a.Name) })
	known.Order(names)
	return known.Save(o.file)
}

// answerTo returns the answer to a case, nil if there is none for these data.
func answerTo(e *example, known *answers) *answer {
	i := slices.IndexFunc(known.Answers, func(a *answer) bool { return a.Name == e.Name && a.SHA256 == e.SHA256 })
	if i < 0 {
		return nil
	}
	return known.Answers[i]
}
