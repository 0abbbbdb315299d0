package check

import (
	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/eval"
)

// pushforward is the derivative of outputs along a direction: in forward mode, with a symbol for the direction of each
// input.
type pushforward struct {
	c        *checker
	inputs   []*expr.Node
	tangents []*expr.Node
	out      []*expr.Node
}

func (c *checker) pushforward(outputs, inputs []*expr.Node) (pushforward, error) {
	p := pushforward{c: c, inputs: inputs}
	for _, x := range inputs {
		facts := expr.Facts{Range: expr.Real, Structure: x.Facts.Structure & (expr.Symmetric | expr.LowerTriangular | expr.Diagonal)}
		p.tangents = append(p.tangents, c.g.Sym("tangent."+x.Name, x.Type, facts))
	}
	var err error
	p.out, err = diff.Pushforward(c.g, outputs, inputs, p.tangents)
	return p, err
}

// at is the Jacobian at a point, of entries of each output with respect to entries of the inputs.
func (p pushforward) at(env *eval.Env, outputs [][]entry, inputs []entry) *mat.Dense {
	rows := 0
	for _, of := range outputs {
		rows += len(of)
	}
	if rows == 0 || len(inputs) == 0 {
		return &mat.Dense{}
	}
	m := mat.NewDense(rows, len(inputs), nil)
	for i, t := range p.tangents {
		env.Symbols[t.Name] = p.c.known.each(t.Type, func(int) eval.Value { return packed(t.Type, p.c.zeros(p.inputs[i].Type)) })
	}
	for j, x := range inputs {
		for i, t := range p.tangents {
			if p.inputs[i] == x.sym {
				zero := env.Symbols[t.Name]
				env.Symbols[t.Name] = x.moved(zero, 1)
				m.SetCol(j, p.column(env, outputs))
				env.Symbols[t.Name] = zero
			}
		}
	}
	return m
}

// column is the derivative along the direction that the environment has.
func (p pushforward) column(env *eval.Env, outputs [][]entry) []float64 {
	var column []float64
	for k, v := range p.c.values(p.out, env) {
		for _, e := range outputs[k] {
			column = append(column, e.of(v))
		}
	}
	return column
}
