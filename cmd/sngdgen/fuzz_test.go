package main

import (
	"io"
	"math"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/internal/record"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

// FuzzCommandLine reads any command line, words with line breaks between them, without a panic and without running it; the
// numbers of what it accepts are within their ranges.
func FuzzCommandLine(f *testing.F) {
	for _, text := range []string{"fit negbin x.csv", "fit --starts=0 a b", "fit --tolerance=Inf a b", "sample --set=d=1e9 --set mu=[[1]] normal",
		"bench --time=1h --rows=5 x", "--help", "fit --help", "-o", "generate -o", "fit --components=1..8,3 a b", "fit --rows=1:,2 --where=a=b a b",
		"list --", "fit --data=X=x,y=y a", "fit --level=1e-300 --rate=1e308 a b", "version x", "\x00", "fit --seed=-1 a b"} {
		f.Add(strings.ReplaceAll(text, " ", "\n"))
	}
	f.Fuzz(func(t *testing.T, line string) {
		parsed, err := parse(new(commands), strings.Split(line, "\n"), io.Discard, io.Discard)
		if parsed == nil {
			if err != nil && err.Error() == "" {
				t.Error("an error without a message")
			}
			return
		}
		for _, flag := range parsed.Flags() {
			if x, isNumber := numberOf(flag.Target); isNumber && (math.IsNaN(x) || math.IsInf(x, 0)) {
				t.Errorf("--%s is %v", flag.Name, x)
			}
		}
	})
}

// FuzzValues reads any text wherever the command takes one from a flag or a file of parameters.
func FuzzValues(f *testing.F) {
	for _, text := range []string{"1", "[1,2]", "[[1,2],[3]]", "[[[1]]]", "[[[[1]]]]", "{\"mu\": 1}", "{\"parameters\": {\"parameters\": {}}}",
		"1..8", "1..99999999999999999999", "X=x.csv,y=y.csv", "=,=", "[", "null", "{\"a\": {\"b\": 1}}", "[[],[]]", "1:2,3:", "a<=3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if v, err := estimate.ParseValue("x", []byte(text)); err == nil {
			checkValue(t, v)
		}
		values, err := parameterFile([]byte(text))
		for _, v := range values {
			if err == nil {
				checkValue(t, v)
			}
		}
		if counts, err := parseCounts(text); err == nil && (len(counts) > spec.MaxComponents || len(counts) > 0 && counts[len(counts)-1] > spec.MaxComponents) {
			t.Errorf("%q: %d counts", text, len(counts))
		}
		record.Pairs(text)
		isSpecFile(text)
		_, _ = (&dataFlags{Where: []string{text}, NA: "skip"}).options(true, text)
	})
}

// checkValue holds an array to its shape.
func checkValue(t *testing.T, v estimate.Value) {
	entries := 1
	for _, n := range v.Shape {
		entries *= n
	}
	if v.Shape != nil && (entries != len(v.Entries) || len(v.Shape) > 3) {
		t.Errorf("%d entries of shape %v", len(v.Entries), v.Shape)
	}
}
