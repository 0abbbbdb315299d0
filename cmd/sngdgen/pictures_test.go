package main

import (
	"slices"
	"testing"
)

// TestEntryNames: names of entries as reports have them stand for numbers, and the way back; others stay.
func TestEntryNames(t *testing.T) {
	labels := map[string][]string{"mu": {"intercept", "log(u)", "sex=f"}}
	got := byNumber([]string{"mu[log(u)]", "mu[3]", "mu[age]", "nu", "r[intercept]"}, labels)
	if want := []string{"mu[2]", "mu[3]", "mu[age]", "nu", "r[intercept]"}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	for name, want := range map[string]string{"mu[2]": "mu[log(u)]", "mu[4]": "mu[4]", "mu[0]": "mu[0]", "nu": "nu", "r[1]": "r[1]"} {
		if got := labelled(name, labels); got != want {
			t.Errorf("%s is %s", name, got)
		}
	}
}
