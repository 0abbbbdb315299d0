package methods

import (
	"fmt"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// ScanLayout is where the numbers of a scan lie: states, parameters in the derivatives, the parts of a row.
type ScanLayout struct{ States, Params, Rows Layout }

// scanSteps are the kernels of a scan, in the order of the actions of package series. Those of derivatives are missing where nobody
// asked for any.
func (f *Package) scanSteps(fn *expr.Lambda) []*plan.Kernel {
	at := ScanLayoutOf(fn)
	field := func(name string) *program.Given { return program.Field("scan", name) }
	names := map[string]bool{"scan": true, "slopes": true}
	for i := range max(len(fn.Params), len(fn.Rows)) {
		for _, prefix := range []string{"p", "r", "to"} {
			names[fmt.Sprint(prefix, i+1)] = true
		}
	}
	own := func(name string) string {
		for name = f.Local(name); names[name]; {
			name += "_"
		}
		names[name] = true
		return name
	}
	inputs := func(l Layout, from string, syms, called []*expr.Node, prefix string) (in []plan.Input) {
		for i, s := range syms {
			name, _, _ := strings.Cut(called[i].Name, "$")
			if prefix != "" {
				name = prefix + exported(name)
			}
			in = append(in, l.input(field(from), i, s, own(name)))
		}
		return in
	}
	outputs := func(l Layout, to string, nodes, syms []*expr.Node) (out []plan.Output) {
		count := map[string]int{}
		for i, n := range f.stable(nodes...) {
			name, _, _ := strings.Cut(syms[i].Name, "$")
			if count[name]++; count[name] > 1 { // what has been lifted out of the scan has no name of its own
				name = fmt.Sprint(name, count[name])
			}
			out = append(out, l.output(field(to), i, n, strings.ToLower(to[:1])+to[1:]+exported(name), false))
		}
		return out
	}
	params, _ := SolverParams(fn)
	params = append(params, f.sizes()[1:]...)
	step := append(append(params[:len(params):len(params)], inputs(at.States, "State", fn.Vars, fn.Vars, "")...), inputs(at.Rows, "Data", fn.Rows, fn.Rows, "")...)
	value := plan.Output{To: field("Value"), Node: f.stable(fn.Eqs[0])[0]}
	kernels := []*plan.Kernel{
		{Inputs: params, Outputs: outputs(at.States, "State", fn.Start, fn.Vars)},
		{Inputs: step, Outputs: append([]plan.Output{value}, outputs(at.States, "After", fn.Eqs[1:], fn.Vars)...)},
	}
	if a := fn.Adjoint; a != nil {
		cotangents := inputs(at.States, "Cotangent", a.Next, fn.Vars, "cotangent")
		back := append(append(step[:len(step):len(step)], cotangents...), plan.Input{Sym: a.Weight, From: field("Weight")})
		kernels = append(kernels,
			&plan.Kernel{Inputs: back, Outputs: append(outputs(at.States, "Before", a.States, fn.Vars), outputs(at.Params, "Gradient", a.Params, fn.Params)...)},
			&plan.Kernel{Inputs: append(params[:len(params):len(params)], cotangents...), Outputs: outputs(at.Params, "Gradient", a.AtStart, fn.Params)})
	}
	return kernels
}

func ScanLayoutOf(fn *expr.Lambda) ScanLayout {
	lay := func(syms []*expr.Node) (l Layout) {
		for _, s := range syms {
			l = l.Add(Place{Type: s.Type})
		}
		return l
	}
	return ScanLayout{lay(fn.Vars), lay(fn.Params), lay(fn.Rows)}
}
