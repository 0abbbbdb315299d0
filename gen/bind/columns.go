package bind

import (
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/spec"
)

// givenOf binds a variable that a family is given: a column of the data for a density, that of the target of the same name for a surrogate;
// otherwise what the family draws itself.
func (b *binder) givenOf(f *spec.Family, q spec.Param, prefix string) Param {
	switch {
	case !f.OfColumns():
		return b.param(q, prefix+"given.", expr.Rows)
	case f != b.surrogate || prefix != "" || b.record == nil:
		return b.variable(q, prefix)
	}
	return b.column(f, q)
}

// column is the column of the data that a surrogate is given. Its lengths are those of the target.
func (b *binder) column(f *spec.Family, q spec.Param) Param {
	for _, c := range b.record {
		if c.Name != q.Name {
			continue
		}
		own := b.param(q, "surrogate.given.", expr.Rows)
		if !own.Sym.Type.SameCore(c.Sym.Type) || !c.Kind.Range.Within(own.Kind.Range) {
			b.diags.Errorf(q.TypeSpan, "surrogate %s is given %s as %s, but in the data it is %s", f.Name, q.Name, q.Type.String(), c.Kind.Name)
		}
		return c
	}
	var have []string
	for _, c := range b.record {
		have = append(have, c.Name)
	}
	b.diags.Errorf(q.NameSpan, "surrogate %s is given %q, but the data have no such column", f.Name, q.Name).
		WithHint("the columns are %s; what the family draws itself has a value in its sample", strings.Join(have, ", "))
	return b.param(q, "surrogate.given.", expr.Rows)
}
