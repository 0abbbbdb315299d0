package explain

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/rewrite"
)

// shorthand gives names to what steps leave alone, and to what occurs several times in it: a for numbers, b for
// vectors, B for matrices, resp for the responsibilities of a mixture. A name keeps its meaning for all steps.
type shorthand struct {
	g      *expr.Graph
	wanted map[*expr.Node]bool       // what gets a name when it is to be written
	own    map[*expr.Node]*expr.Node // names of the spec
	names  map[*expr.Node]*expr.Node // names that have been given
	used   map[string]bool
	fresh  []equation // definitions of names that have not been written
}

const (
	longStep  = 70 // the length of a step from which its unchanged parts are abbreviated
	shortPart = 12 // the length up to which a part is not worth a name
)

// newShorthand has no names yet but those of the spec. Names that it gives are taken for the rest of the explanation.
func (e *explainer) newShorthand() *shorthand {
	own, syms := e.thetaNames()
	if e.taken == nil {
		e.taken = e.names()
		for _, q := range syms {
			e.taken[q.side.text] = true
		}
	}
	h := &shorthand{g: e.g, wanted: map[*expr.Node]bool{}, own: own, names: map[*expr.Node]*expr.Node{}, used: e.taken}
	for n := range own {
		h.wanted[n] = true
	}
	return h
}

// forSteps looks for what is worth a name in steps.
func (e *explainer) forSteps(steps []shownStep) *shorthand {
	h := e.newShorthand()
	var parts []*expr.Node
	for _, s := range steps {
		if !long(s.Step) {
			continue
		}
		kept := unchanged(s.Step)
		parts = append(parts, outermost(func(n *expr.Node) bool {
			return kept[n] && len(n.Args) > 0 && len(n.String()) > shortPart
		}, s.Before, s.After)...)
	}
	h.choose(parts, parts)
	return h
}

func long(s rewrite.Step) bool {
	return len(s.Before.String()) > longStep || len(s.After.String()) > longStep
}

// abbreviated writes equations with names for what occurs several times in long ones.
func (e *explainer) abbreviated(h *shorthand, list []equation) {
	var roots []*expr.Node
	for _, q := range list {
		e.shown = append(e.shown, q.node)
		if len(q.node.String()) > longStep {
			roots = append(roots, q.node)
		}
	}
	h.choose(roots, nil)
	short := make([]equation, len(list))
	for i, q := range list {
		if short[i] = q; slices.Contains(roots, q.node) {
			short[i].node = h.inside(q.node)
		}
	}
	e.f.equations(short)
	e.f.where(h.fresh)
	h.fresh = nil
}

// unchanged are the expressions on both sides of a step.
func unchanged(s rewrite.Step) map[*expr.Node]bool {
	left, both := seen{}, map[*expr.Node]bool{}
	left.add(s.Before)
	expr.Walk(func(n *expr.Node) { both[n] = left[n] && n != s.Before && n != s.After }, s.After)
	return both
}

// outermost are the largest expressions with a property, in the order in which they are met.
func outermost(has func(*expr.Node) bool, roots ...*expr.Node) []*expr.Node {
	var out []*expr.Node
	met := map[*expr.Node]bool{}
	var visit func(n *expr.Node)
	visit = func(n *expr.Node) {
		if met[n] {
			return
		}
		met[n] = true
		if has(n) {
			out = append(out, n)
			return
		}
		for _, a := range n.Args {
			visit(a)
		}
	}
	for _, r := range roots {
		visit(r)
	}
	return out
}

// choose wants names for parts of roots, and for what is in several places of the roots, where that is long even with
// names for what is in it.
func (h *shorthand) choose(roots, parts []*expr.Node) {
	whole := map[*expr.Node]bool{}
	for _, n := range parts {
		whole[n] = true
	}
	by := map[*expr.Node]*expr.Node{}
	order, uses := usage(roots)
	for _, n := range order {
		least := longPart
		if isResponsibility(n) {
			least = 0
		} else if whole[n] {
			least = shortPart + 1
		} else if uses[n] < 2 || len(n.Args) == 0 {
			continue
		}
		if h.own[n] == nil && len(h.g.Substitute(n, by).String()) < least {
			continue
		}
		h.wanted[n] = true
		by[n] = h.g.Sym(fmt.Sprintf("some%d.b0", n.ID), n.Type, n.Facts)
	}
}

// step abbreviates a step. It returns the definitions of names that it is the first to need.
func (h *shorthand) step(s rewrite.Step) (before, after *expr.Node, defs []equation) {
	by := map[*expr.Node]*expr.Node{}
	if kept := unchanged(s); long(s) {
		for _, n := range outermost(func(n *expr.Node) bool { return kept[n] && h.wanted[n] }, s.Before, s.After) {
			by[n] = h.name(n)
		}
	}
	both := h.g.SubstituteAll([]*expr.Node{s.Before, s.After}, by)
	defs, h.fresh = h.fresh, nil
	return both[0], both[1], defs
}

// name is the name of an expression, which is defined after what it is made of.
func (h *shorthand) name(n *expr.Node) *expr.Node {
	if sym := h.names[n]; sym != nil {
		return sym
	}
	node := h.inside(n)
	sym := h.own[n]
	if sym == nil {
		sym = h.symbol(n)
	}
	h.names[n] = sym
	h.fresh = append(h.fresh, equation{side: symbol(sym), node: node})
	return sym
}

// inside is an expression with names for what is in it.
func (h *shorthand) inside(n *expr.Node) *expr.Node {
	by := map[*expr.Node]*expr.Node{}
	for _, m := range outermost(func(m *expr.Node) bool { return h.wanted[m] }, n.Args...) {
		by[m] = h.name(m)
	}
	return h.g.Substitute(n, by)
}

// symbol is a new name for an expression, with the letter of its shape, or that of responsibilities.
func (h *shorthand) symbol(n *expr.Node) *expr.Node {
	letter := [...]string{"a", "b", "B"}[n.Type.Rank]
	if isResponsibility(n) {
		letter = "resp"
	}
	for i := 1; ; i++ {
		name := fmt.Sprint(letter, i)
		if !h.used[name] {
			h.used[name] = true
			return h.g.Sym(fmt.Sprintf("short%d.%s", n.ID, name), n.Type, n.Facts)
		}
	}
}
