package gen

import (
	"cmp"
	"context"
	"errors"

	"github.com/sngdgen/sngdgen/gen/engine"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/spec"
)

// Interpreted returns what makes models of a problem whose programs are interpreted: no Go toolchain is needed. Those of a package
// that Generate writes compute the same. The error beside the list is there where programs do what the
// interpreter has no code for; then the problem can only be compiled.
func Interpreted(ctx context.Context, p *spec.Problem, o Options) (make func() runtime.Model, unsupported error, diags diag.List) {
	diags = bounded(ctx, p, o.Budget, func(w *work) diag.List {
		d, diags := w.derive()
		if d == nil {
			return diags
		}
		var err error
		if make, err = engine.New(d, cmp.Or(o.Source, p.Source.Name)); errors.As(err, new(engine.Unsupported)) {
			unsupported = err
		} else if err != nil {
			diags.Errorf(p.PackageSpan, "cannot generate %s: %v", p.Package, err)
		}
		return diags
	})
	return make, unsupported, diags
}
