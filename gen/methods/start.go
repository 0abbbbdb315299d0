package methods

import (
	"fmt"

	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// starts are the starting points.
func (f *Package) starts() {
	for i := range f.d.Starts {
		f.start(fmt.Sprintf("start%d", i), &f.d.Starts[i], f.dataInputs())
	}
	if r := f.d.RandomStart; r != nil {
		f.start("randomStart", r, f.noise(r.Noise, f.dataInputs()))
	}
}

// start is one starting point in terms of inputs: standard parameters from the data and from draws, then coordinates from those.
func (f *Package) start(name string, s *derive.Start, in []plan.Input) {
	_, names := f.surrogateDefs()
	rows := f.dataRows()
	if m := f.Mixture(); m != nil {
		rows.Columns[m.Label] = LabelsField
	}
	by := f.readColumns(rows, f.DataStage)
	var defs []plan.Def
	for _, v := range s.Values {
		defs = append(defs, plan.Def{Sym: v.Sym, Name: f.ParamName(v.Sym, v.Name), Node: f.d.Problem.Graph.Substitute(v.Node, by)})
	}
	k := &plan.Kernel{Inputs: in, Defs: defs, Names: names, Outputs: f.coordOutputs("z", s.Coords), Rows: rows}
	f.add(name, k, called{f.ownSource(), false, true, false})
}

// WeightField and ScaleField are the sum of the weights of the rows that passes go over, and how much these count in a posterior: fields of
// support.Data and support.ScaledData.
const (
	WeightField = "N"
	ScaleField  = "Scale"
)

// LabelsField is the column with the groups of the rows.
const LabelsField = "labels"

// contained are the points where the approximation of a posterior is one that it contains, and where a fit from there begins.
func (f *Package) contained() {
	for i, c := range f.d.Contained {
		name := fmt.Sprintf("contained%d", i)
		f.containedPoint(name, c, &c.Equal)
		if c.Start != nil {
			f.containedPoint(name+"Start", c, c.Start)
		}
	}
}

// containedPoint is one point, in terms of the parameters of the contained approximation.
func (f *Package) containedPoint(name string, c *derive.Contained, s *derive.Start) {
	at := Layout{Components: f.Components}
	for _, q := range c.Given {
		at = at.Add(Place{Type: q.Sym.Type})
	}
	in := f.dataInputs()
	if len(s.Noise) > 0 {
		in = f.noise(s.Noise, in)
	}
	for i, q := range c.Given {
		in = append(in, at.input(program.Argument("theta"), i, q.Sym, f.Local("from"+exported(q.Name))))
	}
	f.start(name, s, in)
}
