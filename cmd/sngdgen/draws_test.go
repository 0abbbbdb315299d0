package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime/estimate"
)

var update = flag.Bool("update", false, "write golden files")

// threeDraws are of a number, a vector and a matrix.
func threeDraws() *estimate.Approximation {
	return &estimate.Approximation{
		Problem: "small", Target: "multivariate_normal", Surrogate: "multivariate_normal", Method: "saa", Seed: 7,
		Sample: &estimate.PosteriorDraws{
			Draws: estimate.Draws{
				Columns: []string{"mu", "beta[1]", "beta[2]", "S[1;1]", "S[1;2]", "S[2;1]", "S[2;2]"},
				Values: []float64{
					0.5, 1, -2, 11, 12, 21, 22,
					-0.1, 1.0 / 3, 1e-300, 11.5, 12.5, 21.5, 22.5,
					2, 3, 1e20, -11, -12, -21, -22,
				},
			},
			Parts:    []estimate.Part{{Name: "mu"}, {Name: "beta", Shape: []int{2}}, {Name: "S", Shape: []int{2, 2}}},
			LogJoint: []float64{-3.5, -4, -5.25}, LogDensity: []float64{-1, -2.5, 0.75},
		},
	}
}

// TestDrawFiles: the files are those that tests/rivals/posteriors/check_arviz.py has read with ArviZ.
func TestDrawFiles(t *testing.T) {
	for name, write := range map[string]func(io.Writer, *estimate.Approximation) error{
		"draws.csv": writeCmdStan, "draws.json": writeInferenceData,
	} {
		var got bytes.Buffer
		if err := write(&got, threeDraws()); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", "draws", name)
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, &got, want)
		}
	}
}

// TestDrawFilesNotFinite: a log-density may be infinite, for which CSV has a word and JSON none.
func TestDrawFilesNotFinite(t *testing.T) {
	a := threeDraws()
	a.Sample.LogJoint[1] = math.Inf(-1)
	if err := writeInferenceData(io.Discard, a); err == nil || err.Error() != "lp of draw 2 is -Inf, for which JSON has no number: write CSV" {
		t.Error(err)
	}
	var csv bytes.Buffer
	if err := writeCmdStan(&csv, a); err != nil || !strings.Contains(csv.String(), "\n-Inf,-2.5,-Inf,-0.1,") {
		t.Error(err, csv.String())
	}
}

// FuzzFormer: no text makes the reading of a former result fail but by an error, and what it reads is finite or seen to be not.
func FuzzFormer(f *testing.F) {
	for _, seed := range []string{
		`{"problem": "p", "target": "q", "surrogate": "q", "coordinates": [1, null, -2e3], "parameters": {"mu": 1, "S": [[1,2],[3,4]]}}`,
		`{"problem": "p", "parameters": {}}`, `[]`, `{"problem": 3}`, `{"problem": "p", "coordinates": [[1]]}`,
		`{"problem": "p", "coordinates": [], "parameters": {"mu": "x"}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parseFormer([]byte(text))
		if (p == nil) == (err == nil) {
			t.Fatal(p, err)
		}
		if p != nil && !json.Valid([]byte(text)) {
			t.Fatal("read what is no JSON")
		}
	})
}
