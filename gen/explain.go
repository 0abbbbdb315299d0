package gen

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/gen/explain"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/pass"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/spec"
)

// Explain writes how the code of a problem comes about: the model, the surrogate, their composition, what each rule did,
// the gradients, the domain and the cost of a step; as text, or as a LaTeX fragment. The error is a *diag.ListError when
// the problem is faulty, or when the context has ended.
func Explain(ctx context.Context, out io.Writer, p *spec.Problem, latex bool) error {
	var failed error
	diags := bounded(ctx, p, DefaultBudget, func(w *work) diag.List {
		d, diags := w.derive(Options{})
		if d != nil {
			failed = explain.Explain(out, d, latex)
		}
		return diags
	})
	if diags.HasErrors() {
		return diags.Err()
	}
	return failed
}

// Describe returns what Explain writes as data, for those who lay it out by themselves. The errors are those of Explain.
func Describe(ctx context.Context, p *spec.Problem) (doc *explain.Document, err error) {
	diags := bounded(ctx, p, DefaultBudget, func(w *work) diag.List {
		d, diags := w.derive(Options{})
		if d != nil {
			doc = explain.Describe(d)
		}
		return diags
	})
	return doc, diags.Err()
}

// AllFunctions asks Programs for every function of a package.
const AllFunctions = "all"

// Programs writes what the functions of the package of a problem do, statement by statement, before it is printed as Go: that of
// the function with the given name, or of all; without are passes that are left out. The error is a *diag.ListError when the problem is faulty, or when the context has
// ended; another one when there is no function of that name.
func Programs(ctx context.Context, out io.Writer, p *spec.Problem, function string, without []string) error {
	var failed error
	diags := bounded(ctx, p, DefaultBudget, func(w *work) diag.List {
		d, diags := w.derive(Options{})
		if d == nil {
			return diags
		}
		functions, err := methods.Of(d, methods.Options{Passes: pass.Options{Without: without}})
		if failed = err; err == nil {
			failed = writePrograms(out, functions, function)
		}
		return diags
	})
	if diags.HasErrors() {
		return diags.Err()
	}
	return failed
}

func writePrograms(out io.Writer, functions *methods.Package, function string) error {
	var names []string
	found := false
	for _, p := range functions.Programs {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
		if function != AllFunctions && p.Name != function {
			continue
		}
		if _, err := fmt.Fprintf(out, "%s%s:\n\n%s\n", p.Name, partOf(functions, p), indented(p.String())); err != nil {
			return err
		}
		found = true
	}
	if !found {
		return fmt.Errorf("the package has no function %s; it has %s, and %s prints all", function, strings.Join(names, ", "), AllFunctions)
	}
	return nil
}

// partOf says of which function a program is a part.
func partOf(functions *methods.Package, p *program.Program) string {
	for _, s := range functions.Functions[p.Name].Steps {
		if s.Program == p && s.PartOf != "" {
			return ", a part of " + s.PartOf
		}
	}
	return ""
}

// indented puts a tab in front of every line.
func indented(text string) string {
	return "\t" + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n\t") + "\n"
}
