// Package methods says which functions the package of a problem has, and of which kernels each consists: a table of methods with conditions, from a
// derived problem to programs. Whoever prints programs, runs them, or counts what they cost begins with what it returns.
package methods

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/pass"
	"github.com/sngdgen/sngdgen/gen/program/verify"
	"github.com/sngdgen/sngdgen/runtime"
)

// Package is what the package of a problem consists of: functions with their programs, and what is written around them, as data.
type Package struct {
	Functions map[string]*Function
	// Solvers are the functions that solve equations, Integrals those that compute expectations. SolverOrder and IntegralOrder are the order in
	// which they are found.
	Solvers, Integrals         map[*expr.Lambda]string
	SolverOrder, IntegralOrder []*expr.Lambda
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
	// Merged is whether equal rows of the data are one: those of a likelihood that are no sequence. Replicates of a posterior have all rows.
	Merged bool
	// Undivided is the name of a function that needs all rows in one process, "" where there is none.
	Undivided string
	// Constants are the fields with constants of the families, which are those of all data.
	Constants []string
	// Posterior is what the package of a posterior has besides, nil for a likelihood.
	Posterior *Posterior
	// Lower are the fields of symmetric matrices of the data stage of which functions find the lower triangle.
	Lower []string
	// DataStage is what is computed once for a data set, Limited the same of each limit.
	DataStage *plan.DataStage
	Limited   []*plan.DataStage
	// Rows are where the objective finds its rows: the data, or the draws.
	Rows *plan.RowSource
	// Tables are the numbers that programs have in common.
	Tables program.Tables
	// Kept are the columns in which passes over the draws keep values for each other.
	Kept plan.Kept
	// Programs are those of the functions, in the order in which they are planned.
	Programs []*program.Program
	// Noises are the fields with random numbers, and with what is computed for them.
	Noises map[string]program.Shape

	d       *derive.Result
	kept    []kept // numbers of every row that functions read
	options Options
	staged  bool   // what is planned may be cut into stages
	pending []Draw // random numbers that are drawn in front of what is planned next
}

// Options change how programs are planned.
type Options struct {
	Source string // the path of the spec, for Info
	Passes pass.Options
	Costs  plan.Costs // nil for those of the table
}

// Row is a row of the table: a method, or several that are alike, with the condition under which a package has it.
type Row struct {
	Name string // of the method, or of those that are alike
	When func(*Package) bool
	plan func(*Package)
	// Staged is whether its functions are methods of the model that may be cut into stages.
	Staged bool
}

// Of chooses the functions of the package of a problem, and plans their programs. The error says that the planner has no code for something.
func Of(d *derive.Result, o Options) (p *Package, err error) {
	defer unsupported(&err)
	p = newPackage(d, o)
	for _, r := range Table {
		if r.When(p) {
			p.staged = r.Staged
			r.plan(p)
		}
	}
	p.lowerTriangles()
	p.describeAll()
	return p, nil
}

// Objective returns what a natural gradient, both gradients with the loss, the loss and the check of the domain are made of, and nothing else.
func Objective(d *derive.Result) *Package {
	p := newPackage(d, Options{})
	for _, r := range Table[:objective] {
		r.plan(p)
	}
	return p
}

// newPackage is a package without functions.
func newPackage(d *derive.Result, o Options) *Package {
	stage := plan.NewDataStage(d.Problem.Graph)
	rows := &plan.RowSource{Sym: d.Problem.Target.Variable.Sym, Fixed: stage, Constants: d.Problem.ConstantSyms()}
	f := &Package{d: d, options: o, DataStage: stage, Rows: rows, Functions: map[string]*Function{}, Solvers: map[*expr.Lambda]string{},
		Integrals: map[*expr.Lambda]string{}, Noises: map[string]program.Shape{}}
	if m := d.Problem.Mixture; m != nil {
		f.Components = m.Components
	}
	f.Dims = f.dims()
	rows.Columns = f.givenColumns()
	if f.Variational() != nil {
		f.Rows = &plan.RowSource{Sym: rows.Sym, Columns: f.drawColumns()}
		if m := d.Problem.Mixture; m != nil {
			f.Rows.Stratum = m.Own(d.Problem.Graph)
		}
	}
	for _, dim := range f.Dims {
		rows.Constants = append(rows.Constants, d.Problem.Graph.DimNode(dim))
	}
	f.Merged = f.Variational() == nil && !d.Problem.Target.Ordered()
	return f
}

// Usage is what a function of one program costs.
func (f *Package) Usage(name string) Usage { return f.Functions[name].Steps[0].Usage }

// called says how a program is called.
type called struct {
	rows              Source
	checked, definite bool
	ranged            bool // its passes are cut into ranges, whatever its name
}

// add plans a kernel, the next one of a function.
func (f *Package) add(name string, k *plan.Kernel, c called) { f.append(name, f.planned(k), c) }

