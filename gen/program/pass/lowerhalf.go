package pass

import (
	"slices"

	"github.com/sngdgen/sngdgen/gen/program"
)

// halves puts one kernel in place of a solve of which the lower half alone is wanted, which is half of the work, and sums up the lower triangle of
// what it is of, where nothing else reads that:
//
//	AddWeightedCross(c, w, x, y, scratch, rows, d, d); copy(s, c); SolveLowerRows(s, l, d, d); copy(h, s); LowerHalf(h, d)
//
// is AddLowerCross(c, w, x, y, scratch, rows, d); SolveLowerHalf(h, c, l, d).
func (t *triangles) halves(body *[]program.Stmt) {
	h := lowerHalves{triangles: t, mentioned: map[*program.Place]int{}, from: map[*program.Call]bool{}}
	program.Mentions(*body, func(p *program.Place) { h.mentioned[p]++ })
	h.within(body)
	if len(h.from) > 0 {
		h.sums(*body)
	}
}

type lowerHalves struct {
	*triangles
	mentioned map[*program.Place]int // how often
	from      map[*program.Call]bool // such solves
}

func (h *lowerHalves) within(body *[]program.Stmt) {
	for i := 0; i < len(*body); i++ {
		if c, ok := (*body)[i].(*program.Call); ok && c.Kernel == "LowerHalf" {
			if without := h.solve(*body, i); without != nil {
				*body = without
				i = -1 // once more: statements before it are fewer
				continue
			}
		}
		for _, inner := range program.Bodies((*body)[i]) {
			h.within(inner)
		}
	}
}

// solve is the body with one kernel in place of a solve and LowerHalf, the statement at last; nil where the solve has other readers.
func (h *lowerHalves) solve(body []program.Stmt, last int) []program.Stmt {
	half := body[last].(*program.Call)
	to := half.Args[0].Place
	copied, from := h.writer(body, last, to, "copy")
	if from == nil {
		return nil
	}
	s := from.Args[1].Place
	solved, solve := h.writer(body, copied, s, "SolveLowerRows")
	if solve == nil || h.mentioned[s] != 3 || solve.Args[2] != half.Args[1] || solve.Args[3] != half.Args[1] {
		return nil
	}
	first, of := h.writer(body, solved, s, "copy")
	l := solve.Args[1].Place
	if of == nil || h.changed(body[first+1:last], of.Args[1].Place, s, to) || h.changed(body[solved+1:last], l, s, to) {
		return nil
	}
	out := slices.Clone(body)
	by := call("SolveLowerHalf", half.Args[0], of.Args[1], solve.Args[1], half.Args[1])
	h.from[by], out[last] = true, by
	h.without = append(h.without, spared{s, s.About})
	return slices.DeleteFunc(out, func(stmt program.Stmt) bool {
		memory, ok := stmt.(*program.Buffer)
		return stmt == program.Stmt(solve) || stmt == program.Stmt(of) || stmt == program.Stmt(from) || ok && memory.To == s
	})
}

// writer is the last statement before one that writes an array, and its place, where it is a call of a kernel for that array.
func (h *lowerHalves) writer(body []program.Stmt, before int, to *program.Place, kernel string) (int, *program.Call) {
	for i, s := range slices.Backward(body[:before]) {
		if c, ok := s.(*program.Call); ok && c.Kernel == kernel && c.Args[0].Place == to {
			return i, c
		}
		if h.changes(s, to) {
			break
		}
	}
	return 0, nil
}

// changed reports whether statements may write to a place, other than by the names of some that are other memory.
func (h *lowerHalves) changed(stmts []program.Stmt, p *program.Place, but ...*program.Place) bool {
	if slices.Contains(but, p) {
		return true
	}
	return slices.ContainsFunc(stmts, func(s program.Stmt) bool {
		c, ok := s.(*program.Call)
		return h.changes(s, p) && !(ok && slices.Contains(but, c.Args[0].Place) && h.memory(c.Args[0].Place) != nil)
	})
}

// sums has arrays that are read by such solves alone summed up in their lower triangles.
func (h *lowerHalves) sums(body []program.Stmt) {
	other, wanted := map[*program.Place]bool{}, map[*program.Place]bool{}
	program.Walk(body, func(s program.Stmt) {
		switch s := s.(type) {
		case *program.Call:
			for i, a := range s.Args {
				switch {
				case a.Place == nil:
				case i == 0 && (s.Kernel == "clear" || s.Kernel == "AddWeightedCross"):
				case i == 1 && h.from[s]:
					wanted[h.memory(a.Place)] = true
				default:
					other[h.memory(a.Place)] = true
				}
			}
		case *program.Bind, *program.Buffer, *program.Blocks, *program.Components, *program.EachRow:
		default:
			program.Mentions([]program.Stmt{s}, func(p *program.Place) { other[h.memory(p)] = true })
		}
	})
	program.Walk(body, func(s program.Stmt) {
		c, ok := s.(*program.Call)
		if !ok || c.Kernel != "AddWeightedCross" || c.Args[6] != c.Args[7] {
			return
		}
		if m := h.memory(c.Args[0].Place); m != nil && m.Given == nil && wanted[m] && !other[m] {
			*c = *call("AddLowerCross", c.Args[:7]...)
		}
	})
}
