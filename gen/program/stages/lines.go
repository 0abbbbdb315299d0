package stages

import (
	"unicode/utf8"

	"github.com/sngdgen/sngdgen/gen/program"
)

// linesOf is about how many lines a statement takes where it is printed.
func linesOf(s program.Stmt) int {
	n := 0
	switch s := s.(type) {
	case *program.Bind:
		return 0 // several stand in a line
	case *program.Buffer:
		return min(1, len(s.To.About))
	case *program.Let:
		n = formula(s.Value) + said(s.To, s.Value)
	case *program.Store:
		n = formula(s.Value)
	case *program.Return:
		n = formula(s.Value)
	case *program.Add:
		n = formula(s.Value)
	case *program.Guard:
		n = 3
	case *program.Call:
		if n = 1; s.Definite {
			n = 4
		}
	case *program.Each:
		if s.Dots {
			return len(s.Sums)
		}
		n = 2*max(1, len(s.Shape.Dims)) + loop(s.Sums, s.Writes) + 3*len(s.Guards)
		if s.Shape.Block {
			n += 2 * min(1, len(s.Shape.Dims))
		}
		for _, t := range s.Totals {
			n += 1 + formula(t.Value)
		}
	case *program.Rows:
		n = 8 + loop(s.Sums, s.Writes)
	case *program.Blocks:
		n = 6 + (len(s.Columns)+1)/2
	case *program.Components, *program.EachRow:
		n = 2
	case *program.Perform:
		return 4
	default:
		n = 1
	}
	bound := 0
	for _, body := range program.Bodies(s) {
		for _, inner := range *body {
			l := linesOf(inner)
			if n += l; l == 0 {
				bound++
			}
		}
	}
	return n + bound/3
}

// loop is what is written at the end of a loop, with the sums in front of it and behind it.
func loop(sums []*program.Sum, writes []*program.Write) int {
	n := min(1, len(sums)) * 2
	for _, s := range sums {
		n += 1 + formula(s.Value)
	}
	for _, w := range writes {
		n += formula(w.Value)
	}
	return n
}

// formula is how many lines a formula takes: a long one is broken at its operators, the outermost ones first.
func formula(e program.Expr) int {
	const whole, part = 90, 32 // characters that fit into a line, and that there are in those of a formula that does not
	if n := utf8.RuneCountInString(program.Formula(e)); n > whole {
		return 1 + n/part
	}
	return 1
}

// said is 1 where what is said of a number needs a line of its own.
func said(p *program.Place, e program.Expr) int {
	if p.About != "" && len(p.Name)+utf8.RuneCountInString(program.Formula(e))+len(p.About) > 100 {
		return 1
	}
	return 0
}
