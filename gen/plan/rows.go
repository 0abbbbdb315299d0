package plan

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
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
		if reduces(n) && p.stage[n] == parameter && p.level[n] == level+1 && p.named[n] == nil {
			sums = append(sums, n)
		}
	}, roots...)
	stores := p.storesAt(roots, level)
	if !vectors {
		p.passOfNumbers(sums, stores, level)
		return
	}
	if len(sums)+len(stores) > 0 {
		p.pass(sums, stores)
	}
}

// reduces reports whether a node combines the rows.
func reduces(n *expr.Node) bool { return n.Axis == expr.Rows && (n.Op == expr.Sum || n.Op == expr.Max) }

// passOfNumbers emits one pass over rows of numbers.
func (p *planner) passOfNumbers(sums []*expr.Node, stores []Output, level int) {
	l := &program.Rows{}
	var rows []*expr.Node // what a row computes
	for _, s := range sums {
		rows = append(rows, s.Args[0])
	}
	for _, o := range stores {
		rows = append(rows, o.Node)
	}
	if len(rows) == 0 {
		return
	}
	for _, r := range rows { // what the rows need from outside
		p.hoist(r, level)
	}
	p.prepare(rows, nil)
	in := p.loop(rows)
	for _, r := range rows {
		in.row(&l.Columns, &l.Body, r)
	}
	for _, o := range stores {
		w := &program.Write{To: program.Ref{Place: columnPlace(o), At: []program.Index{program.Over(program.Row)}}}
		l.Writes = append(l.Writes, w)
		in.later(&w.Value, o.Node)
	}
	for _, s := range sums {
		name := in.localName(in.totalName(s))
		sum := in.sumOf(s, name)
		l.Sums = append(l.Sums, sum)
		in.later(&sum.Value, s.Args[0])
		p.prog.Cost.PerRow += s.Cost()
		p.prog.Cost.PerRow += p.rowCost(s.Args[0], in.named)
		p.named[s], in.named[s] = sum.To, sum.To
		p.taken[name] = true
		if sum.Index != nil {
			p.taken[sum.Index.Name] = true
		}
	}
	p.prog.Body = append(p.prog.Body, l)
}

// columnPlace is the memory of a column that is written.
func columnPlace(o Output) *program.Place {
	s := program.ShapeOf(o.Node.Type)
	s.Block, s.Stacked = true, o.Node.Type.Axes.Has(expr.Components)
	return &program.Place{Name: o.To.String(), Shape: s, Given: o.To}
}

// sumOf is a reduction under a name; of a largest value of which the row is needed also the index gets one.
func (p *planner) sumOf(s *expr.Node, name string) *program.Sum {
	return p.sumTo(s, &program.Place{Name: name})
}

func (p *planner) sumTo(s *expr.Node, to *program.Place) *program.Sum {
	if at, ok := p.attained[s]; ok && at == nil {
		p.attained[s] = p.number(to.Name + "At")
	}
	return &program.Sum{To: to, Max: s.Op == expr.Max, Index: p.attained[s]}
}

// hoist computes outside the loop everything under a row expression that does not vary over the rows.
func (p *planner) hoist(n *expr.Node, level int) {
	seen := map[*expr.Node]bool{}
	var rec func(*expr.Node)
	rec = func(n *expr.Node) {
		if seen[n] || p.named[n] != nil || p.k.Rows != nil && p.k.Rows.Columns[n] != "" {
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
		if p.named[n] == nil && !p.written[n] && n.Op != expr.Const && n.Op != expr.Sym {
			q := p.in(n.Type.Axes)
			q.assign(q.mem.stmts, n, q.once())
		}
	}
	rec(n)
}

// row emits the statements of one row for an expression.
func (p *planner) row(columns *[]program.Column, body *[]program.Stmt, root *expr.Node) {
	seen := map[*expr.Node]bool{}
	var rec func(*expr.Node)
	rec = func(n *expr.Node) {
		if seen[n] || p.named[n] != nil || !n.Type.Axes.Has(expr.Rows) {
			return
		}
		seen[n] = true
		if p.read(columns, n) {
			return
		}
		if n.Op == expr.Attained {
			p.refer(n, p.number("attained"))
			*body = append(*body, &program.Attained{To: p.named[n], Index: p.attained[p.largest(n)]})
			return
		}
		for _, a := range p.valueOperands(n) {
			rec(a)
		}
		if p.named[n] == nil && p.deservesName(n) {
			p.assign(body, n, p.perRow())
		}
	}
	rec(root)
}

// read reads what a row has in memory: the observation, or a column of the data stage.
func (p *planner) read(columns *[]program.Column, n *expr.Node) bool {
	hint, field := "", ""
	switch {
	case p.k.Rows != nil && n == p.k.Rows.Sym:
		hint = p.hints[n]
	case p.k.Rows != nil && p.k.Rows.Columns[n] != "":
		hint, field = p.k.Rows.Columns[n], p.k.Rows.Columns[n]
	case p.fixed(n):
		field = p.k.Rows.Fixed.field(p.value(n))
	default:
		return false
	}
	p.refer(n, p.number(hint))
	*columns = append(*columns, program.Column{To: p.named[n], Field: field, Type: n.Type})
	return true
}
