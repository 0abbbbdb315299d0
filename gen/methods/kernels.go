package methods

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// surrogateKernel is a kernel in the stepped coordinates.
func (f *Package) surrogateKernel(guards bool, outputs ...plan.Output) *plan.Kernel {
	defs, names := f.surrogateDefs()
	k := &plan.Kernel{Inputs: f.coordInputs(), Defs: defs, Names: names, Outputs: outputs, Rows: f.Rows}
	if guards {
		for i, c := range f.d.Surrogate.Conditions {
			k.Guards = append(k.Guards, plan.Guard{Node: c.Node, Range: c.Range, Definite: c.Definite, Index: i})
		}
	}
	return k
}

// coordOutputs lists one value for each coordinate, thetaOutputs one for each parameter of the target.
func (f *Package) coordOutputs(slice string, nodes []*expr.Node) []plan.Output {
	var names []string
	var places []*expr.Node
	for _, c := range f.d.Surrogate.Coords {
		names, places = append(names, c.Name), append(places, c.Sym)
	}
	return f.CoordLayout().outputs(slice, nodes, places, names)
}

func (f *Package) thetaOutputs(slice string, nodes []*expr.Node) []plan.Output {
	var names []string
	var places []*expr.Node
	for _, t := range f.d.Problem.Target.Params {
		names, places = append(names, t.Name), append(places, t.Sym)
	}
	return f.ThetaLayout().outputs(slice, nodes, places, names)
}

// unconstrainedKernel is a kernel in the unconstrained coordinates.
func (f *Package) unconstrainedKernel(outputs ...plan.Output) *plan.Kernel {
	u := &f.d.Unconstrained
	k := &plan.Kernel{Outputs: outputs, Rows: f.Rows, Names: map[*expr.Node]string{f.Rows.Sym: f.Local(f.d.Problem.Target.Variable.Name)}}
	k.Inputs = f.unconstrainedInputs()
	for _, t := range u.Theta {
		k.Defs = append(k.Defs, plan.Def{Sym: t.Sym, Name: f.Local(t.Name), Node: t.Node})
	}
	return k
}

func (f *Package) unconstrainedInputs() []plan.Input {
	var in []plan.Input
	for i, c := range f.d.Unconstrained.Coords {
		in = append(in, plan.Input{Sym: c, Name: derive.Plain(c.Name), From: program.Argument("u").Entry(i)})
	}
	return append(in, f.dataInputs()...)
}

// gradients are both gradients and the loss.
func (f *Package) gradients() {
	s := &f.d.Surrogate
	outputs := append(f.coordOutputs("v", s.Natural), f.coordOutputs("c", s.Covector)...)
	f.add("Gradients", f.surrogateKernel(true, append(outputs, result(s.Loss))...), called{f.ownSource(), true, true, false})
}

// Natural is what NaturalGradient gives: the natural gradient, and the ordinary one of auxiliary parameters.
func (f *Package) Natural() []*expr.Node {
	step := slices.Clone(f.d.Surrogate.Natural)
	for i, c := range f.d.Surrogate.Coords {
		if c.Auxiliary {
			step[i] = f.d.Surrogate.Covector[i]
		}
	}
	return step
}

func (f *Package) naturalGradient() {
	alone := f.planned(f.surrogateKernel(false, f.coordOutputs("v", f.Natural())...))
	f.addPart("NaturalGradient", alone, "Gradients", f.naturalPart(), called{f.ownSource(), true, true, false})
}

func (f *Package) loss() {
	f.add("Loss", f.surrogateKernel(true, result(f.d.Surrogate.Loss)), called{f.ownSource(), true, true, false})
}

func (f *Package) violation() {
	f.add("Violation", f.surrogateKernel(true), called{f.ownSource(), true, false, false})
}

// dual are the dual coordinates.
func (f *Package) dual() {
	dual := slices.Clone(f.d.Surrogate.ToDual)
	for _, a := range f.d.Problem.Auxiliary {
		dual = append(dual, a.Sym)
	}
	f.add("Dual", f.surrogateKernel(false, f.coordOutputs("dst", dual)...), called{f.ownSource(), false, true, false})
}

// theta are the parameters of the target.
func (f *Package) theta() {
	var theta []*expr.Node
	for _, t := range f.d.Surrogate.Theta {
		theta = append(theta, t.Node)
	}
	f.add("Theta", f.surrogateKernel(false, f.thetaOutputs("dst", theta)...), called{f.ownSource(), false, true, false})
}

