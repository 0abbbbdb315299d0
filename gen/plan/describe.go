package plan

import (
	"regexp"
	"strings"
	"sync"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// What is said of a planned value: where its formula has no short name, it is t0, t1 and so on, with the formula for a comment.

const (
	longestFormula = 72  // that is given in the names of the spec; longer ones are given in those of planned values
	longestComment = 110 // beyond which nothing is said
	fewOperands    = 60  // of formulas that may be as short as that
)

// temporary matches names that say nothing.
var temporary = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^t[0-9]+(_[0-9]+)?s?$`) })

// refer notes where a value is, and what is said of that place.
func (p *planner) refer(n *expr.Node, place *program.Place) {
	p.describe(place, n)
	p.named[n] = place
}

// describe says of a place what it is for, unless its name does. The first that is said of it stays.
func (p *planner) describe(place *program.Place, n *expr.Node) {
	if place.About != "" || place.Given != nil || !temporary().MatchString(place.Name) {
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
