package derive

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
)

// Limit is a limit of the target: its mean negative log-likelihood as a function of its own parameters, and the way there.
type Limit struct {
	*bind.Limit
	Objective
	Path        []Def // parameters of the target in terms of those of the limit and of Scale
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
	o, err := d.objectiveIn(d.meanNLL(d.simplify(nil, b.LogPDF)[0]), b.Params)
	if err != nil {
		return nil, err
	}
	out.Objective = *o
	for _, p := range b.Path {
		out.Path = append(out.Path, Def{Name: p.Name, Sym: p.Sym, Node: d.finish(nil, []*expr.Node{p.Node})[0]})
	}
	for _, s := range b.Starts {
		out.Starts = append(out.Starts, d.limitStart(s))
	}
	if b.RandomStart != nil {
		s := d.limitStart(*b.RandomStart)
		out.RandomStart = &s
	}
	return out, nil
}

func (d *deriver) limitStart(s bind.Draws) LimitStart {
	out := LimitStart{Noise: s.Noise}
	for _, v := range s.Values {
		out.Values = append(out.Values, Def{Name: Plain(v.Sym.Name), Sym: v.Sym, Node: d.stabilise(d.simplify(nil, v.Node)...)[0]})
	}
	return out
}
