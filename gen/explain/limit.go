package explain

import (
	"fmt"

	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/spec"
)

// limits writes what the target tends to outside its parameters.
func (e *explainer) limits() {
	if len(e.d.Limits) == 0 {
		return
	}
	e.f.heading("Limits")
	e.f.text("Where parameters leave their domain the target tends to other distributions. A likelihood without a maximum has its " +
		"supremum in one of them.")
	x := list(declared(e.p.Target.Observed()))
	for _, l := range e.d.Limits {
		e.f.text(fmt.Sprintf("The limit %s, where %s. Its parameters:", l.Spec.Name, l.Spec.Ends()))
		e.params(l.Params)
		e.f.text("Log-density of one observation:")
		short := e.newShorthand()
		e.abbreviated(short, []equation{{side: side{"log q(" + x.text + ")", `\log q(` + x.latex + `)`}, node: l.LogPDF}})
		e.f.text("The target tends to it as @ goes to infinity in", side{spec.LimitScale, spec.LimitScale})
		e.abbreviated(short, given(l.Limit.Path))
		if l.From != nil {
			e.f.text("The limit that parameters of the target are near to has")
			e.abbreviated(short, given(l.Limit.From))
		}
	}
}

// given are definitions as equations.
func given(defs []bind.Def) []equation {
	var out []equation
	for _, d := range defs {
		out = append(out, equation{side: symbol(d.Sym), node: d.Node})
	}
	return out
}
