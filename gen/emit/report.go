package emit

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// report writes the methods of runtime.Quantities.
func (f *file) report() {
	r := f.d.Report
	if r == nil {
		return
	}
	at := layout{components: f.components()}
	for _, q := range r.Quantities {
		at = at.add(place{Type: q.Node.Type})
	}
	kernel := func() *plan.Kernel {
		return &plan.Kernel{Inputs: append(f.thetaSlices(), f.dataInputs()...), Names: map[*expr.Node]string{}}
	}
	k := kernel()
	for i, q := range r.Quantities {
		k.Outputs = append(k.Outputs, at.output(program.Argument("dst"), i, q.Node, "dst"+exported(q.Name), q.Kind.Type.Form.Has(types.Symmetric)))
	}
	arraysFirst(k)
	body, _ := f.kernel(k, rowSource{}, nil, spoil("dst")...)
	f.add("Quantities writes Info().Reported at the target's parameters theta to dst, one after the other.",
		method("Quantities").Params(floats("dst", "theta")).Block(body...))
	k = kernel()
	for i, w := range r.Weights {
		k.Inputs = append(k.Inputs, at.input(program.Argument("c"), i, w, f.local("c"+exported(r.Quantities[i].Name))))
	}
	k.Outputs = f.thetaOutputs("g", r.Gradient)
	body, _ = f.kernel(k, rowSource{}, nil, spoil("g")...)
	f.add("QuantitiesGradient writes the derivative of the sum of the quantities, times their weights c, by the target's parameters theta to g.",
		method("QuantitiesGradient").Params(floats("g", "theta", "c")).Block(body...))
}

// arraysFirst has numbers delivered last, so that one may use what an array is computed from.
func arraysFirst(k *plan.Kernel) {
	slices.SortStableFunc(k.Outputs, func(a, b plan.Output) int { return b.Type.Rank - a.Type.Rank })
}
