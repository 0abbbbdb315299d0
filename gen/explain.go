package gen

import (
	"context"
	"io"

	"github.com/sngdgen/sngdgen/gen/explain"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/spec"
)

// Explain writes how the code of a problem comes about: the model, the surrogate, their composition, what each rule did,
// the gradients, the domain and the cost of a step; as text, or as a LaTeX fragment. The error is a *diag.ListError when
// the problem is faulty, or when the context has ended.
func Explain(ctx context.Context, out io.Writer, p *spec.Problem, latex bool) error {
	var failed error
	diags := bounded(ctx, p, DefaultBudget, func(w *work) diag.List {
		d, diags := w.derive()
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
