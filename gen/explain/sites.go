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
		"below: every factor of the joint density that sees the latent variables through one number @, or a few, linear in them, has a site, the "+
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
	symbols, predictors := map[*expr.Node]*expr.Node{}, derive.Predicted(e.g, part, e.p.Variational.Latent)
	equations := []equation{{side: side{"log factor", `\log \text{factor}`}}}
	for k, z := range part.S {
		name := side{"s", "s"}
		if len(part.S) > 1 {
			name = side{fmt.Sprintf("s%d", k+1), fmt.Sprintf("s_{%d}", k+1)}
		}
		symbols[z] = e.g.Sym("explained."+name.text, expr.Scalar, expr.Unknown)
		equations = append(equations, equation{side: name, node: e.ofRow(predictors[k])})
	}
	equations[0].node = e.ofRow(e.g.Substitute(part.H, symbols))
	of := map[bool]string{false: "Factor", true: "Factor of a row"}[part.ByRow]
	e.f.text(of + map[bool]string{false: ", with its predictor:", true: ", with its predictors:"}[len(part.S) > 1])
	e.equations(equations)
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
