package engine

import "github.com/sngdgen/sngdgen/gen/program"

// eachRow compiles a loop over the rows of a block.
func (c *compiler) eachRow(s *program.EachRow) {
	inner, u, m := c.statements(s.Body), c.u, c.machine
	c.then(func() status {
		for m.here = 0; m.here < u.b; m.here++ {
			if st := run(inner); st != goesOn {
				return st
			}
		}
		return goesOn
	})
}

// bindRow names what the row has that such a loop is at. Of memory that is given there are all rows, of others those of a block.
func (c *compiler) bindRow(s *program.Bind) {
	u, own, n := c.u, c.array(s.Own), c.size(s.Own.Shape.Dims)
	at := func() int {
		if s.Own.Given != nil {
			return u.start + u.here
		}
		return u.here
	}
	if s.To.Shape.Number() {
		to := c.number(s.To).reg
		c.always(func() { u.numbers[to] = u.arrays[own].memory[at()] })
		return
	}
	to := c.declare(s.To)
	c.always(func() { u.arrays[to].set(u.arrays[own].memory[at()*n : (at()+1)*n]) })
}

// storeRow stores a number for the row that a loop is at.
func (c *compiler) storeRow(p *program.Place, value operand) {
	u, array := c.u, c.array(p)
	c.always(func() { u.arrays[array].memory[u.here] = u.numbers[value.reg] })
}
