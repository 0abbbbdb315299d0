// Package engine runs the programs of a package where generated code would be compiled: a model of a problem without the Go
// toolchain. Programs are compiled to a compact code over registers, when they are called first and for the lengths that the model
// has then: numbers one after the other, short loops entry by entry among them, others over rows and entries as vectors of some hundred
// entries, kernels as calls of package dense, all in memory that is taken before. Operations and their order are those of generated code.
package engine

import (
	"fmt"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/workers"
)

// Unsupported says what the engine cannot do.
type Unsupported string

func (u Unsupported) Error() string { return "the interpreter has no code for " + string(u) }

func unsupported(format string, args ...any) {
	panic(Unsupported(fmt.Sprintf(format, args...)))
}

// block is the number of rows that are summed at a time, as in generated code.
const block = 256

// machine is the memory of a model, and its functions as far as they have been called.
type machine struct {
	pkg  *methods.Package
	dims map[string]int
	// fields are those of the model: numbers are slices of length 1.
	fields map[string]*[]float64
	slots  map[string][]float64
	units  map[string][]*unit
	// solvers are the functions that solve equations.
	scanners  map[*expr.Lambda]*scanner
	solvers   map[*expr.Lambda]*solver
	integrals map[*expr.Lambda]*integral
	prepared  map[string]*prepared
	random    map[string][]*randomNumber // of functions

	start, b  int // of the block of rows
	here      int // the row of it that a loop is at
	comp, own int // the component in whose loop one is, and that of the rows of the block
	entry     int // of an array of random numbers, or where a draw begins
	row       int // of the data, of which a function is

	rows     support.Rows
	w        *support.Weights       // of the rows of a batch, or of all
	evaluate func(program.Evaluate) // the log joint density at all draws
	pool     *workers.Pool          // that shares passes over rows
}

func newMachine(pkg *methods.Package) *machine {
	m := &machine{pkg: pkg, dims: map[string]int{}, fields: map[string]*[]float64{}, w: new(support.Weights)}
	m.forget()
	return m
}

// forget drops what depends on lengths.
func (m *machine) forget() {
	m.slots, m.units, m.solvers, m.scanners = map[string][]float64{}, map[string][]*unit{}, map[*expr.Lambda]*solver{}, map[*expr.Lambda]*scanner{}
	m.integrals = map[*expr.Lambda]*integral{}
	m.prepared, m.random = map[string]*prepared{}, map[string][]*randomNumber{}
}

// field is memory of the model under a name.
func (m *machine) field(name string) *[]float64 {
	f := m.fields[name]
	if f == nil {
		f = new([]float64)
		m.fields[name] = f
	}
	return f
}

// grown is a field of so many numbers at least, which are 0 where they are new.
func (m *machine) grown(name string, n int) *[]float64 {
	f := m.field(name)
	if len(*f) < n {
		*f = append(*f, make([]float64, n-len(*f))...)
	}
	return f
}

func (m *machine) dim(d expr.Dim) int {
	if d.Name == "" {
		return d.Size
	}
	return m.dims[d.Name]
}

func (m *machine) size(dims []expr.Dim) int {
	n := 1
	for _, d := range dims {
		n *= m.dim(d)
	}
	return n
}

func (m *machine) length(l program.Length) int {
	n := l.Number
	for _, t := range l.Terms {
		n += t.Times * m.size(t.Dims)
	}
	return n
}

// components is the number of components, 1 where there are none.
func (m *machine) components() int {
	if m.pkg.Components == (expr.Dim{}) {
		return 1
	}
	return m.dim(m.pkg.Components)
}

// slot is memory that programs share; that of functions that solve equations is their own.
func (m *machine) slot(owner string, s program.Shape, number int) []float64 {
	key := fmt.Sprint(owner, s.Key(), number)
	if m.slots[key] == nil {
		n := m.size(s.Dims)
		if s.Block {
			n *= block
		}
		if s.Stacked {
			n *= m.components()
		}
		m.slots[key] = make([]float64, max(n, 1))
	}
	return m.slots[key]
}

// function compiles the programs of a function, unless it has been.
func (m *machine) function(name string) []*unit {
	if units, ok := m.units[name]; ok {
		return units
	}
	f := m.pkg.Functions[name]
	if f == nil {
		unsupported("function %s, which the package does not have", name)
	}
	var units []*unit
	args := arguments{}
	for _, s := range f.Steps {
		units = append(units, m.compile(s, m.owner(name), args))
	}
	m.units[name] = units
	return units
}

// owner is whose memory a function works in: the log joint density has its own, as other functions call it.
func (m *machine) owner(function string) string {
	if p := m.pkg.Posterior; p != nil {
		for _, name := range p.Evaluations {
			if name == function {
				return "log joint"
			}
		}
	}
	return ""
}
