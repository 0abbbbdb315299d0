package bind

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
)

// BindData gives the interpreter a data set: the rows of the observation, one after the other, with their weights (nil:
// all one), and the constants of the families that depend on them. Where the observation is a vector of a symbolic
// length, the environment must have a value for that dimension.
func (p *Problem) BindData(e *eval.Env, x, weights []float64) error {
	if err := p.bindRows(e, x, weights); err != nil {
		return err
	}
	for _, c := range p.Constants {
		v, err := eval.All([]*expr.Node{c.Node}, e)
		if err != nil {
			return err
		}
		e.Symbols[c.Sym.Name] = v[0]
	}
	return nil
}

// bindRows gives the interpreter the rows.
func (p *Problem) bindRows(e *eval.Env, x, weights []float64) error {
	record := p.Target.Record()
	if len(record) == 1 && record[0].Sym.Type.Rank == 0 {
		e.Bind(record[0].Sym.Name, x, weights)
		return nil
	}
	width, shapes := 0, make([][2]int, len(record))
	for k, q := range record {
		shapes[k] = [2]int{1, 1} // a vector is one column
		for i := range q.Sym.Type.Rank {
			var err error
			if shapes[k][i], err = lengthOf(q.Sym.Type.Dims[i], e); err != nil {
				return err
			}
		}
		width += shapes[k][0] * shapes[k][1]
	}
	if len(x)%width != 0 {
		return fmt.Errorf("%d numbers are no rows of %d", len(x), width)
	}
	n, at := len(x)/width, 0
	e.Bind(record[0].Sym.Name, make([]float64, n), weights) // sets the weights and their sum
	for k, q := range record {
		size := shapes[k][0] * shapes[k][1]
		if q.Sym.Type.Rank == 0 {
			column := make([]float64, n)
			for i := range column {
				column[i] = x[i*width+at]
			}
			e.Symbols[q.Sym.Name] = eval.Value{Rows: column}
			at++
			continue
		}
		rows := make([]*mat.Dense, n)
		for i := range rows {
			rows[i] = mat.NewDense(shapes[k][0], shapes[k][1], slices.Clone(x[i*width+at:i*width+at+size]))
		}
		e.Symbols[q.Sym.Name] = eval.CoreRows(rows)
		at += size
	}
	return nil
}

// lengthOf is the length of a dimension in an environment.
func lengthOf(d expr.Dim, e *eval.Env) (int, error) {
	if d.Name == "" {
		return d.Size, nil
	}
	v, ok := e.Symbols[d.Name]
	if !ok || v.Scalar < 1 {
		return 0, fmt.Errorf("the dimension %s has no length", d.Name)
	}
	return int(v.Scalar), nil
}

// ConstantSyms are the symbols of the constants.
func (p *Problem) ConstantSyms() []*expr.Node {
	var out []*expr.Node
	for _, c := range p.Constants {
		out = append(out, c.Sym)
	}
	return out
}
