package engine

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/emit"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
)

// model is a likelihood with its data: what generated packages call Model.
type model struct {
	*machine
	d          *derive.Result
	info       *runtime.Info
	conditions []runtime.Condition
	blocks     []runtime.Block
	rows       support.Rows
	parts      []*[]float64 // fields with their rows
	known      []int8       // of what limits need of the data: 0 not computed, 1 computed, -1 undefined
	limits     []limitNames
	entries    [functionCount]*entry
	self       runtime.Model // with the methods of what it is besides
	mass       [3][]float64  // what functions return several of
}

// New returns what makes models of a problem. The error, Unsupported, says what the engine cannot do.
func New(d *derive.Result, source string) (make func() runtime.Model, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case Unsupported:
			make, err = nil, e
		default:
			panic(e)
		}
	}()
	switch {
	case d.Problem.Variational != nil:
		return nil, Unsupported("approximations of posteriors")
	case slices.ContainsFunc(d.Problem.Target.Record(), func(q bind.Param) bool { return q.Kind.Type.Entry.Numbers }):
		return nil, Unsupported("numbers of entries in the data, index(G)")
	}
	pkg, err := emit.Describe(d)
	if err != nil {
		return nil, err
	}
	info := infoOf(d, pkg, source)
	newModel(d, pkg, info).compileAll()
	return func() runtime.Model { return newModel(d, pkg, info).self }, nil
}

func newModel(d *derive.Result, pkg *emit.Package, info *runtime.Info) *model {
	m := &model{machine: newMachine(pkg), d: d, info: info}
	for _, c := range d.Surrogate.Conditions {
		m.conditions = append(m.conditions, runtime.Condition{Block: c.Block, Text: c.Text})
	}
	for i := range m.mass {
		m.mass[i] = make([]float64, 1)
	}
	for _, name := range []string{"n", "blend"} {
		m.grown(name, 1)
	}
	m.limits = namesOfLimits(len(pkg.Limits))
	m.known, m.parts = make([]int8, len(pkg.Limits)), m.rowFields()
	if m.self = m.wrapped(); d.Problem.Target.Sample != nil {
		m.self = sampled(m.self, m)
	}
	if len(pkg.Dims) == 0 {
		m.allocate()
	}
	return m
}

// wrapped is the model with the methods of what it is besides.
func (m *model) wrapped() runtime.Model {
	switch {
	case m.info.Mixture:
		return &mixture{shaped{m}}
	case !m.d.Problem.Scalar() && m.d.Penalty != nil:
		return &penalisedShaped{shaped{m}, penalised{m}}
	case !m.d.Problem.Scalar():
		return &shaped{m}
	case m.d.Penalty != nil:
		return &penalisedScalar{scalar{m}, penalised{m}}
	}
	return &scalar{m}
}

// compileAll compiles all functions for some lengths, to see whether the engine can.
func (m *model) compileAll() {
	for _, d := range m.pkg.Dims {
		m.dims[d.Name] = 3
	}
	for name := range m.pkg.Functions {
		if !slices.Contains(notNeeded, name) {
			m.randomNumbers(name, m.function(name))
		}
	}
	for fn := range m.pkg.Solvers {
		m.solver(fn)
	}
}

// notNeeded are functions of packages that models have no use for.
var notNeeded = []string{"LogDensity"}

// allocate makes what depends on lengths.
func (m *model) allocate() {
	m.forget()
	m.entries = [functionCount]*entry{}
	m.blocks = m.blocksOf()
}

func (m *model) Info() *runtime.Info             { return m.info }
func (m *model) Blocks() []runtime.Block         { return m.blocks }
func (m *model) Conditions() []runtime.Condition { return m.conditions }

// entry is a function with its arguments.
type entry struct {
	u    *unit
	args [4]*[]float64
}

// The functions that models call.
const (
	gradients = iota
	naturalGradient
	loss
	violation
	dual
	theta
	thetaGradient
	freeLoss
	freeGradient
	freeHessian
	freeTheta
	fromTheta
	fisherFree
	fisherSurrogate
	responsibilities
	raiseWeights
	penaltyGradients
	penaltyThetaGradient
	quantities
	quantitiesGradient
	functionCount
)