// planned is the program of a kernel, with what it costs.
func (f *Package) planned(k *plan.Kernel) *plan.Program {
	k.Graph, k.Dims, k.Components, k.Tables = f.d.Problem.Graph, f.Dims, f.Components, &f.Tables
	k.Passes, k.Costs, k.Kept = f.options.Passes, f.options.Costs, &f.Kept
	return plan.Plan(k)
}

// append makes a program the next one of a function.
func (f *Package) append(name string, planned *plan.Program, c called) {
	p := planned.Program
	p.Name = name
	if c.rows == OwnRows && (c.ranged || f.Variational() == nil || ofSteps(name)) {
		program.CutPasses(p, func(pass *program.Pass) bool { return HandedTo(p, pass).fits() })
	}
	if err := verify.Program(p); err != nil {
		panic(unsound{err})
	}
	for _, s := range p.Body {
		f.useOf(s)
	}
	f.Programs = append(f.Programs, p)
	of := f.function(name)
	of.Steps = append(of.Steps, Step{Program: p, Rows: c.rows, Checked: c.checked, Definite: c.definite, staged: f.staged, Usage: Usage{planned.Cost, planned.Budget, planned.Inverted}})
	of.Draws, f.pending = append(of.Draws, f.pending...), nil
}

// function is a function by its name.
func (f *Package) function(name string) *Function {
	if f.Functions[name] == nil {
		f.Functions[name] = &Function{}
	}
	return f.Functions[name]
}

// useOf notes the functions that a statement, or one inside it, calls: those that solve equations, and integrals.
func (f *Package) useOf(s program.Stmt) {
	program.Functions(s, func(op *expr.Op, fn *expr.Lambda) {
		switch {
		case op == expr.Expectation && f.Integrals[fn] == "":
			f.IntegralOrder = append(f.IntegralOrder, fn)
			f.Integrals[fn] = "expectations"
			if n := len(f.IntegralOrder); n > 1 {
				f.Integrals[fn] += fmt.Sprint(n)
			}
		case (op == expr.Root || op == expr.Series) && f.Solvers[fn] == "":
			f.SolverOrder = append(f.SolverOrder, fn)
			f.Solvers[fn] = f.solverName(fn)
		}
	})
}

// solverName is a name for a function that solves equations, by its first unknown.
func (f *Package) solverName(fn *expr.Lambda) string {
	unknown, _, _ := strings.Cut(fn.Vars[0].Name, "$")
	first := "root" + exported(unknown)
	if len(fn.Rows) > 0 {
		first = "scan" + exported(unknown)
	}
	name := first
	for i := 2; slices.Contains(slices.Collect(maps.Values(f.Solvers)), name); i++ {
		name = fmt.Sprintf("%s_%d", first, i)
	}
	return name
}

// exported turns a name of a spec into an exported Go name.
func exported(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// Function is a function of a package: its programs one after the other, with the random numbers that are drawn in front of them.
type Function struct {
	Draws []Draw
	Steps []Step
	// Own is whether what is drawn from a mixture depends on the component that it is drawn from.
	Own bool
	// States are the states that draws of a sequence carry along; then the second program begins a series. Series is where a row says
	// which series it belongs to, nil where there is one.
	States []StatePlace
	Series *program.Given
}

// Step is a program with how it is called.
type Step struct {
	Program *program.Program
	Rows    Source
	// Checked is whether the function ends where a condition does not hold, Definite whether it ends where a matrix without a
	// condition of its own is not positive definite.
	Checked, Definite bool
	// PartOf is the function that it is a part of, "" where it has been planned by itself.
	PartOf string
	// Cut is the program with stages, once the package has been cut into these.
	Cut    *program.Program
	staged bool
	Usage
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
	Field string // of the model, with the memory of an array
	Said  int    // how many parameters the spec gives: others are defaults
	// Shares says that an entry has of the first parameter what those before it have left.
	Shares bool
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

// unsound is a fault of the planner that the verifier has found: no spec should lead to one.
type unsound struct{ fault error }

// Usage is what a kernel costs.
type Usage struct {
	plan.Cost
	plan.Budget
	Inverted []*expr.Node
}

func columnsOf(fields []plan.Field) []Column {
	var out []Column
	for _, c := range fields {
		out = append(out, Column{c.Name, CoreOf(c.Node.Type)})
	}
	return out
}

// unsupported makes an error of what the planner has no code for, and of programs that are not sound.
func unsupported(err *error) {
	switch r := recover().(type) {
	case nil:
	case plan.Unsupported:
		*err = r
	case unsound:
		*err = r
	default:
		panic(r)
	}
}

func (u unsound) Error() string {
	return "this is a fault of sngdgen; please report it with the spec: " + u.fault.Error()
}
