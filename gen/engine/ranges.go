package engine

import (
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/runtime/ranges"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/workers"
)

// ranged is a pass over rows that is cut into ranges as in generated code. Each worker has the program compiled for itself, with registers and
// memory of its own, of which it runs the pass.
type ranged struct {
	u       *unit
	number  int // of the passes of the program
	over    func(from, to int) status
	adds    []int32 // arrays
	sums    []int32 // registers of numbers
	largest []largest
	// Arrays from first up to last belong to the pass, and to what it is given.
	first, last int
	pass        support.Pass[ranged]
}

// largest is registers of a largest number, and of its row; -1 where that is not needed.
type largest struct{ to, index int32 }

// ranges compiles a pass of which over runs some rows. Arrays from first on have been declared in it.
func (c *compiler) ranges(s program.Stmt, sums []*program.Sum, first int, over func(from, to int) status) {
	weights := c.u.weights()
	if !program.IsCut(s) {
		c.then(func() status { return over(0, weights.count()) })
		return
	}
	pass, ok := program.PassOf(s)
	if !ok {
		unsupported("a pass in ranges that does more than adding up")
	}
	r := &ranged{u: c.u, number: len(c.u.passes), over: over, first: first, last: len(c.u.arrays)}
	c.u.passes = append(c.u.passes, r)
	for _, a := range pass.Adds {
		r.adds = append(r.adds, c.array(a))
	}
	for _, sum := range sums {
		switch {
		case !sum.Max:
			r.sums = append(r.sums, c.number(sum.To).reg)
		case sum.Index == nil:
			r.largest = append(r.largest, largest{c.number(sum.To).reg, -1})
		default:
			r.largest = append(r.largest, largest{c.number(sum.To).reg, c.number(sum.Index).reg})
		}
	}
	added := support.Added{Sums: len(r.sums), Largest: len(r.largest), Arrays: len(r.adds)}
	c.then(func() status {
		rows := weights.count()
		if rows <= ranges.Whole && r.u.machine.rows.Others() == nil {
			return over(0, rows)
		}
		if r.pass.Workers() != r.u.pool {
			r.pass.SetWorkers(r.u.pool)
		}
		for k, a := range r.adds {
			r.pass.Arrays[k] = r.u.arrays[a].memory
		}
		r.pass.Over(r, r.u.machine.rows, rows, added, (*ranged).run, (*ranged).help)
		for k, a := range r.adds {
			r.u.arrays[a].set(r.pass.Arrays[k])
		}
		for k, to := range r.sums {
			r.u.numbers[to] = r.pass.Sums[k]
		}
		for k, l := range r.largest {
			at := len(r.sums) + 2*k
			if r.u.numbers[l.to] = r.pass.Sums[at]; l.index >= 0 {
				r.u.numbers[l.index] = r.pass.Sums[at+1]
			}
		}
		return goesOn
	})
}

// run runs the pass for the rows of a block.
func (r *ranged) run(from, to int) {
	u := r.u
	for k, a := range r.adds {
		u.arrays[a].set(r.pass.Arrays[k])
	}
	for k, to := range r.sums {
		u.numbers[to] = r.pass.Sums[k]
	}
	for k, l := range r.largest {
		at := len(r.sums) + 2*k
		if u.numbers[l.to] = r.pass.Sums[at]; l.index >= 0 {
			u.numbers[l.index] = r.pass.Sums[at+1]
		}
	}
	r.over(from, to)
	for k, to := range r.sums {
		r.pass.Sums[k] = u.numbers[to]
	}
	for k, l := range r.largest {
		at := len(r.sums) + 2*k
		if r.pass.Sums[at] = u.numbers[l.to]; l.index >= 0 {
			r.pass.Sums[at+1] = u.numbers[l.index]
		}
	}
}

// help makes another one the same pass for a worker, with what the program knows by now.
func (r *ranged) help(q *ranged) *support.Pass[ranged] {
	if q.u == nil {
		crew := q.pass.Crew
		*q = *r.u.helper().passes[r.number]
		q.pass.Crew = crew
	}
	u, of := q.u, r.u
	u.bindGiven()
	u.comp, u.own, u.entry, u.row = of.comp, of.own, of.entry, of.row
	copy(u.numbers, of.numbers)
	for k := range of.arrays {
		if k < r.first || k >= r.last {
			u.arrays[k].set(of.arrays[k].memory)
		}
	}
	for i, p := range of.prepares {
		mine := u.prepares[i]
		*mine.holder = mine.all[0]
		for k := range p.all {
			mine.all[k].follow(p.all[k])
		}
	}
	return &q.pass
}

// helper is the program, compiled for a worker: on the same fields, with memory of its own for its passes alone.
func (u *unit) helper() *unit {
	return u.machine.helper().compileFor(u.step, u.owner, u.args, true)
}

// helper is a machine on the same fields, with memory of its own.
func (m *machine) helper() *machine {
	h := &machine{pkg: m.pkg, dims: m.dims, fields: m.fields, w: m.w}
	h.forget()
	return h
}

// compileFor compiles a program; for a worker there is no memory outside of passes.
func (m *machine) compileFor(s methods.Step, owner string, args arguments, helper bool) *unit {
	c := m.compiler(s, owner, args)
	c.helper = helper
	u := c.made(c.statements(s.Program.Body))
	for p, o := range c.places {
		if !o.lanes {
			u.named[p.Name] = o.reg
		}
	}
	return u
}

// preparation is functions that a program prepares: where it finds them, of a component or of all.
type preparation struct {
	holder **prepared
	all    []*prepared
}

// follow prepares for what another one has been prepared for.
func (p *prepared) follow(other *prepared) {
	p.gammas.Follow(&other.gammas)
	p.student.Follow(&other.student)
	p.quantiles.Follow(&other.quantiles)
}

// SetWorkers gives the model workers for passes over rows, nil for none, and returns those that it had.
func (m *core) SetWorkers(p *workers.Pool) (before *workers.Pool) {
	before, m.pool = m.pool, p
	return before
}
