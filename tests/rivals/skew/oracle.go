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

//go:embed sn.R
var snR []byte

//go:embed search.py
var searchPython []byte

// answers are what the others say.
type answers = rivals.Answers[*answer]

// answer is what they say of one subset.
type answer struct {
	Name   string `json:"name"`
	N      int    `json:"n"`
	D      int    `json:"d"`
	SHA256 string `json:"sha256"`
	Normal family `json:"normal"` // skew-normal
	T      family `json:"t"`      // skew-t
}

// Key names the subset.
func (a *answer) Key() string { return a.Name }

// family is what they say of one family. Log-likelihoods are sums over the rows.
type family struct {
	Sn        call     `json:"sn"`                 // the default call of sn
	SnBest    *float64 `json:"sn_best"`            // the highest log-likelihood that sn reports, from all starts; nil if all failed
	Finite    []end    `json:"finite"`             // maxima, best first
	Starts    int      `json:"starts"`             // of the search for them, those of sn's ends among them
	Elsewhere int      `json:"elsewhere"`          // starts that did not lead to a maximum
	Infinity  float64  `json:"infinity"`           // supremum as the slant grows
	Distance  *float64 `json:"distance,omitempty"` // of the mean from the nearest facet of the convex hull, in whitened data
	Exact     *bool    `json:"exact,omitempty"`    // whether all facets were looked at: otherwise the supremum may be higher
	Normal    *float64 `json:"normal,omitempty"`   // skew-t: the best as nu grows, a skew-normal, finite or not
}

type call struct {
	LogLikelihood  *float64 `json:"log_likelihood"` // nil if it failed
	Seconds        float64  `json:"seconds"`        // of the processor
	RestartSeconds float64  `json:"restart_seconds"`
}

// end is a maximum; Slant is the length of the slant in units of the scale matrix.
type end struct {
	LogLikelihood float64  `json:"log_likelihood"`
	Slant         float64  `json:"slant"`
	Nu            *float64 `json:"nu,omitempty"`
	Hits          int      `json:"hits"`
}

// limit is the highest value that is approached but not reached.
func (f *family) limit() float64 {
	if f.Normal != nil {
		return max(f.Infinity, *f.Normal)
	}
	return f.Infinity
}

// question is a subset as the scripts read it, with numbers of random starts.
type question struct {
	Name         string `json:"name"`
	File         string `json:"file"`
	SHA256       string `json:"sha256"`
	NormalStarts int    `json:"normal_starts"` // of sn
	TStarts      int    `json:"t_starts"`
	Random       int    `json:"random"` // of the search
	RandomT      int    `json:"random_t"`
}

// portion is how many subsets are asked for at once.
const portion = 8

// askAll puts the subsets to the others, and writes the file after each portion.
func askAll(ctx context.Context, o *options, a *answers, tests []*test) error {
	if o.asked {
		tests = slices.DeleteFunc(tests, func(t *test) bool { return answerTo(t, a) != nil })
	}
	// The quick ones first.
	slices.SortStableFunc(tests, func(a, b *test) int { return len(a.data.Columns) - len(b.data.Columns) })
	for some := range slices.Chunk(tests, portion) {
		if err := askSome(ctx, o, a, some); err != nil {
			return err
		}
	}
	return nil
}

func askSome(ctx context.Context, o *options, a *answers, tests []*test) error {
	questions := make([]question, len(tests))
	for i, t := range tests {
		questions[i] = question{t.name, t.data.File, t.data.SHA256, 5, 2, 12, 3}
	}
	text, err := json.Marshal(questions)
	if err != nil {
		return err
	}
	cases, sn, out := o.bench.Path("skew-cases.json"), o.bench.Path("sn.json"), o.bench.Path("skew-answers.json")
	if err := os.WriteFile(cases, text, 0o644); err != nil {
		return err
	}
	if err := o.bench.R(ctx, "sn.R", snR, cases, sn); err != nil {
		return fmt.Errorf("sn.R: %w", err)
	}
	if err := o.bench.Py(ctx, "skew-search.py", searchPython, cases, sn, out); err != nil {
		return fmt.Errorf("search.py: %w", err)
	}
	news, err := rivals.Load[*answer](out)
	if err != nil {
		return err
	}
	a.Update(news)
	return a.Save(o.file)
}

// answerTo returns the answer to a test, nil if there is none for these data.
func answerTo(t *test, a *answers) *answer {
	i := slices.IndexFunc(a.Answers, func(b *answer) bool { return b.Name == t.name && b.SHA256 == t.data.SHA256 })
	if i < 0 {
		return nil
	}
	return a.Answers[i]
}
