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
	if b.finer {
		return
	}
	b.sums += len(builder.Approximations)
	for _, a := range builder.Approximations {
		again := func(old Approximation) bool { return old.Terms == a.Terms }
		if !slices.ContainsFunc(b.approximations, again) {
			b.approximations = append(b.approximations, Approximation{a, f.Range(a.Start, a.End)})
		}
	}
}

// withFiner builds a density, and where integrals or series are in it once more by the rules with more nodes; finer is nil elsewhere, and own
// after a diagnostic. It is built from its text, as the graph may have merged a sum with what it stands in.
func withFiner[T any](b *binder, build func() *T) (own, finer *T) {
	before := b.sums
	if own = build(); own == nil || b.sums == before {
		return own, nil
	}
	b.finer = true
	defer func() { b.finer = false }()
	return own, build()
}
