package pass

import (
	"slices"

	"github.com/sngdgen/sngdgen/gen/program"
)

// peephole makes one call of several where a kernel does what they do together, and nothing else reads what they hand on.
//
//	memory y; copy(y, x); SolveLowerRows(y, L, b, d); RowsSquare(dst, y, b, d)
//
// is RowsSquareOfSolve(dst, x, scratch, L, b, d), which keeps y in registers.
func peephole(p *program.Program, names *Names) error {
	w := peepholes{names: names, mentioned: map[*program.Place]int{}, wholes: wholesIn(p.Body)}
	program.Mentions(p.Body, func(place *program.Place) { w.mentioned[place]++ })
	w.within(&p.Body)
	return nil
}

type peepholes struct {
	names     *Names
	mentioned map[*program.Place]int // how often
	wholes
}

// wholes say what names are parts of, nil where that is no memory of the program.
type wholes map[*program.Place]*program.Place

func wholesIn(body []program.Stmt) wholes {
	out := wholes{}
	program.Walk(body, func(s program.Stmt) {
		if part, ok := s.(*program.Bind); ok {
			out[part.To] = part.Own
		}
	})
	return out
}

func (w *peepholes) within(body *[]program.Stmt) {
	for i := 0; i < len(*body); i++ {
		if square, ok := (*body)[i].(*program.Call); ok && square.Kernel == "RowsSquare" {
			if without := w.squareOfSolve(*body, i); without != nil {
				*body = without
				i -= 2 // four statements are two
			}
			continue
		}
		for _, inner := range program.Bodies((*body)[i]) {
			w.within(inner)
		}
	}
}

// squareOfSolve is the body with one call in place of a copy, a solve and its squares, the statement at last; nil where they are not
// alone with the memory y.
func (w *peepholes) squareOfSolve(body []program.Stmt, last int) []program.Stmt {
	squares := body[last].(*program.Call)
	dst, y := squares.Args[0], squares.Args[1].Place
	memory, copied, solved := -1, -1, -1
	for i, s := range body[:last] {
		switch s := s.(type) {
		case *program.Buffer:
			if s.To == y {
				memory = i
			}
		case *program.Call:
			if s.Args[0].Place == y && s.Kernel == "copy" {
				copied = i
			} else if s.Args[0].Place == y && s.Kernel == "SolveLowerRows" {
				solved = i
			}
		}
	}
	if memory < 0 || copied < memory || solved < copied || w.mentioned[y] != 3 {
		return nil
	}
	x, solve := body[copied].(*program.Call).Args[1], body[solved].(*program.Call)
	l := solve.Args[1]
	if w.changed(body[copied+1:last], y, x.Place) || w.changed(body[solved+1:last], y, l.Place) {
		return nil
	}
	scratch := &program.Place{Name: w.names.New("scratch"), Shape: y.Shape}
	out := slices.Clone(body[:last])
	for _, i := range []int{solved, copied, memory} { // the last one first
		out = slices.Delete(out, i, i+1)
	}
	return append(append(out, &program.Buffer{To: scratch}, &program.Call{Kernel: "RowsSquareOfSolve",
		Args: []program.Operand{dst, x, {Place: scratch}, l, solve.Args[2], solve.Args[3]}}), body[last+1:]...)
}

// changed reports whether statements may write to a place, in its own name or in that of what it is a part of. What they write to but
// is another, unless it is nil, is not asked about.
func (w wholes) changed(stmts []program.Stmt, but, place *program.Place) bool {
	found := false
	program.Changes(stmts, func(p *program.Place) {
		found = found || p != but && (w.memory(p) == nil || w.memory(p) == w.memory(place))
	})
	return found
}

// memory is what a place is a part of, or the place itself; nil where it is what the program is to fill.
func (w wholes) memory(p *program.Place) *program.Place {
	if whole, part := w[p]; part {
		return whole
	}
	return p
}
