package main

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/explain"
	"github.com/sngdgen/sngdgen/spec"
)

// formula is the log-density of an entry as a block of mathematics.
func (e *entry) formula(root string) (string, error) {
	p, err := e.problem(root)
	if err != nil {
		return "", err
	}
	doc, err := gen.Describe(context.Background(), p)
	if err != nil {
		return "", err
	}
	equations := logDensity(doc)
	if len(equations) == 0 {
		return "", fmt.Errorf("%s has no formula", e.Spec)
	}
	var lines []string
	for _, q := range equations {
		for i, right := range q.Right {
			left := q.Left + " &= "
			if i > 0 {
				left = `&\quad `
			}
			lines = append(lines, left+right)
		}
	}
	block := "\n```math\n\\begin{aligned}\n" + strings.Join(lines, " \\\\\n") + "\n\\end{aligned}\n```\n"
	if strings.Contains(block, "mathrm{origin}") {
		block += "\nObservations are measured from `origin`, the mean of the data, so that sums of squares lose no digits. It cancels out.\n"
	}
	return block, nil
}

// problem is that of the formula.
func (e *entry) problem(root string) (*spec.Problem, error) {
	if path.Ext(e.Spec) != ".yaml" {
		if p := spec.Library().Problem(e.Spec); p != nil {
			return p, nil
		}
		return nil, fmt.Errorf("no problem %q in the library", e.Spec)
	}
	f, diags := spec.LoadFile(filepath.Join(root, folder, e.Spec))
	if diags.HasErrors() {
		return nil, diags.Err()
	}
	for _, p := range f.Problems {
		if e.Problem == "" || p.Package == e.Problem {
			return p, nil
		}
	}
	return nil, fmt.Errorf("no problem %q in %s", e.Problem, e.Spec)
}

// logDensity finds the equations that the derivation announces as those of the model.
func logDensity(doc *explain.Document) []explain.Equation {
	announced := false
	for _, b := range doc.Sections[0].Blocks {
		for _, piece := range b.Text {
			announced = announced || strings.Contains(strings.ToLower(piece.Words), "log-density")
		}
		if announced && len(b.Equations) > 0 {
			return b.Equations
		}
	}
	return nil
}
