// Package gen generates the package of a problem: from a spec to Go files, without touching disk, clock or environment.
package gen

import (
	"context"

	"github.com/sngdgen/sngdgen/gen/check"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/emit"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program/pass"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/spec"
)

// File is one generated file: a slash-separated name relative to the directory of the package, and its contents.
type File = emit.File

// Options change what is generated.
type Options struct {
	// Source is the path of the spec that the header of the files names. Empty means the name of the spec's source.
	Source string
	// AsWritten emits the natural gradient of the formulas as they are written, without the rules: for measuring what the
	// rules are worth.
	AsWritten bool
	// EstimateAll estimates all terms of a log joint density by draws, for measuring what it is worth to have the expectations of some.
	EstimateAll bool
	// Without are steps of planning and passes over programs that are left out, for measuring what they are worth: see Passes.
	Without []string
	// Costs, unless it is nil, multiplies the costs by which planning chooses between ways to compute something, of which what comes
	// out must not depend: for tests.
	Costs plan.Costs
	// Budget bounds the work in operations on formulas, the same count on every machine; 0 means DefaultBudget. What does
	// not fit is an error at the formula that takes most.
	Budget int
	// Alone says that the package is compiled without other modules, so that it may call no function in Go of theirs.
	Alone bool
}

// Generate returns the files of the package of a problem. The same problem gives the same bytes. The list holds the
// findings; when it has errors there are no files. It ends early, with an error, when the context does.
func Generate(ctx context.Context, p *spec.Problem, o Options) (files []File, diags diag.List) {
	diags = bounded(ctx, p, o.Budget, func(w *work) (found diag.List) {
		files, found = w.generate(o)
		return found
	})
	if diags.HasErrors() {
		return nil, diags
	}
	return files, diags
}

func (w *work) generate(o Options) ([]File, diag.List) {
	d, diags := w.derive(o)
	if d == nil {
		return nil, diags
	}
	if w.usable(d, o, &diags); diags.HasErrors() {
		return nil, diags
	}
	source := o.Source
	if source == "" {
		source = w.p.Source.Name
	}
	var err error
	if o.AsWritten {
		if d, err = d.AsWritten(); err != nil {
			diags.Errorf(w.p.PackageSpan, "cannot differentiate %s as it is written: %v", w.p.Package, err)
			return nil, diags
		}
	}
	functions, err := methods.Of(d, methods.Options{Source: source, Passes: pass.Options{Without: o.Without}, Costs: o.Costs})
	if err != nil {
		diags.Errorf(w.p.PackageSpan, "cannot generate %s: %v", w.p.Package, err)
		return nil, diags
	}
	files, err := emit.Emit(d, functions, source)
	if err != nil {
		diags.Errorf(w.p.PackageSpan, "cannot generate %s: %v", w.p.Package, err)
		return nil, diags
	}
	return files, diags
}

// usable reports functions in Go that there are only elsewhere, and a map that cannot reach its target.
func (w *work) usable(d *derive.Result, o Options, diags *diag.List) {
	diags.Append(check.Reach(d))
	if in := d.Problem.InGo; o.Alone && len(in) > 0 {
		diags.Errorf(in[0].Go.Span, "%s is a function in Go, which this command does not have", in[0].Name).
			WithHint("generate the package of %s, and fit with it in a module that has %s", w.p.Package, in[0].Go.Path)
	}
}
