package methods

import (
	"fmt"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// limits are the objectives of the limits of the target, the ways there, and starting points. What a limit needs of the data alone is computed
// when it is asked for first: most users of a model never ask, and a batch would pay for it at every step.
func (f *Package) limits() {
	for i, l := range f.d.Limits {
		stage := plan.NewDataStage(f.d.Problem.Graph)
		stage.Whole = true
		stage.Prefix = fmt.Sprintf("limit%d", i)
		f.Limited = append(f.Limited, stage)
		e := limit{Package: f, of: l, name: stage.Prefix, stage: stage,
			rows: &plan.RowSource{Sym: f.Rows.Sym, Fixed: stage, Constants: f.Rows.Constants, Columns: f.Rows.Columns}}
		e.gradient()
		e.path()
		e.from()
		e.data()
		for i := range l.Starts {
			e.start(fmt.Sprintf("%sStart%d", e.name, i), &l.Starts[i], f.dataInputs())
		}
		if r := l.RandomStart; r != nil {
			e.start(e.name+"RandomStart", r, f.noise(r.Noise, f.dataInputs()))
		}
	}
}

// limit is one of them.
type limit struct {
	*Package
	of    *derive.Limit
	name  string // of its functions
	stage *plan.DataStage
	rows  *plan.RowSource
}

// layout is where the parameters of the limit lie.
func (e *limit) layout() Layout {
	var l Layout
	for _, q := range e.of.Params {
		l = l.Add(Place{Type: q.Sym.Type})
	}
	return l
}

// kernel is a kernel in the parameters of the limit.
func (e *limit) kernel(outputs []plan.Output) *plan.Kernel {
	k := &plan.Kernel{Inputs: e.dataInputs(), Rows: e.rows, Outputs: outputs,
		Names: map[*expr.Node]string{e.Rows.Sym: e.Local(e.d.Problem.Target.Variable.Name)}}
	at := e.layout()
	for i, q := range e.of.Params {
		k.Inputs = append(k.Inputs, at.input(program.Argument("theta"), i, q.Sym, e.Local(q.Name)))
	}
	return k
}

// gradient is the objective of the limit.
func (e *limit) gradient() {
	var names []string
	var places []*expr.Node
	for _, q := range e.of.Params {
		names, places = append(names, q.Name), append(places, q.Sym)
	}
	k := e.kernel(append(e.layout().outputs("g", e.of.Gradient, places, names), result(e.of.Loss)))
	k.Guards = guards(e.of.Conditions)
	e.add(e.name+"Gradient", k, called{OwnRows, true, true, false})
}

// path are the parameters of the target on the way to the limit.
func (e *limit) path() {
	var nodes []*expr.Node
	for _, d := range e.of.Path {
		nodes = append(nodes, d.Node)
	}
	k := e.kernel(e.thetaOutputs("dst", nodes))
	k.Inputs = append(k.Inputs, plan.Input{Sym: e.of.Scale, From: program.Argument(e.Local("t"))})
	e.add(e.name+"Path", k, called{OwnRows, false, true, false})
}

// from are the parameters of the limit in terms of those of the target.
func (e *limit) from() {
	if e.of.From == nil {
		return
	}
	k := &plan.Kernel{Inputs: append(e.dataInputs(), e.thetaSlices()...), Rows: e.dataRows(), Names: map[*expr.Node]string{}}
	var nodes, places []*expr.Node
	var names []string
	for _, d := range e.of.From {
		nodes, places, names = append(nodes, d.Node), append(places, d.Sym), append(names, d.Name)
	}
	k.Outputs = e.layout().outputs("dst", nodes, places, names)
	e.add(e.name+"From", k, called{OwnRows, false, true, false})
}

// data is the data stage of the limit: columns, then numbers, where there are any. It may be undefined.
func (e *limit) data() {
	columns := e.dataKernel()
	for _, d := range e.stage.Columns {
		columns.Stores = append(columns.Stores, plan.Output{To: program.Field("p", d.Name), Node: e.stable(d.Node)[0]})
	}
	for _, k := range []*plan.Kernel{columns, e.scalarsOf(e.stage)} {
		if len(k.Stores)+len(k.Outputs) > 0 {
			e.add(e.name+"Data", k, called{OwnRows, false, true, false})
		}
	}
}

// start is one starting point of the limit.
func (e *limit) start(name string, s *derive.LimitStart, in []plan.Input) {
	k := &plan.Kernel{Inputs: in, Rows: e.dataRows(), Names: map[*expr.Node]string{}}
	at := e.layout()
	for _, v := range s.Values {
		k.Defs = append(k.Defs, plan.Def{Sym: v.Sym, Name: e.Local(v.Name), Node: v.Node})
	}
	for i, q := range e.of.Params {
		symmetric := q.Sym.Facts.Structure&expr.Symmetric != 0
		k.Outputs = append(k.Outputs, at.output(program.Argument("theta"), i, q.Sym, "theta"+exported(q.Name), symmetric))
	}
	e.add(name, k, called{OwnRows, false, true, false})
}
