package pass

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// sumsOfRows are the calls in place of a loop over the entries of rows that computes sums, or adds to them, where there is a kernel for each term:
// arrays, vectors, and multiples of both with a factor for each row. Factors of a row are multiplied first, in a loop over the rows.
func (f *idiomFinder) sumsOfRows(e *program.Each, inside bool) []program.Stmt {
	same := []program.Stmt{e}
	if !e.Shape.Block || len(e.Shape.Dims) != 1 || e.Shape.Lower || len(e.Body)+len(e.Guards)+len(e.Sums)+len(e.Totals) > 0 {
		return same
	}
	s := &rowSums{idiom: idiom{e}, idiomFinder: f, inside: inside}
	for _, w := range e.Writes {
		if s.to = w.To.Place; w.Weighted || slices.ContainsFunc(e.Writes, func(other *program.Write) bool { return other != w && s.mentions(other, s.to) }) {
			return same
		}
		if !s.write(w) {
			return same
		}
	}
	return s.out
}

type rowSums struct {
	idiom
	*idiomFinder
	inside bool
	to     *program.Place
	out    []program.Stmt
}

// mentions reports whether a place is written, or read for what is written.
func (s *rowSums) mentions(w *program.Write, p *program.Place) bool {
	found := sameMemory(w.To.Place, p)
	program.Operands(w.Value, func(r program.Ref) { found = found || sameMemory(r.Place, p) })
	return found
}

// write makes the calls for what is written to an entry, and reports whether it can.
func (s *rowSums) write(w *program.Write) bool {
	if !s.entry(w.To) && !s.ofColumn(w.To) {
		return false
	}
	reads := false
	program.Operands(w.Value, func(r program.Ref) { reads = reads || sameMemory(r.Place, s.to) })
	if reads {
		return false
	}
	var terms []rowTerm
	for _, t := range termsOf(w.Value) {
		r, ok := s.term(t)
		if !ok {
			return false
		}
		terms = append(terms, r)
	}
	switch {
	case len(terms) == 0:
		return false
	case w.Add:
		return len(terms) == 1 && len(terms[0].factors) > 0 && s.add(terms[0])
	case len(terms) == 1:
		return false
	case !terms[0].begins() || terms[1].begins() && !terms[1].addable(): // the order of the first two is no matter
		terms[0], terms[1] = terms[1], terms[0]
	}
	if !terms[0].begins() {
		return false
	}
	s.begin(terms[0])
	return !slices.ContainsFunc(terms[1:], func(t rowTerm) bool { return !s.add(t) })
}

// rowTerm is a term: a number times factors of the row times an array, or a vector.
type rowTerm struct {
	coef    float64
	factors []program.Expr // that are another number for each row
	same    []program.Expr // that are the same for all entries
	array   *program.Place
	vector  bool
}

// begins reports whether a sum can begin with it.
func (t rowTerm) begins() bool { return !t.vector }

// addable reports whether there is a kernel that adds it.
func (t rowTerm) addable() bool { return len(t.factors) > 0 || t.alone() }

// alone reports whether it is the array or the vector, or its opposite.
func (t rowTerm) alone() bool {
	return len(t.factors)+len(t.same) == 0 && (t.coef == 1 || t.coef == -1)
}

func (s *rowSums) term(t term) (rowTerm, bool) {
	out := rowTerm{coef: t.coef}
	for i, arg := range t.args {
		r, ok := arg.(program.Ref)
		switch {
		case t.powers[i] != 1:
			return out, false
		case !s.varies(arg):
			out.same = append(out.same, arg)
		case ok && s.ofRows(r):
			out.factors = append(out.factors, r)
		case ok && out.array == nil && s.entry(r):
			out.array = r.Place
		case ok && out.array == nil && s.ofRow(r):
			out.array, out.vector = r.Place, true
		default:
			return out, false
		}
	}
	return out, out.array != nil && !sameMemory(out.array, s.to)
}

// ofRows reports whether a reference is to the number that goes with the row of a block.
func (s *rowSums) ofRows(r program.Ref) bool { return known(r, true, nil, program.I) }

func (s *rowSums) call(kernel string, args ...program.Operand) {
	s.out = append(s.out, call(kernel, args...))
}

// sizes are the lengths of rows, behind other operands.
func (s *rowSums) sizes(args ...program.Operand) []program.Operand {
	return append(args, program.Operand{Block: true}, length(s.Shape.Dims[0]))
}

// begin writes a term.
func (s *rowSums) begin(t rowTerm) {
	to := place(s.to)
	switch {
	case len(t.factors) > 0:
		s.call("clear", to)
		s.call("AddScaledRows", s.sizes(to, s.scale(t), place(t.array))...)
	case t.coef == 1 && len(t.same) == 0:
		s.call("copy", to, place(t.array))
	default:
		s.call("Scale", to, number(product(t.coef, t.same)), place(t.array))
	}
}

// add adds a term, and reports whether it can.
func (s *rowSums) add(t rowTerm) bool {
	to, kernel := place(s.to), ""
	switch {
	case len(t.factors) > 0 && t.vector:
		s.call("AddRowsOuter", s.sizes(to, s.scale(t), place(t.array))...)
		return true
	case len(t.factors) > 0:
		s.call("AddScaledRows", s.sizes(to, s.scale(t), place(t.array))...)
		return true
	case !t.addable():
		return false
	case t.vector && t.coef == 1:
		kernel = "RowsPlus"
	case t.vector:
		kernel = "RowsLess"
	case t.coef == 1:
		kernel = "Plus"
	default:
		kernel = "Minus"
	}
	from := to
	if c, ok := s.out[len(s.out)-1].(*program.Call); ok && c.Kernel == "copy" { // which this call does as well
		from, s.out = c.Args[1], s.out[:len(s.out)-1]
	}
	if args := []program.Operand{to, from, place(t.array)}; t.vector {
		s.call(kernel, s.sizes(args...)...)
	} else {
		s.call(kernel, args...)
	}
	return true
}

// scale is the array with what the rows are multiplied by.
func (s *rowSums) scale(t rowTerm) program.Operand {
	if r, ok := t.factors[0].(program.Ref); ok && len(t.factors) == 1 && len(t.same) == 0 && t.coef == 1 {
		return place(r.Place)
	}
	to := program.Ref{Place: &program.Place{Name: s.names.Temporary(), Shape: program.Shape{Block: true, Inside: s.inside}},
		At: []program.Index{program.Over(program.I)}}
	s.out = append(s.out, &program.Buffer{To: to.Place}, &program.Each{Shape: program.Shape{Block: true},
		Writes: []*program.Write{{To: to, Value: product(t.coef, slices.Concat(t.same, t.factors))}}})
	return place(to.Place)
}

// product is a number times factors.
func product(coef float64, factors []program.Expr) program.Expr {
	if len(factors) == 0 {
		return program.Number(coef)
	}
	out := factors[0]
	if len(factors) > 1 {
		powers := make([]float64, len(factors))
		for i := range powers {
			powers[i] = 1
		}
		out = &program.Apply{Op: expr.Prod, Args: factors, Coefs: powers}
	}
	if coef == 1 {
		return out
	}
	return &program.Apply{Op: expr.Lin, Args: []program.Expr{out}, Coefs: []float64{coef}}
}
