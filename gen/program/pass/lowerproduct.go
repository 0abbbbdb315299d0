package pass

import (
	"slices"

	"github.com/sngdgen/sngdgen/gen/program"
)

// lowerProducts computes the lower triangle of products of which nothing else is read: of symmetric ones, which are mirrored in what they are a term of.
func (t *triangles) lowerProducts(body []program.Stmt) {
	whole := t.wholeIn(body, func(c *program.Call, operand int) bool { return c.Kernel == "Mul" && operand == 0 })
	program.Walk(body, func(s program.Stmt) {
		c, ok := s.(*program.Call)
		if !ok || c.Kernel != "Mul" || c.Args[3] != c.Args[5] {
			return
		}
		if m := t.memory(c.Args[0].Place); m != nil && m.Given == nil && !whole[m] {
			*c = *call("MulToLower", c.Args[0], c.Args[1], c.Args[2], c.Args[3], c.Args[4])
		}
	})
}

// Whole are the arrays of which statements of a program read or write more than the lower triangle.
func Whole(p *program.Program, body []program.Stmt) map[*program.Place]bool {
	return wholesIn(p.Body).wholeIn(body, func(*program.Call, int) bool { return false })
}

// wholeIn is Whole, where some operands of calls are not asked about.
func (w wholes) wholeIn(body []program.Stmt, but func(c *program.Call, operand int) bool) map[*program.Place]bool {
	whole := map[*program.Place]bool{}
	program.Walk(body, func(s program.Stmt) {
		switch s := s.(type) {
		case *program.Call:
			for i, a := range s.Args {
				if a.Value != nil {
					program.Operands(a.Value, func(r program.Ref) { whole[w.memory(r.Place)] = true })
				}
				p := program.Kernels()[s.Kernel].Params[i]
				if a.Place != nil && !but(s, i) && (p.Access != program.Reads || p.Triangle == program.Full) {
					whole[w.memory(a.Place)] = true
				}
			}
		case *program.Each:
			w.readWhole(s, whole)
		case *program.Bind, *program.Buffer, *program.Blocks, *program.Components, *program.EachRow:
		default:
			program.Mentions([]program.Stmt{s}, func(p *program.Place) { whole[w.memory(p)] = true })
		}
	})
	return whole
}

// readWhole marks what a loop mentions otherwise than entry by entry of a lower triangle.
func (w wholes) readWhole(e *program.Each, whole map[*program.Place]bool) {
	entry := []program.Index{program.Over(program.I), program.Over(program.J)}
	inTriangle := map[*program.Place]int{}
	if e.Shape.Lower && !e.Shape.Block {
		program.Formulas(e, func(f program.Expr) {
			program.Operands(f, func(r program.Ref) {
				if slices.EqualFunc(r.At, entry, program.Index.Equal) {
					inTriangle[r.Place]++
				}
			})
		})
	}
	program.Mentions([]program.Stmt{e}, func(p *program.Place) {
		if inTriangle[p]--; inTriangle[p] < 0 {
			whole[w.memory(p)] = true
		}
	})
}
