package explain

import (
	"fmt"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/derive"
)

// sites writes how expectation propagation takes the log joint density apart.
func (e *explainer) sites() {
	s := e.d.Variational.Sites
	if s == nil || !s.Asked {
		return
	}
	e.f.heading("Expectation propagation")
	e.f.text(fmt.Sprintf("The fit is by expectation propagation with power %s (Minka 2001 and 2004), in place of the bound of the objective "+
		"below: every factor of the joint density that sees the latent variables through one number @, linear in them, has a site, the "+
		"exponential of a quadratic function of @. A natural step of a site goes along the difference between the moments of @ under the "+
		"tilted distribution, which has the factor in place of the site, and under @ (Hasenclever et al. 2017); with length 1 the moments "+
		"are matched.", e.g.Const(s.Power).String()), side{"s", "s"}, side{"s", "s"}, side{"s", "s"}, side{"q", "q"})
	for k := range s.Parts {
		e.factor(&s.Parts[k])
	}
	if len(s.Parts) == 0 {
		e.f.text("There are no such factors: the posterior is normal, and found at once.")
	}
	e.f.text("The rest is of second degree in the latent variables, and exact:")
	e.equations([]equation{{side: side{"quadratic", `\text{quadratic}`}, node: e.ofModel(s.Quadratic)[0]}})
}

// factor writes one part.
func (e *explainer) factor(part *derive.Part) {
	v := e.p.Variational
	s := e.g.Sym("explained.s", expr.Scalar, expr.Unknown)
	of := "Factor, with its predictor:"
	if part.ByRow {
		of = "Factor of a row, with its predictor:"
	}
	e.f.text(of)
	e.equations([]equation{
		{side: side{"log factor", `\log \text{factor}`}, node: e.ofRow(e.g.Substitute(part.H, map[*expr.Node]*expr.Node{part.S: s}))},
		{side: side{"s", "s"}, node: e.ofRow(derive.Predicted(e.g, part, v.Latent))},
	})
}

// ofRow writes a formula of one row with the names of the spec.
func (e *explainer) ofRow(n *expr.Node) *expr.Node {
	by := map[*expr.Node]*expr.Node{}
	for _, q := range e.p.Variational.Data {
		row := derive.OfOneRow(e.g, q)
		by[row] = e.g.Sym("explained.row."+q.Name, row.Type, row.Facts)
	}
	return e.g.Substitute(n, by)
}
