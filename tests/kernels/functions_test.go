package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime/vector"
)

// TestTable: the errors in the committed table are those of the functions.
func TestTable(t *testing.T) {
	text, err := os.ReadFile("kernels.md")
	if err != nil {
		t.Fatal(err)
	}
	tables := os.DirFS("../../runtime")
	check := func(name string, got map[vector.Level]string, err error) {
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range levels()[1:] { // without kernels they are those of math, which differ between processors
			if line := fmt.Sprintf("| %s | %v | %s |", name, l, got[l]); !strings.Contains(string(text), line) {
				t.Errorf("no line %q", line)
			}
		}
	}
	for _, f := range functions {
		got, err := f.accuracies(tables)
		check(f.name, got, err)
	}
	for _, f := range preparedFunctions {
		got, err := f.accuracies(tables)
		check(f.name, got, err)
	}
}
