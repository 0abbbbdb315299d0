package plan

import (
	"maps"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// The model of a variational objective is evaluated for all draws in one call: the latent variables of all draws are stored
// in a pass over the draws, and what the call returns is a column of the passes after it.

// The columns of the call: what goes in, and what comes out.
const (
	DrawnColumn     = "drawn"
	ValuesColumn    = "jointValues"
	GradientsColumn = "jointGradients"
)

// storesAt lists the columns that are written at a level.
func (p *planner) storesAt(roots []*expr.Node, level int) []Output {
	var out []Output
	for _, o := range p.k.Stores {
		if p.level[o.Node] == level {
			out = append(out, o)
		}
	}
	if z := p.evaluated(roots, level); z != nil && p.k.Rows.Columns[z] != DrawnColumn {
		out = append(out, Output{To: program.Field("p", DrawnColumn), Node: z})
		out = append(out, p.keepAt(roots, level)...)
	}
	return out
}

// evaluated is the value of the latent variables at which the model is evaluated after the passes of a level, nil if it is
// not.
func (p *planner) evaluated(roots []*expr.Node, level int) (z *expr.Node) {
	p.walk(func(n *expr.Node) {
		if n.OfModel() && p.level[n] == level+1 && p.k.Rows.Columns[n] == "" {
			if z != nil && z != n.Args[0] {
				panic(Unsupported("a model at two values of its latent variables"))
			}
			z = n.Args[0]
		}
	}, roots...)
	return z
}

// termsAt are the terms of the model that are asked for at a value of the latent variables.
func (p *planner) termsAt(roots []*expr.Node, z *expr.Node) expr.Terms {
	var of *expr.Node
	p.walk(func(n *expr.Node) {
		if !n.OfModel() || n.Args[0] != z {
			return
		}
		if of != nil && of.Terms() != n.Terms() {
			panic(Unsupported("all terms of a model and some of them"))
		}
		of = n
	}, roots...)
	return of.Terms()
}

// evaluate calls the model after the passes of a level.
func (p *planner) evaluate(roots []*expr.Node, level int) {
	z := p.evaluated(roots, level)
	if z == nil {
		return
	}
	p.endComponents()
	k, rows := *p.k, *p.k.Rows
	e := &program.Evaluate{Terms: p.termsAt(roots, z)}
	value, gradient := k.Graph.LogJoint(z, e.Terms), k.Graph.LogJointGradient(z, e.Terms)
	p.walk(func(n *expr.Node) {
		e.Values, e.Gradients = e.Values || n == value, e.Gradients || n == gradient
	}, roots...)
	p.add(e)
	rows.Columns = maps.Clone(rows.Columns)
	if rows.Columns == nil {
		rows.Columns = map[*expr.Node]string{}
	}
	rows.Columns[z] = DrawnColumn
	rows.Columns[value] = ValuesColumn
	rows.Columns[gradient] = GradientsColumn
	maps.Copy(rows.Columns, p.kept)
	k.Rows = &rows
	p.k = &k
}
