package diff

import "github.com/sngdgen/sngdgen/expr"

// Jacobian returns the matrix of derivatives of outputs (rows) with respect to wrt (columns).
func Jacobian(g *expr.Graph, outputs, wrt []*expr.Node) ([][]*expr.Node, error) {
	m := make([][]*expr.Node, len(outputs))
	for i, y := range outputs {
		row, err := Gradient(g, y, wrt)
		if err != nil {
			return nil, err
		}
		m[i] = row
	}
	return m, nil
}

// inverseRow returns one row of the inverse of the Jacobian of the equations with respect to the unknowns, at a point.
func inverseRow(g *expr.Graph, fn *expr.Lambda, index int, at map[*expr.Node]*expr.Node) ([]*expr.Node, error) {
	m, err := Jacobian(g, fn.Eqs, fn.Vars)
	if err != nil {
		return nil, err
	}
	for i := range m {
		m[i] = g.SubstituteAll(m[i], at)
	}
	inv := Inverse(g, m)
	return inv[index], nil
}

// Inverse returns the inverse of a small matrix by Cramer's rule. Cofactors are shared nodes; the matrices are those of
// families with a few scalar parameters.
func Inverse(g *expr.Graph, m [][]*expr.Node) [][]*expr.Node {
	n := len(m)
	det := determinant(g, m)
	out := make([][]*expr.Node, n)
	for i := range out {
		out[i] = make([]*expr.Node, n)
		for j := range out[i] {
			c := determinant(g, minor(m, j, i))
			if (i+j)%2 == 1 {
				c = g.Neg(c)
			}
			out[i][j] = g.Div(c, det)
		}
	}
	return out
}

// determinant expands along the first row.
func determinant(g *expr.Graph, m [][]*expr.Node) *expr.Node {
	if len(m) == 0 {
		return g.Const(1)
	}
	var sum []*expr.Node
	for j, a := range m[0] {
		c := g.Mul(a, determinant(g, minor(m, 0, j)))
		if j%2 == 1 {
			c = g.Neg(c)
		}
		sum = append(sum, c)
	}
	return g.Add(sum...)
}

// minor returns the matrix without one row and one column.
func minor(m [][]*expr.Node, row, col int) [][]*expr.Node {
	var out [][]*expr.Node
	for i := range m {
		if i == row {
			continue
		}
		var r []*expr.Node
		for j, a := range m[i] {
			if j != col {
				r = append(r, a)
			}
		}
		out = append(out, r)
	}
	return out
}