// outside checks the conditions on one row.
func (f *Package) outside() {
	row, by := f.d.Problem.Row(), map[*expr.Node]*expr.Node{}
	at := layoutOf(row)
	k := &plan.Kernel{Inputs: f.sizes()[1:]} // without the number of rows
	for i, q := range row {
		by[q.Sym] = f.d.Problem.Graph.Fresh(q.Name, CoreOf(q.Sym.Type), q.Kind.Facts)
		k.Inputs = append(k.Inputs, at.input(program.Argument("row"), i, by[q.Sym], f.Local(q.Name)))
	}
	for i, c := range f.d.Problem.Support() {
		node := f.stable(f.d.Problem.Graph.Substitute(c.Node, by))[0]
		k.Guards = append(k.Guards, plan.Guard{Node: node, Range: c.Range, Index: i})
	}
	f.add("Outside", k, called{NoRows, true, false, false})
}

// guards are conditions that end a function.
func guards(list []derive.Condition) (out []plan.Guard) {
	for i, c := range list {
		out = append(out, plan.Guard{Node: c.Node, Range: c.Range, Definite: c.Definite, Index: i})
	}
	return out
}

// thetaGradient is the objective in the parameters of the target, for problems without unconstrained coordinates.
func (f *Package) thetaGradient() {
	o := f.d.Objective
	k := f.thetaKernel(append(f.thetaOutputs("g", o.Gradient), result(o.Loss))...)
	k.Guards = guards(o.Conditions)
	f.add("ThetaGradient", k, called{f.ownSource(), true, false, false})
}

// thetaLoss is the objective alone, for searches that need no derivatives.
func (f *Package) thetaLoss() {
	k := f.thetaKernel(result(f.d.Objective.Loss))
	k.Guards = guards(f.d.Objective.Conditions)
	f.add("ThetaLoss", k, called{f.ownSource(), true, false, false})
}

// finerLoss is the objective by finer rules for integrals and series, in the parameters of the target.
func (f *Package) finerLoss() {
	f.add("FinerLoss", f.thetaKernel(result(f.d.Finer)), called{f.ownSource(), false, false, false})
}

// thetaKernel is a kernel over the rows in the parameters of the target.
func (f *Package) thetaKernel(outputs ...plan.Output) *plan.Kernel {
	return &plan.Kernel{Inputs: append(f.thetaSlices(), f.dataInputs()...), Outputs: outputs, Rows: f.Rows,
		Names: map[*expr.Node]string{f.Rows.Sym: f.Local(f.d.Problem.Target.Variable.Name)}}
}

// penalty are the methods of runtime.Penalised.
func (f *Package) penalty() {
	q := f.d.Penalty
	outputs := append(f.coordOutputs("v", q.Natural), f.coordOutputs("c", q.Covector)...)
	f.add("PenaltyGradients", f.surrogateKernel(false, append(outputs, result(q.Loss))...), called{f.ownSource(), false, true, false})
	k := &plan.Kernel{Inputs: append(f.thetaSlices(), f.dataInputs()...), Rows: f.Rows, Names: map[*expr.Node]string{}}
	k.Guards = guards(q.Conditions)
	k.Outputs = append(f.thetaOutputs("g", q.Gradient), result(q.Objective.Loss))
	f.add("PenaltyThetaGradient", k, called{f.ownSource(), true, false, false})
}

// quantities are the methods of runtime.Quantities.
func (f *Package) quantities() {
	r := f.d.Report
	at := Layout{Components: f.Components}
	for _, q := range r.Quantities {
		at = at.Add(Place{Type: q.Node.Type})
	}
	kernel := func() *plan.Kernel {
		return &plan.Kernel{Inputs: append(f.thetaSlices(), f.dataInputs()...), Names: map[*expr.Node]string{}}
	}
	k := kernel()
	for i, q := range r.Quantities {
		k.Outputs = append(k.Outputs, at.output(program.Argument("dst"), i, q.Node, "dst"+exported(q.Name), q.Kind.Type.Form.Has(types.Symmetric)))
	}
	arraysFirst(k)
	f.add("Quantities", k, called{NoRows, false, true, false})
	k = kernel()
	for i, w := range r.Weights {
		k.Inputs = append(k.Inputs, at.input(program.Argument("c"), i, w, f.Local("c"+exported(r.Quantities[i].Name))))
	}
	k.Outputs = f.thetaOutputs("g", r.Gradient)
	f.add("QuantitiesGradient", k, called{NoRows, false, true, false})
}

