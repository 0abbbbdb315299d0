package engine

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
)

// core is what models of likelihoods and of posteriors have in common.
type core struct {
	*machine
	d       *derive.Result
	blocks  []runtime.Block
	parts   []*[]float64 // fields with their rows, but for the weights
	entries [functionCount]*entry
}

func newCore(d *derive.Result, pkg *methods.Package) core {
	m := core{machine: newMachine(pkg), d: d}
	m.grown(methods.WeightField, 1)
	m.grown("blend", 1)
	return m
}

// compileAll compiles all functions for some lengths, to see whether the engine can.
func (m *core) compileAll() {
	for name := range m.pkg.Functions {
		if !slices.Contains(notNeeded, name) {
			m.randomNumbers(name, m.function(name))
		}
	}
	for fn := range m.pkg.Solvers {
		m.solver(fn)
	}
	for fn := range m.pkg.Integrals {
		m.integral(fn)
	}
}

// notNeeded are functions of packages that models have no use for.
var notNeeded = []string{"LogDensity"}

// fresh drops what depends on lengths, but for memory that is not the workspace.
func (m *core) fresh() {
	m.forget()
	m.entries = [functionCount]*entry{}
	m.blocks = nil
	for _, at := range m.pkg.Coordinates {
		b := at.Block
		b.Offset, b.Len = m.length(at.Offset), m.length(at.Len)
		if at.Copies {
			b.Copies = m.components()
		}
		m.blocks = append(m.blocks, b)
	}
}

func (m *core) Info() *runtime.Info             { return m.pkg.Info }
func (m *core) Blocks() []runtime.Block         { return m.blocks }
func (m *core) Conditions() []runtime.Condition { return m.pkg.Conditions }

// Unconstrained returns nil; models of numbers have another one.
func (m *core) Unconstrained() runtime.Unconstrained { return nil }

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
	thetaLoss
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
	finerLoss
	quantities
	quantitiesGradient
	latents
	weights
	finerWeights
	logDensities
	exactGradients
	exactLoss
	reported
	quadratic
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
	thetaLoss:            {"ThetaLoss", []string{"theta"}},
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
	finerLoss:            {"FinerLoss", []string{"theta"}},
	quantities:           {"Quantities", []string{"dst", "theta"}},
	quantitiesGradient:   {"QuantitiesGradient", []string{"g", "theta", "c"}},
	latents:              {"Latents", []string{"dst", "z"}},
	weights:              {"Weights", []string{"dst", "z"}},
	finerWeights:         {"FinerWeights", []string{"dst", "z"}},
	logDensities:         {"LogDensities", []string{"dst", "z"}},
	exactGradients:       {"ExactGradients", []string{"v", "c", "z"}},
	exactLoss:            {"ExactLoss", []string{"z"}},
	reported:             {"Reported", []string{"dst", "z"}},
	quadratic:            {"Quadratic", []string{"g", "z"}},
}

// entry compiles a function, unless it has been.
func (m *core) entry(k int) *entry {
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

// spoiled runs a function that writes to a slice, NaN to its first place where a matrix is not definite, or a condition does not hold.
func (e *entry) spoiled(dst []float64) {
	if s := e.u.run(); s == indefinite || s == violated {
		dst[0] = nan
	}
}

func (m *core) Loss(z []float64) float64 {
	e := m.entry(loss)
	*e.args[0] = z
	return e.value()
}

func (m *core) Gradients(v, c, z []float64) float64 {
	e := m.entry(gradients)
	*e.args[0], *e.args[1], *e.args[2] = v, c, z
	return e.value()
}

func (m *core) NaturalGradient(v, z []float64) {
	e := m.entry(naturalGradient)
	*e.args[0], *e.args[1] = v, z
	e.spoiled(v)
}

func (m *core) Violation(z []float64) int {
	e := m.entry(violation)
	*e.args[0] = z
	if e.u.run() == violated {
		return e.u.condition
	}
	return -1
}

func (m *core) Dual(dst, z []float64) {
	e := m.entry(dual)
	*e.args[0], *e.args[1] = dst, z
	e.spoiled(dst)
}

func (m *core) Theta(dst, z []float64) {
	e := m.entry(theta)
	*e.args[0], *e.args[1] = dst, z
	e.spoiled(dst)
}

func (m *core) Sizes() []int {
	if len(m.pkg.Dims) == 0 {
		return nil
	}
	var out []int
	for _, d := range m.pkg.Dims {
		out = append(out, m.dims[d.Name])
	}
	return out
}

// gradientOfTheta is ThetaGradient, which models of numbers do not have.
func (m *core) gradientOfTheta(g, at []float64) float64 {
	e := m.entry(thetaGradient)
	*e.args[0], *e.args[1] = g, at
	return e.value()
}

// view sets the weights, the data, and what has been computed for every row, to rows; nil is all of them.
func (m *core) view(rows []int) {
	if *m.w = (support.Weights{}); len(m.rows) > 0 {
		*m.w = m.rows.Weights(rows)
	}
	for i, f := range m.parts {
		if i+1 < len(m.rows) {
			*f = m.rows[i+1].Batch(rows)
		} else {
			*f = nil
		}
	}
	(*m.field(methods.WeightField))[0] = m.rows.Total(*m.w)
}

// run runs a function without arguments, if the package has it.
func (m *core) run(name string) {
	if m.pkg.Functions[name] != nil {
		for _, u := range m.function(name) {
			u.run()
		}
	}
}

// width is how many numbers a value has.
func (m *machine) width(t expr.Type) int { return m.size(t.Dims[:t.Rank]) }

// shapeOf is a shape in numbers.
func (m *machine) shapeOf(s program.Shape) int {
	n := m.size(s.Dims)
	if s.Stacked {
		n *= m.components()
	}
	return n
}
