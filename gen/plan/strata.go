package plan

import (
	"maps"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// Strata. Where every row belongs to one component (draws of a mixture, so many of each), sums over the components of the
// indicator of a row's own one times something are that something for one component, and sums over the rows of the indicator
// times something are sums over the rows of a component. What nothing else needs is computed for a row's own component only: a
// block has rows of one component, which the loops over "own" components visit, where the indicator is 1.

// scope is for which components a task of a pass over the rows is run.
type scope int

const (
	whole scope = iota // does not vary over the components
	every              // for each of them
	own                // for the one that the rows of the block belong to
)

// scopeOf is that of values of a type.
func scopeOf(t expr.Type) scope {
	if t.Axes.Has(expr.Components) {
		return every
	}
	return whole
}

// isOwn reports whether a value is the indicator of a row's own component, for which rows are in blocks.
func (p *planner) isOwn(n *expr.Node) bool { return p.k.Rows != nil && n == p.k.Rows.Stratum }

// vanishes reports whether a value is 0 for all components but a row's own.
func (p *planner) vanishes(n *expr.Node) bool {
	known := map[*expr.Node]bool{}
	var rec func(*expr.Node) bool
	rec = func(n *expr.Node) (v bool) {
		if v, ok := known[n]; ok {
			return v
		}
		defer func() { known[n] = v }()
		switch {
		case p.isOwn(n):
			return true
		case p.def[n] != nil:
			return rec(p.def[n])
		case n.Op == expr.Lin:
			return n.Const == 0 && len(n.Args) > 0 && !slices.ContainsFunc(n.Args, func(a *expr.Node) bool { return !rec(a) })
		case n.Op == expr.Prod:
			for i, a := range n.Args {
				if n.Coefs[i] > 0 && rec(a) {
					return true
				}
			}
		case n.Op == expr.MatMul || n.Op == expr.Dot || n.Op == expr.Outer || n.Op == expr.Transpose:
			return slices.ContainsFunc(n.Args, rec)
		}
		return false
	}
	return rec(n)
}

// adds is what a task adds up.
func (t *task) adds() *expr.Node {
	if t.sum != nil {
		return t.sum.Args[0]
	}
	return t.own
}

// allot finds the tasks that are run for a row's own component only: those that add up what is 0 for the others, and those
// that only such tasks need. Where all components add to something, that is 0 at first.
func (b *blockPlanner) allot() {
	var needed func(*task)
	needed = func(t *task) {
		for _, d := range t.deps {
			if d.scope == own && d.sum == nil && d.own == nil {
				d.scope = every
				needed(d)
			}
		}
	}
	var others []*task
	for _, t := range b.tasks {
		_, column := b.columns[t]
		switch {
		case b.k.Rows.Stratum != nil && t.scope == every && !column && (t.sum == nil && t.own == nil || b.vanishes(t.adds())):
			t.scope = own
		default:
			others = append(others, t)
		}
	}
	for _, t := range others {
		if needed(t); t.into != nil {
			b.call("clear", t.into)
		}
	}
}

// atOwn plans a loop over a row's own component. What it solves and multiplies, loops over all components cannot use.
func (b *blockPlanner) atOwn() bool {
	in := &blockPlanner{b.scope(), b.passPlan}
	in.halves, in.suffixes = maps.Clone(b.halves), maps.Clone(b.suffixes)
	maps.Copy(in.halves, b.ownHalves)
	maps.Copy(in.suffixes, b.ownSuffixes)
	in.stratum = true
	some := in.overComponents(own)
	b.ownHalves, b.ownSuffixes = in.halves, in.suffixes
	return some
}
