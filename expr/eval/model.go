package eval

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
)

// model evaluates the model of the environment, or its gradient, at the latent variable in every row.
func (in *interpreter) model(n *expr.Node, z Value) (Value, error) {
	if in.env.LogJoint == nil {
		return Value{}, errors.New("the environment has no model of the latent variable")
	}
	rows := z.rows()
	out := make([]*mat.Dense, max(rows, 1))
	for i := range out {
		at := mat.DenseCopyOf(z.at(i))
		v, gradient := in.env.LogJoint(n.Terms(), at.RawMatrix().Data)
		if n.Op == expr.LogJoint {
			out[i] = mat.NewDense(1, 1, []float64{v})
			continue
		}
		r, c := at.Dims()
		out[i] = mat.NewDense(r, c, slices.Clone(gradient))
	}
	return pack(n.Type, out, rows >= 0), nil
}
