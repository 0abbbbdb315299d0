package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/sngdgen/sngdgen/tests/rivals"
)

//go:embed oracle.py
var oraclePython []byte

// answers are what the others say.
type answers = rivals.Answers[*answer]

// answer is what linear programming says of a case, and glm.
type answer struct {
	Name      string   `json:"name"`
	SHA256    string   `json:"sha256"`
	Kind      string   `json:"kind"`
	Separated []int    `json:"separated"` // conditions of rows that a direction fulfils strictly which does so with as many as can be
	Margin    float64  `json:"margin"`    // how far they can be off the plane, all of them, for coefficients up to 1 on orthonormal columns, relative to the largest
	Proved    bool     `json:"proved"`    // whether a direction, and weights with which the other rows balance, so that no more can be separated, were found in rational numbers
	Support   []int    `json:"support"`   // coefficients that sngdgen said to go to infinity
	Enough    bool     `json:"enough"`    // whether these alone can separate as many
	Warnings  []string `json:"warnings"`  // of glm or survreg, where these have the family
	// What survreg says of censored regressions: nothing where it fails.
	Likelihood   *float64  `json:"likelihood,omitempty"` // its logarithm
	Coefficients []float64 `json:"coefficients,omitempty"`
}

// Key names the case.
func (a *answer) Key() string { return a.Name }

// ask puts cases to the others, and writes the file of answers.
func (o *options) ask(ctx context.Context, known *answers, chosen, all []*example) error {
	cases, programming, fitted := o.bench.Path("separation-cases.json"), o.bench.Path("separation-answers.json"), o.bench.Path("separation-fitted.json")
	if err := put(cases, chosen); err != nil {
		return err
	}
	if err := o.bench.Py(ctx, "separation-oracle.py", oraclePython, cases, programming); err != nil {
		return fmt.Errorf("oracle.py: %w", err)
	}
	if err := put(cases, slices.DeleteFunc(slices.Clone(chosen), func(e *example) bool { return !e.family().asked() })); err != nil {
		return err
	}
	if err := o.bench.R(ctx, "separation-sets.R", setsR, "ask", cases, fitted); err != nil {
		return fmt.Errorf("sets.R: %w", err)
	}
	news, err := rivals.Load[*answer](programming)
	if err != nil {
		return err
	}
	others, err := rivals.Load[*answer](fitted)
	if err != nil {
		return err
	}
	for _, a := range news.Answers {
		if i := slices.IndexFunc(others.Answers, func(b *answer) bool { return b.Name == a.Name }); i >= 0 {
			b := others.Answers[i]
			a.Warnings, a.Likelihood, a.Coefficients = b.Warnings, b.Likelihood, b.Coefficients
		}
	}
	maps.Copy(news.Versions, others.Versions)
	known.Update(news)
	var names []string
	for _, e := range all {
		names = append(names, e.Name)
	}
	known.Answers = slices.DeleteFunc(known.Answers, func(a *answer) bool { return !slices.Contains(names, a.Name) })
	known.Order(names)
	return known.Save(o.file)
}

// put writes the cases that others read.
func put(file string, cases []*example) error {
	text, err := json.Marshal(cases)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// answerTo returns the answer to a case, nil if there is none for these data.
func answerTo(e *example, known *answers) *answer {
	i := slices.IndexFunc(known.Answers, func(a *answer) bool { return a.Name == e.Name && a.SHA256 == e.SHA256 })
	if i < 0 {
		return nil
	}
	return known.Answers[i]
}
