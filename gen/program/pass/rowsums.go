package pass

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// sumsOfRows are the calls in place of a loop that adds multiples of rows, or of one vector, to rows, with a factor for each row: what all components
// contribute. Several factors of a row are multiplied first, in a loop over the rows.
func (f *idiomFinder) sumsOfRows(e *program.Each, inside bool) []program.Stmt {
	same := []program.Stmt{e}
	if !e.Shape.Block || len(e.Shape.Dims) != 1 || e.Shape.Lower || len(e.Body)+len(e.Guards)+len(e.Sums)+len(e.Totals) > 0 {
		return same
	}
	l := idiom{e}
	var out []program.Stmt
	for _, w := range e.Writes {
		factors, of, kernel := l.scaledRow(w)
		if of == nil || slices.ContainsFunc(e.Writes, func(other *program.Write) bool { return other != w && l.reads(other, w.To.Place) }) {
			return same
		}
		scale, ok := factors[0].(program.Ref)
		if !ok || len(factors) > 1 {
			scale = program.Ref{Place: &program.Place{Name: f.names.Temporary(), Shape: program.Shape{Block: true, Inside: inside}},
				At: []program.Index{program.Over(program.I)}}
			ones := make([]float64, len(factors))
			for i := range ones {
				ones[i] = 1
			}
			out = append(out, &program.Buffer{To: scale.Place}, &program.Each{Shape: program.Shape{Block: true},
				Writes: []*program.Write{{To: scale, Value: &program.Apply{Op: expr.Prod, Args: factors, Coefs: ones}}}})
		}
		out = append(out, call(kernel, place(w.To.Place), place(scale.Place), place(of), program.Operand{Block: true}, length(e.Shape.Dims[0])))
	}
	return out
}

// scaledRow takes what is added to an entry apart: factors of its row, an array with the entry or a vector, and the kernel that adds their product. The
// array is nil where it is something else.
func (l idiom) scaledRow(w *program.Write) (factors []program.Expr, of *program.Place, kernel string) {
	t := termOf(w.Value)
	if !w.Add || w.Weighted || !l.entry(w.To) || t.coef != 1 {
		return nil, nil, ""
	}
	for i, arg := range t.args {
		r, ok := arg.(program.Ref)
		switch {
		case !ok || t.powers[i] != 1:
			return nil, nil, ""
		case l.ofRows(r):
			factors = append(factors, r)
		case of == nil && l.entry(r):
			of, kernel = r.Place, "AddScaledRows"
		case of == nil && l.ofRow(r):
			of, kernel = r.Place, "AddRowsOuter"
		default:
			return nil, nil, ""
		}
	}
	if len(factors) == 0 || of == w.To.Place {
		return nil, nil, ""
	}
	return factors, of, kernel
}

// ofRows reports whether a reference is to the number that goes with the row of a block.
func (l idiom) ofRows(r program.Ref) bool { return known(r, true, nil, program.I) }

// reads reports whether what a loop writes is computed of a place.
func (l idiom) reads(w *program.Write, p *program.Place) bool {
	found := w.To.Place == p
	program.Operands(w.Value, func(r program.Ref) { found = found || r.Place == p })
	return found
}
