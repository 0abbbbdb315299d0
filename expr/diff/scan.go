package diff

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// The derivative of a scan runs along the rows backwards. In symbols that is one step: what a row adds to the derivatives with respect
// to the parameters, and the cotangents of the states in front of it, given those of the states after it.

// adjoint makes the derivatives of a scan, once.
func adjoint(g *expr.Graph, fn *expr.Lambda) (*expr.Adjoint, error) {
	if fn.Adjoint != nil {
		return fn.Adjoint, nil
	}
	a := &expr.Adjoint{Weight: g.Fresh("weight", expr.Scalar, expr.Facts{Range: expr.Nonnegative})}
	for _, s := range fn.Vars {
		a.Next = append(a.Next, g.Fresh("cotangent", s.Type, expr.Unknown))
	}
	wrt := slices.Concat(fn.Params, fn.Vars)
	step, err := Pullback(g, fn.Eqs, append([]*expr.Node{a.Weight}, a.Next...), wrt)
	if err != nil {
		return nil, err
	}
	if a.AtStart, err = Pullback(g, fn.Start, a.Next, fn.Params); err != nil {
		return nil, err
	}
	a.Params, a.States = step[:len(fn.Params)], step[len(fn.Params):]
	fn.Adjoint = a
	return a, nil
}

// seriesPullback passes a cotangent of the sum of a scan, or of the number of each row, on to its parameters.
func (r *reverse) seriesPullback(n, c *expr.Node) error {
	if err := scanDerivative(r.g, n, func(a *expr.Node) bool { return r.reach[a] }); err != nil {
		return err
	}
	if c.Type.Axes.Has(expr.Rows) {
		return fmt.Errorf("%w: of a scan whose rows count differently, other than by their weights", ErrMissing)
	}
	for i, a := range n.ScanParams() {
		if r.reach[a] {
			r.add(a, r.g.Mul(c, r.g.SeriesDerivative(n, i)))
		}
	}
	return nil
}

// scanDerivative makes the derivatives of a scan with respect to what reaches, or says why there are none.
func scanDerivative(g *expr.Graph, n *expr.Node, reaches func(*expr.Node) bool) error {
	switch {
	case n.Index > 0:
		return fmt.Errorf("%w: the second of a scan along the rows", ErrMissing)
	case slices.ContainsFunc(n.ScanRows(), reaches):
		return fmt.Errorf("%w: of a scan with respect to the rows", ErrMissing)
	}
	_, err := adjoint(g, n.Fn)
	return err
}

// seriesPush is the tangent of the sum of a scan.
func seriesPush(g *expr.Graph, n *expr.Node, tangent map[*expr.Node]*expr.Node) (*expr.Node, error) {
	if n.Op == expr.Scan {
		return nil, fmt.Errorf("%w: of a row of a scan", ErrMissing)
	}
	if err := scanDerivative(g, n, func(a *expr.Node) bool { return tangent[a] != nil }); err != nil {
		return nil, err
	}
	var parts []*expr.Node
	for i, a := range n.ScanParams() {
		if t := tangent[a]; t != nil {
			parts = append(parts, g.Contract(g.SeriesDerivative(n, i), t))
		}
	}
	return g.Add(parts...), nil
}
