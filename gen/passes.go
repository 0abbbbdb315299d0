package gen

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/pass"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/spec"
)

// CheckWithout returns an error where something is to be left out that is no pass, or is needed.
func CheckWithout(names []string) error { return plan.CheckWithout(names) }

// counted are the lengths for which the flops of passes are counted.
var counted = program.Sizes{Dim: 10, Rows: 1000, Components: 3}

// Passes writes the steps in which programs are planned, the choices in them and the passes over programs, in their order, with what
// each does to the functions of the package of a problem: those that can be left out in comparison with programs without them, other
// passes in comparison with the program before. Those in without are left out of all programs. The error is a *diag.ListError when the
// problem is faulty, or when the context has ended.
func Passes(ctx context.Context, out io.Writer, p *spec.Problem, without []string) error {
	var failed error
	diags := bounded(ctx, p, DefaultBudget, func(w *work) diag.List {
		d, diags := w.derive(Options{})
		if d != nil {
			failed = writePasses(out, d, without)
		}
		return diags
	})
	if diags.HasErrors() {
		return diags.Err()
	}
	return failed
}

func writePasses(out io.Writer, d *derive.Result, without []string) error {
	var before, after = map[string]program.Counted{}, map[string]program.Counted{}
	whole, err := total(d, pass.Options{Without: without, Before: adds(before), After: adds(after)})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Steps of planning, choices in them, and passes over programs, in their order. Those with a * can be left out\n"+
		"(--without). What they do to the functions of the package, as counts of statements, arrays, and flops where\n"+
		"dimensions are %d, with %d rows and %d components:\n", counted.Dim, counted.Rows, counted.Components)
	for _, r := range plan.Rows() {
		name, change := r.Name, ""
		switch {
		case slices.Contains(without, r.Name):
			name, change = name+"*", "left out"
		case r.Optional:
			name += "*"
			one, err := total(d, pass.Options{Without: append(slices.Clone(without), r.Name)})
			if err != nil {
				return err
			}
			change = changed(one, whole)
		case after[r.Name].Statements > 0:
			change = changed(before[r.Name], after[r.Name])
		}
		fmt.Fprintf(out, "\n%s: %s\n", name, r.Doc)
		if change != "" {
			fmt.Fprintf(out, "\t%s\n", change)
		}
	}
	return nil
}

// adds adds counts up, by passes.
func adds(to map[string]program.Counted) func(string, *program.Program) {
	return func(name string, p *program.Program) { to[name] = plus(to[name], p.Count(counted)) }
}

func plus(a, b program.Counted) program.Counted {
	return program.Counted{Statements: a.Statements + b.Statements, Arrays: a.Arrays + b.Arrays, Flops: a.Flops + b.Flops}
}

// total counts all functions of a package.
func total(d *derive.Result, o pass.Options) (c program.Counted, err error) {
	functions, err := methods.Of(d, methods.Options{Passes: o})
	if err != nil {
		return c, err
	}
	for _, p := range functions.Programs {
		c = plus(c, p.Count(counted))
	}
	return c, nil
}

// changed says what has become of counts.
func changed(before, after program.Counted) string {
	if before == after {
		return "changes nothing here"
	}
	return fmt.Sprintf("statements %d -> %d, arrays %d -> %d, flops %.4g -> %.4g", before.Statements, after.Statements,
		before.Arrays, after.Arrays, before.Flops, after.Flops)
}
