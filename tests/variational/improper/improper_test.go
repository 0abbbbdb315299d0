package main

import (
	"io"
	"strings"
	"testing"
)

// TestImproper: where a plane separates the classes every method names the posterior improper without a prior, and none does with a weak one,
// or where they overlap.
func TestImproper(t *testing.T) {
	var out strings.Builder
	args := []string{"-only=spector", "-seeds=1", "-priors=0,100", "-methods=auto,exact,ep,sngd"}
	if err := command(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Contains(text, "**") || strings.Count(text, "| right |") != 24 || strings.Contains(text, "{") {
		t.Errorf("not right everywhere:\n%s", text)
	}
}

// TestScales: posteriors that are improper at an end of the range of a latent variable are named, with the variable and the end, by every method,
// and no proper one is, however heavy its tails.
func TestScales(t *testing.T) {
	for _, o := range []*options{
		{seeds: 1},
		{seeds: 2, only: "2 schools, log tau normal"}, // by the second seed an approximation collapses
	} {
		o.progress = io.Discard
		var out strings.Builder
		if err := o.scales(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		rows := 0
		for _, m := range models {
			if strings.HasPrefix(m.name, o.only) {
				rows += len(scaleMethods)
			}
		}
		if text := out.String(); strings.Contains(text, "**") || rows == 0 || strings.Count(text, "| right |") != rows {
			t.Errorf("not right everywhere:\n%s", text)
		}
	}
}
