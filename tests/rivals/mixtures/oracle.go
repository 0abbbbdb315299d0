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

//go:embed mclust.R
var mclustR []byte

//go:embed search.py
var searchPython []byte

// answers are what the others say.
type answers = rivals.Answers[*answer]

// answer is what they say of one test. Times are of the processor, in seconds.
type answer struct {
	Name           string    `json:"name"`
	K              int       `json:"k"`
	N              int       `json:"n"`
	D              int       `json:"d"`
	SHA256         string    `json:"sha256"`
	Sklearn        call      `json:"sklearn"` // the default call
	Mclust         call      `json:"mclust"`  // the default call with covariances of any form
	Restarts       int       `json:"restarts"`
	Collapsed      int       `json:"collapsed"` // of them
	RestartSeconds float64   `json:"restart_seconds"`
	Solutions      []optimum `json:"solutions"` // best first
}

type call struct {
	LogLikelihood *float64 `json:"log_likelihood"` // nil if it failed
	Seconds       float64  `json:"seconds"`
}

// optimum is an end of EM. Eigenvalue is the smallest of the covariances of the components, in units of that of all rows;
// Resolution the smallest in units of the variances that rounding to the decimals of the file adds, 0 where it is not known;
// Rows the smallest sum of responsibilities of a component, and Narrow that of those with an eigenvalue below
// smallestEigenvalue, 0 if there are none.
type optimum struct {
	LogLikelihood float64  `json:"log_likelihood"`
	Eigenvalue    float64  `json:"eigenvalue"`
	Resolution    float64  `json:"resolution,omitempty"`
	Rows          float64  `json:"rows"`
	Narrow        float64  `json:"narrow,omitempty"`
	By            []string `json:"by"`
	Hits          int      `json:"hits"` // how many of the best ends that were told apart led there
}

// Below these a component has collapsed, so that the optimum is none to compare with; with fewer rows than a covariance
// needs, an extent of a thousandth of that of the data, or a variance of which rounding is half. One with more than enough
// rows, all others being far away, may be narrower if the data resolve it.
const (
	smallestEigenvalue = 1e-6
	resolved           = 2
)

func (o *optimum) sound(d int) bool {
	switch {
	case o.Rows < float64(d+1)*(1-1e-9) || o.unresolved():
		return false
	case o.Eigenvalue >= smallestEigenvalue:
		return true
	}
	return o.Narrow >= enough(d) && o.Resolution > resolved
}

func (o *optimum) unresolved() bool { return o.Resolution > 0 && o.Resolution <= resolved }

// enough is how many rows are more than enough for a component.
func enough(d int) float64 { return float64(3 * (d + 1)) }

// wellSupported is the stricter word for an optimum of which nobody would say that it fits noise.
func (o *optimum) wellSupported(d int) bool {
	return o.Eigenvalue >= 1e-3 && o.Rows >= enough(d) && !o.unresolved()
}

// best is the highest sound optimum, nil if none is.
func (a *answer) best() *optimum {
	for i := range a.Solutions {
		if a.Solutions[i].sound(a.D) {
			return &a.Solutions[i]
		}
	}
	return nil
}

// bestWellSupported is the highest well-supported optimum, nil if none is.
func (a *answer) bestWellSupported() *optimum {
	for i := range a.Solutions {
		if a.Solutions[i].wellSupported(a.D) {
			return &a.Solutions[i]
		}
	}
	return nil
}

// Key names the test.
func (a *answer) Key() string { return fmt.Sprintf("%s/%d", a.Name, a.K) }

// answerTo returns the answer to a test, nil if there is none for these data.
func answerTo(t *test, a *answers) *answer {
	i := slices.IndexFunc(a.Answers, func(b *answer) bool { return b.Key() == t.key() && b.SHA256 == t.data.SHA256 })
	if i < 0 {
		return nil
	}
	return a.Answers[i]
}

// question is a test as the scripts read it.
type question struct {
	Name    string   `json:"name"`
	File    string   `json:"file"`
	SHA256  string   `json:"sha256"`
	Columns []string `json:"columns"`
	K       int      `json:"k"`
	Random  int      `json:"random"` // partitions for mclust, besides hierarchical ones
	Starts  int      `json:"starts"` // of scikit-learn
	Keep    int      `json:"keep"`   // optima
	Limit   int      `json:"limit"`  // steps of extrapolated EM
}

func ask(t *test) question {
	q := question{t.name, t.data.File, t.data.SHA256, t.data.Columns, t.k, 9, 50, 4, 500}
	switch {
	case t.rows() > 20_000:
		q.Random, q.Starts, q.Keep, q.Limit = 1, 5, 1, 40
	case t.rows() > 2_000:
		q.Random, q.Starts, q.Keep, q.Limit = 3, 9, 3, 300
	}
	return q
}

// askAll puts the tests to the others, those of one data set at once, and writes the file after each.
func askAll(ctx context.Context, o *options, a *answers, tests []*test) error {
	for len(tests) > 0 {
		n := 1
		for n < len(tests) && tests[n].name == tests[0].name {
			n++
		}
		if err := askSome(ctx, o, a, tests[:n]); err != nil {
			return err
		}
		tests = tests[n:]
	}
	return nil
}

func askSome(ctx context.Context, o *options, a *answers, tests []*test) error {
	questions := make([]question, len(tests))
	for i, t := range tests {
		questions[i] = ask(t)
	}
	text, err := json.Marshal(questions)
	if err != nil {
		return err
	}
	cases, theirs, out := o.bench.Path("cases.json"), o.bench.Path("mclust.json"), o.bench.Path("answers.json")
	if err := os.WriteFile(cases, text, 0o644); err != nil {
		return err
	}
	if err := o.bench.R(ctx, "mclust.R", mclustR, cases, theirs); err != nil {
		return fmt.Errorf("mclust.R: %w", err)
	}
	if err := o.bench.Py(ctx, "search.py", searchPython, cases, theirs, out); err != nil {
		return fmt.Errorf("search.py: %w", err)
	}
	news, err := rivals.Load[*answer](out)
	if err != nil {
		return err
	}
	a.Update(news)
	return a.Save(o.file)
}