var functions = [functionCount]struct {
	name string
	args []string
}{
	gradients:            {"Gradients", []string{"v", "c", "z"}},
	naturalGradient:      {"NaturalGradient", []string{"v", "z"}},
	loss:                 {"Loss", []string{"z"}},
	violation:            {"Violation", []string{"z"}},
	dual:                 {"Dual", []string{"dst", "z"}},
	theta:                {"Theta", []string{"dst", "z"}},
	thetaGradient:        {"ThetaGradient", []string{"g", "theta"}},
	freeLoss:             {"unconstrained.Loss", []string{"u"}},
	freeGradient:         {"unconstrained.Gradient", []string{"g", "u"}},
	freeHessian:          {"unconstrained.Hessian", []string{"h", "u"}},
	freeTheta:            {"unconstrained.Theta", []string{"dst", "u"}},
	fromTheta:            {"unconstrained.FromTheta", []string{"u", "theta"}},
	fisherFree:           {"FisherUnconstrained", []string{"dst", "u", "xs", "ws"}},
	fisherSurrogate:      {"FisherSurrogate", []string{"dst", "z", "xs", "ws"}},
	responsibilities:     {"Responsibilities", []string{"dst", "z"}},
	raiseWeights:         {"RaiseWeights", []string{"z"}},
	penaltyGradients:     {"PenaltyGradients", []string{"v", "c", "z"}},
	penaltyThetaGradient: {"PenaltyThetaGradient", []string{"g", "theta"}},
	quantities:           {"Quantities", []string{"dst", "theta"}},
	quantitiesGradient:   {"QuantitiesGradient", []string{"g", "theta", "c"}},
}

// entry compiles a function, unless it has been.
func (m *model) entry(k int) *entry {
	if e := m.entries[k]; e != nil {
		return e
	}
	e := &entry{u: m.function(functions[k].name)[0]}
	for i, name := range functions[k].args {
		e.args[i] = e.u.argument(name)
	}
	m.entries[k] = e
	return e
}

// value runs a function that returns a number.
func (e *entry) value() float64 {
	e.u.run()
	return e.u.value
}

// spoiled runs a function that writes to a slice, NaN to its first place where a matrix is not definite.
func (e *entry) spoiled(dst []float64) {
	if e.u.run() == indefinite {
		dst[0] = nan
	}
}

func (m *model) Loss(z []float64) float64 {
	e := m.entry(loss)
	*e.args[0] = z
	return e.value()
}

func (m *model) Gradients(v, c, z []float64) float64 {
	e := m.entry(gradients)
	*e.args[0], *e.args[1], *e.args[2] = v, c, z
	return e.value()
}

func (m *model) NaturalGradient(v, z []float64) {
	e := m.entry(naturalGradient)
	*e.args[0], *e.args[1] = v, z
	e.spoiled(v)
}

func (m *model) Violation(z []float64) int {
	e := m.entry(violation)
	*e.args[0] = z
	if e.u.run() == violated {
		return e.u.condition
	}
	return -1
}

func (m *model) Dual(dst, z []float64) {
	e := m.entry(dual)
	*e.args[0], *e.args[1] = dst, z
	e.spoiled(dst)
}

func (m *model) Theta(dst, z []float64) {
	e := m.entry(theta)
	*e.args[0], *e.args[1] = dst, z
	e.spoiled(dst)
}

// Quantities writes what reports show besides the parameters theta to dst; QuantitiesGradient the derivative of their sum, times
// weights c, to g. There are none where the spec has none.
func (m *model) Quantities(dst, theta []float64) {
	if m.d.Report != nil {
		e := m.entry(quantities)
		*e.args[0], *e.args[1] = dst, theta
		e.spoiled(dst)
	}
}

func (m *model) QuantitiesGradient(g, theta, c []float64) {
	if m.d.Report != nil {
		e := m.entry(quantitiesGradient)
		*e.args[0], *e.args[1], *e.args[2] = g, theta, c
		e.spoiled(g)
	}
}

