package engine

import (
	"cmp"
	"context"
	"errors"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program/pass"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/spec"
)

// Interpreted returns what makes models of a problem. Those of a package that gen.Generate writes compute the same. The error beside
// the list is Unsupported, where the engine has no code for something: then the problem can only be compiled.
func Interpreted(ctx context.Context, p *spec.Problem, o gen.Options) (make func() runtime.Model, diags diag.List, unsupported error) {
	diags = gen.Use(ctx, p, o, func(d *derive.Result) error {
		var err error
		make, err = New(d, methods.Options{Source: cmp.Or(o.Source, p.Source.Name), Passes: pass.Options{Without: o.Without}, Costs: o.Costs})
		if errors.As(err, new(Unsupported)) {
			unsupported, err = err, nil
		}
		return err
	})
	return make, diags, unsupported
}
