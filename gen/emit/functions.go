package emit

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/runtime"
)

// Package is what the package of a problem consists of, for who runs its programs instead of printing them: the same functions,
// with what is written around them as data.
type Package struct {
	Functions map[string]*Function
	// Solvers are the functions that solve equations, Integrals those that compute expectations.
	Solvers, Integrals map[*expr.Lambda]string
	// Dims are the lengths that have names, that of the components last.
	Dims       []expr.Dim
	Components expr.Dim
	// Info, Conditions and Coordinates describe the problem, its domain, and where the coordinates lie.
	Info        *runtime.Info
	Conditions  []runtime.Condition
	Coordinates []Coordinate
	// Data are the fields with the parts of the data, in their order; Stage those that are computed for every row, Limits those
	// that the limits need, computed when they are asked for.
	Data   []Column
	Stage  []Column
	Limits [][]Column
	// Merged is whether equal rows of the data are one.
	Merged bool
	// Undivided is the name of a function that needs all rows in one process, "" where there is none.
	Undivided string
	// Constants are the fields with constants of the families, which are those of all data.
	Constants []string
	// Posterior is what the package of a posterior has besides, nil for a likelihood.
	Posterior *Posterior
}

// Function is a function of a package: its programs one after the other, with the random numbers that are drawn in front of them.
type Function struct {
	Draws []Draw
	Steps []Step
	// Own is whether what is drawn from a mixture depends on the component that it is drawn from.
	Own bool
}

// Step is a program with how it is called.
type Step struct {
	Program *program.Program
	Rows    Source
	// Checked is whether the function ends where a condition does not hold, Definite whether it ends where a matrix without a
	// condition of its own is not positive definite.
	Checked, Definite bool
}

// Source is where the rows of a program come from.
type Source int

// The sources.
const (
	NoRows        Source = iota
	OwnRows              // the data of the model
	GivenRows            // the arguments xs and ws
	DrawRows             // the draws
	PredictorRows        // the argument xs
)

// Draw is a random number, or an array of them, in terms of what was drawn before.
type Draw struct {
	Kind  string
	Args  []program.Expr // for an array of the entry
	To    *program.Given
	Shape program.Shape
}

// Coordinate is a block of coordinates, with places that depend on the lengths.
type Coordinate struct {
	Block       runtime.Block // but for its place
	Offset, Len program.Length
	Copies      bool // one for each component
}

// Column is a field with numbers for every row.
type Column struct {
	Name string
	Type expr.Type
}

// source says where rows come from.
func (r rowSource) source() Source {
	switch r {
	case givenRows:
		return GivenRows
	case drawRows:
		return DrawRows
	case predictorRows:
		return PredictorRows
	case rowSource{}:
		return NoRows
	}
	return OwnRows
}

// Describe returns the package of a problem. The error says that the planner has no code for something.
func Describe(d *derive.Result, o Options) (p *Package, err error) {
	defer unsupported(&err)
	f := newFile(d, o)
	f.unprinted = true
	f.functions()
	p = &Package{Functions: map[string]*Function{}, Solvers: f.solverNames, Dims: f.dims(), Components: f.components(),
		Info: f.describe(), Conditions: f.conditionsInfo(), Coordinates: f.blocksInfo(), Merged: f.merged(), Undivided: f.undivided(), Integrals: f.integratorNames()}
	for _, s := range f.steps {
		name := s.Program.Name
		if p.Functions[name] == nil {
			p.Functions[name] = &Function{Draws: f.draws[name]}
		}
		p.Functions[name].Steps = append(p.Functions[name].Steps, s)
	}
	if sample := p.Functions["Sample"]; sample != nil {
		sample.Own = f.ownSample
	}
	if p.Posterior = f.posterior(); p.Posterior == nil {
		p.Data = append(p.Data, Column{"x", coreOf(d.Problem.Target.Variable.Sym.Type)})
	}
	for _, q := range f.dataParams() {
		p.Data = append(p.Data, Column{f.dataField(q), coreOf(q.Sym.Type)})
	}
	for _, c := range d.Problem.Constants {
		p.Constants = append(p.Constants, constantField(c.Sym))
	}
	p.Stage = columnsOf(f.stage.Columns)
	for _, l := range f.limited {
		p.Limits = append(p.Limits, columnsOf(l.stage.Columns))
	}
	return p, nil
}

func columnsOf(fields []plan.Field) []Column {
	var out []Column
	for _, c := range fields {
		out = append(out, Column{c.Name, coreOf(c.Node.Type)})
	}
	return out
}
