package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sngdgen/sngdgen/tests/rivals"
)

// answer is what is known of a posterior. Numbers of latent variables are in the order of the spec, entry by entry; times are
// of the processor, in seconds, and without those of compilation.
type answer struct {
	Model    string      `json:"model"`
	Data     string      `json:"data"` // the first 16 hexadecimal digits of the SHA-256 of the file
	D        int         `json:"d"`
	Sites    []site      `json:"sites"`
	Points   [][]float64 `json:"points"`    // of the latent space
	LogJoint []float64   `json:"log_joint"` // there
	Exact    *moments    `json:"exact"`     // nil where nothing is known exactly
	NUTS     *nuts       `json:"nuts"`      // nil where a sampler is no use: the funnel
	SVI      []setting   `json:"svi"`
}

// Key names the model.
func (a *answer) Key() string { return a.Model }

// site is a part of the latent variables: a number, or a vector of a length.
type site struct {
	Name  string
	Shape []int
}

// UnmarshalJSON reads a pair ["beta", [8]].
func (s *site) UnmarshalJSON(text []byte) error { return unmarshalPair(text, &s.Name, &s.Shape) }

// entries are the names of the latent variables.
func (a *answer) entries() []string {
	var names []string
	for _, s := range a.Sites {
		if len(s.Shape) == 0 {
			names = append(names, s.Name)
			continue
		}
		for i := range s.Shape[0] {
			names = append(names, fmt.Sprintf("%s[%d]", s.Name, i+1))
		}
	}
	return names
}

// moments are those of a posterior.
type moments struct {
	Mean         []float64   `json:"mean"`
	SD           []float64   `json:"sd"`
	Correlations [][]float64 `json:"correlations"` // the lower triangle without its diagonal, row by row from the second one
	LogEvidence  *float64    `json:"log_evidence"` // nil where it is not known
}

// nuts are moments by draws. Errors are those of all latent variables at most, in standard deviations.
type nuts struct {
	moments
	Chains       int     `json:"chains"`
	Draws        int     `json:"draws"` // of each chain
	Divergent    int     `json:"divergent"`
	RHat         float64 `json:"rhat"`     // the largest one, of ranks
	ESSBulk      float64 `json:"ess_bulk"` // the smallest one
	ESSTail      float64 `json:"ess_tail"`
	ErrorOfMeans float64 `json:"error_of_means"`
	ErrorOfSDs   float64 `json:"error_of_sds"`
	Seconds      float64 `json:"seconds"`
}

// setting is a way of NumPyro's SVI, with its runs. A run is measured on its way, or is a run for each length that its schedule
// has.
type setting struct {
	Optimizer      string  `json:"optimizer"`
	CompileSeconds float64 `json:"compile_seconds"`
	Runs           []struct {
		Seed   int     `json:"seed"`
		Course []bound `json:"course"`
	} `json:"runs"`
}

// bound is an estimate by fresh draws, after so many steps that took so long.
type bound struct {
	Steps   int     `json:"steps"`
	Seconds float64 `json:"seconds"`
	Bound   float64 `json:"bound"`
	Error   float64 `json:"error"`
}

// truth is what fits are compared with.
func (a *answer) truth() *moments {
	if a.Exact != nil {
		return a.Exact
	}
	return &a.NUTS.moments
}

// answersIn reads the answers, and holds their data against the files.
func answersIn(folder string) (*rivals.Answers[*answer], error) {
	known, err := rivals.Load[*answer](filepath.Join(folder, "oracle.json"))
	if err != nil {
		return nil, err
	}
	for _, a := range known.Answers {
		text, err := os.ReadFile(dataFile(folder, a.Model))
		if err != nil {
			return nil, err
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(text))[:len(a.Data)]; got != a.Data {
			return nil, fmt.Errorf("%s: the answer is to data of hash %s, the file has %s: ask anew, with -oracle", a.Model, a.Data, got)
		}
	}
	return known, nil
}

func dataFile(folder, model string) string { return filepath.Join(folder, "testdata", model+".csv") }
func specFile(folder, model string) string { return filepath.Join(folder, "specs", model+".yaml") }

// unmarshalPair reads an array of two values.
func unmarshalPair(text []byte, first, second any) error {
	return json.Unmarshal(text, &[]any{first, second})
}
