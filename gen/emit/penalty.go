package emit

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
)

// penalty writes the methods of runtime.Penalised.
func (f *file) penalty() {
	q := f.d.Penalty
	if q == nil {
		return
	}
	outputs := append(f.coordOutputs("v", q.Natural), f.coordOutputs("c", q.Covector)...)
	k := f.surrogateKernel(false, append(outputs, result(q.Loss))...)
	body, _ := f.kernel(k, f.ownSource(), nil, returnNaN(0))
	f.add("PenaltyGradients writes the natural gradient of the penalty at z, divided by the sum of the weights, to v and the ordinary\n"+
		"gradient to c, and returns the value. It does not check the domain. The penalty is\n\n\t"+display(q.Formula),
		method("PenaltyGradients").Params(floats("v", "c", "z")).Float64().Block(body...))

	k = &plan.Kernel{Inputs: append(f.thetaSlices(), f.dataInputs()...), Rows: f.rows, Names: map[*expr.Node]string{}}
	for i, c := range q.Conditions {
		k.Guards = append(k.Guards, plan.Guard{Node: c.Node, Range: c.Range, Definite: c.Definite, Index: i})
	}
	k.Outputs = append(f.thetaOutputs("g", q.Gradient), result(q.Objective.Loss))
	body, _ = f.kernel(k, f.ownSource(), returnNaN)
	f.add("PenaltyThetaGradient writes the derivative of the penalty, divided by the sum of the weights, with respect to the target's\n"+
		"parameters theta to g, and returns the value; NaN outside the domain of the target.",
		method("PenaltyThetaGradient").Params(floats("g", "theta")).Float64().Block(body...))
}
