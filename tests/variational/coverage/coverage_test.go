package main

import (
	"io"
	"strings"
	"testing"
)

// TestCoverage: of a posterior that is one of the approximations bounds are known to all digits, and draws leave nothing open.
func TestCoverage(t *testing.T) {
	var out strings.Builder
	args := []string{"-testdata=../../rivals/posteriors/testdata", "-only=linearregression", "-times=3", "-draws=2000"}
	if err := command(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| linearregression | bound | 200 | ", "| linearregression | difference | 1000 | ", "| linearregression | k-hat, 0.00 | 10000 | ",
		"e-15 ± ", " | 0 |\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "{") {
		t.Errorf("a table is missing:\n%s", out.String())
	}
}