// unconstrained is the objective in unconstrained coordinates.
func (f *Package) unconstrained() {
	u := &f.d.Unconstrained
	add := func(name string, k *plan.Kernel, rows Source) { f.add(UnconstrainedPrefix+name, k, called{rows: rows}) }
	add("Loss", f.unconstrainedKernel(result(u.Loss)), f.ownSource())
	add("Gradient", f.unconstrainedKernel(append(outputsTo("g", u.Gradient), result(u.Loss))...), f.ownSource())
	if u.Hessian != nil {
		add("Hessian", f.unconstrainedKernel(square("h", u.Hessian)...), f.ownSource())
	}
	var theta []*expr.Node
	var in []plan.Input
	for i, t := range u.Theta {
		theta = append(theta, t.Node)
		in = append(in, plan.Input{Sym: t.Sym, Name: f.Local(t.Name), From: program.Argument("theta").Entry(i)})
	}
	add("Theta", f.unconstrainedKernel(outputsTo("dst", theta)...), f.ownSource())
	add("FromTheta", &plan.Kernel{Inputs: in, Outputs: outputsTo("u", u.Inverse)}, NoRows)
}

// UnconstrainedPrefix stands in front of the names of the functions in unconstrained coordinates.
const UnconstrainedPrefix = "unconstrained."

// fisher is the Fisher information as sums over given nodes.
func (f *Package) fisher() {
	f.information("FisherUnconstrained", &f.d.Fisher.Unconstrained, f.unconstrainedKernel())
	f.information("FisherSurrogate", &f.d.Fisher.Surrogate, f.surrogateKernel(false))
}

func (f *Package) information(name string, in *derive.Information, k *plan.Kernel) {
	k.Rows = &plan.RowSource{Sym: f.Rows.Sym} // the nodes, not the data
	k.Outputs = append(square("dst", in.Matrix),
		plan.Output{To: program.Argument("mass"), Node: in.Mass}, plan.Output{To: program.Argument("mean"), Node: in.First}, plan.Output{To: program.Argument("square"), Node: in.Second})
	f.add(name, k, called{rows: GivenRows})
}

// responsibilities are those of the rows. Those of components that are all alike are the weights, for every row.
func (f *Package) responsibilities() {
	n := f.d.Responsibilities
	k := f.surrogateKernel(false)
	if n.Type.Axes.Has(expr.Rows) {
		k.Stores = []plan.Output{{To: program.Argument("dst"), Node: n}}
	} else {
		k.Outputs = []plan.Output{f.weightsTo(program.Argument("dst"), n)}
	}
	f.add("Responsibilities", k, called{f.ownSource(), false, true, false})
}

// raiseWeights keeps weights off 0: what the weights are, where they are no coordinates, and what belongs to all components.
func (f *Package) raiseWeights() {
	s := &f.d.Surrogate
	if f.d.Problem.Spec.Step == bind.Natural {
		f.add("RaiseWeights", f.surrogateKernel(false, f.weightsTo(program.Field("p", "weights"), f.Mixture().Weights)), called{rows: f.ownSource()})
	}
	if s.Raised == nil {
		return
	}
	k := f.surrogateKernel(false)
	memory := f.weightsTo(program.Field("p", "weights"), s.RaisedWeights)
	k.Inputs = append(k.Inputs, plan.Input{Sym: s.RaisedWeights, Name: "raised", From: memory.To})
	at := f.CoordLayout()
	for i, n := range s.Raised {
		if n != nil {
			symmetric := s.Coords[i].Sym.Facts.Structure&expr.Symmetric != 0
			k.Outputs = append(k.Outputs, at.output(program.Argument("z"), i, n, "raised"+exported(s.Coords[i].Name), symmetric))
		}
	}
	f.add("RaiseWeights", k, called{f.ownSource(), false, true, false})
}

// columnStage are the columns of the data stage, dataStage its numbers, from the columns.
func (f *Package) columnStage() {
	k := f.dataKernel()
	for _, d := range f.DataStage.Columns {
		k.Stores = append(k.Stores, plan.Output{To: program.Field("p", d.Name), Node: f.stable(d.Node)[0]})
	}
	f.add("columns", k, called{rows: OwnRows, ranged: true})
}

func (f *Package) dataStage() {
	f.add("prepare", f.scalarsOf(f.DataStage), called{rows: OwnRows, ranged: true})
}

// constants are those of the families, before anything that uses them.
func (f *Package) constants() {
	if len(f.d.Problem.Constants) == 0 {
		return
	}
	k := &plan.Kernel{Inputs: f.sizes(), Rows: f.dataRows()}
	for _, c := range f.d.Problem.Constants {
		k.Outputs = append(k.Outputs, plan.Output{To: program.Field("p", ConstantField(c.Sym)), Node: f.stable(c.Node)[0], Type: c.Sym.Type})
	}
	f.add("constants", k, called{rows: OwnRows, ranged: true})
}
