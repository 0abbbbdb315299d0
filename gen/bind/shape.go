package bind

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/spec"
)

// shaped returns a node that has the shape of a type, whatever its axes; otherwise nil, after a diagnostic.
func (b *binder) shaped(n *expr.Node, want expr.Type, f *spec.Formula, what string) *expr.Node {
	if n == nil || n.Type.SameCore(want) {
		return n
	}
	b.diags.Errorf(f.Whole(), "%s must be a %v, this is a %v", what, core(want), core(n.Type))
	return nil
}

// number is build for a formula that must be one number.
func (b *binder) number(f *spec.Formula, what string, names map[string]*expr.Node) *expr.Node {
	return b.shaped(b.build(f, what, names, expr.Unknown), expr.Scalar, f, what)
}

// core is a type without its axes.
func core(t expr.Type) expr.Type {
	t.Axes = 0
	return t
}
