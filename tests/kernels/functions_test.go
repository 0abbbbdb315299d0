package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestTable: the errors in the committed table are those of the functions.
func TestTable(t *testing.T) {
	text, err := os.ReadFile("kernels.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range functions {
		got, err := f.accuracies(os.DirFS("../../runtime/vector/testdata"))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range levels()[1:] { // without kernels they are those of math, which differ between processors
			if line := fmt.Sprintf("| %s | %v | %s |", f.name, l, got[l]); !strings.Contains(string(text), line) {
				t.Errorf("no line %q", line)
			}
		}
	}
}
