package plan

import (
	"maps"

	"github.com/sngdgen/sngdgen/expr"
)

// rows emits one pass over the rows for all sums of a level: row by row where there are only numbers, else in blocks.
func (p *planner) rows(roots []*expr.Node, level int) {
	p.passes(roots, level)
	p.evaluate(roots, level)
}

func (p *planner) passes(roots []*expr.Node, level int) {
	var sums []*expr.Node
	vectors := false
	p.walk(func(n *expr.Node) {
		vectors = vectors || n.Type.Axes.Has(expr.Rows) && (n.Type.Rank > 0 || n.Type.Axes.Has(expr.Components))
		if reduces(n) && p.stage[n] == parameter && p.level[n] == level+1 && p.named[n] == "" {
			sums = append(sums, n)
		}
	}, roots...)
	stores := p.storesAt(roots, level)
	if !vectors {
		p.loop(sums, stores, level)
		return
	}
	if len(sums)+len(stores) > 0 {
		p.pass(sums, stores)
	}
}

// reduces reports whether a node combines the rows.
func reduces(n *expr.Node) bool { return n.Axis == expr.Rows && (n.Op == expr.Sum || n.Op == expr.Max) }

// loop emits one pass over rows of numbers.
func (p *planner) loop(sums []*expr.Node, stores []Output, level int) {
	l := &Loop{}
	var rows []*expr.Node // what a row computes
	for _, s := range sums {
		rows = append(rows, s.Args[0])
	}
	for _, o := range stores {
		l.Stores = append(l.Stores, o)
		rows = append(rows, o.Node)
	}
	if len(rows) == 0 {
		return
	}
	for _, r := range rows { // what the rows need from outside
		p.hoist(r, level)
	}
	p.prepare(rows, nil)
	outer, taken := p.named, maps.Clone(p.taken)
	p.named, p.current = maps.Clone(outer), p.count(rows)
	for _, r := range rows {
		p.row(l, r)
	}
	l.Named = p.named
	p.named, p.current = outer, p.uses
	for _, s := range sums {
		name := p.localName(sumName(s))
		l.Sums = append(l.Sums, p.sumOf(s, name))
		p.prog.Cost.PerRow += s.Cost()
		p.prog.Cost.PerRow += p.rowCost(s.Args[0], l.Named)
		p.named[s] = name
		l.Named[s] = name
		taken[name] = true
		if at := p.attained[s]; at != "" {
			taken[at] = true
		}
	}
	p.taken = taken // what is declared in the loop is out of sight after it
	p.prog.Stmts = append(p.prog.Stmts, Stmt{Loop: l})
}

// sumOf is a reduction under a name; of a largest value of which the row is needed also the index gets one.
func (p *planner) sumOf(s *expr.Node, name string) Sum {
	if _, ok := p.attained[s]; ok && p.attained[s] == "" {
		p.attained[s] = p.localName(name + "At")
	}
	return Sum{Name: name, Node: s, Max: s.Op == expr.Max, At: p.attained[s]}
}

// hoist computes outside the loop everything under a row expression that does not vary over the rows.
func (p *planner) hoist(n *expr.Node, level int) {
	seen := map[*expr.Node]bool{}
	var rec func(*expr.Node)
	rec = func(n *expr.Node) {
		if seen[n] || p.named[n] != "" || p.k.Rows != nil && p.k.Rows.Columns[n] != "" {
			return
		}
		seen[n] = true
		if n.Type.Axes.Has(expr.Rows) {
			for _, a := range p.operands(n) {
				rec(a)
			}
			return
		}
		p.scalars(n, level)
		if p.named[n] == "" && !p.written[n] && n.Op != expr.Const && n.Op != expr.Sym {
			p.within(n.Type.Axes, func() { p.assign(p.mem.stmts, n, p.once()) })
		}
	}
	rec(n)
}

// row emits the statements of one row for an expression.
func (p *planner) row(l *Loop, root *expr.Node) {
	seen := map[*expr.Node]bool{}
	var rec func(*expr.Node)
	rec = func(n *expr.Node) {
		if seen[n] || p.named[n] != "" || !n.Type.Axes.Has(expr.Rows) {
			return
		}
		seen[n] = true
		if p.read(l, n) {
			return
		}
		if n.Op == expr.Attained {
			p.named[n] = p.localName("attained")
			l.Body = append(l.Body, Stmt{Attained: &Attained{p.named[n], p.attained[p.largest(n)]}})
			return
		}
		for _, a := range p.valueOperands(n) {
			rec(a)
		}
		if p.named[n] == "" && p.deservesName(n) {
			p.assign(&l.Body, n, p.perRow())
		}
	}
	rec(root)
}

// read reads what a row has in memory: the observation, or a column of the data stage.
func (p *planner) read(l *Loop, n *expr.Node) bool {
	switch {
	case p.k.Rows != nil && n == p.k.Rows.Sym:
		p.named[n] = p.localName(p.hints[n])
		l.Columns = append(l.Columns, ColumnRead{Local: p.named[n]})
	case p.k.Rows != nil && p.k.Rows.Columns[n] != "":
		p.named[n] = p.localName(p.k.Rows.Columns[n])
		l.Columns = append(l.Columns, ColumnRead{p.named[n], p.k.Rows.Columns[n]})
	case p.fixed(n):
		field := p.k.Rows.Fixed.field(p.value(n))
		p.named[n] = p.localName("")
		l.Columns = append(l.Columns, ColumnRead{p.named[n], field})
	default:
		return false
	}
	return true
}