func (m *model) Sizes() []int {
	if len(m.pkg.Dims) == 0 {
		return nil
	}
	var out []int
	for _, d := range m.pkg.Dims {
		out = append(out, m.dims[d.Name])
	}
	return out
}

func (m *model) Resize(sizes []int) error {
	if err := support.CheckSizes(m.info, sizes); err != nil {
		return err
	}
	for i, d := range m.pkg.Dims {
		m.dims[d.Name] = sizes[i]
	}
	m.rows = nil
	m.view(nil)
	m.allocate()
	m.prepare()
	return nil
}

func (m *model) Counts() (rows, distinct int, weight float64) {
	return m.rows.Given(), len(*m.field("w")), (*m.field("n"))[0]
}

func (m *model) Observations() runtime.Data {
	var parts [][]float64
	for _, c := range m.pkg.Data {
		parts = append(parts, *m.field(c.Name))
	}
	return support.Held(*m.field("w"), parts...)
}

// view sets the weights, the data, and what has been computed for every row, to rows; nil is all of them.
func (m *model) view(rows []int) {
	for i, f := range m.parts {
		if i < len(m.rows) {
			*f = m.rows[i].Batch(rows)
		} else {
			*f = nil
		}
	}
	(*m.field("n"))[0] = support.Sum(*m.parts[0])
}

// rowFields are the fields that have their rows from the batch: weights, data, and what is computed for every row, unless equal
// rows are merged.
func (m *model) rowFields() []*[]float64 {
	out := []*[]float64{m.field("w")}
	for _, c := range m.pkg.Data {
		out = append(out, m.field(c.Name))
	}
	if !m.pkg.Merged {
		for _, c := range m.pkg.Stage {
			out = append(out, m.field(c.Name))
		}
	}
	return out
}

// run runs a function without arguments, if the package has it.
func (m *model) run(name string) {
	if m.pkg.Functions[name] != nil {
		for _, u := range m.function(name) {
			u.run()
		}
	}
}

// prepare computes what depends on the data alone.
func (m *model) prepare() {
	clear(m.known)
	m.run("prepare")
}

// columns computes what depends on the data alone, for every row.
func (m *model) columns() {
	for _, c := range m.pkg.Stage {
		m.column(c)
	}
	m.run("columns")
	if m.pkg.Merged {
		return
	}
	for _, c := range m.pkg.Stage {
		m.rows.Keep(m.size(c.Type.Dims[:c.Type.Rank]), *m.field(c.Name))
	}
}

// column makes memory for a number, or several, of every row.
func (m *model) column(c emit.Column) {
	n := len(*m.field("w")) * m.size(c.Type.Dims[:c.Type.Rank])
	if f := m.field(c.Name); m.pkg.Merged {
		*f = support.Grow(*f, n)
	} else {
		*f = make([]float64, n)
	}
}

func (m *model) Batch(rows []int) error {
	if err := support.CheckBatch(rows, m.rows.Given()); err != nil {
		return err
	}
	m.view(rows)
	if m.pkg.Merged {
		m.columns()
	}
	m.prepare()
	return nil
}

func (m *model) Clone() runtime.Model {
	clone := newModel(m.d, m.pkg, m.info)
	for name, n := range m.dims {
		clone.dims[name] = n
	}
	if len(m.pkg.Dims) > 0 && m.blocks != nil {
		clone.allocate()
	}
	for _, name := range append([]string{"blend"}, m.pkg.Constants...) {
		*clone.field(name) = slices.Clone(*m.field(name))
	}
	clone.rows = m.rows.Shared()
	if m.rows.Given() > 0 {
		_ = clone.Batch(nil)
	}
	return clone.self
}

// SetData takes a data set.
func (m *model) SetData(d runtime.Data) error {
	take := m.takeRows
	if len(m.d.Problem.Target.Record()) > 1 {
		take = m.takeRecords
	}
	if err := take(d); err != nil {
		return err
	}
	m.view(nil)
	m.run("constants")
	if len(m.pkg.Stage) > 0 {
		m.columns()
	}
	m.prepare()
	return nil
}

