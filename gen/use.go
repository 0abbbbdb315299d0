package gen

import (
	"context"

	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/spec"
)

// Use derives a problem for who makes something else of it than Go files. It ends early, as Generate does, also while use runs, whose
// error is a finding too. The list holds the findings; when it has errors use has not run, or not to its end.
func Use(ctx context.Context, p *spec.Problem, o Options, use func(*derive.Result) error) diag.List {
	return bounded(ctx, p, o.Budget, func(w *work) diag.List {
		d, diags := w.derive(o)
		if d == nil {
			return diags
		}
		if w.usable(d, o, &diags); diags.HasErrors() {
			return diags
		}
		if err := use(d); err != nil {
			diags.Errorf(p.PackageSpan, "cannot generate %s: %v", p.Package, err)
		}
		return diags
	})
}
