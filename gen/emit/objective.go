package emit

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// thetaSlices are the target's parameters, read from a slice theta.
func (f *file) thetaSlices() []plan.Input {
	var in []plan.Input
	at := f.thetaLayout()
	for i, t := range f.d.Problem.Target.Params {
		in = append(in, at.input(program.Argument("theta"), i, t.Sym, f.paramName(t.Sym, t.Name)))
	}
	return in
}

// objective writes ThetaGradient, for problems without unconstrained coordinates.
func (f *file) objective() {
	o := f.d.Objective
	if o == nil {
		return
	}
	k := &plan.Kernel{Inputs: append(f.thetaSlices(), f.dataInputs()...), Rows: f.rows,
		Names: map[*expr.Node]string{f.rows.Sym: f.local(f.d.Problem.Target.Variable.Name)}}
	for i, c := range o.Conditions {
		k.Guards = append(k.Guards, plan.Guard{Node: c.Node, Range: c.Range, Definite: c.Definite, Index: i})
	}
	k.Outputs = append(f.thetaOutputs("g", o.Gradient), result(o.Loss))
	body, _ := f.kernel(k, f.ownSource(), returnNaN)
	f.add("ThetaGradient writes the derivative of the loss with respect to the target's parameters theta to g, and returns the\n"+
		"loss; NaN outside the domain of the target. Both are in the order and layout of Theta.",
		method("ThetaGradient").Params(floats("g", "theta")).Float64().Block(body...))
}
