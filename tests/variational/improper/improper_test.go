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
	var out strings.Builder
	o := &options{seeds: 2, progress: io.Discard}
	if err := o.scales(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Contains(text, "**") || strings.Count(text, "| right |") != 3*len(models) {
		t.Errorf("not right everywhere:\n%s", text)
	}
}
