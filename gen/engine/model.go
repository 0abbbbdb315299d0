package engine

import (
	"slices"

	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
)

// model is a likelihood with its data: what generated packages call Model.
type model struct {
	core
	known  []int8 // of what limits need of the data: 0 not computed, 1 computed, -1 undefined
	limits []limitNames
	self   runtime.Model // with the methods of what it is besides
	mass   [3][]float64  // what functions return several of
}

// New returns what makes models of a problem. The error, Unsupported, says what the engine cannot do.
func New(d *derive.Result, o methods.Options) (make func() runtime.Model, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case Unsupported:
			make, err = nil, e
		default:
			panic(e)
		}
	}()
	if v := d.Problem.Variational; v != nil && v.External {
		return nil, Unsupported("a log joint density that is a function in Go")
	}
	pkg, err := methods.Of(d, o)
	if err != nil {
		return nil, err
	}
	if d.Problem.Variational != nil {
		newPosterior(d, pkg).tryAll()
		return func() runtime.Model { return newPosterior(d, pkg).self }, nil
	}
	newModel(d, pkg).tryAll()
	return func() runtime.Model { return newModel(d, pkg).self }, nil
}

func newModel(d *derive.Result, pkg *methods.Package) *model {
	m := &model{core: newCore(d, pkg), limits: namesOfLimits(len(pkg.Limits)), known: make([]int8, len(pkg.Limits))}
	for i := range m.mass {
		m.mass[i] = make([]float64, 1)
	}
	m.parts = m.rowFields()
	if m.self = m.wrapped(); d.Problem.Target.Sample != nil {
		m.self = sampled(m.self, &m.core)
	}
	if len(pkg.Dims) == 0 {
		m.fresh()
	}
	return m
}

// wrapped is the model with the methods of what it is besides.
func (m *model) wrapped() runtime.Model {
	switch {
	case m.pkg.Info.Mixture:
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

// someLength is that of all dimensions where it is tried what the engine can do.
const someLength = 3

// tryAll compiles all functions.
func (m *model) tryAll() {
	for _, d := range m.pkg.Dims {
		m.dims[d.Name] = someLength
	}
	m.compileAll()
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

// FinerLoss is the loss by finer rules for integrals and series; NaN where Info().Approximated is empty.
func (m *model) FinerLoss(theta []float64) float64 {
	if m.d.Finer == nil {
		return nan
	}
	e := m.entry(finerLoss)
	*e.args[0] = theta
	return e.value()
}

func (m *model) Resize(sizes []int) error {
	if err := support.CheckSizes(m.pkg.Info, sizes); err != nil {
		return err
	}
	for i, d := range m.pkg.Dims {
		m.dims[d.Name] = sizes[i]
	}
	m.rows = nil
	m.view(nil)
	m.fresh()
	m.prepare()
	return nil
}

func (m *model) Counts() (rows, distinct int, weight float64) {
	rows, distinct = m.rows.Counts(m.w.Len())
	return rows, distinct, (*m.field(methods.WeightField))[0]
}

// Others are the processes that have other rows of the data, nil where the model has all of them.
func (m *model) Others() runtime.Reducer { return m.rows.Others() }

func (m *model) Observations() runtime.Data {
	var parts [][]float64
	for _, c := range m.pkg.Data {
		parts = append(parts, *m.field(c.Name))
	}
	return support.Held(*m.w, parts...)
}

// rowFields are the fields that have their rows from the batch, beside the weights: data, and what is computed for every row.
func (m *model) rowFields() []*[]float64 {
	var out []*[]float64
	for _, c := range m.pkg.Data {
		out = append(out, m.field(c.Name))
	}
	for _, c := range m.pkg.Stage {
		out = append(out, m.field(c.Name))
	}
	return out
}

// prepare computes what depends on the data alone.
func (m *model) prepare() {
	clear(m.known)
	m.run("prepare")
}

// columns computes what depends on the data alone, for every row.
func (m *model) columns() error {
	for _, c := range m.pkg.Stage {
		if err := m.column(c); err != nil {
			return err
		}
	}
	m.run("columns")
	for _, c := range m.pkg.Stage {
		m.rows.Keep(m.width(c.Type), *m.field(c.Name))
	}
	return nil
}

// column makes memory for a number, or several, of every row.
func (m *model) column(c methods.Column) error {
	return m.rows.Space(m.field(c.Name), m.width(c.Type))
}

func (m *model) Batch(rows []int) error {
	check := m.rows.CheckBatch(rows)
	if m.Info().Ordered {
		check = support.CheckOrdered(rows)
	}
	if check != nil {
		return check
	}
	m.view(rows)
	m.prepare()
	return nil
}

func (m *model) Clone() runtime.Model {
	clone := newModel(m.d, m.pkg)
	clone.pool = m.pool
	for name, n := range m.dims {
		clone.dims[name] = n
	}
	if len(m.pkg.Dims) > 0 && m.blocks != nil {
		clone.fresh()
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
	if methods.InParts(m.d.Problem.Target) {
		take = m.takeRecords
	}
	if m.pkg.Undivided != "" {
		if err := support.CheckUndivided(d); err != nil {
			return err
		}
	}
	if err := take(d); err != nil {
		return err
	}
	m.view(nil)
	m.run("constants")
	if len(m.pkg.Stage) > 0 {
		if err := m.columns(); err != nil {
			return err
		}
	}
	m.prepare()
	return nil
}
