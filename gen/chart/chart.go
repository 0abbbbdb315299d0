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

// Chart is a value in terms of its coordinate: an array of the shape of the value.
type Chart struct {
	Value       *expr.Node
	LogJacobian *expr.Node // a number; see types.Chart
}

// Has reports whether values of a type have such coordinates: not whole numbers.
func Has(t types.Type) bool { return t.Form.Chart != nil || t.Entry.Link != nil }

// Trivial reports whether a value of a type is its own coordinate.
func Trivial(t types.Type) bool { return t.Form.Chart == nil && t.Entry.Link == types.Identity }

// Of returns a value of a type that has coordinates, in terms of u, which has its shape.
func Of(g *expr.Graph, t types.Type, u *expr.Node) Chart {
	formula, jacobian := formulas(t)
	names := map[string]*expr.Node{"u": u}
	c := Chart{Value: g.Spread(build(g, formula, u.Type, names), u.Type), LogJacobian: build(g, jacobian, u.Type, names)}
	if t.Form.Chart == nil && u.Type.Rank > 0 { // of each entry
		c.LogJacobian = g.Total(g.Spread(c.LogJacobian, u.Type))
	}
	return c
}

func formulas(t types.Type) (value, jacobian string) {
	if c := t.Form.Chart; c != nil {
		return c.Formula, c.LogJacobian
	}
	return t.Entry.Link.Formula, t.Entry.Link.LogJacobian
}

// Coordinate returns the coordinate of a value x of a type.
func Coordinate(g *expr.Graph, t types.Type, x *expr.Node) *expr.Node {
	formula := ""
	if c := t.Form.Chart; c != nil {
		formula = c.Inverse
	} else {
		formula = t.Entry.Link.Inverse
	}
	return build(g, formula, x.Type, map[string]*expr.Node{"x": x})
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
