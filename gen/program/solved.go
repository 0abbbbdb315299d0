package program

import "github.com/sngdgen/sngdgen/expr"

// Result is the type of result i.
func (s *Solve) Result(i int) expr.Type {
	switch {
	case s.Op != expr.Series:
		return s.Fn.Vars[i%len(s.Fn.Vars)].Type
	case i == 0:
		return expr.Scalar
	}
	return s.Fn.Params[i-1].Type
}

// Operand is the type of operand i: behind the parameters of a scan come columns of the rows.
func (s *Solve) Operand(i int) expr.Type {
	if n := len(s.Fn.Params); i >= n {
		return s.Fn.Rows[i-n].Type.Over(expr.Rows)
	}
	return s.Fn.Params[i].Type
}
