package eval

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/runtime/special"
)

// expectationNodes are the points of quadrature of the interpreter.
const expectationNodes = 64

// expectation is the mean of a function over a standard normal number.
func expectation(n *expr.Node, params []float64) (float64, error) {
	t, w := make([]float64, expectationNodes), make([]float64, expectationNodes)
	special.HermiteNodes(t, w)
	env := Scalars(nil)
	for i, p := range n.Fn.Params {
		env.Set(p.Name, params[i])
	}
	sum := 0.0
	for i, x := range t {
		env.Set(n.Fn.Vars[0].Name, x)
		v, err := Eval(n.Fn.Eqs[n.Index], env)
		if err != nil {
			return v, err
		}
		sum += w[i] * v
	}
	return sum, nil
}
