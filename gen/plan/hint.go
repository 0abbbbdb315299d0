package plan

import (
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program/wording"
)

// deepest is to which depth of operations in operations names are looked for.
const deepest = 4

// hintOf is a name for a value: that of the spec, or what its formula is called, "" where there is none that is short.
func (p *planner) hintOf(n *expr.Node) string {
	if hint := p.hints[n]; hint != "" {
		return hint
	}
	return p.called(p.value(n), deepest)
}

// totalName names a sum or a largest value.
func (p *planner) totalName(n *expr.Node) string {
	what := reduction(n)
	if of := p.operandName(n.Args[0], deepest); of != "" && wording.Legible(what+wording.Capital(of)) {
		return what + wording.Capital(of)
	}
	return sumName(n)
}

// called is what a formula is called, "" where it has no name that is short.
func (p *planner) called(n *expr.Node, depth int) string {
	if depth == 0 {
		return ""
	}
	operands := make([]string, len(n.Args))
	for i, a := range n.Args {
		operands[i] = p.operandName(a, depth-1)
	}
	return wording.Name(wording.Formula{Op: n.Op, Operands: operands, Coefs: n.Coefs, Const: n.Const})
}

// operandName is the name of an operand: of where it is, if that says what it is, or of its formula.
func (p *planner) operandName(n *expr.Node, depth int) string {
	if hint := p.hints[n]; hint != "" {
		return hint
	}
	if name := symbolName(n); name != "" {
		return name
	}
	if place := p.named[n]; place != nil && place.Given == nil && wording.Telling(place.Name) {
		return place.Name
	}
	return p.called(p.value(n), depth)
}

// symbolName is the name of a symbol that formulas can name, "" of anything else.
func symbolName(n *expr.Node) string {
	if n.Op != expr.Sym || strings.Contains(n.Name, "$") {
		return ""
	}
	return n.Name[strings.LastIndexByte(n.Name, '.')+1:]
}
