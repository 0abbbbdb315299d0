package engine

import (
	"fmt"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/runtime/series"
	"github.com/sngdgen/sngdgen/runtime/support"
)

// scanner goes along the rows with a state, and back.
type scanner struct {
	m             *machine
	fn            *expr.Lambda
	steps         []*unit // in the order of the actions
	params        [][]float64
	states, rows  int // how many numbers
	at, parts     []int
	value, weight []float64
	memory        []float64
}

// scanner returns what carries the states of a function along the rows.
func (m *machine) scanner(fn *expr.Lambda) *scanner {
	if s := m.scanners[fn]; s != nil {
		return s
	}
	name := m.pkg.Solvers[fn]
	f := m.pkg.Functions[name]
	if f == nil || len(f.Steps) < 2 {
		unsupported("a function that carries %s along the rows", fn.Vars[0].Name)
	}
	s := &scanner{m: m, fn: fn, value: make([]float64, 1), weight: make([]float64, 1)}
	if m.scanners == nil {
		m.scanners = map[*expr.Lambda]*scanner{}
	}
	m.scanners[fn] = s
	args := arguments{}
	for _, step := range f.Steps {
		s.steps = append(s.steps, m.compile(step, name, args))
	}
	ends := func(syms []*expr.Node) []int {
		out := []int{0}
		for i, v := range syms {
			out = append(out, out[i]+m.size(v.Type.Dims[:v.Type.Rank]))
		}
		return out
	}
	states := ends(fn.Vars)
	s.states, s.at, s.parts = states[len(states)-1], ends(fn.Params), ends(fn.Rows)
	s.rows = s.parts[len(s.parts)-1]
	for i := range fn.Params {
		s.params = append(s.params, make([]float64, 1))
		s.set(fmt.Sprintf("p%d", i+1), s.params[i])
	}
	s.set("scan.Value", s.value)
	s.set("scan.Weight", s.weight)
	return s
}

func (s *scanner) set(name string, values []float64) { s.steps[0].set(name, values) }

// run goes along columns with weights. Derivatives are left in what it returns.
func (s *scanner) run(weights rowWeights, columns [][]float64, slopes bool) series.Scan {
	params := s.at[len(s.at)-1]
	s.memory = support.Grow(s.memory, series.Memory(weights.count(), s.states, params, s.rows))
	var labels []float64
	if s.fn.Series {
		labels = columns[len(columns)-1]
	}
	scan := series.New(s.memory, weights.count(), weights.given(), labels, s.states, params, s.rows, slopes)
	s.set("scan.State", scan.State)
	s.set("scan.After", scan.After)
	s.set("scan.Data", scan.Data)
	s.set("scan.Cotangent", scan.Cotangent)
	s.set("scan.Before", scan.Before)
	s.set("scan.Gradient", scan.Gradient)
	for _, u := range s.steps {
		u.bindGiven()
	}
	for scan.Next() {
		for k, c := range columns {
			part := scan.Data[s.parts[k]:s.parts[k+1]]
			copy(part, c[scan.Row*len(part):])
		}
		s.weight[0] = scan.Weight
		run(s.steps[scan.Do-series.Start].body)
		scan.Value = s.value[0]
	}
	return scan
}

// scan compiles the sum of a scan, alone or with its derivatives.
func (c *compiler) scan(s *program.Solve) {
	of, u := c.machine.scanner(s.Fn), c.u
	n := len(s.Fn.Params)
	columns := make([][]float64, len(s.Args)-n)
	var set, get []func()
	for i, a := range s.Args {
		switch {
		case i >= n:
			k := c.array(a.Place)
			set = append(set, func() { columns[i-n] = u.arrays[k].memory })
		case a.Value != nil:
			x := c.formula(a.Value)
			set = append(set, func() { of.params[i][0] = u.numbers[x.reg] })
		default:
			k, name := c.array(a.Place), fmt.Sprintf("p%d", i+1)
			set = append(set, func() { of.set(name, u.arrays[k].memory) })
		}
	}
	var total series.Scan
	for i, p := range s.To {
		switch {
		case p == nil:
		case i == 0:
			x := c.number(p)
			get = append(get, func() { u.numbers[x.reg] = total.Sum })
		case s.Result(i).Rank == 0:
			x, at := c.number(p), of.at[i-1]
			get = append(get, func() { u.numbers[x.reg] = total.Total[at] })
		default:
			k, from, to := c.array(p), of.at[i-1], of.at[i]
			get = append(get, func() { copy(u.arrays[k].memory, total.Total[from:to]) })
		}
	}
	weights, slopes := u.weights(), len(s.To) > 1
	c.always(func() {
		for _, f := range set {
			f()
		}
		start, b, comp := u.start, u.b, u.comp
		total = of.run(weights, columns, slopes)
		u.start, u.b, u.comp = start, b, comp
		for _, f := range get {
			f()
		}
	})
}
