package derive

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
)

// Limit is a limit of the target: its mean negative log-likelihood as a function of its own parameters, and the way there.
type Limit struct {
	*bind.Limit
	Objective
	Path        []Def // parameters of the target in terms of those of the limit and of Scale
	From        []Def // the parameters of the limit in terms of those of the target
	Starts      []LimitStart
	RandomStart *LimitStart
	Literal     *expr.Node // the loss as it is written
}

// LimitStart is a starting point of a limit.
type LimitStart struct {
	Noise  []bind.Draw
	Values []Def // of the parameters, in order of evaluation
}

func (d *deriver) limits() ([]*Limit, error) {
	var out []*Limit
	for _, b := range d.p.Limits {
		l, err := d.limit(b)
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

func (d *deriver) limit(b *bind.Limit) (*Limit, error) {
	out := &Limit{Limit: b, Literal: d.meanNLL(b.LogPDF)}
	whole := d.dataResiduals(b)
	o, err := d.objectiveIn(d.meanNLL(whole.in(d.g, b.LogPDF)), b.Params)
	if err != nil {
		return nil, err
	}
	out.Objective = *o
	out.Loss, out.Gradient = whole.out(d.g, o.Loss), d.g.SubstituteAll(o.Gradient, whole.values)
	finished := func(p bind.Def) Def {
		return Def{Name: p.Name, Sym: p.Sym, Node: whole.out(d.g, d.finish(nil, []*expr.Node{whole.in(d.g, p.Node)})[0])}
	}
	for _, p := range b.Path {
		out.Path = append(out.Path, finished(p))
	}
	for _, p := range b.From {
		out.From = append(out.From, finished(p))
	}
	for _, s := range b.Starts {
		out.Starts = append(out.Starts, d.limitStart(s, whole))
	}
	if b.RandomStart != nil {
		s := d.limitStart(*b.RandomStart, whole)
		out.RandomStart = &s
	}
	return out, nil
}

func (d *deriver) limitStart(s bind.Draws, whole *residuals) LimitStart {
	out := LimitStart{Noise: s.Noise}
	for _, v := range s.Values {
		node := d.stabilise(d.simplify(nil, whole.in(d.g, v.Node))...)[0]
		out.Values = append(out.Values, Def{Name: Plain(v.Sym.Name), Sym: v.Sym, Node: whole.out(d.g, node)})
	}
	return out
}

// residuals keep differences that depend on the data alone, such as x - mean(x), in one piece while expressions are
// rewritten: multiplied out they would lose the digits that data far from zero have in common.
type residuals struct {
	symbols, values map[*expr.Node]*expr.Node // from differences to symbols, and back
}

func (r *residuals) in(g *expr.Graph, n *expr.Node) *expr.Node  { return g.Substitute(n, r.symbols) }
func (r *residuals) out(g *expr.Graph, n *expr.Node) *expr.Node { return g.Substitute(n, r.values) }

// dataResiduals finds the differences of one row in the formulas of a limit.
func (d *deriver) dataResiduals(b *bind.Limit) *residuals {
	r := &residuals{symbols: map[*expr.Node]*expr.Node{}, values: map[*expr.Node]*expr.Node{}}
	ofData := map[*expr.Node]bool{d.g.Size(expr.Rows): true}
	for _, q := range d.p.Target.Observed() {
		ofData[q.Sym] = true
	}
	roots := []*expr.Node{b.LogPDF}
	for _, p := range slices.Concat(b.Path, b.From) {
		roots = append(roots, p.Node)
	}
	for _, s := range b.Starts {
		for _, v := range s.Values {
			roots = append(roots, v.Node)
		}
	}
	expr.Walk(func(n *expr.Node) {
		if len(n.Args) == 0 {
			return
		}
		all, some := true, false
		for _, a := range n.Args {
			all, some = all && (ofData[a] || a.Op == expr.Const), some || ofData[a]
		}
		ofData[n] = all && some
		if ofData[n] && n.Op == expr.Lin && len(n.Args) > 1 && n.Type.Axes.Has(expr.Rows) {
			d.addResidual(r, n)
		}
	}, roots...)
	return r
}

// addResidual gives a difference a symbol; the opposite one has the opposite symbol.
func (d *deriver) addResidual(r *residuals, n *expr.Node) {
	if r.symbols[n] != nil {
		return
	}
	s := d.g.Sym(fmt.Sprintf("residual.%d", len(r.values)+1), n.Type, expr.Unknown)
	r.symbols[n], r.symbols[d.g.Neg(n)] = s, d.g.Neg(s)
	r.values[s] = n
}
