package plan

import (
	"go/token"
	"regexp"
	"strings"
	"unicode"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// What a planned value is called, and what is said of it. Where a short word says what it is, that is its name: sigmaEta is the
// product of a matrix sigma and a vector eta. Everything else is t0, t1 and so on, with its formula for a comment.

const (
	longestName    = 24  // of what is named after its formula
	longestFormula = 72  // that is given in the names of the spec; longer ones are given in those of planned values
	longestComment = 110 // beyond which nothing is said
	fewOperands    = 60  // of formulas that may be as short as that
)

// temporary matches names that say nothing.
var temporary = regexp.MustCompile(`^t[0-9]+(_[0-9]+)?s?$`)

// refer notes where a value is, and what is said of that place.
func (p *planner) refer(n *expr.Node, place *program.Place) {
	p.describe(place, n)
	p.named[n] = place
}

// describe says of a place what it is for, unless its name does. The first that is said of it stays.
func (p *planner) describe(place *program.Place, n *expr.Node) {
	if place.About != "" || place.Given != nil || !temporary.MatchString(place.Name) {
		return
	}
	place.About = p.formulaOf(n)
}

// formulaOf is the formula of a value in the names of the spec or, where that is long, in those of the values that have been
// planned; "" where that is long too, or says no more than the code does.
func (p *planner) formulaOf(n *expr.Node) string {
	n = p.value(n)
	if !n.Longer(fewOperands) {
		n = p.writtenOut(n)
	}
	if !n.Longer(fewOperands) && !anonymous(n) {
		if s := n.String(); len(s) <= longestFormula {
			return s
		}
	}
	if !p.short(n) {
		return ""
	}
	s := expr.Named(n, func(m *expr.Node) string {
		place := p.named[m]
		switch {
		case m == n || m.Op == expr.Const || m.Op == expr.Sym && !anonymous(m):
			return ""
		case place != nil:
			return place.Name
		}
		if m.Op == expr.Sym {
			return "..."
		}
		return ""
	})
	if len(s) > longestComment || strings.Contains(s, "...") || n.Type.Rank == 0 && !strings.Contains(s, "(") {
		return ""
	}
	return s
}

// short reports whether a formula is of few operations on what has been planned.
func (p *planner) short(n *expr.Node) bool {
	count := 0
	var rec func(*expr.Node)
	rec = func(m *expr.Node) {
		if count++; count > fewOperands || m != n && p.named[m] != nil {
			return
		}
		for _, a := range m.Args {
			rec(a)
		}
	}
	rec(n)
	return count <= fewOperands
}

// writtenOut puts the formulas of parts that were given symbols back into that of a value.
func (p *planner) writtenOut(n *expr.Node) *expr.Node {
	parts := map[*expr.Node]*expr.Node{}
	for again := true; again; {
		again = false
		expr.Walk(func(m *expr.Node) {
			if m.Op != expr.Sym || parts[m] != nil {
				return
			}
			if part := p.partOf(m); part != nil {
				parts[m], again = part, true
			}
		}, n)
		n = p.k.Graph.Substitute(n, parts)
	}
	return n
}

// partOf is what a symbol stands for that no formula of a spec can name, nil for any other.
func (p *planner) partOf(sym *expr.Node) *expr.Node {
	if !strings.Contains(sym.Name, "$") {
		return nil
	}
	if rows := p.k.Rows; rows != nil && rows.Fixed != nil && rows.Fixed.parts[sym] != nil {
		return rows.Fixed.parts[sym]
	}
	return p.def[sym]
}

// anonymous reports whether a formula has symbols in it that no spec can name: unknowns of planning, and entries of memory.
func anonymous(n *expr.Node) bool {
	found := false
	expr.Walk(func(m *expr.Node) {
		found = found || m.Op == expr.Sym && (strings.Contains(m.Name, "$") || strings.HasPrefix(m.Name, "entry."))
	}, n)
	return found
}

// hintOf is a name for a value: that of the spec, or a word for what it is, "" where there is none that is short.
func (p *planner) hintOf(n *expr.Node) string {
	if hint := p.hints[n]; hint != "" {
		return hint
	}
	if name := wordFor(p.value(n)); len(name) <= longestName && token.IsIdentifier(name) {
		return name
	}
	return ""
}

// wordFor is a word for a value: a function of several words in its name, and products of what has names.
func wordFor(n *expr.Node) string {
	switch {
	case n.Op == expr.Dot:
		x, y := symbolName(n.Args[0]), symbolName(n.Args[1])
		if x != "" && y != "" {
			return x + "Dot" + capital(y)
		}
	case n.Op == expr.MatMul:
		return productName(n)
	case n.Op == expr.Inv:
		return factorName(n)
	case n.Op == expr.LogSumExp:
		return "logSumExp"
	case n.Op == expr.Softmax:
		return "softmax"
	case n.Op == expr.LogDet:
		if x := symbolName(n.Args[0]); x != "" {
			return "logDet" + capital(x)
		}
	case n.Op.Elementwise() && strings.Contains(n.Op.Name, "_"):
		return functionName(n.Op.Name)
	}
	return ""
}

// functionName is the local name of what a function has for a value: ndtrRatio.
func functionName(op string) string {
	s := camel(op)
	return strings.ToLower(s[:1]) + s[1:]
}

// productName names a product after its factors.
func productName(n *expr.Node) string {
	var b strings.Builder
	for i, a := range n.Args {
		s := factorName(a)
		if s == "" {
			return ""
		}
		if i > 0 {
			s = capital(s)
		}
		b.WriteString(s)
	}
	return b.String()
}

// factorName names a factor of a product: a symbol, its inverse or its transpose.
func factorName(n *expr.Node) string {
	switch {
	case n.Op == expr.Inv && symbolName(n.Args[0]) != "":
		return "inv" + capital(symbolName(n.Args[0]))
	case n.Op == expr.Transpose && symbolName(n.Args[0]) != "":
		return symbolName(n.Args[0]) + "T"
	}
	return symbolName(n)
}

// symbolName is the name of a symbol that formulas can name, "" of anything else.
func symbolName(n *expr.Node) string {
	if n.Op != expr.Sym || strings.Contains(n.Name, "$") {
		return ""
	}
	return n.Name[strings.LastIndexByte(n.Name, '.')+1:]
}

// capital begins a name with a capital letter.
func capital(s string) string {
	if s == "" || !unicode.IsLetter(rune(s[0])) {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
