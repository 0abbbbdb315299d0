package eval

import (
	"fmt"
	"maps"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
)

// scan goes along the rows with all states kept, and for a derivative back again.
func (in *interpreter) scan(n *expr.Node, args []Value) (Value, error) {
	s := scanner{fn: n.Fn, params: args[:len(n.Fn.Params)], rows: args[len(n.Fn.Params):], env: &Env{Symbols: maps.Clone(in.env.Symbols)}} // lengths among them
	for i, p := range s.fn.Params {
		s.env.Symbols[p.Name] = s.params[i]
	}
	count := 0
	for _, v := range s.rows {
		count = max(count, v.rows())
	}
	if len(s.rows) == 0 {
		return Value{}, fmt.Errorf("a scan along no rows")
	}
	states, values := make([][]Value, count), make([]float64, count)
	var next []Value
	for i := range count {
		if s.begins(i) {
			start, err := All(s.fn.Start, s.env)
			if err != nil {
				return Value{}, err
			}
			next = start
		}
		states[i] = next
		s.at(i, next)
		out, err := All(s.fn.Eqs, s.env)
		if err != nil {
			return Value{}, err
		}
		values[i], next = out[0].Scalar, out[1:]
	}
	switch {
	case n.Op == expr.Scan:
		return Value{Rows: values}, nil
	case n.Index == 0:
		return Value{Scalar: in.sum(values)}, nil
	}
	return s.derivative(n, states, in.env.Weights)
}

// scanner is a scan that is being computed.
type scanner struct {
	fn           *expr.Lambda
	params, rows []Value
	env          *Env
}

// begins reports whether a row is the first of its series.
func (s *scanner) begins(i int) bool {
	if i == 0 || !s.fn.Series {
		return i == 0
	}
	series := s.rows[len(s.rows)-1].Rows
	return series[i] != series[i-1]
}

// at sets the symbols to what they are in a row.
func (s *scanner) at(i int, states []Value) {
	for k, r := range s.fn.Rows {
		s.env.Symbols[r.Name] = s.rows[k].row(i)
	}
	for k, v := range s.fn.Vars {
		s.env.Symbols[v.Name] = states[k]
	}
}

// row is the value of one row.
func (v Value) row(i int) Value {
	switch {
	case v.Rows != nil:
		return Value{Scalar: v.Rows[i]}
	case v.PerRow:
		return Core(v.Cores[i])
	}
	return v
}

// derivative is that of the sum with respect to a parameter.
func (s *scanner) derivative(n *expr.Node, states [][]Value, weights []float64) (Value, error) {
	a, total := s.fn.Adjoint, zeroOf(s.params[n.Index-1])
	cotangents := make([]Value, len(a.Next))
	for k := range cotangents {
		cotangents[k] = zeroOf(states[0][k])
	}
	for i := len(states) - 1; i >= 0; i-- {
		s.at(i, states[i])
		s.env.Set(a.Weight.Name, 1)
		if weights != nil {
			s.env.Set(a.Weight.Name, weights[i])
		}
		s.cotangents(cotangents)
		out, err := All(append([]*expr.Node{a.Params[n.Index-1]}, a.States...), s.env)
		if err != nil {
			return Value{}, err
		}
		total = total.plus(out[0])
		for k := range cotangents {
			cotangents[k] = zeroOf(states[0][k]).plus(out[1+k])
		}
		if !s.begins(i) {
			continue
		}
		s.cotangents(cotangents)
		out, err = All(a.AtStart[n.Index-1:n.Index], s.env)
		if err != nil {
			return Value{}, err
		}
		total = total.plus(out[0])
		for k := range cotangents {
			cotangents[k] = zeroOf(states[0][k])
		}
	}
	return total, nil
}

func (s *scanner) cotangents(values []Value) {
	for k, c := range s.fn.Adjoint.Next {
		s.env.Symbols[c.Name] = values[k]
	}
}

// zeroOf is 0 in the shape of a value.
func zeroOf(v Value) Value {
	if v.Cores == nil {
		return Value{}
	}
	r, c := v.Cores[0].Dims()
	return Core(mat.NewDense(r, c, nil))
}

// plus adds a value of the same shape, or a number that counts for every entry.
func (v Value) plus(w Value) Value {
	if v.Cores == nil {
		return Value{Scalar: v.Scalar + w.Scalar}
	}
	sum := mat.DenseCopyOf(v.Cores[0])
	if w.Cores != nil {
		sum.Add(sum, w.Cores[0])
	} else {
		sum.Apply(func(_, _ int, x float64) float64 { return x + w.Scalar }, sum)
	}
	return Core(sum)
}
