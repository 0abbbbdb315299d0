package bind

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
)

// BindData gives the interpreter a data set: the rows of the observation with their weights (nil: all one), and the
// constants of the families that depend on them.
func (p *Problem) BindData(e *eval.Env, x, weights []float64) error {
	e.Bind(p.Target.Variable.Sym.Name, x, weights)
	for _, c := range p.Constants {
		v, err := eval.Eval(c.Node, e)
		if err != nil {
			return err
		}
		e.Set(c.Sym.Name, v)
	}
	return nil
}

// ConstantSyms are the symbols of the constants.
func (p *Problem) ConstantSyms() []*expr.Node {
	var out []*expr.Node
	for _, c := range p.Constants {
		out = append(out, c.Sym)
	}
	return out
}
