package diff

import (
	"fmt"

	"github.com/sngdgen/sngdgen/expr"
)

// Derivative returns the derivative of a number or a vector with respect to a symbol that is one, as one node: a number, a vector, or the
// matrix whose rows are the derivatives of the entries of y. Where y is a sum over the rows, so is the derivative, of outer products that
// one kernel adds up: no column of the matrix is a pass of its own.
func Derivative(g *expr.Graph, y, x *expr.Node) (*expr.Node, error) {
	switch {
	case !expr.Depends(y, x):
		return g.Const(0), nil
	case y.Type.Rank > 1 || x.Type.Rank > 1:
		return nil, fmt.Errorf("%v by %v: derivatives of matrices, and by matrices, are no matrices", y.Type, x.Type)
	case x.Type.Rank == 0:
		d, err := Pushforward(g, []*expr.Node{y}, []*expr.Node{x}, []*expr.Node{g.Const(1)})
		if err != nil {
			return nil, err
		}
		return d[0], nil
	case y.Type.Rank == 0:
		return rowGradient(g, y, x)
	}
	return vectorByVector(g, y, x)
}

// rowGradient is the gradient of a number. What varies over the rows has one for each row, by forward mode through sums of products.
func rowGradient(g *expr.Graph, y, x *expr.Node) (*expr.Node, error) {
	if y == x {
		return g.Const(1), nil
	}
	switch y.Op {
	case expr.Sum:
		d, err := rowGradient(g, y.Args[0], x)
		if err != nil {
			return nil, err
		}
		return g.Sum(y.Axis, d), nil
	case expr.Dot:
		return dotGradient(g, y, x)
	}
	if y.Type.Axes == 0 {
		d, err := Gradient(g, y, []*expr.Node{x})
		if err != nil {
			return nil, err
		}
		return d[0], nil
	}
	return byOperands(g, y, x, rowGradient)
}

// dotGradient is the gradient of an inner product, x'A'v + ...: each factor by the derivative of the other one.
func dotGradient(g *expr.Graph, y, x *expr.Node) (*expr.Node, error) {
	var parts []*expr.Node
	for i, a := range y.Args {
		if !expr.Depends(a, x) {
			continue
		}
		other := y.Args[1-i]
		if a == x {
			parts = append(parts, other)
			continue
		}
		d, err := vectorByVector(g, a, x)
		if err != nil {
			return nil, err
		}
		parts = append(parts, g.MatMul(g.Transpose(d), other))
	}
	return g.Add(parts...), nil
}

// byOperands adds up partial derivatives of an elementwise node times the derivatives of its operands, which are numbers.
func byOperands(g *expr.Graph, y, x *expr.Node, of func(*expr.Graph, *expr.Node, *expr.Node) (*expr.Node, error)) (*expr.Node, error) {
	partials, err := Partials(g, y)
	if err != nil {
		return nil, err
	}
	var parts []*expr.Node
	for i, a := range y.Args {
		if !expr.Depends(a, x) {
			continue
		}
		if y.Op.Missing(i) {
			return nil, missing(y, i)
		}
		if partials[i] == nil || partials[i].Is(0) {
			continue
		}
		if a.Type.Rank > 0 {
			return nil, fmt.Errorf("no derivative of %v by a vector", y.Op)
		}
		d, err := of(g, a, x)
		if err != nil {
			return nil, err
		}
		parts = append(parts, g.Mul(partials[i], d))
	}
	return g.Add(parts...), nil
}

// vectorByVector is the matrix of derivatives of a vector: of a number times a vector the outer product of the vector and the gradient.
func vectorByVector(g *expr.Graph, y, x *expr.Node) (*expr.Node, error) {
	if y == x {
		return g.Identity(x.Type.Dims[0]), nil
	}
	var parts []*expr.Node
	switch y.Op {
	case expr.Sum:
		d, err := vectorByVector(g, y.Args[0], x)
		if err != nil {
			return nil, err
		}
		return g.Sum(y.Axis, d), nil
	case expr.MatMul:
		last := len(y.Args) - 1
		if a := y.Args[last]; a.Type.Rank == 1 && !expr.Depends(g.MatMul(y.Args[:last]...), x) {
			d, err := vectorByVector(g, a, x)
			if err != nil {
				return nil, err
			}
			return g.MatMul(append(append([]*expr.Node{}, y.Args[:last]...), d)...), nil
		}
	}
	if !y.Op.Elementwise() && y.Op != expr.Lin && y.Op != expr.Prod {
		return nil, fmt.Errorf("no derivative of %v by a vector", y.Op)
	}
	partials, err := Partials(g, y)
	if err != nil {
		return nil, err
	}
	for i, a := range y.Args {
		if !expr.Depends(a, x) || partials[i] == nil || partials[i].Is(0) {
			continue
		}
		d, err := share(g, y, a, x, partials[i])
		if err != nil {
			return nil, err
		}
		parts = append(parts, d)
	}
	return g.Add(parts...), nil
}

// share is what one operand adds to the derivative of an elementwise vector.
func share(g *expr.Graph, y, a, x, partial *expr.Node) (*expr.Node, error) {
	if a.Type.Rank == 0 { // the same number in all entries
		d, err := rowGradient(g, a, x)
		if err != nil {
			return nil, err
		}
		return g.Outer(g.Spread(partial, y.Type), d), nil
	}
	d, err := vectorByVector(g, a, x)
	if err != nil {
		return nil, err
	}
	if partial.Type.Rank == 0 {
		return g.Mul(partial, d), nil
	}
	return g.MatMul(g.DiagonalMatrix(partial), d), nil
}
