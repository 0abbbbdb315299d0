package gen

import (
	"io"

	"github.com/sngdgen/sngdgen/gen/explain"
	"github.com/sngdgen/sngdgen/spec"
)

// Explain writes how the code of a problem comes about: the model, the surrogate, their composition, what each rule did,
// the gradients, the domain and the cost of a step; as text, or as a LaTeX fragment. The error is a *diag.ListError when
// the problem is faulty.
func Explain(w io.Writer, p *spec.Problem, latex bool) error {
	d, diags := deriveProblem(p)
	if d == nil {
		return diags.Err()
	}
	return explain.Explain(w, d, latex)
}
