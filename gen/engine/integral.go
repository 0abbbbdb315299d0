package engine

import (
	"fmt"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
)

// integral computes expectations over a standard normal number by quadrature: the integrands at all nodes at a time, then sums in the
// order of the nodes.
type integral struct {
	u      *unit
	params []*[]float64 // memory of the parameters
	values []operand    // of the integrands, at all nodes unless they are the same there
}

// integral returns what computes the expectations of functions.
func (m *machine) integral(fn *expr.Lambda) *integral {
	if q := m.integrals[fn]; q != nil {
		return q
	}
	name := m.pkg.Integrals[fn]
	f := m.pkg.Functions[name]
	if f == nil || len(f.Steps) != 1 {
		unsupported("expectations in %s", fn.Vars[0].Name)
	}
	q := &integral{}
	m.integrals[fn] = q
	q.u = m.compileIntegrand(f.Steps[0], name, q)
	for i := range fn.Params {
		p := q.u.argument(fmt.Sprintf("p%d", i+1))
		*p = make([]float64, 1)
		q.params = append(q.params, p)
	}
	return q
}

// compileIntegrand compiles the program of integrands as the body of a loop over the nodes.
func (m *machine) compileIntegrand(s methods.Step, owner string, q *integral) *unit {
	c := m.compiler(s, owner, arguments{})
	u, l, nodes := c.u, c.newLoop(program.Shape{Block: true}), m.field(nodesField)
	at := c.newArray()
	node := l.load(at, subscripts{i: 1})
	c.node = &node
	named := map[string]*program.Place{}
	for _, stmt := range s.Program.Body {
		c.statement(stmt)
	}
	for p := range c.places {
		named[p.Name] = p
	}
	for k := 1; named[fmt.Sprintf("value%d", k)] != nil; k++ {
		q.values = append(q.values, c.places[named[fmt.Sprintf("value%d", k)]])
	}
	c.loop = nil
	c.always(func() {
		u.arrays[at].set(*nodes)
		u.lanesOf(l.code, span{rows: len(*nodes), columns: 1})
	})
	return c.made(c.body)
}

// numbers computes the expectations for parameters.
func (q *integral) numbers(values, to []float64) {
	for i, x := range values {
		(*q.params[i])[0] = x
	}
	u := q.u
	u.run()
	for k, v := range q.values {
		mean := 0.0
		for i, weight := range *u.field(nodeWeights) {
			mean += weight * u.valueAt(v, i)
		}
		to[k] = mean
	}
}
