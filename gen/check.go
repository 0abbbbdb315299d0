package gen

import (
	"context"

	"github.com/sngdgen/sngdgen/gen/check"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/spec"
)

// Check returns everything that is found wrong with a problem: what Generate reports, and what shows only in numbers, at
// points and on data that are the same in every run. The problem may be used when the list has no errors. It ends early,
// with an error, when the context does.
func Check(ctx context.Context, p *spec.Problem, o Options) diag.List {
	return bounded(ctx, p, o.Budget, func(w *work) diag.List {
		d, diags := w.derive(Options{})
		if d == nil {
			return diags
		}
		diags.Append(check.Check(d))
		if diags.HasErrors() {
			return diags
		}
		if _, err := methods.Of(d, methods.Options{Source: o.Source}); err != nil {
			diags.Errorf(p.PackageSpan, "cannot generate %s: %v", p.Package, err)
		}
		return diags
	})
}
