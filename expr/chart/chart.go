// Package chart writes values of the types of the table in terms of unconstrained numbers, with the logarithms of the Jacobian
// determinants, as expressions, so that what is made of them is differentiated with everything else. The formulas are those of
// the table, runtime/types.
package chart

import (
	"fmt"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Chart is a value in terms of its coordinates.
type Chart struct {
	Value       *expr.Node
	LogJacobian *expr.Node // a number; see types.Chart
}

// Has reports whether values of a type have coordinates: not whole numbers.
func Has(t types.Type) bool { return t.Form.Chart != nil || t.Entry.Link != nil }

// Trivial reports whether a value of a type is its own coordinate.
func Trivial(t types.Type) bool { return t.Form.Chart == nil && t.Entry.Link == types.Identity }

// Shape returns the shape of a coordinate of values of a shape, and what is known of it.
func Shape(c types.Coordinate, t expr.Type) (expr.Type, expr.Facts) {
	facts := expr.In(expr.Real)
	switch {
	case c.Rank < t.Rank:
		t = expr.Vector(t.Dims[0])
	case c.Places == types.Below:
		facts.Structure = expr.LowerTriangular | expr.ZeroDiagonal
	case c.Places == types.OffDiagonal:
		facts.Structure = expr.ZeroDiagonal
	}
	return t, facts
}

// Of returns a value of a type that has coordinates, of a shape, in terms of these.
func Of(g *expr.Graph, t types.Type, shape expr.Type, coordinates []*expr.Node) Chart {
	names := map[string]*expr.Node{}
	for i, c := range t.Coordinates() {
		names[c.Name] = coordinates[i]
	}
	formula, jacobian := t.Entry.Link.Formula, t.Entry.Link.LogJacobian
	if c := t.Form.Chart; c != nil {
		formula, jacobian = c.Formula, c.LogJacobian
	}
	c := Chart{Value: g.Spread(build(g, formula, shape, names), shape), LogJacobian: build(g, jacobian, shape, names)}
	if t.Form.Chart == nil && shape.Rank > 0 { // of each entry
		c.LogJacobian = g.Total(g.Spread(c.LogJacobian, shape))
	}
	return c
}

// Slope returns the derivative of a number of a type, or of each entry of a vector, by its coordinate u.
func Slope(g *expr.Graph, t types.Type, u *expr.Node) *expr.Node {
	return build(g, "exp("+t.Entry.Link.LogJacobian+")", u.Type, map[string]*expr.Node{"u": u})
}

// Inverse returns the coordinates of a value x of a type.
func Inverse(g *expr.Graph, t types.Type, x *expr.Node) []*expr.Node {
	formulas := []string{t.Entry.Link.Inverse}
	if c := t.Form.Chart; c != nil {
		formulas = c.Inverse
	}
	out := make([]*expr.Node, len(formulas))
	for i, f := range formulas {
		out[i] = build(g, f, x.Type, map[string]*expr.Node{"x": x})
	}
	return out
}

// build builds a formula of the table, of a value of some shape.
func build(g *expr.Graph, formula string, t expr.Type, names map[string]*expr.Node) *expr.Node {
	if t.Rank > 0 {
		names["d"] = g.DimNode(t.Dims[0])
	}
	tree, errs := syntax.Parse(formula)
	b := expr.Builder{G: g, Scope: expr.Scope{Names: names, What: "a chart", Entrywise: true}}
	n := b.Build(tree)
	if n == nil || len(errs) > 0 || len(b.Faults) > 0 {
		panic(fmt.Sprintf("chart: %s: %v %v", formula, errs, b.Faults))
	}
	return n
}
