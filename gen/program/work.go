package program

// Counts is the work of a program, as the table of kernels has it: what it does once, what for the rows, and what for the rows of a
// component alone. What loops over the components do counts once.
type Counts struct{ Once, Rows, Own Work }

// Counts adds up the work of the calls of a program.
func (p *Program) Counts() Counts {
	var c Counts
	c.add(p.Body, &c.Once, false)
	return c
}

func (c *Counts) add(stmts []Stmt, to *Work, inBlock bool) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *Call:
			if inBlock {
				to.add(Kernels()[s.Kernel].InBlock)
			} else {
				to.add(Kernels()[s.Kernel].Once)
			}
		case *Blocks:
			c.add(s.Body, &c.Rows, true)
		case *EachRow: // whose calls are those of one row
			c.add(s.Body, &c.Rows, false)
		case *Components:
			if s.Own {
				c.add(s.Body, &c.Own, inBlock)
			} else {
				c.add(s.Body, to, inBlock)
			}
		}
	}
}

func (w *Work) add(v Work) {
	w.Factorisations += v.Factorisations
	w.Inverses += v.Inverses
	w.Solves += v.Solves
	w.Products += v.Products
	w.Grams += v.Grams
}
