package program

import (
	"github.com/sngdgen/sngdgen/expr"
)

// Sizes are lengths for which the work of a program is counted.
type Sizes struct{ Dim, Rows, Components int }

// Counted is how much of a program there is: statements, arrays that are needed at a time, or declared where these have no
// slots yet, and the flops of a call.
type Counted struct {
	Statements, Arrays int
	Flops              float64
}

// Count counts a program where all dimensions with names have one length.
func (p *Program) Count(s Sizes) Counted {
	c := counter{sizes: s, program: p}
	c.statements(p.Body, 1)
	if len(p.Slots) > 0 {
		c.counted.Arrays = 0
		for _, slots := range p.Slots {
			c.counted.Arrays += slots.Count
		}
	}
	return c.counted
}

type counter struct {
	sizes   Sizes
	program *Program
	counted Counted
}

func (c *counter) length(d expr.Dim) float64 {
	switch {
	case d.Name == "":
		return float64(d.Size)
	case d == c.program.Components:
		return float64(c.sizes.Components)
	}
	return float64(c.sizes.Dim)
}

// axes are the lengths of an array, as kernels see it: components first, then rows.
func (c *counter) axes(s Shape) []float64 {
	var out []float64
	if s.Stacked {
		out = append(out, float64(c.sizes.Components))
	}
	if s.Block {
		out = append(out, float64(c.sizes.Rows))
	}
	for _, d := range s.Dims {
		out = append(out, c.length(d))
	}
	return out
}

// entries is how often what is in a loop over a shape is run.
func (c *counter) entries(s Shape) float64 {
	n := 1.0
	for _, l := range c.axes(s) {
		n *= l
	}
	if s.Lower && len(s.Dims) == 2 {
		n = (n + c.length(s.Dims[0])) / 2
	}
	return n
}

// statements counts statements that are run so many times.
func (c *counter) statements(stmts []Stmt, times float64) {
	for _, s := range stmts {
		c.statement(s, times)
	}
}

func (c *counter) statement(s Stmt, times float64) {
	c.counted.Statements++
	inside := times
	switch s := s.(type) {
	case *Buffer:
		c.counted.Arrays++
	case *Joint:
		c.add(s.Joint.Cost-s.Value.Op.Cost, times) // the formula counts one of the functions
	case *Solve:
		c.add(s.Op.Cost*float64(len(s.To)), times)
	case *Call:
		c.call(s, times)
	case *Each:
		inside *= c.entries(s.Shape)
		c.counted.Statements += len(s.Guards) + len(s.Sums) + len(s.Writes) + len(s.Totals)
		c.ends(s.Sums, s.Writes, inside)
		c.add(float64(len(s.Totals)), inside)
	case *Rows:
		inside *= float64(c.sizes.Rows)
		c.counted.Statements += len(s.Sums) + len(s.Writes)
		c.ends(s.Sums, s.Writes, inside)
	case *Components:
		if !s.Own {
			inside *= float64(c.sizes.Components)
		}
	case *EachRow:
		inside *= float64(c.sizes.Rows)
	case *Add:
		c.add(1, times)
	case *Perform:
		c.statements(s.Stage.Body, times)
	case *Bind, *Let, *Guard, *Store, *Return, *Prepare, *Blocks, *Evaluate, *Attained, *Zero:
	}
	Formulas(s, func(e Expr) { c.add(flopsOf(e), inside) })
	for _, body := range Bodies(s) {
		c.statements(*body, inside)
	}
}

// ends counts what loops do with the values at their ends.
func (c *counter) ends(sums []*Sum, writes []*Write, times float64) {
	for range sums {
		c.add(2, times)
	}
	for _, w := range writes {
		if w.Weighted {
			c.add(1, times)
		}
		if w.Add {
			c.add(1, times)
		}
	}
}

func (c *counter) add(flops, times float64) { c.counted.Flops += flops * times }

// call counts what a kernel does, by its formula in the lengths of its operands.
func (c *counter) call(s *Call, times float64) {
	k := Kernels()[s.Kernel]
	lengths := map[string]float64{}
	for i, p := range k.Params {
		if a := s.Args[i]; a.Place != nil {
			axes := c.axes(a.Place.Shape)
			for j, name := range p.Axes {
				if j < len(axes) {
					lengths[name] = axes[j]
				}
			}
			if p.Any {
				lengths[anySize] = c.entries(a.Place.Shape)
			}
		}
	}
	c.add(k.Flops(func(name string) float64 { return lengths[name] }), times)
}

// flopsOf is what a formula costs, as the table of functions has it.
func flopsOf(e Expr) float64 {
	if a, ok := e.(*Apply); ok && a != nil {
		return a.TotalFlops()
	}
	return 0
}

// TotalFlops is what an operation costs with its operands.
func (a *Apply) TotalFlops() float64 {
	cost := a.Flops()
	for _, arg := range a.Args {
		cost += flopsOf(arg)
	}
	return cost
}

// Flops is what an operation costs without its operands.
func (a *Apply) Flops() float64 {
	switch {
	case a.Op == expr.Lin && len(a.Coefs) == len(a.Args):
		cost := float64(len(a.Args) - 1)
		if a.Const != 0 {
			cost++
		}
		for _, c := range a.Coefs {
			if c != 1 && c != -1 {
				cost++
			}
		}
		return cost
	case a.Op == expr.Prod && len(a.Coefs) == len(a.Args):
		return expr.ProductCost(a.Coefs)
	}
	return a.Op.Cost
}
