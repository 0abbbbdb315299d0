package bind

import (
	"fmt"

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
	s := p.Target.Variable.Sym
	if s.Type.Rank == 0 {
		e.Bind(s.Name, x, weights)
		return nil
	}
	shape := [2]int{1, 1} // a vector is one column
	for i := range s.Type.Rank {
		var err error
		if shape[i], err = lengthOf(s.Type.Dims[i], e); err != nil {
			return err
		}
	}
	columns := shape[0] * shape[1]
	if len(x)%columns != 0 {
		return fmt.Errorf("%d numbers are no rows of %d", len(x), columns)
	}
	rows := make([]*mat.Dense, len(x)/columns)
	for i := range rows {
		row := append([]float64(nil), x[i*columns:(i+1)*columns]...)
		rows[i] = mat.NewDense(shape[0], shape[1], row)
	}
	e.Bind(s.Name, make([]float64, len(rows)), weights) // sets the weights and their sum
	e.Symbols[s.Name] = eval.CoreRows(rows)
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