// knows refuses data of a model of which a length that the data do not have is not known.
func (m *model) knows(given ...string) error {
	for _, d := range m.pkg.Dims {
		switch {
		case m.dims[d.Name] > 0 || slices.Contains(given, d.Name):
		case d == m.pkg.Components:
			return fmt.Errorf("%s needs its number of components before data: see SetComponents", m.info.Name)
		default:
			return fmt.Errorf("the data do not say how long dimension %s is: see Resize, or pin it in the spec", d.Name)
		}
	}
	return nil
}

// take sets a length that the data have.
func (m *model) take(name string, n int) {
	if name != "" && m.dims[name] != n {
		m.dims[name] = n
		m.allocate()
	}
}

// Outside returns the index in Info().Support of the first condition that a row of data does not meet, or -1.
func (m *model) Outside(row []float64) int {
	if len(m.info.Support) == 0 {
		return -1
	}
	u := m.function("Outside")[0]
	if u.set("row", row).run() == violated {
		return u.condition
	}
	return -1
}

// inSupport refuses rows outside the support. They are checked by a model of their length, so that this one stays as it is.
func (m *model) inSupport(d runtime.Data, name string, length int) error {
	if len(m.info.Support) == 0 {
		return nil
	}
	sized := newModel(m.d, m.pkg, m.info)
	for name, n := range m.dims {
		sized.dims[name] = n
	}
	if name != "" {
		sized.dims[name] = length
	}
	return support.CheckSupport(d, sized.self.(runtime.Supported))
}

// takeRows checks and keeps the rows of data that are values of the variable.
func (m *model) takeRows(d runtime.Data) error {
	x := m.d.Problem.Target.Variable
	columns, name := 1, ""
	if t := x.Sym.Type; t.Rank > 0 {
		if columns, name = t.Dims[0].Size, t.Dims[0].Name; name != "" {
			columns = max(d.Columns, 1)
		}
	}
	if err := m.knows(name); err != nil {
		return err
	}
	if err := support.CheckData(d, columns, x.Kind.Type, x.Name); err != nil {
		return err
	}
	if err := m.inSupport(d, name, columns); err != nil {
		return err
	}
	if m.take(name, columns); m.pkg.Merged {
		m.rows = support.MergedRowsOf(d)
	} else {
		m.rows = support.RowsOf(d)
	}
	return nil
}

// takeRecords checks and keeps the rows of data of several parts.
func (m *model) takeRecords(d runtime.Data) error {
	fixed, times, name := 0, 0, ""
	record := m.d.Problem.Target.Record()
	for _, q := range record {
		switch t := q.Sym.Type; {
		case t.Rank == 0:
			fixed++
		case t.Dims[0].Name == "":
			fixed += t.Dims[0].Size
		default:
			times, name = times+1, t.Dims[0].Name
		}
	}
	if err := m.knows(name); err != nil {
		return err
	}
	length := 0
	if times > 0 {
		if length = (d.Columns - fixed) / times; length < 1 || length*times+fixed != d.Columns {
			return fmt.Errorf("%d columns are not %s", d.Columns, emit.ColumnNames(record))
		}
	}
	var parts []support.Part
	for _, q := range record {
		width := length
		switch t := q.Sym.Type; {
		case t.Rank == 0:
			width = 1
		case t.Dims[0].Name == "":
			width = t.Dims[0].Size
		}
		parts = append(parts, support.Part{Name: q.Name, Type: q.Kind.Type, Width: width})
	}
	rows, err := support.Split(d, parts)
	if err != nil {
		return err
	}
	if err := m.inSupport(d, name, length); err != nil {
		return err
	}
	m.take(name, length)
	m.rows = rows
	return nil
}

// shapeOf is a shape in numbers.
func (m *machine) shapeOf(s program.Shape) int {
	n := m.size(s.Dims)
	if s.Stacked {
		n *= m.components()
	}
	return n
}
