package bind

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/spec"
)

// shaped returns a node that has the shape of a type, whatever its axes; otherwise nil, after a diagnostic.
func (b *binder) shaped(n *expr.Node, want expr.Type, f *spec.Formula, what string) *expr.Node {
	if n == nil || n.Type.SameCore(want) || b.inStart && n.Is(0) { // 0 is of every shape
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

// msgForm says that a matrix is not of the form of a type, as far as the way it is computed tells.
const msgForm = "%s is %s, but nothing makes this matrix %s"

// forms are what a type may ask of the form of a matrix, apart from being positive definite, which is a condition of
// the domain.
var forms = []struct {
	structure  expr.Structure
	what, hint string
}{
	{expr.Symmetric, "symmetric", "for example (A + A')/2"},
	{expr.LowerTriangular, "lower triangular", "chol(A) is the Cholesky factor of a positive definite matrix"},
}

// amorphous says what a type asks of the form of a matrix and nothing guarantees, with a hint; "" for nothing.
func amorphous(k expr.Kind, n *expr.Node) (what, hint string) {
	if n == nil || n.Is(0) {
		return "", ""
	}
	for _, f := range forms {
		if k.Structure&^n.Facts.Structure&f.structure != 0 {
			return f.what, f.hint
		}
	}
	return "", ""
}
