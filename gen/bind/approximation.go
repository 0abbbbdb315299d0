package bind

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/spec"
)

// Approximation is an integral or a series of a formula, at its place.
type Approximation struct {
	expr.Approximation
	Span diag.Span
}

// approximated notes the integrals and series of a formula, which may be built several times.
func (b *binder) approximated(f *spec.Formula, builder *expr.Builder) {
	for _, a := range builder.Approximations {
		again := func(old Approximation) bool { return old.Terms == a.Terms }
		if !slices.ContainsFunc(b.approximations, again) {
			b.approximations = append(b.approximations, Approximation{a, f.Range(a.Start, a.End)})
		}
	}
}
