package reference_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/rewrite"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/reference"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// TestFresh: the reference in docs is what the code says today.
func TestFresh(t *testing.T) {
	got, err := os.ReadFile("../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, reference.Markdown()) {
		t.Error("docs/reference.md is stale: run go run ./internal/genlibrary")
	}
}

// TestComplete: whatever the tables of the language have is in the reference.
func TestComplete(t *testing.T) {
	text := string(reference.Markdown())
	for what, names := range map[string][]string{
		"function": expr.FunctionNames(), "type": syntax.Kinds(), "random number": noises(), "kind of vector": elements(),
		"function of generated code": calls(),
	} {
		for _, name := range names {
			if !mentions(text, name) {
				t.Errorf("the %s %s is missing", what, name)
			}
		}
	}
	for _, r := range rewrite.Rules(rewrite.Exact, rewrite.Algebraic, rewrite.Stabilising) {
		if !strings.Contains(text, "\n| "+r.Name+" |") {
			t.Errorf("the rule %s is missing", r.Name)
		}
	}
	lib := spec.Library()
	for _, names := range [][]string{lib.Families(), lib.Distributions(), lib.Approximations(), lib.Problems()} {
		for _, name := range names {
			if !strings.Contains(text, "\n| `"+name+"` |") {
				t.Errorf("%s of the library is missing", name)
			}
		}
	}
}

// TestLanguage: what people read of the language by hand has all types, and of those with coordinates of their own what these are.
func TestLanguage(t *testing.T) {
	text, err := os.ReadFile("../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	_, coordinates, ok := strings.Cut(string(text), "\n| type | coordinates |\n")
	if !ok {
		t.Fatal("docs/language.md has no table of coordinates")
	}
	coordinates, _, _ = strings.Cut(coordinates, "\n\n")
	for _, name := range syntax.Kinds() {
		if !mentions(string(text), name) {
			t.Errorf("docs/language.md does not have the type %s", name)
		}
	}
	for _, f := range types.Forms {
		if f.Chart != nil && !mentions(coordinates, f.Name) {
			t.Errorf("the table of coordinates in docs/language.md does not have the type %s", f.Name)
		}
	}
}

// TestFunctionsHaveRows: functions are in tables, but for those that the text between them explains.
func TestFunctionsHaveRows(t *testing.T) {
	text := string(reference.Markdown())
	explained := map[string]bool{"sqrt": true, "root": true, "sum": true, "mean": true, "var": true, "sd": true,
		"logsumexp": true, "softmax": true, "array": true, "integral": true, "series": true, "multivariate_lgamma": true, "multivariate_digamma": true}
	for _, name := range expr.FunctionNames() {
		switch {
		case explained[name] && !mentions(text, name):
			t.Errorf("%s is not mentioned", name)
		case !explained[name] && !strings.Contains(text, "\n| `"+name+"("):
			t.Errorf("%s has no row", name)
		}
	}
	if !strings.Contains(text, "\n| `ones(d)` |") || !strings.Contains(text, "\n| `solve(A, b)` |") {
		t.Error("operands of functions of linear algebra are not shown")
	}
}

// mentions reports whether the text has a name as code, alone or with what belongs to it.
func mentions(text, name string) bool {
	for _, end := range []string{"`", "(", " "} {
		if strings.Contains(text, "`"+name+end) {
			return true
		}
	}
	return false
}

func noises() (names []string) {
	for _, k := range spec.NoiseKinds() {
		names = append(names, k.Name)
	}
	return names
}

// elements are the words in front of vector that say what its entries are; those of random numbers are not types.
func elements() (names []string) {
	for _, e := range types.Entries[1:] {
		if e.Numbers { // of what has a length, in the data of an objective
			continue
		}
		names = append(names, e.Name+" vector")
	}
	return names
}

func calls() (names []string) {
	for _, j := range expr.Joints {
		names = append(names, j.Go)
	}
	for _, p := range expr.Preparations {
		names = append(names, p.Type)
	}
	return names
}
