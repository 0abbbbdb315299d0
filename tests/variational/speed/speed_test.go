package main

import (
	"io"
	"strings"
	"testing"
)

// TestSpeed: a posterior that is one of the approximations is reached by all methods, and by the exact bound at once.
func TestSpeed(t *testing.T) {
	var out strings.Builder
	args := []string{"-testdata=../../rivals/posteriors/testdata", "-only=linearregression", "-seeds=1", "-steps=1000"}
	if err := command(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| linearregression | 12 | 100 | stochastic | ", " steps | ", "| linearregression | 12 | 100 | without draws | ", "0.0000 ± ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "{") {
		t.Errorf("a table is missing:\n%s", out.String())
	}
}
